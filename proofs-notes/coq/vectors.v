(* Vectors as lists of reals: products, norms, matrices of rank one. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums.
Import ListNotations.
Local Open Scope R_scope.

Definition vec : Type := list R.

Fixpoint dot (x y : vec) : R :=
  match x, y with a :: x', b :: y' => a * b + dot x' y' | _, _ => 0 end.
Fixpoint add (x y : vec) : vec :=
  match x, y with a :: x', b :: y' => (a + b) :: add x' y' | _, _ => [] end.
Definition scale (c : R) (x : vec) : vec := map (Rmult c) x.
Definition sub (x y : vec) : vec := add x (scale (-1) y).
Definition norm (x : vec) : R := sqrt (dot x x).

(* A matrix is the list of its rows. *)
Definition apply (W : list vec) (x : vec) : vec := map (fun row => dot row x) W.
Definition outer (u v : vec) : list vec := map (fun a => scale a v) u.

Lemma dot_comm x y : dot x y = dot y x.
Proof. revert y; induction x as [|a x IH]; intros [|b y]; simpl; try lra; rewrite IH; ring. Qed.

Lemma dot_scale_l c x y : dot (scale c x) y = c * dot x y.
Proof.
revert y; induction x as [|a x IH]; intros [|b y]; simpl; try ring; rewrite IH; ring.
Qed.

Lemma dot_scale_r c x y : dot x (scale c y) = c * dot x y.
Proof. now rewrite dot_comm, dot_scale_l, dot_comm. Qed.

Lemma dot_add_r x y z : length y = length z -> dot x (add y z) = dot x y + dot x z.
Proof.
revert y z; induction x as [|a x IH]; intros [|b y] [|c z]; simpl; try discriminate;
  try (intros; lra); intros E; rewrite IH by lia; ring.
Qed.

Lemma length_scale c x : length (scale c x) = length x.
Proof. apply map_length. Qed.

Lemma length_add x y : length x = length y -> length (add x y) = length x.
Proof. revert y; induction x; intros [|b y]; simpl; try discriminate; auto. Qed.

Lemma dot_self x : 0 <= dot x x.
Proof. induction x as [|a x IH]; simpl; [lra|]; pose proof (Rle_0_sqr a); unfold Rsqr in *; lra. Qed.

Lemma norm_nonneg x : 0 <= norm x.
Proof. apply sqrt_pos. Qed.

Lemma norm_sqr x : norm x * norm x = dot x x.
Proof. apply sqrt_sqrt, dot_self. Qed.

Lemma norm_scale c x : norm (scale c x) = Rabs c * norm x.
Proof.
unfold norm; rewrite dot_scale_l, dot_scale_r, <- Rmult_assoc.
rewrite sqrt_mult_alt by apply Rle_0_sqr; f_equal; apply sqrt_Rsqr_abs.
Qed.

(* Cauchy-Schwarz, by induction. *)
Lemma cauchy_schwarz_sqr x y : dot x y * dot x y <= dot x x * dot y y.
Proof.
revert y; induction x as [|a x IH]; intros [|b y]; simpl; try lra.
specialize (IH y); pose proof (dot_self x) as P; pose proof (dot_self y) as Q.
set (p := dot x x) in *; set (q := dot y y) in *; set (s := dot x y) in *.
assert (2 * (a * b * s) <= p * (b * b) + a * a * q) as M.
{ apply Rsqr_incr_0_var; unfold Rsqr.
  - assert (0 <= (p * (b * b) - a * a * q) * (p * (b * b) - a * a * q)) by apply Rle_0_sqr.
    assert (0 <= a * b * (a * b) * (p * q - s * s))
      by (apply Rmult_le_pos; [apply Rle_0_sqr | lra]).
    lra.
  - assert (0 <= p * (b * b)) by (apply Rmult_le_pos; [exact P | apply Rle_0_sqr]).
    assert (0 <= a * a * q) by (apply Rmult_le_pos; [apply Rle_0_sqr | exact Q]). lra. }
lra.
Qed.

Lemma cauchy_schwarz x y : Rabs (dot x y) <= norm x * norm y.
Proof.
unfold norm; rewrite <- sqrt_mult_alt by apply dot_self.
rewrite <- sqrt_Rsqr_abs; apply sqrt_le_1_alt, cauchy_schwarz_sqr.
Qed.

Lemma norm_add x y : length x = length y -> norm (add x y) <= norm x + norm y.
Proof.
intros E; pose proof (norm_nonneg x); pose proof (norm_nonneg y).
apply Rsqr_incr_0_var; [|lra]; unfold Rsqr; rewrite norm_sqr.
rewrite dot_add_r by exact E; rewrite !(dot_comm (add x y)), !dot_add_r by exact E.
pose proof (cauchy_schwarz x y) as C; pose proof (Rle_abs (dot x y)).
rewrite (dot_comm y x); pose proof (norm_sqr x); pose proof (norm_sqr y); lra.
Qed.

Lemma sub_shift x y a b w : length x = length y -> length x = length w ->
  sub (add x (scale a w)) (add y (scale b w)) = add (sub x y) (scale (a - b) w).
Proof.
unfold sub, scale; revert y w; induction x as [|c x IH]; intros [|e y] [|f w]; simpl;
  try discriminate; [reflexivity|]; intros; f_equal; [ring | apply IH; lia].
Qed.

Lemma add_sub_same x a w : length x = length w -> add (sub x x) (scale a w) = scale a w.
Proof.
unfold sub, scale; revert w; induction x as [|c x IH]; intros [|f w]; simpl;
  try discriminate; [reflexivity|]; intros; f_equal; [ring | apply IH; lia].
Qed.

(* |x| - |y| <= |x + y|. *)
Lemma norm_add_lower x y : length x = length y -> norm x - norm y <= norm (add x y).
Proof.
intros E; assert (x = add (add x y) (scale (-1) y)) as X.
{ revert y E; induction x as [|a x IH]; intros [|b y]; simpl; try discriminate; [reflexivity|].
  intros E; f_equal; [ring | apply IH; lia]. }
assert (norm x <= norm (add x y) + norm (scale (-1) y)).
{ rewrite X at 1; apply norm_add; rewrite length_scale, length_add by exact E; lia. }
rewrite norm_scale, Rabs_left in H by lra; lra.
Qed.

(* Matrices of rank one. *)
Lemma apply_scale W c x : apply W (scale c x) = scale c (apply W x).
Proof.
unfold apply, scale at 2; rewrite map_map; apply map_ext; intros; apply dot_scale_r.
Qed.

Lemma apply_outer u v x : apply (outer u v) x = scale (dot v x) u.
Proof.
unfold apply, outer, scale at 2; rewrite map_map; apply map_ext; intros a.
rewrite dot_scale_l; ring.
Qed.

(* Sums of vectors of dimension d. *)
Definition vsum (d : nat) (l : list vec) : vec := fold_right add (repeat 0 d) l.

Lemma vsum_scale {T : Type} d (f : T -> R) w (l : list T) : length w = d ->
  vsum d (map (fun y => scale (f y) w) l) = scale (sum f l) w.
Proof.
intros E; induction l as [|y l IH]; simpl.
- subst d; induction w as [|a w IHw]; simpl; [reflexivity|]; rewrite IHw; f_equal; ring.
- rewrite IH; clear; unfold scale; induction w as [|a w IHw]; simpl; [reflexivity|].
  f_equal; [ring | exact IHw].
Qed.

(* Vectors of one entry, for examples. *)
Lemma norm_one a : norm [a] = Rabs a.
Proof. unfold norm; simpl; rewrite Rplus_0_r; apply sqrt_Rsqr_abs. Qed.

Lemma norm_sub_same x : norm (sub x x) = 0.
Proof.
unfold norm; replace (dot _ _) with 0; [apply sqrt_0|].
unfold sub, scale; induction x as [|a x IH]; simpl; [reflexivity|]; rewrite <- IH; ring.
Qed.
