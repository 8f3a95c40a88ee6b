(* judge.v -- core steps of proofs-notes/judge.md: a tree of rounded additions, and a quotient whose
   numerator and denominator are known only together. *)
From Coq Require Import Reals Lra Psatz Lia.
From attest Require Import guard.
Local Open Scope R_scope.

Section Tree.

(* u: the relative error of an addition; M: no sum below a node is larger. *)
Variables u M : R.
Hypothesis u_ge_0 : 0 <= u.
Hypothesis M_ge_0 : 0 <= M.

Inductive tree : Type :=
| leaf : R -> tree
| node : tree -> tree -> tree.

Fixpoint leaves (t : tree) : nat :=
  match t with leaf _ => 1 | node l r => leaves l + leaves r end.

Fixpoint exact (t : tree) : R :=
  match t with leaf x => x | node l r => exact l + exact r end.

Fixpoint bounded (t : tree) : Prop :=
  Rabs (exact t) <= M /\
  match t with leaf _ => True | node l r => bounded l /\ bounded r end.

(* y is what some choice of roundings computes. *)
Inductive computed : tree -> R -> Prop :=
| computed_leaf : forall x, computed (leaf x) x
| computed_node : forall l r a b d,
    computed l a -> computed r b -> Rabs d <= u -> computed (node l r) ((a + b) * (1 + d)).

Definition error (t : tree) : R := M * ((1 + u) ^ (leaves t - 1) - 1).

Lemma leaves_ge_1 : forall t, (1 <= leaves t)%nat.
Proof. induction t; simpl; lia. Qed.

Lemma power_ge_1 : forall k, 1 <= (1 + u) ^ k.
Proof. intros k; apply pow_R1_Rle; lra. Qed.

(* What one more addition costs is no more than the bound allows. *)
Lemma error_node : forall l r,
  (1 + u) * (error l + error r) + u * M <= error (node l r).
Proof.
  intros l r; unfold error; simpl.
  pose proof (leaves_ge_1 l) as Hl; pose proof (leaves_ge_1 r) as Hr.
  replace (leaves l + leaves r - 1)%nat with (S ((leaves l - 1) + (leaves r - 1)))%nat by lia.
  rewrite <- tech_pow_Rmult, pow_add.
  pose proof (power_ge_1 (leaves l - 1)) as Ha.
  pose proof (power_ge_1 (leaves r - 1)) as Hb.
  set (a := (1 + u) ^ (leaves l - 1)) in *.
  set (b := (1 + u) ^ (leaves r - 1)) in *.
  assert (0 <= M * ((1 + u) * ((a - 1) * (b - 1)))).
  { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [lra|].
    apply Rmult_le_pos; lra. }
  lra.
Qed.

Theorem tree_error : forall t y,
  bounded t -> computed t y -> Rabs (y - exact t) <= error t.
Proof.
  intros t y Ht Hy; revert Ht.
  induction Hy as [x | l r a b d Ha IHa Hb IHb Hd]; intros Ht.
  - unfold error; simpl; rewrite Rminus_diag_eq by reflexivity; rewrite Rabs_R0; lra.
  - destruct Ht as [Hs [Hl Hr]].
    specialize (IHa Hl); specialize (IHb Hr).
    apply Rle_trans with (2 := error_node l r).
    simpl in *.
    replace ((a + b) * (1 + d) - (exact l + exact r))
      with ((a - exact l) + (b - exact r) + d * (a + b)) by ring.
    assert (Hab : Rabs (a + b) <= M + error l + error r).
    { replace (a + b) with ((exact l + exact r) + ((a - exact l) + (b - exact r))) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      pose proof (Rabs_triang (a - exact l) (b - exact r)); lra. }
    eapply Rle_trans; [apply Rabs_triang|].
    pose proof (Rabs_triang (a - exact l) (b - exact r)) as Hsum.
    rewrite Rabs_mult.
    assert (Rabs d * Rabs (a + b) <= u * (M + error l + error r)).
    { apply Rmult_le_compat; try apply Rabs_pos; assumption. }
    lra.
Qed.

End Tree.

Section Quotient.

(* The quotient of N and S, of which N - r S <= phi and low <= S <= high is known. *)
Variables N S r phi low high : R.
Hypothesis low_gt_0 : 0 < low.
Hypothesis S_low : low <= S.
Hypothesis S_high : S <= high.
Hypothesis N_phi : N - r * S <= phi.

Lemma quotient_step : N / S <= r + phi / S.
Proof.
  assert (0 < S) by lra.
  apply Rmult_le_reg_r with S; [assumption|].
  replace (N / S * S) with N by (field; lra).
  replace ((r + phi / S) * S) with (r * S + phi) by (field; lra).
  lra.
Qed.

Theorem quotient_above : 0 <= phi -> N / S <= r + phi / low.
Proof.
  intros H; eapply Rle_trans; [apply quotient_step|].
  apply Rplus_le_compat_l; unfold Rdiv.
  apply Rmult_le_compat_l; [assumption|].
  apply Rinv_le_contravar; lra.
Qed.

Theorem quotient_below : phi <= 0 -> N / S <= r + phi / high.
Proof.
  intros H; eapply Rle_trans; [apply quotient_step|].
  apply Rplus_le_compat_l; unfold Rdiv.
  assert (/ high <= / S) by (apply Rinv_le_contravar; lra).
  apply Ropp_le_cancel.
  rewrite !Ropp_mult_distr_l.
  apply Rmult_le_compat_l; [lra | assumption].
Qed.

End Quotient.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma tree_error_satisfiable : satisfiable tree_error.
Proof.
exists 1, 1; do 2 (unshelve eexists; [lra|]); exists (node (leaf 0) (leaf 1)), ((0 + 1) * (1 + 1)).
given (first [simpl; unfold Rabs; repeat destruct Rcase_abs; lra |
  constructor; try constructor; rewrite Rabs_R1; lra]).
Qed.
Lemma tree_error_falsifiable : falsifiable tree_error.
Proof.
exists 0, 0, (leaf 0), 1; unfold error; simpl; rewrite Rminus_0_r, Rabs_R1; lra.
Qed.

Lemma quotient_above_satisfiable : satisfiable quotient_above.
Proof. exists 1, 1, 0, 1, 1; given lra. Qed.
Lemma quotient_above_falsifiable : falsifiable quotient_above.
Proof. exists 1, 1, 0, 0, 1; lra. Qed.

Lemma quotient_below_satisfiable : satisfiable quotient_below.
Proof. exists 1, 1, 2, (-1), 1, 1; given lra. Qed.
Lemma quotient_below_falsifiable : falsifiable quotient_below.
Proof. exists 1, 1, 0, 0, 1, 1; lra. Qed.
