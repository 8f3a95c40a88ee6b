(* Theorem 2 for a given direction v and factor kappa: one softmax head of rank
   one is a contextual mapping.  Lengths may differ, a causal mask is allowed.

   The existence of a suitable v is not part of this file (direction.v proves it):
   [projects] is a hypothesis that attest verifies exactly for the v it stores. *)

From Coq Require Import Reals List Permutation Lra Lia.
From attest Require Import sums boltzmann lemma_f lemma1 vectors definition2 softmax rank1 guard.
Import ListNotations.
Local Open Scope R_scope.

Lemma same_set_dec (X Y : list vec) :
  (forall x, In x X <-> In x Y) \/ (exists x, (In x X /\ ~ In x Y) \/ (In x Y /\ ~ In x X)).
Proof.
assert (forall Y X : list vec,
  (forall x, In x X -> In x Y) \/ exists x, In x X /\ ~ In x Y) as D.
{ clear; intros Y; induction X as [|x X IH]; [left; easy|].
  destruct (in_dec (list_eq_dec Req_EM_T) x Y) as [i|n]; [|right; exists x; simpl; auto].
  destruct IH as [H|(z & H1 & H2)]; [left | right; exists z; simpl; auto].
  intros z [->|Hz]; auto. }
destruct (D Y X) as [H|(x & H)]; [|right; exists x; auto].
destruct (D X Y) as [H'|(x & H')]; [left | right; exists x]; intuition.
Qed.

(* A strict gap on finitely many tokens leaves room for a larger number. *)
Lemma strict_gap (f : vec -> R) (V : list vec) (g : R) :
  (forall y z, In y V -> In z V -> y <> z -> g < Rabs (f y - f z)) ->
  exists delta, delta > g /\
    forall y z, In y V -> In z V -> y <> z -> delta < Rabs (f y - f z).
Proof.
intros Gap; set (other := fun y z : vec => if list_eq_dec Req_EM_T y z then false else true).
set (gaps := flat_map (fun y => map (fun z => Rabs (f y - f z)) (filter (other y) V)) V).
assert (forall c, In c gaps -> g < c) as Above.
{ intros c Hc; apply in_flat_map in Hc; destruct Hc as (y & Hy & Hc).
  apply in_map_iff in Hc; destruct Hc as (z & <- & Hz); apply filter_In in Hz.
  unfold other in Hz; destruct (list_eq_dec Req_EM_T y z); [now destruct Hz|].
  now apply Gap. }
assert (forall y z, In y V -> In z V -> y <> z -> In (Rabs (f y - f z)) gaps) as Listed.
{ intros y z Hy Hz N; apply in_flat_map; exists y; split; [exact Hy|].
  apply in_map_iff; exists z; split; [reflexivity|]; apply filter_In; split; [exact Hz|].
  unfold other; destruct (list_eq_dec Req_EM_T y z); tauto. }
destruct gaps as [|c0 gaps'].
- exists (g + 1); split; [lra|]; intros y z Hy Hz N; destruct (Listed y z Hy Hz N).
- destruct (extract_min (c0 :: gaps')) as (c & l' & P & Min); [easy|].
  assert (g < c) by (apply Above; apply Permutation_sym in P;
    apply (Permutation_in _ P); now left).
  exists ((g + c) / 2); split; [lra|]; intros y z Hy Hz N.
  pose proof (Min _ (Listed y z Hy Hz N)); lra.
Qed.

Section Head.
Variables (u1 u2 u3 v : vec) (WO : list vec).
Let kappa := dot u2 u1.
Let w := apply WO u3.
Let F := attention (outer u1 v) (outer u2 v) (outer u3 v) WO.
Let s x := rank1_score u1 u2 v x.

(* The whole mapping on a family of sequences. *)
Section Mapping.
Variables (I : Type) (X : I -> list vec) (d n : nat) (rmax eps : R) (m : mask).
Let V x := exists i, In x (X i).
Let L := ln (INR n).

Hypotheses (rmax_pos : 0 < rmax) (eps_pos : 0 < eps).
Hypothesis dimension : forall x, V x -> length x = d.
Hypothesis small : forall x, V x -> norm x < rmax.
Hypothesis far : forall x y, V x -> V y -> x <> y -> eps < norm (sub x y).
Hypothesis no_repetition : forall i, NoDup (X i).
Hypothesis attained : exists i, length (X i) = n.
Hypothesis n_pos : (1 <= n)%nat.

Hypothesis WO_dimension : length WO = d.
Hypotheses (v_le_1 : norm v <= 1) (kappa_pos : 0 < kappa).
Hypotheses (w_pos : 0 < norm w) (w_small : norm w <= eps / (4 * rmax)).
Hypothesis projects : forall x y z, V x -> V y -> V z -> y <> z ->
  2 * L + 3 < Rabs (kappa * dot v x * (dot v y - dot v z)).

(* What the stored weights promise. *)
Definition promise : R := norm w * (L * L * exp (- (2 * (kappa * rmax * rmax)))) / (kappa * rmax).

Let visible_in i k x : In x (visible m k (X i)) -> V x.
Proof. exists i; apply (visible_incl _ m k); assumption. Qed.

Let token_in i k : (k < length (X i))%nat -> V (token I X i k).
Proof. intros Lk; exists i; now apply nth_In. Qed.

Lemma w_length x : V x -> length w = length x.
Proof. intros Vx; unfold w, apply; now rewrite map_length, dimension. Qed.

Lemma score_gap x y z : V x -> V y -> V z -> y <> z -> 2 * L + 3 < Rabs (s x y - s x z).
Proof.
intros Vx Vy Vz N; unfold s, rank1_score; fold kappa.
rewrite <- Rmult_minus_distr_l; now apply projects.
Qed.

Lemma score_small x y : V x -> V y -> Rabs (s x y) < kappa * rmax * rmax.
Proof.
intros Vx Vy; unfold s, rank1_score; fold kappa; rewrite !Rabs_mult, (Rabs_pos_eq kappa) by lra.
pose proof (dot_v_small v rmax v_le_1 x (small x Vx)).
pose proof (dot_v_small v rmax v_le_1 y (small y Vy)).
rewrite !Rmult_assoc; apply Rmult_lt_compat_l; [exact kappa_pos|].
apply Rmult_le_0_lt_compat; auto using Rabs_pos.
Qed.

Let log_pos : 0 <= L. Proof. now apply log_nonneg. Qed.

(* Two different tokens make the score range wider than the gap. *)
Lemma range_wide y z : V y -> V z -> y <> z -> 2 * L + 3 < 2 * (kappa * rmax * rmax).
Proof.
intros Vy Vz N; pose proof (score_gap y y z Vy Vy Vz N) as G.
pose proof (score_small y y Vy Vy) as Sy; pose proof (score_small y z Vy Vz) as Sz.
apply Rabs_def2 in Sy, Sz; unfold Rabs in G; destruct (Rcase_abs (s y y - s y z)); lra.
Qed.

Lemma promise_le_half y z : V y -> V z -> y <> z -> promise <= eps / 2.
Proof.
intros Vy Vz N; pose proof (range_wide y z Vy Vz N) as W; pose proof log_pos as Lp.
pose proof (promise_small L (kappa * rmax * rmax) 0 Lp ltac:(lra)) as P.
rewrite Ropp_0, exp_0 in P; unfold promise.
set (e := L * L * exp (- (2 * (kappa * rmax * rmax)))) in *.
assert (0 <= e) by (unfold e; apply Rmult_le_pos; [now apply Rmult_le_pos | left; apply exp_pos]).
assert (0 < kappa * rmax) as K by (apply Rmult_lt_0_compat; assumption).
apply Rmult_le_reg_r with (kappa * rmax); [exact K|].
unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
apply Rle_trans with (eps / (4 * rmax) * 1).
- apply Rmult_le_compat; auto using norm_nonneg; lra.
- apply Rmult_le_reg_r with rmax; [exact rmax_pos|].
  replace (eps / (4 * rmax) * 1 * rmax) with (eps * (1 / 4)) by (field; lra).
  replace (eps * / 2 * (kappa * rmax) * rmax) with (eps * (/ 2 * (kappa * rmax * rmax))) by ring.
  apply Rmult_le_compat_l; lra.
Qed.

(* Same token, different contexts. *)
Lemma same_token_promise i k j l x : (k < length (X i))%nat -> (l < length (X j))%nat ->
  In x (visible m k (X i)) -> In x (visible m l (X j)) ->
  ~ (forall y, In y (visible m k (X i)) <-> In y (visible m l (X j))) ->
  norm (sub (F (visible m k (X i)) x) (F (visible m l (X j)) x)) > promise.
Proof.
intros Lk Ll HA HB NV.
set (A := visible m k (X i)) in *; set (B := visible m l (X j)) in *.
assert (V x) as Vx by (eapply visible_in; exact HA).
destruct (same_set_dec A B) as [S|D]; [now destruct NV|].
(* a second token besides x, so v . x <> 0 *)
assert (exists y, V y /\ y <> x) as (y & Vy & Nyx).
{ destruct D as (y & D); exists y; split; [|intros ->; tauto].
  destruct D as [[H _]|[H _]]; eapply visible_in; exact H. }
assert (kappa * dot v x <> 0) as K.
{ intros K0; pose proof (projects x y x Vx Vy Vx Nyx) as P.
  rewrite K0, Rmult_0_l, Rabs_R0 in P; pose proof log_pos; lra. }
unfold F; rewrite same_token_distance; fold w kappa; auto using w_length; try (apply visible_some; assumption).
(* Lemma 1 at any sizes, for the scores of x *)
destruct attained as (i0 & Ln).
set (V' := A ++ B ++ X i0).
assert (forall z, In z V' -> V z) as IV.
{ intros z Hz; unfold V' in Hz; rewrite !in_app_iff in Hz.
  destruct Hz as [H|[H|H]]; [eapply visible_in; exact H | eapply visible_in; exact H |].
  now exists i0. }
assert (forall y z, In y V' -> In z V' -> y <> z -> 2 * L + 3 <= Rabs (s x y - s x z)) as gap
  by (intros; left; apply score_gap; auto).
assert (0 < 2 * L + 3) as G by (pose proof log_pos; lra).
assert (forall z, In z A -> In z V') as IA by (intros; unfold V'; rewrite !in_app_iff; tauto).
assert (forall z, In z B -> In z V') as IB by (intros; unfold V'; rewrite !in_app_iff; tauto).
assert (forall z, In z (X i0) -> In z V') as IC by (intros; unfold V'; rewrite !in_app_iff; tauto).
destruct (strict_gap (s x) V' (2 * L + 3)) as (delta & Dl & Dgap);
  [intros; apply score_gap; auto|].
assert (forall Y, (forall z, In z Y -> In z V') -> apart delta (map (s x) Y)) as Ap.
{ intros Y IY a b Ha Hb N; apply in_map_iff in Ha, Hb.
  destruct Ha as (y1 & <- & H1), Hb as (z1 & <- & H2).
  apply Dgap; auto; intros ->; now apply N. }
assert (forall Y, (forall z, In z Y -> In z V') -> inside (kappa * rmax * rmax) (map (s x) Y)) as In_.
{ intros Y IY a Ha; apply in_map_iff in Ha; destruct Ha as (z & <- & Hz).
  apply score_small; auto. }
assert (X i0 <> []) as N0 by (intros Z0; rewrite Z0 in Ln; simpl in Ln; lia).
assert (A <> []) as NA by now apply visible_some.
assert (B <> []) as NB by now apply visible_some.
assert (Rabs (boltz (map (s x) A) - boltz (map (s x) B))
        > L * L * exp (- (2 * (kappa * rmax * rmax)))) as Main.
{ replace L with (ln (INR (length (map (s x) (X i0))))) by (now rewrite map_length, Ln).
  apply lemma1_sizes with (delta := delta).
  - destruct (X i0); easy.
  - rewrite map_length, Ln; exact Dl.
  - apply score_nodup with (g := 2 * L + 3) (V := V'); auto; apply visible_nodup, no_repetition.
  - apply score_nodup with (g := 2 * L + 3) (V := V'); auto; apply visible_nodup, no_repetition.
  - apply score_nodup with (g := 2 * L + 3) (V := V'); auto.
  - destruct A; easy.
  - destruct B; easy.
  - rewrite <- map_app; apply In_; intros z; rewrite in_app_iff; intros [|]; auto.
  - now apply In_.
  - rewrite <- map_app; apply Ap; intros z; rewrite in_app_iff; intros [|]; auto.
  - now apply Ap.
  - apply score_differ with (g := 2 * L + 3) (V := V'); auto. }
unfold promise; set (e := L * L * exp (- (2 * (kappa * rmax * rmax)))) in *.
assert (0 <= e) as e0 by (unfold e; pose proof log_pos;
  apply Rmult_le_pos; [now apply Rmult_le_pos | left; apply exp_pos]).
assert (0 < kappa * rmax) as Kp by now apply Rmult_lt_0_compat.
assert (0 < Rabs (kappa * dot v x) < kappa * rmax) as [K1 K2].
{ split; [now apply Rabs_pos_lt|]; rewrite Rabs_mult, (Rabs_pos_eq kappa) by lra.
  apply Rmult_lt_compat_l; [exact kappa_pos|]; apply dot_v_small; auto. }
unfold Rdiv at 2; rewrite Rmult_assoc; apply Rmult_gt_compat_l; [exact w_pos|].
apply Rlt_gt, Rle_lt_trans with (e / Rabs (kappa * dot v x)).
- apply Rmult_le_compat_l; [exact e0|]; left; apply Rinv_lt_contravar; [|exact K2].
  now apply Rmult_lt_0_compat.
- apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | exact Main].
Qed.

Theorem theorem2_promise : contextual I X F m (rmax + eps / 4) promise.
Proof.
apply contextual_positions; split.
- intros i k Lk; pose proof (token_in i k Lk) as Vt; unfold output.
  apply output_bounded; auto using w_length, visible_some.
  intros y Hy; eapply small, visible_in; exact Hy.
- intros i k j l Lk Ll Req; unfold output.
  pose proof (token_in i k Lk) as Vx; pose proof (token_in j l Ll) as Vy.
  destruct (list_eq_dec Req_EM_T (token I X i k) (token I X j l)) as [E|N].
  2:{ pose proof (promise_le_half _ _ Vx Vy N).
      assert (eps / 2 < norm (sub (F (visible m k (X i)) (token I X i k))
                                  (F (visible m l (X j)) (token I X j l)))).
      { apply other_token_distance with rmax; auto using w_length, visible_some;
        intros z Hz; eapply small, visible_in; exact Hz. }
      lra. }
  destruct Req as [NV|]; [|tauto]; rewrite <- E.
  apply same_token_promise; auto; [now apply nth_visible | rewrite E; now apply nth_visible].
Qed.
End Mapping.
End Head.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Ltac tokens := let y := fresh "y" in let H := fresh "H" in
  intros y H; apply example_tokens in H; destruct H as [->|[->| ->]]; try reflexivity;
  rewrite ?norm_one; numbers.
Ltac token_pairs := let x := fresh "x" in let y := fresh "y" in
  let Hx := fresh "Hx" in let Hy := fresh "Hy" in let N := fresh "N" in
  intros x y Hx Hy N; apply example_tokens in Hx, Hy;
  destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]]; try (now destruct N);
  unfold sub, scale; simpl; rewrite norm_one; numbers.

Lemma example_nodup i : NoDup (example i).
Proof.
destruct i; repeat constructor; simpl; intros H; intuition; injection H0; lra.
Qed.

Lemma theorem2_promise_satisfiable : satisfiable theorem2_promise.
Proof.
pose proof ln_2_small as L.
exists [10], [1], [1], [1], [[/ 32]], bool, example, 1%nat, 2%nat, 4, (/ 2), NoMask.
given (first [lia | reflexivity | exact example_nodup | now exists true | tokens | token_pairs | numbers |
  intros x y z Hx Hy Hz N; apply example_tokens in Hx, Hy, Hz;
  destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]], Hz as [->|[->| ->]];
  try (now destruct N); simpl; replace (1 + 1) with 2 by ring; numbers]).
Qed.
Lemma theorem2_promise_falsifiable : falsifiable theorem2_promise.
Proof.
exists [1], [1], [1], [1], [[0]], bool, example, 1%nat, 2%nat, 4, 1, NoMask.
apply zero_head_refuted; [simpl; f_equal; ring|]; unfold promise; simpl.
rewrite !Rmult_0_l, Rplus_0_l, norm_one, Rabs_R0; unfold Rdiv; lra.
Qed.
