(* Lemma F and the sharp gap over a family: lists sorted in descending lexicographic order, with
   one bound per pair of neighbours, bound every pair.

   The signed form of the lemma makes the Boltzmann values rise from neighbour to
   neighbour while the maximum stays, so the distances add up; where the maximum
   falls, the values fall by more than any bound.  Each neighbouring pair may
   have its own gap. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums boltzmann gstar packing lemma_f sharp_gap guard.
Import ListNotations.
Local Open Scope R_scope.

(* A first difference never gives more than t e^-t <= 1. *)
Lemma bound_le_1 g t : wide g -> g <= t -> bound g t <= 1.
Proof.
intros W L; pose proof (wide_bracket g W); destruct W as [P W].
pose proof (mu_pos g P); pose proof (ratio_pos g).
unfold bound; apply Rle_trans with (exp (- t) * exp t).
- apply Rmult_le_compat_l; [left; apply exp_pos|]; pose proof (exp_lower t).
  assert ((t - mu g) * (1 - 2 * ratio g) <= (t - mu g) * 1)
    by (apply Rmult_le_compat_l; lra).
  lra.
- rewrite <- exp_plus, Rplus_opp_l, exp_0; lra.
Qed.

(* A lemma that begins at a gap, with its bound, its bound of mean depths, and a number between. *)
Section Family.
Variables (least : R) (bound : R -> R -> R) (mean : R -> R) (low : R).
Hypothesis signed : forall g A B N c, least <= g -> NoDup A -> NoDup B -> spread g (A ++ B) ->
  greatest A N -> greatest B N -> In c B -> ~ In c A ->
  (forall x, In x A -> ~ In x B -> x <= c) -> bound g (N - c) <= boltz A - boltz B.
Hypothesis shallow : forall g s, least <= g -> deep g s -> mean_depth s <= mean g.
Hypothesis below : forall g t, least <= g -> g <= t -> bound g t <= low.
Hypothesis above : forall g g', least <= g -> least <= g' -> low <= g - mean g'.

Variables (m : nat) (l : nat -> list R) (M g : nat -> R) (b : R).

Hypothesis no_repetition : forall i, (i <= m)%nat -> NoDup (l i).
Hypothesis maximum : forall i, (i <= m)%nat -> greatest (l i) (M i).
Hypothesis gap : forall i, (i < m)%nat -> least <= g i /\ spread (g i) (l i ++ l (S i)).

(* Neighbours in descending lexicographic order, and their bounds. *)
Hypothesis neighbours : forall i, (i < m)%nat ->
  (M (S i) < M i /\ b <= g i - mean (g i)) \/
  (M (S i) = M i /\ exists c, In c (l i) /\ ~ In c (l (S i)) /\
     (forall x, In x (l (S i)) -> ~ In x (l i) -> x <= c) /\ b <= bound (g i) (M i - c)).

Lemma maxima_fall i j : (i <= j)%nat -> (j <= m)%nat -> M j <= M i.
Proof.
intros L; induction L as [|j L IH]; intros Lm; [lra|].
assert (M j <= M i) by (apply IH; lia).
destruct (neighbours j Lm) as [[H' _]|[H' _]]; lra.
Qed.

Lemma step_up i : (i < m)%nat -> M (S i) = M i -> b <= boltz (l (S i)) - boltz (l i).
Proof.
intros Lm E; destruct (neighbours i Lm) as [[H _]|[_ (c & Hc & Nc & First & Hb)]]; [lra|].
destruct (gap i Lm) as [Gs S_]; apply Rle_trans with (1 := Hb).
apply signed; try assumption; try (apply no_repetition; lia).
- apply spread_incl with (l i ++ l (S i)); auto; intros x; rewrite !in_app_iff; tauto.
- rewrite <- E; apply maximum; lia.
- apply maximum; lia.
Qed.

Hypothesis b_nonneg : 0 <= b.

Lemma same_maximum i j : (i < j)%nat -> (j <= m)%nat -> M j = M i ->
  b <= boltz (l j) - boltz (l i).
Proof.
intros L; induction L as [|j L IH]; intros Lm E; [apply step_up; [lia | exact E]|].
assert (M j = M i) as Ej.
{ pose proof (maxima_fall i j ltac:(lia) ltac:(lia)).
  pose proof (maxima_fall j (S j) ltac:(lia) Lm); lra. }
pose proof (IH ltac:(lia) Ej); pose proof (step_up j ltac:(lia) ltac:(lra)); lra.
Qed.

(* The last list with the maximum of list i. *)
Lemma last_of_group i j : (i <= j)%nat -> (j <= m)%nat -> M j < M i ->
  exists k, (i <= k < j)%nat /\ M k = M i /\ M (S k) < M i.
Proof.
intros L; induction L as [|j L IH]; intros Lm E; [lra|].
destruct (Rlt_dec (M j) (M i)) as [Lt|Ge].
- destruct IH as (k & Hk & E1 & E2); [lia | exact Lt|]; exists k; split; [lia | now split].
- exists j; pose proof (maxima_fall i j L ltac:(lia)); split; [lia | split; [lra | exact E]].
Qed.

Lemma near_maximum i : (i < m)%nat -> M i - mean (g i) <= boltz (l i).
Proof.
intros Lm; destruct (gap i Lm) as [Gs S_].
pose proof (maximum i ltac:(lia)) as Mi.
assert (l i <> []) as N by (intros Z; destruct Mi as [H _]; rewrite Z in H; destruct H).
rewrite (boltz_depth (M i) (l i) N).
assert (spread (g i) (l i)) as Si by (apply spread_incl with (l i ++ l (S i)); auto;
  intros; apply in_app_iff; tauto).
pose proof (shallow (g i) _ Gs (deep_depths _ _ _ (no_repetition i ltac:(lia)) Si Mi)); lra.
Qed.

Lemma neighbours_bound i j : (i < j)%nat -> (j <= m)%nat ->
  b <= Rabs (boltz (l i) - boltz (l j)).
Proof.
intros L Lm; pose proof (maxima_fall i j ltac:(lia) Lm) as [Lt|E].
- apply Rle_trans with (boltz (l i) - boltz (l j)); [|apply Rle_abs].
  destruct (last_of_group i j ltac:(lia) Lm Lt) as (k & Hk & Ek & Fk).
  pose proof (near_maximum i ltac:(lia)) as Up.
  assert (boltz (l j) <= M j) as Lo.
  { pose proof (maximum j Lm) as [Hj Mj]; apply boltz_le_max; [|exact Mj].
    intros Z; rewrite Z in Hj; destruct Hj. }
  pose proof (maxima_fall (S k) j ltac:(lia) Lm) as Fj.
  destruct (gap k ltac:(lia)) as [Gk Sk].
  assert (g k <= M k - M (S k)) as Gap.
  { pose proof (Sk (M k) (M (S k))) as H; rewrite !in_app_iff in H.
    pose proof (maximum k ltac:(lia)) as [Hk1 _].
    pose proof (maximum (S k) ltac:(lia)) as [Hk2 _].
    specialize (H (or_introl Hk1) (or_intror Hk2) ltac:(lra)).
    rewrite Rabs_pos_eq in H; lra. }
  destruct (Nat.eq_dec i k) as [->|Nik].
  + destruct (neighbours k ltac:(lia)) as [[_ Hb]|[H _]]; lra.
  + (* list i shares its maximum with its successor: its bound is low *)
    assert (i < m)%nat as Li by lia.
    assert (M (S i) = M i) as Ei.
    { pose proof (maxima_fall i (S i) ltac:(lia) ltac:(lia)).
      pose proof (maxima_fall (S i) k ltac:(lia) ltac:(lia)); lra. }
    destruct (neighbours i Li) as [[H _]|[_ (c & Hc & Nc & _ & Hb)]]; [lra|].
    destruct (gap i Li) as [Gi Si].
    assert (bound (g i) (M i - c) <= low) as B1.
    { apply below; [exact Gi|].
      pose proof (maximum i ltac:(lia)) as [Hi Mi].
      assert (c <> M i) as Nci by (intros Z; apply Nc; rewrite Z, <- Ei; apply maximum; lia).
      pose proof (Si (M i) c) as H; rewrite !in_app_iff in H.
      specialize (H (or_introl Hi) (or_introl Hc) ltac:(auto)).
      pose proof (Mi c Hc); rewrite Rabs_pos_eq in H; lra. }
    pose proof (above (g k) (g i) Gk Gi); lra.
- rewrite Rabs_minus_sym; apply Rle_trans with (boltz (l j) - boltz (l i)); [|apply Rle_abs].
  now apply same_maximum.
Qed.
End Family.

Theorem family_bound (m : nat) (l : nat -> list R) (M g : nat -> R) (b : R) :
  (forall i, (i <= m)%nat -> NoDup (l i)) ->
  (forall i, (i <= m)%nat -> greatest (l i) (M i)) ->
  (forall i, (i < m)%nat -> gstar <= g i /\ spread (g i) (l i ++ l (S i))) ->
  (forall i, (i < m)%nat ->
    (M (S i) < M i /\ b <= g i - mu (g i)) \/
    (M (S i) = M i /\ exists c, In c (l i) /\ ~ In c (l (S i)) /\
       (forall x, In x (l (S i)) -> ~ In x (l i) -> x <= c) /\ b <= bound (g i) (M i - c))) ->
  0 <= b -> forall i j, (i < j)%nat -> (j <= m)%nat -> b <= Rabs (boltz (l i) - boltz (l j)).
Proof.
pose proof gstar_range; pose proof gstar_equation.
apply neighbours_bound with (low := 1); [exact lemma_f_signed | | |].
- intros x s Gs D; apply (mean_depth_packed x (wide_of_gstar x Gs) s D).
- intros x t Gs; apply bound_le_1; now apply wide_of_gstar.
- intros x y Gx Gy; pose proof (mu_decreasing gstar y ltac:(lra) Gy); lra.
Qed.

(* The same with the sharp gap, for the method first-difference. *)
Theorem sharp_family_bound (m : nat) (l : nat -> list R) (M g : nat -> R) (b : R) :
  (forall i, (i <= m)%nat -> NoDup (l i)) ->
  (forall i, (i <= m)%nat -> greatest (l i) (M i)) ->
  (forall i, (i < m)%nat -> sharp <= g i /\ spread (g i) (l i ++ l (S i))) ->
  (forall i, (i < m)%nat ->
    (M (S i) < M i /\ b <= g i - nu (g i)) \/
    (M (S i) = M i /\ exists c, In c (l i) /\ ~ In c (l (S i)) /\
       (forall x, In x (l (S i)) -> ~ In x (l i) -> x <= c) /\ b <= sharp_bound (g i) (M i - c))) ->
  0 <= b -> forall i j, (i < j)%nat -> (j <= m)%nat -> b <= Rabs (boltz (l i) - boltz (l j)).
Proof.
pose proof sharp_above.
apply neighbours_bound with (low := 1 / 2); [exact sharp_signed | | exact sharp_bound_le_half |].
- intros x s Gs D; apply (mean_depth_sharp x Gs s D).
- intros x y Gx Gy; pose proof (nu_decreasing sharp y ltac:(lra) Gy).
  pose proof (nu_half sharp ltac:(lra)); lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma family_bound_satisfiable : satisfiable family_bound.
Proof.
exists 1%nat, (fun i => match i with O => [2] | _ => [0] end),
  (fun i => match i with O => 2 | _ => 0 end), (fun _ => 2), 1.
unshelve eexists; [intros [|i] _; nodup|].
unshelve eexists; [intros [|i] _; split; simpl; auto; spreads|].
unshelve eexists; [intros [|i] L; [split; [apply gstar_range | spreads] | lia]|].
unshelve eexists; [intros [|i] L; [left; destruct wide_2; simpl; lra | lia]|].
unshelve eexists; [lra|]; exists 0%nat, 1%nat; given lia.
Qed.
Lemma family_bound_falsifiable : falsifiable family_bound.
Proof.
exists 1%nat, (fun _ => [0]), (fun _ => 0), (fun _ => 0), 1, 0%nat, 1%nat.
rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
Qed.

Lemma sharp_family_bound_satisfiable : satisfiable sharp_family_bound.
Proof.
pose proof sharp_lt_2; pose proof (nu_half 2 ltac:(lra)).
exists 1%nat, (fun i => match i with O => [2] | _ => [0] end),
  (fun i => match i with O => 2 | _ => 0 end), (fun _ => 2), 1.
unshelve eexists; [intros [|i] _; nodup|].
unshelve eexists; [intros [|i] _; split; simpl; auto; spreads|].
unshelve eexists; [intros [|i] L; [split; [lra | spreads] | lia]|].
unshelve eexists; [intros [|i] L; [left; simpl; lra | lia]|].
unshelve eexists; [lra|]; exists 0%nat, 1%nat; given lia.
Qed.
Lemma sharp_family_bound_falsifiable : falsifiable sharp_family_bound.
Proof.
exists 1%nat, (fun _ => [0]), (fun _ => 0), (fun _ => 0), 1, 0%nat, 1%nat.
rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
Qed.
