(* The sharp gap: Lemma F from g = log(2 + sqrt 3) on, with a bound of the same form.  Where the first
   difference is at depth t, the common part and t have a mean depth of at most g q/(1+q) if t < 2g
   (there is nothing but 0 and t), and of at most nu = mu/(1-q) in any case. *)

From Coq Require Import Reals List Permutation Lra.
From attest Require Import sums boltzmann gstar packing lemma_f guard.
Import ListNotations.
Local Open Scope R_scope.

Definition sharp : R := ln (2 + sqrt 3).

Definition nu (g : R) : R := mu g / (1 - ratio g).
Definition shallow (g : R) : R := g * ratio g / (1 + ratio g).
Definition sharp_mean (g t : R) : R := if Rlt_dec t (2 * g) then shallow g else nu g.

(* e^-t [ (t - m)(1 - 2q) - mu ], m = g q/(1+q) where t < 2g, else nu. *)
Definition sharp_bound (g t : R) : R :=
  exp (- t) * ((t - sharp_mean g t) * (1 - 2 * ratio g) - mu g).

Lemma sqrt_3 : 1.732 < sqrt 3 < 1.7321.
Proof.
pose proof (sqrt_sqrt 3 ltac:(lra)) as E; pose proof (sqrt_pos 3) as P; split.
- destruct (Rlt_dec 1.732 (sqrt 3)) as [L|L]; [exact L|exfalso].
  assert (sqrt 3 * sqrt 3 <= 1.732 * 1.732) by (apply Rmult_le_compat; lra); lra.
- destruct (Rlt_dec (sqrt 3) 1.7321) as [L|L]; [exact L|exfalso].
  assert (1.7321 * 1.7321 <= sqrt 3 * sqrt 3) by (apply Rmult_le_compat; lra); lra.
Qed.

Lemma ratio_sharp : ratio sharp = 2 - sqrt 3.
Proof.
pose proof sqrt_3; pose proof (sqrt_sqrt 3 ltac:(lra)).
unfold ratio, sharp; rewrite exp_Ropp, exp_ln by lra.
apply Rmult_eq_reg_r with (2 + sqrt 3); [|lra]; rewrite Rinv_l; lra.
Qed.

(* From e^-x >= (1 - x/32)^32. *)
Lemma sharp_above : 1.268 < sharp.
Proof.
destruct (Rlt_dec 1.268 sharp) as [L|L]; [exact L|exfalso].
pose proof (ratio_decreasing sharp 1.268 ltac:(lra)) as R; rewrite ratio_sharp in R.
assert (ratio 1.268 = exp (- (1.268 / 32)) ^ 32) as E.
{ rewrite exp_multiple; unfold ratio; f_equal; simpl INR; lra. }
assert ((1 - 1.268 / 32) ^ 32 <= exp (- (1.268 / 32)) ^ 32) as P.
{ apply pow_incr; pose proof (exp_lower (- (1.268 / 32))); lra. }
assert (0.27 < (1 - 1.268 / 32) ^ 32) by (simpl; lra).
pose proof sqrt_3; lra.
Qed.

Lemma sharp_lt_2 : sharp < 2.
Proof.
pose proof (exp_power 2 2 ltac:(auto) ltac:(lra)) as E; simpl in E; pose proof sqrt_3.
unfold sharp; rewrite <- (ln_exp 2) at 2; apply ln_increasing; lra.
Qed.

(* What q <= 2 - sqrt 3 gives. *)
Section Constants.
Variables (g : R) (Gs : sharp <= g).
Let q := ratio g.

Lemma sharp_ratio : 0 < q < 0.268 /\ 0 <= 1 - 4 * q + q * q.
Proof.
pose proof (ratio_decreasing sharp g Gs) as L; rewrite ratio_sharp in L; fold q in L.
pose proof sqrt_3; pose proof (sqrt_sqrt 3 ltac:(lra)); pose proof (ratio_pos g) as P; fold q in P.
split; [lra|].
(* (2 - sqrt 3 - q)(2 + sqrt 3 - q) *)
assert (0 <= (2 - sqrt 3 - q) * (2 + sqrt 3 - q)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma sharp_gt_1 : 1.268 < g.
Proof. pose proof sharp_above; lra. Qed.

Lemma mu_positive : 0 < mu g.
Proof. apply mu_pos; pose proof sharp_gt_1; lra. Qed.

(* q/(1-q)^2 = 1/2 at q = 2 - sqrt 3. *)
Lemma nu_half : mu g <= nu g <= g / 2.
Proof.
pose proof sharp_ratio as [Q S]; pose proof sharp_gt_1; pose proof mu_positive as M.
unfold nu; fold q; split.
- apply Rmult_le_reg_r with (1 - q); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
  assert (0 < mu g * q) by (apply Rmult_lt_0_compat; lra); lra.
- unfold mu; fold q; apply Rmult_le_reg_r with (2 * ((1 - q) * (1 - q))).
  { apply Rmult_lt_0_compat; [lra | apply Rmult_lt_0_compat; lra]. }
  replace (g * q / (1 - q) / (1 - q) * (2 * ((1 - q) * (1 - q)))) with (g * (2 * q)) by (field; lra).
  replace (g / 2 * (2 * ((1 - q) * (1 - q)))) with (g * ((1 - q) * (1 - q))) by field.
  apply Rmult_le_compat_l; lra.
Qed.

Lemma shallow_mu : 0 < shallow g <= mu g.
Proof.
pose proof sharp_ratio as [Q S]; pose proof sharp_gt_1; unfold shallow, mu; fold q.
assert (0 < g * q) as P by (apply Rmult_lt_0_compat; lra); unfold Rdiv; split.
- apply Rmult_lt_0_compat; [exact P | apply Rinv_0_lt_compat; lra].
- apply Rmult_le_compat_l; [lra|]; apply Rinv_le_contravar; lra.
Qed.

Lemma sharp_mean_le t : sharp_mean g t <= nu g.
Proof. unfold sharp_mean; pose proof shallow_mu; pose proof nu_half; destruct Rlt_dec; lra. Qed.

(* t/(e^t + 1) falls from g on. *)
Lemma shallow_falls t : g <= t -> t * exp (- t) / (1 + exp (- t)) <= shallow g.
Proof.
intros L; pose proof sharp_ratio as [Q _]; pose proof sharp_gt_1; unfold shallow; fold q.
pose proof (exp_pos (- t)) as Et; set (d := t - g) in *.
assert (exp (- t) * (1 + d) <= q) as E.
{ replace q with (exp (- t) * exp d) by (unfold q, ratio, d; rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [lra | apply exp_lower]. }
apply Rmult_le_reg_r with ((1 + exp (- t)) * (1 + q)); [apply Rmult_lt_0_compat; lra|].
replace (t * exp (- t) / (1 + exp (- t)) * ((1 + exp (- t)) * (1 + q)))
  with (exp (- t) * (t * (1 + q))) by (field; lra).
replace (g * q / (1 + q) * ((1 + exp (- t)) * (1 + q)))
  with (g * q + exp (- t) * (g * q)) by (field; lra).
(* t = g + d; g q >= g (1 + d) e^-t, and what remains is d e^-t (g - 1 - q) *)
assert (g * (exp (- t) * (1 + d)) <= g * q) by (apply Rmult_le_compat_l; lra).
assert (0 <= exp (- t) * (d * (g - 1 - q))).
{ apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; unfold d; lra. }
replace (exp (- t) * (t * (1 + q))) with (exp (- t) * ((g + d) * (1 + q)))
  by (unfold d; ring); lra.
Qed.

(* The bracket is least at t = g, where it is g (1 - 4q + q^2)/(1 - q^2). *)
Lemma sharp_bracket t : g <= t ->
  g * (1 - 4 * q + q * q) <= (t - sharp_mean g t) * (1 - 2 * q) - mu g.
Proof.
intros L; pose proof sharp_ratio as [Q S]; pose proof sharp_gt_1 as G1; unfold sharp_mean.
destruct Rlt_dec as [_|N].
- apply Rle_trans with ((g - shallow g) * (1 - 2 * q) - mu g).
  2:{ assert ((g - shallow g) * (1 - 2 * q) <= (t - shallow g) * (1 - 2 * q))
        by (apply Rmult_le_compat_r; lra); lra. }
  assert ((g - shallow g) * (1 - 2 * q) - mu g = g * (1 - 4 * q + q * q) / (1 - q * q)) as E.
  { unfold shallow, mu; fold q; field; split; [|lra].
    assert (q * q < 1 * 1) by (apply Rmult_le_0_lt_compat; lra); nra. }
  rewrite E; assert (0 < q * q < 1) as QQ.
  { split; [apply Rmult_lt_0_compat; lra|].
    replace 1 with (1 * 1) by ring; apply Rmult_le_0_lt_compat; lra. }
  apply Rmult_le_reg_r with (1 - q * q); [lra|]; unfold Rdiv at 1.
  rewrite (Rmult_assoc (g * _)), Rinv_l, Rmult_1_r by lra.
  assert (0 <= g * (1 - 4 * q + q * q) * (q * q)).
  { apply Rmult_le_pos; [apply Rmult_le_pos|]; lra. }
  lra.
- pose proof nu_half as [_ H].
  assert (3 / 2 * g * (1 - 2 * q) <= (t - nu g) * (1 - 2 * q))
    by (apply Rmult_le_compat_r; lra).
  assert (mu g <= g * (0.37)) as M.
  { unfold mu; fold q; apply Rmult_le_reg_r with (1 - q); [lra|]; unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite Rmult_assoc; apply Rmult_le_compat_l; lra. }
  apply Rle_trans with (g * (3 / 2 * (1 - 2 * q)) - g * (0.37)); [|lra].
  rewrite <- Rmult_minus_distr_l; apply Rmult_le_compat_l; [lra|].
  assert (q * q <= 0.268 * q) by (apply Rmult_le_compat_r; lra); lra.
Qed.
End Constants.

Lemma nu_decreasing g g' : sharp <= g -> g <= g' -> nu g' <= nu g.
Proof.
intros Gs L; assert (sharp <= g') as Gs' by lra; pose proof (sharp_gt_1 g Gs).
pose proof (ratio_decreasing g g' L); pose proof (mu_decreasing g g' ltac:(lra) L).
pose proof (sharp_ratio g Gs) as [Q _]; pose proof (sharp_ratio g' Gs') as [Q' _].
unfold nu, Rdiv; apply Rmult_le_compat; [pose proof (mu_positive g' Gs'); lra | | lra |].
- left; apply Rinv_0_lt_compat; lra.
- apply Rinv_le_contravar; lra.
Qed.

(* The bracket is at most t <= e^(t-1), so that the bound is at most 1/e. *)
Lemma sharp_bound_le_half g t : sharp <= g -> g <= t -> sharp_bound g t <= 1 / 2.
Proof.
intros Gs L; pose proof (sharp_ratio g Gs) as [Q _]; pose proof (mu_positive g Gs).
pose proof (sharp_gt_1 g Gs); pose proof (nu_half g Gs); pose proof (shallow_mu g Gs).
pose proof (exp_lower (t - 1)); pose proof (exp_lower 1); pose proof (exp_pos (- t)) as E.
assert (exp (- t) * exp (t - 1) * exp 1 = 1) as One.
{ rewrite <- !exp_plus; replace (- t + (t - 1) + 1) with 0 by ring; apply exp_0. }
assert (0 < exp (- t) * exp (t - 1)) by (apply Rmult_lt_0_compat; [lra | apply exp_pos]).
assert (exp (- t) * exp (t - 1) * 2 <= exp (- t) * exp (t - 1) * exp 1)
  by (apply Rmult_le_compat_l; lra).
apply Rle_trans with (exp (- t) * exp (t - 1)); [|lra].
apply Rmult_le_compat_l; [lra|].
assert (0 <= sharp_mean g t) as M by (unfold sharp_mean; destruct Rlt_dec; lra).
pose proof (sharp_mean_le g Gs t).
assert ((t - sharp_mean g t) * (1 - 2 * ratio g) <= t * 1) by (apply Rmult_le_compat; lra); lra.
Qed.

Theorem sharp_bound_pos g t : sharp < g -> g <= t -> 0 < sharp_bound g t.
Proof.
intros Gs L; assert (sharp <= g) as Gs' by lra.
pose proof (sharp_bracket g Gs' t L) as B; pose proof (sharp_gt_1 g Gs').
apply Rmult_lt_0_compat; [apply exp_pos|]; apply Rlt_le_trans with (2 := B).
apply Rmult_lt_0_compat; [lra|].
assert (ratio g < 2 - sqrt 3) as Q by (rewrite <- ratio_sharp; apply exp_increasing; lra).
pose proof sqrt_3; pose proof (sqrt_sqrt 3 ltac:(lra)).
assert (0 < (2 - sqrt 3 - ratio g) * (2 + sqrt 3 - ratio g)) by (apply Rmult_lt_0_compat; lra); lra.
Qed.

Lemma sharp_bracket_nonneg g t : sharp <= g -> g <= t ->
  0 <= (t - sharp_mean g t) * (1 - 2 * ratio g) - mu g.
Proof.
intros Gs L; apply Rle_trans with (2 := sharp_bracket g Gs t L).
pose proof (sharp_ratio g Gs) as [_ S]; pose proof (sharp_gt_1 g Gs); apply Rmult_le_pos; lra.
Qed.

(* A smaller gap gives a smaller bound: a lower bound of the gap may be used. *)
Theorem sharp_bound_gap_increasing g g' t : sharp <= g -> g <= g' -> g' <= t ->
  sharp_bound g t <= sharp_bound g' t.
Proof.
intros Gs L Lt; assert (sharp <= g') as Gs' by lra; pose proof (sharp_gt_1 g Gs).
pose proof (ratio_decreasing g g' L); pose proof (mu_decreasing g g' ltac:(lra) L).
pose proof (nu_half g Gs); pose proof (nu_half g' Gs'); pose proof (shallow_mu g' Gs').
pose proof (sharp_ratio g Gs) as [Q _]; pose proof (sharp_ratio g' Gs') as [Q' _].
pose proof (nu_decreasing g g' Gs L) as N.
assert (sharp_mean g' t <= sharp_mean g t) as M.
{ unfold sharp_mean; destruct (Rlt_dec t (2 * g')), (Rlt_dec t (2 * g)); try lra.
  pose proof (shallow_falls g Gs g' L) as S; unfold shallow at 1, ratio; exact S. }
unfold sharp_bound; apply Rmult_le_compat_l; [left; apply exp_pos|].
pose proof (sharp_mean_le g Gs t).
assert ((t - sharp_mean g t) * (1 - 2 * ratio g) <= (t - sharp_mean g' t) * (1 - 2 * ratio g'))
  by (apply Rmult_le_compat; lra).
lra.
Qed.

(* Sets of depths. *)
Section Depths.
Variables (g : R) (Gs : sharp <= g).
Let G1 := sharp_gt_1 g Gs.
Let G : 0 < g. Proof. lra. Qed.

(* The partition sum is at least 1, and the rest is packed from g on. *)
Theorem mean_depth_sharp l : deep g l -> 0 <= mean_depth l <= nu g.
Proof.
intros D; pose proof (depth_sum_pos l (deep_some g l D)) as ZP; pose proof (ratio_lt_1 g G) as Q.
destruct (deep_rest g 0 l G ltac:(lra) D) as (P & r & Perm & T); split; [exact P|].
assert (tail g 0 g = nu g) as TE.
{ unfold tail, h, nu, mu; fold (ratio g); field; lra. }
assert (1 <= depth_sum l) as Z1.
{ replace 1 with (exp (- 0)) by (rewrite Ropp_0; apply exp_0).
  apply (sum_ge_one (fun s => exp (- s))); [apply D | intros; left; apply exp_pos]. }
assert (sum (fun s => s * exp (- s)) l <= nu g) as M.
{ rewrite (sum_perm _ _ _ Perm); simpl; rewrite sum_h in T; lra. }
pose proof (nu_half g Gs) as [N0 _]; pose proof (mu_positive g Gs).
unfold mean_depth; apply Rmult_le_reg_r with (depth_sum l); [exact ZP|]; unfold Rdiv.
rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
assert (nu g * 1 <= nu g * depth_sum l) by (apply Rmult_le_compat_l; lra); lra.
Qed.

(* The depths of B up to t. *)
Let upto (t : R) (B : list R) := filter (fun s => if Rle_dec s t then true else false) B.

Lemma in_upto t B s : In s (upto t B) <-> In s B /\ s <= t.
Proof. unfold upto; rewrite filter_In; destruct (Rle_dec s t); intuition (easy || lra). Qed.

Lemma deep_upto t B : 0 <= t -> deep g B -> deep g (upto t B).
Proof.
intros L (U & S & Z & P); split; [now apply NoDup_filter | split; [|split]].
- apply spread_incl with B; [|exact S]; intros x Hx; now apply in_upto in Hx.
- now apply in_upto.
- intros s Hs; apply in_upto in Hs; now apply P.
Qed.

(* Further elements lie above the mean and raise it. *)
Lemma mean_upto t B : g <= t -> deep g B -> mean_depth (upto t B) <= mean_depth B.
Proof.
intros L D; pose proof (deep_upto t B ltac:(lra) D) as DL.
pose proof (deep_some g B D) as NB; pose proof (depth_sum_pos B NB) as ZB.
set (b := mean_depth (upto t B)).
assert (b <= nu g) as Hb by apply (mean_depth_sharp _ DL); pose proof (nu_half g Gs).
assert (0 <= sum (h b) B) as H0.
{ rewrite (split_common (h b) B (upto t B)).
  rewrite (sum_perm (h b) _ (upto t B)).
  2:{ apply NoDup_Permutation; try apply NoDup_filter; try apply D.
      intros x; rewrite in_common, in_upto; tauto. }
  unfold b at 1; rewrite sum_h_mean by now apply deep_some with g.
  rewrite Rplus_0_l; apply sum_nonneg; intros s Hs; apply in_minus in Hs.
  destruct Hs as [HsB HsU]; rewrite in_upto in HsU; apply h_nonneg.
  destruct (Rle_dec s t); [tauto | lra]. }
rewrite sum_h in H0; unfold mean_depth; apply Rmult_le_reg_r with (depth_sum B); [exact ZB|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; lra.
Qed.

(* Below 2g there is nothing but 0 and t. *)
Lemma mean_upto_le t B : g <= t -> deep g B -> In t B -> mean_depth (upto t B) <= sharp_mean g t.
Proof.
intros L D Ht; pose proof (deep_upto t B ltac:(lra) D) as DL; unfold sharp_mean.
destruct Rlt_dec as [L2|_]; [|apply (mean_depth_sharp _ DL)].
apply Rle_trans with (2 := shallow_falls g Gs t L).
assert (Permutation (upto t B) [0; t]) as P.
{ apply NoDup_Permutation; [apply DL | repeat constructor; simpl; intuition lra |].
  intros s; split.
  - intros Hs; simpl; destruct (Req_EM_T s 0) as [->|N0]; [auto|].
    pose proof (deep_far g _ s DL Hs N0); apply in_upto in Hs; destruct Hs as [HsB HsT].
    destruct (Req_EM_T s t) as [->|Nt]; [auto|exfalso].
    destruct D as (_ & S & _); specialize (S s t HsB Ht Nt).
    rewrite Rabs_minus_sym, Rabs_pos_eq in S; lra.
  - simpl; rewrite in_upto; intros [<-|[<-|[]]]; split; try lra; [apply D | exact Ht]. }
unfold mean_depth, depth_sum; rewrite !(sum_perm _ _ _ P); simpl; rewrite Ropp_0, exp_0.
pose proof (exp_pos (- t)); apply Req_le; field; lra.
Qed.

Theorem sharp_depth (A B : list R) (t : R) : deep g A -> deep g B -> spread g (A ++ B) ->
  In t B -> ~ In t A -> (forall s, In s A -> ~ In s B -> t <= s) ->
  sharp_bound g t <= mean_depth B - mean_depth A.
Proof.
intros DA DB SAB HtB HtA First.
assert (g <= t) as L.
{ apply deep_far with B; auto; intros ->; destruct DA as (_ & _ & Z & _); tauto. }
pose proof (deep_upto t B ltac:(lra) DB) as DL; pose proof (mean_upto t B L DB) as Up.
pose proof (mean_upto_le t B L DB HtB) as Le; set (b := mean_depth (upto t B)) in *.
assert (b <= nu g) as Hb by apply (mean_depth_sharp _ DL).
pose proof (nu_half g Gs); pose proof (sharp_ratio g Gs) as [Q _].
pose proof (sharp_bracket_nonneg g t Gs L) as Pos.
assert ((t - sharp_mean g t) * (1 - 2 * ratio g) <= (t - b) * (1 - 2 * ratio g)) as Less
  by (apply Rmult_le_compat_r; lra).
apply Rle_trans with (b - mean_depth A); [|lra].
apply Rle_trans with (exp (- t) * ((t - b) * (1 - 2 * ratio g) - mu g)).
- apply Rmult_le_compat_l; [left; apply exp_pos | lra].
- apply mean_depths_apart; fold b; auto; try lra; [apply in_upto; split; auto; lra |].
  intros s HsA HsU; rewrite in_upto in HsU; assert (s <> t) as N by (intros ->; tauto).
  pose proof (SAB s t) as Gap; rewrite !in_app_iff in Gap.
  specialize (Gap (or_introl HsA) (or_intror HtB) N).
  assert (t <= s).
  { destruct (Rle_dec t s) as [l|l]; [exact l|]; apply First; [exact HsA|].
    intros HsB; apply HsU; split; [exact HsB | lra]. }
  rewrite Rabs_pos_eq in Gap; lra.
Qed.
End Depths.

(* Same maxima, B contains the first difference: boltz(A) exceeds boltz(B). *)
Theorem sharp_signed g (A B : list R) (M c : R) : sharp <= g ->
  NoDup A -> NoDup B -> spread g (A ++ B) -> greatest A M -> greatest B M ->
  In c B -> ~ In c A -> (forall x, In x A -> ~ In x B -> x <= c) ->
  sharp_bound g (M - c) <= boltz A - boltz B.
Proof.
intros Gs; exact (scores_of_depths g (sharp_bound g) (sharp_depth g Gs) A B M c).
Qed.

(* Other maxima: the larger one has the larger value. *)
Theorem sharp_other_max g (A B : list R) (M M' : R) : sharp <= g ->
  NoDup A -> spread g (A ++ B) -> greatest A M -> greatest B M' -> M' < M ->
  boltz A - boltz B >= g - nu g /\ g - nu g > 1 / 2.
Proof.
intros Gs UA S MA MB L; pose proof (nu_half g Gs); pose proof (sharp_gt_1 g Gs).
split; [|lra].
assert (A <> []) as NA by (intros ->; now destruct MA).
assert (B <> []) as NB by (intros ->; now destruct MB).
pose proof (spread_left g A B S) as SA.
pose proof (mean_depth_sharp g Gs _ (deep_depths g A M UA SA MA)) as D.
rewrite (boltz_depth M A NA); pose proof (boltz_le_max B M' NB (proj2 MB)).
pose proof (S M M') as Gap; rewrite !in_app_iff in Gap.
specialize (Gap (or_introl (proj1 MA)) (or_intror (proj1 MB)) ltac:(lra)).
rewrite Rabs_pos_eq in Gap; lra.
Qed.

(* Both cases in one statement, as in Lemma F. *)
Theorem sharp_gap g (A B : list R) : sharp < g ->
  NoDup A -> NoDup B -> A <> [] -> B <> [] -> spread g (A ++ B) ->
  (exists x, differ A B x) ->
  exists M M', greatest A M /\ greatest B M' /\
  (M <> M' /\ Rabs (boltz A - boltz B) >= g - nu g /\ g - nu g > 1 / 2 \/
   M = M' /\ exists c, first_difference A B c /\
     Rabs (boltz A - boltz B) >= sharp_bound g (M - c) /\ sharp_bound g (M - c) > 0).
Proof.
intros Gs UA UB NA NB S D; assert (sharp <= g) as Gs' by lra.
pose proof (spread_swap g A B S) as S'.
destruct (exists_max A NA) as (M & MA); destruct (exists_max B NB) as (M' & MB).
exists M, M'; split; [exact MA | split; [exact MB|]].
destruct (Rtotal_order M M') as [L|[<-|L]].
- left; destruct (sharp_other_max g B A M' M) as [H1 H2]; auto; split; [lra | split; [|exact H2]].
  rewrite Rabs_minus_sym; apply Rle_ge, Rle_trans with (boltz B - boltz A); [lra | apply Rle_abs].
- right; split; [reflexivity|]; destruct (exists_first_difference A B D) as (c & Hc).
  exists c; split; [exact Hc|].
  destruct (distance_of_scores g (sharp_bound g) A B M c) as [Far Deep]; auto.
  + intros A' B' N c'; now apply sharp_signed.
  + split; [exact Far | now apply sharp_bound_pos].
- left; destruct (sharp_other_max g A B M M') as [H1 H2]; auto; split; [lra | split; [|exact H2]].
  apply Rle_ge, Rle_trans with (boltz A - boltz B); [lra | apply Rle_abs].
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma sharp_bound_pos_satisfiable : satisfiable sharp_bound_pos.
Proof. exists 2, 2; pose proof sharp_lt_2; given lra. Qed.
Lemma sharp_bound_pos_falsifiable : falsifiable sharp_bound_pos.
Proof.
exists 2, 0; pose proof sharp_lt_2; unfold sharp_bound, sharp_mean; destruct Rlt_dec as [_|N]; [|lra].
rewrite Ropp_0, exp_0; pose proof (sharp_ratio 2 ltac:(lra)) as [Q _].
pose proof (mu_positive 2 ltac:(lra)); pose proof (shallow_mu 2 ltac:(lra)).
assert (0 < shallow 2 * (1 - 2 * ratio 2)) by (apply Rmult_lt_0_compat; lra); lra.
Qed.

Lemma sharp_bound_gap_increasing_satisfiable : satisfiable sharp_bound_gap_increasing.
Proof. exists 2, 3, 4; pose proof sharp_lt_2; given lra. Qed.

Lemma mean_depth_sharp_satisfiable : satisfiable mean_depth_sharp.
Proof.
pose proof sharp_lt_2; exists 2; unshelve eexists; [lra|]; exists [0; 3].
given (split; [nodup | split; [spreads | split; [simpl; auto | spreads]]]).
Qed.
Lemma mean_depth_sharp_falsifiable : falsifiable mean_depth_sharp.
Proof.
exists 2, [-1]; unfold mean_depth, depth_sum; simpl; pose proof (exp_pos (- -1)).
replace ((-1 * exp (- -1) + 0) / (exp (- -1) + 0)) with (-1) by (field; lra); lra.
Qed.

Lemma sharp_signed_satisfiable : satisfiable sharp_signed.
Proof.
pose proof sharp_lt_2; exists 2, [0], [0; -3], 0, (-3); unfold greatest.
given (first [lra | nodup | solve [split; [now simpl; auto | spreads]] | spreads |
  simpl; intuition lra]).
Qed.
Lemma sharp_signed_falsifiable : falsifiable sharp_signed.
Proof.
exists 2, [0], [0], 2, 0; rewrite (Rminus_diag_eq (boltz [0])) by reflexivity.
pose proof (sharp_bound_pos 2 (2 - 0) sharp_lt_2 ltac:(lra)); lra.
Qed.

Lemma sharp_other_max_satisfiable : satisfiable sharp_other_max.
Proof.
pose proof sharp_lt_2; exists 2, [2], [0], 2, 0; unfold greatest.
given (first [lra | nodup | solve [split; [now simpl; auto | spreads]] | spreads]).
Qed.
Lemma sharp_other_max_falsifiable : falsifiable sharp_other_max.
Proof.
exists 2, [0], [0], 0, 0; rewrite Rminus_diag_eq by reflexivity.
pose proof (nu_half 2 ltac:(pose proof sharp_lt_2; lra)); lra.
Qed.

Lemma sharp_gap_satisfiable : satisfiable sharp_gap.
Proof.
exists 2, [0], [2]; unfold differ.
given (first [exact sharp_lt_2 | easy | nodup | spreads |
  exists 0; left; simpl; split; [auto | intuition lra]]).
Qed.
Lemma sharp_gap_falsifiable : falsifiable sharp_gap.
Proof. exists 2, [], []; intros (M & M' & [[] _] & _). Qed.
