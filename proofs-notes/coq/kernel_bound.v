(* The running error bound of the kernels: the steps of
   proofs-notes/kernel-error.md that are inequalities of finitely many reals.
   A rounding is a factor 1 + e with |e| <= u.  The constants BOUND_... are
   those that the C code includes. *)

From Coq Require Import Reals List Lra Lia Psatz.
From Interval Require Import Tactic.
From attest Require Import sums exp_constants guard.
Import ListNotations.
Local Open Scope R_scope.

Definition u : R := BOUND_UNIT.

Lemma u_pos : 0 < u.
Proof. unfold u, BOUND_UNIT; interval with (i_prec 60). Qed.

Local Opaque u.

(* (1 + u)^n - 1 <= n u (1 + u)^n. *)
Lemma growth_bound n : (1 + u) ^ n - 1 <= INR n * u * (1 + u) ^ n.
Proof.
pose proof u_pos as U; induction n as [|n IH]; [simpl; lra|].
rewrite S_INR; simpl pow.
assert (0 < (1 + u) ^ n) by (apply pow_lt; lra).
assert (0 <= INR n) by apply pos_INR.
assert (0 <= INR n * u * (1 + u) ^ n) by (repeat apply Rmult_le_pos; lra).
nra.
Qed.

Lemma growth_ge_1 n : 1 <= (1 + u) ^ n.
Proof. apply pow_R1_Rle; pose proof u_pos; lra. Qed.

Lemma growth_mono n m : (n <= m)%nat -> (1 + u) ^ n <= (1 + u) ^ m.
Proof. intros; apply Rle_pow; [pose proof u_pos; lra | assumption]. Qed.

(* (1) A score: entries q_c, k_c and the rounding e_c of the c-th fused
   multiply-add. *)
Record term := Term { tq : R; tk : R; te : R }.

Fixpoint chain (a : R) (l : list term) : R :=
  match l with
  | [] => a
  | t :: l' => chain ((a + tq t * tk t) * (1 + te t)) l'
  end.

Definition dot (l : list term) : R := sum (fun t => tq t * tk t) l.

(* sum_c w_c f(c), w_c = d - c the number of roundings that term c passes. *)
Fixpoint wsum (f : term -> R) (l : list term) : R :=
  match l with
  | [] => 0
  | t :: l' => INR (length l) * f t + wsum f l'
  end.

Definition small (t : term) : Prop := Rabs (te t) <= u.

Fixpoint gsum (l : list term) : R :=
  match l with
  | [] => 0
  | t :: l' => ((1 + u) ^ length l - 1) * Rabs (tq t * tk t) + gsum l'
  end.

Lemma chain_error l : Forall small l -> forall a,
  Rabs (chain a l - (a + dot l)) <= ((1 + u) ^ length l - 1) * Rabs a + gsum l.
Proof.
pose proof u_pos as U.
induction 1 as [|t l Ht Hl IH]; intros a.
- unfold dot; simpl; replace (a - (a + 0)) with 0 by ring; rewrite Rabs_R0; lra.
- simpl chain; set (x := tq t * tk t); set (b := (a + x) * (1 + te t)).
  pose proof (IH b) as E; unfold dot in *; simpl sum; fold x; simpl gsum; fold x.
  assert (Rabs (b - (a + x)) <= u * Rabs (a + x)) as B.
  { unfold b; replace ((a + x) * (1 + te t) - (a + x)) with ((a + x) * te t) by ring.
    rewrite Rabs_mult, Rmult_comm; apply Rmult_le_compat_r; [apply Rabs_pos | exact Ht]. }
  assert (Rabs b <= (1 + u) * Rabs (a + x)) as B1.
  { replace b with ((a + x) + (b - (a + x))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; lra. }
  pose proof (Rabs_triang a x) as T.
  pose proof (growth_ge_1 (length l)) as G.
  set (S := sum (fun t => tq t * tk t) l) in *.
  replace (chain b l - (a + (x + S))) with ((chain b l - (b + S)) + (b - (a + x))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  simpl length; simpl pow in *; set (g := (1 + u) ^ length l) in *.
  assert (0 <= Rabs (a + x)) by apply Rabs_pos.
  assert ((g - 1) * Rabs b <= (g - 1) * ((1 + u) * Rabs (a + x))) by
    (apply Rmult_le_compat_l; lra).
  assert (((1 + u) * g - 1) * Rabs (a + x) <= ((1 + u) * g - 1) * (Rabs a + Rabs x)) by
    (apply Rmult_le_compat_l; nra).
  nra.
Qed.

Lemma gsum_wsum l n : (length l <= n)%nat ->
  gsum l <= u * (1 + u) ^ n * wsum (fun t => Rabs (tq t * tk t)) l.
Proof.
pose proof u_pos as U; revert n; induction l as [|t l IH]; intros n L.
- simpl; lra.
- cbn [gsum wsum]; assert (length l <= n)%nat as L' by (simpl in L; lia).
  pose proof (IH n L') as E; pose proof (Rabs_pos (tq t * tk t)) as P.
  pose proof (growth_bound (length (t :: l))) as G; pose proof (growth_mono _ _ L) as M.
  assert (0 <= INR (length (t :: l)) * u) by (apply Rmult_le_pos; [apply pos_INR | lra]).
  set (w := INR (length (t :: l))) in *; set (x := Rabs (tq t * tk t)) in *.
  assert ((1 + u) ^ length (t :: l) - 1 <= w * u * (1 + u) ^ n) as H0 by nra.
  assert (((1 + u) ^ length (t :: l) - 1) * x <= w * u * (1 + u) ^ n * x) by
    (apply Rmult_le_compat_r; assumption).
  lra.
Qed.

Theorem dot_error l : Forall small l ->
  Rabs (chain 0 l - dot l)
    <= u * (1 + u) ^ length l * wsum (fun t => Rabs (tq t * tk t)) l.
Proof.
intros H; pose proof (chain_error l H 0) as E; rewrite Rabs_R0, Rplus_0_l in E.
pose proof (gsum_wsum l (length l) (le_n _)); lra.
Qed.

(* Cauchy-Schwarz with the weights w_c. *)
Lemma wsum_nonneg f l : (forall t, 0 <= f t) -> 0 <= wsum f l.
Proof.
intros F; induction l as [|t l IH]; cbn [wsum]; [lra|].
apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply pos_INR | apply F] | exact IH].
Qed.

Lemma cauchy l :
  wsum (fun t => Rabs (tq t * tk t)) l
    <= sqrt (wsum (fun t => tq t ^ 2) l) * sqrt (wsum (fun t => tk t ^ 2) l).
Proof.
induction l as [|t l IH]; [cbn [wsum]; rewrite sqrt_0; lra|].
cbn [wsum]; set (w := INR (length (t :: l))).
assert (0 <= w) as W by apply pos_INR.
set (A := wsum (fun t => tq t ^ 2) l) in *; set (B := wsum (fun t => tk t ^ 2) l) in *.
set (C := wsum (fun t => Rabs (tq t * tk t)) l) in *.
assert (0 <= A) as PA by (apply wsum_nonneg; intros; nra).
assert (0 <= B) as PB by (apply wsum_nonneg; intros; nra).
assert (0 <= C) as PC by (apply wsum_nonneg; intros; apply Rabs_pos).
rewrite <- sqrt_mult by nra; rewrite Rabs_mult.
set (q := tq t) in *; set (k := tk t) in *.
assert (Rabs q ^ 2 = q ^ 2) as Q by apply pow2_abs.
assert (Rabs k ^ 2 = k ^ 2) as K by apply pow2_abs.
rewrite <- Q, <- K; pose proof (Rabs_pos q) as Pq; pose proof (Rabs_pos k) as Pk.
set (a := Rabs q) in *; set (b := Rabs k) in *.
assert (sqrt A * sqrt A = A) as SA by (apply sqrt_sqrt; exact PA).
assert (sqrt B * sqrt B = B) as SB by (apply sqrt_sqrt; exact PB).
pose proof (sqrt_pos A) as PSA; pose proof (sqrt_pos B) as PSB.
assert (C * (a * b) <= sqrt A * sqrt B * (a * b)) as H1 by
  (apply Rmult_le_compat_r; [nra | exact IH]).
assert (2 * (sqrt A * sqrt B * (a * b)) <= A * b ^ 2 + B * a ^ 2) as H2.
{ pose proof (pow2_ge_0 (sqrt A * b - sqrt B * a)) as P.
  replace ((sqrt A * b - sqrt B * a) ^ 2) with
    ((sqrt A * sqrt A) * b ^ 2 + (sqrt B * sqrt B) * a ^ 2 - 2 * (sqrt A * sqrt B * (a * b)))
    in P by ring.
  rewrite SA, SB in P; lra. }
assert (C ^ 2 <= A * B) as H3.
{ replace (A * B) with ((sqrt A * sqrt B) ^ 2) by
    (replace ((sqrt A * sqrt B) ^ 2) with ((sqrt A * sqrt A) * (sqrt B * sqrt B)) by ring;
     rewrite SA, SB; reflexivity).
  apply pow_incr; split; assumption. }
assert (0 <= w * (a * b)) as Pw by (apply Rmult_le_pos; [exact W | apply Rmult_le_pos; assumption]).
rewrite <- (sqrt_pow2 (w * (a * b) + C)) by lra.
apply sqrt_le_1_alt.
assert (w * (2 * (C * (a * b))) <= w * (A * b ^ 2 + B * a ^ 2)) by
  (apply Rmult_le_compat_l; lra).
nra.
Qed.

Theorem dot_error_norms l : Forall small l ->
  Rabs (chain 0 l - dot l)
    <= u * (1 + u) ^ length l
       * (sqrt (wsum (fun t => tq t ^ 2) l) * sqrt (wsum (fun t => tk t ^ 2) l)).
Proof.
intros H; eapply Rle_trans; [apply (dot_error l H)|].
apply Rmult_le_compat_l; [|apply cauchy].
pose proof u_pos; pose proof (growth_ge_1 (length l)); nra.
Qed.

(* (4) A sum whose terms pass at most h roundings each. *)
Definition factors (l : list R) : R := fold_right (fun e p => (1 + e) * p) 1 l.

Lemma factors_error l : Forall (fun e => Rabs e <= u) l ->
  Rabs (factors l - 1) <= (1 + u) ^ length l - 1.
Proof.
pose proof u_pos as U; induction 1 as [|e l He Hl IH]; simpl.
- replace (1 - 1) with 0 by ring; rewrite Rabs_R0; lra.
- replace ((1 + e) * factors l - 1) with ((factors l - 1) + e * factors l) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult.
  pose proof (growth_ge_1 (length l)); pose proof (Rabs_pos e).
  assert (Rabs (factors l) <= (1 + u) ^ length l) as F.
  { replace (factors l) with ((factors l - 1) + 1) by ring.
    eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_R1; lra. }
  pose proof (Rabs_pos (factors l)); nra.
Qed.

Theorem sum_error h (l : list (R * list R)) :
  Forall (fun x => (length (snd x) <= h)%nat /\ Forall (fun e => Rabs e <= u) (snd x)) l ->
  Rabs (sum (fun x => fst x * factors (snd x)) l - sum fst l)
    <= ((1 + u) ^ h - 1) * sum (fun x => Rabs (fst x)) l.
Proof.
induction 1 as [|x l [Hlen Hx] Hl IH]; simpl.
- replace (0 - 0) with 0 by ring; rewrite Rabs_R0; lra.
- replace (fst x * factors (snd x) + sum (fun x => fst x * factors (snd x)) l
           - (fst x + sum fst l))
    with (fst x * (factors (snd x) - 1)
          + (sum (fun x => fst x * factors (snd x)) l - sum fst l)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult.
  pose proof (factors_error _ Hx); pose proof (growth_mono _ _ Hlen).
  pose proof (Rabs_pos (fst x)).
  assert (Rabs (fst x) * Rabs (factors (snd x) - 1) <= Rabs (fst x) * ((1 + u) ^ h - 1)) by
    (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* (1) A sum in any order, each term by the roundings that it passes. *)
Theorem tree_error h (l : list (R * list R)) :
  Forall (fun x => (length (snd x) <= h)%nat /\ Forall (fun e => Rabs e <= u) (snd x)) l ->
  Rabs (sum (fun x => fst x * factors (snd x)) l - sum fst l)
    <= u * (1 + u) ^ h * sum (fun x => INR (length (snd x)) * Rabs (fst x)) l.
Proof.
pose proof u_pos as U; induction 1 as [|x l [Hlen Hx] Hl IH]; simpl.
- replace (0 - 0) with 0 by ring; rewrite Rabs_R0; lra.
- replace (fst x * factors (snd x) + sum (fun x => fst x * factors (snd x)) l
           - (fst x + sum fst l))
    with (fst x * (factors (snd x) - 1)
          + (sum (fun x => fst x * factors (snd x)) l - sum fst l)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_mult.
  pose proof (factors_error _ Hx) as F; pose proof (growth_mono _ _ Hlen) as M.
  pose proof (growth_bound (length (snd x))) as G; pose proof (Rabs_pos (fst x)) as P.
  set (w := INR (length (snd x))) in *; assert (0 <= w * u) by
    (apply Rmult_le_pos; [apply pos_INR | lra]).
  assert ((1 + u) ^ length (snd x) - 1 <= w * u * (1 + u) ^ h) by nra.
  assert (Rabs (fst x) * Rabs (factors (snd x) - 1) <= Rabs (fst x) * (w * u * (1 + u) ^ h)) by
    (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(* (8) The largest of finitely many reals (eigenvalues) by their mean and mean
   square: x and the others, l. *)
Lemma square_of_sum (f : R -> R) l :
  sum f l ^ 2 <= INR (length l) * sum (fun y => f y ^ 2) l.
Proof.
induction l as [|y l IH]; [simpl; lra|].
change (sum f (y :: l)) with (f y + sum f l).
change (sum (fun y => f y ^ 2) (y :: l)) with (f y ^ 2 + sum (fun y => f y ^ 2) l).
change (length (y :: l)) with (S (length l)); rewrite S_INR.
assert (0 <= sum (fun y => f y ^ 2) l) as PQ.
{ clear; induction l as [|z l IH]; cbn [sum]; [lra|]; pose proof (pow2_ge_0 (f z)); lra. }
assert (0 <= INR (length l)) as N by apply pos_INR.
revert IH PQ N; generalize (sum f l) (sum (fun y => f y ^ 2) l) (INR (length l)) (f y).
intros s q n a IH PQ N.
assert (2 * a * s <= n * a ^ 2 + q).
{ destruct (Rle_lt_or_eq_dec 0 n N) as [N1|N0].
  - apply (Rmult_le_reg_l n); [exact N1|].
    pose proof (pow2_ge_0 (n * a - s)); nra.
  - rewrite <- N0 in *; assert (s = 0) by nra; nra. }
replace ((a + s) ^ 2) with (a ^ 2 + 2 * a * s + s ^ 2) by ring.
replace ((n + 1) * (a ^ 2 + q)) with (n * a ^ 2 + q + a ^ 2 + n * q) by ring.
lra.
Qed.

Theorem largest_of_mean x l mu square :
  INR (S (length l)) * mu = x + sum (fun y => y) l ->
  INR (S (length l)) * square = x ^ 2 + sum (fun y => y ^ 2) l ->
  x <= mu + sqrt (INR (length l) * (square - mu ^ 2)).
Proof.
rewrite S_INR; intros A B.
pose proof (square_of_sum (fun y => y - mu) l) as C; cbv beta in C.
assert (sum (fun y => y - mu) l = sum (fun y => y) l - INR (length l) * mu) as D.
{ clear; induction l as [|z l IH]; [simpl; ring|].
  cbn [sum length]; rewrite S_INR, IH; ring. }
assert (sum (fun y => (y - mu) ^ 2) l
  = sum (fun y => y ^ 2) l - 2 * mu * sum (fun y => y) l + INR (length l) * mu ^ 2) as E.
{ clear; induction l as [|z l IH]; [simpl; ring|].
  cbn [sum length]; rewrite S_INR, IH; ring. }
set (n := INR (length l)) in *; set (s := sum (fun y => y) l) in *.
set (t := sum (fun y => y ^ 2) l) in *; rewrite D, E in C.
assert (0 <= n) as N by apply pos_INR.
assert (s = (n + 1) * mu - x) as Es by lra; assert (t = (n + 1) * square - x ^ 2) as Et by lra.
rewrite Es, Et in C.
assert ((x - mu) ^ 2 <= n * (square - mu ^ 2)) as H.
{ apply (Rmult_le_reg_l (n + 1)); [lra|]; nra. }
destruct (Rle_dec x mu) as [L|L]; [pose proof (sqrt_pos (n * (square - mu ^ 2))); lra|].
assert (x - mu <= sqrt (n * (square - mu ^ 2))); [|lra].
rewrite <- (sqrt_pow2 (x - mu)) by lra; apply sqrt_le_1_alt; exact H.
Qed.

(* (7) The mean of the squares of the arguments: weights e^-y, y >= 0. *)
Lemma exp_ge_square t : 0 <= t -> t ^ 2 <= exp t.
Proof.
intros T; replace t with (t / 4 + t / 4 + (t / 4 + t / 4)) at 2 by field.
rewrite !exp_plus.
assert (1 + t / 4 <= exp (t / 4)) as E by (apply exp_ineq1_le).
assert ((1 + t / 4) * (1 + t / 4) <= exp (t / 4) * exp (t / 4)) as E2 by
  (apply Rmult_le_compat; lra).
assert (t <= (1 + t / 4) * (1 + t / 4)) as T2 by
  (pose proof (pow2_ge_0 (1 - t / 4)); lra).
assert (t * t <= exp (t / 4) * exp (t / 4) * (exp (t / 4) * exp (t / 4))) by
  (apply Rmult_le_compat; lra).
lra.
Qed.

Lemma argument_pointwise c y : 0 <= c -> 0 <= y ->
  exp (- y) * y ^ 2 <= c ^ 2 * exp (- y) + exp (- c) * (2 * c + 1).
Proof.
intros C Y; pose proof (exp_pos (- y)) as Py; pose proof (exp_pos (- c)) as Pc.
destruct (Rle_dec y c) as [L|L].
- assert (y ^ 2 <= c ^ 2) by (apply pow_incr; lra).
  assert (0 <= exp (- c) * (2 * c + 1)) by (apply Rmult_le_pos; lra); nra.
- set (t := y - c); assert (0 < t) as T by (unfold t; lra).
  replace y with (c + t) by (unfold t; ring).
  replace (- (c + t)) with (- c + - t) by ring; rewrite exp_plus.
  assert (exp (- t) * exp t = 1) as I by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  pose proof (exp_pos (- t)) as Pt.
  assert (t <= exp t) as T1 by (pose proof (exp_ineq1_le t); lra).
  assert (t ^ 2 <= exp t) as T2 by (apply exp_ge_square; lra).
  assert (exp (- t) * t <= 1) as M1 by
    (rewrite <- I; apply Rmult_le_compat_l; lra).
  assert (exp (- t) * t ^ 2 <= 1) as M2 by
    (rewrite <- I; apply Rmult_le_compat_l; lra).
  assert (exp (- t) * (2 * c * t + t ^ 2) <= 2 * c + 1) as M by nra.
  assert (exp (- c) * (exp (- t) * (2 * c * t + t ^ 2)) <= exp (- c) * (2 * c + 1)) by
    (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Theorem mean_square_argument (l : list R) : Forall (fun y => 0 <= y) l ->
  1 <= sum (fun y => exp (- y)) l ->
  sum (fun y => exp (- y) * y ^ 2) l
    <= (1 + ln (INR (length l))) ^ 2 * sum (fun y => exp (- y)) l.
Proof.
intros P Z.
assert (1 <= INR (length l)) as L.
{ destruct l; [simpl in Z; lra|]; simpl length; rewrite S_INR.
  pose proof (pos_INR (length l)); lra. }
set (c := ln (INR (length l))); set (Zs := sum (fun y => exp (- y)) l) in *.
assert (0 <= c) as C by
  (unfold c; rewrite <- ln_1; destruct L as [L|<-]; [left; apply ln_increasing | right]; lra).
assert (exp (- c) * INR (length l) = 1) as I.
{ unfold c; rewrite exp_Ropp, exp_ln by lra; field; lra. }
assert (sum (fun y => exp (- y) * y ^ 2) l
        <= sum (fun y => c ^ 2 * exp (- y) + exp (- c) * (2 * c + 1)) l) as H.
{ apply sum_le; intros y Hy; apply argument_pointwise; [exact C|].
  rewrite Forall_forall in P; auto. }
rewrite sum_plus, sum_scal, sum_const in H; fold Zs in H.
replace (INR (length l) * (exp (- c) * (2 * c + 1))) with
  (exp (- c) * INR (length l) * (2 * c + 1)) in H by ring.
rewrite I in H; assert (2 * c + 1 <= (2 * c + 1) * Zs) by nra; nra.
Qed.

(* (7) Two errors under one square root. *)
Theorem two_squares t a b : 0 < t -> 0 <= a -> 0 <= b ->
  a + b <= sqrt ((1 + t) * a ^ 2 + (1 + / t) * b ^ 2).
Proof.
intros T A B; rewrite <- (sqrt_pow2 (a + b)) by lra; apply sqrt_le_1_alt.
assert (0 < / t) as I by (apply Rinv_0_lt_compat, T).
assert (t * / t = 1) as J by (apply Rinv_r; lra).
pose proof (pow2_ge_0 (t * a - b)) as P.
assert (0 <= / t * (t * a - b) ^ 2) as Q by (apply Rmult_le_pos; lra).
replace (/ t * (t * a - b) ^ 2) with
  (t * / t * (t * a ^ 2) - 2 * (t * / t) * (a * b) + / t * b ^ 2) in Q by ring.
rewrite J in Q; nra.
Qed.

Theorem sharp_squares a b : 0 <= a -> 0 <= b ->
  a + b <= sqrt (BOUND_SHARP_VALUE * a ^ 2 + BOUND_SHARP_OUT * b ^ 2).
Proof.
intros A B; eapply Rle_trans; [apply (two_squares (1 / 2)); lra|].
apply sqrt_le_1_alt; unfold BOUND_SHARP_VALUE, BOUND_SHARP_OUT; simpl powerRZ.
pose proof (pow2_ge_0 a); pose proof (pow2_ge_0 b); lra.
Qed.

Local Transparent u.

(* The slack of 2^-18 on every term.  By norms: at most eight second-order
   factors (1 + u)^n, n below the limit on sizes, and 64 single roundings. *)
Lemma growth_exp n : (1 + u) ^ n <= exp (INR n * u).
Proof.
induction n as [|n IH]; [simpl; rewrite Rmult_0_l, exp_0; lra|].
rewrite S_INR; replace ((INR n + 1) * u) with (u + INR n * u) by ring; rewrite exp_plus.
simpl pow; apply Rmult_le_compat; try assumption.
- pose proof u_pos; lra.
- pose proof (growth_ge_1 n); lra.
- apply exp_ineq1_le.
Qed.

Theorem slack_norms n : INR n <= BOUND_SIZE_LIMIT ->
  ((1 + u) ^ n) ^ 8 * (1 + u) ^ 64 <= BOUND_SLACK.
Proof.
intros N; pose proof (growth_ge_1 n) as G.
assert ((1 + u) ^ n <= exp (BOUND_SIZE_LIMIT * u)) as E.
{ eapply Rle_trans; [apply growth_exp|].
  assert (INR n * u <= BOUND_SIZE_LIMIT * u) as [L| ->] by
    (apply Rmult_le_compat_r; [pose proof u_pos; lra | exact N]);
    [left; apply exp_increasing, L | apply Rle_refl]. }
eapply Rle_trans.
- apply Rmult_le_compat_r; [pose proof (growth_ge_1 64); lra|].
  apply pow_incr; split; [lra | exact E].
- unfold u, BOUND_SIZE_LIMIT, BOUND_UNIT, BOUND_SLACK; interval with (i_prec 100).
Qed.

(* By weights: also e^(2H), H = delta + 709 u + E, delta at its limit. *)
Theorem slack_weights n delta : INR n <= BOUND_SIZE_LIMIT ->
  0 <= delta -> delta ^ 2 <= BOUND_SHARP_DELTA_SQUARE ->
  exp (2 * (delta + 711 * u)) * ((1 + u) ^ n) ^ 8 * (1 + u) ^ 64 <= BOUND_SLACK.
Proof.
intros N D0 D.
assert (delta <= powerRZ 2 (-21)) as D1.
{ apply Rsqr_incr_0_var; [|interval with (i_prec 60)]; unfold Rsqr.
  unfold BOUND_SHARP_DELTA_SQUARE in D.
  replace (powerRZ 2 (-21) * powerRZ 2 (-21)) with (1 * powerRZ 2 (-42)) by
    (rewrite <- powerRZ_add by lra; simpl (-21 + -21)%Z; ring).
  lra. }
pose proof (growth_ge_1 n) as G.
assert ((1 + u) ^ n <= exp (BOUND_SIZE_LIMIT * u)) as E.
{ eapply Rle_trans; [apply growth_exp|].
  assert (INR n * u <= BOUND_SIZE_LIMIT * u) as [L| ->] by
    (apply Rmult_le_compat_r; [pose proof u_pos; lra | exact N]);
    [left; apply exp_increasing, L | apply Rle_refl]. }
assert (((1 + u) ^ n) ^ 8 <= exp (BOUND_SIZE_LIMIT * u) ^ 8) as E8 by
  (apply pow_incr; split; [lra | exact E]).
assert (0 <= ((1 + u) ^ n) ^ 8) by (apply pow_le; lra).
assert (exp (2 * (delta + 711 * u)) <= exp (2 * (powerRZ 2 (-21) + 711 * u))) as X.
{ destruct D1 as [D1|D1]; [left; apply exp_increasing; lra | rewrite D1; apply Rle_refl]. }
eapply Rle_trans.
- apply Rmult_le_compat_r; [pose proof (growth_ge_1 64); lra|].
  apply Rmult_le_compat; [left; apply exp_pos | assumption | exact X | exact E8].
- unfold u, BOUND_SIZE_LIMIT, BOUND_UNIT, BOUND_SLACK; interval with (i_prec 100).
Qed.

(* (2) Where C < 1: z = Z - 1, 2 m u <= 2^-22. *)
Theorem peak_covers delta z : 0 <= delta < 1 / 16 -> 0 <= z < 1 / 4 ->
  4 * (1 + 2 * delta) * exp (2 * delta) * (z + powerRZ 2 (-22)) * (1 + powerRZ 2 (-21))
    <= 4 * z + BOUND_PEAK_SLACK + BOUND_PEAK_DELTA * delta.
Proof.
intros D Z; unfold BOUND_PEAK_SLACK, BOUND_PEAK_DELTA.
assert (exp (2 * delta) * (1 - 2 * delta) <= 1) as X.
{ assert (1 + - (2 * delta) <= exp (- (2 * delta))) as E by (apply exp_ineq1_le).
  assert (exp (2 * delta) * exp (- (2 * delta)) = 1) as I by
    (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_pos (2 * delta)); rewrite <- I; apply Rmult_le_compat_l; lra. }
assert ((1 + 2 * delta) * exp (2 * delta) <= 1 + 5 * delta) as Y.
{ apply (Rmult_le_reg_r (1 - 2 * delta)); [lra|]; pose proof (exp_pos (2 * delta)); nra. }
set (X0 := (1 + 2 * delta) * exp (2 * delta)) in *.
assert (0 <= X0) as X0p by
  (unfold X0; pose proof (exp_pos (2 * delta)); apply Rmult_le_pos; lra).
set (e := (z + powerRZ 2 (-22)) * (1 + powerRZ 2 (-21))).
assert (0 <= e <= z + 13 / 8 * powerRZ 2 (-22)) as [E0 E1].
{ unfold e; simpl powerRZ; split; [apply Rmult_le_pos|]; nra. }
replace (4 * (1 + 2 * delta) * exp (2 * delta) * (z + powerRZ 2 (-22)) * (1 + powerRZ 2 (-21)))
  with (4 * (X0 * e)) by (unfold X0, e; ring).
assert (X0 * e <= (1 + 5 * delta) * (z + 13 / 8 * powerRZ 2 (-22))) as F by
  (apply Rmult_le_compat; assumption).
revert F; simpl powerRZ; intros F; nra.
Qed.

Lemma abs_le x y : Rabs x <= y -> - y <= x <= y.
Proof. unfold Rabs; destruct (Rcase_abs x); lra. Qed.

(* (6) A key whose computed score is below the rounded threshold loses. *)
Theorem winner delta top threshold computed exact_top exact_other :
  0 <= delta -> u * Rabs top <= delta * (1 + powerRZ 2 (-20)) ->
  Rabs (top - exact_top) <= delta -> Rabs (computed - exact_other) <= delta ->
  Rabs (threshold - (top - BOUND_MARGIN * delta)) <= u * (Rabs top + BOUND_MARGIN * delta) ->
  computed < threshold -> exact_other < exact_top.
Proof.
intros D T A B E C; apply abs_le in A; apply abs_le in B; apply abs_le in E.
unfold u, BOUND_UNIT, BOUND_MARGIN in *; simpl powerRZ in *; nra.
Qed.

(* The same with scores computed anew, each within 2 delta. *)
Theorem winner_again delta top threshold computed exact_top exact_other :
  0 <= delta -> u * Rabs top <= delta * (1 + powerRZ 2 (-20)) ->
  Rabs (top - exact_top) <= 2 * delta -> Rabs (computed - exact_other) <= 2 * delta ->
  Rabs (threshold - (top - BOUND_MARGIN_AGAIN * delta))
    <= u * (Rabs top + BOUND_MARGIN_AGAIN * delta) ->
  computed < threshold -> exact_other + 2 * delta < exact_top.
Proof.
intros D T A B E C; apply abs_le in A; apply abs_le in B; apply abs_le in E.
unfold u, BOUND_UNIT, BOUND_MARGIN_AGAIN in *; simpl powerRZ in *; nra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma dot_error_satisfiable : satisfiable dot_error.
Proof. exists [Term 1 1 u]; given (repeat constructor; unfold small; simpl; rewrite Rabs_pos_eq; pose proof u_pos; lra). Qed.
Lemma dot_error_falsifiable : falsifiable dot_error.
Proof. exists [Term 1 1 1]; unfold dot, u, BOUND_UNIT; simpl; apply Rlt_not_le; interval with (i_prec 60). Qed.

Lemma dot_error_norms_satisfiable : satisfiable dot_error_norms.
Proof. exists [Term 1 1 u]; given (repeat constructor; unfold small; simpl; rewrite Rabs_pos_eq; pose proof u_pos; lra). Qed.
Lemma dot_error_norms_falsifiable : falsifiable dot_error_norms.
Proof. exists [Term 1 1 1]; unfold dot, u, BOUND_UNIT; simpl; apply Rlt_not_le; interval with (i_prec 60). Qed.

Lemma peak_covers_satisfiable : satisfiable peak_covers.
Proof. exists (1 / 32), (1 / 8); given lra. Qed.
Lemma peak_covers_falsifiable : falsifiable peak_covers.
Proof.
exists 0, 1000; unfold BOUND_PEAK_SLACK, BOUND_PEAK_DELTA; apply Rlt_not_le; interval with (i_prec 80).
Qed.

Lemma sum_error_satisfiable : satisfiable sum_error.
Proof.
exists 1%nat, [(1, [u])]; given (repeat constructor; simpl; rewrite Rabs_pos_eq; pose proof u_pos; lra).
Qed.
Lemma sum_error_falsifiable : falsifiable sum_error.
Proof.
exists 0%nat, [(1, [1])]; unfold factors; simpl; apply Rlt_not_le; unfold Rabs;
repeat destruct Rcase_abs; lra.
Qed.

Lemma tree_error_satisfiable : satisfiable tree_error.
Proof.
exists 1%nat, [(1, [u])]; given (repeat constructor; simpl; rewrite Rabs_pos_eq; pose proof u_pos; lra).
Qed.
Lemma tree_error_falsifiable : falsifiable tree_error.
Proof.
exists 1%nat, [(1, [1])]; unfold factors, u, BOUND_UNIT; simpl; apply Rlt_not_le; interval with (i_prec 60).
Qed.

Lemma largest_of_mean_satisfiable : satisfiable largest_of_mean.
Proof. exists 1, [1], 1, 1; given ltac:(simpl; lra). Qed.
Lemma largest_of_mean_falsifiable : falsifiable largest_of_mean.
Proof.
exists 1, [0], 0, 0; simpl; apply Rlt_not_le; replace (1 * (0 - 0 * (0 * 1))) with 0 by ring; rewrite sqrt_0; lra.
Qed.

Lemma winner_satisfiable : satisfiable winner.
Proof.
exists 0, 0, 0, (-1), 0, (-1); given (unfold Rabs; repeat destruct Rcase_abs; simpl; lra).
Qed.
Lemma winner_falsifiable : falsifiable winner.
Proof. exists 0, 0, 0, 0, 0, 1; lra. Qed.

Lemma winner_again_satisfiable : satisfiable winner_again.
Proof.
exists 0, 0, 0, (-1), 0, (-1); given (unfold Rabs; repeat destruct Rcase_abs; simpl; lra).
Qed.
Lemma winner_again_falsifiable : falsifiable winner_again.
Proof. exists 0, 0, 0, 0, 0, 1; lra. Qed.

Lemma mean_square_argument_satisfiable : satisfiable mean_square_argument.
Proof.
exists [0; 3]; given (first [repeat constructor; lra | simpl; rewrite Ropp_0, exp_0; pose proof (exp_pos (- (3))); lra]).
Qed.
Lemma mean_square_argument_falsifiable : falsifiable mean_square_argument.
Proof.
exists [-10]; simpl; rewrite ln_1; pose proof (exp_pos (- -10)); apply Rlt_not_le; nra.
Qed.

Lemma two_squares_satisfiable : satisfiable two_squares.
Proof. exists 1, 1, 1; given lra. Qed.
Lemma two_squares_falsifiable : falsifiable two_squares.
Proof.
exists (- / 2), 1, 1; apply Rlt_not_le, Rle_lt_trans with (sqrt 1); [|rewrite sqrt_1; lra].
apply sqrt_le_1_alt; replace (/ - / 2) with (-2) by field; lra.
Qed.

Lemma sharp_squares_satisfiable : satisfiable sharp_squares.
Proof. exists 1, 1; given lra. Qed.

Lemma slack_norms_satisfiable : satisfiable slack_norms.
Proof. exists 1%nat; given (unfold BOUND_SIZE_LIMIT; simpl; lra). Qed.

Lemma slack_weights_satisfiable : satisfiable slack_weights.
Proof. exists 1%nat, 0; given (unfold BOUND_SIZE_LIMIT, BOUND_SHARP_DELTA_SQUARE; simpl; lra). Qed.
