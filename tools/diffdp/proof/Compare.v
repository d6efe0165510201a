(* What the checker says of single steps that the code made, on the language of
   Example.v. A test writes random steps as terms of this file, and has them
   judged. *)

From Coq Require Import List Bool Arith.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Certificate Example Validated.

(* What the code said: the modified program cannot fail any more; the original,
   walked by a plan and then along an edge or not, fails by another plan; or it is
   at a location, and these objects may differ. *)
Inductive said :=
| Leaf_dead
| Leaf_doomed (before : plan) (edge : option nat) (after : plan)
| To (before : plan) (edge : option nat) (k : nat) (W : list v3).

(* Original and modified program, where they are, what may differ there, the edge
   of the modified program. *)
Record made := Made {
  orig : tcfa; modi : tcfa; at' : nat; at_ : nat; differ : list v3; taken_edge : nat; told : said }.

(* The rule that is taken for a pair of operations. *)
Definition rule_for (E : tcfa) (l : nat) (V : list v3) (o : lab) (p : plan) (i : nat) : joint :=
  match walked (tprog E) p l V with
  | Some (k, W) =>
    match o, nth_error (nth k E []) i with
    | Asm _, _ => Follow
    | Asg a, Some (Asg b, _) =>
      if eqd tasg_dec a b && disjoint (tuse a) W then Alike (tuse a) [] (tkill a) else Each [] []
    | _, _ => Each [] []
    end
  | None => Follow
  end.

Definition reached (E : tcfa) (l : nat) (V : list v3) (o : lab) (p : plan) (w : option nat) (q : plan) :=
  arrive (tprog E) l V o p (option_map (fun i => (i, rule_for E l V o p i)) w) q.

Inductive judgement := Refused | Larger | Equal.

(* Refused: not even a larger set would be right for the checker. Larger: the code
   says that more may differ than need to. *)
Definition judge (m : made) : judgement :=
  match nth_error (nth (at' m) (modi m) []) (taken_edge m) with
  | None => Refused
  | Some (o, s') =>
    match told m with
    | Leaf_dead => if reach_err (modi m) s' then Refused else Equal
    | Leaf_doomed p w q =>
      match reached (orig m) (at_ m) (differ m) o p w q with
      | Some (k, _) => if k =? 100 then Equal else Refused
      | None => Refused
      end
    | To p w k W =>
      match reached (orig m) (at_ m) (differ m) o p w Stay with
      | Some (t, U) =>
        if negb (s' =? 100) && (t =? k) && subset U W
        then if subset W U then Equal else Larger
        else Refused
      | None => Refused
      end
    end
  end.

Definition count (ms : list made) : nat * nat * nat :=
  fold_left (fun n m => let '(r, l, e) := n in
    match judge m with Refused => (S r, l, e) | Larger => (r, S l, e) | Equal => (r, l, S e) end) ms (0, 0, 0).

(* The places of the first steps that are refused. *)
Definition refused (ms : list made) : list nat :=
  firstn 5 (map fst (filter (fun m => match judge (snd m) with Refused => true | _ => false end)
    (combine (seq 0 (length ms)) ms))).
