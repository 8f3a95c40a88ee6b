(* The collapse.  A layer that separates its required pairs by more than s, computed within e of the
   exact outputs, keeps every required pair apart as soon as 2 e <= s.  Conversely, outputs with M
   values per entry separate at most M^d classes. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums vectors definition2 guard.
Import ListNotations.
Local Open Scope R_scope.

(* Any dataset of Definition 2; q the exact outputs, c those that a format computes. *)
Section Suffices.
Variables (I : Type) (P : I -> Type) (T : Type) (d : nat).
Variable token : forall i, P i -> T.
Variable sees : forall i, P i -> P i -> Prop.
Variables q c : forall i, P i -> vec.
Variables (r s e : R).
Hypothesis exact_length : forall i (k : P i), length (q i k) = d.
Hypothesis computed_length : forall i (k : P i), length (c i k) = d.
Hypothesis separates :
  definition2.contextual I P T vec token sees
    (fun o => norm o < r) (fun o o' => norm (sub o o') > s) q.
Hypothesis accurate : forall i (k : P i), norm (sub (c i k) (q i k)) <= e.

Theorem collapse_distance i (k : P i) j (l : P j) :
  required I P T token sees i k j l -> norm (sub (c i k) (c j l)) > s - 2 * e.
Proof.
intros R; destruct separates as [_ Sep]; pose proof (Sep i k j l R) as S.
pose proof (accurate i k) as A; pose proof (accurate j l) as B.
set (x := c i k) in *; set (y := c j l) in *; set (x' := q i k) in *; set (y' := q j l) in *.
assert (length x = d /\ length y = d /\ length x' = d /\ length y' = d) as (Lx & Ly & Lx' & Ly').
{ unfold x, y, x', y'; auto. }
assert (sub x' y' = add (add (sub x y) (scale (-1) (sub x x'))) (sub y y')) as E.
{ clearbody x y x' y'; clear - Lx Ly Lx' Ly'; unfold sub, scale; revert d y x' y' Lx Ly Lx' Ly'.
  induction x as [|a x IH]; intros d [|b y] [|a' x'] [|b' y'] Lx Ly Lx' Ly'; simpl in *;
    try (exfalso; congruence); try reflexivity.
  f_equal; [ring|]; apply (IH (pred d)); destruct d; try discriminate; simpl; congruence. }
assert (forall a b : vec, length a = d -> length b = d -> length (sub a b) = d) as Ls.
{ intros a b La Lb; unfold sub; rewrite length_add; [exact La | rewrite length_scale; congruence]. }
assert (length (add (sub x y) (scale (-1) (sub x x'))) = d) as La.
{ rewrite length_add; [auto | rewrite length_scale, !Ls; auto]. }
rewrite E in S; pose proof (norm_add _ (sub y y') (eq_trans La (eq_sym (Ls y y' Ly Ly')))) as N1.
pose proof (norm_add (sub x y) (scale (-1) (sub x x'))) as N2.
rewrite length_scale, !Ls in N2 by auto; specialize (N2 eq_refl).
rewrite norm_scale, Rabs_left in N2 by lra; lra.
Qed.

Theorem collapse_suffices i (k : P i) j (l : P j) : 2 * e <= s ->
  required I P T token sees i k j l -> c i k <> c j l.
Proof.
intros L R E; pose proof (collapse_distance i k j l R) as D; rewrite E in D.
assert (norm (sub (c j l) (c j l)) = 0) as Z; [|lra].
unfold norm; replace (dot _ _) with 0; [apply sqrt_0|].
generalize (c j l) as x; clear; unfold sub, scale.
induction x as [|a x IH]; simpl; [reflexivity|]; rewrite <- IH; ring.
Qed.
End Suffices.

(* All vectors of d entries from a list of values. *)
Fixpoint words (d : nat) (values : list R) : list vec :=
  match d with
  | O => [[]]
  | S d' => flat_map (fun a => map (cons a) (words d' values)) values
  end.

Lemma words_length d values : length (words d values) = (length values ^ d)%nat.
Proof.
induction d as [|d IH]; [reflexivity|]; simpl words; simpl Nat.pow.
rewrite <- IH; generalize (words d values) as l; clear; intros l.
induction values as [|a v IHv]; [reflexivity|].
simpl; rewrite app_length, map_length; f_equal; exact IHv.
Qed.

Lemma in_words d values x : length x = d -> (forall a, In a x -> In a values) ->
  In x (words d values).
Proof.
revert x; induction d as [|d IH]; intros [|a x] L H; simpl in *; try discriminate; [now left|].
apply in_flat_map; exists a; split; [apply H; now left|].
apply in_map, IH; [lia | intros; apply H; now right].
Qed.

(* Outputs at positions that are pairwise required, no two of them equal, written with the values of
   a format: there are no more of them than (number of values)^d. *)
Theorem collapse_necessary (d : nat) (values : list R) (outputs : list vec) :
  NoDup outputs ->
  (forall x, In x outputs -> length x = d /\ forall a, In a x -> In a values) ->
  (length outputs <= length values ^ d)%nat.
Proof.
intros U H; rewrite <- words_length; apply NoDup_incl_length; [exact U|].
intros x Hx; destruct (H x Hx); now apply in_words.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma collapse_distance_satisfiable : satisfiable collapse_distance.
Proof.
exists bool, (fun _ => unit), bool, 1%nat, (fun (i : bool) (_ : unit) => i), (fun _ _ _ => True),
  (fun (i : bool) (_ : unit) => if i then [0] else [1]),
  (fun (i : bool) (_ : unit) => if i then [0] else [1]), 2, (/ 2), 0.
unshelve eexists; [now intros [|]|]; unshelve eexists; [now intros [|]|].
unshelve eexists.
{ split.
  - intros [|] []; rewrite norm_one; unfold Rabs; destruct Rcase_abs; lra.
  - intros [|] [] [|] [] R; try (now destruct (required_irreflexive _ _ _ _ _ _ _ R));
      unfold sub, scale; simpl; rewrite norm_one; unfold Rabs; destruct Rcase_abs; lra. }
unshelve eexists; [intros i k; rewrite norm_sub_same; lra|].
exists true, tt, false, tt; given (now right).
Qed.
Lemma collapse_distance_falsifiable : falsifiable collapse_distance.
Proof.
exists unit, (fun _ => unit), unit, 1%nat, (fun _ _ => tt), (fun _ _ _ => True),
  (fun _ _ => [0]), (fun _ _ => [0]), 1, 1, 0, tt, tt, tt, tt; rewrite norm_sub_same; lra.
Qed.

Lemma collapse_suffices_satisfiable : satisfiable collapse_suffices.
Proof.
exists bool, (fun _ => unit), bool, 1%nat, (fun (i : bool) (_ : unit) => i), (fun _ _ _ => True),
  (fun (i : bool) (_ : unit) => if i then [0] else [1]),
  (fun (i : bool) (_ : unit) => if i then [0] else [1]), 2, (/ 2), 0.
unshelve eexists; [now intros [|]|]; unshelve eexists; [now intros [|]|].
unshelve eexists.
{ split.
  - intros [|] []; rewrite norm_one; unfold Rabs; destruct Rcase_abs; lra.
  - intros [|] [] [|] [] R; try (now destruct (required_irreflexive _ _ _ _ _ _ _ R));
      unfold sub, scale; simpl; rewrite norm_one; unfold Rabs; destruct Rcase_abs; lra. }
unshelve eexists; [intros i k; rewrite norm_sub_same; lra|].
exists true, tt, false, tt; given (lra || now right).
Qed.
Lemma collapse_suffices_falsifiable : falsifiable collapse_suffices.
Proof.
exists unit, (fun _ => unit), unit, 1%nat, (fun _ _ => tt), (fun _ _ _ => True),
  (fun _ _ => [0]), (fun _ _ => [0]), 1, 1, 0, tt, tt, tt, tt; auto.
Qed.

Lemma collapse_necessary_satisfiable : satisfiable collapse_necessary.
Proof.
exists 1%nat, [0; 1], [[0]; [1]]; given (first [
  solve [repeat constructor; simpl; intros H; intuition; injection H0; lra] |
  intros x [<-|[<-|[]]]; split; [reflexivity | simpl; tauto | reflexivity | simpl; tauto]]).
Qed.
Lemma collapse_necessary_falsifiable : falsifiable collapse_necessary.
Proof. exists 1%nat, [], [[0]]; simpl; lia. Qed.
