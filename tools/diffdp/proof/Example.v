(* A language of three variables: the theorems closed, examples, and
   counterexamples to rules that are almost right. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Loop Termination Generator.

Inductive v3 := X | Y | Z.
Inductive d3 := D0 | D1 | D2.

Definition v3_dec (a b : v3) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition d3_dec (a b : d3) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition bool_dec2 (a b : bool) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Definition st3 := v3 -> d3.

Inductive expr := Cst (d : d3) | Var (x : v3) | Add (x : v3) (d : d3).
(* Store p x y d: `*p = d` where p points to x if it is 0 and to y otherwise;
   In x: x gets any value *)
Inductive tasg := Let (x : v3) (e : expr) | Store (p x y : v3) (d : d3) | Inp (x : v3).
Inductive rhs := RC (d : d3) | RV (x : v3).
Inductive tasm := Test (neg lt : bool) (u : v3) (b : rhs).

Definition tasg_dec (a b : tasg) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition tasm_dec (a b : tasm) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Definition nat_of (d : d3) : nat := match d with D0 => 0 | D1 => 1 | D2 => 2 end.
Definition d3_of (n : nat) : d3 := match n mod 3 with 0 => D0 | 1 => D1 | _ => D2 end.

Definition ev (e : expr) (c : st3) : d3 :=
  match e with
  | Cst d => d
  | Var x => c x
  | Add x d => d3_of (nat_of (c x) + nat_of d)
  end.

Definition euse (e : expr) : list v3 := match e with Cst _ => [] | Var x => [x] | Add x _ => [x] end.

Definition set1 (x : v3) (d : d3) (c : st3) : st3 := fun z => if v3_dec z x then d else c z.

Definition tdef (a : tasg) : list v3 :=
  match a with Let x _ => [x] | Store _ x y _ => [x; y] | Inp x => [x] end.
Definition tkill (a : tasg) : list v3 :=
  match a with Let x _ => [x] | Store _ _ _ _ => [] | Inp x => [x] end.
Definition tuse (a : tasg) : list v3 :=
  match a with Let _ e => euse e | Store p _ _ _ => [p] | Inp _ => [] end.
(* d is the value read by an input, unused otherwise *)
Definition trun (d : d3) (a : tasg) (c : st3) : st3 :=
  match a with
  | Let x e => set1 x (ev e c) c
  | Store p x y v => set1 (if d3_dec (c p) D0 then x else y) v c
  | Inp x => set1 x d c
  end.
Definition tsem (a : tasg) (c c1 : st3) : Prop := exists d, forall x, c1 x = trun d a c x.

Definition muse (p : tasm) : list v3 :=
  match p with Test _ _ u (RC _) => [u] | Test _ _ u (RV y) => [u; y] end.
Definition mtest (p : tasm) (c : st3) : bool :=
  match p with
  | Test neg lt u b =>
    let n := nat_of (c u) in
    let m := nat_of (match b with RC d => d | RV y => c y end) in
    xorb neg (if lt then Nat.ltb n m else Nat.eqb n m)
  end.
Definition msem (p : tasm) (c : st3) : Prop := mtest p c = true.

#[global] Instance toy : Language := {
  var := v3; var_dec := v3_dec; val := d3; asg := tasg; asm := tasm; asem := tsem; csem := msem; init_rel := eq }.

#[global] Instance toy_effects : Effects := {
  adef := tdef; akill := tkill; ause := tuse; cuse := muse; V0 := [] }.

Lemma ev_dep : forall e c c', (forall x, In x (euse e) -> c x = c' x) -> ev e c = ev e c'.
Proof.
  intros [d | x | x d] c c' H; simpl in *; [reflexivity | auto |].
  rewrite (H x) by auto. reflexivity.
Qed.

Lemma t_frame : forall a c c1 x, tsem a c c1 -> ~ In x (tdef a) -> c1 x = c x.
Proof.
  intros a c c1 z (v & Hc) H. rewrite Hc.
  destruct a as [x e | p x y d | x]; simpl in *; unfold set1.
  - destruct (v3_dec z x); [exfalso; apply H; auto | reflexivity].
  - destruct (d3_dec (c p) D0); destruct (v3_dec z _); try reflexivity;
      exfalso; apply H; auto.
  - destruct (v3_dec z x); [exfalso; apply H; auto | reflexivity].
Qed.

Lemma t_total : forall a c, exists c1, tsem a c c1.
Proof. intros a c. exists (trun D0 a c), D0. reflexivity. Qed.

Lemma t_dep : forall d a c c', (forall x, In x (tuse a) -> c x = c' x) ->
  forall x, c x = c' x -> trun d a c x = trun d a c' x.
Proof.
  intros v [x e | p x y d | x] c c' H z Hz; simpl in *; unfold set1.
  - rewrite (ev_dep e c c' H). destruct (v3_dec z x); auto.
  - rewrite (H p) by auto. destruct (v3_dec z _); auto.
  - destruct (v3_dec z x); auto.
Qed.

Lemma t_kill : forall d a c c', (forall x, In x (tuse a) -> c x = c' x) ->
  forall x, In x (tkill a) -> trun d a c x = trun d a c' x.
Proof.
  intros v [x e | p x y d | x] c c' H z Hz; simpl in *; [| contradiction |];
    destruct Hz as [<- | []]; unfold set1; destruct (v3_dec x x); try contradiction; auto.
  apply ev_dep. exact H.
Qed.

Lemma t_same : forall a, same_meaning a a.
Proof.
  intro a. split; [auto |]. intros c c' c1' Hu (d & Hd).
  exists (trun d a c). split; [exists d; reflexivity |]. split; intros x Hx; rewrite Hd.
  - apply t_kill; assumption.
  - apply t_dep; assumption.
Qed.

Lemma m_test_dep : forall p c c', (forall x, In x (muse p) -> c x = c' x) -> mtest p c = mtest p c'.
Proof.
  intros [neg lt u [d | y]] c c' H; simpl in *; rewrite (H u) by auto;
    [| rewrite (H y) by auto]; reflexivity.
Qed.

Lemma m_dep : forall p c c', (forall x, In x (muse p) -> c x = c' x) -> msem p c -> msem p c'.
Proof. intros p c c' H. unfold msem. rewrite (m_test_dep p c c' H). auto. Qed.

#[global] Instance toy_effects_ok : EffectsOk.
Proof.
  constructor; [exact t_frame | exact m_dep |].
  intro c'. exists c'. split; [reflexivity | intros x _; reflexivity].
Qed.

#[global] Instance toy_total : Total.
Proof. constructor. exact t_total. Qed.

Definition doms : list d3 := [D0; D1; D2].
Definition mk (a b c : d3) : st3 := fun x => match x with X => a | Y => b | Z => c end.
Definition states : list st3 :=
  flat_map (fun a => flat_map (fun b => map (fun c => mk a b c) doms) doms) doms.

Lemma in_doms : forall d, In d doms.
Proof. intros []; simpl; auto. Qed.

Lemma norm : forall c : st3, exists s, In s states /\ forall x, s x = c x.
Proof.
  intro c. exists (mk (c X) (c Y) (c Z)). split; [| intros []; reflexivity].
  apply in_flat_map. exists (c X). split; [apply in_doms |].
  apply in_flat_map. exists (c Y). split; [apply in_doms |].
  apply in_map_iff. exists (c Z). split; [reflexivity | apply in_doms].
Qed.

(* stand-ins for the solver: enumeration *)
Definition t_impl (p q : tasm) : bool :=
  existsb (mtest p) states && forallb (fun s => implb (mtest p s) (mtest q s)) states.

Lemma t_impl_sound : forall p q, t_impl p q = true -> forall c, msem p c -> msem q c.
Proof.
  intros p q H c Hp. apply andb_true_iff in H. destruct H as [_ H].
  rewrite forallb_forall in H. destruct (norm c) as (s & Hs & Heq).
  specialize (H s Hs). unfold msem in *.
  rewrite (m_test_dep p s c) in H by auto. rewrite (m_test_dep q s c) in H by auto.
  rewrite Hp in H. exact H.
Qed.

Definition agreeb (W : list v3) (s s' : st3) : bool :=
  forallb (fun x => mem x W || if d3_dec (s x) (s' x) then true else false) [X; Y; Z].

Lemma agreeb_agree : forall W s s', agree W s s' -> agreeb W s s' = true.
Proof.
  intros W s s' A. unfold agreeb. apply forallb_forall. intros x _.
  destruct (mem x W) eqn:Hm; [reflexivity |]. simpl.
  apply mem_false in Hm. rewrite (A x Hm). destruct (d3_dec (s' x) (s' x)); congruence.
Qed.

Definition t_sem_asm (W : list v3) (p q : tasm) : bool :=
  forallb (fun s' => negb (mtest p s') ||
    forallb (fun s => implb (agreeb W s s') (mtest q s)) states) states.

Lemma t_sem_asm_sound : forall W p q, t_sem_asm W p q = true ->
  forall c c', agree W c c' -> msem p c' -> msem q c.
Proof.
  intros W p q H c c' A Hp. unfold msem in *.
  destruct (norm c) as (s & Hs & Es). destruct (norm c') as (s' & Hs' & Es').
  unfold t_sem_asm in H. rewrite forallb_forall in H. specialize (H s' Hs').
  rewrite (m_test_dep p s' c') in H by auto. rewrite Hp in H. cbn [negb orb] in H.
  rewrite forallb_forall in H. specialize (H s Hs).
  rewrite agreeb_agree in H.
  - cbn [implb] in H. rewrite (m_test_dep q s c) in H by auto. exact H.
  - intros x Hx. rewrite Es, Es'. apply A. exact Hx.
Qed.

Definition t_sem_asg (V : list v3) (a b : tasg) : bool :=
  forallb (fun s' => forallb (fun d' => forallb (fun s => implb (agreeb V s s')
    (existsb (fun d => forallb (fun x =>
       if d3_dec (trun d b s x) (trun d' a s' x) then true else false) (tdef a)) doms))
    states) doms) states.

Lemma t_ext : forall d a s c, (forall x, s x = c x) -> forall x, trun d a s x = trun d a c x.
Proof. intros d a s c H x. apply t_dep; auto. Qed.

Lemma t_sem_asg_sound : forall V a b, t_sem_asg V a b = true ->
  forall c c' c1', agree V c c' -> tsem a c' c1' ->
  exists c1, tsem b c c1 /\ forall x, In x (tdef a) -> c1 x = c1' x.
Proof.
  intros V a b H c c' c1' A (d' & Hd').
  destruct (norm c) as (s & Hs & Es). destruct (norm c') as (s' & Hs' & Es').
  unfold t_sem_asg in H. rewrite forallb_forall in H. specialize (H s' Hs').
  rewrite forallb_forall in H. specialize (H d' (in_doms d')).
  rewrite forallb_forall in H. specialize (H s Hs).
  rewrite agreeb_agree in H by (intros z Hz; rewrite Es, Es'; apply A; exact Hz).
  cbn [implb] in H. apply existsb_exists in H. destruct H as (d & _ & H).
  rewrite forallb_forall in H. exists (trun d b c). split; [exists d; reflexivity |].
  intros x Hx. specialize (H x Hx). rewrite Hd'.
  rewrite (t_ext d b s c Es x), (t_ext d' a s' c' Es' x) in H.
  destruct (d3_dec (trun d b c x) (trun d' a c' x)); [assumption | discriminate].
Qed.

Definition eqd {A : Type} (dec : forall a b : A, {a = b} + {a <> b}) (a b : A) : bool :=
  if dec a b then true else false.

Lemma eqd_eq : forall A (dec : forall a b : A, {a = b} + {a <> b}) a b, eqd dec a b = true -> a = b.
Proof. intros A dec a b. unfold eqd. destruct (dec a b); [auto | discriminate]. Qed.

#[global] Instance toy_tests : Tests := {
  asg_dec := tasg_dec; asm_dec := tasm_dec; same_asg := eqd tasg_dec; same_asm := eqd tasm_dec;
  impl := t_impl; sem_asm := t_sem_asm; sem_asg := t_sem_asg }.

#[global] Instance toy_tests_ok : TestsOk.
Proof.
  constructor; [| | exact t_impl_sound | exact t_sem_asm_sound | exact t_sem_asg_sound].
  - intros a b H. rewrite (eqd_eq _ _ _ _ H). apply t_same.
  - intros p q H. rewrite (eqd_eq _ _ _ _ H). auto.
Qed.

(* programs: edges by location number, 100 the error, 101 the end *)
Definition lab := op.
Definition tcfa := list (list (lab * nat)).
Definition tprog (E : tcfa) : fprog :=
  FProg nat Nat.eq_dec 0 100 (fun l => nth l E []).

Definition flip (p : tasm) : tasm := match p with Test n r u b => Test (negb n) r u b end.

Definition det_loc (es : list (lab * nat)) : bool :=
  match es with
  | [] | [_] => true
  | [(Asm p, _); (Asm q, _)] => if tasm_dec q (flip p) then true else false
  | _ => false
  end.

Notation tdet E := (det (to_prog (tprog E))).

Lemma nth_cases : forall (E : tcfa) l, In (nth l E []) E \/ nth l E [] = [].
Proof.
  intros E l. destruct (nth_in_or_default l E []); auto.
Qed.

Lemma flip_excl : forall p c, ~ (msem p c /\ msem (flip p) c).
Proof.
  intros [n r u b] c. unfold msem. simpl.
  destruct n; destruct (if r then _ else _); simpl; intros [H1 H2]; discriminate.
Qed.

Lemma det_check : forall E, forallb det_loc E = true -> tdet E.
Proof.
  intros E H l o1 t1 o2 t2 H1 H2. simpl in H1, H2.
  assert (D : det_loc (nth l E []) = true).
  { destruct (nth_cases E l) as [Hi | ->]; [| reflexivity].
    rewrite forallb_forall in H. auto. }
  destruct (nth l E []) as [| e1 [| e2 [| e3 r]]]; simpl in H1, H2.
  - contradiction.
  - destruct H1 as [-> | []]. destruct H2 as [H2 | []]. injection H2 as -> ->. auto.
  - destruct e1 as [[a1 | p] u1]; [discriminate |].
    destruct e2 as [[a2 | q] u2]; [discriminate |]. simpl in D.
    destruct (tasm_dec q (flip p)) as [-> | _]; [| discriminate].
    destruct H1 as [H1 | [H1 | []]]; destruct H2 as [H2 | [H2 | []]];
      injection H1 as <- <-; injection H2 as <- <-; auto; right.
    + exists p, (flip p). split; [reflexivity |]. split; [reflexivity |]. apply flip_excl.
    + exists (flip p), p. split; [reflexivity |]. split; [reflexivity |].
      intros c [A B]. exact (flip_excl p c (conj B A)).
  - destruct e1 as [[a1 | p] u1]; [discriminate |].
    destruct e2 as [[a2 | q] u2]; discriminate.
Qed.

(* locations that may reach the error; everything if the search was too short *)
Fixpoint reach_iter (k : nat) (E : tcfa) (R : list nat) : list nat :=
  match k with
  | 0 => R
  | S k => reach_iter k E
      (filter (fun l => negb (if in_dec Nat.eq_dec l R then true else false) &&
         existsb (fun e => if in_dec Nat.eq_dec (snd e) R then true else false) (nth l E []))
       (seq 0 (length E)) ++ R)
  end.

Definition memb (R : list nat) (l : nat) : bool := if in_dec Nat.eq_dec l R then true else false.

Definition reach_ok (E : tcfa) (R : list nat) : bool :=
  memb R 100 &&
  forallb (fun l => forallb (fun e => implb (memb R (snd e)) (memb R l)) (nth l E []))
          (seq 0 (length E)).

Definition reach_err (E : tcfa) : nat -> bool :=
  let R := reach_iter (length E) E [100] in
  if reach_ok E R then memb R else fun _ => true.

Lemma reach_err_err : forall E, reach_err E 100 = true.
Proof.
  intro E. unfold reach_err. cbv zeta.
  destruct (reach_ok E (reach_iter (length E) E [100])) eqn:H; [| reflexivity].
  apply andb_true_iff in H. tauto.
Qed.

Lemma reach_err_back : forall E l o t,
  In (o, t) (fedges (tprog E) l) -> reach_err E t = true -> reach_err E l = true.
Proof.
  intros E l o t Hin. simpl in Hin. unfold reach_err. cbv zeta.
  destruct (reach_ok E (reach_iter (length E) E [100])) eqn:H; [| auto].
  apply andb_true_iff in H. destruct H as [_ H]. rewrite forallb_forall in H.
  destruct (le_lt_dec (length E) l) as [Hge | Hlt].
  { rewrite nth_overflow in Hin by exact Hge. contradiction. }
  specialize (H l). rewrite in_seq in H. specialize (H (conj (Nat.le_0_l _) Hlt)).
  rewrite forallb_forall in H. specialize (H _ Hin). simpl in H.
  intro Ht. rewrite Ht in H. exact H.
Qed.

#[global] Instance toy_task (how : flags) (E E' : tcfa) : Task := {
  F := tprog E; F' := tprog E'; fl := how; fuel := S (S (length E)); RM := reach_err E'; RP := reach_err E }.

#[global] Instance toy_task_ok how E E' : TaskOk (Tsk := toy_task how E E').
Proof. constructor; [apply reach_err_err | apply reach_err_back]. Qed.

Definition toy_condgen (how : flags) (E E' : tcfa) (budget : nat) :=
  condgen (Tsk := toy_task how E E') budget 5000.

Notation tpath_reg E E' := (reg (to_prog (tprog E)) (to_prog (tprog E'))).

(* Closed: no hypothesis is left but the check of determinism. *)
Theorem toy_sound : forall how E E' budget,
  forallb det_loc E' = true ->
  forall c0 r, tpath_reg E E' c0 r ->
  ~ covers (lcond_cond (toy_condgen how E E' budget)) (ops r).
Proof.
  intros how E E' budget D. exact (condgen_sound (Tsk := toy_task how E E') budget 5000 (det_check _ D)).
Qed.

(* ---- computed examples ---------------------------------------------------- *)

Notation A_ := (Asg (Lang := toy)).
Notation T_ := (Asm (Lang := toy)).
Definition eqc (x : v3) (d : d3) : tasm := Test false false x (RC d).
Definition base := Flags false false false false false false.
Definition built := Flags false false true true true false.    (* fn4 fn6 prune *)
Definition nofn4 := Flags false false false true true false.

Notation tbug E := (bug_path (to_prog (tprog E))).
Notation tcovers := covers.

Definition enabled (c : st3) (e : lab * nat) : bool :=
  match fst e with Asg _ => true | Asm p => mtest p c end.

(* which paths are bug paths is decided by execution *)
Fixpoint exec_bug (E : tcfa) (k : nat) (l : nat) (c : st3) : option (list lab) :=
  if Nat.eq_dec l 100 then Some [] else
  match k with
  | 0 => None
  | S k =>
    match find (enabled c) (nth l E []) with
    | None => None
    | Some (o, t) =>
      match exec_bug E k t (match o with Asg a => trun D0 a c | Asm _ => c end) with
      | None => None
      | Some w => Some (o :: w)
      end
    end
  end.

Lemma exec_bug_path : forall E k l c w, exec_bug E k l c = Some w ->
  exists r, path (to_prog (tprog E)) l c r /\
    violating (to_prog (tprog E)) l r /\
    ops r = w.
Proof.
  intros E k. induction k as [| k IH]; intros l c w; simpl; destruct (Nat.eq_dec l 100) as [-> | Hl].
  1, 3: intro H; injection H as <-; exists []; split; [constructor |]; split; [left |]; reflexivity.
  - discriminate.
  - destruct (find (enabled c) (nth l E [])) as [[o t] |] eqn:Hf; [| discriminate].
    apply find_some in Hf. destruct Hf as [Hin Hx]. simpl in Hx.
    set (c1 := match o with Asg a => trun D0 a c | Asm _ => c end).
    destruct (exec_bug E k t c1) as [u |] eqn:Hr; [| discriminate].
    intro H. injection H as <-. destruct (IH _ _ _ Hr) as (r & Hp & Hv & Ho).
    exists ((o, t, c1) :: r). split; [| split].
    + econstructor; [exact Hin | | exact Hp].
      destruct o as [a | p]; simpl; [exists D0; reflexivity | split; [exact Hx | reflexivity]].
    + right. destruct Hv as [Hv | Hv]; [apply Exists_cons_hd; exact Hv | apply Exists_cons_tl; exact Hv].
    + simpl. f_equal. exact Ho.
Qed.

Lemma enabled_ext : forall c c' e, (forall x, c x = c' x) -> enabled c e = enabled c' e.
Proof. intros c c' [[a | p] t] H; simpl; [reflexivity | apply m_test_dep; auto]. Qed.

Lemma exec_bug_ext : forall E k l c c', (forall x, c x = c' x) -> exec_bug E k l c = exec_bug E k l c'.
Proof.
  intros E k. induction k as [| k IH]; intros l c c' H; simpl; destruct (Nat.eq_dec l 100); auto.
  assert (Hf : find (enabled c) (nth l E []) = find (enabled c') (nth l E [])).
  { generalize (nth l E []) as es. induction es as [| e es IHes]; simpl; [reflexivity |].
    rewrite (enabled_ext c c' e H), IHes. reflexivity. }
  rewrite Hf. destruct (find (enabled c') (nth l E [])) as [[o t] |]; [| reflexivity].
  destruct o as [a | p].
  - rewrite (IH t (trun D0 a c) (trun D0 a c')); [reflexivity | apply t_ext; exact H].
  - rewrite (IH t c c' H). reflexivity.
Qed.

Definition no_input (E : tcfa) : bool :=
  forallb (forallb (fun e => match fst e with Asg (Inp _) => false | _ => true end)) E.

Lemma no_input_at : forall E l a t, no_input E = true -> In (A_ a, t) (nth l E []) ->
  forall d c, trun d a c = trun D0 a c.
Proof.
  intros E l a t H Hin d c. unfold no_input in H. rewrite forallb_forall in H.
  destruct (nth_cases E l) as [Hi | He]; [| rewrite He in Hin; contradiction].
  specialize (H _ Hi). rewrite forallb_forall in H. specialize (H _ Hin). simpl in H.
  destruct a; [reflexivity | reflexivity | discriminate].
Qed.

(* Without inputs a bug path is found by execution. *)
Lemma can_fail : forall E k l c r,
  path (to_prog (tprog E)) l c r ->
  violating (to_prog (tprog E)) l r ->
  length r <= k -> forallb det_loc E = true -> no_input E = true ->
  exists w, exec_bug E k l c = Some w.
Proof.
  intros E k. induction k as [| k IH]; intros l c r Hp Hv Hk D N; simpl;
    destruct (Nat.eq_dec l 100) as [Hl | Hl]; eauto.
  - destruct r; [| simpl in Hk; lia]. destruct Hv as [Hv | Hv]; [contradiction | inversion Hv].
  - inversion Hp as [| ? ? o t c1 r1 He Hx Hp1]; subst.
    { destruct Hv as [Hv | Hv]; [contradiction | inversion Hv]. }
    assert (Hv1 := violating_tail _ _ _ _ Hv Hl). unfold tloc in Hv1. simpl in Hv1, He.
    simpl in Hk.
    destruct (find (enabled c) (nth l E []))
      as [[o2 t2] |] eqn:Hf.
    + apply find_some in Hf. destruct Hf as [Hin Hx2]. simpl in Hx2.
      assert (Heq : o2 = o /\ t2 = t).
      { destruct (det_check E D l o2 t2 o t Hin He) as [H | (p & q & -> & -> & Hex)]; [exact H |].
        destruct Hx as [Hx _]. exfalso. apply (Hex c). split; [exact Hx2 | exact Hx]. }
      destruct Heq as [-> ->].
      assert (Hk1 : length r1 <= k) by (apply le_S_n; exact Hk).
      destruct (IH t c1 r1 Hp1 Hv1 Hk1 D N) as (w & Hw).
      destruct o as [a | p]; simpl in Hx.
      * destruct Hx as (d & Hd). exists (Asg a :: w).
        rewrite (exec_bug_ext E k t (trun D0 a c) c1); [rewrite Hw; reflexivity |].
        intro x. rewrite Hd, (no_input_at E l a t N Hin d c). reflexivity.
      * destruct Hx as [_ ->]. exists (Asm p :: w). rewrite Hw. reflexivity.
    + exfalso. pose proof (find_none _ _ Hf _ He) as Hn. unfold enabled in Hn. simpl in Hn.
      destruct o as [a | p]; [discriminate |]. destruct Hx as [Hx _]. unfold msem in Hx. congruence.
Qed.

(* One graph with a regression path (not covered, by the theorem), and a
   violating path that is covered: the condition is neither empty nor total.
   original  0: y := 0   1: [x = 0] -> 2 | 3   2: [y = 1] -> error   3: [z = 1] -> error
   modified  0: y := 1   the rest as before                                            *)
Definition ex_rest : tcfa :=
  [[(T_ (eqc X D0), 2); (T_ (flip (eqc X D0)), 3)];
   [(T_ (eqc Y D1), 100); (T_ (flip (eqc Y D1)), 101)];
   [(T_ (eqc Z D1), 100); (T_ (flip (eqc Z D1)), 101)]].
Definition ex_orig : tcfa := [(A_ (Let Y (Cst D0)), 1)] :: ex_rest.
Definition ex_mod : tcfa := [(A_ (Let Y (Cst D1)), 1)] :: ex_rest.

Definition reg_word (E E' : tcfa) (c : st3) (w : list lab) : Prop :=
  exists r, tpath_reg E E' c r /\ ops r = w.

(* acyclic programs: every path is at most as long as the program *)
Definition forward (E : tcfa) : bool :=
  forallb (fun l => forallb (fun e => Nat.ltb l (snd e)) (nth l E [])) (seq 0 (length E)) &&
  Nat.leb (length E) 100.

Lemma forward_length : forall E, forward E = true -> forall r l c,
  path (to_prog (tprog E)) l c r ->
  r = [] \/ l + length r <= length E.
Proof.
  intros E H r. apply andb_true_iff in H. destruct H as [H _].
  rewrite forallb_forall in H.
  induction r as [| s r IH]; intros l c Hp; [auto |]. right.
  inversion Hp as [| ? ? o t c1 r1 He Hx Hp1]; subst. simpl in He.
  destruct (le_lt_dec (length E) l) as [Hge | Hlt].
  { rewrite nth_overflow in He by exact Hge. contradiction. }
  specialize (H l). rewrite in_seq in H. specialize (H (conj (Nat.le_0_l _) Hlt)).
  rewrite forallb_forall in H. specialize (H _ He). simpl in H. apply Nat.ltb_lt in H.
  change (l + S (length r) <= length E). destruct (IH _ _ Hp1) as [-> | Hr].
  - change (l + 1 <= length E). lia.
  - assert (Hr2 : t + length r <= length E) by exact Hr. lia.
Qed.

Lemma reg_by_execution : forall E E' c w,
  forward E = true -> forallb det_loc E = true -> no_input E = true ->
  exec_bug E' (length E') 0 c = Some w -> exec_bug E (length E) 0 c = None ->
  reg_word E E' c w.
Proof.
  intros E E' c w HF HD HN H1 H2. destruct (exec_bug_path _ _ _ _ _ H1) as (r & Hp & Hv & Ho).
  exists r. split; [| exact Ho]. split; [split; assumption |].
  intros (d0 & r0 & -> & Hp0 & Hv0).
  assert (Hk : length r0 <= length E).
  { destruct (forward_length E HF r0 0 c Hp0) as [-> | Hl]; [apply Nat.le_0_l | exact Hl]. }
  destruct (can_fail _ _ _ _ _ Hp0 Hv0 Hk HD HN) as (u & Hu).
  simpl in Hu. rewrite H2 in Hu. discriminate.
Qed.

Example ex_regression : exists w, reg_word ex_orig ex_mod (mk D0 D0 D0) w.
Proof.
  eexists. apply reg_by_execution; vm_compute; reflexivity.
Qed.

(* coverage is decided by running the automaton *)
Definition tnode := node nat nat.
Definition tnode_dec (a b : tnode) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition lab_dec (a b : lab) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Fixpoint accepts (acc : list tnode) (es : list (tnode * lab * tnode)) (n : tnode) (w : list lab) : bool :=
  (if in_dec tnode_dec n acc then true else false) ||
  match w with
  | [] => false
  | o :: w =>
    existsb (fun e => (if tnode_dec (fst (fst e)) n then true else false) &&
                      (if lab_dec (snd (fst e)) o then true else false) &&
                      accepts acc es (snd e) w) es
  end.

Definition tstart : tnode := Pair 0 0.

Lemma accepts_covers : forall how E E' (C : lcond (Tsk := toy_task how E E')) w,
  accepts (lacc C) (ledges C) tstart w = true ->
  tcovers (lcond_cond C) w.
Proof.
  intros how E E' C w H. unfold covers.
  change (cstart (lcond_cond C)) with tstart.
  revert H. generalize tstart as n. induction w as [| o w IH]; intros n H; simpl in H;
    destruct (in_dec tnode_dec n (lacc C)) as [Hi | _]; simpl in H.
  - exists [], [], n. split; [reflexivity |]. split; [constructor | exact Hi].
  - discriminate.
  - exists [], (o :: w), n. split; [reflexivity |]. split; [constructor | exact Hi].
  - apply existsb_exists in H. destruct H as ([[m o1] k] & Hin & H). simpl in H.
    destruct (tnode_dec m n) as [-> |]; [| discriminate].
    destruct (lab_dec o1 o) as [-> |]; [| discriminate]. simpl in H.
    destruct (IH k H) as (u & v & q & -> & Hr & Ha).
    exists (o :: u), v, q. split; [reflexivity |]. split; [| exact Ha].
    econstructor; [exact Hin | exact Hr].
Qed.

Example ex_covered : exists c0 w, exec_bug ex_mod 4 0 c0 = Some w /\
  tcovers (lcond_cond (toy_condgen built ex_orig ex_mod 100)) w.
Proof.
  exists (mk D1 D0 D1). eexists. split; [vm_compute; reflexivity |].
  apply accepts_covers. vm_compute. reflexivity.
Qed.

(* ---- counterexamples ------------------------------------------------------ *)

(* Clearing what an operation may write, instead of what it certainly
   overwrites, covers a regression path.
   original  x := 0; *p := 0; [x = 1] -> error, where p = z points to x or y
   modified  x := 1; the rest as before                                       *)
Definition kill_effects (kill : tasg -> list v3) : Effects := {|
  adef := tdef; akill := kill; ause := tuse; cuse := muse; V0 := [] |}.

Definition cg_kill (kill : tasg -> list v3) (how : flags) (E E' : tcfa) (budget : nat) :=
  condgen (Eff := kill_effects kill) (Tsk := toy_task how E E') budget 5000.

Definition wk_rest : tcfa :=
  [[(A_ (Store Z X Y D0), 2)];
   [(T_ (eqc X D1), 100); (T_ (flip (eqc X D1)), 101)]].
Definition wk_orig : tcfa := [(A_ (Let X (Cst D0)), 1)] :: wk_rest.
Definition wk_mod : tcfa := [(A_ (Let X (Cst D1)), 1)] :: wk_rest.

Theorem may_def_clears_is_unsound : exists c0 w, reg_word wk_orig wk_mod c0 w /\
  tcovers (lcond_cond (cg_kill tdef built wk_orig wk_mod 100)) w.
Proof.
  exists (mk D0 D0 D1). eexists. split.
  - apply reg_by_execution; vm_compute; reflexivity.
  - apply accepts_covers. vm_compute. reflexivity.
Qed.

(* diffcond without errors_together: only the target of one branch differs.
   original  [x = 1] -> end      modified  [x = 1] -> error                   *)
Definition dx_orig : tcfa := [[(T_ (eqc X D1), 101); (T_ (flip (eqc X D1)), 101)]].
Definition dx_mod : tcfa := [[(T_ (eqc X D1), 100); (T_ (flip (eqc X D1)), 101)]].

Definition t_dc E E' := dc_graph (Tsk := toy_task built E E').

Theorem diffcond_needs_errors_together : exists c0 w, reg_word dx_orig dx_mod c0 w /\
  tcovers (alg1 (t_dc dx_orig dx_mod)) w.
Proof.
  exists (mk D1 D1 D1). eexists. split; [apply reg_by_execution; vm_compute; reflexivity |].
  exists [], [T_ (eqc X D1)], tstart. split; [reflexivity |]. split; [constructor |].
  assert (Hcl : forall n w m, run (dc_emit (Tsk := toy_task built dx_orig dx_mod)) n w m ->
                (n = tstart \/ n = Pair 100 101 \/ n = Pair 101 101) ->
                (m = tstart \/ m = Pair 100 101 \/ m = Pair 101 101)).
  { intros n w m Hrun. induction Hrun as [| n o m w q Hm Hrun IH]; [auto |].
    intro Hn. apply IH. destruct Hn as [-> | [-> | ->]]; simpl in Hm.
    - destruct Hm as (_ & s' & [H | [H | []]] & ->); injection H as <- <-; vm_compute; auto.
    - destruct Hm as (_ & s' & [] & _).
    - destruct Hm as (_ & s' & [] & _). }
  split; [| right; reflexivity].
  intros (w & m & Hrun & Hind).
  destruct (Hcl _ _ _ Hrun (or_introl eq_refl)) as [-> | [-> | ->]]; exact Hind.
Qed.

(* Replacing loses: one inserted assignment, then everything identical. Without
   the rule the whole program is covered, with it nothing is.
   original  x := 1; x := 2; [x = 1] -> error
   modified  x := 0; x := 1; x := 2; [x = 1] -> error                         *)
Definition f4_orig : tcfa :=
  [[(A_ (Let X (Cst D1)), 1)]; [(A_ (Let X (Cst D2)), 2)];
   [(T_ (eqc X D1), 100); (T_ (flip (eqc X D1)), 101)]].
Definition f4_mod : tcfa :=
  [[(A_ (Let X (Cst D0)), 1)]; [(A_ (Let X (Cst D1)), 2)]; [(A_ (Let X (Cst D2)), 3)];
   [(T_ (eqc X D1), 100); (T_ (flip (eqc X D1)), 101)]].

Example fn4_loses :
  lacc (toy_condgen nofn4 f4_orig f4_mod 100) = [tstart] /\
  lacc (toy_condgen built f4_orig f4_mod 100) = [].
Proof. split; vm_compute; reflexivity. Qed.

(* The rule for both at their errors stores a pair with a V outside which the
   data states do not agree (harmless, nothing follows).  original  x := 1 -> error      modified  y := 0 -> error  *)
Definition f6_orig : tcfa := [[(A_ (Let X (Cst D1)), 100)]].
Definition f6_mod : tcfa := [[(A_ (Let Y (Cst D0)), 100)]].

Definition t_loop how E E' budget :=
  loop (Tsk := toy_task how E E') budget (wstart (Tsk := toy_task how E E')).

Example fn6_entry_too_small :
  fst (t_loop built f6_orig f6_mod 100) 100 100 = Some [Y] /\
  exists c, ~ agree [Y] (trun D0 (Let X (Cst D1)) c) (trun D0 (Let Y (Cst D0)) c).
Proof.
  split; [vm_compute; reflexivity |].
  exists (mk D0 D0 D0). intro H. specialize (H X). simpl in H.
  assert (Hx : ~ (Y = X \/ False)) by (intros [Hx | []]; discriminate).
  specialize (H Hx). vm_compute in H. discriminate.
Qed.

