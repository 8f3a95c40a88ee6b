(* Finite sums over lists of reals, and the splitting of two finite sets into
   their common part and their differences.  A list without repetitions stands
   for a finite set, any list for a multiset; the order never matters. *)

From Coq Require Import Reals List Permutation Lra.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint sum {T : Type} (f : T -> R) (l : list T) : R :=
  match l with [] => 0 | x :: l' => f x + sum f l' end.

Section Sums.
Context {T : Type}.
Implicit Types (f g : T -> R) (l : list T).

Lemma sum_ext f g l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof.
induction l as [|x l IH]; simpl; intros E; [reflexivity|].
rewrite E by auto; rewrite IH; auto.
Qed.

Lemma sum_app f l l' : sum f (l ++ l') = sum f l + sum f l'.
Proof. induction l; simpl; [|rewrite IHl]; ring. Qed.

Lemma sum_perm f l l' : Permutation l l' -> sum f l = sum f l'.
Proof. induction 1; simpl; lra. Qed.

Lemma sum_plus f g l : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l; simpl; [|rewrite IHl]; ring. Qed.

Lemma sum_scal c f l : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l; simpl; [|rewrite IHl]; ring. Qed.

Lemma sum_const c l : sum (fun _ => c) l = INR (length l) * c.
Proof.
induction l as [|x l IH]; [simpl; ring|].
simpl sum; rewrite IH; simpl length; rewrite S_INR; ring.
Qed.

Lemma sum_le f g l : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
induction l as [|x l IH]; simpl; intros E; [lra|].
assert (f x <= g x) by auto; assert (sum f l <= sum g l) by auto; lra.
Qed.

Lemma sum_nonneg f l : (forall x, In x l -> 0 <= f x) -> 0 <= sum f l.
Proof.
intros E; replace 0 with (sum (fun _ : T => 0) l);
  [apply sum_le, E | rewrite sum_const; ring].
Qed.

Lemma sum_ge_one f l x : In x l -> (forall y, In y l -> 0 <= f y) -> f x <= sum f l.
Proof.
induction l as [|y l IH]; simpl; [tauto|]; intros [->|Hin] E.
- assert (0 <= sum f l) by (apply sum_nonneg; auto); lra.
- assert (0 <= f y) by auto; assert (f x <= sum f l) by auto; lra.
Qed.

Lemma sum_pos f l : l <> [] -> (forall x, In x l -> 0 < f x) -> 0 < sum f l.
Proof.
destruct l as [|x l]; [easy|]; intros _ E; simpl.
assert (0 < f x) by (apply E; simpl; auto).
assert (0 <= sum f l) by (apply sum_nonneg; intros; left; apply E; simpl; auto); lra.
Qed.
End Sums.

Lemma sum_map {T U : Type} (f : U -> R) (h : T -> U) (l : list T) :
  sum f (map h l) = sum (fun x => f (h x)) l.
Proof. induction l; simpl; [|rewrite IHl]; reflexivity. Qed.

(* The sum of two kinds of term, exchanged. *)
Lemma sum_sum {T U : Type} (f : T -> U -> R) (l : list T) (l' : list U) :
  sum (fun x => sum (f x) l') l = sum (fun y => sum (fun x => f x y) l) l'.
Proof.
induction l as [|x l IH]; simpl; [symmetry; induction l'; simpl; lra|].
rewrite IH, <- sum_plus; reflexivity.
Qed.

(* Membership as a test, and the set operations it gives. *)
Definition mem (l : list R) (x : R) : bool :=
  if in_dec Req_EM_T x l then true else false.

Lemma mem_true l x : mem l x = true <-> In x l.
Proof. unfold mem; destruct (in_dec Req_EM_T x l); split; easy. Qed.

Definition common (l l' : list R) : list R := filter (mem l') l.
Definition minus (l l' : list R) : list R := filter (fun x => negb (mem l' x)) l.

Lemma in_common l l' x : In x (common l l') <-> In x l /\ In x l'.
Proof. unfold common; rewrite filter_In, mem_true; tauto. Qed.

Lemma in_minus l l' x : In x (minus l l') <-> In x l /\ ~ In x l'.
Proof.
unfold minus; rewrite filter_In, <- (mem_true l' x).
destruct (mem l' x); simpl; intuition congruence.
Qed.

Lemma split_perm l l' : Permutation l (common l l' ++ minus l l').
Proof.
unfold common, minus; induction l as [|x l IH]; simpl; [easy|].
destruct (mem l' x); simpl; [now apply perm_skip|].
now apply Permutation_cons_app.
Qed.

Lemma split_common f l l' : sum f l = sum f (common l l') + sum f (minus l l').
Proof. now rewrite (sum_perm f _ _ (split_perm l l')), sum_app. Qed.

Lemma common_sym l l' : NoDup l -> NoDup l' ->
  Permutation (common l l') (common l' l).
Proof.
intros U U'; apply NoDup_Permutation; try (apply NoDup_filter; assumption).
intros x; rewrite !in_common; tauto.
Qed.

(* The least and the greatest element of a nonempty list. *)
Lemma extract_min l : l <> [] ->
  exists m l', Permutation l (m :: l') /\ forall y, In y l -> m <= y.
Proof.
induction l as [|x l IH]; [easy|]; intros _.
destruct l as [|x2 l]; [exists x, []; split; [easy | intros y [->|[]]; lra]|].
destruct IH as (m & l' & P & Hm); [easy|].
destruct (Rle_dec x m) as [le|gt].
- exists x, (x2 :: l); split; [easy|]; intros y [->|Hy]; [lra|].
  specialize (Hm y Hy); lra.
- exists m, (x :: l'); split.
  + apply perm_trans with (x :: m :: l'); [apply perm_skip, P | apply perm_swap].
  + intros y [->|Hy]; [lra | apply Hm, Hy].
Qed.

Lemma exists_max l : l <> [] -> exists m, In m l /\ forall y, In y l -> y <= m.
Proof.
induction l as [|x l IH]; [easy|]; intros _.
destruct l as [|x2 l]; [exists x; split; [left; easy | intros y [->|[]]; lra]|].
destruct IH as (m & Hin & Hm); [easy|].
destruct (Rle_dec x m) as [le|gt].
- exists m; split; [right; easy|]; intros y [->|Hy]; [lra | apply Hm, Hy].
- exists x; split; [left; easy|]; intros y [->|Hy]; [lra|].
  specialize (Hm y Hy); lra.
Qed.

(* For concrete lists: case by case, then linear arithmetic. *)
Ltac members := solve [
  repeat (intros; simpl in *;
    match goal with
    | H : _ \/ _ |- _ => destruct H
    | H : False |- _ => destruct H
    | H : _ = ?x |- _ => is_var x; subst x
    | _ => fail
    end);
  intros; try lra;
  try (unfold Rabs; repeat destruct Rcase_abs; lra)].
Ltac nodup := solve [repeat constructor; simpl; intuition (try lra; try congruence)].
