(* Definition 2, the only one: for hardmax (hardmax.v, over any ordered field) and
   softmax (softmax.v, over the reals) alike, any number of sequences of any lengths,
   with or without causal mask.  Below it, lemmas that show it is the right one.

   [I] numbers the sequences, [P i] are the positions of sequence i, [sees i k j]: the
   query at position k sees position j.  [short o] stands for |o| < r, [far o o'] for
   |o - o'| > delta: each of the two files defines them with its own norm. *)

From Coq Require Import List Lia.
From attest Require Import guard.
Import ListNotations.

Inductive mask := NoMask | Causal.

(* Query k sees every key, or the keys j <= k. *)
Definition attends (m : mask) (k j : nat) : Prop :=
  match m with NoMask => True | Causal => j <= k end.

Section Definition2.
Variables (I : Type) (P : I -> Type) (T O : Type).
Variable token : forall i, P i -> T.
Variable sees : forall i, P i -> P i -> Prop.

(* The set of the tokens in sight; without a mask that of the sequence. *)
Definition in_vocabulary i (k : P i) (x : T) : Prop := exists2 j, sees i k j & token i j = x.

Definition same_vocabulary i (k : P i) j (l : P j) : Prop :=
  forall x, in_vocabulary i k x <-> in_vocabulary j l x.

Definition required i (k : P i) j (l : P j) : Prop :=
  ~ same_vocabulary i k j l \/ token i k <> token j l.

Definition contextual (short : O -> Prop) (far : O -> O -> Prop)
    (output : forall i, P i -> O) : Prop :=
  (forall i (k : P i), short (output i k)) /\
  (forall i (k : P i) j (l : P j), required i k j l -> far (output i k) (output j l)).
End Definition2.

(* Sanity.  No position is required to differ from itself; the order of a pair does not
   matter; equal vocabularies and equal tokens are exempt, and nothing else is. *)
Section Pairs.
Variables (I : Type) (P : I -> Type) (T : Type).
Variable token : forall i, P i -> T.
Variable sees : forall i, P i -> P i -> Prop.
Let req := required I P T token sees.
Let same := same_vocabulary I P T token sees.

Theorem required_irreflexive i (k : P i) : ~ req i k i k.
Proof. intros [N|N]; apply N; [intros x; tauto | reflexivity]. Qed.

Theorem required_symmetric i (k : P i) j (l : P j) : req i k j l -> req j l i k.
Proof. intros [N|N]; [left; intros S; apply N; intros x; now symmetry | right; auto]. Qed.

Theorem exempt i (k : P i) j (l : P j) :
  same i k j l -> token i k = token j l -> ~ req i k j l.
Proof. intros S E [N|N]; auto. Qed.

Theorem token_required i (k : P i) j (l : P j) : token i k <> token j l -> req i k j l.
Proof. now right. Qed.

Theorem vocabulary_required i (k : P i) j (l : P j) : ~ same i k j l -> req i k j l.
Proof. now left. Qed.

(* A larger r or a smaller delta weakens the definition. *)
Theorem contextual_weaken (O : Type) (short short' : O -> Prop)
    (far far' : O -> O -> Prop) (output : forall i, P i -> O) :
  (forall o, short o -> short' o) -> (forall o o', far o o' -> far' o o') ->
  contextual I P T O token sees short far output ->
  contextual I P T O token sees short' far' output.
Proof. intros S F [H1 H2]; split; auto. Qed.

(* Equal outputs at a required pair refute it, if no vector is far from itself. *)
Theorem equal_refutes (O : Type) (short : O -> Prop) (far : O -> O -> Prop)
    (output : forall i, P i -> O) i (k : P i) j (l : P j) :
  (forall o, ~ far o o) -> req i k j l -> output i k = output j l ->
  ~ contextual I P T O token sees short far output.
Proof. intros N R E [_ H]; specialize (H i k j l R); rewrite E in H; exact (N _ H). Qed.
End Pairs.

(* Positions may be renamed: only tokens and sight count.  So it does not matter whether a
   sequence is a list or a matrix of columns. *)
Theorem required_renamed (I I' : Type) (P : I -> Type) (P' : I' -> Type) (T : Type)
    (token : forall i, P i -> T) (token' : forall i, P' i -> T) sees sees'
    (a b : I) (a' b' : I') (f : P a -> P' a') (g : P b -> P' b') k l :
  (forall y, exists x, f x = y) -> (forall y, exists x, g x = y) ->
  (forall x, token' a' (f x) = token a x) -> (forall x, token' b' (g x) = token b x) ->
  (forall x y, sees' a' (f x) (f y) <-> sees a x y) ->
  (forall x y, sees' b' (g x) (g y) <-> sees b x y) ->
  required I P T token sees a k b l <-> required I' P' T token' sees' a' (f k) b' (g l).
Proof.
intros Sf Sg Tf Tg Vf Vg.
assert (forall x, in_vocabulary I P T token sees a k x
                  <-> in_vocabulary I' P' T token' sees' a' (f k) x) as A.
{ intros x; split; intros [j S E].
  - exists (f j); [now apply Vf | now rewrite Tf].
  - destruct (Sf j) as [j' <-]; exists j'; [now apply Vf | now rewrite <- Tf]. }
assert (forall x, in_vocabulary I P T token sees b l x
                  <-> in_vocabulary I' P' T token' sees' b' (g l) x) as B.
{ intros x; split; intros [j S E].
  - exists (g j); [now apply Vg | now rewrite Tg].
  - destruct (Sg j) as [j' <-]; exists j'; [now apply Vg | now rewrite <- Tg]. }
assert (same_vocabulary I P T token sees a k b l
        <-> same_vocabulary I' P' T token' sees' a' (f k) b' (g l)) as C.
{ split; intros S x; specialize (S x); [rewrite <- A, <- B | rewrite A, B]; exact S. }
unfold required; rewrite C, Tf, Tg; tauto.
Qed.

(* A family of lists. *)
Section Lists.
Variables (T : Type) (default : T) (I : Type) (X : I -> list T) (m : mask).

Definition place (i : I) : Type := {k : nat | k < length (X i)}.
Definition list_token (i : I) (k : place i) : T := nth (proj1_sig k) (X i) default.
Definition list_sees (i : I) (k j : place i) : Prop := attends m (proj1_sig k) (proj1_sig j).

(* The tokens in sight as a list. *)
Definition visible (k : nat) (l : list T) : list T :=
  match m with NoMask => l | Causal => firstn (S k) l end.

Lemma in_visible i (k : place i) x :
  in_vocabulary I place T list_token list_sees i k x <-> In x (visible (proj1_sig k) (X i)).
Proof.
unfold in_vocabulary, list_sees, attends, visible; destruct k as [k L]; simpl proj1_sig; split.
- intros [[j Lj] Sj E]; unfold list_token in E; simpl in Sj, E; subst x.
  destruct m; [now apply nth_In|].
  rewrite <- (firstn_skipn (S k) (X i)) at 1.
  rewrite app_nth1 by (rewrite firstn_length; lia).
  apply nth_In; rewrite firstn_length; lia.
- intros H; apply (In_nth _ _ default) in H; destruct H as (j & Lj & E).
  assert (j < length (X i) /\ match m with NoMask => True | Causal => j <= k end
          /\ nth j (X i) default = x) as (A & B & C).
  { destruct m; [auto|]; rewrite firstn_length in Lj; split; [lia|split; [lia|]].
    rewrite <- E; rewrite <- (firstn_skipn (S k) (X i)) at 1.
    rewrite app_nth1; [reflexivity | rewrite firstn_length; lia]. }
  exists (exist _ j A); [exact B | exact C].
Qed.
End Lists.
Arguments visible {T}.

Lemma visible_incl (T : Type) m k (l : list T) x : In x (visible m k l) -> In x l.
Proof.
destruct m; simpl visible; [auto|]; intros H.
rewrite <- (firstn_skipn (S k) l); apply in_app_iff; now left.
Qed.

Lemma visible_some (T : Type) m k (l : list T) : k < length l -> visible m k l <> [].
Proof. destruct m, l; simpl; try lia; easy. Qed.

Lemma visible_nodup (T : Type) m k (l : list T) : NoDup l -> NoDup (visible m k l).
Proof.
unfold visible; destruct m; [auto|]; intros U.
rewrite <- (firstn_skipn (S k) l) in U; revert U.
generalize (firstn (S k) l) as f, (skipn (S k) l) as r; intros f r.
induction f as [|a f IH]; intros U; [constructor|]; simpl in U; inversion U.
constructor; [rewrite in_app_iff in *; tauto | now apply IH].
Qed.

Lemma nth_visible (T : Type) m k (l : list T) x : k < length l -> In (nth k l x) (visible m k l).
Proof.
intros L; unfold visible; destruct m; [now apply nth_In|].
rewrite <- (firstn_skipn (S k) l) at 1.
rewrite app_nth1 by (rewrite firstn_length; lia).
apply nth_In; rewrite firstn_length; lia.
Qed.

(* A required pair, and two that are not, of numbers: (1,2), (1,3) differ at their first
   tokens without a mask; under one the first tokens see themselves alone; and the two
   a's of (a,b,a) are required to differ under a mask only. *)
Section Examples.
Let X (i : bool) := if i then [1; 2] else [1; 3].
Let Y (_ : unit) := [7; 8; 7].
Let at_ I (Z : I -> list nat) i k (L : k < length (Z i)) : place nat I Z i := exist _ k L.

Definition required_nat I (Z : I -> list nat) (m : mask) i k (L : k < length (Z i)) j l
    (L' : l < length (Z j)) : Prop :=
  required I (place nat I Z) nat (list_token nat 0 I Z) (list_sees nat I Z m)
    i (at_ I Z i k L) j (at_ I Z j l L').

Theorem pair_required L L' : required_nat bool X NoMask true 0 L false 0 L'.
Proof.
left; intros S; specialize (S 2); rewrite !in_visible in S; simpl in S; lia.
Qed.

Theorem pair_masked_exempt L L' : ~ required_nat bool X Causal true 0 L false 0 L'.
Proof. apply exempt; [intros x; rewrite !in_visible; simpl; tauto | reflexivity]. Qed.

Theorem repetition_exempt L L' : ~ required_nat unit Y NoMask tt 0 L tt 2 L'.
Proof. apply exempt; [intros x; rewrite !in_visible; simpl; tauto | reflexivity]. Qed.

Theorem repetition_masked_required L L' : required_nat unit Y Causal tt 0 L tt 2 L'.
Proof. left; intros S; specialize (S 8); rewrite !in_visible in S; simpl in S; lia. Qed.
End Examples.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Section Guards.
Let P (_ : bool) := unit.
Let same_token (i : bool) (_ : P i) := 0.
Let own_token (i : bool) (_ : P i) := i.
Let all (i : bool) (_ _ : P i) := True.

Let same : ~ required bool P nat same_token all true tt false tt.
Proof. apply exempt; [intros x; split; intros [j _ E]; exists tt; exact I || exact E | reflexivity]. Qed.
Let other : required bool P bool own_token all true tt false tt.
Proof. right; discriminate. Qed.

Lemma required_irreflexive_satisfiable : satisfiable required_irreflexive.
Proof. now exists bool, P, bool, own_token, all, true, tt. Qed.

Lemma required_symmetric_satisfiable : satisfiable required_symmetric.
Proof. exists bool, P, bool, own_token, all, true, tt, false, tt; given (exact other). Qed.
Lemma required_symmetric_falsifiable : falsifiable required_symmetric.
Proof.
exists bool, P, nat, same_token, all, false, tt, true, tt; exact same.
Qed.

Lemma exempt_satisfiable : satisfiable exempt.
Proof.
exists bool, P, nat, same_token, all, true, tt, false, tt.
given (reflexivity || (intros x; split; intros [j _ E]; exists tt; exact I || exact E)).
Qed.
Lemma exempt_falsifiable : falsifiable exempt.
Proof. exists bool, P, bool, own_token, all, true, tt, false, tt; intros N; exact (N other). Qed.

Lemma token_required_satisfiable : satisfiable token_required.
Proof. exists bool, P, bool, own_token, all, true, tt, false, tt; given discriminate. Qed.
Lemma token_required_falsifiable : falsifiable token_required.
Proof. exists bool, P, nat, same_token, all, true, tt, false, tt; exact same. Qed.

Lemma vocabulary_required_satisfiable : satisfiable vocabulary_required.
Proof.
exists bool, P, bool, own_token, all, true, tt, false, tt; given (intros S;
  destruct (S true) as [H _]; destruct H as [j _ E]; [exists tt; [exact I | reflexivity] | discriminate E]).
Qed.
Lemma vocabulary_required_falsifiable : falsifiable vocabulary_required.
Proof. exists bool, P, nat, same_token, all, true, tt, false, tt; exact same. Qed.

Lemma contextual_weaken_satisfiable : satisfiable contextual_weaken.
Proof.
exists bool, P, bool, own_token, all, bool, (fun _ => True), (fun _ => True),
  (fun a b => a <> b), (fun a b => a <> b), own_token.
given (first [solve [auto] | split; [exact (fun _ _ => I) | intros [|] [] [|] [] R; try discriminate;
  destruct (required_irreflexive _ _ _ _ _ _ _ R)]]).
Qed.
Lemma contextual_weaken_falsifiable : falsifiable contextual_weaken.
Proof.
exists bool, P, bool, own_token, all, bool, (fun _ => True), (fun _ => False),
  (fun a b => a <> b), (fun a b => a <> b), own_token; intros [F _]; exact (F true tt).
Qed.

Lemma equal_refutes_satisfiable : satisfiable equal_refutes.
Proof.
exists bool, P, bool, own_token, all, nat, (fun _ => True), (fun a b => a <> b), same_token, true, tt, false, tt.
given (exact other || reflexivity || (intros o N; now apply N)).
Qed.
Lemma equal_refutes_falsifiable : falsifiable equal_refutes.
Proof.
exists bool, P, bool, own_token, all, bool, (fun _ => True), (fun a b => a <> b), own_token, true, tt, false, tt.
intros N; apply N; split; [exact (fun _ _ => I) | intros [|] [] [|] [] R; try discriminate;
  destruct (required_irreflexive _ _ _ _ _ _ _ R)].
Qed.

Lemma required_renamed_satisfiable : satisfiable required_renamed.
Proof.
exists bool, bool, P, P, bool, own_token, own_token, all, all, true, false, true, false,
  (fun x => x), (fun x => x), tt, tt.
given (first [reflexivity | intros y; now exists y | intros x y; tauto]).
Qed.
Lemma required_renamed_falsifiable : falsifiable required_renamed.
Proof.
exists bool, bool, P, P, bool, own_token, (fun _ _ => true), all, all, true, false, true, false,
  (fun x => x), (fun x => x), tt, tt.
intros [H _]; specialize (H other); revert H; apply exempt; [|reflexivity].
intros x; split; intros [j _ E]; exists tt; exact I || exact E.
Qed.

Lemma pair_required_satisfiable : satisfiable pair_required.
Proof. given (simpl; lia). Qed.
Lemma pair_masked_exempt_satisfiable : satisfiable pair_masked_exempt.
Proof. given (simpl; lia). Qed.
Lemma repetition_exempt_satisfiable : satisfiable repetition_exempt.
Proof. given (simpl; lia). Qed.
Lemma repetition_masked_required_satisfiable : satisfiable repetition_masked_required.
Proof. given (simpl; lia). Qed.
End Guards.
