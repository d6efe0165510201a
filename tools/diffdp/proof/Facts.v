(* What variables are known to hold (ALGORITHM.md 4.13).

   Equations between a variable and a term of its own program are knowledge of the
   data states of a pair (knowing_sound in Local.v): how they come and go is proved
   here, and what they are good for. *)

From Coq Require Import List Bool.
Import ListNotations.
From DiffDP Require Import Semantics Local.

(* Terms of one program: their value depends on what they read. *)
Class Terms {Lang : Language} := {
  term : Type;
  value : term -> state -> val;
  reads : term -> vset;
  value_dep : forall t c c1, (forall x, In x (reads t) -> c x = c1 x) -> value t c = value t c1 }.

Section Equations.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Ter : Terms}.

(* variable x holds the value of term t *)
Definition holds (c : state) (e : var * term) : Prop := c (fst e) = value (snd e) c.

(* An operation that writes neither the variable nor what the term reads keeps the equation. *)
Theorem equation_kept : forall a x t c c1,
  asem a c c1 -> ~ In x (adef a) -> (forall y, In y (reads t) -> ~ In y (adef a)) ->
  holds c (x, t) -> holds c1 (x, t).
Proof.
  intros a x t c c1 Ha Hx Ht He. unfold holds in *. simpl in *.
  rewrite (asem_frame a c c1 x Ha Hx), He. apply value_dep.
  intros y Hy. symmetry. exact (asem_frame a c c1 y Ha (Ht y Hy)).
Qed.

(* An operation that gives a variable the value of a term brings the equation, if
   it writes nothing that the term reads: the variable itself above all. *)
Theorem equation_brought : forall a x t c c1,
  asem a c c1 -> c1 x = value t c -> (forall y, In y (reads t) -> ~ In y (adef a)) ->
  holds c1 (x, t).
Proof.
  intros a x t c c1 Ha Hx Ht. unfold holds. simpl. rewrite Hx. apply value_dep.
  intros y Hy. symmetry. exact (asem_frame a c c1 y Ha (Ht y Hy)).
Qed.

(* The same tree over what agrees has one value in both programs. *)
Theorem same_term : forall t V c c',
  agree V c c' -> disjoint (reads t) V = true -> value t c = value t c'.
Proof.
  intros t V c c' HA Hd. apply value_dep. intros x Hx. apply HA. intro HV.
  unfold disjoint in Hd. rewrite forallb_forall in Hd. specialize (Hd x Hx).
  unfold mem in Hd. destruct (in_dec var_dec x V); [discriminate | contradiction].
Qed.

(* So a variable for which both programs know the same term of what agrees leaves
   what may differ. *)
Theorem equation_reconciles : forall x t V c c',
  agree V c c' -> holds c (x, t) -> holds c' (x, t) -> disjoint (reads t) V = true ->
  agree (diff V [x]) c c'.
Proof.
  intros x t V c c' HA Hc Hc' Hd y Hy.
  destruct (var_dec y x) as [-> | Hne].
  - unfold holds in *. simpl in *. rewrite Hc, Hc'. exact (same_term t V c c' HA Hd).
  - apply HA. intro HV. apply Hy. unfold diff. apply filter_In. split; [exact HV |].
    unfold mem. destruct (in_dec var_dec y [x]) as [[-> | []] | _]; [contradiction | reflexivity].
Qed.

(* An assume that passes only certain values of a variable is not passed where the
   variable holds another one. *)
Theorem equation_blocks : forall p x t (passes : val -> Prop) c c1,
  (csem p c -> passes (c x)) -> holds c (x, t) -> ~ passes (value t c) ->
  ~ exec (Asm p) c c1.
Proof.
  intros p x t passes c c1 Hp He Hn [Hc _]. apply Hn. unfold holds in He. simpl in He.
  rewrite <- He. exact (Hp Hc).
Qed.

(* Fewer equations hold as well: two edges to one pair bring what both bring. *)
Theorem equations_met : forall c es ds,
  (forall e, In e ds -> In e es) -> Forall (holds c) es -> Forall (holds c) ds.
Proof.
  intros c es ds Hsub H. rewrite Forall_forall in *. auto.
Qed.

(* A graph whose pairs have equations of both programs is sound if its edges bring
   them: what is known is that they hold. *)
Corollary equations_sound : forall (P P' : prog) T R E
    (mine theirs : loc P' -> loc P -> list (var * term)),
  det P' ->
  knowing_ok P P' T R E (fun l' l c c' =>
    Forall (holds c') (mine l' l) /\ Forall (holds c) (theirs l' l)) ->
  diff_graph P P' (Graph _ (start P P') R E).
Proof. intros. eapply knowing_sound; eassumption. Qed.

End Equations.
