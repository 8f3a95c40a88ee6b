(* The gap g* of Lemma F: the one positive solution of g = 1 + mu(g),
   mu(g) = g e^-g / (1 - e^-g).  Existence, uniqueness, its digits, and what
   g >= g* gives. *)

From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
From attest Require Import sums boltzmann.
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

(* Existence and digits. *)
Lemma gstar_exists :
  { g | 1.445574911151548 <= g <= 1.445574911151549 /\ g = 1 + mu g }.
Proof.
destruct (IVT (fun x => (x - 1) * (exp x - 1) - x) 1.445574911151548 1.445574911151549)
  as [g [B E]].
- reg.
- lra.
- interval with (i_prec 80).
- interval with (i_prec 80).
- exists g; split; [exact B|].
  assert (1 < exp g) by (rewrite <- exp_0; apply exp_increasing; lra).
  rewrite mu_exp by lra; apply Rmult_eq_reg_r with (exp g - 1); [|lra].
  field_simplify; lra.
Qed.

Definition gstar : R := proj1_sig gstar_exists.

Theorem gstar_digits : 1.445574911151548 <= gstar <= 1.445574911151549.
Proof. unfold gstar; destruct gstar_exists as [g [B E]]; exact B. Qed.

Theorem gstar_equation : gstar = 1 + mu gstar.
Proof. unfold gstar; destruct gstar_exists as [g [B E]]; exact E. Qed.

Theorem gstar_unique g : 0 < g -> g = 1 + mu g -> g = gstar.
Proof.
intros P E; pose proof gstar_digits as D; pose proof gstar_equation as E'.
destruct (Rle_dec g gstar) as [L|L].
- pose proof (mu_decreasing g gstar P L); lra.
- pose proof (mu_decreasing gstar g); lra.
Qed.

Theorem wide_iff g : 0 < g -> (wide g <-> gstar <= g).
Proof.
intros P; pose proof gstar_digits as D; pose proof gstar_equation as E'.
unfold wide; split; [intros [_ W] | intros L; split; [exact P|]].
- destruct (Rle_dec gstar g) as [L|L]; [exact L|].
  pose proof (mu_decreasing g gstar P); lra.
- pose proof (mu_decreasing gstar g); lra.
Qed.

(* The rounded constant that code may compare with. *)
Theorem wide_14456 g : 1.4456 <= g -> wide g.
Proof. intros L; pose proof gstar_digits; apply wide_iff; lra. Qed.

(* The bracket of Lemma F is positive with room to spare. *)
Lemma wide_bracket g : wide g -> 1 / 13 <= 1 - 2 * ratio g - mu g.
Proof.
intros W; assert (0 < g) as P by apply W; apply (wide_iff g P) in W.
pose proof gstar_digits as D.
assert (1.4455 <= g) as L by lra.
pose proof (ratio_decreasing 1.4455 g L); pose proof (mu_decreasing 1.4455 g).
assert (1 / 13 <= 1 - 2 * ratio 1.4455 - mu 1.4455) by
  (clear; unfold mu, ratio; interval).
lra.
Qed.
