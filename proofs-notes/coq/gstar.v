(* The gap g* of Lemma F: the one positive solution of g = 1 + mu(g),
   mu(g) = g e^-g / (1 - e^-g).  Existence, uniqueness, and what g >= g* gives,
   from e^x >= 1 + x alone; gstar_digits.v computes its digits. *)

From Coq Require Import Reals Lra.
From attest Require Import sums boltzmann guard.
Local Open Scope R_scope.

Definition ratio (g : R) : R := exp (- g).
Definition mu (g : R) : R := g * ratio g / (1 - ratio g).

(* The hypothesis that the proof of Lemma F uses. *)
Definition wide (g : R) : Prop := 0 < g /\ 1 + mu g <= g.

Lemma ratio_pos g : 0 < ratio g.
Proof. apply exp_pos. Qed.

Lemma ratio_lt_1 g : 0 < g -> ratio g < 1.
Proof. intros P; unfold ratio; rewrite <- exp_0; apply exp_increasing; lra. Qed.

Lemma ratio_decreasing g g' : g <= g' -> ratio g' <= ratio g.
Proof.
intros [L| ->]; [|lra]; left; apply exp_increasing; lra.
Qed.

Lemma mu_exp g : 0 < g -> mu g = g / (exp g - 1).
Proof.
intros P; pose proof (ratio_lt_1 g P) as L; unfold mu, ratio in *.
assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
rewrite exp_Ropp in *; field; lra.
Qed.

Lemma mu_pos g : 0 < g -> 0 < mu g.
Proof.
intros P; rewrite mu_exp by exact P.
assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
apply Rdiv_lt_0_compat; lra.
Qed.

(* (e^x - 1)/x increases: e^d >= 1 + d and e^-g >= 1 - g. *)
Lemma mu_decreasing g g' : 0 < g -> g <= g' -> mu g' <= mu g.
Proof.
intros P L; rewrite !mu_exp by lra.
assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
assert (1 < exp g') by (rewrite <- exp_0; apply exp_increasing; lra).
set (d := g' - g).
assert (exp g * (1 + d) <= exp g') as E1.
{ replace (exp g') with (exp g * exp d) by
    (unfold d; rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [lra | apply exp_lower]. }
assert (exp g - 1 <= g * exp g) as E2.
{ pose proof (exp_lower (- g)) as E; rewrite exp_Ropp in E.
  apply Rmult_le_compat_l with (r := exp g) in E; [|lra].
  rewrite Rinv_r in E; lra. }
apply Rmult_le_reg_r with ((exp g - 1) * (exp g' - 1)); [apply Rmult_lt_0_compat; lra|].
replace (g' / (exp g' - 1) * ((exp g - 1) * (exp g' - 1))) with (g' * (exp g - 1))
  by (field; lra).
replace (g / (exp g - 1) * ((exp g - 1) * (exp g' - 1))) with (g * (exp g' - 1))
  by (field; lra).
assert (0 <= d) by (unfold d; lra).
assert (d * (exp g - 1) <= d * (g * exp g)) by (apply Rmult_le_compat_l; lra).
assert (g * (exp g * (1 + d)) <= g * exp g') by (apply Rmult_le_compat_l; lra).
replace g' with (g + d) at 1 by (unfold d; ring); lra.
Qed.

Lemma exp_multiple y n : exp y ^ n = exp (INR n * y).
Proof.
induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|].
rewrite S_INR; simpl; rewrite IH, <- exp_plus; f_equal; ring.
Qed.

(* e^x >= (1 + x/n)^n with n = 2, 16, 32, where numbers are needed. *)
Lemma exp_power x n : (0 < n)%nat -> 0 <= x -> (1 + x / INR n) ^ n <= exp x.
Proof.
intros N P; assert (0 < INR n) by now apply lt_0_INR.
replace (exp x) with (exp (x / INR n) ^ n).
- apply pow_incr; split; [|apply exp_lower].
  assert (0 <= x / INR n) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
  lra.
- rewrite exp_multiple; f_equal; field; lra.
Qed.

Lemma gstar_exists : { g | 1 <= g <= 2 /\ g = 1 + mu g }.
Proof.
destruct (IVT (fun x => (x - 1) * (exp x - 1) - x) 1 2) as [g [B E]].
- reg.
- lra.
- lra.
- pose proof (exp_power 2 2 ltac:(auto) ltac:(lra)) as X; simpl in X; lra.
- exists g; split; [exact B|].
  assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
  rewrite mu_exp by lra; apply Rmult_eq_reg_r with (exp g - 1); [|lra].
  field_simplify; lra.
Qed.

Definition gstar : R := proj1_sig gstar_exists.

Lemma gstar_range : 1 <= gstar <= 2.
Proof. unfold gstar; destruct gstar_exists as [g [B E]]; exact B. Qed.

Theorem gstar_equation : gstar = 1 + mu gstar.
Proof. unfold gstar; destruct gstar_exists as [g [B E]]; exact E. Qed.

Theorem gstar_unique g : 0 < g -> g = 1 + mu g -> g = gstar.
Proof.
intros P E; pose proof gstar_range as D; pose proof gstar_equation as E'.
destruct (Rle_dec g gstar) as [L|L].
- pose proof (mu_decreasing g gstar P L); lra.
- pose proof (mu_decreasing gstar g); lra.
Qed.

Theorem wide_iff g : 0 < g -> (wide g <-> gstar <= g).
Proof.
intros P; pose proof gstar_range as D; pose proof gstar_equation as E'.
unfold wide; split; [intros [_ W] | intros L; split; [exact P|]].
- destruct (Rle_dec gstar g) as [L|L]; [exact L|].
  pose proof (mu_decreasing g gstar P); lra.
- pose proof (mu_decreasing gstar g); lra.
Qed.

Lemma wide_of_gstar g : gstar <= g -> wide g.
Proof. intros L; pose proof gstar_range; apply wide_iff; lra. Qed.

(* g >= 1 + mu forces e^-g < 1/4: at log 4 < 3/2 it fails. *)
Lemma wide_quarter g : wide g -> ratio g < 1 / 4.
Proof.
intros [P W]; destruct (Rlt_dec (ratio g) (1 / 4)) as [L|L]; [exact L|exfalso].
assert (4 < exp (3 / 2)) as E4.
{ eapply Rlt_le_trans; [|apply (exp_power (3 / 2) 16); [repeat constructor | lra]].
  simpl; lra. }
assert (g < 3 / 2) as Lg.
{ destruct (Rlt_dec g (3 / 2)) as [l|l]; [exact l|exfalso].
  assert (ratio g <= ratio (3 / 2)) as R by (apply ratio_decreasing; lra).
  apply L, Rle_lt_trans with (1 := R); unfold ratio; rewrite exp_Ropp.
  unfold Rdiv; rewrite Rmult_1_l; apply Rinv_lt_contravar; lra. }
pose proof (ratio_lt_1 g P) as Q; pose proof (mu_pos g P).
assert (mu g * (1 - ratio g) = g * ratio g) as M by (unfold mu; field; lra).
assert (0 <= (ratio g - 1 / 4) * (g + mu g)) by (apply Rmult_le_pos; lra); lra.
Qed.

(* The bracket of Lemma F at t - mu = 1 is positive. *)
Lemma wide_bracket g : wide g -> 0 < 1 - 2 * ratio g - mu g.
Proof.
intros W; pose proof (wide_quarter g W) as Q; destruct W as [P W].
assert (1 <= gstar) by apply gstar_range.
assert (gstar <= g) as Gs by (apply wide_iff; [exact P | now split]).
pose proof (mu_decreasing gstar g ltac:(lra) Gs) as M.
pose proof (ratio_decreasing gstar g Gs) as R.
(* at g* itself mu (1 - 2q) = q, and (1 - 2q)^2 > q for q < 1/4 *)
pose proof (wide_quarter gstar (wide_of_gstar gstar ltac:(lra))) as Q'.
assert (mu gstar * (1 - 2 * ratio gstar) = ratio gstar) as E.
{ assert (mu gstar * (1 - ratio gstar) = gstar * ratio gstar) as E1.
  { pose proof (ratio_lt_1 gstar ltac:(lra)); unfold mu; field; lra. }
  assert (gstar * ratio gstar = ratio gstar + mu gstar * ratio gstar)
    by (rewrite gstar_equation at 1; ring).
  lra. }
assert (mu gstar < 1 - 2 * ratio gstar).
{ apply Rmult_lt_reg_r with (1 - 2 * ratio gstar); [lra|]; rewrite E.
  assert (0 < (1 - 4 * ratio gstar) * (1 - ratio gstar))
    by (apply Rmult_lt_0_compat; lra); lra. }
lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma gstar_equation_satisfiable : satisfiable gstar_equation.
Proof. exact I. Qed.

Lemma gstar_unique_satisfiable : satisfiable gstar_unique.
Proof.
exists gstar; pose proof gstar_range; given (lra || exact gstar_equation).
Qed.
Lemma gstar_unique_falsifiable : falsifiable gstar_unique.
Proof. exists 0; pose proof gstar_range; lra. Qed.

Lemma wide_iff_satisfiable : satisfiable wide_iff.
Proof. exists 1; given lra. Qed.

Lemma wide_2 : wide 2.
Proof. apply wide_of_gstar, gstar_range. Qed.
