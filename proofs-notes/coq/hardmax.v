(* One-layer multi-head hardmax attention with skip, and Definition 2, over
   any ordered field.  Definitions only; theorem1.v holds the results.

   A sequence is a matrix whose columns are its tokens.  Its length is part of
   the value, so that sequences of different lengths share one type and one
   layer acts on all of them.

   Norms.  theory.md decides |x| > e, e >= 0, as sum of x_c^2 > e^2, because a
   rational has no rational square root in general.  [contextual] is stated in
   that form, over any real field (the rationals included).  [contextual_norm]
   is the same definition with the Euclidean norm itself, over any real closed
   field; theorem1.v proves the two equivalent there, for every r and every
   delta >= 0.  Negative delta is excluded by theory.md, and harmless: it only
   weakens the requirement. *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

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
Inductive mask := NoMask | Causal.

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

(* The vocabulary: the set of tokens; with a causal mask, of the prefix. *)
Definition in_vocabulary (m : mask) (X : sequence) (k : 'I_(len X))
    (x : 'cV[R]_d) : Prop :=
  exists2 j, visible m k j & token j = x.

Definition same_vocabulary m (X : sequence) (k : 'I_(len X))
    (Y : sequence) (l : 'I_(len Y)) : Prop :=
  forall x, in_vocabulary m k x <-> in_vocabulary m l x.

(* Squared Euclidean norm. *)
Definition sqnorm (x : 'cV[R]_d) : R := \sum_c x c 0 ^+ 2.

(* Definition 2 for a family of sequences indexed by any type: I = 'I_N gives
   X^(1..N).  A required pair has different vocabularies or different tokens. *)
Section Contextual.
Variables (I : Type) (X : I -> sequence).
Variable q : forall n, 'M[R]_(d, n) -> 'M[R]_(d, n).

Definition output i (k : 'I_(len (X i))) : 'cV[R]_d := col k (q (tokens (X i))).

Definition required m i (k : 'I_(len (X i))) j (l : 'I_(len (X j))) : Prop :=
  ~ same_vocabulary m k l \/ token k <> token l.

Definition contextual (m : mask) (r delta : R) : Prop :=
  (forall i (k : 'I_(len (X i))), 0 < r /\ sqnorm (output k) < r ^+ 2) /\
  (forall i (k : 'I_(len (X i))) j (l : 'I_(len (X j))),
     required m k l -> sqnorm (output k - output l) > delta ^+ 2).
End Contextual.
End Layer.
End Hardmax.

Section Norm.
Variable R : rcfType.
Variable d : nat.

Definition norm (x : 'cV[R]_d) : R := Num.sqrt (sqnorm x).

(* Definition 2 with the norm itself, word for word as in theory.md. *)
Definition contextual_norm (I : Type) (X : I -> sequence R d)
    (q : forall n, 'M[R]_(d, n) -> 'M[R]_(d, n)) (m : mask) (r delta : R) : Prop :=
  (forall i (k : 'I_(len (X i))), norm (output q k) < r) /\
  (forall i (k : 'I_(len (X i))) j (l : 'I_(len (X j))),
     required m k l -> norm (output q k - output q l) > delta).
End Norm.
