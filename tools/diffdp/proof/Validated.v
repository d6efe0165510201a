(* The checker of certificates on the language of Example.v: what it accepts, what
   it refuses, and that what it accepts is worth something. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Certificate Condition Calls Example.

Definition always (p q : tasm) : bool := forallb (fun s => implb (mtest p s) (mtest q s)) states.

#[global] Instance toy_checks : Checks := {
  completes := fun _ => true;
  afree := fun a => match a with Inp x => [x] | _ => [] end;
  puse := fun a _ => tuse a;
  same_part := fun a b x => eqd tasg_dec a b && mem x (tkill a) && match a with Inp _ => false | _ => true end;
  chooses := fun a b x => match b with Inp y => eqd v3_dec x y | _ => false end;
  like := fun a b needs extra alike => eqd tasg_dec a b && subset (tuse a) needs && subset alike (tkill a);
  opposite := fun p q => eqd tasm_dec q (flip p);
  implied := always }.

Lemma flip_total : forall p c, msem p c \/ msem (flip p) c.
Proof.
  intros [n r u b] c. unfold msem. simpl. destruct n; destruct (if r then _ else _); simpl; auto.
Qed.

#[global] Instance toy_checks_ok : ChecksOk.
Proof.
  constructor.
  - intros b c d _. destruct b as [x e | p x y v | x].
    + exists (trun D0 (Let x e) c). split; [exists D0; reflexivity | intros z []].
    + exists (trun D0 (Store p x y v) c). split; [exists D0; reflexivity | intros z []].
    + exists (trun (d x) (Inp x) c). split; [exists (d x); reflexivity |].
      intros z [<- | []]. simpl. unfold set1. destruct (v3_dec x x); [reflexivity | contradiction].
  - intros a b x c c' c1 c1' H Hu (d' & Ha) (d & Hb). simpl in H.
    apply andb_true_iff in H. destruct H as [H Hi]. apply andb_true_iff in H. destruct H as [H Hk].
    apply eqd_eq in H. subst b. apply mem_true in Hk. rewrite Ha, Hb.
    transitivity (trun d a c' x); [apply t_kill; assumption |].
    destruct a; [reflexivity | reflexivity | discriminate].
  - intros a b D c c' c1' _ H (d' & Ha). rewrite forallb_forall in H. simpl in H.
    destruct b as [x e | p x y v | x].
    1, 2: eexists; split; [exists D0; intro; reflexivity |]; intros z Hz; specialize (H z Hz); discriminate.
    exists (trun (c1' x) (Inp x) c). split; [exists (c1' x); reflexivity |].
    intros z Hz. specialize (H z Hz). apply eqd_eq in H. subst z. simpl. unfold set1.
    destruct (v3_dec x x); [reflexivity | contradiction].
  - intros a b needs extra alike c c' c1' H Hu (d & Hd). simpl in H.
    apply andb_true_iff in H. destruct H as [H Hk]. apply andb_true_iff in H. destruct H as [H Hs].
    apply eqd_eq in H. subst b. rewrite subset_spec in Hs, Hk.
    exists (trun d a c). split; [exists d; reflexivity |]. split.
    + intros x Hx. rewrite Hd. apply t_kill; auto.
    + intros x _ Hx. rewrite Hd. apply t_dep; auto.
  - intros p q H c. simpl in H. apply eqd_eq in H. subst q. apply flip_total.
  - intros p q H c Hp. simpl in H. unfold always in H. rewrite forallb_forall in H.
    destruct (norm c) as (s & Hs & Heq). specialize (H s Hs). unfold msem in *.
    rewrite (m_test_dep p s c) in H by auto. rewrite (m_test_dep q s c) in H by auto.
    rewrite Hp in H. exact H.
Qed.

(* One function, from location 50, and any main program below. A call is called by
   the location behind it; it hands y to z and takes z for y. *)
Definition tcode (first : nat) (edges : nat -> list (cedge nat nat unit)) : code :=
  Code nat Nat.eq_dec bool bool_dec2 (fun l => 50 <=? l) nat Nat.eq_dec (fun _ => 50) (fun c => c)
    (fun _ => Let Z (Var Y)) unit (fun _ _ => Let Y (Var Z)) first (fun l => l =? 40) edges.

Definition body (l : nat) : list (cedge nat nat unit) :=
  match l with
  | 4 => [Enter 5]
  | 5 => [Within (T_ (eqc Y D1)) 40; Within (T_ (flip (eqc Y D1))) 41]
  | 50 => [Within (A_ (Let Z (Add Z D1))) 51]
  | 51 => [Leave tt]
  | _ => []
  end.

(* original  0: x := 0   1: if (z = 0) x := 1 else x := 2   4: y := f(y)   5: [y = 1] -> error
   modified  4: y := f(y)   5: [y = 1] -> error                                              *)
Definition before : code := tcode 0 (fun l =>
  match l with
  | 0 => [Within (A_ (Let X (Cst D0))) 1]
  | 1 => [Within (T_ (eqc Z D0)) 2; Within (T_ (flip (eqc Z D0))) 3]
  | 2 => [Within (A_ (Let X (Cst D1))) 4]
  | 3 => [Within (A_ (Let X (Cst D2))) 4]
  | _ => body l
  end).
Definition after : code := tcode 4 body.

(* the same, but f calls itself *)
Definition again : code := tcode 4 (fun l => match l with 50 => [Enter 51] | _ => body l end).

Notation Pb := (points before false).
Notation Pa := (points after true).

Definition pl (l' : nat) (s' : list nat) (l : nat) (s : list nat) (V : list v3) (a : list answer) : place Pb Pa :=
  Place Pb Pa (At after l' s' : floc Pa) (At before l s : floc Pb) V a.

Definition skipped : plan := Pass (Fork (Pass Stay) (Pass Stay)).
Definition none (p : point after) : bool := match p with At _ 41 [] => true | _ => false end.

(* the original fails as well where y = 1, so the violating branch ends at a leaf *)
Definition nodes (V : list v3) : list (place Pb Pa) :=
  [pl 4 [] 4 [] V [Goes 1 Stay (Some (0, Alike [Y] [] [Z])) Stay];
   pl 50 [5] 50 [5] V [Goes 2 Stay (Some (0, Alike [Z] [] [Z])) Stay];
   pl 51 [5] 51 [5] V [Goes 3 Stay (Some (0, Alike [Z] [] [Y])) Stay];
   pl 5 [] 5 [] V [Doomed Stay (Some (0, Follow)) Stay; Dead]].

Definition given (first : answer) (ns : list (place Pb Pa)) : certificate Pb Pa := Certificate Pb Pa first ns.
Definition right : certificate Pb Pa := given (Goes 0 skipped None Stay) (nodes [X]).
Definition taken (C : certificate Pb Pa) : bool := certificate_ok Pb Pa none C.

Example right_is_accepted : taken right = true.
Proof. vm_compute. reflexivity. Qed.

(* x may differ and nobody says so; y may, and the branch depends on it; the original
   is not walked; half of it; an edge is missing; the violating branch is said to be dead;
   what is not alike is said to be. *)
Example wrong_ones_are_refused : map taken
  [given (Goes 0 skipped None Stay) (nodes []);
   given (Goes 0 skipped None Stay) (nodes [X; Y]);
   given (Goes 0 Stay None Stay) (nodes [X]);
   given (Goes 0 (Pass (Fork (Pass Stay) Stay)) None Stay) (nodes [X]);
   given (Goes 0 skipped None Stay) (firstn 3 (nodes [X]) ++ [pl 5 [] 5 [] [X] [Dead]]);
   given (Goes 0 skipped None Stay) (firstn 3 (nodes [X]) ++ [pl 5 [] 5 [] [X] [Dead; Dead]]);
   given (Goes 0 skipped None Stay) (firstn 3 (nodes [X]) ++ [pl 5 [] 5 [] [X] [Goes 3 Stay None Stay; Dead]]);
   given (Dead) []]
  = repeat false 8.
Proof. vm_compute. reflexivity. Qed.

(* By this certificate everything may be covered, the violating path included. *)
Example all_covered : condition_ok Pb Pa right bool bool_dec2 (fun q _ => q) (fun q => q) negb true
  [] [Node 0; Node 1; Node 2; Node 3; Nothing] = true.
Proof. vm_compute. reflexivity. Qed.

(* A certificate that says nothing is accepted, and covers nothing. *)
Example nothing_said : taken (given Stop []) = true /\
  condition_ok Pb Pa (given Stop []) bool bool_dec2 (fun q _ => q) (fun q => q) negb true [] [] = false.
Proof. split; vm_compute; reflexivity. Qed.

Example after_violates : exists c r, bug_path (to_prog Pa) c r.
Proof.
  exists (mk D0 D0 D0).
  exists [(A_ (Let Z (Var Y)), At after 50 [5] : floc Pa, trun D0 (Let Z (Var Y)) (mk D0 D0 D0));
          (A_ (Let Z (Add Z D1)), At after 51 [5] : floc Pa, mk D0 D0 D1);
          (A_ (Let Y (Var Z)), At after 5 [] : floc Pa, mk D0 D1 D1);
          (T_ (eqc Y D1), Failed after : floc Pa, mk D0 D1 D1)].
  split.
  - econstructor; [left; reflexivity | exists D0; reflexivity |].
    econstructor; [left; reflexivity | exists D0; intros []; reflexivity |].
    econstructor; [left; reflexivity | exists D0; intros []; reflexivity |].
    econstructor; [left; reflexivity | split; reflexivity | constructor].
  - right. do 3 apply Exists_cons_tl. apply Exists_cons_hd. reflexivity.
Qed.
