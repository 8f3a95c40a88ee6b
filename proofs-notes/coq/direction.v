(* Directions that keep differences apart: finitely many vectors z, none of them 0, and a v
   with |v| <= 1 and |v . z| >= |z| / (their number), for all of them at once.  Nothing is
   drawn at random: of all the sums of the z/|z| with signs the longest is such a v (Bang's
   lemma for planks through the origin), for turning a sign must not make it longer. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums vectors guard.
Import ListNotations.
Local Open Scope R_scope.

(* The sum of the vectors with signs; a missing sign counts as +. *)
Fixpoint signed (d : nat) (signs : list bool) (l : list vec) : vec :=
  match l with
  | [] => repeat 0 d
  | z :: l' => add (scale (if hd true signs then 1 else -1) z) (signed d (tl signs) l')
  end.

Fixpoint all_signs (n : nat) : list (list bool) :=
  match n with
  | O => [[]]
  | S n' => map (cons true) (all_signs n') ++ map (cons false) (all_signs n')
  end.

Lemma all_signs_in n signs : length signs = n -> In signs (all_signs n).
Proof.
revert signs; induction n as [|n IH]; intros [|b signs]; simpl; try discriminate; auto.
intros E; apply in_app_iff; destruct b; [left | right]; apply in_map, IH; lia.
Qed.

Lemma all_signs_length n signs : In signs (all_signs n) -> length signs = n.
Proof.
revert signs; induction n as [|n IH]; intros signs; simpl; [intros [<-|[]]; reflexivity|].
rewrite in_app_iff, !in_map_iff; intros [(s & <- & H)|(s & <- & H)]; simpl; now rewrite IH.
Qed.

Lemma list_max (f : list bool -> R) l : l <> [] ->
  exists s, In s l /\ forall t, In t l -> f t <= f s.
Proof.
induction l as [|a l IH]; [easy|]; intros _; destruct l as [|b l].
- exists a; split; [now left|]; intros t [->|[]]; lra.
- destruct IH as (s & Hs & M); [easy|].
  destruct (Rle_dec (f a) (f s)) as [L|G].
  + exists s; split; [now right|]; intros t [->|Ht]; auto.
  + exists a; split; [now left|]; intros t [->|Ht]; [lra | specialize (M t Ht); lra].
Qed.

Lemma signed_length d signs l : (forall z, In z l -> length z = d) ->
  length (signed d signs l) = d.
Proof.
revert signs; induction l as [|z l IH]; intros signs H; simpl; [apply repeat_length|].
rewrite length_add; rewrite length_scale; [apply H; now left|].
rewrite IH by (intros; apply H; now right); apply H; now left.
Qed.

Lemma dot_repeat0 d x : dot x (repeat 0 d) = 0.
Proof. revert x; induction d; intros [|a x]; simpl; try reflexivity; rewrite IHd; ring. Qed.

(* Turning the sign of one of the vectors. *)
Fixpoint turn (k : nat) (signs : list bool) : list bool :=
  match k, signs with
  | O, b :: s => negb b :: s
  | S k', b :: s => b :: turn k' s
  | _, [] => []
  end.

Lemma turn_length k signs : length (turn k signs) = length signs.
Proof. revert signs; induction k; intros [|b s]; simpl; auto. Qed.

Lemma signed_turn d k signs l z :
  (forall z, In z l -> length z = d) -> length signs = length l -> nth_error l k = Some z ->
  exists e, (e = 1 \/ e = -1) /\
    signed d (turn k signs) l = add (signed d signs l) (scale (- 2 * e) z).
Proof.
revert signs l; induction k as [|k IH]; intros [|b s] [|y l]; simpl; try discriminate;
  intros D E N.
- injection N as ->; exists (if b then 1 else -1); split; [destruct b; tauto|].
  assert (forall (u w : vec) c c', length u = length w ->
    add (scale c u) w = add (add (scale c' u) w) (scale (c - c') u)) as A.
  { unfold scale; induction u as [|a u IHu]; intros [|q w] c c'; simpl; try discriminate;
      [reflexivity|]; intros L; f_equal; [ring | apply IHu; lia]. }
  rewrite (A z (signed d s l) _ (if b then 1 else -1))
    by (rewrite signed_length by auto; auto).
  f_equal; f_equal; destruct b; simpl; ring.
- destruct (IH s l) as (e & He & H); auto; exists e; split; [exact He|]; rewrite H.
  assert (forall (u w t : vec), length u = length w -> length w = length t ->
    add u (add w t) = add (add u w) t) as A.
  { induction u as [|a u IHu]; intros [|q w] [|p t]; simpl; try discriminate; [reflexivity|].
    intros L L'; f_equal; [ring | apply IHu; lia]. }
  assert (In z l) as Hz by (eapply nth_error_In; exact N).
  apply A; rewrite length_scale, signed_length by auto; [auto|].
  symmetry; apply D; now right.
Qed.

Lemma norm_signed d signs l : (forall z, In z l -> length z = d /\ norm z <= 1) ->
  norm (signed d signs l) <= INR (length l).
Proof.
revert signs; induction l as [|z l IH]; intros signs H.
- simpl signed; unfold norm; rewrite dot_repeat0, sqrt_0; simpl; lra.
- change (norm (add (scale (if hd true signs then 1 else -1) z) (signed d (tl signs) l))
          <= INR (S (length l))).
  rewrite S_INR; eapply Rle_trans; [apply norm_add|].
  + rewrite length_scale, signed_length by (intros; apply H; now right).
    apply H; now left.
  + rewrite norm_scale.
    assert (norm (signed d (tl signs) l) <= INR (length l)) by (apply IH; intros; apply H; now right).
    assert (norm z <= 1) by (apply H; now left).
    replace (Rabs (if hd true signs then 1 else -1)) with 1; [lra|].
    destruct (hd true signs); [now rewrite Rabs_R1 | rewrite Rabs_left; lra].
Qed.

(* Unit vectors: a v no longer than their number, with |v . z| >= 1 for each of them. *)
Theorem unit_directions d (l : list vec) :
  (forall z, In z l -> length z = d /\ norm z = 1) ->
  exists v, length v = d /\ norm v <= INR (length l) /\ forall z, In z l -> 1 <= Rabs (dot v z).
Proof.
intros H; assert (forall z, In z l -> length z = d) as D by (intros; now apply H).
destruct (list_max (fun s => dot (signed d s l) (signed d s l)) (all_signs (length l)))
  as (s & Hs & Max).
{ intros Z; assert (In (repeat true (length l)) (all_signs (length l))) as I
    by apply all_signs_in, repeat_length; rewrite Z in I; destruct I. }
apply all_signs_length in Hs.
exists (signed d s l); split; [now apply signed_length|]; split.
- apply norm_signed; intros z Hz; destruct (H z Hz) as [? ->]; split; [assumption | lra].
- intros z Hz; destruct (In_nth_error _ _ Hz) as (k & Nk).
  destruct (signed_turn d k s l z D Hs Nk) as (e & He & E).
  specialize (Max (turn k s)); rewrite E in Max.
  assert (length (signed d s l) = length (scale (-2 * e) z)) as L
    by (rewrite length_scale, signed_length by auto; symmetry; now apply H).
  rewrite dot_add_r in Max by exact L.
  rewrite !(dot_comm (add _ _)), !dot_add_r, !dot_scale_r, !dot_scale_l in Max by exact L.
  rewrite (dot_comm z (signed d s l)) in Max.
  assert (dot z z = 1) as One by (rewrite <- norm_sqr; destruct (H z Hz) as [_ ->]; ring).
  rewrite One in Max; set (t := dot (signed d s l) z) in *.
  assert (1 <= e * t) as P.
  { assert (In (turn k s) (all_signs (length l))) as I
      by (apply all_signs_in; now rewrite turn_length).
    specialize (Max I); destruct He as [-> | ->]; lra. }
  unfold Rabs; destruct (Rcase_abs t), He as [-> | ->]; lra.
Qed.

(* Any vectors but 0. *)
Theorem direction d (l : list vec) : l <> [] ->
  (forall z, In z l -> length z = d /\ norm z <> 0) ->
  exists v, length v = d /\ norm v <= 1 /\
    forall z, In z l -> norm z / INR (length l) <= Rabs (dot v z).
Proof.
intros N H; assert (0 < INR (length l)) as P by (apply lt_0_INR; destruct l; [easy | simpl; lia]).
destruct (unit_directions d (map (fun z => scale (/ norm z) z) l)) as (v & Lv & Nv & Dv).
{ intros z; rewrite in_map_iff; intros (y & <- & Hy); destruct (H y Hy) as [Ly Ny].
  rewrite length_scale, norm_scale; split; [exact Ly|].
  rewrite Rabs_pos_eq; [now apply Rinv_l|].
  left; apply Rinv_0_lt_compat; pose proof (norm_nonneg y); lra. }
rewrite map_length in Nv.
exists (scale (/ INR (length l)) v); rewrite length_scale; split; [exact Lv|]; split.
- rewrite norm_scale, Rabs_pos_eq by (left; now apply Rinv_0_lt_compat).
  apply Rmult_le_reg_l with (INR (length l)); [exact P|].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; lra.
- intros z Hz; destruct (H z Hz) as [_ Nz]; pose proof (norm_nonneg z) as Pz.
  assert (1 <= Rabs (dot v (scale (/ norm z) z))) as D
    by (apply Dv, in_map_iff; now exists z).
  rewrite dot_scale_r, Rabs_mult, Rabs_inv, (Rabs_pos_eq (norm z)) in D by exact Pz.
  rewrite dot_scale_l, Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
  unfold Rdiv; rewrite Rmult_comm; apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
  apply Rmult_le_reg_l with (/ norm z); [apply Rinv_0_lt_compat; lra|].
  rewrite Rinv_l by exact Nz; exact D.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma unit_directions_satisfiable : satisfiable unit_directions.
Proof.
exists 1%nat, [[1]]; given (intros z [<-|[]]; split; [reflexivity | rewrite norm_one; apply Rabs_R1]).
Qed.
Lemma unit_directions_falsifiable : falsifiable unit_directions.
Proof.
exists 1%nat, [[0]]; intros (v & L & _ & P); specialize (P [0] (or_introl eq_refl)).
destruct v as [|a [|b v]]; try discriminate L; simpl in P.
rewrite Rmult_0_r, Rplus_0_r, Rabs_R0 in P; lra.
Qed.

Lemma direction_satisfiable : satisfiable direction.
Proof.
exists 1%nat, [[2]]; given (first [easy | intros z [<-|[]]; split;
  [reflexivity | rewrite norm_one, Rabs_pos_eq; lra]]).
Qed.
Lemma direction_falsifiable : falsifiable direction.
Proof.
exists 1%nat, [[0; 1]]; intros (v & L & _ & P); specialize (P [0; 1] (or_introl eq_refl)).
destruct v as [|a [|b v]]; try discriminate L; unfold norm in P; simpl in P.
replace (0 * 0 + (1 * 1 + 0)) with 1 in P by ring; rewrite sqrt_1 in P.
replace (a * 0 + 0) with 0 in P by ring; rewrite Rabs_R0 in P; lra.
Qed.
