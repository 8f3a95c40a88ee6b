(* What a softmax head of rank one does to two positions: the same token in two
   contexts is kept apart by the Boltzmann operator, different tokens by the skip.
   [theorem2_first_difference] is the conclusion that certification uses. *)

From Coq Require Import Reals List Lra.
From attest Require Import sums boltzmann gstar packing lemma_f sharp_gap vectors softmax guard.
Import ListNotations.
Local Open Scope R_scope.

Section Head.
Variables (u1 u2 u3 v : vec) (WO : list vec).
Let kappa := dot u2 u1.
Let w := apply WO u3.
Let F := attention (outer u1 v) (outer u2 v) (outer u3 v) WO.
Let s x := rank1_score u1 u2 v x.

(* Same token, two contexts: the distance is that of the Boltzmann values. *)
Theorem same_token_distance X Y x : length w = length x -> X <> [] -> Y <> [] ->
  kappa * dot v x <> 0 ->
  norm (sub (F X x) (F Y x))
  = norm w * (Rabs (boltz (map (s x) X) - boltz (map (s x) Y)) / Rabs (kappa * dot v x)).
Proof.
intros E NX NY K; unfold F; rewrite !rank1_attention by exact E; fold w.
rewrite sub_shift, add_sub_same, norm_scale by auto.
unfold s; rewrite <- !rank1_boltz by assumption; fold kappa.
rewrite <- Rmult_minus_distr_l, Rabs_mult; field; now apply Rabs_no_R0.
Qed.

(* Scores keep different tokens apart and are injective on them. *)
Section Gap.
Variables (g : R) (G : 0 < g) (x : vec) (V : list vec).
Hypothesis gap : forall y z, In y V -> In z V -> y <> z -> g <= Rabs (s x y - s x z).

Lemma score_inj y z : In y V -> In z V -> s x y = s x z -> y = z.
Proof.
intros Hy Hz E; destruct (list_eq_dec Req_EM_T y z) as [e|n]; [exact e|exfalso].
specialize (gap y z Hy Hz n); rewrite E, Rminus_diag_eq, Rabs_R0 in gap by reflexivity; lra.
Qed.

Lemma score_spread X : (forall y, In y X -> In y V) -> spread g (map (s x) X).
Proof.
intros I a b Ha Hb N; apply in_map_iff in Ha, Hb.
destruct Ha as (y & <- & Hy), Hb as (z & <- & Hz).
apply gap; auto; intros ->; now apply N.
Qed.

Lemma score_nodup X : (forall y, In y X -> In y V) -> NoDup X -> NoDup (map (s x) X).
Proof.
intros I; induction 1 as [|y X Hy U IH]; simpl; [constructor|].
constructor; [|apply IH; intros; apply I; now right].
rewrite in_map_iff; intros (z & E & Hz); apply Hy.
replace y with z; [exact Hz|]; apply score_inj; auto; apply I; simpl; auto.
Qed.

Lemma score_in X y : (forall y, In y X -> In y V) -> In y V ->
  (In (s x y) (map (s x) X) <-> In y X).
Proof.
intros I Hy; split; [|apply in_map]; rewrite in_map_iff; intros (z & E & Hz).
now replace y with z by (apply score_inj; auto).
Qed.

Lemma score_differ X Y : (forall y, In y X -> In y V) -> (forall y, In y Y -> In y V) ->
  (exists y, (In y X /\ ~ In y Y) \/ (In y Y /\ ~ In y X)) ->
  exists a, differ (map (s x) X) (map (s x) Y) a.
Proof.
intros IX IY (y & D); exists (s x y); unfold differ.
destruct D as [[H1 H2]|[H1 H2]]; [left | right]; rewrite !score_in by auto; tauto.
Qed.
End Gap.

(* The conclusion that certification uses: score gap > log(2 + sqrt 3), any sizes. *)
Theorem theorem2_first_difference g X Y x : sharp < g ->
  length w = length x -> kappa * dot v x <> 0 ->
  X <> [] -> Y <> [] -> NoDup X -> NoDup Y ->
  (forall y z, In y (X ++ Y) -> In z (X ++ Y) -> y <> z -> g <= Rabs (s x y - s x z)) ->
  (exists y, (In y X /\ ~ In y Y) \/ (In y Y /\ ~ In y X)) ->
  let A := map (s x) X in let B := map (s x) Y in
  exists M M', greatest A M /\ greatest B M' /\
  (M <> M' /\
     norm (sub (F X x) (F Y x)) >= norm w * ((g - nu g) / Rabs (kappa * dot v x)) \/
   M = M' /\ exists c, first_difference A B c /\
     norm (sub (F X x) (F Y x)) >= norm w * (sharp_bound g (M - c) / Rabs (kappa * dot v x))).
Proof.
intros Gs E K NX NY UX UY gap D A B.
assert (0 < g) as G by (pose proof sharp_above; lra).
assert (forall y, In y X -> In y (X ++ Y)) as IX by (intros; apply in_app_iff; tauto).
assert (forall y, In y Y -> In y (X ++ Y)) as IY by (intros; apply in_app_iff; tauto).
assert (A <> []) as NA by (unfold A; destruct X; easy).
assert (B <> []) as NB by (unfold B; destruct Y; easy).
assert (forall d, d <= Rabs (boltz A - boltz B) ->
  norm (sub (F X x) (F Y x)) >= norm w * (d / Rabs (kappa * dot v x))) as Lift.
{ intros d Ld; rewrite same_token_distance by assumption; fold A B; apply Rle_ge.
  apply Rmult_le_compat_l; [apply norm_nonneg|].
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat, Rabs_pos_lt | exact Ld]. }
destruct (sharp_gap g A B) as (M & M' & GA & GB & H); auto.
- now apply score_nodup with (g := g) (V := X ++ Y).
- now apply score_nodup with (g := g) (V := X ++ Y).
- unfold A, B; rewrite <- map_app; now apply score_spread with (V := X ++ Y).
- now apply score_differ with (g := g) (V := X ++ Y).
- exists M, M'; split; [exact GA | split; [exact GB|]].
  destruct H as [(N & H & _) | (Eq & c & Hc & H & _)]; [left | right]; (split; [assumption|]).
  + apply Lift; lra.
  + exists c; split; [exact Hc | apply Lift; lra].
Qed.

(* Tokens below r_max, |v| <= 1, |w| <= eps/(4 r_max): the head adds little. *)
Section Skip.
Variables (rmax eps : R).
Hypotheses (rmax_pos : 0 < rmax) (eps_pos : 0 < eps).
Hypotheses (v_le_1 : norm v <= 1) (w_small : norm w <= eps / (4 * rmax)).

Lemma dot_v_small y : norm y < rmax -> Rabs (dot v y) < rmax.
Proof.
intros L; apply Rle_lt_trans with (1 * norm y); [|lra].
apply Rle_trans with (norm v * norm y); [apply cauchy_schwarz|].
apply Rmult_le_compat_r; [apply norm_nonneg | exact v_le_1].
Qed.

Lemma read_small X x : X <> [] -> (forall y, In y X -> norm y < rmax) ->
  Rabs (rank1_read u1 u2 v X x) <= rmax.
Proof.
intros N L; apply rank1_read_bound; [exact N|].
intros y Hy; left; now apply dot_v_small, L.
Qed.

Lemma head_small a : Rabs a <= rmax -> Rabs a * norm w <= eps / 4.
Proof.
intros L; apply Rle_trans with (rmax * (eps / (4 * rmax))).
- apply Rmult_le_compat; auto using Rabs_pos, norm_nonneg.
- apply Req_le; field; lra.
Qed.

Theorem output_bounded X x : length w = length x -> X <> [] ->
  (forall y, In y X -> norm y < rmax) -> norm x < rmax -> norm (F X x) < rmax + eps / 4.
Proof.
intros E N L Lx; unfold F; rewrite rank1_attention by exact E; fold w.
apply Rle_lt_trans with (norm x + norm (scale (rank1_read u1 u2 v X x) w)).
- apply norm_add; rewrite length_scale; auto.
- rewrite norm_scale; pose proof (head_small _ (read_small X x N L)); lra.
Qed.

(* Other token: the skip keeps half of eps, whatever the contexts. *)
Theorem other_token_distance X Y x y : length w = length x -> length w = length y ->
  X <> [] -> Y <> [] ->
  (forall z, In z X -> norm z < rmax) -> (forall z, In z Y -> norm z < rmax) ->
  eps < norm (sub x y) -> eps / 2 < norm (sub (F X x) (F Y y)).
Proof.
intros Ex Ey NX NY LX LY Far; unfold F; rewrite !rank1_attention by assumption; fold w.
rewrite sub_shift by congruence.
set (a := rank1_read u1 u2 v X x); set (b := rank1_read u1 u2 v Y y).
pose proof (read_small X x NX LX) as La; pose proof (read_small Y y NY LY) as Lb.
fold a in La; fold b in Lb; pose proof (head_small a La); pose proof (head_small b Lb).
assert (norm (scale (a - b) w) <= eps / 2) as Small.
{ rewrite norm_scale; apply Rle_trans with ((Rabs a + Rabs b) * norm w); [|lra].
  apply Rmult_le_compat_r; [apply norm_nonneg|].
  replace (a - b) with (a + - b) by ring.
  rewrite <- (Rabs_Ropp b); apply Rabs_triang. }
pose proof (norm_add_lower (sub x y) (scale (a - b) w)) as N.
assert (length (sub x y) = length (scale (a - b) w)) as El.
{ unfold sub; rewrite length_add; rewrite ?length_scale; congruence. }
specialize (N El); lra.
Qed.
End Skip.

End Head.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Ltac numbers := unfold rank1_score, sub, scale; simpl; rewrite ?norm_one; members.
Ltac one_token := let y := fresh "y" in let E := fresh "E" in
  intros y E; simpl in E; intuition subst;
  rewrite norm_one; unfold Rabs; destruct Rcase_abs; lra.

Lemma same_token_distance_satisfiable : satisfiable same_token_distance.
Proof.
exists [1], [1], [1], [1], [[1]], [[1]; [3]], [[3]], [1].
given (first [reflexivity | easy | numbers]).
Qed.

Lemma theorem2_first_difference_satisfiable : satisfiable theorem2_first_difference.
Proof.
exists [1], [1], [1], [1], [[1]], 2, [[1]], [[3]], [1].
given (first [exact sharp_lt_2 | reflexivity | easy | numbers | nodup |
  intros y z Hy Hz N; simpl in Hy, Hz; intuition subst; try (now destruct N); numbers |
  exists [1]; left; simpl; split; [auto | intros [E|[]]; injection E; lra]]).
Qed.
Lemma theorem2_first_difference_falsifiable : falsifiable theorem2_first_difference.
Proof. exists [1], [1], [1], [1], [[1]], 2, [], [], [1]; intros (M & M' & [[] _] & _). Qed.

Lemma output_bounded_satisfiable : satisfiable output_bounded.
Proof.
exists [1], [1], [1], [1], [[1]], 2, 8.
do 3 (unshelve eexists; [simpl; rewrite ?norm_one; numbers|]).
exists [[1]], [1]; given (first [reflexivity | easy | numbers | one_token]).
Qed.
Lemma output_bounded_falsifiable : falsifiable output_bounded.
Proof.
exists [1], [1], [1], [1], [[1]], 0, 0, [[1]], [1]; apply Rle_not_lt.
eapply Rle_trans; [|apply norm_nonneg]; lra.
Qed.

Lemma other_token_distance_satisfiable : satisfiable other_token_distance.
Proof.
exists [1], [1], [1], [1], [[/ 8]], 2, 1.
do 3 (unshelve eexists; [simpl; rewrite ?norm_one; numbers|]).
exists [[1]], [[-1]], [1], [-1]; given (first [reflexivity | easy | numbers | one_token]).
Qed.
Lemma other_token_distance_falsifiable : falsifiable other_token_distance.
Proof.
exists [1], [1], [1], [1], [[1]], 1, 1, [[1]], [[1]], [1], [1]; rewrite norm_sub_same; lra.
Qed.
