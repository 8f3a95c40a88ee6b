(* Theorem 2 as the paper states it: data that are tokenwise separated have rank-1 weights,
   of any inner size s, that make softmax attention a contextual mapping with the paper's
   r and delta, |V| being the number of different tokens. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums lemma1 vectors definition2 softmax direction theorem2 theorem2_paper rank1 guard.
Import ListNotations.
Local Open Scope R_scope.

(* Definition 1, tokenwise separatedness, of tokens with d entries. *)
Definition separated (I : Type) (X : I -> list vec) (d : nat) (rmin rmax eps : R) : Prop :=
  (forall i x, In x (X i) -> length x = d /\ rmin < norm x < rmax) /\
  (forall i x j y, In x (X i) -> In y (X j) -> x <> y -> eps < norm (sub x y)).

(* V lists the different tokens of the dataset, so that |V| = length V. *)
Definition vocabulary (I : Type) (X : I -> list vec) (V : list vec) : Prop :=
  NoDup V /\ forall x, In x V <-> exists i, In x (X i).

Definition matrix (rows columns : nat) (W : list vec) : Prop :=
  length W = rows /\ forall row, In row W -> length row = columns.

(* W is u v^T with u and v not 0. *)
Definition rank_one (rows columns : nat) (W : list vec) : Prop :=
  exists u v, length u = rows /\ length v = columns /\ norm u <> 0 /\ norm v <> 0 /\
  W = outer u v.

Theorem rank_one_matrix rows columns W : rank_one rows columns W -> matrix rows columns W.
Proof.
intros (u & v & Lu & Lv & _ & _ & ->); unfold outer; split; [now rewrite map_length|].
intros row; rewrite in_map_iff; intros (a & <- & _); now rewrite length_scale.
Qed.

(* The differences of the tokens, one for each pair, and the tokens themselves. *)
Fixpoint pairs (l : list vec) : list vec :=
  match l with [] => [] | x :: l' => map (sub x) l' ++ pairs l' end.

Lemma pairs_length l : INR (length (pairs l)) = INR (length l) * (INR (length l) - 1) / 2.
Proof.
induction l as [|x l IH]; [simpl; lra|].
simpl pairs; rewrite app_length, map_length, plus_INR, IH.
change (length (x :: l)) with (S (length l)); rewrite S_INR; field.
Qed.

Lemma pairs_in l z : NoDup l -> In z (pairs l) ->
  exists x y, In x l /\ In y l /\ x <> y /\ z = sub x y.
Proof.
induction 1 as [|x l N U IH]; simpl; [easy|]; rewrite in_app_iff, in_map_iff.
intros [(y & <- & Hy)|H].
- exists x, y; repeat split; auto; now intros <-.
- destruct (IH H) as (a & b & Ha & Hb & Nab & ->); exists a, b; auto.
Qed.

Lemma in_pairs l x y : In x l -> In y l -> x <> y ->
  In (sub x y) (pairs l) \/ In (sub y x) (pairs l).
Proof.
induction l as [|a l IH]; simpl; [easy|]; rewrite !in_app_iff, !in_map_iff.
intros [->|Hx] [->|Hy] N.
- now destruct N.
- left; left; now exists y.
- right; left; now exists x.
- destruct (IH Hx Hy N); auto.
Qed.

Lemma dot_sub v x y : length x = length y -> dot v (sub x y) = dot v x - dot v y.
Proof.
intros E; unfold sub; rewrite dot_add_r by now rewrite length_scale.
rewrite dot_scale_r; ring.
Qed.

Lemma norm_sub_sym x y : norm (sub x y) = norm (sub y x).
Proof.
assert (sub x y = scale (-1) (sub y x)) as ->.
{ unfold sub, scale; revert y; induction x as [|a x IH]; intros [|b y]; simpl; try reflexivity.
  f_equal; [ring | apply IH]. }
rewrite norm_scale, Rabs_left by lra; ring.
Qed.

(* The direction: it keeps the share p of all distances in V and 0. *)
Theorem projection (d : nat) (V : list vec) : (1 <= d)%nat -> V <> [] -> NoDup V ->
  (forall x, In x V -> length x = d /\ norm x <> 0) ->
  (forall x y, In x V -> In y V -> x <> y -> norm (sub x y) <> 0) ->
  let p := sqrt (8 / (PI * INR d)) / INR (length V + 1) ^ 2 in
  exists v, length v = d /\ norm v <= 1 /\
  (forall x, In x V -> p * norm x <= Rabs (dot v x)) /\
  (forall x y, In x V -> In y V -> x <> y ->
     p * norm (sub x y) <= Rabs (dot v x - dot v y)).
Proof.
intros Dp NV UV HV DV p; set (l := V ++ pairs V).
destruct (direction d l) as (v & Lv & Nv & Hv).
{ unfold l; destruct V; easy. }
{ intros z; unfold l; rewrite in_app_iff; intros [H|H]; [auto|].
  destruct (pairs_in V z UV H) as (x & y & Hx & Hy & N & ->); split; [|auto].
  unfold sub; rewrite length_add; rewrite ?length_scale; [now apply HV|].
  transitivity d; [|symmetry]; now apply HV. }
assert (0 < INR (length V)) as V0 by (apply lt_0_INR; destruct V; [easy | simpl; lia]).
assert (1 <= INR d) as D1 by (apply le_INR in Dp; exact Dp).
set (c := INR (length V + 1)) in *.
assert (c = INR (length V) + 1) as Ec by (unfold c; rewrite plus_INR; reflexivity).
assert (INR (length l) = c * (c - 1) / 2) as El.
{ unfold l; rewrite app_length, plus_INR, pairs_length, Ec; field. }
assert (p <= / INR (length l)) as Lp.
{ assert (sqrt (8 / (PI * INR d)) <= 2) as S2.
  { replace 2 with (sqrt (2 * 2)) by (apply sqrt_square; lra).
    apply sqrt_le_1_alt; pose proof PI2_1 as P2.
    assert (2 <= PI * INR d).
    { replace 2 with (2 * 1) by ring; apply Rmult_le_compat; lra. }
    apply Rmult_le_reg_r with (PI * INR d); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  assert (0 < c * (c - 1) / 2) as K0.
  { apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
  assert (0 < c ^ 2) as C2 by (apply pow_lt; lra).
  rewrite El; unfold p; apply Rmult_le_reg_r with (c ^ 2); [exact C2|].
  unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (1 := S2); apply Rmult_le_reg_l with (c * (c - 1) / 2); [exact K0|].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  replace (c ^ 2) with (c * c) by ring; lra. }
assert (forall z, In z l -> p * norm z <= Rabs (dot v z)) as Main.
{ intros z Hz; apply Rle_trans with (2 := Hv z Hz); unfold Rdiv; rewrite Rmult_comm.
  apply Rmult_le_compat_l; [apply norm_nonneg | exact Lp]. }
exists v; repeat split; auto.
- intros x Hx; apply Main; unfold l; apply in_app_iff; auto.
- intros x y Hx Hy N.
  assert (length x = length y) as L by (transitivity d; [|symmetry]; now apply HV).
  destruct (in_pairs V x y Hx Hy N) as [H|H].
  + rewrite <- dot_sub by exact L; apply Main; unfold l; apply in_app_iff; auto.
  + rewrite Rabs_minus_sym, <- dot_sub, norm_sub_sym by auto.
    apply Main; unfold l; apply in_app_iff; auto.
Qed.

(* The multiple of the first unit vector. *)
Definition first_unit (s : nat) (a : R) : vec := a :: repeat 0 (s - 1).

Lemma dot_repeat0_l d x : dot (repeat 0 d) x = 0.
Proof. rewrite dot_comm; apply dot_repeat0. Qed.

Lemma first_unit_facts s a b : (1 <= s)%nat ->
  length (first_unit s a) = s /\ dot (first_unit s a) (first_unit s b) = a * b /\
  norm (first_unit s a) = Rabs a.
Proof.
intros S1; unfold first_unit, norm; simpl; rewrite repeat_length, !dot_repeat0_l, !Rplus_0_r.
repeat split; [lia|]; apply sqrt_Rsqr_abs.
Qed.

Theorem theorem2 (I : Type) (X : I -> list vec) (V : list vec) (m : mask) (d n s : nat)
    (rmin rmax eps : R) :
  0 < rmin -> 0 < eps -> (2 <= n)%nat -> (1 <= s)%nat ->
  separated I X d rmin rmax eps -> vocabulary I X V ->
  (forall i, NoDup (X i)) -> (exists i, length (X i) = n) ->
  exists WQ WK WV WO, rank_one s d WQ /\ rank_one s d WK /\ rank_one s d WV /\ matrix d s WO /\
  contextual I X (attention WQ WK WV WO) m
    (rmax + eps / 4) (paper_delta d n rmin rmax eps (INR (length V + 1))).
Proof.
intros Rm Ep N2 S1 [Sep Far] [UV HV] U Att.
assert (exists x, In x V) as (x0 & Hx0).
{ destruct Att as (i & E); destruct (X i) as [|x l] eqn:Xi; [simpl in E; lia|].
  exists x; apply HV; exists i; rewrite Xi; now left. }
assert (forall x, In x V -> length x = d /\ rmin < norm x < rmax) as Tok
  by (intros x Hx; apply HV in Hx; destruct Hx as (i & Hi); now apply (Sep i)).
assert (1 <= d)%nat as D1.
{ destruct (Tok x0 Hx0) as [<- [B _]]; destruct x0; [|simpl; lia].
  unfold norm in B; simpl in B; rewrite sqrt_0 in B; lra. }
destruct (projection d V D1) as (v & Lv & Nv & Pv & Qv); auto.
{ intros Z; rewrite Z in Hx0; destruct Hx0. }
{ intros x Hx; destruct (Tok x Hx); split; [assumption | lra]. }
{ intros x y Hx Hy Nxy; apply HV in Hx, Hy; destruct Hx as (i & Hi), Hy as (j & Hj).
  pose proof (Far i x j y Hi Hj Nxy); lra. }
assert (0 < rmax) as Rp by (destruct (Tok x0 Hx0); lra).
set (c := INR (length V + 1)) in *.
set (kappa := c ^ 4 * PI * INR d * (2 * ln (INR n) + 3) / (8 * eps * rmin)).
assert (0 < c) as C0 by (apply lt_0_INR; lia).
assert (0 < kappa) as K0.
{ unfold kappa; pose proof PI_RGT_0; assert (0 < INR d) by (apply lt_0_INR; lia).
  assert (0 <= ln (INR n)) by (apply log_nonneg; lia).
  apply Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat; lra].
  apply Rmult_lt_0_compat; [|lra]; apply Rmult_lt_0_compat; [|assumption].
  apply Rmult_lt_0_compat; [now apply pow_lt | assumption]. }
assert (norm v <> 0) as Vn.
{ intros Z; pose proof (Pv x0 Hx0) as P; pose proof (cauchy_schwarz v x0) as CS.
  rewrite Z, Rmult_0_l in CS; destruct (Tok x0 Hx0) as [_ [B _]].
  assert (0 < sqrt (8 / (PI * INR d)) / c ^ 2 * norm x0); [|lra].
  apply Rmult_lt_0_compat; [|lra]; apply Rdiv_lt_0_compat; [|now apply pow_lt].
  apply sqrt_lt_R0, Rdiv_lt_0_compat; [lra|]; apply Rmult_lt_0_compat; [apply PI_RGT_0|].
  apply lt_0_INR; lia. }
set (w := eps / (4 * rmax)); assert (0 < w) as W0 by (apply Rdiv_lt_0_compat; lra).
set (WO := map (first_unit s) (first_unit d w)).
assert (apply WO (first_unit s 1) = first_unit d w) as EW.
{ unfold apply, WO; rewrite map_map.
  transitivity (map (fun a => a) (first_unit d w)); [|apply map_id].
  apply map_ext; intros a; destruct (first_unit_facts s a 1 S1) as (_ & -> & _); ring. }
destruct (first_unit_facts s kappa 1 S1) as (L1 & _ & N1).
destruct (first_unit_facts s 1 kappa S1) as (L2 & Dk & N2').
destruct (first_unit_facts d w w D1) as (Lw & _ & Nw).
exists (outer (first_unit s kappa) v), (outer (first_unit s 1) v), (outer (first_unit s 1) v), WO.
assert (forall a, a <> 0 -> length (first_unit s a) = s -> norm (first_unit s a) = Rabs a ->
  rank_one s d (outer (first_unit s a) v)) as R1.
{ intros a A0 La Na; exists (first_unit s a), v; rewrite Na.
  repeat split; auto; now apply Rabs_no_R0. }
split; [apply R1; auto; lra|]; split; [apply R1; auto; lra|]; split; [apply R1; auto; lra|].
split.
{ unfold WO; split; [now rewrite map_length|]; intros row; rewrite in_map_iff.
  intros (a & <- & _); now apply (first_unit_facts s a a). }
apply theorem2_paper with (c := c); auto; try lia.
- intros x (i & Hi); now apply (Sep i).
- intros x (i & Hi); now apply (Sep i).
- intros x y (i & Hi) (j & Hj); now apply (Far i x j y).
- intros x Vx; apply Pv, HV, Vx.
- intros x y Vx Vy; apply Qv; now apply HV.
- unfold WO; now rewrite map_length.
- rewrite Dk, Rmult_1_l; reflexivity.
- rewrite EW, Nw, Rabs_pos_eq by lra; reflexivity.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma projection_satisfiable : satisfiable projection.
Proof.
exists 1%nat, [[1]]; given (first [lia | easy | nodup |
  intros x [<-|[]]; split; [reflexivity | rewrite norm_one, Rabs_R1; lra] |
  intros x y [<-|[]] [<-|[]] N; now destruct N]).
Qed.
Lemma projection_falsifiable : falsifiable projection.
Proof.
exists 1%nat, [[0; 1]]; intros (v & L & _ & P & _); specialize (P [0; 1] (or_introl eq_refl)).
destruct v as [|a [|b v]]; try discriminate L; unfold norm in P; simpl in P.
replace (0 * 0 + (1 * 1 + 0)) with 1 in P by ring; rewrite sqrt_1 in P.
replace (a * 0 + 0) with 0 in P by ring; rewrite Rabs_R0 in P; revert P; apply Rlt_not_le.
rewrite Rmult_1_r; apply Rdiv_lt_0_compat; [|lra].
apply sqrt_lt_R0, Rdiv_lt_0_compat; [lra|]; pose proof PI_RGT_0; lra.
Qed.

Lemma example_vocabulary : vocabulary bool example [[1]; [2]; [3]].
Proof.
split.
- repeat constructor; simpl; intros H; repeat destruct H as [H|H]; try (now destruct H); injection H; lra.
- intros x; split; [|intros E; apply example_tokens in E; simpl; intuition].
  intros [<-|[<-|[<-|[]]]]; [exists true | exists true | exists false]; simpl; auto.
Qed.

Lemma theorem2_data : separated bool example 1 (/ 2) 4 (/ 2) /\
  vocabulary bool example [[1]; [2]; [3]] /\ forall i, NoDup (example i).
Proof.
split; [|split; [exact example_vocabulary | exact example_nodup]]; split.
- intros i x Hx; assert (exists i, In x (example i)) as Ex by (now exists i).
  apply example_tokens in Ex; destruct Ex as [->|[->| ->]]; (split; [reflexivity|]);
    rewrite norm_one; unfold Rabs; destruct Rcase_abs; lra.
- assert (forall x y, (exists i, In x (example i)) -> (exists i, In y (example i)) -> x <> y ->
    / 2 < norm (sub x y)) as D by token_pairs; eauto.
Qed.

Lemma theorem2_satisfiable : satisfiable theorem2.
Proof.
destruct theorem2_data as (A & B & C).
exists bool, example, [[1]; [2]; [3]], NoMask, 1%nat, 2%nat, 1%nat, (/ 2), 4, (/ 2).
given (first [lra | lia | exact A | exact B | exact C | now exists true]).
Qed.
Lemma theorem2_falsifiable : falsifiable theorem2.
Proof.
exists bool, example, [], NoMask, 1%nat, 2%nat, 1%nat, 0, 0, 0.
intros (WQ & WK & WV & WO & _ & _ & _ & _ & C); apply contextual_positions in C.
destruct C as [B _]; specialize (B true 0%nat ltac:(simpl; lia)).
pose proof (norm_nonneg (output bool example (attention WQ WK WV WO) NoMask true 0)); lra.
Qed.
