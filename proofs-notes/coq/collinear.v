(* Hardmax attention on tokens that lie on one line through the origin.

   There a head's score of the token t u for the query t' u is c t t' with one
   number c per head, so hardmax returns the largest t, the smallest t or, where
   all scores are 0, the value that the tie rule gives.  [fools]
   states that two sequences share all three; [line_collision] that their outputs
   then agree, for all weights at once. *)

From mathcomp Require Import all_ssreflect all_algebra.
From attest Require Import hardmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Pick.
Variable R : realFieldType.

(* A hardmax column is a weighting of its maximisers with sum 1. *)
Section Weights.
Variables (n : nat) (vis : pred 'I_n) (a : 'I_n -> R).

Lemma maximisers_nonempty : (exists j, vis j) -> exists j, j \in maximisers vis a.
Proof.
case=> j0 vj0; case: (arg_maxP a vj0) => j vj le_j.
exists j; rewrite inE vj; apply/forallP=> i; apply/implyP=> vi; exact: le_j.
Qed.

Lemma hardmax_support t j : hardmax vis a t j != 0 -> j \in maximisers vis a.
Proof.
by case: t => /=; case: (j \in maximisers vis a) => //=; rewrite eqxx.
Qed.

Lemma hardmax_sum t : (exists j, vis j) -> \sum_j hardmax vis a t j = 1.
Proof.
move=> /maximisers_nonempty [j0 mj0]; case: t => /=.
  rewrite -big_mkcond /= sumr_const -[_ *+ _]mulr_natr mulVf // pnatr_eq0 -lt0n.
  by apply/card_gt0P; exists j0.
pose P := [pred j : 'I_n | j \in maximisers vis a].
case: (arg_minnP (P := P) (@nat_of_ord n) mj0) => j mj le_j.
rewrite (bigD1 j) //= big1 ?addr0.
  by move: mj => /= ->; apply/eqP; rewrite pnatr_eq1 eqb1;
     apply/forallP=> i; apply/implyP; apply: le_j.
move=> i ne_ij; apply/eqP; rewrite pnatr_eq0 eqb0; apply/negP=> /andP [mi].
move=> /forallP /(_ j); move: (mj) => /= -> /= le_ij.
by case/negP: ne_ij; rewrite -val_eqE /= eqn_leq le_ij le_j.
Qed.
End Weights.

Lemma hardmax_ext n (vis : pred 'I_n) (a b : 'I_n -> R) t j : a =1 b ->
  hardmax vis a t j = hardmax vis b t j.
Proof.
move=> ab; have eq_max : maximisers vis a = maximisers vis b.
  apply/setP=> i; rewrite !inE; congr (_ && _).
  by apply: eq_forallb => i'; rewrite !ab.
by rewrite /hardmax eq_max.
Qed.

(* The scalar that a head returns for the scalars t with the scores p t_j. *)
Definition pick (ty : ties) n (vis : pred 'I_n) (p : R) (t : 'I_n -> R) : R :=
  \sum_j hardmax vis (fun i => p * t i) ty j * t j.

Lemma pick_constant ty n (vis : pred 'I_n) p t v : (exists j, vis j) ->
  (forall j, j \in maximisers vis (fun i => p * t i) -> t j = v) ->
  pick ty vis p t = v.
Proof.
move=> ex_vis all_v; rewrite /pick -[RHS]mul1r -(hardmax_sum (fun i => p * t i) ty ex_vis).
rewrite mulr_suml; apply: eq_bigr => j _.
have [-> | nz] := eqVneq (hardmax vis (fun i => p * t i) ty j) 0; first by rewrite !mul0r.
by rewrite (all_v j) // (hardmax_support nz).
Qed.

(* MathComp has both, under other names in version 2 than in version 1. *)
Lemma le_scale_pos (p x y : R) : 0 < p -> (p * x <= p * y) = (x <= y).
Proof. by move=> p0; rewrite -subr_ge0 -mulrBr pmulr_rge0 // subr_ge0. Qed.

Lemma le_scale_neg (p x y : R) : p < 0 -> (p * x <= p * y) = (y <= x).
Proof. by move=> p0; rewrite -subr_ge0 -mulrBr nmulr_rge0 // subr_le0. Qed.

Lemma pick_max ty n (vis : pred 'I_n) p t jM : 0 < p -> vis jM ->
  (forall j, vis j -> t j <= t jM) -> pick ty vis p t = t jM.
Proof.
move=> p0 vM leM; apply: pick_constant; first by exists jM.
move=> j; rewrite inE => /andP [vj /forallP /(_ jM)]; rewrite vM /= le_scale_pos //.
by move=> ge; apply/eqP; rewrite eq_le ge leM.
Qed.

Lemma pick_min ty n (vis : pred 'I_n) p t jm : p < 0 -> vis jm ->
  (forall j, vis j -> t jm <= t j) -> pick ty vis p t = t jm.
Proof.
move=> p0 vm lem; apply: pick_constant; first by exists jm.
move=> j; rewrite inE => /andP [vj /forallP /(_ jm)]; rewrite vm /= le_scale_neg //.
by move=> ge; apply/eqP; rewrite eq_le ge lem.
Qed.

Lemma maximisers_zero n (vis : pred 'I_n) (t : 'I_n -> R) :
  maximisers vis (fun i => 0 * t i) = [set j | vis j].
Proof.
apply/setP=> j; rewrite !inE; case: (vis j) => //=.
by apply/forallP=> i; rewrite !mul0r lexx implybT.
Qed.

Lemma pick_mean n (vis : pred 'I_n) t :
  pick Uniform vis 0 t = (\sum_(j | vis j) t j) / (\sum_(j | vis j) 1).
Proof.
rewrite /pick /= maximisers_zero mulr_suml [RHS]big_mkcond /=.
apply: eq_bigr => j _; rewrite inE; case: (vis j); last by rewrite mul0r.
by rewrite mulrC cardsE sumr_const.
Qed.

Lemma pick_first n (vis : pred 'I_n) t j0 : vis j0 ->
  (forall j, vis j -> (j0 <= j)%N) -> pick Leftmost vis 0 t = t j0.
Proof.
move=> v0 le0; rewrite /pick /= maximisers_zero (bigD1 j0) //= inE v0 /= big1 ?addr0.
  rewrite (_ : [forall j, _] = true) ?mul1r //.
  by apply/forallP=> j; rewrite inE; apply/implyP/le0.
move=> j ne; rewrite inE; case vj: (vis j); last by rewrite mul0r.
case: forallP => [/(_ j0)|]; last by rewrite mul0r.
rewrite inE v0 /= => lej; case/negP: ne.
by rewrite -val_eqE /= eqn_leq lej le0.
Qed.

(* Two visible parts that agree in largest, smallest and tie value. *)
Definition fools (ty : ties) n (vis : pred 'I_n) (t : 'I_n -> R)
    n' (vis' : pred 'I_n') (t' : 'I_n' -> R) : Prop :=
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

Lemma pick_fooled ty n (vis : pred 'I_n) t n' (vis' : pred 'I_n') t' :
  fools ty vis t vis' t' -> forall p, pick ty vis p t = pick ty vis' p t'.
Proof.
case=> [[jM [jM' [vM vM' eqM leM leM']]]] [jm [jm' [vm vm' eqm lem lem']]] tie p.
case: (ltrgtP p 0) => [p0|p0| ->].
- by rewrite (pick_min _ p0 vm lem) (pick_min _ p0 vm' lem').
- by rewrite (pick_max _ p0 vM leM) (pick_max _ p0 vM' leM').
case: ty tie => [mean | [j [j' [v v' eqj le le']]]].
  have card_neq0 k (w : pred 'I_k) j : w j -> \sum_(i | w i) 1 != 0 :> R.
    move=> wj; rewrite sumr_const pnatr_eq0 -lt0n; apply/card_gt0P; by exists j.
  rewrite !pick_mean; apply/eqP; rewrite eqr_div ?(card_neq0 _ _ _ vM) //.
    by apply/eqP.
  exact: (card_neq0 _ _ _ vM').
by rewrite (pick_first t v le) (pick_first t' v' le').
Qed.
End Pick.

Section Line.
Variables (R : realFieldType) (d : nat).

(* The sequence u t_0, u t_1, ... of tokens on the line through u. *)
Definition line n (u : 'cV[R]_d) (t : 'I_n -> R) : 'M[R]_(d, n) :=
  \matrix_(c, j) (t j * u c 0).

Lemma col_line n u (t : 'I_n -> R) j : col j (line u t) = t j *: u.
Proof. by apply/matrixP=> c i; rewrite !mxE ord1. Qed.

Lemma col_mul p n q (A : 'M[R]_(p, n)) (B : 'M[R]_(n, q)) k :
  col k (A *m B) = A *m col k B.
Proof. by rewrite !colE mulmxA. Qed.

Lemma line_mul n u (t : 'I_n -> R) (S : 'M[R]_n) k :
  line u t *m col k S = (\sum_j S j k * t j) *: u.
Proof.
apply/matrixP=> c i; rewrite !mxE mulr_suml; apply: eq_bigr => j _.
by rewrite !mxE ord1 [LHS]mulrC mulrA.
Qed.

(* The score of t_j u for the query t_k u is (c t_k) t_j. *)
Lemma line_score n u (t : 'I_n -> R) s (K Q : 'M[R]_(s, d)) j k :
  ((K *m line u t)^T *m (Q *m line u t)) j k
  = ((K *m u)^T *m (Q *m u)) 0 0 * t k * t j.
Proof.
have entry (A : 'M[R]_(s, d)) i l : (A *m line u t) i l = t l * (A *m u) i 0.
  by rewrite !mxE mulr_sumr; apply: eq_bigr => c _; rewrite !mxE mulrCA.
rewrite mxE [in RHS]mxE -mulrA mulr_suml; apply: eq_bigr => i _.
by rewrite [_^T j i]mxE [_^T 0 i]mxE !entry mulrACA [RHS]mulrC (mulrC (t k)).
Qed.

(* The whole layer on a line: the query's own t, one picked scalar per head. *)
Lemma attention_line ty m (L : layer R d) n u (t : 'I_n -> R) k :
  col k (attention ty m L (line u t)) =
  t k *: u + \sum_(h < heads L)
    pick ty (visible m k) (((WK h *m u)^T *m (WQ h *m u)) 0 0 * t k) t
      *: (WO h *m (WV h *m u)).
Proof.
rewrite /attention linearD linear_sum /= col_line; congr (_ + _).
apply: eq_bigr => h _; rewrite col_mul -!mulmxA line_mul -!scalemxAr.
congr (_ *: _); apply: eq_bigr => j _; congr (_ * _).
by rewrite mxE; apply: hardmax_ext => i; rewrite line_score.
Qed.

(* Equal outputs for all weights at once. *)
Theorem line_collision ty m (L : layer R d) n n' u (t : 'I_n -> R)
    (t' : 'I_n' -> R) k l :
  t k = t' l -> fools ty (visible m k) t (visible m l) t' ->
  col k (attention ty m L (line u t)) = col l (attention ty m L (line u t')).
Proof.
move=> eq_kl fool; rewrite !attention_line eq_kl; congr (_ + _).
by apply: eq_bigr => h _; rewrite (pick_fooled fool).
Qed.

Lemma sqnorm0 : sqnorm (0 : 'cV[R]_d) = 0.
Proof. by rewrite /sqnorm big1 // => c _; rewrite mxE expr0n. Qed.

(* Equal outputs at a required pair refute Definition 2 for every r, delta. *)
Lemma collision_refutes ty m (L : layer R d) I (X : I -> sequence R d) i j
    (k : 'I_(len (X i))) (l : 'I_(len (X j))) r delta :
  required m k l ->
  output (attention ty m L) k = output (attention ty m L) l ->
  ~ contextual X (attention ty m L) m r delta.
Proof.
move=> req eq_out [_ /(_ i k j l req)].
by rewrite eq_out subrr sqnorm0 ltNge sqr_ge0.
Qed.
End Line.
