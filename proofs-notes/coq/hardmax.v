(* One-layer multi-head hardmax attention with skip, and Definition 2
   (definition2.v) for it, over any ordered field.  Definitions, and that a
   matrix of columns may be read as a list; theorem1.v holds the results.

   A sequence is a matrix whose columns are its tokens.  Its length is part of
   the value, so that sequences of different lengths share one type and one
   layer acts on all of them.

   Norms.  The code decides |x| > e, e >= 0, as sum of x_c^2 > e^2, because a
   rational has no rational square root in general.  [contextual] is stated in
   that form, over any real field (the rationals included).  [contextual_norm]
   is the same definition with the Euclidean norm itself, over any real closed
   field; theorem1.v proves the two equivalent there, for every r and every
   delta >= 0.  A negative delta is excluded, and would be harmless: it only
   weakens the requirement. *)

From attest Require definition2.
From attest Require Import guard.
From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Notation mask := definition2.mask.
Notation NoMask := definition2.NoMask.
Notation Causal := definition2.Causal.

Section Hardmax.
Variable R : realFieldType.

(* The two tie rules: the maximisers share the weight, or the first has it. *)
Inductive ties := Uniform | Leftmost.

(* [vis j]: position j is visible to the query at hand. *)
Section Column.
Variables (n : nat) (vis : pred 'I_n) (a : 'I_n -> R).

Definition maximisers : {set 'I_n} :=
  [set i | vis i & [forall j, vis j ==> (a j <= a i)]].

Definition hardmax (t : ties) (i : 'I_n) : R :=
  match t with
  | Uniform => if i \in maximisers then #|maximisers|%:R^-1 else 0
  | Leftmost =>
      ((i \in maximisers) && [forall j, (j \in maximisers) ==> (i <= j)%N])%:R
  end.
End Column.

(* Query k sees every key, or the keys j <= k. *)
Definition visible (m : mask) (n : nat) (k : 'I_n) : pred 'I_n :=
  match m with NoMask => predT | Causal => fun j => (j <= k)%N end.

Section Layer.
Variable d : nat.

Record sequence := Sequence { len : nat; tokens : 'M[R]_(d, len) }.

Definition token (X : sequence) (k : 'I_(len X)) : 'cV[R]_d := col k (tokens X).

(* H heads; the inner dimension s may differ from head to head. *)
Record layer := Layer {
  heads : nat;
  inner : 'I_heads -> nat;
  WQ : forall h, 'M[R]_(inner h, d);
  WK : forall h, 'M[R]_(inner h, d);
  WV : forall h, 'M[R]_(inner h, d);
  WO : forall h, 'M[R]_(d, inner h)
}.

(* Hardmax of every column of the score matrix; entry (j, k) scores key j for
   query k. *)
Definition hardmax_columns (t : ties) (m : mask) n (S : 'M[R]_n) : 'M[R]_n :=
  \matrix_(j, k) hardmax (visible m k) (fun i => S i k) t j.

(* F(Z) = Z + sum_h W_O^h (W_V^h Z) hardmax[(W_K^h Z)^T (W_Q^h Z)]. *)
Definition attention (t : ties) (m : mask) (L : layer) n (Z : 'M[R]_(d, n)) :
    'M[R]_(d, n) :=
  Z + \sum_(h < heads L)
    WO h *m (WV h *m Z)
         *m hardmax_columns t m ((WK h *m Z)^T *m (WQ h *m Z)).

(* A sequence as Definition 2 uses it: its positions, their tokens and the visible positions. *)
Definition places (X : sequence) : Type := 'I_(len X).
Definition place_token (X : sequence) (k : places X) : 'cV[R]_d := token k.
Definition place_sees (m : mask) (X : sequence) (k j : places X) : Prop := visible m k j.

(* The vocabulary: the set of tokens; with a causal mask, of the prefix. *)
Definition same_vocabulary m (X : sequence) (k : 'I_(len X))
    (Y : sequence) (l : 'I_(len Y)) : Prop :=
  definition2.same_vocabulary sequence places 'cV[R]_d place_token (place_sees m) X k Y l.

(* Squared Euclidean norm. *)
Definition sqnorm (x : 'cV[R]_d) : R := \sum_c x c 0 ^+ 2.

(* Definition 2 for a family of sequences indexed by any type: I = 'I_N gives
   X^(1..N). *)
Section Contextual.
Variables (I : Type) (X : I -> sequence).
Variable q : forall n, 'M[R]_(d, n) -> 'M[R]_(d, n).

Definition output i (k : 'I_(len (X i))) : 'cV[R]_d := col k (q (tokens (X i))).

Definition required m i (k : 'I_(len (X i))) j (l : 'I_(len (X j))) : Prop :=
  definition2.required sequence places 'cV[R]_d place_token (place_sees m) (X i) k (X j) l.

Definition contextual (m : mask) (r delta : R) : Prop :=
  definition2.contextual I (fun i => places (X i)) 'cV[R]_d 'cV[R]_d
    (fun i => @place_token (X i)) (fun i => @place_sees m (X i))
    (fun o => 0 < r /\ sqnorm o < r ^+ 2)
    (fun o o' => sqnorm (o - o') > delta ^+ 2) output.
End Contextual.
End Layer.
End Hardmax.

Section Norm.
Variable R : rcfType.
Variable d : nat.

Definition norm (x : 'cV[R]_d) : R := Num.sqrt (sqnorm x).

(* Definition 2 with the norm itself, as the paper has it. *)
Definition contextual_norm (I : Type) (X : I -> sequence R d)
    (q : forall n, 'M[R]_(d, n) -> 'M[R]_(d, n)) (m : mask) (r delta : R) : Prop :=
  definition2.contextual I (fun i => places (X i)) 'cV[R]_d 'cV[R]_d
    (fun i => @place_token R d (X i)) (fun i => @place_sees R d m (X i))
    (fun o => norm o < r) (fun o o' => norm (o - o') > delta) (output q).
End Norm.

(* The columns of a matrix read as a list: the same pairs are required. *)
Theorem required_lists (R : realFieldType) (d : nat) (I : Type) (X : I -> sequence R d) m
    i (k : 'I_(len (X i))) j (l : 'I_(len (X j))) :
  let columns i := [seq token k | k <- enum 'I_(len (X i))] in
  exists (k' : definition2.place _ I columns i) (l' : definition2.place _ I columns j),
  [/\ sval k' = k, sval l' = l &
    required m k l <->
    definition2.required I (definition2.place _ I columns) 'cV[R]_d
      (definition2.list_token 'cV[R]_d 0 I columns) (definition2.list_sees _ I columns m)
      i k' j l'].
Proof.
move=> columns.
have size_columns a : length (columns a) = len (X a).
  by rewrite -[length _]/(size (columns a)) size_map size_enum_ord.
have inside a (k0 : 'I_(len (X a))) : Peano.lt (nat_of_ord k0) (length (columns a)).
  by apply/ssrnat.ltP; rewrite size_columns.
pose f a (k0 : places (X a)) : definition2.place _ I columns a := 
    exist (fun n => Peano.lt n (length (columns a))) (nat_of_ord k0) (inside a k0).
exists (f i k), (f j l); split=> //.
have nthE a (k0 : 'I_(len (X a))) : List.nth k0 (columns a) 0 = token k0.
  have -> : List.nth k0 (columns a) 0 = nth 0 (columns a) k0.
    by elim: (columns a) (nat_of_ord k0) => [|x s IH] [|n] //=.
  by rewrite (nth_map k0) ?size_enum_ord // nth_ord_enum.
have surj a (y : definition2.place _ I columns a) : exists x, f a x = y.
  case: y => n ltn; have ltn' : (n < len (X a))%N by rewrite -size_columns; apply/ssrnat.ltP.
  exists (Ordinal ltn'); rewrite /f /=; congr exist; exact: lt_irrelevance.
apply: (definition2.required_renamed _ _ (@places R d) _ _ _ _ _ _ (X i) (X j) i j (f i) (f j)).
- exact: surj.
- exact: surj.
- by move=> x; rewrite /definition2.list_token /= nthE.
- by move=> x; rewrite /definition2.list_token /= nthE.
- move=> x y; rewrite /definition2.list_sees /definition2.attends /place_sees /=.
  by case: m => //=; split=> /ssrnat.leP.
- move=> x y; rewrite /definition2.list_sees /definition2.attends /place_sees /=.
  by case: m => //=; split=> /ssrnat.leP.
Qed.

(* Guard: there are such data. *)
Definition field_of (R : realFieldType) (_ : R) : realFieldType := R.
Lemma required_lists_satisfiable : satisfiable required_lists.
Proof.
by exists (field_of (0 : rat)), 1%N, unit, (fun=> @Sequence _ 1 1 0), NoMask, tt, ord0, tt, ord0.
Qed.
