(* Theorem 1: one-layer hardmax attention is not a contextual mapping on the
   universal pairs, whatever its weights, heads and sizes; with both tie rules,
   with and without a causal mask, at equal and at different lengths. *)

From mathcomp Require Import all_ssreflect all_algebra.
From attest Require Import hardmax collinear guard.
From attest Require c_constants.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

(* Sequences of integer multiples of u. *)
Section Integers.
Variables (R : realFieldType) (d : nat).

Definition multiples (u : 'cV[R]_d) (s : seq int) : sequence R d :=
  Sequence (line u (fun j : 'I_(size s) => (nth 0 s j)%:~R)).

Lemma token_multiples u s (k : 'I_(size s)) :
  token (X := multiples u s) k = (nth 0 s k)%:~R *: u.
Proof. exact: col_line. Qed.

Lemma multiples_inj u (a b : int) : u != 0 :> 'cV[R]_d ->
  a%:~R *: u = b%:~R *: u -> a = b.
Proof.
move=> u0 /eqP; rewrite -subr_eq0 -scalerBl scaler_eq0 (negbTE u0) orbF.
by rewrite subr_eq0 => /eqP /intr_inj.
Qed.

(* A multiple that the first visible part has and the second lacks. *)
Lemma vocabulary_differs m u s s' (k : 'I_(size s)) (l : 'I_(size s')) i :
  u != 0 :> 'cV[R]_d -> visible m k i ->
  (forall j : 'I_(size s'), visible m l j -> nth 0 s' j <> nth 0 s i) ->
  ~ same_vocabulary (X := multiples u s) (Y := multiples u s') m k l.
Proof.
move=> u0 vi absent /(_ ((nth 0 s i)%:~R *: u)) [sub _].
have [|j vj] := sub; first by exists i; rewrite ?/place_token ?token_multiples.
rewrite /place_token token_multiples => /(multiples_inj u0); exact: absent.
Qed.

(* The same over the integers, where it can be evaluated. *)
Definition fools_int (ty : ties) n (vis : pred 'I_n) (t : 'I_n -> int)
    n' (vis' : pred 'I_n') (t' : 'I_n' -> int) : Prop :=
  [/\ exists j j', [/\ vis j, vis' j', t j = t' j',
        forall i, vis i -> t i <= t j & forall i, vis' i -> t' i <= t' j'],
      exists j j', [/\ vis j, vis' j', t j = t' j',
        forall i, vis i -> t j <= t i & forall i, vis' i -> t' j' <= t' i] &
      match ty with
      | Uniform => (\sum_(j | vis j) t j) * (\sum_(j | vis' j) 1)
                 = (\sum_(j | vis' j) t' j) * (\sum_(j | vis j) 1)
      | Leftmost => exists j j', [/\ vis j, vis' j', t j = t' j',
          forall i, vis i -> (j <= i)%N & forall i, vis' i -> (j' <= i)%N]
      end].

Lemma fools_of_int ty n (vis : pred 'I_n) t n' (vis' : pred 'I_n') t' :
  fools_int ty vis t vis' t' ->
  fools ty vis (fun j => (t j)%:~R : R) vis' (fun j => (t' j)%:~R : R).
Proof.
case=> [[jM [jM' [? ? eM leM leM']]]] [jm [jm' [? ? em lem lem']]] tie; split.
- exists jM, jM'; split=> //; first by rewrite eM.
    by move=> i vi; rewrite ler_int leM.
  by move=> i vi; rewrite ler_int leM'.
- exists jm, jm'; split=> //; first by rewrite em.
    by move=> i vi; rewrite ler_int lem.
  by move=> i vi; rewrite ler_int lem'.
case: ty tie => [mean | [j [j' [? ? e le le']]]].
  have one k (w : pred 'I_k) : \sum_(i | w i) 1 = (\sum_(i | w i) 1)%:~R :> R.
    by rewrite rmorph_sum /=; apply: eq_bigr.
  have sum k (w : pred 'I_k) f : \sum_(i | w i) (f i)%:~R = (\sum_(i | w i) f i)%:~R :> R.
    by rewrite rmorph_sum.
  by rewrite !one !sum -!intrM mean.
by exists j, j'; split; rewrite ?e.
Qed.

(* A pair of integer sequences defeats every layer at positions k and l. *)
Definition defeats ty m (s s' : seq int) (k : 'I_(size s)) (l : 'I_(size s')) :=
  forall (L : layer R d) (u : 'cV[R]_d), u != 0 ->
  [/\ token (X := multiples u s) k = token (X := multiples u s') l,
      ~ same_vocabulary (X := multiples u s) (Y := multiples u s') m k l,
      col k (attention ty m L (tokens (multiples u s)))
        = col l (attention ty m L (tokens (multiples u s'))) &
      forall I (X : I -> sequence R d) i j,
        X i = multiples u s -> X j = multiples u s' ->
        forall r delta, ~ contextual X (attention ty m L) m r delta].

Lemma defeats_intro ty m (s s' : seq int) (k : 'I_(size s)) (l : 'I_(size s')) :
  nth 0 s k = nth 0 s' l ->
  fools_int ty (visible m k) (fun j : 'I_(size s) => nth 0 s j)
    (visible m l) (fun j : 'I_(size s') => nth 0 s' j) ->
  (exists2 i : 'I_(size s), visible m k i & forall j : 'I_(size s'),
     visible m l j -> nth 0 s' j <> nth 0 s i) ->
  defeats ty m k l.
Proof.
move=> eq_kl fool [i vi absent] L u u0.
have diff := vocabulary_differs u0 vi absent.
have same : col k (attention ty m L (tokens (multiples u s)))
          = col l (attention ty m L (tokens (multiples u s'))).
  apply: line_collision; first by rewrite eq_kl.
  exact: (fools_of_int fool).
split=> //; first by rewrite !token_multiples eq_kl.
move=> I X i1 i2 eq1 eq2 r delta.
suff [k1 [l1 [req out]]] : exists (k1 : 'I_(len (X i1))) (l1 : 'I_(len (X i2))),
    required m k1 l1 /\ output (attention ty m L) k1 = output (attention ty m L) l1.
  exact: (collision_refutes (delta := delta) (r := r) req out).
rewrite /required /output eq1 eq2; exists k, l; split=> //; by left.
Qed.
End Integers.


(* Position k of a concrete list. *)
Notation "s '!' k" := (@Ordinal (size s) k%N isT) (at level 30, no associativity).

(* Decides the hypotheses of [defeats_intro] on concrete lists of at most four
   multiples.  [top top' low low'] are positions of the largest and the smallest
   in the two lists, [own] is one of the first list whose value the other lacks;
   the first visible position is 0 under both masks. *)
Ltac each_position := move=> [[|[|[|[|i]]]] lti] //=.
Ltac position a := unshelve refine (ex_intro _ (@Ordinal _ a _) _); [by [] |].
Ltac shared a b := position a; position b; split=> //; each_position.
Ltac same_tie :=
  first [ by rewrite !(big_mkcond (visible _ _)) /= !big_ord_recl !big_ord0
        | by shared 0%N 0%N ].
Ltac defeat top top' low low' own :=
  apply: defeats_intro => //;
  [ split; [by shared top top' | by shared low low' | same_tie]
  | unshelve refine (ex_intro2 _ _ (@Ordinal _ own _) _ _); [by [] | by [] | by each_position]].

Section Pairs.
Variables (R : realFieldType) (d : nat).
Let D := @defeats R d.

Definition pairA : seq int := [:: 1; 3%:Z; 4%:Z; 6%:Z].
Definition pairB : seq int := [:: 1; 2%:Z; 5%:Z; 6%:Z].

Definition mirrorA : seq int := [:: - 3%:Z; - 2%:Z; 2%:Z; 3%:Z].
Definition mirrorB : seq int := [:: - 3%:Z; - 1; 1; 3%:Z].
Definition shortA : seq int := [:: 1; 3%:Z].
Definition shortB : seq int := [:: 1; 2%:Z; 3%:Z].
Definition causalA : seq int := [:: 1; 3%:Z; 2%:Z].
Definition causalB : seq int := [:: 1; 2%:Z; 3%:Z].
Definition threeA : seq int := [:: 1; 2%:Z; 4%:Z].
Definition threeB : seq int := [:: 1; 3%:Z; 4%:Z].

(* The universal pair u(1,3,4,6), u(1,2,5,6), at u and at 6u. *)
Theorem universal_at_u ty : D ty NoMask (pairA ! 0) (pairB ! 0).
Proof. by case: ty; defeat 3%N 3%N 0%N 0%N 1%N. Qed.

Theorem universal_at_6u ty : D ty NoMask (pairA ! 3) (pairB ! 3).
Proof. by case: ty; defeat 3%N 3%N 0%N 0%N 1%N. Qed.

(* Under a causal mask at 6u, the last position ... *)
Theorem universal_masked_at_6u ty : D ty Causal (pairA ! 3) (pairB ! 3).
Proof. by case: ty; defeat 3%N 3%N 0%N 0%N 1%N. Qed.

(* ... and there only: the other shared token comes first, sees itself alone,
   and its pair is exempt. *)
Theorem universal_masked_at_u_exempt (u : 'cV[R]_d) :
  token (X := multiples u pairA) (pairA ! 0) = token (X := multiples u pairB) (pairB ! 0)
  /\ same_vocabulary (X := multiples u pairA) (Y := multiples u pairB) Causal
       (pairA ! 0) (pairB ! 0).
Proof.
split; first by rewrite !token_multiples.
move=> x; split=> -[[j ltj]]; rewrite /place_sees /= leqn0 => /eqP j0 <-.
  exists (pairB ! 0) => //; rewrite /place_token !token_multiples /=; by case: j j0 {ltj}.
exists (pairA ! 0) => //; rewrite /place_token !token_multiples /=; by case: j j0 {ltj}.
Qed.

(* u(-3,-2,2,3), u(-3,-1,1,3), at both ends, and masked at the last. *)
Theorem mirror_at_minus_3u ty : D ty NoMask (mirrorA ! 0) (mirrorB ! 0).
Proof. by case: ty; defeat 3%N 3%N 0%N 0%N 1%N. Qed.

Theorem mirror_at_3u ty : D ty NoMask (mirrorA ! 3) (mirrorB ! 3).
Proof. by case: ty; defeat 3%N 3%N 0%N 0%N 1%N. Qed.

Theorem mirror_masked_at_3u ty : D ty Causal (mirrorA ! 3) (mirrorB ! 3).
Proof. by case: ty; defeat 3%N 3%N 0%N 0%N 1%N. Qed.

(* Different lengths: u(1,2,3), u(1,3); at u, at 3u, and masked at 3u. *)
Theorem short_at_u ty : D ty NoMask (shortB ! 0) (shortA ! 0).
Proof. by case: ty; defeat 2%N 1%N 0%N 0%N 1%N. Qed.

Theorem short_at_3u ty : D ty NoMask (shortB ! 2) (shortA ! 1).
Proof. by case: ty; defeat 2%N 1%N 0%N 0%N 1%N. Qed.

Theorem short_masked_at_3u ty : D ty Causal (shortB ! 2) (shortA ! 1).
Proof. by case: ty; defeat 2%N 1%N 0%N 0%N 1%N. Qed.

(* Equal lengths under a mask: 3u sees (1,2,3) in one and (1,3) in the other. *)
Theorem causal_at_3u ty : D ty Causal (causalB ! 2) (causalA ! 1).
Proof. by case: ty; defeat 2%N 1%N 0%N 0%N 1%N. Qed.

(* Where the leftmost maximiser takes all, three tokens of equal length do:
   the mean no longer matters. *)
Theorem three_leftmost_at_u : D Leftmost NoMask (threeA ! 0) (threeB ! 0).
Proof. defeat 2%N 2%N 0%N 0%N 1%N. Qed.

Theorem three_leftmost_at_4u : D Leftmost NoMask (threeA ! 2) (threeB ! 2).
Proof. defeat 2%N 2%N 0%N 0%N 1%N. Qed.
End Pairs.

(* A query token 0 scores every key 0, so it can read the tie value only; with
   it three tokens of equal length suffice under shared ties. *)
Section ZeroToken.
Variables (R : realFieldType) (d : nat).

Definition zeroA : seq int := [:: 0; 1; 4%:Z].
Definition zeroB : seq int := [:: 0; 2%:Z; 3%:Z].

Theorem zero_token_collision (L : layer R d) (u : 'cV[R]_d) : u != 0 ->
  ~ same_vocabulary (X := multiples u zeroA) (Y := multiples u zeroB) NoMask
      (zeroA ! 0) (zeroB ! 0) /\
  col (zeroA ! 0) (attention Uniform NoMask L (tokens (multiples u zeroA)))
  = col (zeroB ! 0) (attention Uniform NoMask L (tokens (multiples u zeroB))).
Proof.
move=> u0; split.
  apply: (@vocabulary_differs R d NoMask u zeroA zeroB _ _ (zeroA ! 1)) => //.
  by each_position.
rewrite !attention_line; congr (_ + _).
apply: eq_bigr => h _; rewrite [nth 0 zeroA _]/= [nth 0 zeroB _]/= mulr0z !mulr0.
by rewrite !pick_mean !big_ord_recl !big_ord0 !addr0 -!intrD.
Qed.
End ZeroToken.

(* The pair as a dataset of two sequences. *)
Definition universal_pair (R : realFieldType) d (u : 'cV[R]_d) (i : 'I_2) :
    sequence R d := multiples u (if i == 0 then pairA else pairB).

(* Theorem 1: no weights, sizes, heads, r, delta; both tie rules and masks. *)
Theorem theorem1 (R : realFieldType) d (u : 'cV[R]_d) (L : layer R d) ty m r delta :
  u != 0 -> ~ contextual (universal_pair u) (attention ty m L) m r delta.
Proof.
move=> u0; case: m.
  have [_ _ _ refuted] := universal_at_6u ty L u0.
  exact: (refuted _ (universal_pair u) ord0 ord_max).
have [_ _ _ refuted] := universal_masked_at_6u ty L u0.
exact: (refuted _ (universal_pair u) ord0 ord_max).
Qed.

Theorem theorem1_lengths (R : realFieldType) d (u : 'cV[R]_d) (L : layer R d) ty m
    r delta : u != 0 ->
  ~ contextual (fun i : 'I_2 => multiples u (if i == 0 then shortB else shortA))
      (attention ty m L) m r delta.
Proof.
move=> u0; set X := (X in contextual X); case: m.
  have [_ _ _ refuted] := short_at_3u ty L u0.
  exact: (refuted _ X ord0 ord_max).
have [_ _ _ refuted] := short_masked_at_3u ty L u0.
exact: (refuted _ X ord0 ord_max).
Qed.

(* Definition 2 through squares is Definition 2 through norms. *)
Section Norms.
Variables (R : rcfType) (d : nat).

Lemma sqnorm_ge0 (x : 'cV[R]_d) : 0 <= sqnorm x.
Proof. by apply: sumr_ge0 => c _; rewrite sqr_ge0. Qed.

Lemma norm_lt (x : 'cV[R]_d) r : norm x < r <-> 0 < r /\ sqnorm x < r ^+ 2.
Proof.
rewrite /norm; split=> [lt_r | [r0 lt_sq]].
  have r0 := le_lt_trans (sqrtr_ge0 _) lt_r; split=> //.
  by rewrite -(sqr_sqrtr (sqnorm_ge0 x)) ltr_sqr ?nnegrE ?sqrtr_ge0 // ltW.
by rewrite -ltr_sqr ?nnegrE ?sqrtr_ge0 ?(ltW r0) // sqr_sqrtr ?sqnorm_ge0.
Qed.

Lemma norm_gt (x : 'cV[R]_d) e : 0 <= e -> (norm x > e <-> sqnorm x > e ^+ 2).
Proof.
move=> e0; rewrite /norm -{2}(sqr_sqrtr (sqnorm_ge0 x)).
by rewrite ltr_sqr ?nnegrE ?sqrtr_ge0.
Qed.

Theorem contextual_normE I (X : I -> sequence R d) q m r delta : 0 <= delta ->
  contextual_norm X q m r delta <-> contextual X q m r delta.
Proof.
move=> delta0; split=> -[bounded apart]; split.
- by move=> i k; apply/norm_lt; apply: bounded.
- by move=> i k j l req; apply/norm_gt => //; apply: apart.
- by move=> i k; apply/norm_lt; apply: bounded.
- by move=> i k j l req; apply/norm_gt => //; apply: apart.
Qed.

Theorem theorem1_norm (u : 'cV[R]_d) (L : layer R d) ty m r delta :
  u != 0 -> 0 <= delta ->
  ~ contextual_norm (universal_pair u) (attention ty m L) m r delta.
Proof.
by move=> u0 delta0 /(contextual_normE _ _ _ _ delta0); apply: theorem1.
Qed.
End Norms.

(* The pairs that theorem1.c takes are these. *)
Theorem pair_constants : let numbers := map Posz in
  [/\ numbers c_constants.uniform_a = pairA, numbers c_constants.uniform_b = pairB &
  [/\ numbers c_constants.leftmost_a = threeA, numbers c_constants.leftmost_b = threeB,
      numbers c_constants.causal_a = causalA & numbers c_constants.causal_b = causalB]].
Proof. by []. Qed.

Lemma pair_constants_satisfiable : satisfiable pair_constants.
Proof. exact: I. Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Section Guards.
Let Q := field_of (0 : rat).

(* No heads: the layer is the identity. *)
Definition no_heads (R : realFieldType) d : layer R d :=
  @Layer R d 0 (fun=> 0%N) (fun=> 0) (fun=> 0) (fun=> 0) (fun=> 0).

Lemma attention_no_heads (R : realFieldType) d ty m n (Z : 'M[R]_(d, n)) :
  attention ty m (no_heads R d) Z = Z.
Proof. by rewrite /attention big_ord0 addr0. Qed.

Lemma one_nonzero (R : realFieldType) : const_mx 1 != 0 :> 'cV[R]_1.
Proof. by apply/eqP => /matrixP /(_ ord0 ord0) /eqP; rewrite !mxE oner_eq0. Qed.

Lemma theorem1_satisfiable : satisfiable theorem1.
Proof. by exists Q, 1%N, (const_mx 1), (no_heads Q 1), Uniform, NoMask, 1, 0, (one_nonzero Q). Qed.

(* On u = 0 all tokens are equal, nothing is required, and the identity is a mapping. *)
Lemma zero_contextual (R : realFieldType) (s : 'I_2 -> seq int) :
  (forall i, (0 < size (s i))%N) ->
  contextual (fun i => multiples (0 : 'cV[R]_1) (s i))
    (attention Uniform NoMask (no_heads R 1)) NoMask 1 0.
Proof.
move=> nonempty.
have zero s' (k : 'I_(size s')) : col k (tokens (multiples (0 : 'cV[R]_1) s')) = 0.
  by rewrite -/(token (X := multiples 0 s') k) token_multiples scaler0.
split=> [i k | i k j l].
  by rewrite /output attention_no_heads zero sqnorm0 expr1n ltr01.
case=> [diff | neq].
  case: diff => x; split=> -[a _]; rewrite /place_token /token zero => <-.
    by exists (Ordinal (nonempty j)); rewrite /place_token /token ?zero.
  by exists (Ordinal (nonempty i)); rewrite /place_token /token ?zero.
by case: neq; rewrite /place_token /token !zero.
Qed.

Lemma theorem1_falsifiable : falsifiable theorem1.
Proof.
exists Q, 1%N, 0, (no_heads Q 1), Uniform, NoMask, 1, 0; apply.
by apply: zero_contextual => i; case: (i == 0).
Qed.

Lemma theorem1_lengths_satisfiable : satisfiable theorem1_lengths.
Proof. by exists Q, 1%N, (const_mx 1), (no_heads Q 1), Uniform, NoMask, 1, 0, (one_nonzero Q). Qed.
Lemma theorem1_lengths_falsifiable : falsifiable theorem1_lengths.
Proof.
exists Q, 1%N, 0, (no_heads Q 1), Uniform, NoMask, 1, 0; apply.
by apply: zero_contextual => i; case: (i == 0).
Qed.

(* MathComp has no concrete real closed field at hand: over any. *)
Lemma theorem1_norm_satisfiable (R : rcfType) : satisfiable (@theorem1_norm R).
Proof. by exists 1%N, (const_mx 1), (no_heads R 1), Uniform, NoMask, 1, 0, (one_nonzero R), (lexx 0). Qed.
Lemma contextual_normE_satisfiable (R : rcfType) : satisfiable (@contextual_normE R).
Proof.
by exists 1%N, 'I_2, (universal_pair (0 : 'cV[R]_1)), (fun n Z => Z), NoMask, 1, 0, (lexx 0).
Qed.

Lemma universal_at_u_satisfiable : satisfiable universal_at_u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma universal_at_6u_satisfiable : satisfiable universal_at_6u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma universal_masked_at_6u_satisfiable : satisfiable universal_masked_at_6u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma mirror_at_minus_3u_satisfiable : satisfiable mirror_at_minus_3u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma mirror_at_3u_satisfiable : satisfiable mirror_at_3u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma mirror_masked_at_3u_satisfiable : satisfiable mirror_masked_at_3u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma short_at_u_satisfiable : satisfiable short_at_u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma short_at_3u_satisfiable : satisfiable short_at_3u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma short_masked_at_3u_satisfiable : satisfiable short_masked_at_3u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma causal_at_3u_satisfiable : satisfiable causal_at_3u.
Proof. by exists Q, 1%N, Uniform. Qed.
Lemma three_leftmost_at_u_satisfiable : satisfiable three_leftmost_at_u.
Proof. by exists Q, 1%N. Qed.
Lemma three_leftmost_at_4u_satisfiable : satisfiable three_leftmost_at_4u.
Proof. by exists Q, 1%N. Qed.
Lemma universal_masked_at_u_exempt_satisfiable : satisfiable universal_masked_at_u_exempt.
Proof. by exists Q, 1%N, 0. Qed.
Lemma zero_token_collision_satisfiable : satisfiable zero_token_collision.
Proof. by exists Q, 1%N, (no_heads Q 1), (const_mx 1), (one_nonzero Q). Qed.
End Guards.
