(* The digits of g* and of log(2 + sqrt 3), by interval arithmetic on integers of any size. *)

From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
From attest Require Import guard boltzmann gstar sharp_gap.
Local Open Scope R_scope.

(* The sign of g - 1 - mu(g) determines the side of g*. *)
Lemma gstar_above g : 0 < g -> (g - 1) * (exp g - 1) - g < 0 -> g < gstar.
Proof.
intros P N; destruct (Rlt_dec g gstar) as [L|L]; [exact L|exfalso].
destruct (proj2 (wide_iff g P)) as [_ W]; [lra|].
assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
rewrite mu_exp in W by exact P.
apply Rmult_le_compat_r with (r := exp g - 1) in W; [|lra].
replace ((1 + g / (exp g - 1)) * (exp g - 1)) with (exp g - 1 + g) in W by (field; lra).
lra.
Qed.

Lemma gstar_below g : 0 < g -> 0 < (g - 1) * (exp g - 1) - g -> gstar < g.
Proof.
intros P N; assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
assert (1 + mu g < g) as W.
{ rewrite mu_exp by exact P; apply Rmult_lt_reg_r with (exp g - 1); [lra|].
  replace ((1 + g / (exp g - 1)) * (exp g - 1)) with (exp g - 1 + g) by (field; lra).
  lra. }
assert (gstar <= g) as L by (apply wide_iff; [exact P | split; lra]).
destruct L as [L|E]; [exact L|]; pose proof gstar_equation; rewrite E in *; lra.
Qed.

Theorem gstar_digits : 1.445574911151548 < gstar < 1.445574911151549.
Proof.
split; [apply gstar_above | apply gstar_below]; try lra; interval with (i_prec 80).
Qed.

Theorem sharp_digits : 1.316957896924816 < sharp < 1.316957896924817.
Proof. unfold sharp; split; interval with (i_prec 80). Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma gstar_digits_satisfiable : satisfiable gstar_digits.
Proof. exact I. Qed.
Lemma sharp_digits_satisfiable : satisfiable sharp_digits.
Proof. exact I. Qed.
