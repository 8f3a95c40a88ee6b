(* Theorem 2 with the constants of the paper, for a direction v that projects
   well: the closed formula for delta. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums lemma1 vectors definition2 softmax theorem2 rank1 guard.
Import ListNotations.
Local Open Scope R_scope.

Section Paper.
Variables (u1 u2 u3 v : vec) (WO : list vec).
Variables (I : Type) (X : I -> list vec) (d n : nat) (rmin rmax eps : R) (m : mask).
Let V x := exists i, In x (X i).
Let L := ln (INR n).

(* Definition 1 and the other hypotheses on the data. *)
Hypotheses (rmin_pos : 0 < rmin) (rmax_pos : 0 < rmax) (eps_pos : 0 < eps).
Hypothesis dimension : forall x, V x -> length x = d.
Hypothesis d_pos : (1 <= d)%nat.
Hypothesis norms : forall x, V x -> rmin < norm x < rmax.
Hypothesis far : forall x y, V x -> V y -> x <> y -> eps < norm (sub x y).
Hypothesis no_repetition : forall i, NoDup (X i).
Hypothesis attained : exists i, length (X i) = n.
Hypothesis n_pos : (1 <= n)%nat.

(* c stands for |V| + 1; v keeps the share p of every distance in V and 0. *)
Variable c : R.
Hypothesis c_pos : 0 < c.
Let p := sqrt (8 / (PI * INR d)) / c ^ 2.
Hypothesis v_le_1 : norm v <= 1.
Hypothesis v_tokens : forall x, V x -> p * norm x <= Rabs (dot v x).
Hypothesis v_differences : forall x y, V x -> V y -> x <> y ->
  p * norm (sub x y) <= Rabs (dot v x - dot v y).

Hypothesis WO_dimension : length WO = d.
Hypothesis kappa_value :
  dot u2 u1 = c ^ 4 * PI * INR d * (2 * L + 3) / (8 * eps * rmin).
Hypothesis w_value : norm (apply WO u3) = eps / (4 * rmax).

Definition paper_delta : R :=
  2 * L ^ 2 * eps ^ 2 * rmin / (rmax ^ 2 * c ^ 4 * (2 * L + 3) * PI * INR d)
  * exp (- (c ^ 4 * (2 * L + 3) * PI * INR d * rmax ^ 2 / (4 * eps * rmin))).

Theorem theorem2_paper :
  contextual I X (attention (outer u1 v) (outer u2 v) (outer u3 v) WO) m
    (rmax + eps / 4) paper_delta.
Proof.
assert (0 <= L) as Lp by now apply log_nonneg.
assert (0 < INR d) as Dp by (apply lt_0_INR; lia).
pose proof PI_RGT_0 as PIp.
assert (0 < c ^ 4) as C4 by now apply pow_lt.
assert (0 < c ^ 2) as C2 by now apply pow_lt.
assert (0 < PI * INR d) as PD by now apply Rmult_lt_0_compat.
assert (0 < 8 / (PI * INR d)) as E8 by (apply Rdiv_lt_0_compat; lra).
assert (0 < p) as Pp by (apply Rdiv_lt_0_compat; [now apply sqrt_lt_R0 | exact C2]).
assert (p * p = 8 / (PI * INR d * c ^ 4)) as PP.
{ unfold p; replace (sqrt (8 / (PI * INR d)) / c ^ 2 * (sqrt (8 / (PI * INR d)) / c ^ 2))
    with (sqrt (8 / (PI * INR d)) * sqrt (8 / (PI * INR d)) / c ^ 4) by (field; repeat split; lra).
  rewrite sqrt_sqrt by lra; field; repeat split; lra. }
assert (0 < eps * rmin) as ER by now apply Rmult_lt_0_compat.
assert (dot u2 u1 * (p * p) * (rmin * eps) = 2 * L + 3) as Gap.
{ rewrite kappa_value, PP; field; repeat split; lra. }
assert (0 < dot u2 u1) as Kp.
{ rewrite kappa_value; apply Rdiv_lt_0_compat; [|lra].
  do 3 (apply Rmult_lt_0_compat; [|lra]); exact C4. }
assert (promise u1 u2 u3 WO n rmax = paper_delta) as Same.
{ unfold promise, paper_delta; rewrite w_value; fold L.
  replace (2 * (dot u2 u1 * rmax * rmax))
    with (c ^ 4 * (2 * L + 3) * PI * INR d * rmax ^ 2 / (4 * eps * rmin))
    by (rewrite kappa_value; field; repeat split; lra).
  rewrite kappa_value; field; repeat split; lra. }
rewrite <- Same; apply theorem2_promise with d; auto.
- intros x Vx; apply norms, Vx.
- rewrite w_value; apply Rdiv_lt_0_compat; lra.
- rewrite w_value; lra.
- intros x y z Vx Vy Vz N; fold L.
  rewrite !Rabs_mult, (Rabs_pos_eq (dot u2 u1)) by lra.
  pose proof (v_tokens x Vx) as Px; pose proof (v_differences y z Vy Vz N) as Pd.
  pose proof (far y z Vy Vz N) as Fd; pose proof (norms x Vx) as [Nx _].
  apply Rlt_le_trans with (dot u2 u1 * (p * norm x) * (p * norm (sub y z))).
  + rewrite <- Gap.
    replace (dot u2 u1 * (p * norm x) * (p * norm (sub y z)))
      with (dot u2 u1 * (p * p) * (norm x * norm (sub y z))) by ring.
    apply Rmult_lt_compat_l.
    * apply Rmult_lt_0_compat; [exact Kp | now apply Rmult_lt_0_compat].
    * apply Rmult_le_0_lt_compat; lra.
  + assert (0 <= p * norm x) by (apply Rmult_le_pos; [lra | apply norm_nonneg]).
    assert (0 <= p * norm (sub y z)) by (apply Rmult_le_pos; [lra | apply norm_nonneg]).
    apply Rmult_le_compat; auto; [apply Rmult_le_pos; lra|].
    apply Rmult_le_compat_l; lra.
Qed.
End Paper.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma share_small : sqrt (8 / (PI * INR 1)) / 4 ^ 2 <= 1.
Proof.
pose proof PI2_1; assert (sqrt (8 / (PI * INR 1)) <= 2) as S2; [|lra].
replace 2 with (sqrt (2 * 2)) by (apply sqrt_square; lra); apply sqrt_le_1_alt; simpl.
apply Rmult_le_reg_r with (PI * 1); [lra|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

Lemma theorem2_paper_satisfiable : satisfiable theorem2_paper.
Proof.
pose proof share_small as S; set (p := sqrt (8 / (PI * INR 1)) / 4 ^ 2) in *.
assert (forall t, p * Rabs t <= Rabs t) as P.
{ intros t; rewrite <- (Rmult_1_l (Rabs t)) at 2; apply Rmult_le_compat_r; [apply Rabs_pos | exact S]. }
assert (forall a b, p * norm (sub [a] [b]) <= Rabs (dot [1] [a] - dot [1] [b])) as D.
{ intros a b; unfold sub, scale; simpl; rewrite norm_one.
  replace (a + -1 * b) with (1 * a + 0 - (1 * b + 0)) by ring; apply P. }
exists [4 ^ 4 * PI * INR 1 * (2 * ln (INR 2) + 3) / (8 * / 2 * / 2)], [1], [1], [1], [[/ 2 / (4 * 4)]],
  bool, example, 1%nat, 2%nat, (/ 2), 4, (/ 2), NoMask.
do 10 (unshelve eexists; [first [lia | reflexivity | exact example_nodup | now exists true | tokens
  | token_pairs | numbers]|]).
exists 4; fold p.
given (first [lra | reflexivity |
  intros x Hx; apply example_tokens in Hx; destruct Hx as [->|[->| ->]]; rewrite norm_one; simpl;
    rewrite Rmult_1_l, Rplus_0_r; apply P |
  intros x y Hx Hy N; apply example_tokens in Hx, Hy;
    destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]]; apply D |
  simpl; rewrite ?norm_one; numbers |
  simpl; ring | simpl; rewrite norm_one, Rabs_pos_eq; lra]).
Qed.
Lemma theorem2_paper_falsifiable : falsifiable theorem2_paper.
Proof.
exists [1], [1], [1], [1], [[0]], bool, example, 1%nat, 1%nat, 1, 4, 1, NoMask, 1.
apply zero_head_refuted; [simpl; f_equal; ring|]; unfold paper_delta; simpl; rewrite ln_1.
unfold Rdiv; lra.
Qed.
