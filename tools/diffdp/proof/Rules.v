(* The rules as a function: which rule is taken at a pair, and what the second
   pass emits from any table. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps.

(* Variants: one side of an assume unaffected is enough (either), wait instead of
   giving up at an affected assume (lazy), replacing (fn4), both at their errors
   (fn6), reachability of the error (prune), questions to a solver (sem). *)
Record flags := Flags {
  f_either : bool; f_lazy : bool; f_fn4 : bool; f_fn6 : bool; f_prune : bool; f_sem : bool }.

(* The tests on which the rules rest. "Identical" is any test that implies equal
   meaning: operations may carry an identity (file, line, branch) that it
   ignores. To the solver's questions "no" is always an answer. *)
Class Tests {Lang : Language} := {
  asg_dec : forall a b : asg, {a = b} + {a <> b};
  asm_dec : forall p q : asm, {p = q} + {p <> q};
  same_asg : asg -> asg -> bool;
  same_asm : asm -> asm -> bool;
  impl : asm -> asm -> bool;
  sem_asm : vset -> asm -> asm -> bool;
  sem_asg : vset -> asg -> asg -> bool }.

Class TestsOk {Lang : Language} {Eff : Effects} {Tst : Tests} : Prop := {
  same_asg_sound : forall a b, same_asg a b = true -> same_meaning a b;
  same_asm_sound : forall p q, same_asm p q = true -> forall c, csem p c -> csem q c;
  impl_sound : forall p q, impl p q = true -> forall c, csem p c -> csem q c;
  sem_asm_sound : forall W p q, sem_asm W p q = true ->
    forall c c', agree W c c' -> csem p c' -> csem q c;
  sem_asg_sound : forall V a b, sem_asg V a b = true ->
    forall c c' c1', agree V c c' -> asem a c' c1' ->
    exists c1, asem b c c1 /\ forall x, In x (adef a) -> c1 x = c1' x }.

Section Finite.

Context {Lang : Language}.

Record fprog := FProg {
  floc : Type;
  fdec : forall x y : floc, {x = y} + {x <> y};
  finit : floc;
  ferr : floc;
  fedges : floc -> list (op * floc) }.

Definition to_prog (F : fprog) : prog :=
  Prog (floc F) (finit F) (ferr F) (fun l o t => In (o, t) (fedges F l)).

(* Original and modified program, the variant of the construction, the longest
   walk, and what may reach the error location. *)
Class Task := {
  F : fprog;
  F' : fprog;
  fl : flags;
  fuel : nat;
  RM : floc F' -> bool;
  RP : floc F -> bool }.

(* Nothing is asked of RP. *)
Class TaskOk {Tsk : Task} : Prop := {
  RM_err : RM (ferr F') = true;
  RM_back : forall l o t, In (o, t) (fedges F' l) -> RM t = true -> RM l = true }.

End Finite.

Section Rules.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Tot : Total} {Tst : Tests} {TstOk : TestsOk} {Tsk : Task} {TskOk : TaskOk}.

Notation P := (to_prog F).
Notation P' := (to_prog F').

Definition eqb (x y : floc F) : bool := if fdec F x y then true else false.
Definition eqb' (x y : floc F') : bool := if fdec F' x y then true else false.

Definition single_asg (l : floc F) : option (asg * floc F) :=
  match fedges F l with [(Asg a, t)] => Some (a, t) | _ => None end.

Fixpoint walkf (n : nat) (seen : list (floc F)) (l : floc F) (W : vset) : floc F * vset :=
  match n with
  | 0 => (l, W)
  | S n =>
    if eqb l (ferr F) then (l, W) else
    match single_asg l with
    | Some (b, t) =>
      if in_dec (fdec F) l seen then (l, W)
      else walkf n (l :: seen) t (union W (adef b))
    | None => (l, W)
    end
  end.

Fixpoint find_asg (es : list (op * floc F)) (a : asg) : option (floc F) :=
  match es with
  | [] => None
  | (Asg b, s) :: r => if same_asg a b then Some s else find_asg r a
  | _ :: r => find_asg r a
  end.

Fixpoint find_asm (ok : asm -> bool) (es : list (op * floc F)) : option (asm * floc F) :=
  match es with
  | [] => None
  | (Asm q, s) :: r => if ok q then Some (q, s) else find_asm ok r
  | _ :: r => find_asm ok r
  end.

Definition find_match (l : floc F) (p : asm) : option (asm * floc F) :=
  match find_asm (same_asm p) (fedges F l) with
  | Some m => Some m
  | None => find_asm (impl p) (fedges F l)
  end.

(* None is an indicator. The order of preference is the function's business: whatever
   is taken is a step that the original can answer. *)
Definition rule (l : floc F) (V : vset) (o : op) : option (floc F * vset) :=
  match o with
  | Asg a =>
    match find_asg (fedges F l) a with
    | Some s => Some (s, if disjoint (ause a) V then diff V (akill a) else union V (adef a))
    | None =>
      match (if f_fn4 fl then single_asg l else None) with
      | Some (b, s) =>
        if subset (adef b) (adef a) && subset (adef a) (adef b)
        then Some (s, if f_sem fl && sem_asg V a b then diff V (adef a) else union V (adef a))
        else Some (l, union V (adef a))
      | None => Some (l, union V (adef a))
      end
    end
  | Asm p =>
    let (k, W) := walkf fuel [] l V in
    match (if f_sem fl && negb (eqb k (ferr F))
           then find_asm (sem_asm W p) (fedges F k) else None) with
    | Some (_, t) => Some (t, W)
    | None =>
    match (if eqb k (ferr F) then None else find_match k p) with
    | None => Some (k, W)
    | Some (q, t) =>
      let d1 := disjoint (cuse p) W in
      let d2 := disjoint (cuse q) W in
      if (if f_either fl then d1 || d2 else d1 && d2) then Some (t, W)
      else if f_lazy fl then Some (k, W) else None
    end end
  end.

Inductive out := OBad | OLeaf | OPair (s : floc F) (W : vset).

Definition decide (l : floc F) (V : vset) (o : op) (s' : floc F') : out :=
  match rule l V o with
  | None => OBad
  | Some (s, W) =>
    if f_prune fl && negb (RM s') then OLeaf
    else if f_prune fl && negb (RP s) then OBad
    else
      let k := if f_fn6 fl && eqb' s' (ferr F') then fst (walkf fuel [] s W) else s in
      let s2 := if eqb k (ferr F) then k else s in
      if eqb' s' (ferr F') && negb (eqb s2 (ferr F)) then OBad else OPair s2 W
  end.

Lemma eqb_true : forall x y, eqb x y = true <-> x = y.
Proof. intros. unfold eqb. destruct (fdec F x y); split; auto; discriminate. Qed.

Lemma eqb'_true : forall x y, eqb' x y = true <-> x = y.
Proof. intros. unfold eqb'. destruct (fdec F' x y); split; auto; discriminate. Qed.

Lemma single_asg_edge : forall l b t, single_asg l = Some (b, t) -> In (Asg b, t) (fedges F l).
Proof.
  intros l b t. unfold single_asg.
  destruct (fedges F l) as [| [[a | p] s] [| e r]]; try discriminate.
  intros H. injection H as -> ->. left. reflexivity.
Qed.

Lemma walkf_walk : forall n seen l W k W1,
  walkf n seen l W = (k, W1) -> walk P l W k W1.
Proof.
  induction n as [| n IH]; simpl; intros seen l W k W1 H.
  - injection H as <- <-. constructor.
  - destruct (eqb l (ferr F)); [injection H as <- <-; constructor |].
    destruct (single_asg l) as [[b t] |] eqn:Hs; [| injection H as <- <-; constructor].
    destruct (in_dec (fdec F) l seen); [injection H as <- <-; constructor |].
    econstructor; [| eapply IH; exact H]. simpl. apply single_asg_edge. exact Hs.
Qed.

Lemma find_asg_edge : forall es a s, find_asg es a = Some s ->
  exists b, In (Asg b, s) es /\ same_asg a b = true.
Proof.
  induction es as [| [[b | p] t] r IH]; simpl; intros a s H; [discriminate | |].
  - destruct (same_asg a b) eqn:Hs; [injection H as ->; eauto |].
    destruct (IH _ _ H) as (b1 & Hb & Hs1). eauto.
  - destruct (IH _ _ H) as (b1 & Hb & Hs1). eauto.
Qed.

Lemma find_asm_edge : forall ok es q s,
  find_asm ok es = Some (q, s) -> In (Asm q, s) es /\ ok q = true.
Proof.
  induction es as [| [[b | p] t] r IH]; simpl; intros q s H; [discriminate | |].
  - destruct (IH _ _ H). auto.
  - destruct (ok p) eqn:Hp; [injection H as -> ->; auto |]. destruct (IH _ _ H). auto.
Qed.

Lemma find_match_spec : forall l p q t, find_match l p = Some (q, t) ->
  In (Asm q, t) (fedges F l) /\ forall c, csem p c -> csem q c.
Proof.
  intros l p q t. unfold find_match.
  destruct (find_asm _ (fedges F l)) as [m |] eqn:H; intro E.
  - injection E as ->. apply find_asm_edge in H. destruct H as [H1 H2].
    split; [exact H1 | apply same_asm_sound; exact H2].
  - apply find_asm_edge in E. destruct E as [H1 H2]. split; [exact H1 | apply impl_sound; exact H2].
Qed.

Lemma rule_sim : forall l V o s W, rule l V o = Some (s, W) -> sim P V l o s W.
Proof.
  intros l V [a | p] s W H; simpl in H.
  - destruct (find_asg (fedges F l) a) as [t |] eqn:Hf.
    + apply find_asg_edge in Hf. destruct Hf as (b & Hf & Hs). injection H as <- <-.
      pose proof (same_asg_sound _ _ Hs) as Hab.
      destruct (disjoint (ause a) V) eqn:Hd.
      * eapply sim_same_clear; [exact Hf | exact Hab | exact Hd].
      * eapply sim_two_asg; [exact Hf |]. destruct Hab as [Hdef _].
        intros x Hx. apply in_union. destruct Hx as [Hx | [Hx | Hx]]; auto.
    + destruct (f_fn4 fl); [| injection H as <- <-; apply sim_new_asg].
      destruct (single_asg l) as [[b t] |] eqn:Hs; [| injection H as <- <-; apply sim_new_asg].
      destruct (subset (adef b) (adef a) && subset (adef a) (adef b)) eqn:Hd;
        injection H as <- <-; [| apply sim_new_asg].
      apply andb_true_iff in Hd. destruct Hd as [Hd _]. rewrite subset_spec in Hd.
      apply single_asg_edge in Hs.
      destruct (f_sem fl && sem_asg V a b) eqn:Hsem.
      * apply andb_true_iff in Hsem. destruct Hsem as [_ Hsem].
        eapply sim_sem_asg with (D := adef a); [exact Hs | apply sem_asg_sound; exact Hsem |].
        intros x Hx Hn. apply in_diff. split; [| exact Hn].
        destruct Hx as [Hx | [Hx | Hx]]; [exact Hx | contradiction |].
        exfalso. auto.
      * eapply sim_two_asg; [exact Hs |].
        intros x Hx. apply in_union. destruct Hx as [Hx | [Hx | Hx]]; auto.
  - destruct (walkf fuel [] l V) as [k W1] eqn:Hw. apply walkf_walk in Hw.
    destruct (if f_sem fl && negb (eqb k (ferr F)) then _ else _) as [[q t] |] eqn:Hq.
    { injection H as <- <-.
      destruct (f_sem fl && negb (eqb k (ferr F))); [| discriminate].
      apply find_asm_edge in Hq. destruct Hq as [He Hq].
      eapply sim_sem_asm; [exact Hw | exact He |]. apply sem_asm_sound. exact Hq. }
    destruct (eqb k (ferr F)); [injection H as <- <-; apply sim_new_asm; exact Hw |].
    destruct (find_match k p) as [[q t] |] eqn:Hm;
      [| injection H as <- <-; apply sim_new_asm; exact Hw].
    apply find_match_spec in Hm. destruct Hm as [He Him].
    destruct (if f_either fl then _ else _) eqn:Hd.
    + injection H as <- <-. eapply sim_either; [exact Hw | exact He | exact Him |].
      destruct (f_either fl).
      * apply orb_true_iff in Hd. exact Hd.
      * apply andb_true_iff in Hd. tauto.
    + destruct (f_lazy fl); [| discriminate].
      injection H as <- <-. apply sim_new_asm. exact Hw.
Qed.

Lemma decide_pair : forall l V o s' s W, decide l V o s' = OPair s W ->
  sim P V l o s W /\ (s' <> ferr F' \/ s = ferr F).
Proof.
  intros l V o s' s W. unfold decide.
  destruct (rule l V o) as [[t U] |] eqn:Hr; [| discriminate].
  apply rule_sim in Hr.
  destruct (f_prune fl && negb (RM s')); [discriminate |].
  destruct (f_prune fl && negb (RP t)); [discriminate |].
  set (k := if f_fn6 fl && eqb' s' (ferr F') then fst (walkf fuel [] t U) else t).
  cbv zeta.
  destruct (eqb' s' (ferr F') && negb (eqb (if eqb k (ferr F) then k else t) (ferr F))) eqn:He;
    [discriminate |].
  intro H. injection H as <- <-.
  assert (Herr : s' <> ferr F' \/ (if eqb k (ferr F) then k else t) = ferr F).
  { apply andb_false_iff in He. destruct He as [He | He].
    - left. intro. apply eqb'_true in H. congruence.
    - right. apply negb_false_iff in He. apply eqb_true. exact He. }
  split; [| exact Herr].
  destruct (eqb k (ferr F)) eqn:Hk; [| exact Hr].
  apply eqb_true in Hk. subst k.
  destruct (f_fn6 fl && eqb' s' (ferr F')); [| exact Hr].
  destruct (walkf fuel [] t U) as [k1 W1] eqn:Hw. apply walkf_walk in Hw.
  eapply sim_fn6; [exact Hr | exact Hw | exact Hk].
Qed.

Lemma RM_reach : forall l k, creach P' l k -> k = ferr F' -> RM l = true.
Proof.
  intros l k H. induction H; intro Hk.
  - subst. exact RM_err.
  - eapply RM_back; [exact H | auto].
Qed.

Lemma decide_leaf : forall l V o s', decide l V o s' = OLeaf -> ~ creach P' s' (ferr F').
Proof.
  intros l V o s'. unfold decide.
  destruct (rule l V o) as [[t U] |]; [| discriminate].
  destruct (f_prune fl && negb (RM s')) eqn:Hp.
  - intros _ Hc. apply andb_true_iff in Hp. destruct Hp as [_ Hp].
    rewrite (RM_reach _ _ Hc eq_refl) in Hp. discriminate.
  - destruct (f_prune fl && negb (RP t)); [discriminate |].
    cbv zeta. destruct (eqb' _ _ && _); discriminate.
Qed.

Section Emission.

(* Emission from a table T and a set `hold` of pairs that become indicators
   (the wait list of an interrupted run; empty after a fixpoint). With chk the
   edge is emitted only if the target's entry already includes W. *)
Variable chk : bool.
Variable T : table P P'.
Variable hold : floc F' -> floc F -> bool.
Notation nd := (node (floc F') (floc F)).

Definition target (l' : floc F') (l : floc F) (V : vset) (o : op) (s' : floc F') : nd :=
  match decide l V o s' with
  | OBad => Bad l' l o
  | OLeaf => Leaf l' l o
  | OPair s W =>
    match T s' s with
    | None => Bad l' l o
    | Some V1 =>
      if hold s' s || (chk && negb (subset W V1)) then Bad l' l o else Pair s' s
    end
  end.

Definition ind (n : nd) : Prop :=
  match n with
  | Bad _ _ _ => True
  | Leaf _ _ _ => False
  | Pair l' l => hold l' l = true \/ (l' = ferr F' /\ l <> ferr F)
  end.

Definition emit (n : nd) (o : op) (m : nd) : Prop :=
  match n with
  | Pair l' l =>
    ~ ind n /\ l <> ferr F /\
    exists V s', T l' l = Some V /\ In (o, s') (fedges F' l') /\ m = target l' l V o s'
  | _ => False
  end.

(* every edge that is emitted to a pair has a target entry that includes W *)
Definition post_fixpoint : Prop :=
  forall l' l V, T l' l = Some V -> hold l' l = false -> l <> ferr F ->
  forall o s' s W V1, In (o, s') (fedges F' l') -> decide l V o s' = OPair s W ->
  T s' s = Some V1 -> hold s' s = false -> subset W V1 = true.

Hypothesis Hdet : det P'.
Hypothesis Hstart : starts (T (finit F') (finit F)).
Hypothesis Hpost : chk = true \/ post_fixpoint.

Definition two_phase : graph := Graph nd (Pair (finit F') (finit F)) ind emit.

Definition known (n : nd) : Prop :=
  match n with Pair a b => exists V, T a b = Some V | _ => True end.

Lemma emit_table : forall n w m, run emit n w m -> known n -> known m.
Proof.
  intros n w m Hrun. induction Hrun as [| n o m w q Hm Hrun IH]; intro Hk; [exact Hk |].
  apply IH. destruct n as [l' l | |]; simpl in Hm; try contradiction.
  destruct Hm as (_ & _ & V & s' & _ & _ & ->). unfold target, known.
  destruct (decide l V o s') as [| | s W]; try exact I.
  destruct (T s' s) as [V1 |] eqn:HT1; [| exact I].
  destruct (_ || _); [exact I | exists V1; exact HT1].
Qed.

Lemma two_phase_local : local_ok P P' T ind emit.
Proof.
  constructor.
  - unfold start. simpl.
    destruct (hold (finit F') (finit F)) eqn:Hh.
    + left. split; [auto |]. intros o m (Hn & _). apply Hn. left. auto.
    + destruct (fdec F' (finit F') (ferr F')) as [He' | He'];
        [| right; split; [exact Hstart | auto]].
      destruct (fdec F (finit F) (ferr F)) as [He | He];
        [right; split; [exact Hstart | auto] |].
      left. split; [right; auto |]. intros o m (Hn & _). apply Hn. right. auto.
  - intros n o m Hm. destruct n as [l' l | |]; simpl in Hm; try contradiction.
    destruct Hm as (Hn & Hl & V & s' & HT & Hin & ->).
    unfold target. destruct (decide l V o s') as [| | s W] eqn:Hd.
    + apply al_bad. exact I.
    + eapply al_leaf; [exact Hin |]. eapply decide_leaf. exact Hd.
    + destruct (T s' s) as [V1 |] eqn:HT1; [| apply al_bad; exact I].
      destruct (hold s' s || (chk && negb (subset W V1))) eqn:Hh; [apply al_bad; exact I |].
      apply orb_false_iff in Hh. destruct Hh as [Hhs Hh].
      destruct (decide_pair _ _ _ _ _ _ Hd) as [Hs He].
      eapply al_pair; try eassumption.
      destruct Hpost as [Hc | Hpf].
      * rewrite Hc in Hh. simpl in Hh. apply negb_false_iff in Hh. exact Hh.
      * destruct (hold l' l) eqn:Hhl; [exfalso; apply Hn; left; auto |].
        exact (Hpf _ _ _ HT Hhl Hl _ _ _ _ _ Hin Hd HT1 Hhs).
  - intros w l' l Hr.
    destruct (fdec F l (ferr F)) as [He | He]; [auto |].
    destruct (hold l' l) eqn:Hh; [left; left; auto |].
    destruct (fdec F' l' (ferr F')) as [He' | He']; [left; right; auto |].
    right. right. intros o s' Hin.
    assert (HT : exists V, T l' l = Some V).
    { refine (emit_table _ _ _ Hr _). unfold start, known. simpl. unfold starts in Hstart.
      destruct (T (finit F') (finit F)); [eauto | contradiction]. }
    destruct HT as (V & HT).
    exists (target l' l V o s'). simpl. split.
    + intros [Hx | [Hx _]]; [congruence | contradiction].
    + split; [exact He |]. exists V, s'. auto.
Qed.

Theorem two_phase_diff_graph : diff_graph P P' two_phase.
Proof. apply local_sound with (T := T); [exact Hdet | exact two_phase_local]. Qed.

Theorem two_phase_sound : forall c0 r, reg P P' c0 r -> ~ covers (alg1 two_phase) (ops r).
Proof. intros. eapply alg1_sound; [exact two_phase_diff_graph | eassumption]. Qed.

End Emission.

(* nothing held back *)
Definition no_hold (l' : floc F') (l : floc F) : bool := false.

(* Checked emission (ALGORITHM.md 5.2) needs nothing from the first pass. *)
Corollary checked_emission_sound : forall (T : table P P'),
  det P' -> starts (T (finit F') (finit F)) ->
  forall c0 r, reg P P' c0 r ->
  ~ covers (alg1 (two_phase true T no_hold)) (ops r).
Proof. intros T D S c0 r. apply two_phase_sound; auto. Qed.

(* Indicators by location of the modified program, as in [DiffDP23]. *)
Corollary per_location_sound : forall (T : table P P') (D : floc F' -> bool),
  det P' -> starts (T (finit F') (finit F)) ->
  post_fixpoint T (fun l' _ => D l') ->
  forall c0 r, reg P P' c0 r ->
  ~ covers (alg1 (two_phase false T (fun l' _ => D l'))) (ops r).
Proof. intros T D Hd S Hp c0 r. apply two_phase_sound; auto. Qed.

(* Lockstep (diffcond, ALGORITHM.md 7): equal operations in lockstep, an operation
   without an equal one is an indicator, a pair at the error location of the
   modified program ends. It needs that equal operations enter the error
   locations of the two programs together. *)
Definition dc_match (l : floc F) (o : op) : option (floc F) :=
  match o with
  | Asg a => find_asg (fedges F l) a
  | Asm p => option_map snd (find_asm (same_asm p) (fedges F l))
  end.

Definition dc_ind (n : node (floc F') (floc F)) : Prop :=
  match n with Bad _ _ _ => True | _ => False end.

Definition dc_emit (n : node (floc F') (floc F)) (o : op) (m : node (floc F') (floc F)) : Prop :=
  match n with
  | Pair l' l =>
    l' <> ferr F' /\ exists s', In (o, s') (fedges F' l') /\
      m = match dc_match l o with Some s => Pair s' s | None => Bad l' l o end
  | _ => False
  end.

Definition dc_graph : graph :=
  Graph (node (floc F') (floc F)) (Pair (finit F') (finit F)) dc_ind dc_emit.

Definition errors_together : Prop :=
  (finit F' = ferr F' -> finit F = ferr F) /\
  forall l' l o s' s, In (o, s') (fedges F' l') -> dc_match l o = Some s ->
    s' = ferr F' -> s = ferr F.

Theorem diffcond_sound : det P' -> errors_together -> V0 = [] ->
  forall c0 r, reg P P' c0 r -> ~ covers (alg1 dc_graph) (ops r).
Proof.
  intros D [H0 HE] HV0 c0 r Hr. eapply alg1_sound; [| exact Hr].
  apply (local_sound P P' (fun _ _ => Some []) dc_ind dc_emit D).
  constructor.
  - right. split; [simpl; rewrite HV0; reflexivity |]. simpl.
    destruct (fdec F' (finit F') (ferr F')); [right | left]; auto.
  - intros n o m Hm. destruct n as [l' l | |]; simpl in Hm; try contradiction.
    destruct Hm as (Hl' & s' & Hin & ->).
    destruct (dc_match l o) as [s |] eqn:Hd; [| apply al_bad; exact I].
    eapply al_pair with (V := []) (W := []) (V1 := []); try reflexivity; [exact Hin | |].
    + destruct o as [a | p]; simpl in Hd.
      * apply find_asg_edge in Hd. destruct Hd as (b & Hb & Hs).
        apply (sim_same_clear P [] l a b s); [exact Hb | exact (same_asg_sound _ _ Hs) |].
        apply forallb_forall. reflexivity.
      * destruct (find_asm (same_asm p) (fedges F l)) as [[q t] |] eqn:Hf; [| discriminate].
        simpl in Hd. injection Hd as <-. apply find_asm_edge in Hf. destruct Hf as [He Hs].
        eapply (sim_either P [] l p q l [] t); [constructor | exact He | |].
        -- exact (same_asm_sound _ _ Hs).
        -- left. apply forallb_forall. reflexivity.
    + destruct (fdec F' s' (ferr F')) as [He | He]; [right | left; exact He].
      exact (HE _ _ _ _ _ Hin Hd He).
  - intros w l' l Hrun.
    assert (Hal : l' = ferr F' -> l = ferr F).
    { assert (Hgen : forall n w m, run dc_emit n w m ->
        (match n with Pair a b => a = ferr F' -> b = ferr F | _ => True end) ->
        (match m with Pair a b => a = ferr F' -> b = ferr F | _ => True end)).
      { clear - HE. intros n w m Hrun. induction Hrun as [| n o m w q Hm Hrun IH]; [auto |].
        intros _. apply IH. destruct n as [a b | |]; simpl in Hm; try contradiction.
        destruct Hm as (_ & s' & Hin & ->).
        destruct (dc_match b o) as [s |] eqn:Hd; [| exact I].
        exact (HE _ _ _ _ _ Hin Hd). }
      exact (Hgen _ _ _ Hrun H0). }
    destruct (fdec F' l' (ferr F')) as [He | He]; [right; left; exact (Hal He) |].
    right. right. intros o s' Hin. eexists. split; [exact He |]. exists s'. split; [exact Hin |]. reflexivity.
Qed.

End Rules.
