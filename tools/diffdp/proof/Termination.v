(* The loop as a function, and that it ends. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Loop.

Section Ends.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Tot : Total} {Tst : Tests} {TstOk : TestsOk} {Tsk : Task} {TskOk : TaskOk}.

Notation P := (to_prog F).
Notation P' := (to_prog F').

Fixpoint loop (n : nat) (st : wstate) : wstate :=
  match n with
  | 0 => st
  | S n =>
    let (T, w) := st in
    match w with
    | [] => st
    | (l', l) :: _ =>
      match T l' l with
      | None => st
      | Some V => loop n (visit l V (fedges F' l') (T, drop (l', l) w))
      end
    end
  end.

Definition wstart : wstate := (put (fun _ _ => None) (finit F') (finit F) V0, [(finit F', finit F)]).

Lemma loop_wreach : forall n st, wreach st -> wreach (loop n st).
Proof.
  induction n as [| n IH]; simpl; intros [T w] H; [exact H |].
  destruct w as [| [l' l] w]; [exact H |].
  destruct (T l' l) as [V |] eqn:HT; [| exact H].
  apply IH.
  destruct (visit l V (fedges F' l') (T, drop (l', l) ((l', l) :: w))) as [T2 w2] eqn:Hv.
  assert (He : fedges F' l' = fedges F' l' ++ []) by (rewrite app_nil_r; reflexivity).
  pose proof (w_visit T ((l', l) :: w) l' l V (fedges F' l') [] T2 w2 H (or_introl eq_refl) HT He Hv) as X.
  simpl in X. rewrite <- Hv in X. exact X.
Qed.

(* The loop ends: finitely many locations and variables, and an expansion that
   changes an entry makes it larger. *)
Section Termination.

Variable LS' : list (floc F').
Variable LS : list (floc F).
Variable VS : vset.
Hypothesis in_init' : In (finit F') LS'.
Hypothesis in_init : In (finit F) LS.
Hypothesis in_V0 : forall x, In x V0 -> In x VS.
Hypothesis in_edge' : forall l o t, In (o, t) (fedges F' l) -> In t LS'.
Hypothesis in_edge : forall l o t, In (o, t) (fedges F l) -> In t LS.
Hypothesis in_def' : forall l a t x, In (Asg a, t) (fedges F' l) -> In x (adef a) -> In x VS.
Hypothesis in_def : forall l a t x, In (Asg a, t) (fedges F l) -> In x (adef a) -> In x VS.

Definition within (V : vset) : Prop := forall x, In x V -> In x VS.

Lemma within_union : forall V W, within V -> within W -> within (union V W).
Proof. intros V W HV HW x Hx. apply in_union in Hx. destruct Hx; auto. Qed.

Lemma within_diff : forall V W, within V -> within (diff V W).
Proof. intros V W HV x Hx. apply in_diff in Hx. destruct Hx; auto. Qed.

Lemma walkf_in : forall n seen l W k W1, walkf n seen l W = (k, W1) ->
  In l LS -> within W -> In k LS /\ within W1.
Proof.
  induction n as [| n IH]; simpl; intros seen l W k W1 H Hl HW.
  - injection H as <- <-. auto.
  - destruct (eqb l (ferr F)); [injection H as <- <-; auto |].
    destruct (single_asg l) as [[b t] |] eqn:Hs; [| injection H as <- <-; auto].
    destruct (in_dec (fdec F) l seen); [injection H as <- <-; auto |].
    apply single_asg_edge in Hs. eapply IH; [exact H | eapply in_edge; exact Hs |].
    apply within_union; [exact HW |]. intros x Hx. eapply in_def; eassumption.
Qed.

Lemma rule_in : forall l V o s W, rule l V o = Some (s, W) -> In l LS -> within V ->
  (forall a x, o = Asg a -> In x (adef a) -> In x VS) -> In s LS /\ within W.
Proof.
  intros l V [a | p] s W H Hl HV Hd; simpl in H.
  - assert (Ha : within (adef a)) by (intros x Hx; eapply Hd; eauto).
    destruct (find_asg (fedges F l) a) as [t |] eqn:Hf.
    + apply find_asg_edge in Hf. destruct Hf as (b & Hf & _). injection H as <- <-.
      split; [eapply in_edge; exact Hf |].
      destruct (disjoint (ause a) V); [apply within_diff | apply within_union]; assumption.
    + destruct (if f_fn4 fl then single_asg l else None) as [[b t] |] eqn:Hs.
      * destruct (f_fn4 fl); [| discriminate]. apply single_asg_edge in Hs.
        destruct (subset (adef b) (adef a) && subset (adef a) (adef b)); injection H as <- <-.
        -- split; [eapply in_edge; exact Hs |].
           destruct (f_sem fl && sem_asg V a b); [apply within_diff | apply within_union]; assumption.
        -- split; [exact Hl | apply within_union; assumption].
      * injection H as <- <-. split; [exact Hl | apply within_union; assumption].
  - destruct (walkf fuel [] l V) as [k W1] eqn:Hw.
    destruct (walkf_in _ _ _ _ _ _ Hw Hl HV) as [Hk HW1].
    destruct (if f_sem fl && negb (eqb k (ferr F)) then _ else _) as [[q t] |] eqn:Hq.
    { injection H as <- <-. split; [| exact HW1].
      destruct (f_sem fl && negb (eqb k (ferr F))); [| discriminate].
      apply find_asm_edge in Hq. destruct Hq as [He _]. eapply in_edge; exact He. }
    destruct (if eqb k (ferr F) then None else find_match k p) as [[q t] |] eqn:Hm.
    + destruct (eqb k (ferr F)); [discriminate |].
      apply find_match_spec in Hm. destruct Hm as [He _].
      destruct (if f_either fl then _ else _).
      * injection H as <- <-. split; [eapply in_edge; exact He | exact HW1].
      * destruct (f_lazy fl); [| discriminate]. injection H as <- <-. auto.
    + injection H as <- <-. auto.
Qed.

Lemma decide_in : forall l V e s W, decide l V (fst e) (snd e) = OPair s W ->
  In l LS -> within V ->
  (forall a x, fst e = Asg a -> In x (adef a) -> In x VS) -> In s LS /\ within W.
Proof.
  intros l V [o s'] s W. simpl. unfold decide.
  destruct (rule l V o) as [[t U] |] eqn:Hr; [| discriminate].
  intros H Hl HV Hd. destruct (rule_in _ _ _ _ _ Hr Hl HV Hd) as [Ht HU].
  destruct (f_prune fl && negb (RM s')); [discriminate |].
  destruct (f_prune fl && negb (RP t)); [discriminate |].
  cbv zeta in H.
  set (k := if f_fn6 fl && eqb' s' (ferr F') then fst (walkf fuel [] t U) else t) in *.
  assert (Hk : In k LS).
  { unfold k. destruct (f_fn6 fl && eqb' s' (ferr F')); [| exact Ht].
    destruct (walkf fuel [] t U) as [k1 W1] eqn:Hw. exact (proj1 (walkf_in _ _ _ _ _ _ Hw Ht HU)). }
  destruct (eqb k (ferr F)); destruct (eqb' s' (ferr F') && _); try discriminate;
    injection H as <- <-; auto.
Qed.

Definition pot (T : table P P') (p : pair) : nat :=
  match T (fst p) (snd p) with
  | None => S (length VS)
  | Some V => length (filter (fun x => negb (mem x V)) VS)
  end.
Definition total (T : table P P') : nat := list_sum (map (pot T) (list_prod LS' LS)).
Definition mu (st : wstate) : nat := 2 * total (fst st) + length (snd st).

Definition good (st : wstate) : Prop :=
  (forall a b, In (a, b) (snd st) -> exists V, fst st a b = Some V) /\
  (forall a b V, fst st a b = Some V -> In a LS' /\ In b LS /\ within V).

Lemma filter_len : forall (f g : var -> bool) l,
  (forall x, f x = true -> g x = true) -> length (filter f l) <= length (filter g l).
Proof.
  intros f g l H. induction l as [| x l IH]; simpl; [lia |].
  destruct (f x) eqn:Hf; [rewrite (H x Hf); simpl; lia |]. destruct (g x); simpl; lia.
Qed.

Lemma filter_len_lt : forall (f g : var -> bool) l x,
  (forall y, f y = true -> g y = true) -> In x l -> f x = false -> g x = true ->
  length (filter f l) < length (filter g l).
Proof.
  intros f g l x H. induction l as [| y l IH]; simpl; intros Hin Hf Hg; [contradiction |].
  pose proof (filter_len f g l H) as Hle. destruct Hin as [-> | Hin].
  - rewrite Hf, Hg. simpl. lia.
  - specialize (IH Hin Hf Hg). destruct (f y) eqn:Hy; [rewrite (H y Hy); simpl; lia |].
    destruct (g y); simpl; lia.
Qed.

Lemma sum_le : forall (f g : pair -> nat) l, (forall p, f p <= g p) ->
  list_sum (map f l) <= list_sum (map g l).
Proof. intros f g l H. induction l as [| p l IH]; simpl; [lia |]. specialize (H p). lia. Qed.

Lemma sum_lt : forall (f g : pair -> nat) l q, (forall p, f p <= g p) -> In q l -> f q < g q ->
  list_sum (map f l) < list_sum (map g l).
Proof.
  intros f g l q H. induction l as [| p l IH]; simpl; intros Hin Hq; [contradiction |].
  pose proof (sum_le f g l H) as Hle. pose proof (H p) as Hp.
  destruct Hin as [-> | Hin]; [lia |]. specialize (IH Hin Hq). lia.
Qed.

Lemma put_total : forall T a b U, In a LS' -> In b LS ->
  (T a b = None /\ within U \/ exists V x, T a b = Some V /\ In x VS /\ ~ In x V /\ In x U /\
     forall y, In y V -> In y U) ->
  total (put T a b U) < total T.
Proof.
  intros T a b U Ha Hb Hcase.
  assert (Hpot : pot (put T a b U) (a, b) < pot T (a, b)).
  { unfold pot. simpl. rewrite put_same.
    destruct Hcase as [[-> _] | (V & x & -> & Hx & Hn & Hu & Hm)].
    - pose proof (filter_len (fun x => negb (mem x U)) (fun _ => true) VS (fun _ _ => eq_refl)) as H.
      replace (filter (fun _ : var => true) VS) with VS in H; [lia |].
      clear. induction VS as [| x l IH]; simpl; [reflexivity | rewrite <- IH; reflexivity].
    - apply filter_len_lt with (x := x); [| exact Hx | |].
      + intros y Hy. apply negb_true_iff in Hy. apply negb_true_iff.
        apply mem_false. apply mem_false in Hy. auto.
      + apply negb_false_iff. apply mem_true. exact Hu.
      + apply negb_true_iff. apply mem_false. exact Hn. }
  unfold total. apply sum_lt with (q := (a, b)); [| apply in_prod; assumption | exact Hpot].
  intros [c d]. destruct (pair_dec (c, d) (a, b)) as [Heq | Hne].
  - rewrite Heq. lia.
  - unfold pot. simpl. rewrite put_other by exact Hne. lia.
Qed.

Lemma not_subset : forall W V, subset W V = false -> exists x, In x W /\ ~ In x V.
Proof.
  intros W V. unfold subset. induction W as [| x W IH]; simpl; [discriminate |].
  destruct (mem x V) eqn:Hm; simpl; intro H.
  - destruct (IH H) as (y & Hy & Hn). eauto.
  - apply mem_false in Hm. eauto.
Qed.

Lemma add_length : forall p w, length (add p w) <= S (length w).
Proof. intros p w. unfold add. destruct (in_dec pair_dec p w); simpl; lia. Qed.

Lemma upd_good : forall s' s W st, good st -> In s' LS' -> In s LS -> within W ->
  good (upd s' s W st) /\ mu (upd s' s W st) <= mu st.
Proof.
  intros s' s W [T w] [Hw HT] Hs' Hs HW. unfold upd.
  set (w1 := if eqb s (ferr F) then w else add (s', s) w).
  assert (Hlen : length w1 <= S (length w)).
  { unfold w1. destruct (eqb s (ferr F)); [lia | apply add_length]. }
  assert (Hin : forall p, In p w1 -> In p w \/ p = (s', s)).
  { intros p. unfold w1. destruct (eqb s (ferr F)); [auto |]. unfold add.
    destruct (in_dec pair_dec (s', s) w); [auto |]. intros [H | H]; auto. }
  assert (Hput : forall U, within U -> good (put T s' s U, w1)).
  { intros U HU. split; simpl.
    - intros a b Hab. destruct (pair_dec (a, b) (s', s)) as [Heq | Hne].
      + injection Heq as -> ->. rewrite put_same. eauto.
      + rewrite put_other by exact Hne. destruct (Hin _ Hab) as [Hi | Hi]; [auto | contradiction].
    - intros a b V. destruct (pair_dec (a, b) (s', s)) as [Heq | Hne].
      + injection Heq as -> ->. rewrite put_same. intro H. injection H as <-. auto.
      + rewrite put_other by exact Hne. apply HT. }
  destruct (T s' s) as [V1 |] eqn:HV1.
  - destruct (subset W V1) eqn:Hsub; [split; [split; assumption | lia] |].
    destruct (HT _ _ _ HV1) as (_ & _ & HV1in).
    assert (HU : within (union V1 W)) by (apply within_union; assumption).
    split; [apply Hput; exact HU |].
    destruct (not_subset _ _ Hsub) as (x & Hx & Hn).
    assert (Hlt : total (put T s' s (union V1 W)) < total T).
    { apply put_total; [exact Hs' | exact Hs | right]. exists V1, x.
      split; [exact HV1 |]. split; [auto |]. split; [exact Hn |].
      split; [apply in_union; auto |]. intros y Hy. apply in_union. auto. }
    unfold mu. cbn [fst snd]. lia.
  - split; [apply Hput; exact HW |].
    assert (Hlt : total (put T s' s W) < total T) by (apply put_total; auto).
    unfold mu. cbn [fst snd]. lia.
Qed.

Lemma visit_good : forall l V es st, good st -> In l LS -> within V ->
  (forall e, In e es -> In (snd e) LS' /\ forall a x, fst e = Asg a -> In x (adef a) -> In x VS) ->
  good (visit l V es st) /\ mu (visit l V es st) <= mu st.
Proof.
  intros l V es. induction es as [| e es IH]; intros st Hg Hl HV He; simpl; [split; [exact Hg | lia] |].
  destruct (He e (or_introl eq_refl)) as [Hs' Hd].
  assert (H1 : good (visit1 l V st e) /\ mu (visit1 l V st e) <= mu st).
  { unfold visit1. destruct (decide l V (fst e) (snd e)) as [| | s W] eqn:Hdec;
      [split; [exact Hg | lia] | split; [exact Hg | lia] |].
    destruct (decide_in _ _ _ _ _ Hdec Hl HV Hd) as [Hs HW]. apply upd_good; assumption. }
  destruct H1 as [Hg1 Hm1].
  destruct (IH _ Hg1 Hl HV (fun f Hf => He f (or_intror Hf))) as [Hg2 Hm2].
  split; [exact Hg2 | unfold visit in *; lia].
Qed.

Lemma drop_length : forall p w, length (drop p w) <= length w.
Proof.
  intros p w. unfold drop. induction w as [| q w IH]; simpl; [lia |].
  destruct (pair_dec p q); simpl; lia.
Qed.

Lemma drop_head : forall p w, drop p (p :: w) = drop p w.
Proof.
  intros p w. unfold drop. cbn [filter]. destruct (pair_dec p p) as [_ | H]; [reflexivity |].
  exfalso. apply H. reflexivity.
Qed.

Lemma loop_empties : forall n st, good st -> mu st <= n -> snd (loop n st) = [].
Proof.
  induction n as [| n IH]; intros [T w] Hg Hm.
  - unfold mu in Hm. simpl in *. destruct w; [reflexivity | simpl in Hm; lia].
  - simpl. destruct w as [| [l' l] w]; [reflexivity |].
    pose proof Hg as [Hw HT]. destruct (Hw l' l (or_introl eq_refl)) as (V & HV).
    simpl in HV. rewrite HV. destruct (HT _ _ _ HV) as (_ & Hl & HVin).
    change (snd (loop n (visit l V (fedges F' l') (T, drop (l', l) ((l', l) :: w)))) = []).
    rewrite drop_head.
    assert (Hg1 : good (T, drop (l', l) w)).
    { split; simpl; [| exact HT]. intros a b Hi. apply in_drop in Hi.
      apply (Hw a b). right. tauto. }
    destruct (visit_good l V (fedges F' l') _ Hg1 Hl HVin) as [Hg2 Hm2].
    { intros [o t] Hin. split; [eapply in_edge'; exact Hin |].
      simpl. intros a x -> Hx. eapply in_def'; eassumption. }
    apply IH; [exact Hg2 |].
    pose proof (drop_length (l', l) w) as Hdl. unfold mu in *. cbn [fst snd length] in *. lia.
Qed.

Definition bound : nat := 2 * (length LS' * length LS * S (length VS)) + 1.

Theorem loop_terminates : snd (loop bound wstart) = [].
Proof.
  apply loop_empties.
  - split; simpl.
    + intros a b [H | []]. injection H as <- <-. exists V0. apply put_same.
    + intros a b V. destruct (pair_dec (a, b) (finit F', finit F)) as [Heq | Hne].
      * injection Heq as -> ->. rewrite put_same. intro H. injection H as <-.
        split; [exact in_init' |]. split; [exact in_init | exact in_V0].
      * rewrite put_other by exact Hne. discriminate.
  - unfold mu, bound, wstart. cbn [fst snd length].
    assert (Hs : forall (T : table P P') (l : list pair),
      (forall p, pot T p <= S (length VS)) ->
      list_sum (map (pot T) l) <= length l * S (length VS)).
    { intros T l H. induction l as [| p l IH]; simpl; [lia |]. specialize (H p). simpl in *. lia. }
    unfold total.
    assert (Hp : forall (T : table P P') p, pot T p <= S (length VS)).
    { intros T p. unfold pot. destruct (T (fst p) (snd p)) as [V |]; [| lia].
      assert (H : forall f (l : vset), length (filter f l) <= length l).
      { intros f l. induction l as [| x l IH]; simpl; [lia | destruct (f x); simpl; lia]. }
      specialize (H (fun x => negb (mem x V)) VS). lia. }
    pose proof (Hs (put (fun _ _ => None) (finit F') (finit F) V0) (list_prod LS' LS) (Hp _)) as H.
    assert (Hl : @length pair (list_prod LS' LS) = length LS' * length LS) by apply prod_length.
    rewrite Hl in H. lia.
Qed.

End Termination.

End Ends.
