(* What is proved, and that nothing else is assumed: a test reads what this file
   prints. ALGORITHM.md 8 says what the theorems mean.

   Assumed, as premises that can be read off the theorems, is what they say of C
   and not of the rules:

   - The front end: an execution of a program without recursion is one of its
     automaton over points (original_does, modified_does); of two edges that leave
     a location of the modified program an execution can pass one (cdet).
   - Objects, points-to, effects: nothing is written outside adef; an assume
     depends on cuse only; akill, ause and puse are right as far as like and
     same_part rest on them (EffectsOk, ChecksOk).
   - Identity of operations and values: like, same_part. Objects that correspond
     have the same initial content unless they are in V0 (init_agree).
   - Inputs: what may be chosen is chosen freely, within its type (afree, chooses).
   - Undefined behaviour and traps do not occur: an operation that completes says
     it can be passed has a result (completes).
   - Answers of the solver (implied), negation of conditions (opposite), what cannot
     reach the error (dead_closed, dead_err), states of a condition that never
     accept again (never_next, never_accepts).
   - That the code computes what the functions here compute: nobody has proved it,
     random steps are compared (Compare.v). *)

From DiffDP Require Import Semantics Local Facts Steps Rules Loop Termination Generator Certificate Condition Calls Example Validated.

Print Assumptions alg1_any_sound.
Print Assumptions local_sound.
Print Assumptions knowing_sound.
Print Assumptions equation_kept.
Print Assumptions equation_brought.
Print Assumptions equation_reconciles.
Print Assumptions equation_blocks.
Print Assumptions equations_met.
Print Assumptions equations_sound.
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
