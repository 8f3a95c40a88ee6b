(* The exponential of the double kernels, the part without rounding: the
   polynomial, the table and the step, against exp, by interval arithmetic.
   exp_constants.v is generated from the C header. *)

From Coq Require Import Reals ZArith Lia Lra.
From Interval Require Import Tactic.
From attest Require Import exp_constants guard.
Local Open Scope R_scope.

(* log(2)/16 and a little: 0.04333496.  Constants are dyadic: Gappa needs that. *)
Definition RANGE : R := 355 * powerRZ 2 (-13).

(* exp(r) - 1 is approximated by r + r^2 (C2 + C3 r + ... + C7 r^5). *)
Definition poly (r : R) : R :=
  (((((C7 * r + C6) * r + C5) * r + C4) * r + C3) * r + C2) * r * r + r.

Theorem poly_error r : Rabs r <= RANGE ->
  Rabs (poly r - (exp r - 1)) <= 105 * powerRZ 2 (-65).
Proof.
unfold RANGE, poly, C2, C3, C4, C5, C6, C7; intros H.
interval with (i_taylor r, i_bisect r, i_degree 12, i_prec 120, i_depth 12).
Qed.

(* log(2)/8 = STEP_HI + STEP_LO, nearly. *)
Theorem step_error : Rabs (STEP_HI + STEP_LO - ln 2 / 8) <= powerRZ 2 (-104).
Proof. unfold STEP_HI, STEP_LO; interval with (i_prec 160). Qed.

(* The table, relative to exp(SHIFT) 2^(j/8). *)
Definition table (j : Z) : R :=
  match j with
  | 0 => T0 | 1 => T1 | 2 => T2 | 3 => T3 | 4 => T4 | 5 => T5 | 6 => T6 | _ => T7
  end%Z.

Definition table_exact (j : Z) : R := exp (SHIFT + IZR j * (ln 2 / 8)).

Theorem table_error j : (0 <= j <= 7)%Z ->
  Rabs (table j / table_exact j - 1) <= 42 * powerRZ 2 (-65).
Proof.
intros H; assert (j = 0 \/ j = 1 \/ j = 2 \/ j = 3 \/ j = 4 \/ j = 5 \/ j = 6 \/ j = 7)%Z
  as D by lia.
unfold table_exact, SHIFT.
destruct D as [D|[D|[D|[D|[D|[D|[D|D]]]]]]]; subst j; unfold table;
  unfold T0, T1, T2, T3, T4, T5, T6, T7; interval with (i_prec 160).
Qed.

(* Entry 0 is the one whose results can lie below a power of 2. *)
Lemma table_error_0 : Rabs (table 0 / table_exact 0 - 1) <= 33 * powerRZ 2 (-65).
Proof. unfold table, table_exact, SHIFT, T0; interval with (i_prec 160). Qed.

Lemma table_range j : (0 <= j <= 7)%Z -> 0 < table j <= 18341 / 10000.
Proof.
intros H; assert (j = 0 \/ j = 1 \/ j = 2 \/ j = 3 \/ j = 4 \/ j = 5 \/ j = 6 \/ j = 7)%Z
  as D by lia.
destruct D as [D|[D|[D|[D|[D|[D|[D|D]]]]]]]; subst j; unfold table;
  unfold T0, T1, T2, T3, T4, T5, T6, T7; simpl powerRZ; lra.
Qed.

Lemma table_0 : table 0 <= 1.
Proof. unfold table, T0; simpl powerRZ; lra. Qed.

(* exp(SHIFT) 2^(j/8) exp(rho) without its power of 2. *)
Lemma significand_range j rho : (0 <= j <= 7)%Z -> Rabs rho <= 44 / 1000 ->
  1 / 2 <= table_exact j * exp rho <= 192 / 100 /\
  ((1 <= j)%Z -> 1 <= table_exact j * exp rho).
Proof.
intros H Hr; assert (j = 0 \/ j = 1 \/ j = 2 \/ j = 3 \/ j = 4 \/ j = 5 \/ j = 6 \/ j = 7)%Z
  as D by lia.
unfold table_exact, SHIFT.
destruct D as [D|[D|[D|[D|[D|[D|[D|D]]]]]]]; subst j;
  (split; [split; interval with (i_prec 80) | intros J; try lia; interval with (i_prec 80)]).
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma poly_error_satisfiable : satisfiable poly_error.
Proof. exists (1 / 32); given (unfold RANGE; interval with (i_prec 60)). Qed.
Lemma poly_error_falsifiable : falsifiable poly_error.
Proof.
exists 10; unfold poly, C2, C3, C4, C5, C6, C7; apply Rlt_not_le; interval with (i_prec 60).
Qed.

Lemma step_error_satisfiable : satisfiable step_error.
Proof. exact I. Qed.

Lemma table_error_satisfiable : satisfiable table_error.
Proof. exists 3%Z; given lia. Qed.
Lemma table_error_falsifiable : falsifiable table_error.
Proof. exists 9%Z; unfold table, table_exact, T7, SHIFT; apply Rlt_not_le; interval with (i_prec 60). Qed.
