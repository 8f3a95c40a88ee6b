(* The Boltzmann operator: bounds, and the identities (L) and (M). *)

From Coq Require Import Reals List Permutation Lra.
From attest Require Import sums guard.
Import ListNotations.
Local Open Scope R_scope.

Definition partition (l : list R) : R := sum exp l.
Definition boltz (l : list R) : R := sum (fun a => a * exp a) l / partition l.

Lemma partition_pos l : l <> [] -> 0 < partition l.
Proof. intros N; apply sum_pos; [exact N | intros; apply exp_pos]. Qed.

Lemma boltz_perm l l' : Permutation l l' -> boltz l = boltz l'.
Proof. intros P; unfold boltz, partition; now rewrite !(sum_perm _ _ _ P). Qed.

Lemma exp_lower x : 1 + x <= exp x.
Proof.
destruct (Req_dec x 0) as [->|N]; [rewrite exp_0; lra|].
left; now apply exp_ineq1.
Qed.

(* boltz = log-sum-exp minus the entropy of the softmax weights. *)
Definition weight (l : list R) (a : R) : R := exp a / partition l.
Definition entropy (l : list R) : R := sum (fun a => - (weight l a * ln (weight l a))) l.

Theorem boltz_lse_entropy l : l <> [] -> boltz l = ln (partition l) - entropy l.
Proof.
intros N; pose proof (partition_pos l N) as Z; unfold entropy.
rewrite (sum_ext _ (fun a => / partition l * ln (partition l) * exp a
                             + (- / partition l) * (a * exp a))).
- rewrite sum_plus, !sum_scal; unfold boltz; fold (partition l); field; lra.
- intros a _; unfold weight, Rdiv.
  rewrite ln_mult, ln_Rinv, ln_exp; [ring | assumption | apply exp_pos |].
  now apply Rinv_0_lt_compat.
Qed.

(* The sharper lower bound, log-sum-exp minus log n. *)
Theorem boltz_ge_lse l : l <> [] -> ln (partition l) - ln (INR (length l)) <= boltz l.
Proof.
intros N; pose proof (partition_pos l N) as Z.
assert (0 < INR (length l)) as Ln by
  (apply lt_0_INR; destruct l; [easy | simpl; apply Nat.lt_0_succ]).
set (y := ln (partition l) - ln (INR (length l))).
assert (exp y = partition l / INR (length l)) as Ey.
{ unfold y, Rminus; rewrite exp_plus, exp_Ropp, !exp_ln by assumption; reflexivity. }
assert (sum (fun a => (1 + y) * exp a + -1 * (a * exp a)) l
        <= sum (fun _ => partition l / INR (length l)) l) as S.
{ apply sum_le; intros a _; rewrite <- Ey.
  replace (exp y) with (exp a * exp (y - a)) by (rewrite <- exp_plus; f_equal; ring).
  pose proof (exp_lower (y - a)) as E; pose proof (exp_pos a).
  replace ((1 + y) * exp a + -1 * (a * exp a)) with (exp a * (1 + (y - a))) by ring.
  apply Rmult_le_compat_l; lra. }
rewrite sum_plus, !sum_scal, sum_const in S; fold (partition l) in S.
replace (INR (length l) * (partition l / INR (length l))) with (partition l) in S
  by (field; lra).
unfold boltz; apply Rmult_le_reg_r with (partition l); [exact Z|].
replace (sum (fun a => a * exp a) l / partition l * partition l)
  with (sum (fun a => a * exp a) l) by (field; lra).
lra.
Qed.

Theorem boltz_le_max l M : l <> [] -> (forall a, In a l -> a <= M) -> boltz l <= M.
Proof.
intros N E; pose proof (partition_pos l N) as Z.
unfold boltz; apply Rmult_le_reg_r with (partition l); [exact Z|].
replace (sum (fun a => a * exp a) l / partition l * partition l)
  with (sum (fun a => a * exp a) l) by (field; lra).
unfold partition; rewrite <- sum_scal; apply sum_le; intros a Ha.
apply Rmult_le_compat_r; [left; apply exp_pos | apply E, Ha].
Qed.

Theorem boltz_ge_min l m : l <> [] -> (forall a, In a l -> m <= a) -> m <= boltz l.
Proof.
intros N E; pose proof (partition_pos l N) as Z.
unfold boltz; apply Rmult_le_reg_r with (partition l); [exact Z|].
replace (sum (fun a => a * exp a) l / partition l * partition l)
  with (sum (fun a => a * exp a) l) by (field; lra).
unfold partition; rewrite <- sum_scal; apply sum_le; intros a Ha.
apply Rmult_le_compat_r; [left; apply exp_pos | apply E, Ha].
Qed.

(* max - log n <= boltz <= max, repetitions allowed. *)
Theorem boltz_bounds l M : In M l -> (forall a, In a l -> a <= M) ->
  M - ln (INR (length l)) <= boltz l <= M.
Proof.
intros Hin E; assert (l <> []) as N by (intros ->; destruct Hin).
split; [|now apply boltz_le_max].
apply Rle_trans with (ln (partition l) - ln (INR (length l))); [|now apply boltz_ge_lse].
apply Rplus_le_compat_r; rewrite <- (ln_exp M) at 1.
assert (exp M <= partition l) as Le.
{ apply (sum_ge_one exp); [exact Hin | intros; left; apply exp_pos]. }
destruct Le as [Lt|Eq]; [left; apply ln_increasing; [apply exp_pos | exact Lt]|].
rewrite Eq; lra.
Qed.

(* (L).  A = C + A', B = C + B' as multisets; for sets see [identity_L_sets]. *)
Theorem identity_L (A B C A' B' : list R) : A <> [] -> B <> [] ->
  Permutation A (C ++ A') -> Permutation B (C ++ B') ->
  boltz A - boltz B =
  (sum (fun a => (a - boltz B) * exp a) A'
   - sum (fun b => (b - boltz B) * exp b) B') / partition A.
Proof.
intros NA NB PA PB.
pose proof (partition_pos A NA) as ZA; pose proof (partition_pos B NB) as ZB.
set (f := fun x => (x - boltz B) * exp x).
assert (forall l, sum f l = sum (fun x => x * exp x) l - boltz B * partition l) as F.
{ intros l; unfold f, partition, Rminus; rewrite <- sum_scal.
  induction l as [|x l IH]; simpl; [ring | rewrite IH; ring]. }
assert (sum f B = 0) as F0.
{ rewrite F; unfold boltz; field; lra. }
assert (sum f A = sum f A' - sum f B') as FA.
{ rewrite (sum_perm f _ _ PB), sum_app in F0.
  rewrite (sum_perm f _ _ PA), sum_app; lra. }
rewrite <- FA, F; unfold boltz at 1; field; lra.
Qed.

Theorem identity_L_sets (A B : list R) : NoDup A -> NoDup B -> A <> [] -> B <> [] ->
  boltz A - boltz B =
  (sum (fun a => (a - boltz B) * exp a) (minus A B)
   - sum (fun b => (b - boltz B) * exp b) (minus B A)) / partition A.
Proof.
intros UA UB NA NB.
apply identity_L with (common A B); auto using split_perm.
apply perm_trans with (common B A ++ minus B A); [apply split_perm|].
apply Permutation_app_tail, common_sym; assumption.
Qed.

(* (M).  An entry (x, a, b): the value x has multiplicity a in A and b in B;
   the multiplicities may be any reals with non-zero partition sums. *)
Definition entry : Type := (R * R * R)%type.
Definition val (e : entry) : R := fst (fst e).
Definition mulA (e : entry) : R := snd (fst e).
Definition mulB (e : entry) : R := snd e.

Definition partition_of (m : entry -> R) (l : list entry) : R :=
  sum (fun e => m e * exp (val e)) l.
Definition boltz_of (m : entry -> R) (l : list entry) : R :=
  sum (fun e => m e * (val e * exp (val e))) l / partition_of m l.

Definition minor (e f : entry) : R :=
  (mulA e * mulB f - mulA f * mulB e) * (val e - val f) * exp (val e + val f).

(* The sum of minors over pairs i < j of the list. *)
Fixpoint minors (l : list entry) : R :=
  match l with [] => 0 | e :: l' => sum (minor e) l' + minors l' end.

Theorem identity_M (l : list entry) : partition_of mulA l <> 0 -> partition_of mulB l <> 0 ->
  boltz_of mulA l - boltz_of mulB l
  = minors l / (partition_of mulA l * partition_of mulB l).
Proof.
intros ZA ZB.
assert (minors l = sum (fun e => mulA e * (val e * exp (val e))) l * partition_of mulB l
                 - sum (fun e => mulB e * (val e * exp (val e))) l * partition_of mulA l) as E.
{ clear; unfold partition_of; induction l as [|e l IH]; simpl; [ring|].
  rewrite IH; clear IH.
  assert (sum (minor e) l =
      mulA e * val e * exp (val e) * sum (fun f => mulB f * exp (val f)) l
      - mulA e * exp (val e) * sum (fun f => mulB f * (val f * exp (val f))) l
      - mulB e * val e * exp (val e) * sum (fun f => mulA f * exp (val f)) l
      + mulB e * exp (val e) * sum (fun f => mulA f * (val f * exp (val f))) l) as S.
  { induction l as [|f l IH]; simpl; [ring|].
    rewrite IH; unfold minor; rewrite exp_plus; ring. }
  rewrite S; ring. }
rewrite E; unfold boltz_of; field; split; assumption.
Qed.

(* (L) with multiplicities, for every a and every b <> 0: with (a, b) those of the
   largest value, every value with proportional multiplicities drops out. *)
Theorem identity_L_multiplicities (l : list entry) (a b : R) :
  partition_of mulA l <> 0 -> partition_of mulB l <> 0 -> b <> 0 ->
  boltz_of mulA l - boltz_of mulB l
  = sum (fun e => (mulA e * b - mulB e * a) * (val e - boltz_of mulB l) * exp (val e)) l
    / (b * partition_of mulA l).
Proof.
intros ZA ZB Nb; set (beta := boltz_of mulB l).
assert (forall m : entry -> R, sum (fun e => m e * (val e - beta) * exp (val e)) l
  = sum (fun e => m e * (val e * exp (val e))) l - beta * partition_of m l) as S.
{ intros m; unfold partition_of; generalize beta; clear; intros beta.
  induction l as [|e l IH]; simpl; [ring | rewrite IH; ring]. }
assert (sum (fun e => mulB e * (val e - beta) * exp (val e)) l = 0) as Z.
{ rewrite S; unfold beta, boltz_of; field; exact ZB. }
assert (sum (fun e => (mulA e * b - mulB e * a) * (val e - beta) * exp (val e)) l
  = b * sum (fun e => mulA e * (val e - beta) * exp (val e)) l
    - a * sum (fun e => mulB e * (val e - beta) * exp (val e)) l) as E.
{ generalize beta; clear; intros beta.
  induction l as [|e l IH]; simpl; [ring | rewrite IH; ring]. }
rewrite E, Z, S; unfold boltz_of at 1; field; now split.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma boltz_single a : boltz [a] = a.
Proof. unfold boltz, partition; simpl; pose proof (exp_pos a); field; lra. Qed.

Lemma boltz_nil : boltz [] = 0.
Proof. unfold boltz; simpl; unfold Rdiv; ring. Qed.

Lemma boltz_lse_entropy_satisfiable : satisfiable boltz_lse_entropy.
Proof. now exists [0]. Qed.

Lemma boltz_bounds_satisfiable : satisfiable boltz_bounds.
Proof. exists [0], 0; given (simpl; auto; members). Qed.
Lemma boltz_bounds_falsifiable : falsifiable boltz_bounds.
Proof. exists [0], 1; rewrite boltz_single; simpl; rewrite ln_1; lra. Qed.

Lemma identity_L_satisfiable : satisfiable identity_L.
Proof. exists [0], [0], [0], [], []; given easy. Qed.
Lemma identity_L_falsifiable : falsifiable identity_L.
Proof. exists [1], [0], [], [], []; rewrite !boltz_single; simpl; unfold Rdiv; lra. Qed.

Lemma identity_L_sets_satisfiable : satisfiable identity_L_sets.
Proof. exists [0], [0]; given (easy || nodup). Qed.
Lemma identity_L_sets_falsifiable : falsifiable identity_L_sets.
Proof.
exists [], [1]; rewrite boltz_nil, boltz_single; simpl sum; unfold minus; simpl.
unfold Rdiv; lra.
Qed.

Lemma identity_M_satisfiable : satisfiable identity_M.
Proof.
exists [(0, 1, 1)]; given (unfold partition_of, mulA, mulB, val; simpl; rewrite exp_0; lra).
Qed.
Lemma identity_M_falsifiable : falsifiable identity_M.
Proof.
exists [(1, 1, 0)]; unfold boltz_of, partition_of, mulA, mulB, val; simpl.
pose proof (exp_pos 1); intros E; unfold Rdiv in E.
replace ((1 * (1 * exp 1) + 0) * / (1 * exp 1 + 0)) with 1 in E by (field; lra); lra.
Qed.

Lemma identity_L_multiplicities_satisfiable : satisfiable identity_L_multiplicities.
Proof.
exists [(0, 1, 1)], 1, 1; given (unfold partition_of, mulA, mulB, val; simpl; rewrite ?exp_0; lra).
Qed.
Lemma identity_L_multiplicities_falsifiable : falsifiable identity_L_multiplicities.
Proof.
exists [(1, 1, 0)], 0, 0; unfold boltz_of, partition_of, mulA, mulB, val; simpl.
pose proof (exp_pos 1); intros E; unfold Rdiv in E.
replace ((1 * (1 * exp 1) + 0) * / (1 * exp 1 + 0)) with 1 in E by (field; lra); lra.
Qed.
