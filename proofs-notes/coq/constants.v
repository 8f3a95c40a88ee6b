(* The constants that the C code computes with (c_constants.v, made from the sources by c-source)
   are those of the theorems. *)

From Coq Require Import Reals List Lra Lia.
From Interval Require Import Tactic.
From attest Require Import sums gstar gstar_digits sharp_gap lemma1 theorem2_paper c_constants guard.
Local Open Scope R_scope.

(* theorem2_strategies.c chooses kappa for one of these gaps, and its promise is for the same gap. *)
Theorem gap_constants : Forall (fun gap => sharp < INR gap / GAPS_UNIT) GAPS.
Proof.
pose proof sharp_digits; unfold GAPS, GAPS_UNIT.
repeat constructor; rewrite INR_IZR_INZ;
  match goal with |- context [Z.of_nat ?n] => let z := eval vm_compute in (Z.of_nat n) in change (Z.of_nat n) with z end;
  lra.
Qed.

(* first_difference_scan.c has a number just above log(2 + sqrt 3) and one just below. *)
Theorem sharp_constants : 1.268 < SHARP_BELOW < sharp /\ sharp < SHARP_ABOVE.
Proof. pose proof sharp_digits; unfold SHARP_BELOW, SHARP_ABOVE; lra. Qed.

(* recheck/lemma.c has an upper bound of nu for every gap from there on, lemma_order.c a lower bound
   of g - nu. *)
Theorem recheck_constants g : sharp <= g -> nu g <= RECHECK_NU /\ exp (- RECHECK_OTHER) <= g - nu g.
Proof.
intros Gs; pose proof sharp_digits; pose proof (nu_decreasing sharp g ltac:(lra) Gs).
pose proof (nu_half sharp ltac:(lra)); unfold RECHECK_NU, RECHECK_OTHER; split; [lra|].
apply Rle_trans with 0.61; [interval with (i_prec 60) | lra].
Qed.

(* lemma1.c: 2 log n + 3, and 3 where n = 1. *)
Theorem lemma1_constants n :
  2 ^ LEMMA1_SHIFT * ln (INR n) + LEMMA1_ADD = 2 * ln (INR n) + 3 /\
  LEMMA1_ONE = 2 * ln (INR 1) + 3.
Proof. unfold LEMMA1_SHIFT, LEMMA1_ADD, LEMMA1_ONE; simpl; rewrite ln_1; lra. Qed.

(* theorem2_strategies.c: kappa of theorem2_paper, |V| tokens. *)
Theorem kappa_constants (tokens d n : nat) (eps rmin : R) : 0 < eps -> 0 < rmin ->
  INR (tokens + KAPPA_TOKENS) ^ KAPPA_POWER * PI * INR d * (2 * ln (INR n) + KAPPA_ADD)
    / eps / rmin / 2 ^ KAPPA_EIGHTH
  = INR (tokens + 1) ^ 4 * PI * INR d * (2 * ln (INR n) + 3) / (8 * eps * rmin).
Proof.
intros E M; unfold KAPPA_TOKENS, KAPPA_POWER, KAPPA_ADD, KAPPA_EIGHTH.
replace (2 ^ 3) with 8 by ring; field; lra.
Qed.

(* theorem2.c: the closed formula, as it multiplies it out. *)
Theorem formula_constants (tokens d n : nat) (rmin rmax eps : R) :
  0 < rmin -> 0 < rmax -> 0 < eps -> (1 <= d)%nat -> (1 <= n)%nat ->
  let factor := (2 * ln (INR n) + FORMULA_ADD) * PI * INR d * INR (tokens + FORMULA_TOKENS) ^ FORMULA_POWER in
  (ln (INR n) * eps) * (ln (INR n) * eps) * rmin * 2 / (rmax * rmax) / factor
    * exp (- (factor * (rmax * rmax) / eps / rmin / 4))
  = paper_delta d n rmin rmax eps (INR (tokens + 1)).
Proof.
intros M X E D N; unfold FORMULA_ADD, FORMULA_TOKENS, FORMULA_POWER, paper_delta; cbv zeta.
assert (0 < INR (tokens + 1)) as T by (apply lt_0_INR; lia).
assert (0 < INR d) as Dp by (apply lt_0_INR; lia).
assert (0 <= ln (INR n)) as L by now apply log_nonneg.
pose proof PI_RGT_0; f_equal; [|f_equal; f_equal]; field; repeat split; lra.
Qed.

(* judge/arithmetic.h: ATTEST_JUDGE_UP covers 2^12 roundings. *)
Theorem judge_up : (1 + powerRZ 2 (-53)) ^ (2 ^ 12) <= JUDGE_UP.
Proof.
apply Rle_trans with (exp (powerRZ 2 (-53)) ^ (2 ^ 12)).
- apply pow_incr; split; [interval with (i_prec 80) | apply boltzmann.exp_lower].
- rewrite exp_multiple, pow_INR; unfold JUDGE_UP; replace (INR 2) with 2 by (simpl; ring).
  interval with (i_prec 80).
Qed.

(* judge/row_weights.c: narrow rows satisfy the hypothesis of narrow_weight. *)
Theorem judge_narrow : 0 <= JUDGE_NARROW <= / 32.
Proof. unfold JUDGE_NARROW; split; interval with (i_prec 60). Qed.

(* Guards. *)
Lemma judge_narrow_satisfiable : satisfiable judge_narrow.
Proof. exact I. Qed.
Lemma gap_constants_satisfiable : satisfiable gap_constants.
Proof. exact I. Qed.
Lemma sharp_constants_satisfiable : satisfiable sharp_constants.
Proof. exact I. Qed.
Lemma recheck_constants_satisfiable : satisfiable recheck_constants.
Proof. exists 2; pose proof sharp_lt_2; given lra. Qed.
Lemma recheck_constants_falsifiable : falsifiable recheck_constants.
Proof.
exists 0; unfold nu, mu; rewrite !Rmult_0_l; unfold Rdiv; rewrite !Rmult_0_l.
intros [_ H]; pose proof (exp_pos (- RECHECK_OTHER)); lra.
Qed.
Lemma lemma1_constants_satisfiable : satisfiable lemma1_constants.
Proof. now exists 2%nat. Qed.
Lemma kappa_constants_satisfiable : satisfiable kappa_constants.
Proof. exists 3%nat, 2%nat, 2%nat, 1, 1; given lra. Qed.
Lemma formula_constants_satisfiable : satisfiable formula_constants.
Proof. exists 3%nat, 2%nat, 2%nat, 1, 1, 1; given (lra || lia). Qed.
Lemma judge_up_satisfiable : satisfiable judge_up.
Proof. exact I. Qed.
