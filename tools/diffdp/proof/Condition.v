(* The check of a condition against a certified graph (ALGORITHM.md 8.3).

   Condition and graph follow the same paths. It is the condition's own business
   how it is built: minimal, folded, or otherwise. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Certificate.

Section Conditions.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Chk : Checks} {ChkOk : ChecksOk}.

Variables F F' : fprog.                              (* original, modified *)
Variable dead : floc F' -> bool.
Hypothesis dead_closed : forall l o t, dead l = true -> In (o, t) (fedges F' l) -> dead t = true.
Hypothesis dead_err : dead (ferr F') = false.
Hypothesis Hdet : det (to_prog F').
Variable C : certificate F F'.
Hypothesis Hok : certificate_ok F F' dead C = true.

Notation P := (to_prog F).
Notation P' := (to_prog F').
Notation holds := (holds F F' C).
Notation successors := (successors F F').
Notation certified := (certified F F').
Notation first := (first F F').

(* A relation between what a condition has read and where the graph is, kept
   along all edges of the graph, and for ever behind an indicator. *)
Section Product.

Variable Q : Type.
Variable next : Q -> op -> Q.
Variable accepting : Q -> bool.
Variable Rel : Q -> vertex -> Prop.
Hypothesis rel_edge : forall q v o w, Rel q v -> In (o, w) (successors C v) -> Rel (next q o) w.
Hypothesis rel_stop : forall q o, Rel q Indicator -> Rel (next q o) Indicator.
Hypothesis rel_open : forall q v, Rel q v -> can_reach (certified C) v -> accepting q = false.

Lemma stop_open : forall u q, Rel q Indicator -> accepting (fold_left next u q) = false.
Proof.
  induction u as [| o u IH]; intros q H; simpl; [| auto].
  eapply rel_open; [exact H |]. exists [], Indicator. split; [constructor | reflexivity].
Qed.

(* Along a violating path, however far it is read and whatever follows it, the
   condition does not accept. *)
Lemma product_open : forall c0, (~ exists r0, bug_path P c0 r0) ->
  forall r n l' c' q, holds c0 n l' c' -> path P' l' c' r -> violating P' l' r -> Rel q (Node n) ->
  forall x u v, ops r ++ x = u ++ v -> accepting (fold_left next u q) = false.
Proof.
  intros c0 Hnf. induction r as [| s r IH]; intros n l' c' q Hh Hp Hv Hq x u v Hw.
  - exfalso. destruct Hh as (m & c & _ & _ & Hne & _).
    destruct Hv as [Hv | Hv]; [contradiction | inversion Hv].
  - destruct u as [| o1 u].
    + simpl. eapply rel_open; [exact Hq |]. exact (ends_at_indicator F F' dead dead_closed dead_err Hdet C Hok c0 Hnf _ _ _ _ Hh Hp Hv).
    + inversion Hp as [| ? ? o l1 c1 ? He Hx Hp1]; subst.
      simpl in Hw. injection Hw as Ho Hw. unfold top in Ho. simpl in Ho. subst o1.
      assert (Hne : l' <> ferr F') by (destruct Hh as (? & ? & ? & ? & Hne & _); exact Hne).
      pose proof (violating_tail P' l' _ r Hv Hne) as Hv1. unfold tloc in Hv1. simpl in Hv1, He.
      destruct (certified_total F F' dead C Hok c0 n l' c' o l1 Hh He) as (w & Hin).
      pose proof (rel_edge _ _ _ _ Hq Hin) as Hq1. simpl.
      destruct (certified_step F F' dead dead_closed dead_err Hdet C Hok c0 Hnf n l' c' o l1 c1 w r Hh He Hx Hp1 Hv1 Hin) as [-> | (k & -> & Hk)].
      * apply stop_open. exact Hq1.
      * eapply IH; eassumption.
Qed.

(* A condition covers a path as soon as it accepts a prefix. *)
Definition covered (start : Q) (w : list op) : Prop :=
  exists u v, w = u ++ v /\ accepting (fold_left next u start) = true.

Lemma product_sound : forall start, Rel start (leads (first C)) ->
  forall c' r x, reg P P' c' r -> ~ covered start (ops r ++ x).
Proof.
  intros start Hst c' r x [[Hp Hv] Hreg] (u & v & Hw & Hacc).
  destruct (init_agree c') as (c0 & HI & HA).
  assert (Hnf : ~ exists r0, bug_path P c0 r0).
  { intros (r0 & H0). apply Hreg. exists c0, r0. auto. }
  destruct (first_holds F F' dead dead_closed dead_err C Hok c0 Hnf c' HA r Hp Hv) as [Hs | (n & Hs & Hn)]; rewrite Hs in Hst.
  - rewrite stop_open in Hacc; [discriminate | exact Hst].
  - rewrite (product_open c0 Hnf r n _ c' start Hn Hp Hv Hst x u v Hw) in Hacc. discriminate.
Qed.

End Product.

(* The same relation as a list that can be checked: the pairs that are met, the
   nodes from which no indicator can be reached, and the states of the condition
   that never accept again. A pair with an indicator has to be of such a state:
   behind an indicator a condition must not accept any more. *)
Section Condition.

Variable Q : Type.
Variable Q_dec : forall p q : Q, {p = q} + {p <> q}.
Variable next : Q -> op -> Q.
Variable accepting : Q -> bool.
Variable never : Q -> bool.
Hypothesis never_next : forall q o, never q = true -> never (next q o) = true.
Hypothesis never_accepts : forall q, never q = true -> accepting q = false.

Definition vertex_dec (v w : vertex) : {v = w} + {v <> w}.
Proof. decide equality. apply Nat.eq_dec. Defined.

Definition met_dec (p q : Q * vertex) : {p = q} + {p <> q}.
Proof. decide equality. apply vertex_dec. Defined.

Definition within (v : vertex) (S : list vertex) : bool := if in_dec vertex_dec v S then true else false.

Definition related (R : list (Q * vertex)) (S : list vertex) (q : Q) (v : vertex) : bool :=
  (if in_dec met_dec (q, v) R then true else false) || within v S ||
  (match v with Indicator => never q | _ => false end).

Definition settled_ok (S : list vertex) : bool :=
  forallb (fun v => match v with Indicator => false | _ => forallb (fun e => within (snd e) S) (successors C v) end) S.

Definition met_ok (R : list (Q * vertex)) (S : list vertex) (p : Q * vertex) : bool :=
  match snd p with
  | Indicator => false
  | v => (negb (accepting (fst p)) || within v S) &&
         forallb (fun e => related R S (next (fst p) (fst e)) (snd e)) (successors C v)
  end.

Definition condition_ok (start : Q) (R : list (Q * vertex)) (S : list vertex) : bool :=
  related R S start (leads (first C)) && settled_ok S && forallb (met_ok R S) R.

Lemma within_true : forall v S, within v S = true <-> In v S.
Proof. intros v S. unfold within. destruct (in_dec vertex_dec v S); split; auto; discriminate. Qed.

Lemma settled_closed : forall S, settled_ok S = true -> forall v o w,
  In v S -> In (o, w) (successors C v) -> In w S.
Proof.
  intros S H v o w Hv Hw. unfold settled_ok in H. rewrite forallb_forall in H. specialize (H v Hv).
  destruct v; [| discriminate | contradiction].
  rewrite forallb_forall in H. apply within_true. exact (H (o, w) Hw).
Qed.

Lemma settled_never : forall S, settled_ok S = true -> forall v, In v S -> ~ can_reach (certified C) v.
Proof.
  intros S H v Hv (w & k & Hr & Hk). simpl in Hk. subst k.
  assert (Hi : In Indicator S).
  { revert Hv. simpl in Hr. remember Indicator as i eqn:Ei. revert Ei.
    induction Hr as [m | m o m1 w1 k1 He Hr IH]; intros Ei Hv; [congruence |].
    apply IH; [exact Ei |]. eapply settled_closed; eassumption. }
  unfold settled_ok in H. rewrite forallb_forall in H. specialize (H _ Hi). discriminate.
Qed.

Theorem validated_condition_sound : forall start R S, condition_ok start R S = true ->
  forall c' r x, reg P P' c' r -> ~ covered Q next accepting start (ops r ++ x).
Proof.
  intros start R S H. unfold condition_ok in H.
  apply andb_true_iff in H. destruct H as [H Hm]. apply andb_true_iff in H. destruct H as [Hst Hset].
  rewrite forallb_forall in Hm.
  (* behind an indicator the state never accepts; met pairs and settled nodes otherwise *)
  apply product_sound with (Rel := fun q v => related R S q v = true); [| | | exact Hst].
  - intros q v o w Hq Hw. unfold related in Hq. apply orb_true_iff in Hq.
    destruct Hq as [Hq | Hq]; [apply orb_true_iff in Hq; destruct Hq as [Hq | Hq] |].
    + destruct (in_dec met_dec (q, v) R) as [Hin |]; [| discriminate].
      specialize (Hm _ Hin). unfold met_ok in Hm. simpl in Hm.
      destruct v; [| discriminate | contradiction].
      apply andb_true_iff in Hm. destruct Hm as [_ Hm]. rewrite forallb_forall in Hm. exact (Hm (o, w) Hw).
    + apply within_true in Hq. unfold related. apply orb_true_iff. left. apply orb_true_iff. right.
      apply within_true. eapply settled_closed; eassumption.
    + destruct v; [discriminate | contradiction | discriminate].
  - intros q o Hq. unfold related in *. apply orb_true_iff in Hq.
    destruct Hq as [Hq | Hq]; [exfalso; apply orb_true_iff in Hq; destruct Hq as [Hq | Hq] |].
    + destruct (in_dec met_dec (q, Indicator) R) as [Hin |]; [| discriminate].
      specialize (Hm _ Hin). discriminate.
    + apply within_true in Hq. exact (settled_never S Hset _ Hq (ex_intro _ [] (ex_intro _ Indicator (conj (run_nil _ _) eq_refl)))).
    + rewrite (never_next q o Hq), orb_true_r. reflexivity.
  - intros q v Hq Hr. unfold related in Hq. apply orb_true_iff in Hq.
    destruct Hq as [Hq | Hq]; [apply orb_true_iff in Hq; destruct Hq as [Hq | Hq] |].
    + destruct (in_dec met_dec (q, v) R) as [Hin |]; [| discriminate].
      specialize (Hm _ Hin). unfold met_ok in Hm. simpl in Hm.
      destruct (accepting q); [| reflexivity]. exfalso.
      assert (Hw : within v S = true).
      { destruct v; try discriminate; apply andb_true_iff in Hm; destruct Hm as [Hm _]; exact Hm. }
      apply within_true in Hw. exact (settled_never S Hset _ Hw Hr).
    + apply within_true in Hq. exfalso. exact (settled_never S Hset _ Hq Hr).
    + destruct v; try discriminate. apply never_accepts. exact Hq.
Qed.

End Condition.

End Conditions.
