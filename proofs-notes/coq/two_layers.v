(* Two layers of hardmax attention: universal pairs of one sign survive the second.

   The first layer moves all tokens t u, t > 0, by one vector a, which is the same
   for both sequences.  So the input of the second is two sequences on one line
   beside the origin, of which it returns the largest t, the smallest t or, where
   all scores are equal, the value that the tie rule gives. *)

From mathcomp Require Import all_ssreflect all_algebra.
From attest Require Import hardmax collinear theorem1 guard.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Affine.
Variables (R : realFieldType) (d : nat).

(* MathComp has it, under other names in version 2 than in version 1. *)
Lemma le_shift (b x y : R) : (b + x <= b + y) = (x <= y).
Proof. by rewrite -subr_ge0 opprD addrACA subrr add0r subr_ge0. Qed.

(* Only the order of the scores counts. *)
Lemma hardmax_monotone n (vis : pred 'I_n) (a b : 'I_n -> R) ty j :
  (forall i i', (a i <= a i') = (b i <= b i')) -> hardmax vis a ty j = hardmax vis b ty j.
Proof.
move=> ab; have eq_max : maximisers vis a = maximisers vis b.
  apply/setP=> i; rewrite !inE; congr (_ && _).
  by apply: eq_forallb => i'; rewrite ab.
by rewrite /hardmax eq_max.
Qed.

Lemma pick_scale ty n (vis : pred 'I_n) (p s : R) t : 0 < s ->
  pick ty vis (p * s) t = pick ty vis p t.
Proof.
move=> s0; apply: eq_bigr => j _; congr (_ * _); apply: hardmax_monotone => i i'.
by rewrite ![p * s * _]mulrAC ![_ * s]mulrC le_scale_pos.
Qed.

(* The sequence a + u t_0, a + u t_1, ... *)
Definition affine n (a u : 'cV[R]_d) (t : 'I_n -> R) : 'M[R]_(d, n) :=
  \matrix_(c, j) (a c 0 + t j * u c 0).

Lemma col_affine n a u (t : 'I_n -> R) j : col j (affine a u t) = a + t j *: u.
Proof. by apply/matrixP=> c i; rewrite !mxE ord1. Qed.

Lemma affine_mul n a u (t : 'I_n -> R) (S : 'M[R]_n) k : \sum_j S j k = 1 ->
  affine a u t *m col k S = a + (\sum_j S j k * t j) *: u.
Proof.
move=> one; apply/matrixP=> c i; rewrite !mxE ord1 -[X in X + _]mulr1 -one mulr_sumr mulr_suml.
rewrite -big_split; apply: eq_bigr => j _ /=.
by rewrite !mxE mulrDl [t j * _ * _]mulrC mulrA.
Qed.

(* A score is affine in t, too. *)
Lemma affine_score n a u (t : 'I_n -> R) s (K Q : 'M[R]_(s, d)) j k :
  let y := a + t k *: u in
  ((K *m affine a u t)^T *m (Q *m affine a u t)) j k
  = ((K *m a)^T *m (Q *m y)) 0 0 + ((K *m u)^T *m (Q *m y)) 0 0 * t j.
Proof.
move=> y.
have -> : ((K *m affine a u t)^T *m (Q *m affine a u t)) j k
        = ((K *m col j (affine a u t))^T *m (Q *m col k (affine a u t))) 0 0.
  rewrite !mxE; apply: eq_bigr => i _; rewrite ![_^T _ _]mxE.
  by rewrite -!col_mul ![col _ _ _ _]mxE.
have dot (v w : 'cV[R]_s) : (v^T *m w) 0 0 = \sum_i v i 0 * w i 0.
  by rewrite mxE; apply: eq_bigr => i _; rewrite mxE.
rewrite !col_affine -/y !dot mulr_suml -big_split; apply: eq_bigr => i _ /=.
have -> : (K *m (a + t j *: u)) i 0 = (K *m a) i 0 + t j * (K *m u) i 0.
  by rewrite mulmxDr -scalemxAr [LHS]mxE [X in _ + X]mxE.
by rewrite mulrDl; congr (_ + _); rewrite [RHS]mulrC mulrA.
Qed.

(* The whole layer: the query's own token, a, and one picked scalar per head. *)
Lemma attention_affine ty m (L : layer R d) n a u (t : 'I_n -> R) k : visible m k k ->
  let y := a + t k *: u in
  col k (attention ty m L (affine a u t)) =
  y + \sum_(h < heads L)
    (WO h *m (WV h *m a) +
     pick ty (visible m k) (((WK h *m u)^T *m (WQ h *m y)) 0 0) t *: (WO h *m (WV h *m u))).
Proof.
move=> vk y; rewrite /attention linearD linear_sum /= col_affine; congr (_ + _).
apply: eq_bigr => h _; set S := hardmax_columns _ _ _.
have entry j : S j k = hardmax (visible m k)
    (fun i => ((WK h *m u)^T *m (WQ h *m y)) 0 0 * t i) ty j.
  rewrite mxE; apply: hardmax_monotone => i i'.
  by rewrite !affine_score -/y le_shift.
have one : \sum_j S j k = 1.
  by rewrite (eq_bigr _ (fun j _ => entry j)) hardmax_sum //; exists k.
have value x : WO h *m (WV h *m (a + x *: u)) = WO h *m (WV h *m a) + x *: (WO h *m (WV h *m u)).
  by rewrite !mulmxDr -!scalemxAr.
rewrite col_mul -!mulmxA (affine_mul _ _ _ one) value; congr (_ + _ *: _).
by rewrite /pick; apply: eq_bigr => j _; rewrite entry.
Qed.

(* A layer moves all tokens of one sign by the same vector. *)
Definition moved ty (L : layer R d) n u (t : 'I_n -> R) : 'cV[R]_d :=
  \sum_(h < heads L)
    pick ty predT (((WK h *m u)^T *m (WQ h *m u)) 0 0) t *: (WO h *m (WV h *m u)).

Lemma attention_positive ty (L : layer R d) n u (t : 'I_n -> R) : (forall j, 0 < t j) ->
  attention ty NoMask L (line u t) = affine (moved ty L u t) u t.
Proof.
move=> pos; apply/matrixP=> c k.
have : col k (attention ty NoMask L (line u t)) = col k (affine (moved ty L u t) u t).
  rewrite attention_line col_affine [RHS]addrC; congr (_ + _).
  by apply: eq_bigr => h _; rewrite pick_scale.
by move/matrixP/(_ c 0); rewrite ![col _ _ _ _]mxE.
Qed.

(* Which universal pairs survive, part (1): those of one sign. *)
Theorem two_layers_one_sign ty (L1 L2 : layer R d) n n' u (t : 'I_n -> R) (t' : 'I_n' -> R)
    k l : (forall j, 0 < t j) -> (forall j, 0 < t' j) ->
  t k = t' l -> fools ty predT t predT t' ->
  col k (attention ty NoMask L2 (attention ty NoMask L1 (line u t)))
  = col l (attention ty NoMask L2 (attention ty NoMask L1 (line u t'))).
Proof.
move=> pos pos' eq_kl fool; rewrite !attention_positive //.
have -> : moved ty L1 u t' = moved ty L1 u t.
  by apply: eq_bigr => h _; rewrite (pick_fooled fool).
rewrite !attention_affine // eq_kl; congr (_ + _).
by apply: eq_bigr => h _; rewrite (pick_fooled fool).
Qed.
End Affine.

(* u(1,3,4,6) and u(1,2,5,6), at u and at 6u. *)
Section Pair.
Variables (R : realFieldType) (d : nat) (ty : ties) (L1 L2 : layer R d) (u : 'cV[R]_d).

Definition twice n (Z : 'M[R]_(d, n)) : 'M[R]_(d, n) :=
  attention ty NoMask L2 (attention ty NoMask L1 Z).

Lemma pair_fools : fools ty predT (fun j : 'I_(size pairA) => (nth 0 pairA j)%:~R : R)
                            predT (fun j : 'I_(size pairB) => (nth 0 pairB j)%:~R : R).
Proof.
apply: (@fools_of_int R ty _ (visible NoMask (pairA ! 0)) (fun j => nth 0 pairA j)
          _ (visible NoMask (pairB ! 0)) (fun j => nth 0 pairB j)).
case: ty; split.
- by shared 3%N 3%N.
- by shared 0%N 0%N.
- same_tie.
- by shared 3%N 3%N.
- by shared 0%N 0%N.
- same_tie.
Qed.

Lemma pairA_positive (j : 'I_(size pairA)) : 0 < (nth 0 pairA j)%:~R :> R.
Proof. by rewrite ltr0z; move: j; each_position. Qed.

Lemma pairB_positive (j : 'I_(size pairB)) : 0 < (nth 0 pairB j)%:~R :> R.
Proof. by rewrite ltr0z; move: j; each_position. Qed.

Theorem pair_survives_at_u :
  col (pairA ! 0) (twice (tokens (multiples u pairA)))
  = col (pairB ! 0) (twice (tokens (multiples u pairB))).
Proof.
by apply: two_layers_one_sign => //;
  [exact: pairA_positive | exact: pairB_positive | exact: pair_fools].
Qed.

Theorem pair_survives_at_6u :
  col (pairA ! 3) (twice (tokens (multiples u pairA)))
  = col (pairB ! 3) (twice (tokens (multiples u pairB))).
Proof.
by apply: two_layers_one_sign => //;
  [exact: pairA_positive | exact: pairB_positive | exact: pair_fools].
Qed.
End Pair.

(* Guards: the hypotheses hold for some data, the conclusion fails for some. *)
Section Guards.
Let Q := field_of (0 : rat).

Lemma two_layers_one_sign_satisfiable : satisfiable two_layers_one_sign.
Proof.
have one (j : 'I_1) : 0 < (1 : Q) by exact: ltr01.
have fool : fools Uniform predT (fun _ : 'I_1 => (1 : Q)) predT (fun _ : 'I_1 => (1 : Q)).
  by split=> //; exists ord0, ord0.
by exists Q, 1%N, Uniform, (no_heads Q 1), (no_heads Q 1), 1%N, 1%N, 0, (fun=> 1), (fun=> 1),
  ord0, ord0, one, one, erefl, fool.
Qed.
Lemma two_layers_one_sign_falsifiable : falsifiable two_layers_one_sign.
Proof.
exists Q, 1%N, Uniform, (no_heads Q 1), (no_heads Q 1), 1%N, 1%N, (const_mx 1), (fun=> 1), (fun=> 0),
  ord0, ord0.
by rewrite !attention_no_heads !col_line scale1r scale0r; apply/eqP; exact: one_nonzero.
Qed.
Lemma pair_survives_at_u_satisfiable : satisfiable pair_survives_at_u.
Proof. by exists Q, 1%N, Uniform, (no_heads Q 1), (no_heads Q 1), 0. Qed.
Lemma pair_survives_at_6u_satisfiable : satisfiable pair_survives_at_6u.
Proof. by exists Q, 1%N, Uniform, (no_heads Q 1), (no_heads Q 1), 0. Qed.
End Guards.
