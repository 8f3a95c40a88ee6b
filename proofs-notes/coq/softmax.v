(* Single-head softmax attention with skip, Definition 2 (definition2.v) for it, and
   what a head of rank one computes. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums boltzmann vectors definition2 guard.
Import ListNotations.
Local Open Scope R_scope.

(* F(Z)_k = x + sum_j p_j W_O (W_V x_j), x = x_k the query, p = softmax of the
   scores (W_K x_j) . (W_Q x); X lists the visible tokens x_j. *)
Section Head.
Variables (WQ WK WV WO : list vec).

Definition score (x y : vec) : R := dot (apply WK y) (apply WQ x).
Definition total (X : list vec) (x : vec) : R := sum (fun y => exp (score x y)) X.
Definition attend (X : list vec) (x : vec) : vec :=
  vsum (length x)
    (map (fun y => scale (exp (score x y) / total X x) (apply WO (apply WV y))) X).
Definition attention (X : list vec) (x : vec) : vec := add x (attend X x).
End Head.

(* Definition 2: a layer q gives q S x for the query x and the visible tokens S. *)
Section Contextual.
Variables (I : Type) (X : I -> list vec) (q : list vec -> vec -> vec) (m : mask).

Definition token (i : I) (k : nat) : vec := nth k (X i) [].
Definition output (i : I) (k : nat) : vec := q (visible m k (X i)) (token i k).

Definition contextual (r delta : R) : Prop :=
  definition2.contextual I (place vec I X) vec vec
    (list_token vec [] I X) (list_sees vec I X m)
    (fun o => norm o < r) (fun o o' => norm (sub o o') > delta)
    (fun i k => output i (proj1_sig k)).

(* The same by numbers of positions. *)
Definition required (i : I) (k : nat) (j : I) (l : nat) : Prop :=
  ~ (forall x, In x (visible m k (X i)) <-> In x (visible m l (X j)))
  \/ token i k <> token j l.

Lemma required_places i (k : place vec I X i) j (l : place vec I X j) :
  definition2.required I (place vec I X) vec (list_token vec [] I X) (list_sees vec I X m)
    i k j l
  <-> required i (proj1_sig k) j (proj1_sig l).
Proof.
unfold definition2.required, same_vocabulary, required.
assert ((forall x, in_vocabulary I (place vec I X) vec (list_token vec [] I X)
                     (list_sees vec I X m) i k x
        <-> in_vocabulary I (place vec I X) vec (list_token vec [] I X)
              (list_sees vec I X m) j l x)
  <-> (forall x, In x (visible m (proj1_sig k) (X i)) <-> In x (visible m (proj1_sig l) (X j))))
  as E by (split; intros H x; specialize (H x); rewrite !in_visible in *; exact H).
rewrite E; unfold list_token, token; tauto.
Qed.

Theorem contextual_positions r delta : contextual r delta <->
  (forall i k, (k < length (X i))%nat -> norm (output i k) < r) /\
  (forall i k j l, (k < length (X i))%nat -> (l < length (X j))%nat ->
     required i k j l -> norm (sub (output i k) (output j l)) > delta).
Proof.
unfold contextual, definition2.contextual; split; intros [S F]; split.
- intros i k L; exact (S i (exist _ k L)).
- intros i k j l L L' R; apply (F i (exist _ k L) j (exist _ l L')).
  now apply required_places.
- intros i [k L]; now apply S.
- intros i [k L] j [l L'] R; apply F; auto; now apply required_places in R.
Qed.
End Contextual.

(* Rank one: W_Q = u1 v^T, W_K = u2 v^T, W_V = u3 v^T, kappa = u2 . u1, w = W_O u3. *)
Section RankOne.
Variables (u1 u2 u3 v : vec) (WO : list vec).
Let kappa := dot u2 u1.
Let w := apply WO u3.

Definition rank1_score (x y : vec) : R := kappa * dot v x * dot v y.
Definition rank1_read (X : list vec) (x : vec) : R :=
  sum (fun y => exp (rank1_score x y) * dot v y) X / sum (fun y => exp (rank1_score x y)) X.

Lemma rank1_score_eq x y : score (outer u1 v) (outer u2 v) x y = rank1_score x y.
Proof.
unfold score, rank1_score, kappa; rewrite !apply_outer, dot_scale_l, dot_scale_r; ring.
Qed.

Theorem rank1_attention X x : length w = length x ->
  attention (outer u1 v) (outer u2 v) (outer u3 v) WO X x
  = add x (scale (rank1_read X x) w).
Proof.
intros E; unfold attention, attend; f_equal.
rewrite (map_ext _ (fun y => scale (exp (rank1_score x y) * dot v y
   / sum (fun y => exp (rank1_score x y)) X) w)).
- rewrite vsum_scale by exact E; f_equal; unfold rank1_read, Rdiv.
  rewrite (Rmult_comm (sum _ X)), <- sum_scal; apply sum_ext; intros; ring.
- intros y; unfold total; rewrite rank1_score_eq.
  rewrite (sum_ext (fun z => exp (score (outer u1 v) (outer u2 v) x z))
             (fun z => exp (rank1_score x z))) by (intros; now rewrite rank1_score_eq).
  rewrite apply_outer, apply_scale; fold w; unfold scale; rewrite map_map.
  apply map_ext; intros a; unfold Rdiv; ring.
Qed.

(* kappa (v . x) times the value that the head averages is the Boltzmann value of the scores. *)
Theorem rank1_boltz X x : X <> [] ->
  kappa * dot v x * rank1_read X x = boltz (map (rank1_score x) X).
Proof.
intros N; unfold boltz, partition; rewrite !sum_map; unfold rank1_read.
assert (0 < sum (fun y => exp (rank1_score x y)) X) as Z
  by (apply sum_pos; [exact N | intros; apply exp_pos]).
rewrite (sum_ext (fun y => rank1_score x y * exp (rank1_score x y))
  (fun y => kappa * dot v x * (exp (rank1_score x y) * dot v y)))
  by (intros; unfold rank1_score; ring).
rewrite sum_scal; field; lra.
Qed.

(* That value is an average of the v . y. *)
Theorem rank1_read_bound X x c : X <> [] -> (forall y, In y X -> Rabs (dot v y) <= c) ->
  Rabs (rank1_read X x) <= c.
Proof.
intros N B; assert (0 < sum (fun y => exp (rank1_score x y)) X) as Z
  by (apply sum_pos; [exact N | intros; apply exp_pos]).
assert (forall y, In y X -> - c <= dot v y <= c) as B'.
{ intros y Hy; specialize (B y Hy); unfold Rabs in B; destruct (Rcase_abs (dot v y)); lra. }
unfold rank1_read; apply Rabs_le; split.
- apply Rmult_le_reg_r with (1 := Z); unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
  rewrite Rmult_1_r, <- sum_scal; apply sum_le; intros y Hy.
  rewrite (Rmult_comm (exp _)); apply Rmult_le_compat_r; [left; apply exp_pos | apply B', Hy].
- apply Rmult_le_reg_r with (1 := Z); unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
  rewrite Rmult_1_r, <- sum_scal; apply sum_le; intros y Hy.
  rewrite (Rmult_comm (exp _)); apply Rmult_le_compat_r; [left; apply exp_pos | apply B', Hy].
Qed.
End RankOne.

(* The dataset (1,2), (1,3) of one-dimensional tokens, for examples. *)
Definition example (i : bool) : list vec := if i then [[1]; [2]] else [[1]; [3]].

Lemma example_tokens x : (exists i, In x (example i)) -> x = [1] \/ x = [2] \/ x = [3].
Proof. intros ([|] & H); simpl in H; intuition. Qed.

(* Definition 2 requires the outputs at its first tokens to differ: a head that adds nothing is refuted. *)
Theorem zero_head_refuted u1 u2 u3 v WO r delta : apply WO u3 = [0] -> 0 <= delta ->
  ~ contextual bool example (attention (outer u1 v) (outer u2 v) (outer u3 v) WO) NoMask r delta.
Proof.
intros Z D C; apply contextual_positions in C; destruct C as [_ F].
specialize (F true 0%nat false 0%nat ltac:(simpl; lia) ltac:(simpl; lia)).
assert (required bool example NoMask true 0 false 0) as Req.
{ left; intros S; specialize (S [2]); simpl in S; destruct S as [S _].
  destruct S as [E|[E|[]]]; [auto | injection E; lra | injection E; lra]. }
specialize (F Req); unfold output in F; revert F; rewrite !rank1_attention; rewrite Z; try reflexivity.
unfold token; simpl; rewrite !Rmult_0_r, norm_sub_same; lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma contextual_positions_satisfiable : satisfiable contextual_positions.
Proof. now exists bool, example, (fun _ x => x), NoMask, 1, 0. Qed.

Lemma zero_head_refuted_satisfiable : satisfiable zero_head_refuted.
Proof.
exists [1], [1], [1], [1], [[0]], 1, 0; given (lra || (simpl; f_equal; ring)).
Qed.
