(* The work list: whenever the loop is stopped, its table is good for emission. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules.

Section Loop.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Tot : Total} {Tst : Tests} {TstOk : TestsOk} {Tsk : Task} {TskOk : TaskOk}.

Notation P := (to_prog F).
Notation P' := (to_prog F').

Definition pair := (floc F' * floc F)%type.
Definition wstate := (table P P' * list pair)%type.

Definition pair_dec (p q : pair) : {p = q} + {p <> q}.
Proof. decide equality; [apply (fdec F) | apply (fdec F')]. Defined.

Definition put (T : table P P') (a : floc F') (b : floc F) (V : vset) : table P P' :=
  fun (x : floc F') (y : floc F) => if pair_dec (x, y) (a, b) then Some V else T x y.

Definition add (p : pair) (w : list pair) := if in_dec pair_dec p w then w else p :: w.
Definition drop (p : pair) (w : list pair) := filter (fun q => if pair_dec p q then false else true) w.

Definition upd (s' : floc F') (s : floc F) (W : vset) (st : wstate) : wstate :=
  let (T, w) := st in
  let w1 := if eqb s (ferr F) then w else add (s', s) w in
  match T s' s with
  | None => (put T s' s W, w1)
  | Some V1 => if subset W V1 then (T, w) else (put T s' s (union V1 W), w1)
  end.

Definition visit1 (l : floc F) (V : vset) (st : wstate) (e : op * floc F') : wstate :=
  match decide l V (fst e) (snd e) with
  | OPair s W => upd (snd e) s W st
  | _ => st
  end.

Definition visit (l : floc F) (V : vset) (es : list (op * floc F')) (st : wstate) : wstate :=
  fold_left (visit1 l V) es st.

(* All states the loop can be found in: any pair of the wait list may be taken;
   an expansion cut short after some edges puts its pair back. *)
Inductive wreach : wstate -> Prop :=
| w_init : wreach (put (fun _ _ => None) (finit F') (finit F) V0, [(finit F', finit F)])
| w_visit : forall T w l' l V es rest T2 w2,
    wreach (T, w) -> In (l', l) w -> T l' l = Some V ->
    fedges F' l' = es ++ rest ->
    visit l V es (T, drop (l', l) w) = (T2, w2) ->
    wreach (T2, match rest with [] => w2 | _ => (l', l) :: w2 end).

Definition closed (T : table P P') (l : floc F) (V : vset) (e : op * floc F') : Prop :=
  forall s W, decide l V (fst e) (snd e) = OPair s W ->
  exists V1, T (snd e) s = Some V1 /\ subset W V1 = true.

Definition winv (st : wstate) : Prop :=
  starts (fst st (finit F') (finit F)) /\
  forall l' l V, fst st l' l = Some V -> ~ In (l', l) (snd st) -> l <> ferr F ->
  forall e, In e (fedges F' l') -> closed (fst st) l V e.

Definition grows (T T2 : table P P') : Prop :=
  forall a b V, T a b = Some V ->
  exists V2, T2 a b = Some V2 /\ forall x, In x V -> In x V2.

Lemma grows_refl : forall T, grows T T.
Proof. intros T a b V H. exists V. auto. Qed.

Lemma put_same : forall T a b V, put T a b V a b = Some V.
Proof.
  intros. unfold put. destruct (pair_dec (a, b) (a, b)) as [_ | H]; [reflexivity |].
  exfalso. apply H. reflexivity.
Qed.

Lemma put_other : forall T a b V x y, (x, y) <> (a, b) -> put T a b V x y = T x y.
Proof.
  intros T a b V x y Hne. unfold put.
  destruct (pair_dec (x, y) (a, b)) as [H | _]; [contradiction | reflexivity].
Qed.

Lemma in_add : forall p q w, In q w \/ q = p -> In q (add p w).
Proof.
  intros p q w H. unfold add. destruct (in_dec pair_dec p w).
  - destruct H; subst; assumption.
  - destruct H; [right | left]; auto.
Qed.

Lemma in_drop : forall p q w, In q (drop p w) <-> In q w /\ q <> p.
Proof.
  intros p q w. unfold drop. rewrite filter_In.
  destruct (pair_dec p q); intuition congruence.
Qed.

Lemma upd_spec : forall s' s W T w T2 w2, upd s' s W (T, w) = (T2, w2) ->
  grows T T2 /\
  (forall p, In p w -> In p w2) /\
  (exists V1, T2 s' s = Some V1 /\ subset W V1 = true) /\
  (forall a b, b <> ferr F -> ~ In (a, b) w2 -> T2 a b = T a b).
Proof.
  intros s' s W T w T2 w2. unfold upd.
  set (w1 := if eqb s (ferr F) then w else add (s', s) w).
  assert (Hw1 : forall p, In p w -> In p w1).
  { intros p Hp. unfold w1. destruct (eqb s (ferr F)); [exact Hp | apply in_add; auto]. }
  assert (Hin : s <> ferr F -> In (s', s) w1).
  { intro Hs. unfold w1. destruct (eqb s (ferr F)) eqn:He; [| apply in_add; auto].
    apply eqb_true in He. contradiction. }
  assert (Hoth : forall V a b, b <> ferr F -> ~ In (a, b) w1 -> put T s' s V a b = T a b).
  { intros V a b Hb Hn. apply put_other. intro Heq. injection Heq as -> ->. auto. }
  destruct (T s' s) as [V1 |] eqn:HT.
  - destruct (subset W V1) eqn:Hs; intro H; injection H as <- <-.
    + split; [apply grows_refl |]. split; [auto |]. split; [eauto | auto].
    + split; [| split; [exact Hw1 |]; split; [| apply Hoth]].
      * intros a b V HV. destruct (pair_dec (a, b) (s', s)) as [Heq | Hne].
        -- injection Heq as -> ->. rewrite put_same. exists (union V1 W).
           split; [reflexivity |]. intros x Hx. apply in_union. left. congruence.
        -- rewrite put_other by exact Hne. eauto.
      * exists (union V1 W). split; [apply put_same |].
        apply subset_spec. intros x Hx. apply in_union. auto.
  - intro H; injection H as <- <-.
    split; [| split; [exact Hw1 |]; split; [| apply Hoth]].
    + intros a b V HV. rewrite put_other; [eauto |].
      intro Heq. injection Heq as -> ->. congruence.
    + exists W. split; [apply put_same |]. apply subset_spec. auto.
Qed.

Lemma starts_grows : forall T T2, grows T T2 ->
  starts (T (finit F') (finit F)) -> starts (T2 (finit F') (finit F)).
Proof.
  intros T T2 Hg Hs. destruct (T (finit F') (finit F)) as [V |] eqn:HT; [| contradiction].
  destruct (Hg _ _ _ HT) as (V2 & -> & Hi). simpl in *.
  rewrite subset_spec in *. auto.
Qed.

Lemma closed_grows : forall T T2 l V e, grows T T2 -> closed T l V e -> closed T2 l V e.
Proof.
  intros T T2 l V e Hg Hc s W Hd. destruct (Hc s W Hd) as (V1 & HV & Hs).
  destruct (Hg _ _ _ HV) as (V2 & HV2 & Hi). exists V2. split; [exact HV2 |].
  rewrite subset_spec in *. auto.
Qed.

(* while (l', l) with entry V is being expanded, `done` of its edges treated *)
Definition midinv (l' : floc F') (l : floc F) (V : vset) (done : list (op * floc F')) (st : wstate) : Prop :=
  starts (fst st (finit F') (finit F)) /\
  (forall a b U, fst st a b = Some U -> ~ In (a, b) (snd st) -> b <> ferr F ->
   (a, b) <> (l', l) -> forall e, In e (fedges F' a) -> closed (fst st) b U e) /\
  (l <> ferr F -> ~ In (l', l) (snd st) ->
   fst st l' l = Some V /\ forall e, In e done -> closed (fst st) l V e).

Lemma visit1_mid : forall l' l V done st e,
  midinv l' l V done st -> midinv l' l V (done ++ [e]) (visit1 l V st e).
Proof.
  intros l' l V done [T w] e (Hs & Ho & Hm). unfold visit1.
  destruct (decide l V (fst e) (snd e)) as [| | s W] eqn:Hd.
  1, 2: split; [exact Hs |]; split; [exact Ho |];
    intros Hl Hn; destruct (Hm Hl Hn) as [HT Hdone]; split; [exact HT |];
    intros f Hf; apply in_app_iff in Hf; destruct Hf as [Hf | [<- | []]]; [auto |];
    intros s W Hc; congruence.
  destruct (upd (snd e) s W (T, w)) as [T2 w2] eqn:Hu.
  destruct (upd_spec _ _ _ _ _ _ _ Hu) as (Hg & Hw & Hnew & Hoth).
  unfold midinv. simpl in *. split; [| split].
  - exact (starts_grows _ _ Hg Hs).
  - intros a b U HU Hn Hb Hne f Hf. eapply closed_grows; [exact Hg |].
    rewrite (Hoth _ _ Hb Hn) in HU. eapply Ho; eauto.
  - intros Hl Hn. assert (Hn0 : ~ In (l', l) w) by auto.
    destruct (Hm Hl Hn0) as [HT Hdone].
    split; [rewrite (Hoth _ _ Hl Hn); exact HT |].
    intros f Hf. apply in_app_iff in Hf. destruct Hf as [Hf | [<- | []]].
    + eapply closed_grows; [exact Hg | auto].
    + intros s1 W1 Hd1. rewrite Hd in Hd1. injection Hd1 as <- <-. exact Hnew.
Qed.

Lemma visit_mid : forall l' l V es done st,
  midinv l' l V done st -> midinv l' l V (done ++ es) (visit l V es st).
Proof.
  intros l' l V es. induction es as [| e es IH]; intros done st H; simpl.
  - rewrite app_nil_r. exact H.
  - replace (done ++ e :: es) with ((done ++ [e]) ++ es) by (rewrite <- app_assoc; reflexivity).
    apply IH. apply visit1_mid. exact H.
Qed.

Theorem wreach_inv : forall st, wreach st -> winv st.
Proof.
  intros st H. induction H as [| T w l' l V es rest T2 w2 Hr IH Hin HT He Hv].
  - split; simpl.
    + rewrite put_same. simpl. apply subset_spec. auto.
    + intros l' l V HT Hn. exfalso. apply Hn. left.
      destruct (pair_dec (l', l) (finit F', finit F)) as [Heq | Hne]; [auto |].
      rewrite put_other in HT by exact Hne. discriminate.
  - destruct IH as [Hs IH].
    assert (Hmid : midinv l' l V [] (T, drop (l', l) w)).
    { split; [exact Hs |]. split; simpl.
      - intros a b U HU Hn Hb Hne. apply IH; [exact HU | | exact Hb].
        intro Hi. apply Hn. apply in_drop. auto.
      - intros _ _. split; [exact HT | intros e []]. }
    apply (visit_mid l' l V es) in Hmid. rewrite Hv in Hmid. simpl in Hmid.
    destruct Hmid as (Hs2 & Ho & Hm). simpl in *.
    split; [exact Hs2 |]. simpl. intros a b U HU Hn Hb e Hein.
    destruct (pair_dec (a, b) (l', l)) as [Heq | Hne].
    + injection Heq as -> ->. destruct rest as [| f rest].
      * rewrite app_nil_r in He. destruct (Hm Hb Hn) as [HT2 Hdone].
        rewrite HU in HT2. injection HT2 as ->. apply Hdone. rewrite <- He. exact Hein.
      * exfalso. apply Hn. left. reflexivity.
    + apply (Ho a b U); auto. intro Hi. apply Hn. destruct rest; [exact Hi | right; exact Hi].
Qed.

Definition waiting (w : list pair) (l' : floc F') (l : floc F) : bool :=
  if in_dec pair_dec (l', l) w then true else false.

Lemma waiting_false : forall w (l' : floc F') (l : floc F),
  waiting w l' l = false -> ~ In (l', l) w.
Proof.
  intros w l' l. unfold waiting. destruct (in_dec pair_dec (l', l) w); [discriminate | auto].
Qed.

Lemma wreach_post : forall T w, wreach (T, w) -> post_fixpoint T (waiting w).
Proof.
  intros T w Hr. destruct (wreach_inv _ Hr) as [_ Hi]. simpl in Hi.
  intros l' l V HT Hh Hl o s' s W V1 Hin Hd HT1 _.
  pose proof (waiting_false _ _ _ Hh) as Hn.
  destruct (Hi _ _ _ HT Hn Hl _ Hin _ _ Hd) as (V2 & HV2 & Hsub).
  simpl in HV2. rewrite HT1 in HV2. injection HV2 as <-. exact Hsub.
Qed.

(* Without checked emission: stop the loop at any moment, also inside an
   expansion; the pairs of the wait list are indicators. An empty wait list is
   the complete run. *)
Theorem interrupted_sound : forall T w, det P' -> wreach (T, w) ->
  forall c0 r, reg P P' c0 r ->
  ~ covers (alg1 (two_phase false T (waiting w))) (ops r).
Proof.
  intros T w D Hr c0 r. destruct (wreach_inv _ Hr) as [Hs _].
  apply two_phase_sound; [exact D | exact Hs | right; exact (wreach_post T w Hr)].
Qed.

(* the complete run *)
Corollary complete_sound : forall T, det P' -> wreach (T, []) ->
  forall c0 r, reg P P' c0 r -> ~ covers (alg1 (two_phase false T no_hold)) (ops r).
Proof. intros T D Hr. exact (interrupted_sound T [] D Hr). Qed.

End Loop.
