(* Lemma F, first difference: how far the Boltzmann operator keeps two finite
   sets apart.  Any sizes; the hypothesis is a gap g >= g*. *)

From Coq Require Import Reals List Permutation Lra.
From attest Require Import sums boltzmann gstar packing guard.
Import ListNotations.
Local Open Scope R_scope.

(* e^-t [ (t - mu)(1 - 2q) - g q/(1-q) ]. *)
Definition bound (g t : R) : R :=
  exp (- t) * ((t - mu g) * (1 - 2 * ratio g) - mu g).

Theorem bound_pos g t : wide g -> g <= t -> 0 < bound g t.
Proof.
intros W L; pose proof (wide_bracket g W) as B; destruct W as [P W].
pose proof (mu_pos g P); apply Rmult_lt_0_compat; [apply exp_pos|].
assert (1 * (1 - 2 * ratio g) <= (t - mu g) * (1 - 2 * ratio g))
  by (apply Rmult_le_compat_r; lra).
lra.
Qed.

(* A smaller gap gives a smaller bound: a lower bound of the gap may be used. *)
Theorem bound_gap_increasing g g' t : wide g -> g <= g' -> g' <= t -> bound g t <= bound g' t.
Proof.
intros W L Lt; pose proof (wide_bracket g W) as B; destruct W as [P W].
pose proof (mu_decreasing g g' P L); pose proof (ratio_decreasing g g' L).
pose proof (mu_pos g P); unfold bound.
apply Rmult_le_compat_l; [left; apply exp_pos|].
assert ((t - mu g) * (1 - 2 * ratio g) <= (t - mu g') * (1 - 2 * ratio g'))
  by (apply Rmult_le_compat; lra).
lra.
Qed.

(* Depths s = max - a, their partition sum and their mean. *)
Definition depths (M : R) (l : list R) : list R := map (fun a => M - a) l.
Definition depth_sum (l : list R) : R := sum (fun s => exp (- s)) l.
Definition mean_depth (l : list R) : R := sum (fun s => s * exp (- s)) l / depth_sum l.

Lemma depth_sum_pos l : l <> [] -> 0 < depth_sum l.
Proof. intros N; apply sum_pos; [exact N | intros; apply exp_pos]. Qed.

Lemma boltz_depth M l : l <> [] -> boltz l = M - mean_depth (depths M l).
Proof.
intros N; pose proof (partition_pos l N) as Z.
unfold mean_depth, depth_sum, depths; rewrite !sum_map.
assert (forall a, exp (- (M - a)) = exp (- M) * exp a) as E
  by (intros a; rewrite <- exp_plus; f_equal; ring).
rewrite (sum_ext (fun a => exp (- (M - a))) (fun a => exp (- M) * exp a)) by auto.
rewrite (sum_ext (fun a => (M - a) * exp (- (M - a)))
  (fun a => exp (- M) * M * exp a + - exp (- M) * (a * exp a)))
  by (intros; rewrite E; ring).
rewrite sum_plus, !sum_scal; fold (partition l).
pose proof (exp_pos (- M)); unfold boltz; field; lra.
Qed.

Lemma sum_h b l : sum (h b) l = sum (fun s => s * exp (- s)) l - b * depth_sum l.
Proof.
unfold h, depth_sum; rewrite <- sum_scal.
induction l as [|x l IH]; simpl; [ring | rewrite IH; ring].
Qed.

(* A set of depths: it contains 0, all else is at least g. *)
Definition deep (g : R) (l : list R) : Prop :=
  NoDup l /\ spread g l /\ In 0 l /\ forall s, In s l -> 0 <= s.

Lemma deep_far g l s : deep g l -> In s l -> s <> 0 -> g <= s.
Proof.
intros (U & S & Z & P) Hs N; specialize (S s 0 Hs Z N).
rewrite Rabs_pos_eq in S; pose proof (P s Hs); lra.
Qed.

Lemma deep_some g l : deep g l -> l <> [].
Proof. now intros (_ & _ & Z & _) ->. Qed.

Lemma sum_h_mean l : l <> [] -> sum (h (mean_depth l)) l = 0.
Proof.
intros N; pose proof (depth_sum_pos l N); rewrite sum_h; unfold mean_depth; field; lra.
Qed.

(* All but 0 is packed from g on. *)
Lemma deep_rest g b l : 0 < g -> b + 1 <= g -> deep g l ->
  0 <= mean_depth l /\ exists r, Permutation l (0 :: r) /\ sum (h b) r <= tail g b g.
Proof.
intros G L D; pose proof D as (U & S & Z & P); split.
{ apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat, depth_sum_pos; now apply deep_some with g].
  apply sum_nonneg; intros s Hs; apply Rmult_le_pos; [auto | left; apply exp_pos]. }
destruct (in_split _ _ Z) as (l1 & l2 & E); exists (l1 ++ l2).
assert (Permutation l (0 :: l1 ++ l2)) as Perm
  by (rewrite E; apply Permutation_sym, Permutation_middle).
assert (NoDup (0 :: l1 ++ l2)) as U' by (apply (Permutation_NoDup Perm U)).
assert (forall y, In y (l1 ++ l2) -> In y l) as I.
{ intros y Hy; apply Permutation_sym in Perm; apply (Permutation_in _ Perm); now right. }
split; [exact Perm|]; apply packed_tail; [exact G | lra | now inversion U' | |].
- now apply spread_incl with l.
- intros y Hy; apply deep_far with l; auto; intros ->; now inversion U'.
Qed.

(* The main step: L contains the depth t, and depths that only A contains are deeper by g.  Identity (L)
   in depths, with the mean depth b of L. *)
Lemma mean_depths_apart g (A L : list R) (t : R) : 0 < g -> deep g A -> deep g L ->
  In t L -> ~ In t A -> (forall s, In s A -> ~ In s L -> t + g <= s) ->
  let b := mean_depth L in b <= g -> b + 1 <= t + g ->
  0 <= (t - b) * (1 - 2 * ratio g) - mu g ->
  exp (- t) * ((t - b) * (1 - 2 * ratio g) - mu g) <= mean_depth L - mean_depth A.
Proof.
intros G DA DL HtL HtA Deeper b bg bt Pos.
pose proof DA as (UA & SA & ZA & PA); pose proof DL as (UL & SL & ZL & PL).
set (q := ratio g) in *; assert (q < 1) as Q by now apply ratio_lt_1.
pose proof (deep_some g A DA) as NA; pose proof (depth_sum_pos A NA) as ZAp.
pose proof (sum_h_mean L (deep_some g L DL)) as HL; fold b in HL |- *.
assert (b - mean_depth A
        = (sum (h b) (minus L A) - sum (h b) (minus A L)) / depth_sum A) as E.
{ assert (sum (h b) A = sum (h b) (minus A L) - sum (h b) (minus L A)) as E.
  { rewrite (split_common (h b) A L); rewrite (split_common (h b) L A) in HL.
    rewrite (sum_perm (h b) _ _ (common_sym A L UA UL)); lra. }
  rewrite sum_h in E.
  replace (sum (h b) (minus L A) - sum (h b) (minus A L))
    with (b * depth_sum A - sum (fun s => s * exp (- s)) A) by lra.
  unfold mean_depth; field; lra. }
rewrite E.
assert (h b t <= sum (h b) (minus L A)) as Own.
{ apply (sum_ge_one (h b)); [now apply in_minus|].
  intros s Hs; apply in_minus in Hs; destruct Hs as [HsL HsA]; apply h_nonneg.
  assert (g <= s) by (apply deep_far with L; auto; intros ->; tauto); lra. }
assert (sum (h b) (minus A L) <= tail g b (t + g)) as Other.
{ apply packed_tail; [exact G | lra | now apply NoDup_filter | |].
  - apply spread_incl with A; [|exact SA]; intros x Hx; now apply in_minus in Hx.
  - intros s Hs; apply in_minus in Hs; now apply Deeper. }
assert (depth_sum A * (1 - q) <= 1) as ZAle.
{ pose proof (packed_partition g 0 A G UA SA PA) as Z; fold (depth_sum A) in Z.
  rewrite Ropp_0, exp_0 in Z; apply Rmult_le_compat_r with (r := 1 - q) in Z; [|lra].
  replace (1 / (1 - ratio g) * (1 - q)) with 1 in Z by (fold q; field; lra); lra. }
pose proof (exp_pos (- t)) as Et.
assert (exp (- t) * ((t - b) * (1 - 2 * q) - mu g)
        = (1 - q) * (h b t - tail g b (t + g))) as Main.
{ unfold tail, h; rewrite exp_shift; unfold mu; fold q; field; lra. }
set (x := exp (- t) * ((t - b) * (1 - 2 * q) - mu g)) in *.
assert (0 <= x) by (apply Rmult_le_pos; [lra | exact Pos]).
apply Rmult_le_reg_r with (depth_sum A); [exact ZAp|].
replace ((sum (h b) (minus L A) - sum (h b) (minus A L)) / depth_sum A * depth_sum A)
  with (sum (h b) (minus L A) - sum (h b) (minus A L)) by (field; lra).
apply Rle_trans with (h b t - tail g b (t + g)); [|lra].
apply Rmult_le_reg_l with (1 - q); [lra|]; rewrite <- Main.
replace ((1 - q) * (x * depth_sum A)) with (x * (depth_sum A * (1 - q))) by ring.
rewrite <- (Rmult_1_r x) at 2; apply Rmult_le_compat_l; lra.
Qed.

Section Depths.
Variables (g : R) (W : wide g).
Let G : 0 < g. Proof. apply W. Qed.

(* Mean depth is at most that of 0, g, 2g, ... *)
Theorem mean_depth_packed l : deep g l -> 0 <= mean_depth l <= mu g.
Proof.
intros D; pose proof (depth_sum_pos l (deep_some g l D)) as ZP; pose proof (ratio_lt_1 g G) as Q.
destruct (deep_rest g (mu g) l G ltac:(destruct W; lra) D) as (P & r & Perm & T).
split; [exact P|].
assert (tail g (mu g) g = mu g) as TE.
{ unfold tail, h, mu; fold (ratio g); field; lra. }
assert (sum (h (mu g)) l <= 0) as H0.
{ rewrite (sum_perm _ _ _ Perm); simpl; unfold h at 1; rewrite Ropp_0, exp_0; lra. }
rewrite sum_h in H0; unfold mean_depth.
apply Rmult_le_reg_r with (depth_sum l); [exact ZP|].
replace (sum (fun s => s * exp (- s)) l / depth_sum l * depth_sum l)
  with (sum (fun s => s * exp (- s)) l) by (field; lra).
lra.
Qed.

(* B contains the first differing depth t. *)
Theorem first_difference_depth (A B : list R) (t : R) :
  deep g A -> deep g B -> spread g (A ++ B) ->
  In t B -> ~ In t A -> (forall s, In s A -> ~ In s B -> t <= s) ->
  bound g t <= mean_depth B - mean_depth A.
Proof.
intros DA DB SAB HtB HtA First.
destruct (mean_depth_packed B DB) as [b0 bmu]; pose proof (wide_bracket g W) as Bracket.
pose proof (ratio_pos g); pose proof W as [_ W2]; pose proof (mu_pos g G) as M0.
assert (g <= t) as Lt.
{ apply deep_far with B; auto; intros ->; destruct DA as (_ & _ & Z & _); tauto. }
assert ((t - mu g) * (1 - 2 * ratio g) <= (t - mean_depth B) * (1 - 2 * ratio g)) as Less
  by (apply Rmult_le_compat_r; lra).
assert (0 < (t - mu g) * (1 - 2 * ratio g) - mu g) as Pos.
{ assert (1 * (1 - 2 * ratio g) <= (t - mu g) * (1 - 2 * ratio g))
    by (apply Rmult_le_compat_r; lra); lra. }
apply Rle_trans with (exp (- t) * ((t - mean_depth B) * (1 - 2 * ratio g) - mu g)).
- apply Rmult_le_compat_l; [left; apply exp_pos | lra].
- apply mean_depths_apart; auto; try lra; intros s HsA HsB.
  assert (s <> t) as N by (intros ->; tauto).
  pose proof (SAB s t) as Gap; rewrite !in_app_iff in Gap.
  specialize (Gap (or_introl HsA) (or_intror HtB) N).
  pose proof (First s HsA HsB); rewrite Rabs_pos_eq in Gap; lra.
Qed.
End Depths.

(* Sets of scores. *)
Definition greatest (l : list R) (M : R) : Prop := In M l /\ forall a, In a l -> a <= M.

(* c is the largest element of the symmetric difference. *)
Definition differ (A B : list R) (c : R) : Prop :=
  (In c A /\ ~ In c B) \/ (In c B /\ ~ In c A).
Definition first_difference (A B : list R) (c : R) : Prop :=
  differ A B c /\ forall x, differ A B x -> x <= c.

Lemma deep_depths g l M : NoDup l -> spread g l -> greatest l M -> deep g (depths M l).
Proof.
intros U S [HM Max]; unfold depths; repeat split.
- apply FinFun.Injective_map_NoDup; [intros x y; lra | exact U].
- intros x y Hx Hy N; apply in_map_iff in Hx, Hy.
  destruct Hx as (a & <- & Ha), Hy as (b & <- & Hb).
  replace (M - a - (M - b)) with (b - a) by ring; apply S; auto.
  intros ->; now apply N.
- apply in_map_iff; exists M; split; [ring | exact HM].
- intros s Hs; apply in_map_iff in Hs; destruct Hs as (a & <- & Ha).
  pose proof (Max a Ha); lra.
Qed.

Lemma in_depths M l a : In (M - a) (depths M l) <-> In a l.
Proof.
unfold depths; rewrite in_map_iff; split; [|intros H; now exists a].
intros (b & E & Hb); now replace a with b by lra.
Qed.

Lemma spread_left g A B : spread g (A ++ B) -> spread g A.
Proof. apply spread_incl; intros; apply in_app_iff; tauto. Qed.

Lemma spread_swap g A B : spread g (A ++ B) -> spread g (B ++ A).
Proof. apply spread_incl; intros x; rewrite !in_app_iff; tauto. Qed.

(* From depths to scores, and from the order to the distance, for any bound f of the depth of the
   first difference: that of Lemma F, and that of the sharp gap. *)
Section Bound.
Variables (g : R) (f : R -> R).

Definition bounds_depths : Prop := forall (A B : list R) (t : R),
  deep g A -> deep g B -> spread g (A ++ B) ->
  In t B -> ~ In t A -> (forall s, In s A -> ~ In s B -> t <= s) ->
  f t <= mean_depth B - mean_depth A.

(* Same maxima, B contains the first difference: boltz(A) exceeds boltz(B). *)
Definition bounds_scores : Prop := forall (A B : list R) (M c : R),
  NoDup A -> NoDup B -> spread g (A ++ B) -> greatest A M -> greatest B M ->
  In c B -> ~ In c A -> (forall x, In x A -> ~ In x B -> x <= c) ->
  f (M - c) <= boltz A - boltz B.

Lemma scores_of_depths : bounds_depths -> bounds_scores.
Proof.
intros F A B M c UA UB S MA MB HcB HcA First.
assert (A <> []) as NA by (intros ->; now destruct MA).
assert (B <> []) as NB by (intros ->; now destruct MB).
pose proof (spread_left g A B S) as SA; pose proof (spread_left g B A (spread_swap g A B S)) as SB.
rewrite (boltz_depth M A NA), (boltz_depth M B NB).
replace (M - mean_depth (depths M A) - (M - mean_depth (depths M B)))
  with (mean_depth (depths M B) - mean_depth (depths M A)) by ring.
apply F; auto using deep_depths.
- unfold depths; rewrite <- map_app; intros x y Hx Hy N; apply in_map_iff in Hx, Hy.
  destruct Hx as (a & <- & Ha), Hy as (b & <- & Hb).
  replace (M - a - (M - b)) with (b - a) by ring; apply S; auto.
  intros ->; now apply N.
- now apply in_depths.
- now rewrite in_depths.
- intros s Hs Hs'; apply in_map_iff in Hs; destruct Hs as (a & <- & Ha).
  rewrite in_depths in Hs'; pose proof (First a Ha Hs'); lra.
Qed.

Lemma distance_of_scores (A B : list R) (M c : R) : bounds_scores ->
  NoDup A -> NoDup B -> spread g (A ++ B) -> greatest A M -> greatest B M ->
  first_difference A B c -> Rabs (boltz A - boltz B) >= f (M - c) /\ g <= M - c.
Proof.
intros F UA UB S MA MB [D First]; split.
- apply Rle_ge; destruct D as [[HA HB] | [HB HA]].
  + rewrite Rabs_minus_sym; apply Rle_trans with (boltz B - boltz A); [|apply Rle_abs].
    apply F; auto using spread_swap; intros x Hx Hx'; apply First; right; tauto.
  + apply Rle_trans with (boltz A - boltz B); [|apply Rle_abs].
    apply F; auto; intros x Hx Hx'; apply First; left; tauto.
- assert (c <> M /\ (In c (A ++ B))) as [N I].
  { rewrite in_app_iff; destruct MA, MB; split; [intros ->|]; destruct D; tauto. }
  assert (In M (A ++ B)) as IM by (rewrite in_app_iff; left; apply MA).
  assert (c <= M) by (apply in_app_iff in I; destruct I; [apply MA | apply MB]; auto).
  pose proof (S M c IM I ltac:(auto)) as Gap; rewrite Rabs_pos_eq in Gap; lra.
Qed.
End Bound.

Theorem lemma_f_signed g (A B : list R) (M c : R) : gstar <= g ->
  NoDup A -> NoDup B -> spread g (A ++ B) -> greatest A M -> greatest B M ->
  In c B -> ~ In c A -> (forall x, In x A -> ~ In x B -> x <= c) ->
  bound g (M - c) <= boltz A - boltz B.
Proof.
intros Gs.
exact (scores_of_depths g (bound g) (first_difference_depth g (wide_of_gstar g Gs)) A B M c).
Qed.

(* Lemma F where the maxima agree. *)
Theorem lemma_f_same_max g (A B : list R) (M c : R) : gstar <= g ->
  NoDup A -> NoDup B -> spread g (A ++ B) -> greatest A M -> greatest B M ->
  first_difference A B c ->
  Rabs (boltz A - boltz B) >= bound g (M - c) /\ bound g (M - c) > 0.
Proof.
intros Gs UA UB S MA MB D.
destruct (distance_of_scores g (bound g) A B M c) as [Far Deep]; auto.
- intros A' B' M' c'; now apply lemma_f_signed.
- split; [exact Far|]; apply bound_pos; [now apply wide_of_gstar | exact Deep].
Qed.

(* Lemma F where the maxima differ. *)
Theorem lemma_f_other_max g (A B : list R) (M M' : R) : gstar <= g ->
  NoDup A -> NoDup B -> spread g (A ++ B) -> greatest A M -> greatest B M' -> M <> M' ->
  Rabs (boltz A - boltz B) >= g - mu g /\ g - mu g >= 1.
Proof.
intros Gs UA UB S MA MB N.
assert (wide g) as W by now apply wide_of_gstar.
split; [|destruct W; lra].
assert (forall l m, NoDup l -> spread g l -> greatest l m -> m - mu g <= boltz l <= m) as E.
{ intros l m U Sl G; assert (l <> []) as Nl by (intros ->; now destruct G).
  rewrite (boltz_depth m l Nl).
  pose proof (mean_depth_packed g W _ (deep_depths g l m U Sl G)); lra. }
pose proof (spread_left g A B S) as SA; pose proof (spread_left g B A (spread_swap g A B S)) as SB.
pose proof (E A M UA SA MA) as EA; pose proof (E B M' UB SB MB) as EB.
pose proof (S M M') as Gap; rewrite !in_app_iff in Gap.
specialize (Gap (or_introl (proj1 MA)) (or_intror (proj1 MB)) N).
apply Rle_ge; revert Gap; unfold Rabs at 1; destruct (Rcase_abs (M - M')); intros.
- rewrite Rabs_minus_sym; apply Rle_trans with (boltz B - boltz A); [lra | apply Rle_abs].
- apply Rle_trans with (boltz A - boltz B); [lra | apply Rle_abs].
Qed.

Lemma exists_first_difference A B : (exists x, differ A B x) ->
  exists c, first_difference A B c.
Proof.
intros [x D]; destruct (exists_max (minus A B ++ minus B A)) as (c & Hc & Max).
- assert (In x (minus A B ++ minus B A)) as H
    by (rewrite in_app_iff, !in_minus; destruct D; tauto).
  intros E; now rewrite E in H.
- exists c; split; [rewrite in_app_iff, !in_minus in Hc; destruct Hc; [left|right]; tauto|].
  intros y Dy; apply Max; rewrite in_app_iff, !in_minus; destruct Dy; tauto.
Qed.

(* Lemma F in one piece. *)
Theorem lemma_f g (A B : list R) : gstar <= g ->
  NoDup A -> NoDup B -> A <> [] -> B <> [] -> spread g (A ++ B) ->
  (exists x, differ A B x) ->
  exists M M', greatest A M /\ greatest B M' /\
  (M <> M' /\ Rabs (boltz A - boltz B) >= g - mu g /\ g - mu g >= 1 \/
   M = M' /\ exists c, first_difference A B c /\
     Rabs (boltz A - boltz B) >= bound g (M - c) /\ bound g (M - c) > 0).
Proof.
intros Gs UA UB NA NB S D.
destruct (exists_max A NA) as (M & GM); destruct (exists_max B NB) as (M' & GM').
exists M, M'; split; [exact GM | split; [exact GM'|]].
destruct (Req_EM_T M M') as [<-|N].
- right; split; [reflexivity|].
  destruct (exists_first_difference A B D) as (c & Hc); exists c; split; [exact Hc|].
  now apply lemma_f_same_max.
- left; split; [exact N|]; now apply lemma_f_other_max with M M'.
Qed.

(* Without naming the difference: different sets have different values. *)
Corollary boltz_injective g (A B : list R) : gstar <= g ->
  NoDup A -> NoDup B -> A <> [] -> B <> [] -> spread g (A ++ B) ->
  (exists x, differ A B x) -> boltz A <> boltz B.
Proof.
intros Gs UA UB NA NB S D E.
destruct (lemma_f g A B Gs UA UB NA NB S D) as (M & M' & _ & _ & H).
rewrite E, Rminus_diag_eq, Rabs_R0 in H by reflexivity.
destruct H as [(_ & H1 & H2) | (_ & c & _ & H1 & H2)]; lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma bound_pos_satisfiable : satisfiable bound_pos.
Proof. exists 2, 2; given (exact wide_2 || lra). Qed.
Lemma bound_pos_falsifiable : falsifiable bound_pos.
Proof.
exists 2, (mu 2); unfold bound; replace (mu 2 - mu 2) with 0 by ring; apply Rle_not_lt.
pose proof (mu_pos 2 ltac:(lra)) as M; pose proof (exp_pos (- mu 2)) as E.
assert (0 < exp (- mu 2) * mu 2) by now apply Rmult_lt_0_compat. lra.
Qed.

Lemma bound_gap_increasing_satisfiable : satisfiable bound_gap_increasing.
Proof. exists 2, 3, 4; given (exact wide_2 || lra). Qed.

Lemma mean_depth_packed_satisfiable : satisfiable mean_depth_packed.
Proof.
exists 2, wide_2, [0; 3]; given (split; [nodup | split; [spreads | split; [simpl; auto | spreads]]]).
Qed.
Lemma mean_depth_packed_falsifiable : falsifiable mean_depth_packed.
Proof.
exists 2, [-1]; unfold mean_depth, depth_sum; simpl; pose proof (exp_pos (- -1)).
replace ((-1 * exp (- -1) + 0) / (exp (- -1) + 0)) with (-1) by (field; lra); lra.
Qed.

Lemma lemma_f_same_max_satisfiable : satisfiable lemma_f_same_max.
Proof.
exists 2, [0; -3], [0], 0, (-3); unfold greatest, first_difference, differ.
given (first [apply gstar_range | nodup | solve [split; [now simpl; auto | spreads]] | spreads |
  split; [left; simpl; split; [auto | intuition lra] | simpl; intros x; intuition lra]]).
Qed.
Lemma lemma_f_same_max_falsifiable : falsifiable lemma_f_same_max.
Proof. exists 2, [0], [0], 2, 0; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra. Qed.

Lemma lemma_f_other_max_satisfiable : satisfiable lemma_f_other_max.
Proof.
exists 2, [0], [2], 0, 2; unfold greatest.
given (first [apply gstar_range | nodup | solve [split; [now simpl; auto | spreads]] | spreads]).
Qed.
Lemma lemma_f_other_max_falsifiable : falsifiable lemma_f_other_max.
Proof. exists 2, [0], [0], 0, 0; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra. Qed.

Lemma lemma_f_satisfiable : satisfiable lemma_f.
Proof.
exists 2, [0], [2]; unfold differ.
given (first [apply gstar_range | easy | nodup | spreads |
  exists 0; left; simpl; split; [auto | intuition lra]]).
Qed.
Lemma lemma_f_falsifiable : falsifiable lemma_f.
Proof. exists 2, [], []; intros (M & M' & [[] _] & _). Qed.

Lemma boltz_injective_satisfiable : satisfiable boltz_injective.
Proof.
exists 2, [0], [2]; unfold differ.
given (first [apply gstar_range | easy | nodup | spreads |
  exists 0; left; simpl; split; [auto | intuition lra]]).
Qed.
Lemma boltz_injective_falsifiable : falsifiable boltz_injective.
Proof. exists 2, [], []; auto. Qed.
