(* The rules are steps that the original can answer.

   One lemma per rule: together, alone, walks, assumes. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local.

Section Steps.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Tot : Total}.

Lemma mem_true : forall x V, mem x V = true <-> In x V.
Proof.
  intros x V. unfold mem. destruct (in_dec var_dec x V); split; auto; discriminate.
Qed.

Lemma mem_false : forall x V, mem x V = false <-> ~ In x V.
Proof.
  intros x V. unfold mem. destruct (in_dec var_dec x V); split; auto;
    [discriminate | contradiction].
Qed.

Lemma in_union : forall x V W, In x (union V W) <-> In x V \/ In x W.
Proof.
  intros x V W. unfold union. rewrite in_app_iff, filter_In, negb_true_iff, mem_false.
  destruct (in_dec var_dec x V); tauto.
Qed.

Lemma in_diff : forall x V W, In x (diff V W) <-> In x V /\ ~ In x W.
Proof.
  intros. unfold diff. rewrite filter_In, negb_true_iff, mem_false. tauto.
Qed.

Lemma disjoint_spec : forall V W x, disjoint V W = true -> In x V -> ~ In x W.
Proof.
  intros V W x H Hx. unfold disjoint in H. rewrite forallb_forall in H.
  apply mem_false. apply negb_true_iff. auto.
Qed.

Lemma subset_spec : forall V W, subset V W = true <-> forall x, In x V -> In x W.
Proof.
  intros. unfold subset. rewrite forallb_forall. split; intros H x Hx.
  - apply mem_true. auto.
  - apply mem_true. auto.
Qed.

Lemma agree_incl : forall V W c c', (forall x, In x V -> In x W) -> agree V c c' -> agree W c c'.
Proof. intros V W c c' H A x Hx. apply A. auto. Qed.

Lemma agree_use : forall U V c c', disjoint U V = true -> agree V c c' ->
  forall x, In x U -> c x = c' x.
Proof. intros U V c c' D A x Hx. apply A. eapply disjoint_spec; eassumption. Qed.

Lemma sim_weaken : forall P V l o k W W1,
  sim P V l o k W -> (forall x, In x W -> In x W1) -> sim P V l o k W1.
Proof.
  intros P V l o k W W1 S H c c' c1' A X.
  destruct (S c c' c1' A X) as (c1 & St & [Hk | Ag]); exists c1; split; auto.
  right. eapply agree_incl; eassumption.
Qed.

Lemma one_asg : forall P l a s c c1, edge P l (Asg a) s -> asem a c c1 -> steps P l c s c1.
Proof.
  intros. eapply steps_one; [eassumption | eassumption | constructor].
Qed.

(* ALGORITHM.md 4.1: b of the original is the same assignment as a, use not affected *)
Lemma sim_same_clear : forall P V l a b s,
  edge P l (Asg b) s -> same_meaning a b ->
  disjoint (ause a) V = true ->
  sim P V l (Asg a) s (diff V (akill a)).
Proof.
  intros P V l a b s He [_ Hab] Hd c c' c1' A X. simpl in X.
  destruct (Hab c c' c1') as (c1 & H1 & Hk & Hkeep);
    [eapply agree_use; eassumption | exact X |].
  exists c1. split; [eapply one_asg; eassumption |]. right.
  intros x Hx. destruct (in_dec var_dec x (akill a)) as [Hin | Hout]; [auto |].
  apply Hkeep. apply A. intro HV. apply Hx. apply in_diff. auto.
Qed.

(* ALGORITHM.md 4.2: two assignments in step, whatever they are *)
Lemma sim_two_asg : forall P V l a b s W,
  edge P l (Asg b) s ->
  (forall x, In x V \/ In x (adef a) \/ In x (adef b) -> In x W) ->
  sim P V l (Asg a) s W.
Proof.
  intros P V l a b s W He HW c c' c1' A X. simpl in X.
  destruct (asem_total b c) as (c1 & H1).
  exists c1. split; [eapply one_asg; eassumption |]. right.
  intros x Hx. rewrite (asem_frame b c c1 x H1) by (intro; apply Hx; auto).
  rewrite (asem_frame a c' c1' x X) by (intro; apply Hx; auto).
  apply A. intro. apply Hx. auto.
Qed.

(* ALGORITHM.md 4.3: the modified program alone *)
Lemma sim_new_asg : forall P V l a, sim P V l (Asg a) l (union V (adef a)).
Proof.
  intros P V l a c c' c1' A X. simpl in X.
  exists c. split; [constructor |]. right.
  intros x Hx. rewrite (asem_frame a c' c1' x X) by (intro; apply Hx; apply in_union; auto).
  apply A. intro. apply Hx. apply in_union. auto.
Qed.

(* semantic match of assignments: the variables of D can be given equal values *)
Lemma sim_sem_asg : forall P V l a b s D W,
  edge P l (Asg b) s ->
  (forall c c' c1', agree V c c' -> asem a c' c1' ->
   exists c1, asem b c c1 /\ forall x, In x D -> c1 x = c1' x) ->
  (forall x, In x V \/ In x (adef a) \/ In x (adef b) -> ~ In x D -> In x W) ->
  sim P V l (Asg a) s W.
Proof.
  intros P V l a b s D W He HD HW c c' c1' A X. simpl in X.
  destruct (HD _ _ _ A X) as (c1 & H1 & Heq).
  exists c1. split; [eapply one_asg; eassumption |]. right.
  intros x Hx. destruct (in_dec var_dec x D) as [Hin | Hout]; [auto |].
  rewrite (asem_frame b c c1 x H1) by (intro; apply Hx; auto).
  rewrite (asem_frame a c' c1' x X) by (intro; apply Hx; auto).
  apply A. intro. apply Hx. auto.
Qed.

(* ALGORITHM.md 4.10: the original walks through assignments; any stop is allowed *)
Inductive walk (P : prog) : loc P -> vset -> loc P -> vset -> Prop :=
| walk_stop : forall l W, walk P l W l W
| walk_asg : forall l W b t k W1,
    edge P l (Asg b) t -> walk P t (union W (adef b)) k W1 -> walk P l W k W1.

Lemma walk_steps : forall P l W k W1, walk P l W k W1 ->
  forall c c', agree W c c' -> exists c1, steps P l c k c1 /\ agree W1 c1 c'.
Proof.
  intros P l W k W1 Hw. induction Hw as [| l W b t k W1 He Hw IH]; intros c c' A.
  - exists c. split; [constructor | exact A].
  - destruct (asem_total b c) as (cb & Hb).
    destruct (IH cb c') as (c1 & S & A1).
    + intros x Hx. rewrite (asem_frame b c cb x Hb) by (intro; apply Hx; apply in_union; auto).
      apply A. intro. apply Hx. apply in_union. auto.
    + exists c1. split; [| exact A1].
      eapply steps_trans; [eapply one_asg; eassumption | exact S].
Qed.

(* ALGORITHM.md 4.9: the assume is new, the original stays at k *)
Lemma sim_new_asm : forall P V l p k W, walk P l V k W -> sim P V l (Asm p) k W.
Proof.
  intros P V l p k W Hw c c' c1' A [_ ->].
  destruct (walk_steps _ _ _ _ _ Hw _ _ A) as (c1 & S & A1). eauto.
Qed.

(* an assume that the original passes as well; W is what the walk left *)
Lemma sim_sem_asm : forall P V l p q k W t,
  walk P l V k W -> edge P k (Asm q) t ->
  (forall c c', agree W c c' -> csem p c' -> csem q c) ->
  sim P V l (Asm p) t W.
Proof.
  intros P V l p q k W t Hw He Him c c' c1' A [Hp ->].
  destruct (walk_steps _ _ _ _ _ Hw _ _ A) as (c1 & S & A1).
  exists c1. split; [| auto]. eapply steps_trans; [exact S |].
  eapply steps_one; [exact He | | constructor]. split; [| reflexivity]. eauto.
Qed.

(* ALGORITHM.md 4.8, with one side unaffected: identical (p = q) and implied *)
Lemma sim_either : forall P V l p q k W t,
  walk P l V k W -> edge P k (Asm q) t ->
  (forall c, csem p c -> csem q c) ->
  disjoint (cuse p) W = true \/ disjoint (cuse q) W = true ->
  sim P V l (Asm p) t W.
Proof.
  intros P V l p q k W t Hw He Him Hd. eapply sim_sem_asm; try eassumption.
  intros c c' A Hp. destruct Hd as [Hd | Hd].
  - apply Him. eapply csem_dep; [| exact Hp].
    intros x Hx. symmetry. eapply agree_use; eassumption.
  - eapply csem_dep; [| apply Him; exact Hp].
    intros x Hx. symmetry. eapply agree_use; eassumption.
Qed.

(* ALGORITHM.md 4.11: from s the original reaches its error through assignments *)
Lemma sim_fn6 : forall P V l o s W k W1 W2,
  sim P V l o s W -> walk P s W k W1 -> k = err P -> sim P V l o k W2.
Proof.
  intros P V l o s W k W1 W2 Hs Hw Hk c c' c1' A X.
  destruct (Hs c c' c1' A X) as (c1 & S & _).
  destruct (walk_steps _ _ _ _ _ Hw c1 c1 (fun x _ => eq_refl)) as (c2 & S2 & _).
  exists c2. split; [eapply steps_trans; eassumption | auto].
Qed.

End Steps.
