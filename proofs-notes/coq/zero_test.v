(* Deciding equality of sums of exponentials at rational points.

   The theorem of Lindemann and Weierstrass is a premise, written out in
   [lindemann_weierstrass]; nothing here is an axiom. *)

From Coq Require Import Reals ZArith List Permutation Lra.
From attest Require Import sums boltzmann guard.
Import ListNotations.
Local Open Scope R_scope.

Definition rational (x : R) : Prop := exists p q : Z, q <> 0%Z /\ x = IZR p / IZR q.

Lemma rational_plus x y : rational x -> rational y -> rational (x + y).
Proof.
intros (p & q & N & ->) (p' & q' & N' & ->); exists (p * q' + p' * q)%Z, (q * q')%Z.
split; [now apply Z.neq_mul_0|]; apply IZR_neq in N, N'.
rewrite plus_IZR, !mult_IZR; field; now split.
Qed.

Lemma rational_mult x y : rational x -> rational y -> rational (x * y).
Proof.
intros (p & q & N & ->) (p' & q' & N' & ->); exists (p * p')%Z, (q * q')%Z.
split; [now apply Z.neq_mul_0|]; apply IZR_neq in N, N'.
rewrite !mult_IZR; field; now split.
Qed.

Lemma rational_minus x y : rational x -> rational y -> rational (x - y).
Proof.
intros X (p & q & N & ->); apply (rational_plus x _ X); exists (- p)%Z, q; split; [exact N|].
apply IZR_neq in N; rewrite opp_IZR; field; exact N.
Qed.

(* A term (c, x) means c e^x. *)
Definition evaluate (l : list (R * R)) : R := sum (fun t => fst t * exp (snd t)) l.
Definition rational_terms (l : list (R * R)) : Prop :=
  forall t, In t l -> rational (fst t) /\ rational (snd t).

(* Exponentials of distinct rationals are linearly independent over the
   rationals: a special case of the theorem of Lindemann and Weierstrass. *)
Definition lindemann_weierstrass : Prop :=
  forall l : list (R * R), rational_terms l -> NoDup (map snd l) -> evaluate l = 0 ->
  forall t, In t l -> fst t = 0.

(* The collected coefficient of e^x. *)
Definition collected (l : list (R * R)) (x : R) : R :=
  sum (fun t => if Req_EM_T (snd t) x then fst t else 0) l.

Lemma sum_indicator (E : list R) (c x : R) : NoDup E -> In x E ->
  sum (fun e => (if Req_EM_T x e then c else 0) * exp e) E = c * exp x.
Proof.
induction 1 as [|e E Ne U IH]; simpl; [tauto|]; intros [->|Hx].
- destruct (Req_EM_T x x) as [_|n]; [|tauto].
  rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_const; ring|].
  intros y Hy; destruct (Req_EM_T x y) as [->|_]; [tauto | ring].
- rewrite IH by exact Hx; destruct (Req_EM_T x e) as [->|_]; [tauto | ring].
Qed.

Lemma evaluate_collected (l : list (R * R)) (E : list R) : NoDup E ->
  (forall t, In t l -> In (snd t) E) ->
  evaluate l = sum (fun e => collected l e * exp e) E.
Proof.
intros U; unfold evaluate, collected; induction l as [|t l IH]; intros I; simpl.
- rewrite (sum_ext _ (fun _ => 0)) by (intros; ring); rewrite sum_const; ring.
- rewrite IH by (intros; apply I; now right).
  rewrite (sum_ext
    (fun e => ((if Req_EM_T (snd t) e then fst t else 0)
      + sum (fun t0 => if Req_EM_T (snd t0) e then fst t0 else 0) l) * exp e)
    (fun e => (if Req_EM_T (snd t) e then fst t else 0) * exp e
      + sum (fun t0 => if Req_EM_T (snd t0) e then fst t0 else 0) l * exp e))
    by (intros; ring).
  rewrite sum_plus, sum_indicator; [reflexivity | exact U | apply I; now left].
Qed.

Lemma rational_collected l x : rational_terms l -> rational (collected l x).
Proof.
intros Q; unfold collected; induction l as [|t l IH]; simpl.
- exists 0%Z, 1%Z; split; [easy | field].
- apply rational_plus; [|apply IH; intros u Hu; apply Q; now right].
  destruct (Req_EM_T (snd t) x); [apply Q; now left|].
  exists 0%Z, 1%Z; split; [easy | field].
Qed.

(* The zero test: collect equal exponents, compare every coefficient with 0. *)
Theorem zero_test (l : list (R * R)) : lindemann_weierstrass -> rational_terms l ->
  (evaluate l = 0 <-> forall x, collected l x = 0).
Proof.
intros LW Q; set (E := nodup Req_EM_T (map snd l)).
assert (NoDup E) as U by apply NoDup_nodup.
assert (forall t, In t l -> In (snd t) E) as I
  by (intros t Ht; apply nodup_In, in_map, Ht).
rewrite (evaluate_collected l E U I); split.
- intros Z x; destruct (in_dec Req_EM_T x E) as [Hx|Hx].
  + apply (LW (map (fun e => (collected l e, e)) E)) with (t := (collected l x, x)).
    * intros t Ht; apply in_map_iff in Ht; destruct Ht as (e & <- & He); simpl.
      split; [now apply rational_collected|].
      apply nodup_In, in_map_iff in He; destruct He as (u & <- & Hu); now apply Q.
    * rewrite map_map; simpl; now rewrite map_id.
    * unfold evaluate; rewrite sum_map; exact Z.
    * apply in_map_iff; now exists x.
  + unfold collected; rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_const; ring|].
    intros t Ht; destruct (Req_EM_T (snd t) x) as [e|_]; [|reflexivity].
    destruct Hx; rewrite <- e; now apply I.
- intros Z; rewrite (sum_ext _ (fun _ => 0)) by (intros; rewrite Z; ring).
  rewrite sum_const; ring.
Qed.

(* Equality of Boltzmann values.  Entries (x, a, b) as in identity (M). *)
Definition parallel (e f : entry) : Prop := mulA e * mulB f = mulA f * mulB e.
Definition proportional (l : list entry) : Prop :=
  forall e f, In e l -> In f l -> parallel e f.

Definition term (e f : entry) : R * R :=
  ((mulA e * mulB f - mulA f * mulB e) * (val e - val f), val e + val f).
Fixpoint terms (l : list entry) : list (R * R) :=
  match l with [] => [] | e :: l' => map (term e) l' ++ terms l' end.

Lemma minors_terms l : minors l = evaluate (terms l).
Proof.
unfold evaluate; induction l as [|e l IH]; simpl; [reflexivity|].
rewrite sum_app, sum_map, IH; reflexivity.
Qed.

Lemma in_terms l t : In t (terms l) -> exists e f, In e l /\ In f l /\ t = term e f.
Proof.
induction l as [|e l IH]; simpl; [tauto|]; rewrite in_app_iff, in_map_iff.
intros [(f & <- & Hf)|Ht]; [exists e, f; auto|].
destruct (IH Ht) as (e' & f & He & Hf & Et); exists e', f; auto.
Qed.

Lemma parallel_through e0 e f : mulA e0 <> 0 \/ mulB e0 <> 0 ->
  parallel e e0 -> parallel f e0 -> parallel e f.
Proof.
unfold parallel; intros N E F; destruct N as [N|N].
- apply Rmult_eq_reg_l with (mulA e0); [|exact N].
  replace (mulA e0 * (mulA e * mulB f)) with (mulA e * (mulA e0 * mulB f)) by ring.
  replace (mulA e0 * (mulA f * mulB e)) with (mulA f * (mulA e0 * mulB e)) by ring.
  rewrite <- E, <- F; ring.
- apply Rmult_eq_reg_l with (mulB e0); [|exact N].
  replace (mulB e0 * (mulA e * mulB f)) with (mulA e * mulB e0 * mulB f) by ring.
  replace (mulB e0 * (mulA f * mulB e)) with (mulA f * mulB e0 * mulB e) by ring.
  rewrite E, F; ring.
Qed.

Lemma exists_max_by (f : entry -> R) (l : list entry) : l <> [] ->
  exists e, In e l /\ forall e', In e' l -> f e' <= f e.
Proof.
intros N; destruct (exists_max (map f l)) as (y & Hy & Max); [now destruct l|].
apply in_map_iff in Hy; destruct Hy as (e & <- & He).
exists e; split; [exact He|]; intros e' He'; now apply Max, in_map.
Qed.

Lemma in_extract {T : Type} (e : T) l : In e l -> exists l', Permutation l (e :: l').
Proof.
intros H; destruct (in_split _ _ H) as (l1 & l2 & ->); exists (l1 ++ l2).
apply Permutation_sym, Permutation_middle.
Qed.

Lemma collected_none l x : (forall t, In t l -> fst t = 0 \/ snd t <> x) -> collected l x = 0.
Proof.
intros H; unfold collected; rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_const; ring|].
intros t Ht; destruct (Req_EM_T (snd t) x), (H t Ht); tauto.
Qed.

(* Values strictly below e0 and not parallel to it leave a largest exponent
   val e0 + val f with a coefficient that nothing cancels. *)
Lemma leading_coefficient e0 f l : mulA e0 <> 0 \/ mulB e0 <> 0 ->
  NoDup (map val (e0 :: f :: l)) -> (forall e, In e (f :: l) -> val e < val e0) ->
  (forall e, In e l -> val f < val e -> parallel e e0) ->
  collected (terms (e0 :: f :: l)) (val e0 + val f) = fst (term e0 f).
Proof.
intros N U Below Above; unfold collected.
change (terms (e0 :: f :: l)) with (term e0 f :: map (term e0) l ++ terms (f :: l)).
cbn [sum]; rewrite sum_app; fold (collected (map (term e0) l) (val e0 + val f)).
fold (collected (terms (f :: l)) (val e0 + val f)); rewrite !collected_none.
- destruct (Req_EM_T (snd (term e0 f)) (val e0 + val f)) as [_|n]; [ring | now destruct n].
- intros t Ht; destruct (in_terms _ _ Ht) as (e & e' & He & He' & ->); simpl.
  destruct (Rlt_dec (val f) (val e)) as [Le|Le], (Rlt_dec (val f) (val e')) as [Le'|Le'];
    try (right; pose proof (Below e He); pose proof (Below e' He'); lra).
  left; assert (parallel e e0) as P by (destruct He as [->|He]; [lra | auto]).
  assert (parallel e' e0) as P' by (destruct He' as [->|He']; [lra | auto]).
  pose proof (parallel_through e0 e e' N P P') as PP; unfold parallel in PP.
  replace (mulA e * mulB e' - mulA e' * mulB e) with 0 by lra; ring.
- intros t Ht; apply in_map_iff in Ht; destruct Ht as (e & <- & He); right; simpl.
  intros E; assert (val e = val f) as E' by lra; simpl in U.
  inversion U as [|a b _ U']; inversion U' as [|a' b' N' _]; apply N'.
  rewrite <- E'; now apply in_map.
Qed.

Lemma sum_perm_of (m : entry -> R) l l' : Permutation l l' ->
  boltz_of m l = boltz_of m l' /\ partition_of m l = partition_of m l'.
Proof. intros P; unfold boltz_of, partition_of; now rewrite !(sum_perm _ _ _ P). Qed.

(* Softmax equality is decidable: equal iff the multiplicities are proportional. *)
Theorem boltz_equal_iff (l : list entry) : lindemann_weierstrass ->
  NoDup (map val l) ->
  (forall e, In e l -> rational (val e) /\ rational (mulA e) /\ rational (mulB e)) ->
  (forall e, In e l -> mulA e <> 0 \/ mulB e <> 0) ->
  partition_of mulA l <> 0 -> partition_of mulB l <> 0 ->
  (boltz_of mulA l = boltz_of mulB l <-> proportional l).
Proof.
intros LW U Q Used ZA ZB; split.
2:{ intros P; pose proof (identity_M l ZA ZB) as M.
    replace (minors l) with 0 in M by
      (symmetry; rewrite minors_terms; unfold evaluate;
       rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_const; ring|];
       intros t Ht; destruct (in_terms _ _ Ht) as (e & f & He & Hf & ->); simpl;
       pose proof (P e f He Hf) as PP; unfold parallel in PP;
       replace (mulA e * mulB f - mulA f * mulB e) with 0 by lra; ring).
    unfold Rdiv in M; rewrite Rmult_0_l in M; lra. }
intros E; assert (l <> []) as Nl by (intros ->; now apply ZA).
destruct (exists_max_by val l Nl) as (e0 & H0 & Max).
set (bad := fun e => if Req_EM_T (mulA e * mulB e0) (mulA e0 * mulB e) then false else true).
destruct (filter bad l) as [|b0 bads] eqn:Eb.
{ assert (forall e, In e l -> parallel e e0) as All.
  { intros e He; unfold parallel.
    destruct (Req_EM_T (mulA e * mulB e0) (mulA e0 * mulB e)) as [eq|n]; [exact eq|].
    assert (In e (filter bad l)) as F by (apply filter_In; split; [exact He|];
      unfold bad; destruct (Req_EM_T _ _); tauto).
    rewrite Eb in F; destruct F. }
  intros e f He Hf; apply parallel_through with e0; auto. }
exfalso; destruct (exists_max_by val (b0 :: bads)) as (f & Hf & Maxf); [easy|].
rewrite <- Eb in Hf, Maxf; apply filter_In in Hf; destruct Hf as [Hf Bf].
unfold bad in Bf; destruct (Req_EM_T (mulA f * mulB e0) (mulA e0 * mulB f)) as [|NP];
  [discriminate|].
destruct (in_extract e0 l H0) as (l1 & P1).
assert (In f l1) as Hf1.
{ apply (Permutation_in _ P1) in Hf; destruct Hf as [->|Hf]; [lra | exact Hf]. }
destruct (in_extract f l1 Hf1) as (l2 & P2).
assert (Permutation l (e0 :: f :: l2)) as P
  by (apply perm_trans with (1 := P1); now apply perm_skip).
assert (forall e, In e (e0 :: f :: l2) -> In e l) as I
  by (intros e; apply Permutation_in, Permutation_sym, P).
assert (NoDup (map val (e0 :: f :: l2))) as U' by (eapply Permutation_NoDup; [|exact U];
  now apply Permutation_map).
destruct (sum_perm_of mulA _ _ P) as [EA ZA']; destruct (sum_perm_of mulB _ _ P) as [EB ZB'].
rewrite EA, EB in E; rewrite ZA' in ZA; rewrite ZB' in ZB.
pose proof (identity_M (e0 :: f :: l2) ZA ZB) as M; rewrite E, Rminus_diag_eq in M by reflexivity.
assert (minors (e0 :: f :: l2) = 0) as M0.
{ apply Rmult_eq_reg_r with (/ (partition_of mulA (e0 :: f :: l2)
    * partition_of mulB (e0 :: f :: l2))); [rewrite Rmult_0_l; symmetry; exact M|].
  apply Rinv_neq_0_compat, Rmult_integral_contrapositive; now split. }
rewrite minors_terms in M0.
assert (rational_terms (terms (e0 :: f :: l2))) as Qt.
{ intros t Ht; destruct (in_terms _ _ Ht) as (e & e' & He & He' & ->); simpl.
  destruct (Q e (I e He)) as (? & ? & ?), (Q e' (I e' He')) as (? & ? & ?).
  auto using rational_plus, rational_mult, rational_minus. }
assert (forall e, In e (f :: l2) -> val e < val e0) as Below.
{ intros e He; pose proof (Max e (I e (or_intror He))) as [Lt|Eq]; [exact Lt|].
  simpl in U'; inversion U' as [|a b N _]; destruct N; rewrite <- Eq.
  now apply (in_map val (f :: l2)). }
pose proof (proj1 (zero_test _ LW Qt) M0 (val e0 + val f)) as C.
rewrite leading_coefficient in C; auto.
- simpl in C; apply Rmult_integral in C; destruct C as [C|C]; [apply NP; lra|].
  pose proof (Below f (or_introl eq_refl)); lra.
- intros e He L; unfold parallel.
  destruct (Req_EM_T (mulA e * mulB e0) (mulA e0 * mulB e)) as [eq|n]; [exact eq|exfalso].
  assert (In e (filter bad l)) as F.
  { apply filter_In; split; [apply I; simpl; auto|].
    unfold bad; destruct (Req_EM_T (mulA e * mulB e0) (mulA e0 * mulB e)); tauto. }
  pose proof (Maxf e F); lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. Lindemann-Weierstrass is
   not proved here, so it stays a premise of the first kind, too. *)
Lemma zero_test_satisfiable : lindemann_weierstrass -> satisfiable zero_test.
Proof.
intros LW; exists [(1, 0)], LW; given (intros t [<-|[]]; split;
  [exists 1%Z, 1%Z | exists 0%Z, 1%Z]; (split; [easy | simpl; field])).
Qed.
Lemma zero_test_falsifiable : falsifiable zero_test.
Proof.
exists [(exp 1, 0); (-1, 1)]; intros [H _]; assert (evaluate [(exp 1, 0); (-1, 1)] = 0) as E.
{ unfold evaluate; simpl; rewrite exp_0; ring. }
specialize (H E 1); unfold collected in H; revert H; simpl.
repeat destruct Req_EM_T; simpl; lra.
Qed.

Lemma boltz_equal_iff_satisfiable : lindemann_weierstrass -> satisfiable boltz_equal_iff.
Proof.
intros LW; exists [(0, 1, 1)], LW; given (first [nodup |
  intros e [<-|[]]; repeat split; [exists 0%Z, 1%Z | exists 1%Z, 1%Z | exists 1%Z, 1%Z];
    (split; [easy | unfold val, mulA, mulB; simpl; field]) |
  intros e [<-|[]]; unfold mulA; simpl; lra |
  unfold partition_of, mulA, mulB, val; simpl; rewrite exp_0; lra]).
Qed.
Lemma boltz_equal_iff_falsifiable : falsifiable boltz_equal_iff.
Proof.
exists [(0, 1, 0); (0, 0, 1)]; unfold boltz_of, partition_of, proportional, parallel, mulA, mulB, val.
simpl; rewrite exp_0; intros [H _].
assert (((1 * (0 * 1) + (0 * (0 * 1) + 0)) / (1 * 1 + (0 * 1 + 0)))
        = ((0 * (0 * 1) + (1 * (0 * 1) + 0)) / (0 * 1 + (1 * 1 + 0)))) as E by (field; lra).
pose proof (H E (0, 1, 0) (0, 0, 1) (or_introl eq_refl) (or_intror (or_introl eq_refl))) as F.
simpl in F; lra.
Qed.
