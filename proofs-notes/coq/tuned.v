(* The strategy `tuned`: rational scores, no gap required.  A softmax head of rank
   one is a contextual mapping with delta = 0; repetitions, different lengths and a
   causal mask are allowed.  Given Lindemann-Weierstrass. *)

From Coq Require Import Reals ZArith List Lra Lia.
From attest Require Import sums boltzmann vectors definition2 softmax rank1 theorem2 zero_test guard.
Import ListNotations.
Local Open Scope R_scope.

Definition vec_dec := list_eq_dec Req_EM_T.

(* A sum over a list, by multiplicities. *)
Definition times (X : list vec) (y : vec) : R := INR (count_occ vec_dec X y).

Lemma times_pos X y : In y X <-> times X y <> 0.
Proof.
unfold times; rewrite (count_occ_In vec_dec); split; [|intros N].
- intros H; apply not_0_INR; lia.
- destruct (count_occ vec_dec X y); [now destruct N | lia].
Qed.

Lemma rational_times X y : rational (times X y).
Proof.
exists (Z.of_nat (count_occ vec_dec X y)), 1%Z; split; [easy|].
unfold times; rewrite INR_IZR_INZ; field.
Qed.

Lemma sum_times (f : vec -> R) V X : NoDup V -> (forall y, In y X -> In y V) ->
  sum f X = sum (fun y => times X y * f y) V.
Proof.
intros U; induction X as [|x X IH]; intros I.
- change (sum f []) with 0; symmetry.
  rewrite (sum_ext _ (fun _ => 0)) by (intros; unfold times; simpl; ring).
  rewrite sum_const; ring.
- assert (In x V) as Hx by (apply I; now left).
  assert (sum (fun y => (if vec_dec x y then 1 else 0) * f y) V = f x) as One.
  { clear - U Hx; induction U as [|z V Nz U IHU]; simpl; [destruct Hx|].
    destruct Hx as [->|Hx].
    - destruct (vec_dec x x) as [_|n]; [|now destruct n].
      rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_const; ring|].
      intros y Hy; destruct (vec_dec x y) as [->|_]; [tauto | ring].
    - rewrite IHU by exact Hx; destruct (vec_dec x z) as [->|_]; [tauto | ring]. }
  simpl sum; rewrite IH by (intros; apply I; now right); rewrite <- One, <- sum_plus.
  apply sum_ext; intros y _; unfold times; simpl count_occ.
  destruct (vec_dec x y); [rewrite S_INR|]; ring.
Qed.

Lemma norm_zero_add p q : length p = length q -> norm (add p q) = 0 -> p = scale (-1) q.
Proof.
intros E N; assert (dot (add p q) (add p q) = 0) as D by (rewrite <- norm_sqr, N; ring).
clear N; revert q E D; induction p as [|a p IH]; intros [|b q]; simpl; try discriminate; auto.
intros E D; pose proof (dot_self (add p q)); pose proof (Rle_0_sqr (a + b)) as S.
unfold Rsqr in S; assert (a + b = 0) as Z by (apply Rsqr_0_uniq; unfold Rsqr; lra).
unfold scale; simpl; f_equal; [lra | apply IH; [lia | lra]].
Qed.

Section Tuned.
Variables (u1 u2 u3 v : vec) (WO : list vec).
Let kappa := dot u2 u1.
Let w := apply WO u3.
Let F := attention (outer u1 v) (outer u2 v) (outer u3 v) WO.
Let s x := rank1_score u1 u2 v x.

Variables (I : Type) (X : I -> list vec) (d : nat) (m : mask).
Let V x := exists i, In x (X i).

Hypothesis LW : lindemann_weierstrass.
Hypothesis dimension : forall x, V x -> length x = d.
Hypothesis WO_dimension : length WO = d.
Hypothesis rational_scores : forall x y, V x -> V y -> rational (s x y).
Hypothesis injective : forall x y, V x -> V y -> dot v x = dot v y -> x = y.
Hypothesis nonzero : forall x, V x -> dot v x <> 0.
Hypotheses (kappa_nonzero : kappa <> 0) (w_nonzero : 0 < norm w).

Variables (lo hi : R).
Hypothesis range : forall x, V x -> lo <= dot v x <= hi.
Hypothesis tokens_apart :
  (forall x y, V x -> V y -> x <> y -> norm w * (hi - lo) < norm (sub x y)) \/
  (forall x y c, V x -> V y -> x <> y -> sub x y <> scale c w).

Lemma read_range A x : A <> [] -> (forall y, In y A -> V y) ->
  lo <= rank1_read u1 u2 v A x <= hi.
Proof.
intros N H; unfold rank1_read.
set (p := fun y => exp (rank1_score u1 u2 v x y)).
assert (0 < sum p A) as Z by (apply sum_pos; [exact N | intros; apply exp_pos]).
assert (forall c, c * sum p A = sum (fun y => p y * c) A) as C
  by (intros c; rewrite <- sum_scal; apply sum_ext; intros; ring).
split; apply Rmult_le_reg_r with (1 := Z); unfold Rdiv;
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; rewrite C; apply sum_le; intros y Hy;
  (apply Rmult_le_compat_l; [left; apply exp_pos | apply range, H, Hy]).
Qed.

(* Equal Boltzmann values of contexts: proportional, hence equal vocabularies. *)
Lemma same_context A B x : V x -> A <> [] -> B <> [] ->
  (forall y, In y A -> V y) -> (forall y, In y B -> V y) ->
  boltz (map (s x) A) = boltz (map (s x) B) -> forall y, In y A <-> In y B.
Proof.
intros Vx NA NB HA HB E.
set (U := nodup vec_dec (A ++ B)); assert (NoDup U) as UU by apply NoDup_nodup.
assert (forall y, In y U <-> In y A \/ In y B) as IU
  by (intros y; unfold U; rewrite nodup_In, in_app_iff; tauto).
assert (forall y, In y U -> V y) as HU by (intros y Hy; apply IU in Hy; destruct Hy; auto).
set (e := fun y => (s x y, times A y, times B y) : entry); set (l := map e U).
assert (forall (C : list vec) (mul : entry -> R), (forall y, mul (e y) = times C y) ->
  (forall y, In y C -> In y U) ->
  partition_of mul l = partition (map (s x) C) /\ boltz_of mul l = boltz (map (s x) C)) as Conv.
{ intros C mul Em IC.
  assert (partition_of mul l = partition (map (s x) C)) as Z.
  { unfold partition_of, partition, l; rewrite !sum_map, (sum_times _ U C UU IC).
    apply sum_ext; intros y _; now rewrite Em. }
  split; [exact Z|]; unfold boltz_of, boltz; rewrite Z; f_equal; unfold l.
  rewrite !sum_map, (sum_times _ U C UU IC); apply sum_ext; intros y _; now rewrite Em. }
destruct (Conv A mulA) as [ZA EA]; [reflexivity | intros; apply IU; tauto|].
destruct (Conv B mulB) as [ZB EB]; [reflexivity | intros; apply IU; tauto|].
assert (forall C, C <> [] -> partition (map (s x) C) <> 0) as Pos
  by (intros C NC; apply Rgt_not_eq, partition_pos; destruct C; easy).
assert (proportional l) as P.
{ apply boltz_equal_iff; auto.
  - unfold l; rewrite map_map; simpl; clear - UU HU Vx injective nonzero kappa_nonzero.
    induction UU as [|y U Ny UU IH]; simpl; constructor; [|apply IH; intros; apply HU; now right].
    rewrite in_map_iff; intros (z & Ez & Hz); apply Ny; unfold val in Ez; simpl in Ez.
    replace y with z; [exact Hz|]; apply injective; try (apply HU; simpl; auto).
    unfold s, rank1_score in Ez; fold kappa in Ez.
    apply Rmult_eq_reg_l with (kappa * dot v x); [exact Ez|].
    apply Rmult_integral_contrapositive; auto.
  - intros f Hf; apply in_map_iff in Hf; destruct Hf as (y & <- & Hy); simpl.
    split; [apply rational_scores; auto|].
    split; apply rational_times.
  - intros f Hf; apply in_map_iff in Hf; destruct Hf as (y & <- & Hy).
    apply IU in Hy; unfold mulA, mulB; simpl; rewrite <- !times_pos; exact Hy.
  - rewrite ZA; auto.
  - rewrite ZB; auto.
  - now rewrite EA, EB. }
assert (forall y z, In y U -> In z U -> times A y * times B z = times A z * times B y) as PT
  by (intros y z Hy Hz; apply (P (e y) (e z)); unfold l; apply in_map; assumption).
assert (exists a, In a A) as (a & Ha) by (destruct A as [|a ?]; [easy | exists a; now left]).
assert (exists b, In b B) as (b & Hb) by (destruct B as [|b ?]; [easy | exists b; now left]).
intros y; split; intros Hy; apply times_pos; intros Z.
- pose proof (PT y b ltac:(apply IU; tauto) ltac:(apply IU; tauto)) as Q.
  rewrite Z, Rmult_0_r in Q; apply Rmult_integral in Q; apply times_pos in Hy, Hb; tauto.
- pose proof (PT a y ltac:(apply IU; tauto) ltac:(apply IU; tauto)) as Q.
  rewrite Z, Rmult_0_l in Q; apply Rmult_integral in Q; apply times_pos in Hy, Ha; tauto.
Qed.

Theorem tuned_contextual r :
  (forall i k, (k < length (X i))%nat -> norm (output I X F m i k) < r) ->
  contextual I X F m r 0.
Proof.
intros Bounded; apply contextual_positions; split; [exact Bounded|]; intros i k j l Lk Ll Req; unfold output.
set (A := visible m k (X i)); set (B := visible m l (X j)).
set (x := token I X i k) in *; set (y := token I X j l) in *.
assert (V x) as Vx by (exists i; now apply nth_In).
assert (V y) as Vy by (exists j; now apply nth_In).
assert (forall z, In z A -> V z) as HA
  by (intros z Hz; exists i; exact (visible_incl _ m k _ z Hz)).
assert (forall z, In z B -> V z) as HB
  by (intros z Hz; exists j; exact (visible_incl _ m l _ z Hz)).
assert (A <> []) as NA by (now apply visible_some).
assert (B <> []) as NB by (now apply visible_some).
assert (forall z, V z -> length w = length z) as Lw
  by (intros z Vz; unfold w, apply; now rewrite map_length, dimension).
destruct (vec_dec x y) as [E|N].
- destruct Req as [NV|]; [|tauto]; rewrite <- E.
  assert (kappa * dot v x <> 0) as K by (apply Rmult_integral_contrapositive; auto).
  unfold F; rewrite same_token_distance by auto; fold w kappa.
  apply Rmult_lt_0_compat; [exact w_nonzero|].
  apply Rdiv_lt_0_compat; [|now apply Rabs_pos_lt]; apply Rabs_pos_lt; intros Z.
  apply NV; exact (same_context A B x Vx NA NB HA HB (Rminus_diag_uniq _ _ Z)).
- unfold F; rewrite !rank1_attention by auto; fold w; rewrite sub_shift
    by (rewrite <- ?(Lw x Vx), <- ?(Lw y Vy); reflexivity).
  set (a := rank1_read u1 u2 v A x); set (b := rank1_read u1 u2 v B y).
  assert (length (sub x y) = length (scale (a - b) w)) as El.
  { unfold sub; rewrite length_add; rewrite ?length_scale; rewrite <- ?(Lw x Vx), <- ?(Lw y Vy);
    reflexivity. }
  destruct tokens_apart as [Close|Parallel].
  + pose proof (norm_add_lower _ _ El) as Low; rewrite norm_scale in Low.
    pose proof (read_range A x NA HA) as Ra; pose proof (read_range B y NB HB) as Rb.
    fold a in Ra; fold b in Rb; pose proof (Close x y Vx Vy N) as C.
    assert (Rabs (a - b) * norm w <= norm w * (hi - lo)).
    { rewrite Rmult_comm; apply Rmult_le_compat_l; [lra | apply Rabs_le; lra]. }
    lra.
  + destruct (norm_nonneg (add (sub x y) (scale (a - b) w))) as [Pos|Zero]; [exact Pos|].
    exfalso; apply (Parallel x y (-1 * (a - b)) Vx Vy N).
    rewrite (norm_zero_add _ _ El (eq_sym Zero)); unfold scale; rewrite map_map.
    apply map_ext; intros c; ring.
Qed.
End Tuned.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma tuned_contextual_satisfiable : lindemann_weierstrass -> satisfiable tuned_contextual.
Proof.
intros LW; exists [1], [1], [1], [1], [[/ 8]], bool, example, 1%nat, NoMask, LW.
do 7 (unshelve eexists; [first [reflexivity | tokens | numbers |
  intros x y Hx Hy; apply example_tokens in Hx, Hy;
    destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]]; unfold rank1_score; simpl;
    (eexists (_ : Z), 1%Z; split; [easy|]; unfold Rdiv; rewrite Rinv_1;
     ((instantiate (1 := 1%Z); lra) || (instantiate (1 := 2%Z); lra) || (instantiate (1 := 3%Z); lra)
      || (instantiate (1 := 4%Z); lra) || (instantiate (1 := 6%Z); lra) || (instantiate (1 := 9%Z); lra))) |
  intros x y Hx Hy; apply example_tokens in Hx, Hy;
    destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]]; simpl; try reflexivity; lra |
  intros x Hx; apply example_tokens in Hx; destruct Hx as [->|[->| ->]]; simpl; lra]|]).
exists 1, 3.
unshelve eexists; [intros x Hx; apply example_tokens in Hx; destruct Hx as [->|[->| ->]]; simpl; lra|].
unshelve eexists; [left; intros x y Hx Hy N; apply example_tokens in Hx, Hy;
  destruct Hx as [->|[->| ->]], Hy as [->|[->| ->]]; try (now destruct N); simpl; numbers|].
exists (4 + 2 / 4); given (intros i k Lk; unfold output; apply output_bounded with (rmax := 4);
  [lra | numbers | numbers
   | destruct i, k as [|[|k]]; try reflexivity; simpl in Lk; lia
   | now apply visible_some
   | intros y Hy; apply visible_incl in Hy; revert y Hy;
     assert (forall y, (exists i, In y (example i)) -> norm y < 4) as B by tokens; eauto
   | destruct i, k as [|[|k]]; try (simpl in Lk; lia); unfold token; simpl; numbers]).
Qed.
Lemma tuned_contextual_falsifiable : falsifiable tuned_contextual.
Proof.
exists [1], [1], [1], [1], [[0]], bool, example, 1%nat, NoMask, 0, 0, 0.
apply zero_head_refuted; [simpl; f_equal; ring | lra].
Qed.
