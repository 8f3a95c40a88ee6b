(* The strategy `gap`: scores at least g > log(2 + sqrt 3) apart, and the sharp gap instead of
   Lemma 1: Definition 2 whole, with the promise that theorem2.c takes, the least of the bound
   at both ends of the depths that can occur, and at 2g, where it jumps. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums boltzmann gstar packing lemma_f sharp_gap lemma1 vectors definition2.
From attest Require Import softmax rank1 theorem2 guard.
Import ListNotations.
Local Open Scope R_scope.

(* (x - b) e^-x rises up to b + 1; from there it falls (h_decreasing). *)
Lemma h_increasing b x y : x <= y -> y <= b + 1 -> h b x <= h b y.
Proof.
intros L U; unfold h; replace (- y) with (- x + - (y - x)) by ring; rewrite exp_plus.
pose proof (exp_pos (- x)) as P; pose proof (exp_lower (- (y - x))) as E.
rewrite (Rmult_comm (x - b)), <- Rmult_assoc, (Rmult_comm (y - b)), Rmult_assoc.
apply Rmult_le_compat_l; [lra|]; rewrite Rmult_comm.
destruct (Rle_dec (y - b) 0) as [N|N].
- assert (exp (- (y - x)) <= 1) by (rewrite <- exp_0; apply exp_le; lra).
  assert ((y - b) * 1 <= (y - b) * exp (- (y - x))) by (apply Rmult_le_compat_neg_l; lra).
  lra.
- assert ((y - b) * (1 + - (y - x)) <= (y - b) * exp (- (y - x)))
    by (apply Rmult_le_compat_l; lra).
  assert ((y - b) * (y - x) <= 1 * (y - x)) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.

(* The bound over an interval of depths is least at an end, or at 2g, where it jumps. *)
Definition sharp_least (g top : R) : R :=
  Rmin (sharp_bound g g) (Rmin (sharp_bound g (2 * g)) (sharp_bound g top)).

Theorem bound_least_at_ends g t top : sharp <= g -> g <= t -> t <= top ->
  sharp_least g top <= sharp_bound g t.
Proof.
intros Gs L U; pose proof (sharp_ratio g Gs) as [Q _]; pose proof (sharp_gt_1 g Gs).
pose proof (shallow_mu g Gs); pose proof (nu_half g Gs).
set (a := 1 - 2 * ratio g); assert (0 < a) as A by (unfold a; lra).
(* on each side of 2g the bound is a h_b, which rises and then falls *)
assert (forall m x s y, x <= s -> s <= y ->
  Rmin (exp (- x) * ((x - m) * a - mu g)) (exp (- y) * ((y - m) * a - mu g))
  <= exp (- s) * ((s - m) * a - mu g)) as Ends.
{ intros m x s y Ls Us; set (b := m + mu g / a).
  assert (forall z, exp (- z) * ((z - m) * a - mu g) = a * h b z) as E
    by (intros z; unfold h, b; field; lra).
  rewrite !E; destruct (Rle_dec s (b + 1)) as [R|R].
  - apply Rle_trans with (1 := Rmin_l _ _); apply Rmult_le_compat_l; [lra|].
    now apply h_increasing.
  - apply Rle_trans with (1 := Rmin_r _ _); apply Rmult_le_compat_l; [lra|].
    apply h_decreasing; lra. }
unfold sharp_least, sharp_bound, sharp_mean; fold a.
destruct (Rlt_dec g (2 * g)) as [_|N]; [|lra]; destruct (Rlt_dec (2 * g) (2 * g)) as [N|_]; [lra|].
destruct (Rlt_dec t (2 * g)) as [T|T].
- apply Rle_trans with (2 := Ends (shallow g) g t (2 * g) L ltac:(lra)).
  apply Rmin_glb; [apply Rmin_l|]; apply Rle_trans with (1 := Rmin_r _ _).
  apply Rle_trans with (1 := Rmin_l _ _), Rmult_le_compat_l; [left; apply exp_pos|].
  assert ((2 * g - nu g) * a <= (2 * g - shallow g) * a) by (apply Rmult_le_compat_r; lra); lra.
- destruct (Rlt_dec top (2 * g)) as [N|_]; [lra|].
  apply Rle_trans with (2 := Ends (nu g) (2 * g) t top ltac:(lra) U); apply Rmin_r.
Qed.

Section Gap.
Variables (u1 u2 u3 v : vec) (WO : list vec).
Let kappa := dot u2 u1.
Let w := apply WO u3.
Let F := attention (outer u1 v) (outer u2 v) (outer u3 v) WO.
Let s x := rank1_score u1 u2 v x.

Variables (I : Type) (X : I -> list vec) (d : nat) (rmax eps g : R) (m : mask).
Let V x := exists i, In x (X i).

Hypotheses (rmax_pos : 0 < rmax) (eps_pos : 0 < eps).
Hypothesis dimension : forall x, V x -> length x = d.
Hypothesis small : forall x, V x -> norm x < rmax.
Hypothesis far : forall x y, V x -> V y -> x <> y -> eps < norm (sub x y).
Hypothesis no_repetition : forall i, NoDup (X i).

Hypothesis WO_dimension : length WO = d.
Hypotheses (v_le_1 : norm v <= 1) (kappa_pos : 0 < kappa).
Hypotheses (w_pos : 0 < norm w) (w_small : norm w <= eps / (4 * rmax)).
Hypothesis g_wide : sharp < g.
Hypothesis apart : forall x y z, V x -> V y -> V z -> y <> z ->
  g <= Rabs (kappa * dot v x * (dot v y - dot v z)).

Definition gap_promise : R :=
  norm w * sharp_least g (2 * (kappa * rmax * rmax)) / (kappa * rmax).

Let Gs : sharp <= g. Proof. lra. Qed.
Let visible_in i k x : In x (visible m k (X i)) -> V x.
Proof. exists i; apply (visible_incl _ m k); assumption. Qed.
Let token_in i k : (k < length (X i))%nat -> V (token I X i k).
Proof. intros Lk; exists i; now apply nth_In. Qed.
Let w_length x : V x -> length w = length x.
Proof. intros Vx; unfold w, apply; now rewrite map_length, dimension. Qed.

Lemma gap_scores x y z : V x -> V y -> V z -> y <> z -> g <= Rabs (s x y - s x z).
Proof.
intros Vx Vy Vz N; unfold s, rank1_score; fold kappa.
rewrite <- Rmult_minus_distr_l; now apply apart.
Qed.

Lemma gap_small x y : V x -> V y -> Rabs (s x y) < kappa * rmax * rmax.
Proof.
intros Vx Vy; unfold s, rank1_score; fold kappa; rewrite !Rabs_mult, (Rabs_pos_eq kappa) by lra.
pose proof (dot_v_small v rmax v_le_1 x (small x Vx)).
pose proof (dot_v_small v rmax v_le_1 y (small y Vy)).
rewrite !Rmult_assoc; apply Rmult_lt_compat_l; [exact kappa_pos|].
apply Rmult_le_0_lt_compat; auto using Rabs_pos.
Qed.

(* Two different tokens: the range of the scores is wider than the gap. *)
Lemma gap_range y z : V y -> V z -> y <> z -> g < 2 * (kappa * rmax * rmax).
Proof.
intros Vy Vz N; pose proof (gap_scores y y z Vy Vy Vz N) as G.
pose proof (gap_small y y Vy Vy) as Sy; pose proof (gap_small y z Vy Vz) as Sz.
apply Rabs_def2 in Sy, Sz; unfold Rabs in G; destruct (Rcase_abs (s y y - s y z)); lra.
Qed.

Let least := sharp_least g (2 * (kappa * rmax * rmax)).

Lemma least_pos : g < 2 * (kappa * rmax * rmax) -> 0 < least <= 1 / 2.
Proof.
intros R; pose proof (sharp_gt_1 g Gs); split.
- repeat apply Rmin_glb_lt; apply sharp_bound_pos; lra.
- apply Rle_trans with (1 := Rmin_l _ _); apply sharp_bound_le_half; lra.
Qed.

Lemma gap_same_token i k j l x : (k < length (X i))%nat -> (l < length (X j))%nat ->
  In x (visible m k (X i)) -> In x (visible m l (X j)) ->
  ~ (forall y, In y (visible m k (X i)) <-> In y (visible m l (X j))) ->
  norm (sub (F (visible m k (X i)) x) (F (visible m l (X j)) x)) > gap_promise.
Proof.
intros Lk Ll HA HB NV.
set (A := visible m k (X i)) in *; set (B := visible m l (X j)) in *.
assert (forall z, In z A -> V z) as IA by apply visible_in.
assert (forall z, In z B -> V z) as IB by apply visible_in.
assert (V x) as Vx by auto.
destruct (same_set_dec A B) as [S|D]; [now destruct NV|].
assert (exists y, V y /\ y <> x) as (y & Vy & Nyx).
{ destruct D as (y & D); exists y; split; [|intros ->; tauto].
  destruct D as [[H _]|[H _]]; auto. }
pose proof (gap_range y x Vy Vx Nyx) as Wide; destruct (least_pos Wide) as [Lp L1].
pose proof (sharp_gt_1 g Gs) as g0.
assert (kappa * dot v x <> 0) as K.
{ intros K0; pose proof (apart x y x Vx Vy Vx Nyx) as P.
  rewrite K0, Rmult_0_l, Rabs_R0 in P; lra. }
assert (0 < Rabs (kappa * dot v x) < kappa * rmax) as [K1 K2].
{ split; [now apply Rabs_pos_lt|]; rewrite Rabs_mult, (Rabs_pos_eq kappa) by lra.
  apply Rmult_lt_compat_l; [exact kappa_pos|]; apply dot_v_small; auto. }
assert (forall b, least <= b ->
  norm (sub (F A x) (F B x)) >= norm w * (b / Rabs (kappa * dot v x)) ->
  norm (sub (F A x) (F B x)) > gap_promise) as Enough.
{ intros b Lb H; apply Rlt_gt, Rlt_le_trans with (2 := Rge_le _ _ H).
  unfold gap_promise; fold least; unfold Rdiv at 1; rewrite Rmult_assoc.
  apply Rmult_lt_compat_l; [exact w_pos|]; apply Rlt_le_trans with (least * / Rabs (kappa * dot v x)).
  - apply Rmult_lt_compat_l; [exact Lp|]; apply Rinv_lt_contravar; [|exact K2].
    now apply Rmult_lt_0_compat; [|apply Rlt_trans with (1 := K1)].
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | exact Lb]. }
assert (forall z, In z (A ++ B) -> V z) as IAB
  by (intros z Hz; apply in_app_iff in Hz; destruct Hz; auto).
destruct (theorem2_first_difference u1 u2 u3 v WO g A B x) as (M & M' & GA & GB & H); auto.
- now apply visible_some.
- now apply visible_some.
- apply visible_nodup, no_repetition.
- apply visible_nodup, no_repetition.
- intros a b Ha Hb; apply gap_scores; auto.
- destruct H as [[_ H]|[Eq (c & [Dc Fc] & H)]].
  + apply Enough with (g - nu g); [|exact H]; pose proof (nu_half g Gs); lra.
  + apply Enough with (sharp_bound g (M - c)); [|exact H].
    destruct GA as [MA UA], GB as [MB UB]; subst M'.
    assert (In c (map (s x) A) \/ In c (map (s x) B)) as Hc by (destruct Dc as [[? _]|[? _]]; auto).
    assert (forall a, In a (map (s x) A) \/ In a (map (s x) B) ->
      exists z, V z /\ a = s x z) as Score.
    { intros a [Ha|Ha]; apply in_map_iff in Ha; destruct Ha as (z & <- & Hz); exists z; auto. }
    destruct (Score c Hc) as (z & Vz & Ez); destruct (Score M (or_introl MA)) as (y' & Vy' & Ey').
    assert (c <= M) as Lc by (destruct Hc as [Hc|Hc]; [apply UA | apply UB]; exact Hc).
    assert (c <> M) as Nc by (intros ->; destruct Dc as [[_ N]|[_ N]]; apply N; assumption).
    assert (y' <> z) as Nyz by (intros ->; apply Nc; congruence).
    pose proof (gap_scores x y' z Vx Vy' Vz Nyz) as G; rewrite <- Ey', <- Ez in G.
    rewrite Rabs_pos_eq in G by lra.
    pose proof (gap_small x y' Vx Vy') as By; pose proof (gap_small x z Vx Vz) as Bz.
    rewrite <- Ey' in By; rewrite <- Ez in Bz; apply Rabs_def2 in By, Bz.
    apply bound_least_at_ends; [exact Gs | exact G | lra].
Qed.

Lemma gap_promise_le_half y z : V y -> V z -> y <> z -> gap_promise <= eps / 2.
Proof.
intros Vy Vz N; pose proof (gap_range y z Vy Vz N) as R; destruct (least_pos R) as [Lp L1].
pose proof (sharp_gt_1 g Gs); unfold gap_promise; fold least.
assert (0 < kappa * rmax) as K by (apply Rmult_lt_0_compat; assumption).
apply Rmult_le_reg_r with (kappa * rmax); [exact K|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
apply Rle_trans with (eps / (4 * rmax) * 1).
- apply Rmult_le_compat; auto using norm_nonneg; lra.
- apply Rmult_le_reg_r with rmax; [exact rmax_pos|].
  replace (eps / (4 * rmax) * 1 * rmax) with (eps * (1 / 4)) by (field; lra).
  replace (eps * / 2 * (kappa * rmax) * rmax) with (eps * (/ 2 * (kappa * rmax * rmax))) by ring.
  apply Rmult_le_compat_l; lra.
Qed.

Theorem gap_contextual : contextual I X F m (rmax + eps / 4) gap_promise.
Proof.
apply contextual_positions; split.
- intros i k Lk; pose proof (token_in i k Lk) as Vt; unfold output.
  apply output_bounded; auto using visible_some.
  intros y Hy; exact (small y (visible_in i k y Hy)).
- intros i k j l Lk Ll Req; unfold output.
  pose proof (token_in i k Lk) as Vx; pose proof (token_in j l Ll) as Vy.
  destruct (list_eq_dec Req_EM_T (token I X i k) (token I X j l)) as [E|N].
  2:{ pose proof (gap_promise_le_half _ _ Vx Vy N).
      assert (eps / 2 < norm (sub (F (visible m k (X i)) (token I X i k))
                                  (F (visible m l (X j)) (token I X j l)))).
      { apply other_token_distance with rmax; auto using visible_some; intros z Hz;
        [exact (small z (visible_in i k z Hz)) | exact (small z (visible_in j l z Hz))]. }
      lra. }
  destruct Req as [NV|]; [|tauto]; rewrite <- E.
  apply gap_same_token; auto; [now apply nth_visible | rewrite E; now apply nth_visible].
Qed.
End Gap.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma bound_least_at_ends_satisfiable : satisfiable bound_least_at_ends.
Proof. exists 2, 3, 4; pose proof sharp_lt_2; given lra. Qed.
Lemma bound_least_at_ends_falsifiable : falsifiable bound_least_at_ends.
Proof.
pose proof sharp_lt_2; exists 2, 0, 2; apply Rlt_not_le, Rlt_le_trans with 0.
- unfold sharp_bound, sharp_mean; destruct Rlt_dec as [_|N]; [|lra].
  rewrite Ropp_0, exp_0; pose proof (sharp_ratio 2 ltac:(lra)) as [Q _].
  pose proof (mu_positive 2 ltac:(lra)); pose proof (shallow_mu 2 ltac:(lra)).
  assert (0 < shallow 2 * (1 - 2 * ratio 2)) by (apply Rmult_lt_0_compat; lra); lra.
- left; repeat apply Rmin_glb_lt; apply sharp_bound_pos; lra.
Qed.

Lemma gap_contextual_satisfiable : satisfiable gap_contextual.
Proof.
exists [2], [1], [1], [1], [[/ 32]], bool, example, 1%nat, 4, (/ 2), 2, NoMask.
given (first [reflexivity | exact example_nodup | exact sharp_lt_2 | tokens | token_pairs | numbers |
  intros x y z Hx Hy Hz N; apply example_tokens in Hx, Hy, Hz;
  destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]], Hz as [->|[->| ->]];
  try (now destruct N); simpl; numbers]).
Qed.
Lemma gap_contextual_falsifiable : falsifiable gap_contextual.
Proof.
exists [1], [1], [1], [1], [[0]], bool, example, 1%nat, 4, 1, 2, NoMask.
apply zero_head_refuted; [simpl; f_equal; ring|]; unfold gap_promise; simpl.
rewrite !Rmult_0_l, Rplus_0_l, norm_one, Rabs_R0; unfold Rdiv; lra.
Qed.
