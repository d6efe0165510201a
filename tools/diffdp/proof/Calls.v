(* Programs with calls and recursion (ALGORITHM.md 2.1, 8.3).

   A point is a location with the calls to return from. Programs over points are
   programs of the other files, in which a call of a function that is active is
   no edge of the original, and an edge to the error of the modified program: so
   where the checker accepts, it leads to an indicator, and nothing is assumed of
   what recursion does. A call that the original is taken past is a plan that
   enters the callee, goes through its body and leaves it. *)

From Coq Require Import List Bool Arith Lia.
Import ListNotations.
From DiffDP Require Import Semantics Local Steps Rules Certificate Condition.

Section Code.

Context {Lang : Language}.

(* Edges within a function, calls that enter one, returns. *)
Inductive cedge (cloc call value : Type) :=
| Within (o : op) (t : cloc)
| Enter (c : call)
| Leave (v : value).
Arguments Within {cloc call value}. Arguments Enter {cloc call value}. Arguments Leave {cloc call value}.

Record code := Code {
  cloc : Type;
  cloc_dec : forall x y : cloc, {x = y} + {x <> y};
  fn : Type;
  fn_dec : forall x y : fn, {x = y} + {x <> y};
  owner : cloc -> fn;
  call : Type;
  call_dec : forall x y : call, {x = y} + {x <> y};
  entry : call -> cloc;
  back : call -> cloc;
  binding : call -> asg;                        (* the parameters *)
  value : Type;
  result : value -> call -> asg;                (* what a call yields *)
  start : cloc;
  error : cloc -> bool;
  cedges : cloc -> list (cedge cloc call value) }.

Section Points.

Variable K : code.

Definition stack := list (call K).

Inductive point := At (l : cloc K) (s : stack) | Failed.

Definition point_dec (x y : point) : {x = y} + {x <> y}.
Proof. decide equality; [apply list_eq_dec, call_dec | apply cloc_dec]. Defined.

(* The functions that are active, the running one first: a call comes back to the
   function that it was made in. *)
Definition active (l : cloc K) (s : stack) : list (fn K) := owner K l :: map (fun c => owner K (back K c)) s.

Definition is_active (l : cloc K) (s : stack) (f : fn K) : bool :=
  if in_dec (fn_dec K) f (active l s) then true else false.

Definition land (l : cloc K) (s : stack) : point := if error K l then Failed else At l s.

Definition step_edges (counts : bool) (l : cloc K) (s : stack) (e : cedge (cloc K) (call K) (value K))
    : list (op * point) :=
  match e with
  | Within o t => [(o, land t s)]
  | Enter c =>
    if is_active l s (owner K (entry K c)) then (if counts then [(Asg (binding K c), Failed)] else [])
    else [(Asg (binding K c), land (entry K c) (c :: s))]
  | Leave v => match s with c :: below => [(Asg (result K v c), land (back K c) below)] | [] => [] end
  end.

(* `counts`: a recursive call counts as a violation. *)
Definition points (counts : bool) : fprog :=
  FProg point point_dec (land (start K) []) Failed
    (fun p => match p with At l s => flat_map (step_edges counts l s) (cedges K l) | Failed => [] end).

Definition cdet : Prop :=
  forall l e1 e2, In e1 (cedges K l) -> In e2 (cedges K l) ->
  e1 = e2 \/
  exists p q t u, e1 = Within (Asm p) t /\ e2 = Within (Asm q) u /\ forall c, ~ (csem p c /\ csem q c).

Lemma step_edges_one : forall counts l s e x y,
  In x (step_edges counts l s e) -> In y (step_edges counts l s e) -> x = y.
Proof.
  intros counts l s e x y Hx Hy. destruct e as [o t | c | v]; simpl in *.
  - destruct Hx as [<- | []]. destruct Hy as [<- | []]. reflexivity.
  - destruct (is_active l s (owner K (entry K c))); [destruct counts |];
      repeat match goal with
             | H : In _ (_ :: _) |- _ => destruct H as [<- | []]
             | H : In _ [] |- _ => contradiction
             end;
      reflexivity.
  - destruct s as [| c s]; [contradiction |].
    destruct Hx as [<- | []]. destruct Hy as [<- | []]. reflexivity.
Qed.

Lemma points_det : forall counts, cdet -> det (to_prog (points counts)).
Proof.
  intros counts D p o1 t1 o2 t2 H1 H2. simpl in H1, H2. destruct p as [l s |]; [| contradiction].
  apply in_flat_map in H1. destruct H1 as (e1 & He1 & H1).
  apply in_flat_map in H2. destruct H2 as (e2 & He2 & H2).
  destruct (D l e1 e2 He1 He2) as [-> | (p & q & t & u & -> & -> & Hex)].
  - left. pose proof (step_edges_one _ _ _ _ _ _ H1 H2) as E. injection E as -> ->. auto.
  - right. simpl in H1, H2. destruct H1 as [H1 | []]. destruct H2 as [H2 | []].
    injection H1 as <- <-. injection H2 as <- <-. exists p, q. auto.
Qed.

End Points.
End Code.

Arguments Within {Lang cloc call value}. Arguments Enter {Lang cloc call value}. Arguments Leave {Lang cloc call value}.

Section Sound.

Context {Lang : Language} {Eff : Effects} {EffOk : EffectsOk} {Chk : Checks} {ChkOk : ChecksOk}.

Variables K K' : code.                               (* original, modified *)
Notation F := (points K false).
Notation F' := (points K' true).

Variable dead : point K' -> bool.
Hypothesis dead_closed : forall p o t, dead p = true -> In (o, t) (fedges F' p) -> dead t = true.
Hypothesis dead_err : dead (Failed K') = false.
Hypothesis Hdet : cdet K'.

Variable C : certificate F F'.
Hypothesis Hok : certificate_ok F F' dead C = true.

(* An edge of the modified program to its error leads to no node: to the
   indicator, or to a leaf where the original fails in any case. *)
Theorem failing_edge_stops : forall m o a, In m (places F F' C) ->
  In ((o, Failed K'), a) (combine (fedges F' (at_modified F F' m)) (answers F F' m)) ->
  a = Stop \/ exists p w q, a = Doomed p w q.
Proof.
  intros m o a Hm Hin.
  pose proof Hok as H. unfold certificate_ok in H. apply andb_true_iff in H. destruct H as [_ H].
  rewrite forallb_forall in H. specialize (H m Hm). unfold place_ok in H. apply andb_true_iff in H.
  destruct H as [_ H]. rewrite forallb_forall in H. specialize (H _ Hin). simpl in H.
  destruct a as [| | p w q | n p w q]; [auto | exfalso | eauto | exfalso].
  - change (dead (Failed K') = true) in H. congruence.
  - apply andb_true_iff in H. destruct H as [H _].
    assert (E : is' F' (Failed K') (ferr F') = true) by (apply is'_true; reflexivity).
    change (negb (is' F' (Failed K') (ferr F')) = true) in H. rewrite E in H. discriminate.
Qed.

(* A recursive call is such an edge. *)
Theorem recursion_fails : forall l s c o t, is_active K' l s (owner K' (entry K' c)) = true ->
  In (o, t) (step_edges K' true l s (Enter c)) -> t = Failed K'.
Proof. intros l s c o t Ha H. simpl in H. rewrite Ha in H. destruct H as [H | []]. congruence. Qed.

(* What the programs do in truth: the original may fail from a data state, the
   modified program has violating paths, told by their labels. Truth may differ
   from programs over points where functions are active twice: of the original no
   more is known than that it can do what it does there without recursion; the
   modified program may go on as it likes after a recursive call. *)
Variable original_fails : state -> Prop.
Variable modified_violates : state -> list op -> Prop.
Hypothesis original_does : forall c r, bug_path (to_prog F) c r -> original_fails c.
Hypothesis modified_does : forall c w, modified_violates c w ->
  exists r x, bug_path (to_prog F') c r /\ w = ops r ++ x.

Section Condition.

Variable Q : Type.
Variable Q_dec : forall p q : Q, {p = q} + {p <> q}.
Variable next : Q -> op -> Q.
Variable accepting : Q -> bool.
Variable never : Q -> bool.
Hypothesis never_next : forall q o, never q = true -> never (next q o) = true.
Hypothesis never_accepts : forall q, never q = true -> accepting q = false.

(* What a verdict cites: a validated condition covers no regression. *)
Theorem validated_sound : forall start R S,
  condition_ok F F' C Q Q_dec next accepting never start R S = true ->
  forall c w, modified_violates c w -> (forall d, init_rel d c -> ~ original_fails d) ->
  ~ covered Q next accepting start w.
Proof.
  intros start R S H c w Hm Hn. destruct (modified_does c w Hm) as (r & x & Hb & ->).
  eapply (validated_condition_sound F F' dead dead_closed dead_err (points_det K' true Hdet) C Hok
    Q Q_dec next accepting never never_next never_accepts start R S H).
  split; [exact Hb |]. intros (d & r0 & Hi & H0). exact (Hn d Hi (original_does _ _ H0)).
Qed.

(* If the original is safe, every violating path is left to be checked. *)
Corollary validated_original_safe : forall start R S,
  condition_ok F F' C Q Q_dec next accepting never start R S = true ->
  (forall d, ~ original_fails d) ->
  forall c w, modified_violates c w -> ~ covered Q next accepting start w.
Proof. intros start R S H Hs c w Hm. eapply validated_sound; eauto. Qed.

End Condition.
End Sound.
