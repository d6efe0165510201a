(* The checker of certificates (ALGORITHM.md 8.3).

   A certificate says of every node of a graph where the two programs are and
   which objects may differ there, and of every edge what the original does
   meanwhile: certain moves, at most one joint step, certain moves again. The
   checker looks at each edge by itself. A graph that it accepts has the
   soundness property, whoever made it, and so has a condition that was checked
   against such a graph.

   Locations are any type with a decision of equality: points with call stacks
   are an instance (Calls.v). Assumed are the two classes of laws, EffectsOk and
   ChecksOk, that P' is deterministic, and that `dead` is right. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules.

(* What the checker asks about operations. *)
Class Checks {Lang : Language} := {
  (* an operation that nothing stops, whatever the data *)
  completes : asg -> bool;
  (* to these an operation may give any value: inputs, and objects whose life ends *)
  afree : asg -> vset;
  (* what the value depends on that an assignment gives an object, as where several parameters are bound *)
  puse : asg -> var -> vset;
  same_part : asg -> asg -> var -> bool;
  (* an input of the original may yield what the operation of the modified program writes *)
  chooses : asg -> asg -> var -> bool;
  (* the operations do alike where they agree on the first set: the objects of the
     third are overwritten alike, those of the second may come to differ *)
  like : asg -> asg -> vset -> vset -> vset -> bool;
  (* one of two assumes can be passed, and: who passes the one passes the other *)
  opposite : asm -> asm -> bool;
  implied : asm -> asm -> bool }.

Class ChecksOk {Lang : Language} {Chk : Checks} : Prop := {
  afree_sound : forall b c d, completes b = true -> exists c1, asem b c c1 /\ forall x, In x (afree b) -> c1 x = d x;
  same_part_sound : forall a b x c c' c1 c1', same_part a b x = true ->
    (forall y, In y (puse a x) -> c y = c' y) -> asem a c' c1' -> asem b c c1 -> c1 x = c1' x;
  chooses_sound : forall a b D c c' c1', completes b = true -> forallb (chooses a b) D = true -> asem a c' c1' ->
    exists c1, asem b c c1 /\ forall x, In x D -> c1 x = c1' x;
  like_sound : forall a b needs extra alike c c' c1', like a b needs extra alike = true ->
    (forall x, In x needs -> c x = c' x) -> asem a c' c1' ->
    exists c1, asem b c c1 /\ (forall x, In x alike -> c1 x = c1' x) /\
      (forall x, ~ In x extra -> c x = c' x -> c1 x = c1' x);
  opposite_sound : forall p q, opposite p q = true -> forall c, csem p c \/ csem q c;
  implied_sound : forall p q, implied p q = true -> forall c, csem p c -> csem q c }.

(* Certain moves of the original: through the only edge, an assignment; through
   both branches of a decision, to where they meet; one after the other. What is
   passed on the way into, through and out of a function are such moves as well. *)
Inductive plan :=
| Stay
| Pass (rest : plan)
| Fork (p q : plan)
| Then (p q : plan).

Section Answers.

Context {Lang : Language}.

(* A joint step of two assignments: they do alike, or each does its own but for
   objects that the original chooses and objects that are given the same value.
   Of two assumes: the original follows. *)
Inductive joint :=
| Alike (needs extra alike : vset)
| Each (chosen bound : vset)
| Follow.

(* What the original does while the modified program passes an edge, and where
   the edge of the graph leads: to the indicator, to a leaf since the modified
   program cannot fail any more, to a leaf since the original fails, to a node. *)
Inductive answer :=
| Stop
| Dead
| Doomed (before : plan) (with_edge : option (nat * joint)) (after : plan)
| Goes (n : nat) (before : plan) (with_edge : option (nat * joint)) (after : plan).

End Answers.

Section Certificate.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Chk : Checks} {ChkOk : ChecksOk}.

Variables F F' : fprog.                              (* original, modified *)
Variable dead : floc F' -> bool.                     (* cannot reach the error *)

Notation P := (to_prog F).
Notation P' := (to_prog F').
Notation fails := (ferr F).

Definition is (x y : floc F) : bool := if fdec F x y then true else false.
Definition is' (x y : floc F') : bool := if fdec F' x y then true else false.

Lemma is_true : forall x y, is x y = true <-> x = y.
Proof. intros x y. unfold is. destruct (fdec F x y); split; auto; discriminate. Qed.

Lemma is'_true : forall x y, is' x y = true <-> x = y.
Proof. intros x y. unfold is'. destruct (fdec F' x y); split; auto; discriminate. Qed.

(* Where a plan leads from l, and what may then differ from before; X may already. *)
Fixpoint follow (p : plan) (l : floc F) (X : vset) : option (floc F * vset) :=
  match p with
  | Stay => Some (l, X)
  | Pass rest =>
    match fedges F l with
    | [(Asg b, t)] => if completes b then follow rest t (diff (union X (adef b)) (afree b)) else None
    | _ => None
    end
  | Fork p q =>
    match fedges F l with
    | [(Asm a, t); (Asm b, u)] =>
      match opposite a b, follow p t X, follow q u X with
      | true, Some (k, Y), Some (m, Z) =>
        if is k fails then Some (m, Z)
        else if is m fails then Some (k, Y)
        else if is k m then Some (k, union Y Z) else None
      | _, _, _ => None
      end
    | _ => None
    end
  | Then p q =>
    match follow p l X with
    | Some (k, Y) => if is k fails then Some (k, Y) else follow q k Y
    | None => None
    end
  end.

(* The objects that may differ behind a joint step, if it may be made. *)
Definition together (j : joint) (V : vset) (o q : op) : option vset :=
  match j, o, q with
  | Alike needs extra alike, Asg a, Asg b =>
    if like a b needs extra alike && disjoint needs V then Some (diff (union V extra) alike) else None
  | Each chosen bound, Asg a, Asg b =>
    if completes b && forallb (chooses a b) chosen && forallb (fun x => same_part a b x && disjoint (puse a x) V) bound
    then Some (diff (union V (union (adef a) (adef b))) (union chosen bound)) else None
  | Follow, Asm p, Asm q =>
    if implied p q && (disjoint (cuse p) V || disjoint (cuse q) V) then Some V else None
  | _, _, _ => None
  end.

(* The modified program alone. *)
Definition alone (o : op) (V : vset) : vset :=
  match o with Asg a => union V (adef a) | Asm _ => V end.

Definition joined (w : option (nat * joint)) (k : floc F) (V : vset) (o : op) : option (floc F * vset) :=
  match w with
  | None => Some (k, alone o V)
  | Some (i, j) =>
    match nth_error (fedges F k) i with
    | Some (q, t) => match together j V o q with Some W => Some (t, W) | None => None end
    | None => None
    end
  end.

Definition walked (p : plan) (l : floc F) (V : vset) : option (floc F * vset) :=
  match follow p l [] with Some (k, X) => Some (k, union V X) | None => None end.

(* Where the original is behind a step from l, and what may differ then. *)
Definition arrive (l : floc F) (V : vset) (o : op) (p : plan) (w : option (nat * joint)) (q : plan)
    : option (floc F * vset) :=
  match walked p l V with
  | None => None
  | Some (k, W) =>
    if is k fails then Some (k, W) else
    match joined w k W o with
    | None => None
    | Some (t, U) => if is t fails then Some (t, U) else walked q t U
    end
  end.

Record place := Place {
  at_modified : floc F'; at_original : floc F; affected : vset; answers : list answer }.

Record certificate := Certificate { first : answer; places : list place }.

(* Whether the original, having come to k with V, is where the node says. *)
Definition fits (C : certificate) (n : nat) (s' : floc F') (k : floc F) (V : vset) : bool :=
  match nth_error (places C) n with
  | Some m => is' (at_modified m) s' && is (at_original m) k && subset V (affected m)
  | None => false
  end.

Definition edge_ok (C : certificate) (m : place) (e : op * floc F') (a : answer) : bool :=
  match a with
  | Stop => true
  | Dead => dead (snd e)
  | Doomed p w q =>
    match arrive (at_original m) (affected m) (fst e) p w q with Some (k, _) => is k fails | None => false end
  | Goes n p w q =>
    negb (is' (snd e) (ferr F')) &&
    match arrive (at_original m) (affected m) (fst e) p w q with
    | Some (k, V) => fits C n (snd e) k V
    | None => false
    end
  end.

Definition first_ok (C : certificate) : bool :=
  match first C with
  | Stop => true
  | Dead => dead (finit F')
  | Doomed p _ _ => match walked p (finit F) V0 with Some (k, _) => is k fails | None => false end
  | Goes n p _ _ =>
    negb (is' (finit F') (ferr F')) &&
    match walked p (finit F) V0 with Some (k, V) => fits C n (finit F') k V | None => false end
  end.

Definition place_ok (C : certificate) (m : place) : bool :=
  (length (answers m) =? length (fedges F' (at_modified m))) &&
  forallb (fun p => edge_ok C m (fst p) (snd p)) (combine (fedges F' (at_modified m)) (answers m)).

Definition certificate_ok (C : certificate) : bool := first_ok C && forallb (place_ok C) (places C).

(* The graph that a certificate is about. *)
Inductive vertex := Node (n : nat) | Indicator | Nothing.

Definition leads (a : answer) : vertex :=
  match a with Stop => Indicator | Dead | Doomed _ _ _ => Nothing | Goes n _ _ _ => Node n end.

Definition successors (C : certificate) (v : vertex) : list (op * vertex) :=
  match v with
  | Node n =>
    match nth_error (places C) n with
    | Some m => map (fun p => (fst (fst p), leads (snd p))) (combine (fedges F' (at_modified m)) (answers m))
    | None => []
    end
  | _ => []
  end.

Definition certified (C : certificate) : graph :=
  Graph vertex (leads (first C)) (fun v => v = Indicator) (fun v o w => In (o, w) (successors C v)).

(* What follows is proved of moves: the original can make them, and comes to
   where the checker says or to its error. *)
Definition comes (l : floc F) (c : state) (k : floc F) (ok : state -> Prop) : Prop :=
  exists k1 c1, steps P l c k1 c1 /\ (k1 = fails \/ (k1 = k /\ ok c1)).

Lemma comes_steps : forall l c m d k ok, steps P l c m d -> comes m d k ok -> comes l c k ok.
Proof.
  intros l c m d k ok S (k1 & c1 & S1 & H). exists k1, c1. split; [| exact H].
  eapply steps_trans; eassumption.
Qed.

Lemma comes_weaken : forall l c k (ok ok1 : state -> Prop),
  (forall c1, ok c1 -> ok1 c1) -> comes l c k ok -> comes l c k ok1.
Proof. intros l c k ok ok1 H (k1 & c1 & S & [E | [E O]]); exists k1, c1; auto. Qed.

Lemma comes_then : forall l c k m ok ok1,
  comes l c k ok -> (forall c1, ok c1 -> comes k c1 m ok1) -> comes l c m ok1.
Proof.
  intros l c k m ok ok1 (k1 & c1 & S & [E | [-> O]]) H.
  - exists k1, c1. auto.
  - eapply comes_steps; [exact S | auto].
Qed.

Lemma comes_fails : forall l c k ok ok1, k = fails -> comes l c k ok -> comes l c k ok1.
Proof. intros l c k ok ok1 Hk (k1 & c1 & S & [E | [-> O]]); exists fails, c1; subst; auto. Qed.

Lemma follow_sound : forall p l X k Y, follow p l X = Some (k, Y) ->
  forall c d, agree X c d -> comes l c k (fun c1 => agree Y c1 d).
Proof.
  induction p as [| p IH | p IHp q IHq | p IHp q IHq]; intros l X k Y H c d A; simpl in H.
  - injection H as <- <-. exists l, c. split; [constructor | auto].
  - destruct (fedges F l) as [| [[b | a] t] [| e r]] eqn:He; try discriminate.
    destruct (completes b) eqn:Hb; [| discriminate].
    destruct (afree_sound b c d Hb) as (c1 & Hx & Hf).
    eapply comes_steps; [| eapply IH; [exact H |]].
    + eapply one_asg; [| exact Hx]. simpl. rewrite He. left. reflexivity.
    + intros x Hx1. destruct (in_dec var_dec x (afree b)) as [Hin | Hout]; [auto |].
      assert (Hn : ~ In x (union X (adef b))) by (intro Hi; apply Hx1; apply in_diff; auto).
      rewrite in_union in Hn. rewrite (asem_frame b c c1 x Hx) by auto. auto.
  - destruct (fedges F l) as [| [[b | a] t] [| [[b2 | a2] u] [| e r]]] eqn:He; try discriminate.
    destruct (opposite a a2) eqn:Ho; [| discriminate].
    destruct (follow p t X) as [[k1 Y1] |] eqn:H1; [| discriminate].
    destruct (follow q u X) as [[k2 Y2] |] eqn:H2; [| discriminate].
    assert (Hstep : forall o m, (o = Asm a /\ m = t \/ o = Asm a2 /\ m = u) -> exec o c c -> steps P l c m c).
    { intros o m Hom Hx. eapply steps_one; [| exact Hx | constructor]. simpl. rewrite He.
      destruct Hom as [[-> ->] | [-> ->]]; [left | right; left]; reflexivity. }
    assert (C1 : csem a c -> comes l c k1 (fun c1 => agree Y1 c1 d)).
    { intro Hc. eapply comes_steps; [apply (Hstep (Asm a) t); simpl; auto |]. eapply IHp; eassumption. }
    assert (C2 : csem a2 c -> comes l c k2 (fun c1 => agree Y2 c1 d)).
    { intro Hc. eapply comes_steps; [apply (Hstep (Asm a2) u); simpl; auto |]. eapply IHq; eassumption. }
    destruct (is k1 fails) eqn:E1.
    { apply is_true in E1. injection H as <- <-.
      destruct (opposite_sound _ _ Ho c) as [Hc | Hc]; [| auto].
      destruct (C1 Hc) as (m & c1 & S & [E | [E _]]); exists m, c1; subst; auto. }
    destruct (is k2 fails) eqn:E2.
    { apply is_true in E2. injection H as <- <-.
      destruct (opposite_sound _ _ Ho c) as [Hc | Hc]; [auto |].
      destruct (C2 Hc) as (m & c1 & S & [E | [E _]]); exists m, c1; subst; auto. }
    destruct (is k1 k2) eqn:E3; [| discriminate]. apply is_true in E3. injection H as <- <-.
    destruct (opposite_sound _ _ Ho c) as [Hc | Hc].
    + eapply comes_weaken; [| exact (C1 Hc)]. intros c1 A1. eapply agree_incl; [| exact A1].
      intros x Hx. apply in_union. auto.
    + subst k2. eapply comes_weaken; [| exact (C2 Hc)]. intros c1 A1. eapply agree_incl; [| exact A1].
      intros x Hx. apply in_union. auto.
  - destruct (follow p l X) as [[m Z] |] eqn:H1; [| discriminate].
    pose proof (IHp _ _ _ _ H1 c d A) as C1.
    destruct (is m fails) eqn:E1.
    + apply is_true in E1. injection H as <- <-. exact C1.
    + eapply comes_then; [exact C1 |]. intros c1 A1. eapply IHq; eassumption.
Qed.

Lemma walked_sound : forall p l V k W, walked p l V = Some (k, W) ->
  forall c c', agree V c c' -> comes l c k (fun c1 => agree W c1 c').
Proof.
  intros p l V k W H c c' A. unfold walked in H.
  destruct (follow p l []) as [[m X] |] eqn:Hf; [| discriminate]. injection H as <- <-.
  eapply comes_weaken; [| eapply follow_sound; [exact Hf | intros x _; reflexivity]].
  intros c1 A1 x Hx. rewrite in_union in Hx. rewrite (A1 x), (A x); auto.
Qed.

Lemma together_sound : forall j V o q W k t, together j V o q = Some W -> In (q, t) (fedges F k) ->
  forall c c' c1', agree V c c' -> exec o c' c1' -> comes k c t (fun c1 => agree W c1 c1').
Proof.
  intros j V o q W k t H He c c' c1' A X.
  assert (Hone : forall c1, exec q c c1 -> agree W c1 c1' -> comes k c t (fun c2 => agree W c2 c1')).
  { intros c1 Hq Ag. exists t, c1. split; [| auto].
    eapply steps_one; [exact He | exact Hq | constructor]. }
  destruct j as [needs extra alike | chosen bound |]; destruct o as [a | p]; destruct q as [b | r];
    simpl in H; try discriminate; simpl in X.
  - destruct (like a b needs extra alike && disjoint needs V) eqn:Hb; [| discriminate].
    injection H as <-. apply andb_true_iff in Hb. destruct Hb as [Hl Hd].
    destruct (like_sound _ _ _ _ _ c c' c1' Hl) as (c1 & Hx & Ha & Hk);
      [eapply agree_use; eassumption | exact X |].
    apply (Hone c1 Hx). intros x Hn.
    destruct (in_dec var_dec x alike) as [Hi | Hi]; [auto |].
    assert (Hn1 : ~ In x (union V extra)) by (intro Hu; apply Hn; apply in_diff; auto).
    rewrite in_union in Hn1. apply Hk; [auto |]. apply A. auto.
  - destruct (completes b && forallb (chooses a b) chosen && _) eqn:Hb; [| discriminate].
    injection H as <-. apply andb_true_iff in Hb. destruct Hb as [Hb Hs]. rewrite forallb_forall in Hs.
    apply andb_true_iff in Hb. destruct Hb as [Hb Hc].
    destruct (chooses_sound _ _ _ c c' c1' Hb Hc X) as (c1 & Hx & Hch).
    apply (Hone c1 Hx). intros x Hn.
    destruct (in_dec var_dec x chosen) as [Hi | Hi]; [auto |].
    destruct (in_dec var_dec x bound) as [Hj | Hj].
    + specialize (Hs x Hj). apply andb_true_iff in Hs. destruct Hs as [Hp Hd].
      eapply same_part_sound; [exact Hp | | exact X | exact Hx]. eapply agree_use; eassumption.
    + assert (Hn1 : ~ In x (union V (union (adef a) (adef b)))).
      { intro Hu. apply Hn. apply in_diff. split; [exact Hu |]. rewrite in_union. tauto. }
      rewrite !in_union in Hn1.
      rewrite (asem_frame b c c1 x Hx) by tauto. rewrite (asem_frame a c' c1' x X) by tauto.
      apply A. tauto.
  - destruct (implied p r && _) eqn:Hb; [| discriminate]. injection H as <-.
    apply andb_true_iff in Hb. destruct Hb as [Hi Hd]. destruct X as [Hp ->].
    apply (Hone c); [| exact A]. split; [| reflexivity].
    apply orb_true_iff in Hd. destruct Hd as [Hd | Hd].
    + eapply implied_sound; [exact Hi |]. eapply csem_dep; [| exact Hp].
      intros x Hx. symmetry. eapply agree_use; eassumption.
    + eapply csem_dep; [| eapply implied_sound; [exact Hi | exact Hp]].
      intros x Hx. symmetry. eapply agree_use; eassumption.
Qed.

Lemma joined_sound : forall w k V o t W, joined w k V o = Some (t, W) ->
  forall c c' c1', agree V c c' -> exec o c' c1' -> comes k c t (fun c1 => agree W c1 c1').
Proof.
  intros [[i j] |] k V o t W H c c' c1' A X; simpl in H.
  - destruct (nth_error (fedges F k) i) as [[q u] |] eqn:He; [| discriminate].
    destruct (together j V o q) as [U |] eqn:Ht; [| discriminate]. injection H as <- <-.
    eapply together_sound; [exact Ht | eapply nth_error_In; exact He | exact A | exact X].
  - injection H as <- <-. exists k, c. split; [constructor |]. right. split; [reflexivity |].
    destruct o as [a | p]; simpl in *.
    + intros x Hx. rewrite in_union in Hx. rewrite (asem_frame a c' c1' x X) by tauto. apply A. tauto.
    + destruct X as [_ ->]. exact A.
Qed.

Lemma arrive_sound : forall l V o p w q k U, arrive l V o p w q = Some (k, U) ->
  forall c c' c1', agree V c c' -> exec o c' c1' -> comes l c k (fun c1 => agree U c1 c1').
Proof.
  intros l V o p w q k U H c c' c1' A X. unfold arrive in H.
  destruct (walked p l V) as [[m W] |] eqn:H1; [| discriminate].
  pose proof (walked_sound _ _ _ _ _ H1 c c' A) as C1.
  destruct (is m fails) eqn:E1.
  { apply is_true in E1. injection H as <- <-. eapply comes_fails; [exact E1 | exact C1]. }
  destruct (joined w m W o) as [[t Z] |] eqn:H2; [| discriminate].
  assert (C2 : comes l c t (fun c1 => agree Z c1 c1')).
  { eapply comes_then; [exact C1 |]. intros d Ad. exact (joined_sound _ _ _ _ _ _ H2 d c' c1' Ad X). }
  destruct (is t fails) eqn:E2.
  { apply is_true in E2. injection H as <- <-. exact C2. }
  eapply comes_then; [exact C2 |]. intros d Ad. exact (walked_sound _ _ _ _ _ H d c1' Ad).
Qed.

(* Locations of dead lead on to such locations only, and are no error. *)
Hypothesis dead_closed : forall l o t, dead l = true -> In (o, t) (fedges F' l) -> dead t = true.
Hypothesis dead_err : dead (ferr F') = false.
Hypothesis Hdet : det P'.

Lemma dead_sound : forall l k, creach P' l k -> dead l = true -> dead k = true.
Proof. intros l k H. induction H; intro D; [exact D | apply IHcreach; exact (dead_closed _ _ _ D H)]. Qed.

Variable C : certificate.
Hypothesis Hok : certificate_ok C = true.

Section One.

Variable c0 : state.
Hypothesis nofail : ~ exists r0, bug_path P c0 r0.

Lemma safe : forall l c, steps P (finit F) c0 l c -> l <> fails.
Proof.
  intros l c S H. apply nofail. destruct (steps_bug P _ _ _ _ S H) as (r & Hr). exists r. exact Hr.
Qed.

Lemma comes_safe : forall l c k ok, steps P (finit F) c0 l c -> comes l c k ok ->
  exists c1, steps P (finit F) c0 k c1 /\ ok c1.
Proof.
  intros l c k ok S (k1 & c1 & S1 & H).
  assert (S2 : steps P (finit F) c0 k1 c1) by (eapply steps_trans; eassumption).
  destruct H as [E | [-> O]]; [exfalso; exact (safe _ _ S2 E) | eauto].
Qed.

Definition holds (n : nat) (l' : floc F') (c' : state) : Prop :=
  exists m c, nth_error (places C) n = Some m /\ at_modified m = l' /\ l' <> ferr F' /\
    steps P (finit F) c0 (at_original m) c /\ agree (affected m) c c'.

Lemma fits_holds : forall n s' k V c c', fits C n s' k V = true -> s' <> ferr F' ->
  steps P (finit F) c0 k c -> agree V c c' -> holds n s' c'.
Proof.
  intros n s' k V c c' H Hs S A. unfold fits in H.
  destruct (nth_error (places C) n) as [m |] eqn:Hn; [| discriminate].
  apply andb_true_iff in H. destruct H as [H Hsub]. apply andb_true_iff in H. destruct H as [H1 H2].
  apply is'_true in H1. apply is_true in H2. subst k.
  exists m, c. repeat split; auto. eapply agree_subset; eassumption.
Qed.

Lemma not_err : forall s', negb (is' s' (ferr F')) = true -> s' <> ferr F'.
Proof. intros s' H E. apply is'_true in E. rewrite E in H. discriminate. Qed.

(* One edge of the graph, labelled with the next operation of a violating path. *)
Lemma certified_step : forall n l' c' o s' c1' v r,
  holds n l' c' -> In (o, s') (fedges F' l') -> exec o c' c1' ->
  path P' s' c1' r -> violating P' s' r -> In (o, v) (successors C (Node n)) ->
  v = Indicator \/ exists k, v = Node k /\ holds k s' c1'.
Proof.
  intros n l' c' o s' c1' v r (m & c & Hn & Hl & Hne & S & A) He X Hp Hv Hin.
  simpl in Hin. rewrite Hn in Hin. apply in_map_iff in Hin.
  destruct Hin as ([[o1 s1] a] & Heq & Hin). simpl in Heq. injection Heq as -> <-.
  assert (He1 : In (o, s1) (fedges F' l')) by (rewrite <- Hl; eapply in_combine_l; exact Hin).
  pose proof (det_label P' Hdet l' o s1 s' c' c1' He1 He X) as Hs. subst s1.
  unfold certificate_ok in Hok. apply andb_true_iff in Hok. destruct Hok as [_ Hall]. rewrite forallb_forall in Hall.
  specialize (Hall m (nth_error_In _ _ Hn)). unfold place_ok in Hall. apply andb_true_iff in Hall.
  destruct Hall as [_ Hall]. rewrite forallb_forall in Hall. specialize (Hall _ Hin). simpl in Hall.
  destruct a as [| | p w q | k p w q]; simpl in Hall |- *.
  - auto.
  - exfalso. pose proof (violating_creach P' r s' c1' Hp Hv) as Hr.
    pose proof (dead_sound _ _ Hr Hall) as Hd. simpl in Hd. congruence.
  - exfalso. destruct (arrive _ _ o p w q) as [[t U] |] eqn:Ha; [| discriminate]. apply is_true in Hall.
    destruct (comes_safe _ _ _ _ S (arrive_sound _ _ _ _ _ _ _ _ Ha c c' c1' A X)) as (d & Sd & _).
    exact (safe _ _ Sd Hall).
  - right. exists k. split; [reflexivity |]. apply andb_true_iff in Hall. destruct Hall as [Hs Hall].
    apply not_err in Hs.
    destruct (arrive _ _ o p w q) as [[t U] |] eqn:Ha; [| discriminate].
    destruct (comes_safe _ _ _ _ S (arrive_sound _ _ _ _ _ _ _ _ Ha c c' c1' A X)) as (d & Sd & Ad).
    eapply fits_holds; eassumption.
Qed.

(* No edge is missing. *)
Lemma certified_total : forall n l' c' o s', holds n l' c' -> In (o, s') (fedges F' l') ->
  exists v, In (o, v) (successors C (Node n)).
Proof.
  intros n l' c' o s' (m & c & Hn & Hl & _) He. simpl. rewrite Hn.
  unfold certificate_ok in Hok. apply andb_true_iff in Hok. destruct Hok as [_ Hall]. rewrite forallb_forall in Hall.
  specialize (Hall m (nth_error_In _ _ Hn)). unfold place_ok in Hall. apply andb_true_iff in Hall.
  destruct Hall as [Hlen _]. apply Nat.eqb_eq in Hlen. rewrite <- Hl in He.
  apply In_nth_error in He. destruct He as (i & Hi).
  assert (Ha : exists a, nth_error (answers m) i = Some a).
  { destruct (nth_error (answers m) i) as [a |] eqn:Ea; [eauto |]. exfalso.
    apply nth_error_None in Ea. assert (i < length (fedges F' (at_modified m))); [| lia].
    apply nth_error_Some. congruence. }
  destruct Ha as (a & Ha). exists (leads a). apply in_map_iff. exists ((o, s'), a). split; [reflexivity |].
  clear - Hi Ha. revert Hi Ha. generalize (fedges F' (at_modified m)) as es. generalize (answers m) as xs.
  revert i. induction i as [| i IH]; intros [| x xs] [| e es]; simpl; try discriminate.
  - intros H1 H2. injection H1 as ->. injection H2 as ->. auto.
  - intros H1 H2. right. eapply IH; eassumption.
Qed.

Lemma first_holds : forall c', agree V0 c0 c' -> forall r, path P' (finit F') c' r -> violating P' (finit F') r ->
  leads (first C) = Indicator \/ exists k, leads (first C) = Node k /\ holds k (finit F') c'.
Proof.
  intros c' A r Hp Hv. unfold certificate_ok in Hok. apply andb_true_iff in Hok. destruct Hok as [Hf _].
  unfold first_ok in Hf.
  destruct (first C) as [| | p w q | n p w q]; simpl.
  - auto.
  - exfalso. pose proof (violating_creach P' r _ c' Hp Hv) as Hr.
    pose proof (dead_sound _ _ Hr Hf) as Hd. simpl in Hd. congruence.
  - exfalso. destruct (walked p (finit F) V0) as [[t U] |] eqn:Ha; [| discriminate]. apply is_true in Hf.
    destruct (comes_safe _ _ _ _ (steps_refl P _ _) (walked_sound _ _ _ _ _ Ha c0 c' A)) as (d & Sd & _).
    exact (safe _ _ Sd Hf).
  - right. exists n. split; [reflexivity |]. apply andb_true_iff in Hf. destruct Hf as [Hs Hf].
    apply not_err in Hs.
    destruct (walked p (finit F) V0) as [[t U] |] eqn:Ha; [| discriminate].
    destruct (comes_safe _ _ _ _ (steps_refl P _ _) (walked_sound _ _ _ _ _ Ha c0 c' A)) as (d & Sd & Ad).
    eapply fits_holds; eassumption.
Qed.

End One.

Lemma ends_at_indicator : forall c0, (~ exists r0, bug_path P c0 r0) ->
  forall r n l' c', holds c0 n l' c' -> path P' l' c' r -> violating P' l' r ->
  can_reach (certified C) (Node n).
Proof.
  intros c0 Hnf. induction r as [| s r IH]; intros n l' c' Hh Hp Hv.
  - exfalso. destruct Hh as (m & c & _ & _ & Hne & _).
    destruct Hv as [Hv | Hv]; [contradiction | inversion Hv].
  - inversion Hp as [| ? ? o l1 c1 ? He Hx Hp1]; subst.
    assert (Hne : l' <> ferr F') by (destruct Hh as (? & ? & ? & ? & Hne & _); exact Hne).
    pose proof (violating_tail P' l' _ r Hv Hne) as Hv1. unfold tloc in Hv1. simpl in Hv1, He.
    destruct (certified_total c0 n l' c' o l1 Hh He) as (v & Hin).
    destruct (certified_step c0 Hnf n l' c' o l1 c1 v r Hh He Hx Hp1 Hv1 Hin) as [-> | (k & -> & Hk)].
    + exists [o], Indicator. split; [| reflexivity]. econstructor; [exact Hin | constructor].
    + destruct (IH k l1 c1 Hk Hp1 Hv1) as (w & i & Hr & Hi). exists (o :: w), i. split; [| exact Hi].
      econstructor; [exact Hin | exact Hr].
Qed.

Lemma certified_run : forall c0, (~ exists r0, bug_path P c0 r0) ->
  forall r n l' c', holds c0 n l' c' -> path P' l' c' r -> violating P' l' r ->
  forall u v k, ops r = u ++ v -> run (gedge (certified C)) (Node n) u k -> can_reach (certified C) k.
Proof.
  intros c0 Hnf. induction r as [| s r IH]; intros n l' c' Hh Hp Hv u v k Hw Hrun.
  - exfalso. destruct Hh as (m & c & _ & _ & Hne & _).
    destruct Hv as [Hv | Hv]; [contradiction | inversion Hv].
  - destruct u as [| o1 u].
    + inversion Hrun; subst. eapply ends_at_indicator; eassumption.
    + inversion Hp as [| ? ? o l1 c1 ? He Hx Hp1]; subst.
      simpl in Hw. injection Hw as Ho Hw. unfold top in Ho. simpl in Ho. subst o1.
      assert (Hne : l' <> ferr F') by (destruct Hh as (? & ? & ? & ? & Hne & _); exact Hne).
      pose proof (violating_tail P' l' _ r Hv Hne) as Hv1. unfold tloc in Hv1. simpl in Hv1, He.
      inversion Hrun as [| ? ? w ? ? Hin Hrun1]; subst.
      destruct (certified_step c0 Hnf n l' c' o l1 c1 w r Hh He Hx Hp1 Hv1 Hin) as [-> | (j & -> & Hj)].
      * exists [], k. split; [constructor |].
        inversion Hrun1 as [| ? ? ? ? ? H2 ?]; subst; [reflexivity | contradiction].
      * eapply IH; eassumption.
Qed.

(* What a validated graph is worth. *)
Theorem certificate_sound : diff_graph P P' (certified C).
Proof.
  intros c' r [[Hp Hv] Hreg] u v k Hw Hrun.
  destruct (init_agree c') as (c0 & HI & HA).
  assert (Hnf : ~ exists r0, bug_path P c0 r0).
  { intros (r0 & H0). apply Hreg. exists c0, r0. auto. }
  destruct (first_holds c0 Hnf c' HA r Hp Hv) as [Hs | (n & Hs & Hn)].
  - exists [], k. split; [constructor |]. simpl in Hrun. rewrite Hs in Hrun.
    inversion Hrun as [| ? ? ? ? ? H2 ?]; subst; [reflexivity | contradiction].
  - simpl in Hrun. rewrite Hs in Hrun. eapply certified_run; eassumption.
Qed.

Corollary certificate_covers_no_regression : forall c' r, reg P P' c' r -> ~ covers (alg1 (certified C)) (ops r).
Proof. intros c' r. apply alg1_sound. exact certificate_sound. Qed.

End Certificate.
