(* Semantics: operations, programs, paths, regressions, conditions, Algorithm 1.

   Everything here is a definition that the theorems of this folder are about;
   the one result is that a graph with the soundness property gives a condition
   that covers no regression. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.

(* What programs are made of. A variable stands for an object of memory, its
   value for the object's content. An "assignment" is any operation that writes:
   asem a c c1 says that c1 is a possible result, so that an assignment has one
   and an input (havoc) has several. init_rel says which initial data states of
   original and modified program belong together: the same values in what both
   have. *)
Class Language := {
  var : Type;
  var_dec : forall x y : var, {x = y} + {x <> y};
  val : Type;
  asg : Type;
  asm : Type;
  asem : asg -> (var -> val) -> (var -> val) -> Prop;
  csem : asm -> (var -> val) -> Prop;
  init_rel : (var -> val) -> (var -> val) -> Prop }.

Section Semantics.

Context {Lang : Language}.

Definition state := var -> val.
Definition vset := list var.

Definition mem (x : var) (V : vset) : bool := if in_dec var_dec x V then true else false.
Definition union (V W : vset) : vset := V ++ filter (fun x => negb (mem x V)) W.
Definition diff (V W : vset) : vset := filter (fun x => negb (mem x W)) V.
Definition disjoint (V W : vset) : bool := forallb (fun x => negb (mem x W)) V.
Definition subset (V W : vset) : bool := forallb (fun x => mem x W) V.

(* equal outside V *)
Definition agree (V : vset) (c c' : state) : Prop := forall x, ~ In x V -> c x = c' x.

Inductive op := Asg (a : asg) | Asm (p : asm).

Definition exec (o : op) (c c1 : state) : Prop :=
  match o with
  | Asg a => asem a c c1
  | Asm p => csem p c /\ c1 = c
  end.

Record prog := Prog {
  loc : Type;
  init : loc;
  err : loc;
  edge : loc -> op -> loc -> Prop }.

(* two different edges leaving one location are assumes that exclude each other *)
Definition det (P : prog) : Prop :=
  forall l o1 t1 o2 t2, edge P l o1 t1 -> edge P l o2 t2 ->
  (o1 = o2 /\ t1 = t2) \/
  exists p q, o1 = Asm p /\ o2 = Asm q /\ forall c, ~ (csem p c /\ csem q c).

(* executable paths, violating paths, regression paths *)
Definition trace (P : prog) := list (op * loc P * state).

Inductive path (P : prog) : loc P -> state -> trace P -> Prop :=
| path_nil : forall l c, path P l c []
| path_cons : forall l c o l1 c1 r,
    edge P l o l1 -> exec o c c1 -> path P l1 c1 r ->
    path P l c ((o, l1, c1) :: r).

Definition tloc {P} (s : op * loc P * state) : loc P := snd (fst s).
Definition top {P} (s : op * loc P * state) : op := fst (fst s).
Definition ops {P} (r : trace P) : list op := map top r.

Definition violating (P : prog) (l : loc P) (r : trace P) : Prop :=
  l = err P \/ Exists (fun s => tloc s = err P) r.

Definition bug_path (P : prog) (c0 : state) (r : trace P) : Prop :=
  path P (init P) c0 r /\ violating P (init P) r.

Definition reg (P P' : prog) (c0 : state) (r : trace P') : Prop :=
  bug_path P' c0 r /\ ~ exists d0 r0, init_rel d0 c0 /\ bug_path P d0 r0.

(* labelled runs, conditions, coverage *)
Inductive run {N : Type} (E : N -> op -> N -> Prop) : N -> list op -> N -> Prop :=
| run_nil : forall n, run E n [] n
| run_cons : forall n o m w k, E n o m -> run E m w k -> run E n (o :: w) k.

Record cond := Cond {
  cst : Type;
  cstart : cst;
  cacc : cst -> Prop;
  cedge : cst -> op -> cst -> Prop }.

(* some prefix of w has a run that ends in an accepting state *)
Definition covers (C : cond) (w : list op) : Prop :=
  exists u v q, w = u ++ v /\ run (cedge C) (cstart C) u q /\ cacc C q.

Record graph := Graph {
  gnode : Type;
  gstart : gnode;
  gind : gnode -> Prop;                         (* R: regression bug indicators *)
  gedge : gnode -> op -> gnode -> Prop }.

Definition can_reach (G : graph) (n : gnode G) : Prop :=
  exists w r, run (gedge G) n w r /\ gind G r.

(* Algorithm 1 (ALGORITHM.md 6): B = states that reach R, F = the boundary, edges B -> B u F *)
Definition alg1_acc (G : graph) (n : gnode G) : Prop :=
  ~ can_reach G n /\
  ((exists m o, can_reach G m /\ gedge G m o n) \/ n = gstart G).

Definition alg1 (G : graph) : cond :=
  Cond (gnode G) (gstart G) (alg1_acc G)
       (fun m o n => gedge G m o n /\ can_reach G m /\ (can_reach G n \/ alg1_acc G n)).

(* the soundness property of a difference graph *)
Definition diff_graph (P P' : prog) (G : graph) : Prop :=
  forall c0 r, reg P P' c0 r ->
  forall u v n, ops r = u ++ v -> run (gedge G) (gstart G) u n -> can_reach G n.

Lemma run_weaken : forall N (E1 E2 : N -> op -> N -> Prop),
  (forall n o m, E1 n o m -> E2 n o m) ->
  forall n w m, run E1 n w m -> run E2 n w m.
Proof.
  intros N E1 E2 H n w m R. induction R; [constructor | econstructor; eauto].
Qed.

Lemma run_snoc : forall N (E : N -> op -> N -> Prop) n w m o k,
  run E n w m -> E m o k -> run E n (w ++ [o]) k.
Proof.
  intros N E n w m o k R H. induction R; simpl.
  - econstructor; [exact H | constructor].
  - econstructor; eauto.
Qed.

(* the condition of any difference graph covers no regression path *)
Theorem alg1_sound : forall P P' G, diff_graph P P' G ->
  forall c0 r, reg P P' c0 r -> ~ covers (alg1 G) (ops r).
Proof.
  intros P P' G HG c0 r Hreg (u & v & q & Hw & Hrun & Hacc).
  destruct Hacc as [Hno _]. apply Hno.
  eapply HG; [exact Hreg | exact Hw |].
  eapply run_weaken; [| exact Hrun]. simpl. intros n o m [H _]. exact H.
Qed.

(* What the user is told: a safe original, and no violating path is covered *)
Corollary original_safe : forall P P' G, diff_graph P P' G ->
  (forall c0 r, ~ bug_path P c0 r) ->
  forall c0 r, bug_path P' c0 r -> ~ covers (alg1 G) (ops r).
Proof.
  intros P P' G HG Hs c0 r Hb. eapply alg1_sound; [exact HG |].
  split; [exact Hb |]. intros (d0 & r0 & _ & H0). exact (Hs _ _ H0).
Qed.

(* The same for every set B that contains R and is closed under predecessors
   (the search may overshoot, it may not stop early), and for every automaton
   whose edges are edges of the graph and whose accepting states lie outside B:
   a check that can be made on the finished condition. *)
Theorem alg1_any_sound : forall P P' G (B : gnode G -> Prop) (C : cond)
    (f : cst C -> gnode G),
  diff_graph P P' G ->
  (forall n, gind G n -> B n) ->
  (forall m o n, gedge G m o n -> B n -> B m) ->
  f (cstart C) = gstart G ->
  (forall p o q, cedge C p o q -> gedge G (f p) o (f q)) ->
  (forall q, cacc C q -> ~ B (f q)) ->
  forall c0 r, reg P P' c0 r -> ~ covers C (ops r).
Proof.
  intros P P' G B C f HG HR HB Hs He Ha c0 r Hreg (u & v & q & Hw & Hrun & Hacc).
  apply (Ha q Hacc).
  assert (Hrun' : run (gedge G) (gstart G) u (f q)).
  { rewrite <- Hs. clear - He Hrun. induction Hrun; econstructor; eauto. }
  destruct (HG _ _ Hreg u v (f q) Hw Hrun') as (w & k & Hk & Hind).
  clear - HR HB Hk Hind. induction Hk; eauto.
Qed.

(* executions of a program without their labels *)
Inductive steps (P : prog) : loc P -> state -> loc P -> state -> Prop :=
| steps_refl : forall l c, steps P l c l c
| steps_one : forall l c o l1 c1 k ck,
    edge P l o l1 -> exec o c c1 -> steps P l1 c1 k ck -> steps P l c k ck.

Lemma steps_trans : forall P l c k ck m cm,
  steps P l c k ck -> steps P k ck m cm -> steps P l c m cm.
Proof.
  intros P l c k ck m cm S. induction S; intros; auto.
  eapply steps_one; eauto.
Qed.

Lemma steps_bug : forall P l c k ck, steps P l c k ck -> k = err P ->
  exists r, path P l c r /\ violating P l r.
Proof.
  intros P l c k ck S. induction S; intros Hk.
  - exists []. split; [constructor | left; exact Hk].
  - destruct (IHS Hk) as (r & Hp & Hv). exists ((o, l1, c1) :: r). split.
    + econstructor; eauto.
    + right. destruct Hv as [Hv | Hv].
      * apply Exists_cons_hd. exact Hv.
      * apply Exists_cons_tl. exact Hv.
Qed.

(* reachability in the control-flow graph only *)
Inductive creach (P : prog) : loc P -> loc P -> Prop :=
| creach_refl : forall l, creach P l l
| creach_step : forall l o l1 k, edge P l o l1 -> creach P l1 k -> creach P l k.

Lemma violating_creach : forall P r l c,
  path P l c r -> violating P l r -> creach P l (err P).
Proof.
  intros P r. induction r as [| s r IH]; intros l c Hp Hv.
  - destruct Hv as [Hv | Hv]; [subst; constructor | inversion Hv].
  - inversion Hp; subst. destruct Hv as [Hv | Hv].
    + subst. constructor.
    + econstructor; [eassumption |]. eapply IH; [eassumption |].
      inversion Hv; subst; [left | right]; assumption.
Qed.

Lemma violating_tail : forall P l s r,
  violating P l (s :: r) -> l <> err P -> violating P (tloc s) r.
Proof.
  intros P l s r [H | H] Hl; [contradiction |].
  inversion H; subst; [left | right]; assumption.
Qed.

(* two edges with one label, both leaving l, of which the label is executable *)
Lemma det_label : forall P, det P -> forall l o t1 t2 c c1,
  edge P l o t1 -> edge P l o t2 -> exec o c c1 -> t1 = t2.
Proof.
  intros P D l o t1 t2 c c1 H1 H2 Hx.
  destruct (D _ _ _ _ _ H1 H2) as [[_ H] | (p & q & Hp & Hq & Hex)]; [exact H |].
  subst o. injection Hq as <-. destruct Hx as [Hx _]. exfalso. apply (Hex c). auto.
Qed.

End Semantics.

