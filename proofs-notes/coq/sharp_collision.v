(* No gap below log(2 + sqrt 3) suffices: {0, -x} and {0, -2x, ..., -(m+1)x} have equal values for some
   x between such a gap and log(2 + sqrt 3), where m is large enough. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums boltzmann gstar packing lemma_f sharp_gap guard.
Import ListNotations.
Local Open Scope R_scope.

(* q + ... + q^m and q + 2 q^2 + ... + m q^m. *)
Fixpoint powers (m : nat) (q : R) : R :=
  match m with O => 0 | S k => powers k q + q ^ S k end.
Fixpoint moments (m : nat) (q : R) : R :=
  match m with O => 0 | S k => moments k q + INR (S k) * q ^ S k end.

Lemma powers_closed m q : powers m q * (1 - q) = q - q ^ S m.
Proof. induction m as [|m IH]; simpl in *; [ring|]; rewrite Rmult_plus_distr_r, IH; ring. Qed.

Lemma moments_closed m q :
  moments m q * ((1 - q) * (1 - q)) = q - q ^ S m * (1 + INR m * (1 - q)).
Proof.
induction m as [|m IH]; [simpl; ring|].
cbn [moments]; rewrite Rmult_plus_distr_r, IH, S_INR; simpl; ring.
Qed.

(* Zero where the two sets have equal values; times (1-q)^2. *)
Definition balance (m : nat) (q : R) : R := 1 - powers m q - (1 + q) * moments m q.

Lemma balance_closed m q : balance m q * ((1 - q) * (1 - q))
  = 1 - 4 * q + q * q + q ^ S m * (1 - q + (1 + q) * (1 + INR m * (1 - q))).
Proof.
pose proof (powers_closed m q) as P; pose proof (moments_closed m q) as M; unfold balance.
replace ((1 - powers m q - (1 + q) * moments m q) * ((1 - q) * (1 - q)))
  with ((1 - q) * (1 - q) - powers m q * (1 - q) * (1 - q)
        - (1 + q) * (moments m q * ((1 - q) * (1 - q)))) by ring.
rewrite P, M; ring.
Qed.

(* The two sets. *)
Fixpoint steps (m : nat) (x : R) : list R :=
  match m with O => [] | S k => - (INR (S (S k)) * x) :: steps k x end.
Definition packed (m : nat) (x : R) : list R := 0 :: steps m x.

Lemma steps_exp m x : sum exp (steps m x) = ratio x * powers m (ratio x).
Proof.
induction m as [|m IH]; [simpl; ring|]; cbn [steps sum powers]; rewrite IH.
replace (exp (- (INR (S (S m)) * x))) with (ratio x ^ S (S m))
  by (unfold ratio; rewrite exp_multiple; f_equal; ring).
simpl; ring.
Qed.

Lemma steps_moment m x : sum (fun a => a * exp a) (steps m x)
  = - (x * ratio x * (powers m (ratio x) + moments m (ratio x))).
Proof.
induction m as [|m IH]; [simpl; ring|]; cbn [steps sum powers moments]; rewrite IH.
replace (exp (- (INR (S (S m)) * x))) with (ratio x ^ S (S m))
  by (unfold ratio; rewrite exp_multiple; f_equal; ring).
rewrite (S_INR (S m)); simpl (_ ^ S (S m)); simpl (_ ^ S m); ring.
Qed.

Lemma in_steps m x a : In a (steps m x) -> exists k, (2 <= k <= S m)%nat /\ a = - (INR k * x).
Proof.
induction m as [|m IH]; [intros []|]; cbn [steps]; intros [<-|H].
- exists (S (S m)); split; [lia | reflexivity].
- destruct (IH H) as (k & Hk & E); exists k; split; [lia | exact E].
Qed.

Lemma steps_nodup m x : 0 < x -> NoDup (steps m x).
Proof.
intros P; induction m as [|m IH]; cbn [steps]; constructor; [|exact IH].
intros H; apply in_steps in H; destruct H as (k & Hk & E).
assert (INR k < INR (S (S m))) as L by (apply lt_INR; lia).
apply Rmult_lt_compat_r with (r := x) in L; lra.
Qed.

(* All values are multiples of x. *)
Lemma multiples_spread (l : list R) x g : 0 < x -> g <= x ->
  (forall a, In a l -> exists k, a = - (INR k * x)) -> spread g l.
Proof.
intros P L M a b Ha Hb N; destruct (M a Ha) as (i & ->), (M b Hb) as (j & ->).
assert (forall n p, (n < p)%nat -> x <= INR p * x - INR n * x) as Step.
{ intros n p Lt; apply le_INR in Lt; rewrite S_INR in Lt.
  assert ((INR n + 1) * x <= INR p * x) by (apply Rmult_le_compat_r; lra); lra. }
destruct (Nat.lt_trichotomy i j) as [H|[->|H]]; [|now destruct N|];
  pose proof (Step _ _ H); unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma balanced_boltz m x : 0 < x -> balance m (ratio x) = 0 -> boltz [0; - x] = boltz (packed m x).
Proof.
intros P E; unfold boltz, partition, packed; cbn [sum]; rewrite steps_exp, steps_moment, exp_0.
fold (ratio x); set (q := ratio x) in *; unfold balance in E.
assert (0 < q < 1) as Q by (split; [apply ratio_pos | now apply ratio_lt_1]).
assert (0 <= powers m q) as R.
{ clear E; induction m as [|m IH]; simpl; [lra|].
  assert (0 < q * q ^ m) by (apply Rmult_lt_0_compat; [|apply pow_lt]; lra); lra. }
assert (0 <= q * powers m q) by (apply Rmult_le_pos; lra).
set (r := powers m q) in *; set (d := moments m q) in *.
apply Rmult_eq_reg_r with ((1 + q) * (1 + q * r)).
2:{ apply Rmult_integral_contrapositive; split; lra. }
replace ((0 * 1 + (- x * q + 0)) / (1 + (q + 0)) * ((1 + q) * (1 + q * r)))
  with (- x * q * (1 + q * r)) by (field; lra).
replace ((0 * 1 + - (x * q * (r + d))) / (1 + q * r) * ((1 + q) * (1 + q * r)))
  with (- x * q * ((1 + q) * (r + d))) by (field; lra).
f_equal; lra.
Qed.

(* Signs at both ends. *)
Lemma balance_at_sharp m : 0 < balance m (ratio sharp).
Proof.
pose proof (sharp_ratio sharp (Rle_refl _)) as [Q _]; pose proof (balance_closed m (ratio sharp)) as E.
assert (1 - 4 * ratio sharp + ratio sharp * ratio sharp = 0) as Z.
{ rewrite ratio_sharp; pose proof (sqrt_sqrt 3 ltac:(lra)); lra. }
rewrite Z in E; set (q := ratio sharp) in *.
assert (0 < (1 - q) * (1 - q)) as P by (apply Rmult_lt_0_compat; lra).
apply Rmult_lt_reg_r with ((1 - q) * (1 - q)); [exact P|]; rewrite Rmult_0_l, E, Rplus_0_l.
apply Rmult_lt_0_compat; [apply pow_lt; lra|].
assert (0 <= INR m * (1 - q)) by (apply Rmult_le_pos; [apply pos_INR | lra]).
assert (0 < (1 + q) * (1 + INR m * (1 - q))) by (apply Rmult_lt_0_compat; lra); lra.
Qed.

(* q^(m+1) (2m + 3) <= 12/((m+1) g^2), as e^y >= y^2/4. *)
Lemma balance_below g : 1 <= g -> g < sharp -> exists m, balance m (ratio g) < 0.
Proof.
intros G1 L; set (q := ratio g).
assert (0 < q < 1) as Q by (split; [apply ratio_pos | apply ratio_lt_1; lra]).
assert (2 - sqrt 3 < q) as Qs by (rewrite <- ratio_sharp; apply exp_increasing; lra).
pose proof sqrt_3 as S3; pose proof (sqrt_sqrt 3 ltac:(lra)).
set (e := - (1 - 4 * q + q * q)).
assert (0 < e) as E.
{ unfold e; assert (0 < (q - (2 - sqrt 3)) * (2 + sqrt 3 - q)) by (apply Rmult_lt_0_compat; lra); lra. }
destruct (archimed_cor1 (e / 12)) as (N & HN & PN); [lra|].
destruct N as [|m]; [lia|]; exists m.
assert (0 < INR (S m)) as Pm by (apply lt_0_INR; lia).
assert (q ^ S m * (INR (S m) * INR (S m)) <= 4) as Small.
{ pose proof (exp_power (INR (S m)) 2 ltac:(lia) ltac:(lra)) as X.
  replace (INR 2) with 2 in X by (simpl; ring).
  assert (q ^ S m * exp (INR (S m)) <= 1) as Y.
  { unfold q, ratio; rewrite exp_multiple, <- exp_plus.
    assert (INR (S m) * 1 <= INR (S m) * g) by (apply Rmult_le_compat_l; lra).
    pose proof (ratio_decreasing 0 (INR (S m) * g - INR (S m)) ltac:(lra)) as D.
    unfold ratio in D; rewrite Ropp_0, exp_0 in D.
    replace (INR (S m) * - g + INR (S m)) with (- (INR (S m) * g - INR (S m))) by ring; exact D. }
  assert (0 < q ^ S m) by (apply pow_lt; lra).
  assert (q ^ S m * (1 + INR (S m) / 2) ^ 2 <= q ^ S m * exp (INR (S m)))
    by (apply Rmult_le_compat_l; lra).
  assert (q ^ S m * (INR (S m) * INR (S m) / 4) <= q ^ S m * (1 + INR (S m) / 2) ^ 2).
  { apply Rmult_le_compat_l; [lra|]; set (k := INR (S m)) in *.
    replace ((1 + k / 2) ^ 2) with (1 + k + k * k / 4) by field; lra. }
  lra. }
assert (q ^ S m * INR (S m) < e / 3) as Tiny.
{ apply Rmult_lt_reg_r with (INR (S m)); [exact Pm|]; rewrite Rmult_assoc.
  apply Rle_lt_trans with (1 := Small).
  apply Rmult_lt_compat_r with (r := INR (S m)) in HN; [|exact Pm].
  rewrite Rinv_l in HN by lra; lra. }
pose proof (balance_closed m q) as B.
assert (0 < (1 - q) * (1 - q)) as P by (apply Rmult_lt_0_compat; lra).
apply Rmult_lt_reg_r with ((1 - q) * (1 - q)); [exact P|]; rewrite Rmult_0_l, B.
assert (1 - q + (1 + q) * (1 + INR m * (1 - q)) <= 3 * INR (S m)) as C.
{ rewrite S_INR; pose proof (pos_INR m).
  assert ((1 + q) * (INR m * (1 - q)) <= 2 * (INR m * 1)).
  { apply Rmult_le_compat; try lra; [|apply Rmult_le_compat_l; lra]. apply Rmult_le_pos; lra. }
  lra. }
assert (q ^ S m * (1 - q + (1 + q) * (1 + INR m * (1 - q))) <= q ^ S m * (3 * INR (S m))).
{ apply Rmult_le_compat_l; [left; apply pow_lt; lra | exact C]. }
unfold e in *; lra.
Qed.

Lemma balance_continuous m : continuity (fun x => - balance m (ratio x)).
Proof.
assert (continuity ratio) as Cr by (unfold ratio; reg).
assert (forall n, continuity (fun x => ratio x ^ n)) as Cp.
{ induction n; [apply continuity_const; now intros ? ?|].
  now apply (continuity_mult ratio (fun x => ratio x ^ n)). }
assert (continuity (fun x => powers m (ratio x))) as C1.
{ induction m as [|m IH]; [apply continuity_const; now intros ? ?|].
  now apply (continuity_plus (fun x => powers m (ratio x)) (fun x => ratio x ^ S m)). }
assert (continuity (fun x => moments m (ratio x))) as C2.
{ clear C1; induction m as [|m IH]; [apply continuity_const; now intros ? ?|].
  apply (continuity_plus (fun x => moments m (ratio x)) (fun x => INR (S m) * ratio x ^ S m)); [exact IH|].
  now apply (continuity_scal (fun x => ratio x ^ S m)). }
unfold balance; apply (continuity_opp (fun x => 1 - powers m (ratio x) - (1 + ratio x) * moments m (ratio x))).
apply (continuity_minus (fun x => 1 - powers m (ratio x)) (fun x => (1 + ratio x) * moments m (ratio x))).
- apply (continuity_minus (fun _ => 1) (fun x => powers m (ratio x))); [|exact C1].
  apply continuity_const; now intros ? ?.
- apply (continuity_mult (fun x => 1 + ratio x) (fun x => moments m (ratio x))); [|exact C2].
  apply (continuity_plus (fun _ => 1) ratio); [|exact Cr].
  apply continuity_const; now intros ? ?.
Qed.

(* Below log(2 + sqrt 3) different sets can have equal values. *)
Theorem sharp_collision g : g < sharp ->
  exists A B, NoDup A /\ NoDup B /\ A <> [] /\ B <> [] /\ spread g (A ++ B) /\
    (exists x, differ A B x) /\ boltz A = boltz B.
Proof.
intros L; pose proof sharp_above as S1.
set (g' := Rmax g 1); assert (g <= g') as Lg by apply Rmax_l.
assert (1 <= g') as L1 by apply Rmax_r.
assert (g' < sharp) as L' by (unfold g'; apply Rmax_lub_lt; lra).
destruct (balance_below g' L1 L') as (m & Neg).
pose proof (balance_at_sharp m) as Pos.
destruct (IVT_cor (fun x => - balance m (ratio x)) g' sharp) as (x & [X1 X2] & E).
- apply balance_continuous.
- lra.
- assert (0 <= - balance m (ratio g') * balance m (ratio sharp)) by (apply Rmult_le_pos; lra); lra.
- assert (forall a, In a ([0; - x] ++ packed m x) -> exists k, a = - (INR k * x)) as M.
  { intros a; rewrite in_app_iff; unfold packed; simpl; intros [[<-|[<-|[]]]|[<-|H]].
    - exists 0%nat; simpl; ring.
    - exists 1%nat; simpl; ring.
    - exists 0%nat; simpl; ring.
    - apply in_steps in H; destruct H as (k & _ & E'); now exists k. }
  assert (forall a, In a (steps m x) -> a <= - (2 * x)) as Far.
  { intros a H; apply in_steps in H; destruct H as (k & [K _] & ->); apply le_INR in K; simpl in K.
    assert (2 * x <= INR k * x) by (apply Rmult_le_compat_r; lra); lra. }
  exists [0; - x], (packed m x); repeat split; try easy.
  + nodup.
  + constructor; [|apply steps_nodup; lra]; intros H; specialize (Far 0 H); lra.
  + apply multiples_spread with x; [lra | lra | exact M].
  + exists (- x); left; split; [simpl; auto|]; intros [H|H]; [lra|]; specialize (Far _ H); lra.
  + apply balanced_boltz; lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma sharp_collision_satisfiable : satisfiable sharp_collision.
Proof. exists 1; pose proof sharp_above; given lra. Qed.
Lemma sharp_collision_falsifiable : falsifiable sharp_collision.
Proof.
exists 2; intros (A & B & UA & UB & NA & NB & S & D & E); pose proof sharp_lt_2 as L.
destruct (sharp_gap 2 A B L UA UB NA NB S D) as (M & M' & _ & _ & H).
rewrite E, Rminus_diag_eq, Rabs_R0 in H by reflexivity.
destruct H as [(_ & H1 & H2) | (_ & c & _ & H1 & H2)]; lra.
Qed.
