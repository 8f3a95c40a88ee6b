(* Corollary 1: ramps in the gaps between classes add up to the labels, exactly, and the units that
   cancel the skip cancel it exactly. Corollary 2: a step of 2 r_max + eps keeps distances above eps. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums vectors guard.
Import ListNotations.
Local Open Scope R_scope.

Definition relu (t : R) : R := Rmax t 0.

(* Two units: from 0 at l to a at u. *)
Record ramp := Ramp { low : R; high : R; rise : R }.
Definition height (r : ramp) (t : R) : R :=
  rise r / (high r - low r) * (relu (t - low r) - relu (t - high r)).

Lemma height_below r t : low r < high r -> t <= low r -> height r t = 0.
Proof. intros L T; unfold height, relu; rewrite !Rmax_right by lra; ring. Qed.

Lemma height_above r t : low r < high r -> high r <= t -> height r t = rise r.
Proof. intros L T; unfold height, relu; rewrite !Rmax_left by lra; field; lra. Qed.

(* An entry of the feed-forward layer at z, whose projection is t: skip, b_2, the unit that cancels the
   skip, and all ramps. *)
Definition output (first reach : R) (ramps : list ramp) (z t : R) : R :=
  z + (first + reach) - relu (z + reach) + sum (fun r => height r t) ramps.

(* The class lies above the ramps of the list below and under those of the list above. *)
Theorem memorize_value first reach below above z t :
  - reach <= z ->
  (forall r, In r below -> low r < high r /\ high r <= t) ->
  (forall r, In r above -> low r < high r /\ t <= low r) ->
  output first reach (below ++ above) z t = first + sum rise below.
Proof.
intros Z B A; unfold output; rewrite sum_app.
rewrite (sum_ext (fun r => height r t) rise below)
  by (intros r Hr; destruct (B r Hr); now apply height_above).
rewrite (sum_ext (fun r => height r t) (fun _ => 0) above)
  by (intros r Hr; destruct (A r Hr); now apply height_below).
rewrite sum_const; unfold relu; rewrite Rmax_left by lra; ring.
Qed.

(* Rises that are differences of neighbouring labels add up to the label of the class. *)
Fixpoint rises (y : R) (labels : list R) : list R :=
  match labels with [] => [] | y' :: rest => (y' - y) :: rises y' rest end.

Lemma rises_sum y labels : y + sum (fun a => a) (rises y labels) = last labels y.
Proof.
revert y; induction labels as [|y' rest IH]; intros y; simpl; [ring|].
replace (y + (y' - y + sum (fun a => a) (rises y' rest)))
  with (y' + sum (fun a => a) (rises y' rest)) by ring.
rewrite IH; destruct rest as [|b rest]; [reflexivity|].
assert (E : forall (l : list R) b d d', last (b :: l) d = last (b :: l) d')
  by (induction l as [|c l IHl]; intros; simpl in *; [reflexivity|apply IHl]).
apply E.
Qed.

Theorem memorize_label first labels reach below above z t :
  - reach <= z ->
  map rise below = rises first labels ->
  (forall r, In r below -> low r < high r /\ high r <= t) ->
  (forall r, In r above -> low r < high r /\ t <= low r) ->
  output first reach (below ++ above) z t = last labels first.
Proof.
intros Z E B A; rewrite memorize_value by assumption.
rewrite <- rises_sum, <- E, sum_map; reflexivity.
Qed.

(* The ramp of the code: low + g/4 <= l, u = l + w, w <= g/4, l < low + g/4 + w. *)
Theorem ramp_inside gap_low gap_high w l :
  let g := gap_high - gap_low in
  0 < w -> w <= g / 4 -> gap_low + g / 4 <= l -> l < gap_low + g / 4 + w ->
  gap_low < l /\ l < l + w /\ l + w < gap_high.
Proof. intros g W W4 L U; unfold g in *; lra. Qed.

(* Corollary 2. *)
Definition encode (s : R) (e x : vec) (k : nat) : vec := add x (scale (INR (S k) * s) e).

Lemma add_comm (a b : vec) : add a b = add b a.
Proof.
revert b; induction a as [|p a IH]; intros [|q b]; simpl; try reflexivity.
f_equal; [ring|apply IH].
Qed.

Lemma norm_sub x y : length x = length y -> norm (sub x y) <= norm x + norm y.
Proof.
intros E; unfold sub; eapply Rle_trans; [apply norm_add; now rewrite length_scale|].
rewrite norm_scale, Rabs_left by lra; lra.
Qed.

Lemma INR_apart j k : j <> k -> 1 <= Rabs (INR (S j) - INR (S k)).
Proof.
intros N; rewrite !S_INR; destruct (Nat.lt_gt_cases j k) as [H _].
destruct (H N) as [L|L]; apply le_INR in L; rewrite S_INR in L.
- rewrite Rabs_left1 by lra; lra.
- rewrite Rabs_right by lra; lra.
Qed.

Theorem positional_distance r eps e x y j k :
  length x = length y -> length x = length e -> norm e = 1 ->
  norm x < r -> norm y < r -> 0 < eps -> j <> k ->
  eps < norm (sub (encode (2 * r + eps) e x j) (encode (2 * r + eps) e y k)).
Proof.
intros L E U X Y P N; unfold encode; rewrite sub_shift by assumption.
pose proof (norm_nonneg x); pose proof (norm_sub x y L) as D.
pose proof (INR_apart j k N) as I.
set (s := 2 * r + eps) in *.
assert (S0 : 0 < s) by (unfold s; lra).
assert (B : s <= norm (scale (INR (S j) * s - INR (S k) * s) e)).
{ rewrite norm_scale, U, Rmult_1_r, <- Rmult_minus_distr_r, Rabs_mult, (Rabs_right s) by lra.
  rewrite <- (Rmult_1_l s) at 1; apply Rmult_le_compat_r; lra. }
pose proof (norm_add_lower (scale (INR (S j) * s - INR (S k) * s) e) (sub x y)) as T.
rewrite length_scale in T; unfold sub in T at 1; rewrite length_add in T
  by now rewrite length_scale.
specialize (T (eq_sym E)).
rewrite add_comm; unfold s in *; lra.
Qed.

Theorem positional_nonzero r eps e x k :
  length x = length e -> norm e = 1 -> norm x < r -> 0 < eps ->
  r + eps < norm (encode (2 * r + eps) e x k).
Proof.
intros E U X P; unfold encode.
pose proof (norm_nonneg x).
set (s := 2 * r + eps) in *.
assert (S0 : 0 < s) by (unfold s; lra).
assert (I : 1 <= INR (S k)) by (rewrite S_INR; pose proof (pos_INR k); lra).
assert (B : s <= norm (scale (INR (S k) * s) e)).
{ rewrite norm_scale, U, Rmult_1_r, Rabs_mult, (Rabs_right s), Rabs_right by lra.
  rewrite <- (Rmult_1_l s) at 1; apply Rmult_le_compat_r; lra. }
pose proof (norm_add_lower (scale (INR (S k) * s) e) x) as T.
rewrite length_scale in T; specialize (T (eq_sym E)).
rewrite add_comm; unfold s in *; lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma memorize_value_satisfiable : satisfiable memorize_value.
Proof.
exists 0, 0, [Ramp 0 1 5], [Ramp 2 3 7], 0, 1; given (lra || (intros r [<-|[]]; simpl; lra)).
Qed.
Lemma memorize_value_falsifiable : falsifiable memorize_value.
Proof.
exists 0, 0, [], [], (-1), 0; unfold output, relu; simpl; rewrite Rmax_right by lra; lra.
Qed.

Lemma memorize_label_satisfiable : satisfiable memorize_label.
Proof.
exists 0, [5], 0, [Ramp 0 1 5], [Ramp 2 3 7], 0, 1.
given (first [lra | intros r [<-|[]]; simpl; lra | simpl; f_equal; ring]).
Qed.
Lemma memorize_label_falsifiable : falsifiable memorize_label.
Proof.
exists 0, [], 0, [], [], (-1), 0; unfold output, relu; simpl; rewrite Rmax_right by lra; lra.
Qed.

Lemma ramp_inside_satisfiable : satisfiable ramp_inside.
Proof. exists 0, 4, 1, 1; given lra. Qed.
Lemma ramp_inside_falsifiable : falsifiable ramp_inside.
Proof. exists 0, 4, 0, 1; lra. Qed.

Lemma positional_distance_satisfiable : satisfiable positional_distance.
Proof.
exists 2, 1, [1], [1], [1], 0%nat, 1%nat.
given (first [reflexivity | lia | rewrite norm_one, Rabs_R1; lra | lra]).
Qed.
Lemma positional_distance_falsifiable : falsifiable positional_distance.
Proof. exists 2, 1, [1], [1], [1], 0%nat, 0%nat; rewrite norm_sub_same; lra. Qed.

Lemma positional_nonzero_satisfiable : satisfiable positional_nonzero.
Proof.
exists 2, 1, [1], [1], 0%nat; given (first [reflexivity | rewrite norm_one, Rabs_R1; lra | lra]).
Qed.
Lemma positional_nonzero_falsifiable : falsifiable positional_nonzero.
Proof.
exists 2, 1, [0], [0], 0%nat; unfold encode, scale; simpl.
rewrite Rmult_0_r, Rplus_0_r, norm_one, Rabs_R0; lra.
Qed.
