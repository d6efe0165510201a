(* Graphs that are right edge by edge.

   If every edge of a graph is a step that the original can answer, and no edge
   of the modified program is missing where the graph goes on, the graph has the
   soundness property. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics.

(* What an analysis says about operations: the objects an assignment may write
   (adef), those it certainly overwrites as a whole (akill), those its outcome
   depends on (ause, cuse), and those that may differ initially (V0). *)
Class Effects {Lang : Language} := {
  adef : asg -> vset;
  akill : asg -> vset;
  ause : asg -> vset;
  cuse : asm -> vset;
  V0 : vset }.

Section Meaning.

Context {Lang : Language} {Eff : Effects}.

(* b of the original means the same as a of the modified program: if the two
   states agree on use, b can be executed such that all variables of kill get
   the values that a gave them, and all other variables that agreed agree still
   (a weak update writes or keeps them). *)
Definition same_meaning (a b : asg) : Prop :=
  (forall x, In x (adef b) -> In x (adef a)) /\
  forall c c' c1', (forall x, In x (ause a) -> c x = c' x) -> asem a c' c1' ->
  exists c1, asem b c c1 /\
    (forall x, In x (akill a) -> c1 x = c1' x) /\
    (forall x, c x = c' x -> c1 x = c1' x).

End Meaning.

(* What has to be true of the analysis: an assignment changes nothing outside
   def, an assume depends on use only, and every initial state of the modified
   program has one of the original that agrees outside V0. *)
Class EffectsOk {Lang : Language} {Eff : Effects} : Prop := {
  asem_frame : forall a c c1 x, asem a c c1 -> ~ In x (adef a) -> c1 x = c x;
  csem_dep : forall p c c',
    (forall x, In x (cuse p) -> c x = c' x) -> csem p c -> csem p c';
  init_agree : forall c', exists c, init_rel c c' /\ agree V0 c c' }.

(* No assignment blocks. The checker of certificates does without. *)
Class Total {Lang : Language} : Prop := { asem_total : forall a c, exists c1, asem a c c1 }.

Section Locally.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk}.

(* From l, with data states equal outside V, the original can answer the
   operation o of the modified program by some execution that ends in k; the
   data states then agree outside W, unless the original has failed. *)
Definition sim (P : prog) (V : vset) (l : loc P) (o : op) (k : loc P) (W : vset) : Prop :=
  forall c c' c1', agree V c c' -> exec o c' c1' ->
  exists c1, steps P l c k c1 /\ (k = err P \/ agree W c1 c1').

Inductive node (L' L : Type) :=
| Pair (l' : L') (l : L)
| Bad (l' : L') (l : L) (o : op)                (* indicator *)
| Leaf (l' : L') (l : L) (o : op).              (* nothing to be found here *)
Arguments Pair {L' L}. Arguments Bad {L' L}. Arguments Leaf {L' L}.

Definition starts (V : option vset) : Prop :=
  match V with Some U => subset V0 U = true | None => False end.

Definition table (P P' : prog) := loc P' -> loc P -> option vset.

Lemma agree_subset : forall V W c c', subset V W = true -> agree V c c' -> agree W c c'.
Proof.
  intros V W c c' H A x Hx. apply A. intro HV. apply Hx.
  unfold subset in H. rewrite forallb_forall in H. specialize (H x HV).
  unfold mem in H. destruct (in_dec var_dec x W); [assumption | discriminate].
Qed.

(* Graphs whose pairs say, beside where data states may differ, something that is
   known of both of them: a step may use it, must bring it, and it may say that an
   operation cannot be executed. *)
Section Knowing.

Variables P P' : prog.
Variable T : table P P'.
Notation nd := (node (loc P') (loc P)).
Variable R : nd -> Prop.
Variable E : nd -> op -> nd -> Prop.

(* what is known of the data states of the original and of the modified program *)
Variable K : loc P' -> loc P -> state -> state -> Prop.

(* what one edge of the graph may be; an edge to an indicator is always allowed *)
Inductive allowed_knowing : nd -> op -> nd -> Prop :=
| ak_bad : forall l' l o a b x, R (Bad a b x) -> allowed_knowing (Pair l' l) o (Bad a b x)
| ak_leaf : forall l' l o s' a b x,
    edge P' l' o s' -> ~ creach P' s' (err P') ->
    allowed_knowing (Pair l' l) o (Leaf a b x)
| ak_impossible : forall l' l o V a b x,
    T l' l = Some V ->
    (forall c c' c1', agree V c c' -> K l' l c c' -> ~ exec o c' c1') ->
    allowed_knowing (Pair l' l) o (Leaf a b x)
| ak_pair : forall l' l o s' s V V1,
    T l' l = Some V ->
    edge P' l' o s' ->
    (forall c c' c1', agree V c c' -> K l' l c c' -> exec o c' c1' ->
      exists c1, steps P l c s c1 /\ (s = err P \/ agree V1 c1 c1' /\ K s' s c1 c1')) ->
    T s' s = Some V1 ->
    s' <> err P' \/ s = err P ->
    allowed_knowing (Pair l' l) o (Pair s' s).

Definition start : nd := Pair (init P') (init P).
Notation G := (Graph nd start R E).

Record knowing_ok : Prop := {
  ko_start : (R start /\ forall o m, ~ E start o m) \/
    (starts (T (init P') (init P)) /\ (init P' <> err P' \/ init P = err P) /\
     forall c c', init_rel c c' -> K (init P') (init P) c c');
  ko_edge : forall n o m, E n o m -> allowed_knowing n o m;
  ko_total : forall w l' l, run E start w (Pair l' l) ->
    R (Pair l' l) \/ l = err P \/
    forall o s', edge P' l' o s' -> exists m, E (Pair l' l) o m }.

Hypothesis Hdet : det P'.
Hypothesis Hok : knowing_ok.

Section One.
Variable c0 : state.
Hypothesis nofail : ~ exists r0, bug_path P c0 r0.

Lemma knowing_nofail : forall l c, steps P (init P) c0 l c -> l <> err P.
Proof.
  intros l c S H. apply nofail. destruct (steps_bug _ _ _ _ _ S H) as (r & Hr).
  exists r. exact Hr.
Qed.

Definition known_inv (l' : loc P') (l : loc P) (c' : state) : Prop :=
  exists V c, T l' l = Some V /\ steps P (init P) c0 l c /\ agree V c c' /\ K l' l c c' /\ l' <> err P'.

Lemma knowing_step : forall l' l c' o l1 c1 r m,
  known_inv l' l c' -> edge P' l' o l1 -> exec o c' c1 ->
  path P' l1 c1 r -> violating P' l1 r ->
  E (Pair l' l) o m ->
  (exists s, m = Pair l1 s /\ known_inv l1 s c1) \/ (exists a b x, m = Bad a b x /\ R m).
Proof.
  intros l' l c' o l1 c1 r m (V & c & HT & HS & HA & HK & Hne) He Hx Hp Hv Hm.
  pose proof (ko_edge Hok _ _ _ Hm) as Hal.
  inversion Hal as [? ? ? a b x HR | ? ? ? s' a b x He2 Hnr
                   | ? ? ? V2 a b x HT2 Hno
                   | ? ? ? s' s V2 V1 HT2 He2 Hsim HT1 Herr]; subst.
  - right. do 3 eexists. split; [reflexivity | assumption].
  - exfalso. apply Hnr. rewrite (det_label _ Hdet _ _ _ _ _ _ He2 He Hx).
    eapply violating_creach; eassumption.
  - exfalso. rewrite HT in HT2. injection HT2 as <-. exact (Hno _ _ _ HA HK Hx).
  - left. exists s.
    pose proof (det_label _ Hdet _ _ _ _ _ _ He2 He Hx) as ->.
    rewrite HT in HT2. injection HT2 as <-.
    destruct (Hsim c c' c1 HA HK Hx) as (d & Hd & Hag).
    assert (HSd : steps P (init P) c0 s d) by (eapply steps_trans; eassumption).
    pose proof (knowing_nofail _ _ HSd) as Hnf.
    split; [reflexivity |].
    destruct Hag as [Hag | [Hag HK1]]; [contradiction |].
    exists V1, d. repeat split; try assumption.
    destruct Herr as [H9 | H9]; [exact H9 | contradiction].
Qed.

Lemma knowing_extend : forall r l' l c' w0,
  path P' l' c' r -> violating P' l' r ->
  run E start w0 (Pair l' l) -> known_inv l' l c' ->
  forall u v n, ops r = u ++ v -> run E (Pair l' l) u n -> can_reach G n.
Proof.
  induction r as [| s r IH]; intros l' l c' w0 Hp Hv Hr Hi u v n Hw Hrun.
  - exfalso. destruct Hi as (? & ? & ? & ? & ? & ? & Hne).
    destruct Hv as [Hv | Hv]; [contradiction | inversion Hv].
  - inversion Hp as [| ? ? o l1 c1 ? He Hx Hp1]; subst.
    assert (Hne : l' <> err P') by (destruct Hi as (? & ? & ? & ? & ? & ? & Hne); exact Hne).
    assert (Hv1 : violating P' l1 r) by (exact (violating_tail _ _ _ _ Hv Hne)).
    destruct u as [| o1 u].
    + inversion Hrun; subst.
      destruct (ko_total Hok _ _ _ Hr) as [HR | [Hl | Ht]].
      * exists [], (Pair l' l). split; [constructor | exact HR].
      * exfalso. destruct Hi as (? & ? & ? & HS & ?). exact (knowing_nofail _ _ HS Hl).
      * destruct (Ht _ _ He) as (m & Hm).
        destruct (knowing_step _ _ _ _ _ _ _ _ Hi He Hx Hp1 Hv1 Hm)
          as [(s & -> & Hi1) | (a & b & x & -> & HR)].
        -- assert (Hr1 : run E start (w0 ++ [o]) (Pair l1 s)) by (eapply run_snoc; eassumption).
           destruct (IH _ _ _ _ Hp1 Hv1 Hr1 Hi1 [] (ops r) (Pair l1 s) eq_refl (run_nil _ _))
             as (w & q & Hrw & Hq).
           exists (o :: w), q. split; [econstructor; eassumption | exact Hq].
        -- exists [o], (Bad a b x). split; [| exact HR].
           econstructor; [exact Hm | constructor].
    + simpl in Hw. injection Hw as Ho Hw. unfold top in Ho. simpl in Ho. subst o1.
      inversion Hrun as [| ? ? m ? ? Hm Hrun1]; subst.
      destruct (knowing_step _ _ _ _ _ _ _ _ Hi He Hx Hp1 Hv1 Hm)
        as [(s & -> & Hi1) | (a & b & x & -> & HR)].
      * assert (Hr1 : run E start (w0 ++ [o]) (Pair l1 s)) by (eapply run_snoc; eassumption).
        eapply IH; eassumption.
      * inversion Hrun1 as [| ? ? m2 ? ? Hm2 ?]; subst.
        -- exists [], (Bad a b x). split; [constructor | exact HR].
        -- apply (ko_edge Hok) in Hm2. inversion Hm2.
Qed.

End One.

Theorem knowing_sound : diff_graph P P' G.
Proof.
  intros c0 r [[Hp Hv] Hreg] u v n Hw Hrun.
  destruct (init_agree c0) as (d0 & HI & HA).
  assert (Hnf : ~ exists r0, bug_path P d0 r0).
  { intros (r0 & H0). apply Hreg. exists d0, r0. auto. }
  destruct (ko_start Hok) as [[HR Hno] | (HV & Hne & HK)].
  - inversion Hrun; subst; [| exfalso; eapply Hno; eassumption].
    exists [], start. split; [constructor | exact HR].
  - destruct (T (init P') (init P)) as [V |] eqn:HT; [| contradiction]. simpl in HV.
    eapply (knowing_extend d0 Hnf r (init P') (init P) c0 []); try eassumption.
    + constructor.
    + exists V, d0.
      refine (conj HT (conj (steps_refl _ _ _) (conj (agree_subset _ _ _ _ HV HA) (conj (HK _ _ HI) _)))).
      destruct Hne as [Hne | Hne]; [exact Hne |].
      exfalso. exact (knowing_nofail d0 Hnf _ _ (steps_refl P (init P) d0) Hne).
Qed.

Corollary knowing_covers_no_regression :
  forall c0 r, reg P P' c0 r -> ~ covers (alg1 G) (ops r).
Proof. intros. eapply alg1_sound; [exact knowing_sound | eassumption]. Qed.

End Knowing.

Section Local.

Variables P P' : prog.
Variable T : table P P'.
Notation nd := (node (loc P') (loc P)).
Variable R : nd -> Prop.
Variable E : nd -> op -> nd -> Prop.

(* what one edge of the graph may be; an edge to an indicator is always allowed *)
Inductive allowed : nd -> op -> nd -> Prop :=
| al_bad : forall l' l o a b x, R (Bad a b x) -> allowed (Pair l' l) o (Bad a b x)
| al_leaf : forall l' l o s' a b x,
    edge P' l' o s' -> ~ creach P' s' (err P') ->
    allowed (Pair l' l) o (Leaf a b x)
| al_pair : forall l' l o s' s V W V1,
    T l' l = Some V ->
    edge P' l' o s' ->
    sim P V l o s W ->
    T s' s = Some V1 -> subset W V1 = true ->
    s' <> err P' \/ s = err P ->
    allowed (Pair l' l) o (Pair s' s).

Notation start := (start P P').
Definition G : graph := Graph nd start R E.

Record local_ok : Prop := {
  lo_start : (R start /\ forall o m, ~ E start o m) \/
    (starts (T (init P') (init P)) /\ (init P' <> err P' \/ init P = err P));
  lo_edge : forall n o m, E n o m -> allowed n o m;
  lo_total : forall w l' l, run E start w (Pair l' l) ->
    R (Pair l' l) \/ l = err P \/
    forall o s', edge P' l' o s' -> exists m, E (Pair l' l) o m }.

Hypothesis Hdet : det P'.
Hypothesis Hok : local_ok.

(* Nothing more is known. *)
Theorem local_sound : diff_graph P P' G.
Proof.
  apply (knowing_sound P P' T R E (fun _ _ _ _ => True) Hdet). split.
  - destruct (lo_start Hok) as [H | [HV Hne]]; [left; exact H | right; auto].
  - intros n o m Hm. destruct (lo_edge Hok _ _ _ Hm) as [| | l' l o s' s V W V1 HT He Hsim HT1 Hsub Herr].
    + apply ak_bad. assumption.
    + eapply ak_leaf; eassumption.
    + eapply ak_pair; try eassumption. intros c c' c1' HA _ Hx.
      destruct (Hsim c c' c1' HA Hx) as (c1 & Hs & H). exists c1. split; [exact Hs |].
      destruct H as [H | H]; [left; exact H | right; split; [eapply agree_subset; eassumption | exact I]].
  - exact (lo_total Hok).
Qed.

Corollary local_covers_no_regression :
  forall c0 r, reg P P' c0 r -> ~ covers (alg1 G) (ops r).
Proof. intros. eapply alg1_sound; [exact local_sound | eassumption]. Qed.

End Local.
End Locally.

Arguments Pair {Lang L' L}. Arguments Bad {Lang L' L}. Arguments Leaf {Lang L' L}.
