(* What is proved, and that nothing else is assumed: a test reads what this file
   prints. ALGORITHM.md 8 says what the theorems mean and what stays assumed. *)

From DiffDP Require Import Semantics Local Steps Rules Loop Termination Generator Certificate Calls Example Validated.

Print Assumptions alg1_any_sound.
Print Assumptions local_sound.
Print Assumptions checked_emission_sound.
Print Assumptions interrupted_sound.
Print Assumptions diffcond_sound.
Print Assumptions condgen_sound.
Print Assumptions loop_terminates.
Print Assumptions certificate_sound.
Print Assumptions validated_condition_sound.
Print Assumptions validated_sound.
Print Assumptions recursion_fails.
Print Assumptions failing_edge_stops.
Print Assumptions toy_sound.
Print Assumptions may_def_clears_is_unsound.
Print Assumptions diffcond_needs_errors_together.
Print Assumptions right_is_accepted.
Print Assumptions wrong_ones_are_refused.
Print Assumptions all_covered.
Print Assumptions after_violates.
