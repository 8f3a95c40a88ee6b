(* Sums over finite sets of reals that lie at least g apart. *)

From Coq Require Import Reals List Permutation Lra.
From attest Require Import sums boltzmann gstar guard.
Import ListNotations.
Local Open Scope R_scope.

(* Different values lie at least g apart. *)
Definition spread (g : R) (l : list R) : Prop :=
  forall x y, In x l -> In y l -> x <> y -> g <= Rabs (x - y).

Lemma spread_incl g l l' : (forall x, In x l' -> In x l) -> spread g l -> spread g l'.
Proof. intros I S x y Hx Hy; apply S; auto. Qed.

(* The packing principle.  If T(x) = f(x) + T(x+g) is nonnegative and decreasing
   from x0 on, a set in [x, oo), x >= x0, with gaps >= g has sum f <= T(x): T(x)
   is the sum over x, x+g, x+2g, ...; no limit is taken. *)
Theorem packing (f T : R -> R) (g x0 : R) : 0 < g ->
  (forall x, x0 <= x -> T x = f x + T (x + g)) ->
  (forall x, x0 <= x -> 0 <= T x) ->
  (forall x y, x0 <= x -> x <= y -> T y <= T x) ->
  forall l x, NoDup l -> spread g l -> x0 <= x -> (forall y, In y l -> x <= y) ->
  sum f l <= T x.
Proof.
intros G Step Pos Dec l; remember (length l) as n eqn:Len.
revert l Len; induction n as [|n IH]; intros l Len x U S L B.
- destruct l; [simpl; now apply Pos | discriminate].
- destruct (extract_min l) as (m & l' & P & Min); [now destruct l|].
  assert (In m l) as Hm by (apply Permutation_sym in P;
    apply (Permutation_in _ P); left; reflexivity).
  assert (NoDup (m :: l')) as U' by (apply (Permutation_NoDup P U)).
  assert (x <= m) as Lm by (apply B, Hm).
  rewrite (sum_perm f _ _ P); simpl.
  assert (sum f l' <= T (m + g)) as Tail.
  { apply IH.
    - apply Permutation_length in P; simpl in P; congruence.
    - now inversion U'.
    - apply spread_incl with l; [|exact S]; intros y Hy.
      apply Permutation_sym in P; apply (Permutation_in _ P); now right.
    - lra.
    - intros y Hy; assert (In y l) as Hyl.
      { apply Permutation_sym in P; apply (Permutation_in _ P); now right. }
      assert (y <> m) as N by (intros ->; now inversion U').
      pose proof (S y m Hyl Hm N) as Gap; pose proof (Min y Hyl).
      rewrite Rabs_pos_eq in Gap; lra. }
  pose proof (Step m ltac:(lra)); pose proof (Dec x m L Lm); lra.
Qed.

(* h_b(x) = (x - b) e^-x decreases from x = b + 1 on. *)
Definition h (b x : R) : R := (x - b) * exp (- x).

Theorem h_decreasing b x y : b + 1 <= x -> x <= y -> h b y <= h b x.
Proof.
intros B L; unfold h.
replace (- x) with (- y + (y - x)) by ring; rewrite exp_plus.
pose proof (exp_lower (y - x)) as E; pose proof (exp_pos (- y)) as P.
rewrite (Rmult_comm (x - b)), Rmult_assoc, (Rmult_comm (y - b)).
apply Rmult_le_compat_l; [lra|].
apply Rle_trans with ((1 + (y - x)) * (x - b));
  [|apply Rmult_le_compat_r; lra].
assert (0 <= (y - x) * (x - b - 1)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma h_nonneg b x : b <= x -> 0 <= h b x.
Proof. intros L; apply Rmult_le_pos; [lra | left; apply exp_pos]. Qed.

(* The packed tail of h: sum over k >= 0 of h_b(x + k g). *)
Definition tail (g b x : R) : R := h (b - mu g) x / (1 - ratio g).

Lemma exp_shift x g : exp (- (x + g)) = exp (- x) * ratio g.
Proof. unfold ratio; rewrite <- exp_plus; f_equal; ring. Qed.

Lemma tail_step g b x : 0 < g -> tail g b x = h b x + tail g b (x + g).
Proof.
intros G; pose proof (ratio_lt_1 g G); unfold tail, h; rewrite exp_shift.
unfold mu; field; lra.
Qed.

Theorem packed_tail g b x l : 0 < g -> b + 1 <= x -> NoDup l -> spread g l ->
  (forall y, In y l -> x <= y) -> sum (h b) l <= tail g b x.
Proof.
intros G B U S L; pose proof (ratio_lt_1 g G) as Q; pose proof (mu_pos g G) as M.
assert (0 <= / (1 - ratio g)) as I by (left; apply Rinv_0_lt_compat; lra).
apply (packing (h b) (tail g b) g (b + 1)); try assumption.
- intros; now apply tail_step.
- intros y Hy; apply Rmult_le_pos; [apply h_nonneg; lra | exact I].
- intros y z Hy Hz; apply Rmult_le_compat_r; [exact I|].
  apply h_decreasing; lra.
Qed.

(* The packed partition sum: at most 1 + q + q^2 + ... *)
Theorem packed_partition g x l : 0 < g -> NoDup l -> spread g l ->
  (forall y, In y l -> x <= y) ->
  sum (fun s => exp (- s)) l <= exp (- x) / (1 - ratio g).
Proof.
intros G U S L; pose proof (ratio_lt_1 g G) as Q.
assert (0 <= / (1 - ratio g)) as I by (left; apply Rinv_0_lt_compat; lra).
apply (packing (fun s => exp (- s)) (fun x => exp (- x) / (1 - ratio g)) g x);
  try assumption; try lra.
- intros y _; rewrite exp_shift; field; lra.
- intros y _; apply Rmult_le_pos; [left; apply exp_pos | exact I].
- intros y z _ [Lt| ->]; [|lra]; apply Rmult_le_compat_r; [exact I|].
  left; apply exp_increasing; lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Ltac spreads := try unfold spread; members.

Lemma packing_satisfiable : satisfiable packing.
Proof.
exists (fun _ => 0), (fun _ => 0), 1, 0; do 4 (unshelve eexists; [intros; lra|]).
exists [0], 0; given (nodup || spreads).
Qed.
Lemma packing_falsifiable : falsifiable packing.
Proof. exists (fun _ => 1), (fun _ => 0), 1, 0, [0], 0; simpl; lra. Qed.

Lemma h_decreasing_satisfiable : satisfiable h_decreasing.
Proof. exists 0, 1, 1; given lra. Qed.
Lemma h_decreasing_falsifiable : falsifiable h_decreasing.
Proof. exists 0, 0, 1; unfold h; pose proof (exp_pos (- (1))); lra. Qed.

Lemma packed_tail_satisfiable : satisfiable packed_tail.
Proof. exists 1, 0, 1, [1]; given (lra || nodup || spreads). Qed.
Lemma packed_tail_falsifiable : falsifiable packed_tail.
Proof.
exists 1, 0, (- mu 1 - 1), []; simpl; unfold tail, h; apply Rlt_not_le.
pose proof (ratio_lt_1 1 ltac:(lra)); set (y := exp _).
assert (0 < y) by apply exp_pos.
replace (- mu 1 - 1 - (0 - mu 1)) with (-1) by ring.
apply Rmult_lt_reg_r with (1 - ratio 1); [lra|]; unfold Rdiv.
rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

Lemma packed_partition_satisfiable : satisfiable packed_partition.
Proof. exists 1, 0, [0]; given (lra || nodup || spreads). Qed.
Lemma packed_partition_falsifiable : falsifiable packed_partition.
Proof.
pose proof (ratio_lt_1 1 ltac:(lra)); pose proof (ratio_pos 1).
exists 1, (- ln ((1 - ratio 1) / 2)), [0]; simpl; rewrite !Ropp_involutive, exp_ln by lra.
rewrite Ropp_0, exp_0; replace ((1 - ratio 1) / 2 / (1 - ratio 1)) with (1 / 2) by (field; lra); lra.
Qed.
