(* The exponential of the double kernels: the promised error.

   [kernel_exp_error]: for every double -744 <= x <= 746 the operations of exp_one,
   with the last fma rounded to nearest in a format with subnormals and without
   overflow, give exp(x) within PROMISED_ULP ulps of the exact value, the constant
   that include/attest/kernel.h promises.  The note treats overflow and subnormal
   results of the C code. *)

From Coq Require Import Reals ZArith Lia Lra.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From attest Require Import exp_constants exp_approx exp_rounding guard.
Local Open Scope R_scope.

(* k = 8 e + j; the scale is T[j] 2^e. *)
Definition scale (n : Z) : R := table (n mod 8) * bpow radix2 (n / 8).
Definition kernel_exp (x : R) (n : Z) : R := rnd (scale n * pp (rr x) + scale n).

(* What is reduced: exp(x) = 2^e exp(SHIFT) 2^(j/8) exp(rho). *)
Definition rho (x : R) : R := x - kk x * (ln 2 / 8) - SHIFT.

Lemma exp_split x n : kk x = IZR n ->
  exp x = bpow radix2 (n / 8) * table_exact (n mod 8) * exp (rho x).
Proof.
intros K; rewrite bpow_exp; unfold table_exact, rho; rewrite K, <- !exp_plus; f_equal.
replace (IZR n) with (8 * IZR (n / 8) + IZR (n mod 8)).
- simpl (IZR radix2); field.
- rewrite <- mult_IZR, <- plus_IZR; f_equal; symmetry; apply Z.div_mod; lia.
Qed.

Lemma rr_rho x : format x -> Rabs x <= 746 -> Rabs (rr x - rho x) <= 130 * powerRZ 2 (-65).
Proof.
intros Fx Hx; pose proof (rr_error x Fx Hx) as E; pose proof step_error as S.
pose proof (kk_range x Fx Hx) as K; unfold rho.
replace (rr x - (x - kk x * (ln 2 / 8) - SHIFT))
  with (rr x - (x - kk x * (STEP_HI + STEP_LO) - SHIFT)
        - kk x * (STEP_HI + STEP_LO - ln 2 / 8)) by ring.
revert E S K; generalize (rr x - (x - kk x * (STEP_HI + STEP_LO) - SHIFT)).
generalize (STEP_HI + STEP_LO - ln 2 / 8) (kk x); clear.
intros s k d E S K; interval with (i_prec 120).
Qed.

(* Everything but the last rounding: what the polynomial adds is relative to the
   scale, what the reduction and the table add is relative to the result. *)
Theorem before_rounding x n tau : format x -> Rabs x <= 746 -> kk x = IZR n ->
  Rabs (table (n mod 8) / table_exact (n mod 8) - 1) <= tau -> tau <= 42 * powerRZ 2 (-65) ->
  Rabs (scale n * pp (rr x) + scale n - exp x)
  <= 242 * powerRZ 2 (-65) * scale n + (131 * powerRZ 2 (-65) + tau) * exp x.
Proof.
intros Fx Hx K Tau Small.
pose proof (rr_rho x Fx Hx) as Delta; pose proof (rr_range x Fx Hx) as Range.
assert (format (rr x)) as Fr by (apply generic_format_round; auto with typeclass_instances).
pose proof (pp_error (rr x) Fr Range) as E1; pose proof (poly_error (rr x) Range) as E2.
assert (0 <= n mod 8 <= 7)%Z as J by (pose proof (Z.mod_pos_bound n 8); lia).
set (r := rr x) in *; set (d := r - rho x) in *.
set (e := pp r - (exp r - 1)); set (v := table (n mod 8) / table_exact (n mod 8) - 1) in *.
assert (Rabs e <= 242 * powerRZ 2 (-65)) as E.
{ unfold e; replace (pp r - (exp r - 1)) with (pp r - poly r + (poly r - (exp r - 1))) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _); lra. }
assert (0 < table_exact (n mod 8)) as TP by apply exp_pos.
pose proof (exp_pos (rho x)) as RP; pose proof (bpow_gt_0 radix2 (n / 8)) as BP.
assert (0 < scale n) as SP
  by (apply Rmult_lt_0_compat; [apply table_range; exact J | exact BP]).
assert (scale n * pp r + scale n - exp x
        = scale n * e + ((exp d - 1) * (1 + v) + v) * exp x) as Sum.
{ rewrite (exp_split x n K); unfold scale.
  replace (pp r) with (e + (exp r - 1)) by (unfold e; ring).
  replace (exp r) with (exp d * exp (rho x)) by
    (rewrite <- exp_plus; f_equal; unfold d; ring).
  replace (table (n mod 8)) with ((1 + v) * table_exact (n mod 8)) by (unfold v; field; lra).
  ring. }
rewrite Sum; apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat.
- rewrite Rabs_mult, (Rabs_pos_eq (scale n)), Rmult_comm by lra.
  apply Rmult_le_compat_r; lra.
- rewrite Rabs_mult, (Rabs_pos_eq (exp x)) by (left; apply exp_pos).
  apply Rmult_le_compat_r; [left; apply exp_pos|].
  apply Rle_trans with (1 := Rabs_triang _ _); apply Rplus_le_compat; [|exact Tau].
  assert (Rabs v <= 42 * powerRZ 2 (-65)) as V by lra.
  clearbody d v; clear - Delta V; interval with (i_prec 120).
Qed.

(* The last rounding: half an ulp of the exact value, even next to a power of 2. *)
Lemma round_near (z E c : R) : 0 < z -> 0 < E -> 0 <= c <= 1 / 4 ->
  bpow radix2 (-1074) <= E ->
  Rabs (z - E) <= c * ulp radix2 (FLT_exp (-1074) 53) E ->
  Rabs (rnd z - E) <= (1 / 2 + c) * ulp radix2 (FLT_exp (-1074) 53) E.
Proof.
intros Zp Ep Hc Em Near; set (u := ulp radix2 (FLT_exp (-1074) 53) E) in *.
assert (0 <= u) as Up by apply ulp_ge_0.
replace (rnd z - E) with ((rnd z - z) + (z - E)) by ring.
apply Rle_trans with (1 := Rabs_triang _ _).
destruct (Rlt_or_le z (bpow radix2 (mag radix2 E))) as [Lt|Ge].
- (* not beyond the binade of E: the ulp of z is at most that of E *)
  assert (ulp radix2 (FLT_exp (-1074) 53) z <= u) as Le.
  { unfold u; rewrite !ulp_neq_0 by lra; apply bpow_le; unfold cexp.
    apply monotone_exp; [apply FLT_exp_monotone|].
    apply mag_le_bpow; [lra | rewrite Rabs_pos_eq; lra]. }
  pose proof (error_le_half_ulp radix2 (FLT_exp (-1074) 53) (fun t => negb (Z.even t)) z) as H.
  lra.
- (* beyond it: the power of 2 between E and z is nearer than half an ulp *)
  set (b := bpow radix2 (mag radix2 E)) in *.
  assert (format b) as Fb.
  { apply generic_format_bpow; unfold FLT_exp.
    assert (-1073 <= mag radix2 E)%Z; [|lia].
    apply mag_ge_bpow; rewrite Rabs_pos_eq by lra; exact Em. }
  assert (E < b) as Eb by
    (rewrite <- (Rabs_pos_eq E) at 1 by lra; apply bpow_mag_gt).
  destruct (round_N_pt radix2 (FLT_exp (-1074) 53) (fun t => negb (Z.even t)) z) as [_ Nearest].
  specialize (Nearest b Fb); rewrite (Rabs_minus_sym b), (Rabs_pos_eq (z - b)) in Nearest by lra.
  rewrite (Rabs_pos_eq (z - E)) in Near |- * by lra.
  assert (c * u <= 1 / 4 * u) by (apply Rmult_le_compat_r; lra); lra.
Qed.

(* The ulp from below. *)
Lemma ulp_from E m : 0 < E -> bpow radix2 (m - 1) <= E ->
  bpow radix2 (m - 53) <= ulp radix2 (FLT_exp (-1074) 53) E.
Proof.
intros Ep Em; rewrite ulp_neq_0 by lra; apply bpow_le; unfold cexp, FLT_exp.
assert (m <= mag radix2 E)%Z; [|lia].
apply mag_ge_bpow; rewrite Rabs_pos_eq; lra.
Qed.

(* In ulps of the exact value: at most 407/4096 before the last rounding.  Below
   2^e, where the ulp is half as large, only entry 0 of the table gets. *)
Theorem ulps_before_rounding x n : format x -> Rabs x <= 746 -> kk x = IZR n ->
  Rabs (scale n * pp (rr x) + scale n - exp x)
  <= 407 / 4096 * ulp radix2 (FLT_exp (-1074) 53) (exp x).
Proof.
intros Fx Hx K; pose proof (exp_pos x) as P; pose proof (bpow_gt_0 radix2 (n / 8)) as BP.
assert (0 <= n mod 8 <= 7)%Z as J by (pose proof (Z.mod_pos_bound n 8); lia).
assert (Rabs (rho x) <= 44 / 1000) as Hr.
{ pose proof (rr_rho x Fx Hx) as D; pose proof (rr_range x Fx Hx) as Rg; unfold RANGE in Rg.
  replace (rho x) with (rr x - (rr x - rho x)) by ring.
  revert D Rg; generalize (rr x - rho x); generalize (rr x); clear; intros r d D Rg.
  interval with (i_prec 80). }
destruct (significand_range (n mod 8) (rho x) J Hr) as [[S1 S2] S3].
pose proof (table_range (n mod 8) J) as [T1 T2].
assert (exp x = bpow radix2 (n / 8) * (table_exact (n mod 8) * exp (rho x))) as Split
  by (rewrite (exp_split x n K); ring).
set (B := bpow radix2 (n / 8)) in *; set (s := table_exact (n mod 8) * exp (rho x)) in *.
destruct (Rle_lt_dec 1 s) as [Ge|Lt].
- pose proof (before_rounding x n _ Fx Hx K (table_error (n mod 8) J) (Rle_refl _)) as E.
  assert (bpow radix2 (n / 8 + 1 - 53) <= ulp radix2 (FLT_exp (-1074) 53) (exp x)) as U.
  { apply ulp_from; [exact P|]; replace (n / 8 + 1 - 1)%Z with (n / 8)%Z by lia.
    fold B; rewrite Split; rewrite <- (Rmult_1_r B) at 1; apply Rmult_le_compat_l; lra. }
  replace (n / 8 + 1 - 53)%Z with (n / 8 + -52)%Z in U by lia.
  rewrite bpow_plus in U; fold B in U.
  apply Rle_trans with (1 := E).
  apply Rle_trans with (407 / 4096 * (B * bpow radix2 (-52))); [|lra].
  unfold scale; fold B; rewrite Split.
  replace (242 * powerRZ 2 (-65) * (table (n mod 8) * B)
           + (131 * powerRZ 2 (-65) + 42 * powerRZ 2 (-65)) * (B * s))
    with (B * (242 * powerRZ 2 (-65) * table (n mod 8) + 173 * powerRZ 2 (-65) * s)) by ring.
  replace (407 / 4096 * (B * bpow radix2 (-52)))
    with (B * (407 / 4096 * bpow radix2 (-52))) by ring.
  apply Rmult_le_compat_l; [lra|]; simpl bpow; simpl powerRZ; lra.
- assert (n mod 8 = 0)%Z as J0.
  { destruct (Z.eq_dec (n mod 8) 0) as [e|ne]; [exact e|].
    assert (1 <= s) by (apply S3; lia); lra. }
  pose proof (before_rounding x n (33 * powerRZ 2 (-65)) Fx Hx K) as E.
  rewrite J0 in E; specialize (E table_error_0 ltac:(simpl powerRZ; lra)).
  assert (bpow radix2 (n / 8 - 53) <= ulp radix2 (FLT_exp (-1074) 53) (exp x)) as U.
  { apply ulp_from; [exact P|]; unfold Zminus at 1; rewrite bpow_plus; fold B.
    rewrite Split; apply Rmult_le_compat_l; [lra|]; simpl bpow; lra. }
  unfold Zminus in U; rewrite bpow_plus in U; fold B in U.
  pose proof table_0 as T0'.
  apply Rle_trans with (1 := E).
  apply Rle_trans with (407 / 4096 * (B * bpow radix2 (- (53)))); [|lra].
  unfold scale; fold B; rewrite J0, Split.
  replace (242 * powerRZ 2 (-65) * (table 0 * B)
           + (131 * powerRZ 2 (-65) + 33 * powerRZ 2 (-65)) * (B * s))
    with (B * (242 * powerRZ 2 (-65) * table 0 + 164 * powerRZ 2 (-65) * s)) by ring.
  replace (407 / 4096 * (B * bpow radix2 (- (53))))
    with (B * (407 / 4096 * bpow radix2 (- (53)))) by ring.
  apply Rmult_le_compat_l; [lra|]; simpl bpow; simpl powerRZ; lra.
Qed.

Theorem kernel_exp_error x : format x -> -744 <= x <= 746 ->
  exists n : Z, kk x = IZR n /\
  Rabs (kernel_exp x n - exp x) <= PROMISED_ULP * ulp radix2 (FLT_exp (-1074) 53) (exp x).
Proof.
intros Fx Hx; assert (Rabs x <= 746) as Ax by (apply Rabs_le; lra).
destruct (kk_integer x Fx Ax) as (n & K); exists n; split; [exact K|].
pose proof (ulps_before_rounding x n Fx Ax K) as E; pose proof (exp_pos x) as P.
set (u := ulp radix2 (FLT_exp (-1074) 53) (exp x)) in *.
assert (bpow radix2 (-1074) <= exp x) as Least.
{ apply Rle_trans with (exp (-744)); [rewrite bpow_exp; simpl (IZR radix2)|].
  - destruct (Rle_lt_or_eq_dec (IZR (-1074) * ln 2) (-744)) as [L|L];
      [interval with (i_prec 80) | left; now apply exp_increasing | rewrite L; lra].
  - destruct (proj1 Hx) as [L|L]; [left; now apply exp_increasing | rewrite L; lra]. }
assert (u <= 2 * exp x) as Us.
{ unfold u; rewrite ulp_neq_0 by lra; unfold cexp, FLT_exp.
  pose proof (bpow_mag_le radix2 (exp x) ltac:(lra)) as M; rewrite Rabs_pos_eq in M by lra.
  destruct (Z.max_spec (mag radix2 (exp x) - 53) (-1074)) as [[_ ->]|[_ ->]]; [lra|].
  apply Rle_trans with (bpow radix2 (mag radix2 (exp x) - 1)); [apply bpow_le; lia | lra]. }
apply Rle_trans with ((1 / 2 + 407 / 4096) * u).
- apply round_near; try assumption; try lra.
  apply Rabs_le_inv in E; lra.
- apply Rmult_le_compat_r; [apply ulp_ge_0 | unfold PROMISED_ULP; lra].
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma kernel_exp_error_satisfiable : satisfiable kernel_exp_error.
Proof. exists 0; given (first [apply generic_format_0 | lra]). Qed.

Lemma ulps_before_rounding_satisfiable : satisfiable ulps_before_rounding.
Proof.
destruct (kernel_exp_error 0) as (n & E & _); [apply generic_format_0 | lra|].
exists 0, n; given (first [apply generic_format_0 | rewrite Rabs_R0; lra | exact E]).
Qed.
