(* The exponential of the double kernels, the rounding errors of exactly the
   operations of exp_reduce in src/kernel/exp_scalar.h (and exp_vectors in
   exp_vectors.h: the same operations).  An fma rounds a b + c once.  Gappa proves
   the bounds, Coq checks what Gappa found. *)

From Coq Require Import Reals ZArith Lia Lra.
From Flocq Require Import Core.
From Gappa Require Import Gappa_tactic.
From attest Require Import exp_constants exp_approx guard.
Local Open Scope R_scope.

Notation format := (generic_format radix2 (FLT_exp (-1074) 53)).
Notation rnd := (round radix2 (FLT_exp (-1074) 53) ZnearestE).

Global Instance prec53 : Prec_gt_0 53.
Proof. unfold Prec_gt_0; lia. Qed.

(* The operations, line by line. *)
Definition shifted (x : R) : R := rnd (x * INVERSE_STEP + ROUND_TO_INTEGER).
Definition kk (x : R) : R := rnd (shifted x - ROUND_TO_INTEGER).
Definition tt (x : R) : R := rnd (kk x * STEP_LO + SHIFT).
Definition high (x : R) : R := rnd (- kk x * STEP_HI + x).
Definition rr (x : R) : R := rnd (high x - tt x).
Definition horner (r : R) : R :=
  rnd (rnd (rnd (rnd (rnd (C7 * r + C6) * r + C5) * r + C4) * r + C3) * r + C2).
Definition pp (r : R) : R := rnd (rnd (horner r * r) * r + r).

(* The polynomial: the last rounding dominates. *)
Theorem pp_error r : format r -> Rabs r <= RANGE ->
  Rabs (pp r - poly r) <= 137 * powerRZ 2 (-65).
Proof.
unfold RANGE, pp, horner, poly, C2, C3, C4, C5, C6, C7; intros Fr Hr.
gappa.
Qed.

Lemma shifted_error x : format x -> Rabs x <= 746 ->
  Rabs (shifted x - (x * INVERSE_STEP + ROUND_TO_INTEGER)) <= 1 * powerRZ 2 (-1).
Proof.
unfold shifted, INVERSE_STEP, ROUND_TO_INTEGER; intros Fx Hx; gappa.
Qed.

Lemma shifted_range x : format x -> Rabs x <= 746 ->
  6755399441040000 <= shifted x <= 6755399441070000.
Proof.
unfold shifted, INVERSE_STEP, ROUND_TO_INTEGER; intros Fx Hx; gappa.
Qed.

Lemma shifted_format x : format (shifted x).
Proof. apply generic_format_round; auto with typeclass_instances. Qed.

(* k is an integer, exactly shifted - 1.5 2^52, and nearly the nearest. *)
Lemma kk_exact x : format x -> Rabs x <= 746 -> kk x = shifted x - ROUND_TO_INTEGER.
Proof.
intros Fx Hx; pose proof (shifted_range x Fx Hx) as Hs; pose proof (shifted_format x) as Fs.
apply round_generic; auto with typeclass_instances.
revert Hs Fs; generalize (shifted x); unfold ROUND_TO_INTEGER; intros s Hs Fs; gappa.
Qed.

Lemma kk_nearest x : format x -> Rabs x <= 746 ->
  Rabs (kk x - x * INVERSE_STEP) <= 1 * powerRZ 2 (-1).
Proof.
intros Fx Hx; rewrite kk_exact by assumption; pose proof (shifted_error x Fx Hx) as E.
replace (shifted x - ROUND_TO_INTEGER - x * INVERSE_STEP)
  with (shifted x - (x * INVERSE_STEP + ROUND_TO_INTEGER)) by ring.
exact E.
Qed.

Lemma format_integer s : format s -> 4503599627370496 <= s < 9007199254740992 ->
  exists n : Z, s = IZR n.
Proof.
intros F H; assert (mag radix2 s = 53%Z :> Z) as M.
{ apply mag_unique; simpl bpow; rewrite Rabs_pos_eq; lra. }
rewrite F; unfold F2R, cexp; simpl Fnum; simpl Fexp; rewrite M.
exists (Ztrunc (scaled_mantissa radix2 (FLT_exp (-1074) 53) s)).
unfold FLT_exp; simpl Z.max; simpl bpow; apply Rmult_1_r.
Qed.

Lemma kk_integer x : format x -> Rabs x <= 746 -> exists n : Z, kk x = IZR n.
Proof.
intros Fx Hx; rewrite kk_exact by assumption.
destruct (format_integer (shifted x)) as (n & E);
  [apply shifted_format | pose proof (shifted_range x Fx Hx); lra|].
exists (n - 6755399441055744)%Z; rewrite minus_IZR, E; f_equal.
unfold ROUND_TO_INTEGER; simpl powerRZ; lra.
Qed.

Lemma kk_range x : format x -> Rabs x <= 746 -> Rabs (kk x) <= 8612.
Proof.
intros Fx Hx; pose proof (kk_nearest x Fx Hx) as N; revert N.
generalize (kk x); unfold INVERSE_STEP; intros k N.
replace k with ((k - x * (6497320848556798 * powerRZ 2 (-49)))
  + x * (6497320848556798 * powerRZ 2 (-49))) by ring.
revert N; generalize (k - x * (6497320848556798 * powerRZ 2 (-49))); clear Fx k.
intros e He; gappa.
Qed.

(* x - k STEP_HI = -(k - x INV) STEP_HI + x (1 - INV STEP_HI). *)
Lemma high_small x : format x -> Rabs x <= 746 ->
  Rabs (- kk x * STEP_HI + x) <= 181706 * powerRZ 2 (-22).
Proof.
intros Fx Hx; pose proof (kk_nearest x Fx Hx) as N.
replace (- kk x * STEP_HI + x) with
  (- (kk x - x * INVERSE_STEP) * STEP_HI + x * (1 - INVERSE_STEP * STEP_HI)) by ring.
revert N; generalize (kk x - x * INVERSE_STEP); clear Fx.
unfold STEP_HI, INVERSE_STEP; intros e N; gappa.
Qed.

(* The first fma of the reduction is exact: x and k STEP_HI are multiples of
   2^-57, unless |x| < 2^-5, and then k = 0. *)
Theorem high_exact x : format x -> Rabs x <= 746 -> high x = - kk x * STEP_HI + x.
Proof.
intros Fx Hx; apply round_generic; [auto with typeclass_instances|].
destruct (Rle_dec (1 * powerRZ 2 (-5)) (Rabs x)) as [L|L].
- pose proof (high_small x Fx Hx) as S; pose proof (shifted_range x Fx Hx) as Hs.
  pose proof (shifted_format x) as Fs; rewrite (kk_exact x Fx Hx) in *.
  revert S Hs Fs; generalize (shifted x); intros s S Hs Fs.
  assert (powerRZ 2 (-5) <= Rabs x <= 746) as Hx2 by lra.
  clear Hx L; revert S Hx2; unfold STEP_HI, ROUND_TO_INTEGER; intros S Hx2; gappa.
- destruct (kk_integer x Fx Hx) as (n & E); pose proof (kk_nearest x Fx Hx) as N.
  assert (n = 0%Z) as ->.
  { rewrite E in N; unfold INVERSE_STEP in N; simpl powerRZ in *.
    assert (-1 < IZR n < 1) as [A B].
    { apply Rnot_le_lt in L; apply Rabs_def2 in L; apply Rabs_le_inv in N; lra. }
    apply (lt_IZR (-1)) in A; apply (lt_IZR _ 1) in B; lia. }
  rewrite E, Ropp_0, Rmult_0_l, Rplus_0_l; exact Fx.
Qed.

(* The reduced argument. *)
Theorem rr_error x : format x -> Rabs x <= 746 ->
  Rabs (rr x - (x - kk x * (STEP_HI + STEP_LO) - SHIFT)) <= 129 * powerRZ 2 (-65).
Proof.
intros Fx Hx; pose proof (high_small x Fx Hx) as S; pose proof (kk_range x Fx Hx) as K.
replace (x - kk x * (STEP_HI + STEP_LO) - SHIFT)
  with (- kk x * STEP_HI + x - (kk x * STEP_LO + SHIFT)) by ring.
unfold rr, tt; rewrite high_exact by assumption.
revert S K; generalize (- kk x * STEP_HI + x); generalize (kk x); clear x Fx Hx.
unfold STEP_LO, SHIFT; intros k h S K; gappa.
Qed.

Theorem rr_range x : format x -> Rabs x <= 746 -> Rabs (rr x) <= RANGE.
Proof.
intros Fx Hx; pose proof (high_small x Fx Hx) as S; pose proof (kk_range x Fx Hx) as K.
unfold rr, tt; rewrite high_exact by assumption.
revert S K; generalize (- kk x * STEP_HI + x); generalize (kk x); clear x Fx Hx.
unfold STEP_LO, SHIFT, RANGE; intros k h S K; gappa.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma high_exact_satisfiable : satisfiable high_exact.
Proof. exists 0; given (first [apply generic_format_0 | rewrite Rabs_R0; unfold RANGE; simpl; lra]). Qed.
Lemma rr_error_satisfiable : satisfiable rr_error.
Proof. exists 0; given (first [apply generic_format_0 | rewrite Rabs_R0; unfold RANGE; simpl; lra]). Qed.
Lemma rr_range_satisfiable : satisfiable rr_range.
Proof. exists 0; given (first [apply generic_format_0 | rewrite Rabs_R0; unfold RANGE; simpl; lra]). Qed.
Lemma pp_error_satisfiable : satisfiable pp_error.
Proof. exists 0; given (first [apply generic_format_0 | rewrite Rabs_R0; unfold RANGE; simpl; lra]). Qed.
