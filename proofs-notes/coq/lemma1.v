(* Lemma 1 (the paper's), as a corollary of Lemma F, and its extension to sets
   of different sizes.

   [lemma1]: two sets of exactly n reals in (-r, r), different values more than
   delta > 2 log n + 3 apart; if they differ, so do their Boltzmann values, by
   more than (log n)^2 e^{-2r}.

   [lemma1_sizes]: the two sets may have any sizes, as long as some set of n
   values with the same gap fits into (-r, r), as the longest of a family does.
   Where n is only an upper bound of the sizes the constant fails; the note
   gives an example. *)

From Coq Require Import Reals List Permutation Lra Lia.
From attest Require Import sums boltzmann gstar packing lemma_f guard.
Import ListNotations.
Local Open Scope R_scope.

Definition inside (r : R) (l : list R) : Prop := forall a, In a l -> Rabs a < r.
Definition apart (delta : R) (l : list R) : Prop :=
  forall x y, In x l -> In y l -> x <> y -> delta < Rabs (x - y).

Lemma apart_spread delta l : apart delta l -> spread delta l.
Proof. intros A x y Hx Hy N; left; now apply A. Qed.

Lemma inside_bounds r l a : inside r l -> In a l -> - r < a < r.
Proof. intros I H; pose proof (Rabs_def2 _ _ (I a H)); lra. Qed.

Theorem boltz_inside r l : l <> [] -> inside r l -> Rabs (boltz l) <= r.
Proof.
intros N I; apply Rabs_le; split.
- apply boltz_ge_min; [exact N|]; intros a Ha; pose proof (inside_bounds r l a I Ha); lra.
- apply boltz_le_max; [exact N|]; intros a Ha; pose proof (inside_bounds r l a I Ha); lra.
Qed.

(* Numbers that g > 3 gives, from e^3 >= (1 + 3/32)^32 >= 16. *)
Lemma gap3 g : 3 < g -> gstar <= g /\ 0 < mu g <= 0.2 /\ 0 < ratio g <= 0.0625.
Proof.
intros G; assert (16 <= exp 3) as E.
{ eapply Rle_trans; [|apply (exp_power 3 32); [repeat constructor | lra]]; simpl; lra. }
assert (ratio 3 <= 0.0625) as R3.
{ unfold ratio; rewrite exp_Ropp; apply Rmult_le_reg_r with (exp 3); [lra|].
  rewrite Rinv_l by lra; lra. }
assert (mu 3 <= 0.2) as M3.
{ rewrite mu_exp by lra; apply Rmult_le_reg_r with (exp 3 - 1); [lra|].
  replace (3 / (exp 3 - 1) * (exp 3 - 1)) with 3 by (field; lra); lra. }
pose proof (mu_pos g ltac:(lra)); pose proof (mu_decreasing 3 g ltac:(lra) ltac:(lra)).
pose proof (ratio_pos g); pose proof (ratio_decreasing 3 g ltac:(lra)).
split; [apply wide_iff; [|split]|]; lra.
Qed.

Lemma bound3 g t : 3 < g -> g <= t -> exp (- t) * ((t - 0.2) * 0.875 - 0.2) <= bound g t.
Proof.
intros G L; destruct (gap3 g G) as (_ & M & Q); unfold bound.
apply Rmult_le_compat_l; [left; apply exp_pos|].
assert ((t - 0.2) * 0.875 <= (t - mu g) * (1 - 2 * ratio g)).
{ apply Rmult_le_compat; lra. }
lra.
Qed.

(* (log n)^2 / n^2 <= 1, with L = log n. *)
Lemma square_exp L : 0 <= L -> L * L * exp (- (2 * L)) <= 1.
Proof.
intros P; replace (- (2 * L)) with (- L + - L) by ring; rewrite exp_plus.
pose proof (exp_lower L) as E; pose proof (exp_pos (- L)) as E'.
assert (L * exp (- L) <= 1) as H.
{ apply Rle_trans with (exp L * exp (- L)).
  - apply Rmult_le_compat_r; lra.
  - rewrite <- exp_plus, Rplus_opp_r, exp_0; lra. }
replace (L * L * (exp (- L) * exp (- L))) with (L * exp (- L) * (L * exp (- L))) by ring.
assert (0 <= L * exp (- L)) by (apply Rmult_le_pos; lra).
rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [Lt| ->]; [left; now apply exp_increasing | lra]. Qed.

(* The promised distance is small where the range exceeds t + 2L + 3. *)
Lemma promise_small L r t : 0 <= L -> t + (2 * L + 3) <= 2 * r ->
  L * L * exp (- (2 * r)) < exp (- t).
Proof.
intros P H; pose proof (square_exp L P) as S; pose proof (exp_pos (- t)) as Et.
apply Rle_lt_trans with (L * L * exp (- (2 * L)) * exp (-3) * exp (- t)).
- replace (L * L * exp (- (2 * L)) * exp (-3) * exp (- t))
    with (L * L * (exp (- (2 * L) + -3 + - t))) by (rewrite !exp_plus; ring).
  apply Rmult_le_compat_l; [now apply Rmult_le_pos | apply exp_le; lra].
- assert (exp (-3) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  pose proof (exp_pos (-3)); pose proof (exp_pos (- (2 * L))).
  assert (0 <= L * L * exp (- (2 * L))) by (apply Rmult_le_pos; [now apply Rmult_le_pos | lra]).
  assert (L * L * exp (- (2 * L)) * exp (-3) <= 1 * exp (-3))
    by (apply Rmult_le_compat_r; lra).
  apply Rlt_le_trans with (1 * exp (- t)); [apply Rmult_lt_compat_r|]; lra.
Qed.

Lemma log_nonneg n : (1 <= n)%nat -> 0 <= ln (INR n).
Proof.
intros H; apply le_INR in H; simpl in H; rewrite <- ln_1.
destruct H as [Lt|<-]; [left; apply ln_increasing; lra | lra].
Qed.

(* Equal numbers of elements: if A has an element that B lacks, B has one that A lacks. *)
Lemma owns_lacks (A B : list R) c : NoDup A -> length A = length B -> In c B -> ~ In c A ->
  exists d, In d A /\ ~ In d B.
Proof.
intros U E Hc Nc; destruct (minus A B) as [|d l] eqn:D.
- exfalso; apply Nc; apply (NoDup_length_incl U (l' := B)); [lia | | exact Hc].
  intros x Hx; destruct (in_dec Req_EM_T x B) as [i|n]; [exact i|].
  assert (In x (minus A B)) as F by now apply in_minus.
  rewrite D in F; destruct F.
- exists d; apply in_minus; rewrite D; now left.
Qed.

Section Lemma1.
Variables (n : nat) (r delta : R) (A B : list R).
Hypothesis n_pos : (1 <= n)%nat.
Hypothesis delta_large : delta > 2 * ln (INR n) + 3.
Hypotheses (UA : NoDup A) (UB : NoDup B) (NA : A <> []) (NB : B <> []).
Hypothesis small : inside r (A ++ B).
Hypothesis separated : apart delta (A ++ B).
Let L := ln (INR n).

Let L_pos : 0 <= L. Proof. now apply log_nonneg. Qed.
Let large3 : 3 < delta. Proof. pose proof L_pos; unfold L in *; lra. Qed.

Lemma range x y : In x (A ++ B) -> In y (A ++ B) -> x - y < 2 * r.
Proof.
intros Hx Hy; pose proof (inside_bounds _ _ _ small Hx).
pose proof (inside_bounds _ _ _ small Hy); lra.
Qed.

(* Different maxima settle both versions. *)
Lemma other_max M M' : greatest A M -> greatest B M' -> M <> M' ->
  Rabs (boltz A - boltz B) > L * L * exp (- (2 * r)).
Proof.
intros GA GB N; destruct (gap3 delta large3) as (Gs & Mu & _).
destruct (lemma_f_other_max delta A B M M') as [H _]; auto using apart_spread.
assert (In M (A ++ B)) as HM by (apply in_app_iff; left; apply GA).
assert (In M' (A ++ B)) as HM' by (apply in_app_iff; right; apply GB).
assert (0 + (2 * L + 3) <= 2 * r) as Range.
{ pose proof (separated M M' HM HM' N) as S; pose proof (range M M' HM HM').
  pose proof (range M' M HM' HM); unfold Rabs in S; destruct (Rcase_abs (M - M'));
  unfold L; lra. }
pose proof (promise_small L r 0 L_pos Range) as P; rewrite Ropp_0, exp_0 in P.
lra.
Qed.

Theorem lemma1 : length A = n -> length B = n -> (exists x, differ A B x) ->
  Rabs (boltz A - boltz B) > L * L * exp (- (2 * r)).
Proof.
intros EA EB D; destruct (exists_max A NA) as (M & GA).
destruct (exists_max B NB) as (M' & GB).
destruct (Req_EM_T M M') as [<- | N]; [|now apply other_max with M M'].
destruct (exists_first_difference A B D) as (c & Dc & First).
destruct (gap3 delta large3) as (Gs & _ & _).
destruct (lemma_f_same_max delta A B M c) as [H _]; auto using apart_spread.
{ now split. }
(* the set without c contains some d below c *)
assert (exists d, differ A B d /\ d <> c) as (d & Dd & Ndc).
{ destruct Dc as [[H1 H2] | [H1 H2]].
  - destruct (owns_lacks B A c) as (d & d1 & d2); auto; [congruence|].
    exists d; split; [right; tauto | intros ->; tauto].
  - destruct (owns_lacks A B c) as (d & d1 & d2); auto; [congruence|].
    exists d; split; [left; tauto | intros ->; tauto]. }
assert (forall x, differ A B x -> In x (A ++ B)) as I
  by (intros x [?|?]; apply in_app_iff; tauto).
assert (In M (A ++ B)) as HM by (apply in_app_iff; left; apply GA).
pose proof (First d Dd) as Ldc; pose proof (separated c d (I c Dc) (I d Dd) ltac:(auto)) as S.
rewrite Rabs_pos_eq in S by lra; pose proof (range M d HM (I d Dd)) as R2.
assert (c <> M) as NcM by (intros ->; destruct Dc as [[]|[]]; destruct GA, GB; tauto).
assert (c <= M) as LcM by (destruct Dc as [[]|[]]; [apply GA | apply GB]; tauto).
pose proof (separated M c HM (I c Dc) ltac:(auto)) as S2.
rewrite Rabs_pos_eq in S2 by lra.
assert (M - c + (2 * L + 3) <= 2 * r) as Range by (unfold L; lra).
pose proof (promise_small L r (M - c) L_pos Range) as P.
pose proof (bound3 delta (M - c) large3 ltac:(lra)) as Bd.
assert (exp (- (M - c)) * 1 <= exp (- (M - c)) * ((M - c - 0.2) * 0.875 - 0.2))
  by (apply Rmult_le_compat_l; [left; apply exp_pos | lra]).
lra.
Qed.

(* Any sizes: n values with this gap fit into (-r, r). *)
Theorem lemma1_any_size : INR (n - 1) * delta <= 2 * r -> (exists x, differ A B x) ->
  Rabs (boltz A - boltz B) > L * L * exp (- (2 * r)).
Proof.
intros Fit D; destruct (exists_max A NA) as (M & GA).
destruct (exists_max B NB) as (M' & GB).
destruct (Req_EM_T M M') as [<- | N]; [|now apply other_max with M M'].
destruct (exists_first_difference A B D) as (c & Dc & First).
destruct (gap3 delta large3) as (Gs & _ & _).
destruct (lemma_f_same_max delta A B M c) as [H _]; auto using apart_spread.
{ now split. }
assert (In c (A ++ B)) as Hc by (destruct Dc; apply in_app_iff; tauto).
assert (In M (A ++ B)) as HM by (apply in_app_iff; left; apply GA).
assert (c <> M) as NcM by (intros ->; destruct Dc as [[]|[]]; destruct GA, GB; tauto).
assert (c <= M) as LcM by (destruct Dc as [[]|[]]; [apply GA | apply GB]; tauto).
pose proof (separated M c HM Hc ltac:(auto)) as S; rewrite Rabs_pos_eq in S by lra.
pose proof (range M c HM Hc) as R2.
pose proof (bound3 delta (M - c) large3 ltac:(lra)) as Bd.
(* e^-t ((t - 0.2) 0.875 - 0.2) decreases; take it at t = 2r *)
assert (exp (- (2 * r)) * ((2 * r - 0.2) * 0.875 - 0.2)
        <= exp (- (M - c)) * ((M - c - 0.2) * 0.875 - 0.2)) as Dec.
{ pose proof (h_decreasing (0.2 + 0.2 / 0.875) (M - c) (2 * r) ltac:(lra) ltac:(lra)) as Hd.
  unfold h in Hd; lra. }
assert (L <= INR (n - 1)) as LN.
{ assert (INR (n - 1) = INR n - 1) as E by (rewrite minus_INR by lia; simpl; ring).
  rewrite E; pose proof (exp_lower L) as X; unfold L in X.
  rewrite exp_ln in X by (apply lt_0_INR; lia); unfold L; lra. }
assert (2 * (L * L) + 3 * L <= 2 * r) as Big.
{ apply Rle_trans with (INR (n - 1) * delta); [|exact Fit].
  pose proof L_pos as L_pos'.
  replace (2 * (L * L) + 3 * L) with (L * (2 * L + 3)) by ring.
  apply Rmult_le_compat; unfold L in *; lra. }
assert (L * L < (2 * r - 0.2) * 0.875 - 0.2) as Final.
{ pose proof L_pos; assert (0 <= L * L) by now apply Rmult_le_pos. lra. }
apply Rmult_lt_compat_l with (r := exp (- (2 * r))) in Final; [|apply exp_pos].
lra.
Qed.
End Lemma1.

(* n values more than delta apart need a range of (n - 1) delta. *)
Lemma spread_range g l : 0 < g -> NoDup l -> spread g l -> l <> [] ->
  forall x, (forall y, In y l -> x <= y) -> exists m, In m l /\ x + INR (length l - 1) * g <= m.
Proof.
intros G; remember (length l) as k eqn:Len; revert l Len.
induction k as [|k IH]; intros l Len U Sp N x B; [now destruct l|].
destruct (extract_min l N) as (m & l' & P & Min).
assert (forall y, In y (m :: l') -> In y l) as I
  by (intros y; apply Permutation_in, Permutation_sym, P).
assert (NoDup (m :: l')) as U' by (apply (Permutation_NoDup P U)).
assert (x <= m) as Lm by (apply B, I; now left).
apply Permutation_length in P; simpl in P.
destruct l' as [|y0 l'].
- exists m; split; [apply I; now left|].
  replace (S k - 1)%nat with 0%nat by (simpl in P; lia); simpl; lra.
- destruct (IH (y0 :: l')) with (x := m + g) as (z & Hz & Lz).
  + simpl in *; lia.
  + now inversion U'.
  + apply spread_incl with l; [|exact Sp]; intros y Hy; apply I; now right.
  + easy.
  + intros y Hy; assert (y <> m) as Ny by (intros ->; now inversion U').
    pose proof (Sp y m (I y (or_intror Hy)) (I m (or_introl eq_refl)) Ny) as Gap.
    pose proof (Min y (I y (or_intror Hy))); rewrite Rabs_pos_eq in Gap; lra.
  + exists z; split; [apply I; now right|].
    replace (INR (S k - 1)) with (INR (k - 1) + 1); [lra|].
    rewrite <- S_INR; f_equal; simpl in *; lia.
Qed.

(* Lemma 1 at any sizes, n the size of some member C of the family. *)
Theorem lemma1_sizes r delta (A B C : list R) : C <> [] ->
  delta > 2 * ln (INR (length C)) + 3 ->
  NoDup A -> NoDup B -> NoDup C -> A <> [] -> B <> [] ->
  inside r (A ++ B) -> inside r C -> apart delta (A ++ B) -> apart delta C ->
  (exists x, differ A B x) ->
  Rabs (boltz A - boltz B)
  > ln (INR (length C)) * ln (INR (length C)) * exp (- (2 * r)).
Proof.
intros NC Dl UA UB UC NA NB IAB IC SAB SC D.
assert (1 <= length C)%nat as Pos by (destruct C; [easy | simpl; lia]).
apply lemma1_any_size with delta; auto.
pose proof (log_nonneg _ Pos).
destruct (spread_range delta C) with (x := - r) as (m & Hm & Lm); auto using apart_spread.
- lra.
- intros y Hy; pose proof (inside_bounds r C y IC Hy); lra.
- pose proof (inside_bounds r C m IC Hm); lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma ln_2_small : ln 2 < 1.5.
Proof.
rewrite <- (ln_exp 1.5); apply ln_increasing; [lra|]; pose proof (exp_lower 1.5); lra.
Qed.

Lemma boltz_inside_satisfiable : satisfiable boltz_inside.
Proof. exists 1, [0]; unfold inside; given (easy || members). Qed.
Lemma boltz_inside_falsifiable : falsifiable boltz_inside.
Proof. exists (-1), [0]; pose proof (Rabs_pos (boltz [0])); lra. Qed.

Lemma lemma1_satisfiable : satisfiable lemma1.
Proof.
pose proof ln_2_small; exists 2%nat, 15, 6.5, [0; 7], [0; 14]; unfold inside, apart, differ.
given (first [lia | easy | simpl; replace (1 + 1) with 2 by ring; lra | nodup | members |
  exists 7; left; simpl; split; [auto | intuition lra]]).
Qed.
Lemma lemma1_falsifiable : falsifiable lemma1.
Proof.
exists 1%nat, 0, 0, [0], [0]; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
simpl; rewrite ln_1; lra.
Qed.

Lemma lemma1_sizes_satisfiable : satisfiable lemma1_sizes.
Proof.
pose proof ln_2_small; exists 8, 6.5, [0], [0; 7], [0; 7]; unfold inside, apart, differ.
given (first [easy | simpl; replace (1 + 1) with 2 by ring; lra | nodup | members |
  exists 7; right; simpl; split; [auto | intuition lra]]).
Qed.
Lemma lemma1_sizes_falsifiable : falsifiable lemma1_sizes.
Proof.
exists 0, 0, [0], [0], [0]; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
simpl; rewrite ln_1; lra.
Qed.
