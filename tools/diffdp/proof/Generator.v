(* An executable generator of conditions: loop, emission, backward search, and a
   check of its own result. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Loop Termination.

Section Generate.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Tot : Total} {Tst : Tests} {TstOk : TestsOk} {Tsk : Task} {TskOk : TaskOk}.

Notation P := (to_prog F).
Notation P' := (to_prog F').

Notation nd := (node (floc F') (floc F)).

Definition op_dec (a b : op) : {a = b} + {a <> b}.
Proof. decide equality; [apply asg_dec | apply asm_dec]. Defined.

Definition nd_dec (a b : nd) : {a = b} + {a <> b}.
Proof. decide equality; try apply (fdec F); try apply (fdec F'); apply op_dec. Defined.

Section Generator.

Variable T : table P P'.
Variable hold : floc F' -> floc F -> bool.

Definition indb (n : nd) : bool :=
  match n with
  | Bad _ _ _ => true
  | Leaf _ _ _ => false
  | Pair l' l => hold l' l || (eqb' l' (ferr F') && negb (eqb l (ferr F)))
  end.

Definition succs (n : nd) : list (op * nd) :=
  match n with
  | Pair l' l =>
    if indb n || eqb l (ferr F) then [] else
    match T l' l with
    | None => []
    | Some V => map (fun e => (fst e, target false T hold l' l V (fst e) (snd e))) (fedges F' l')
    end
  | _ => []
  end.

Lemma indb_ind : forall n, indb n = true <-> ind hold n.
Proof.
  intros [l' l | |]; simpl; [| split; auto | split; [discriminate | intros []]].
  rewrite orb_true_iff, andb_true_iff, negb_true_iff, eqb'_true.
  assert (H : eqb l (ferr F) = false <-> l <> ferr F).
  { rewrite <- (eqb_true l (ferr F)). destruct (eqb l (ferr F)); split; congruence. }
  rewrite H. tauto.
Qed.

Lemma succs_emit : forall n o m, emit false T hold n o m <-> In (o, m) (succs n).
Proof.
  intros n o m. destruct n as [l' l | |]; simpl; [| tauto | tauto]. split.
  - intros (Hn & Hl & V & s' & HT & Hin & ->).
    destruct (indb (Pair l' l)) eqn:Hi; [exfalso; apply Hn; apply (indb_ind (Pair l' l)); exact Hi |].
    simpl in Hi. rewrite Hi. simpl.
    destruct (eqb l (ferr F)) eqn:He; [apply eqb_true in He; contradiction |].
    rewrite HT. apply in_map_iff. exists (o, s'). auto.
  - destruct (indb (Pair l' l)) eqn:Hi; simpl in Hi; rewrite Hi; simpl; [intros [] |].
    destruct (eqb l (ferr F)) eqn:He; [intros [] |].
    destruct (T l' l) as [V |] eqn:HT; [| intros []].
    intro Hin. apply in_map_iff in Hin. destruct Hin as ([o1 s'] & Heq & Hin).
    simpl in Heq. injection Heq as <- <-. split; [| split].
    + intro Hx. apply (indb_ind (Pair l' l)) in Hx. simpl in Hx. congruence.
    + intro Hx. apply eqb_true in Hx. congruence.
    + exists V, s'. auto.
Qed.

Definition memn (n : nd) (l : list nd) : bool := if in_dec nd_dec n l then true else false.

Lemma memn_true : forall n l, memn n l = true <-> In n l.
Proof. intros n l. unfold memn. destruct (in_dec nd_dec n l); split; auto; discriminate. Qed.

Fixpoint explore (k : nat) (todo seen : list nd) : list nd :=
  match k with
  | 0 => seen
  | S k =>
    match todo with
    | [] => seen
    | n :: r => if memn n seen then explore k r seen else explore k (map snd (succs n) ++ r) (n :: seen)
    end
  end.

Fixpoint back (k : nat) (nodes B : list nd) : list nd :=
  match k with
  | 0 => B
  | S k =>
    match filter (fun n => negb (memn n B) && existsb (fun e => memn (snd e) B) (succs n)) nodes with
    | [] => B
    | new => back k nodes (new ++ B)
    end
  end.

(* no indicator in S, no edge out of S: what nobody can leave towards R *)
Definition safe_ok (S : list nd) : bool :=
  forallb (fun n => negb (indb n) && forallb (fun e => memn (snd e) S) (succs n)) S.

Record lcond := LCond { lacc : list nd; ledges : list (nd * op * nd) }.

Definition generate (k : nat) : lcond :=
  let s := Pair (finit F') (finit F) in
  let nodes := explore k [s] [] in
  let B := back k nodes (filter indb nodes) in
  let S0 := filter (fun n => negb (memn n B)) nodes in
  let Sf := if safe_ok S0 then S0 else [] in
  let es := flat_map (fun n => map (fun e => (n, fst e, snd e)) (succs n)) nodes in
  let front := filter (fun e => memn (fst (fst e)) B) es in
  LCond (filter (fun n => memn n Sf) (s :: map snd front)) front.

Definition lcond_cond (C : lcond) : cond :=
  Cond nd (Pair (finit F') (finit F)) (fun n => In n (lacc C)) (fun m o n => In (m, o, n) (ledges C)).

Lemma generate_sound : forall k,
  diff_graph P P' (two_phase false T hold) ->
  forall c0 r, reg P P' c0 r -> ~ covers (lcond_cond (generate k)) (ops r).
Proof.
  intros k HG. unfold generate.
  set (s := Pair (finit F') (finit F)).
  set (nodes := explore k [s] []).
  set (B := back k nodes (filter indb nodes)).
  set (S0 := filter (fun n => negb (memn n B)) nodes).
  set (Sf := if safe_ok S0 then S0 else []).
  assert (HS : forall n, In n Sf -> indb n = false /\ forall e, In e (succs n) -> In (snd e) Sf).
  { unfold Sf. destruct (safe_ok S0) eqn:Hok; [| intros n []].
    intros n Hn. unfold safe_ok in Hok. rewrite forallb_forall in Hok.
    specialize (Hok n Hn). apply andb_true_iff in Hok. destruct Hok as [H1 H2].
    split; [apply negb_true_iff; exact H1 |]. intros e He.
    rewrite forallb_forall in H2. apply memn_true. auto. }
  apply alg1_any_sound with (G := two_phase false T hold) (B := fun n => ~ In n Sf) (f := fun n => n);
    [exact HG | | | reflexivity | |].
  - intros n Hi Hn. destruct (HS n Hn) as [H _]. apply indb_ind in Hi. congruence.
  - intros m o n He Hn Hm. apply Hn. apply succs_emit in He.
    destruct (HS m Hm) as [_ H]. apply (H (o, n)). exact He.
  - intros p o q Hin. apply succs_emit.
    apply (proj1 (filter_In _ _ _)) in Hin. destruct Hin as [Hin _].
    apply in_flat_map in Hin. destruct Hin as (n & _ & Hin).
    apply in_map_iff in Hin. destruct Hin as ([o1 m] & Heq & Hin).
    simpl in Heq. injection Heq as <- <- <-. exact Hin.
  - intros q Hq Hn. apply Hn. apply (proj1 (filter_In _ _ _)) in Hq. destruct Hq as [_ Hq].
    apply memn_true. exact Hq.
Qed.

End Generator.

(* budget: number of expansions before the loop is stopped; k1, k2 bound the
   searches. Too small a bound costs coverage, never soundness. *)
Definition condgen (budget k : nat) : lcond :=
  let (T, w) := loop budget wstart in generate T (waiting w) k.

Theorem condgen_sound : forall budget k, det P' ->
  forall c0 r, reg P P' c0 r -> ~ covers (lcond_cond (condgen budget k)) (ops r).
Proof.
  intros budget k D. unfold condgen.
  pose proof (loop_wreach budget wstart w_init) as Hr.
  destruct (loop budget wstart) as [T w].
  apply generate_sound.
  destruct (wreach_inv _ Hr) as [Hs _].
  apply two_phase_diff_graph; [exact D | exact Hs | right; exact (wreach_post T w Hr)].
Qed.

End Generate.
