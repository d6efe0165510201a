(* What variables are known to hold (ALGORITHM.md 4.13).

   A graph may say more of a pair than where data states may differ: something
   that is known of both of them. A step may use it, must bring it, and may say
   that an operation cannot be executed. Then the graph has the soundness property
   as before. Equations between a variable and a term of its own program are such
   knowledge: how they come and go is proved here, and what they are good for. *)

From Coq Require Import List Bool.
Import ListNotations.
From DiffDP Require Import Semantics Local.

Section Facts.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk}.

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

Notation start := (start P P').
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

End Facts.

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
