(* The statements of the machine-checked theorems, frozen: every statement of statements.txt, and every
   definition that they use, down to the libraries of Coq and MathComp. Read it top down: the
   definitions above a statement give its meaning, and nothing else does.

   "make check-proofs" compares each entry with the files in coq/, up to conversion, and fails where
   one differs, is missing here, or no longer exists. "Check (Logic.eq_refl : @x = body)" states that x is
   defined as this body, "Check (@x : type)" that the theorem x has this type; all hypotheses, those of
   sections too, stand in front of the conclusion. proofs-notes/freeze prints the file anew. *)

From Coq Require Import Reals QArith Qreals List Permutation Lra.
Import ListNotations.
Local Open Scope R_scope.

(*! sums *)
Check (Logic.eq_refl : @sums.sum =
  fix sum (T : Type) (f : T -> R) (l : list T) {struct l} : R :=
    match l with
    | [] => 0
    | x :: l' => f x + sum T f l'
    end).
Check (Logic.eq_refl : @sums.mem =
  fun (l : list R) (x : R) => if in_dec Req_EM_T x l then true else false).
Check (Logic.eq_refl : @sums.minus =
  fun l l' : list R => filter (fun x : R => negb (sums.mem l' x)) l).

(*! boltzmann *)
Check (Logic.eq_refl : @boltzmann.partition =
  fun l : list R => sums.sum exp l).
Check (Logic.eq_refl : @boltzmann.boltz =
  fun l : list R => sums.sum (fun a : R => a * exp a) l / boltzmann.partition l).
Check (Logic.eq_refl : @boltzmann.weight =
  fun (l : list R) (a : R) => exp a / boltzmann.partition l).
Check (Logic.eq_refl : @boltzmann.entropy =
  fun l : list R =>
  sums.sum (fun a : R => - (boltzmann.weight l a * ln (boltzmann.weight l a))) l).
Check (@boltzmann.boltz_lse_entropy :
  forall l : list R,
  l <> [] -> boltzmann.boltz l = ln (boltzmann.partition l) - boltzmann.entropy l).
Check (@boltzmann.boltz_bounds :
  forall (l : list R) (M : R),
  In M l ->
  (forall a : R, In a l -> a <= M) -> M - ln (INR (length l)) <= boltzmann.boltz l <= M).
Check (@boltzmann.identity_L :
  forall A B C A' B' : list R,
  A <> [] ->
  B <> [] ->
  Permutation A (C ++ A') ->
  Permutation B (C ++ B') ->
  boltzmann.boltz A - boltzmann.boltz B =
  (sums.sum (fun a : R => (a - boltzmann.boltz B) * exp a) A' -
   sums.sum (fun b : R => (b - boltzmann.boltz B) * exp b) B') / boltzmann.partition A).
Check (@boltzmann.identity_L_sets :
  forall A B : list R,
  NoDup A ->
  NoDup B ->
  A <> [] ->
  B <> [] ->
  boltzmann.boltz A - boltzmann.boltz B =
  (sums.sum (fun a : R => (a - boltzmann.boltz B) * exp a) (sums.minus A B) -
   sums.sum (fun b : R => (b - boltzmann.boltz B) * exp b) (sums.minus B A)) /
  boltzmann.partition A).
Check (Logic.eq_refl : @boltzmann.entry =
  (R * R * R)%type).
Check (Logic.eq_refl : @boltzmann.val =
  fun e : boltzmann.entry => fst (fst e)).
Check (Logic.eq_refl : @boltzmann.mulA =
  fun e : boltzmann.entry => snd (fst e)).
Check (Logic.eq_refl : @boltzmann.mulB =
  fun e : boltzmann.entry => snd e).
Check (Logic.eq_refl : @boltzmann.partition_of =
  fun (m : boltzmann.entry -> R) (l : list boltzmann.entry) =>
  sums.sum (fun e : boltzmann.entry => m e * exp (boltzmann.val e)) l).
Check (Logic.eq_refl : @boltzmann.boltz_of =
  fun (m : boltzmann.entry -> R) (l : list boltzmann.entry) =>
  sums.sum (fun e : boltzmann.entry => m e * (boltzmann.val e * exp (boltzmann.val e))) l /
  boltzmann.partition_of m l).
Check (Logic.eq_refl : @boltzmann.minor =
  fun e f : boltzmann.entry =>
  (boltzmann.mulA e * boltzmann.mulB f - boltzmann.mulA f * boltzmann.mulB e) *
  (boltzmann.val e - boltzmann.val f) * exp (boltzmann.val e + boltzmann.val f)).
Check (Logic.eq_refl : @boltzmann.minors =
  fix minors (l : list boltzmann.entry) : R :=
    match l with
    | [] => 0
    | e :: l' => sums.sum (boltzmann.minor e) l' + minors l'
    end).
Check (@boltzmann.identity_M :
  forall l : list boltzmann.entry,
  boltzmann.partition_of boltzmann.mulA l <> 0 ->
  boltzmann.partition_of boltzmann.mulB l <> 0 ->
  boltzmann.boltz_of boltzmann.mulA l - boltzmann.boltz_of boltzmann.mulB l =
  boltzmann.minors l /
  (boltzmann.partition_of boltzmann.mulA l * boltzmann.partition_of boltzmann.mulB l)).
Check (@boltzmann.identity_L_multiplicities :
  forall (l : list boltzmann.entry) (a b : R),
  boltzmann.partition_of boltzmann.mulA l <> 0 ->
  boltzmann.partition_of boltzmann.mulB l <> 0 ->
  b <> 0 ->
  boltzmann.boltz_of boltzmann.mulA l - boltzmann.boltz_of boltzmann.mulB l =
  sums.sum
    (fun e : boltzmann.entry =>
     (boltzmann.mulA e * b - boltzmann.mulB e * a) *
     (boltzmann.val e - boltzmann.boltz_of boltzmann.mulB l) * exp (boltzmann.val e)) l /
  (b * boltzmann.partition_of boltzmann.mulA l)).

(*! gstar *)
Check (Logic.eq_refl : @gstar.ratio =
  fun g : R => exp (- g)).
Check (Logic.eq_refl : @gstar.mu =
  fun g : R => g * gstar.ratio g / (1 - gstar.ratio g)).
Check (Logic.eq_refl : @gstar.wide =
  fun g : R => 0 < g /\ 1 + gstar.mu g <= g).
Check (@gstar.gstar_exists :
  {g : R | 1 <= g <= 2 /\ g = 1 + gstar.mu g}).
Check (Logic.eq_refl : @gstar.gstar =
  proj1_sig gstar.gstar_exists).
Check (@gstar.gstar_equation :
  gstar.gstar = 1 + gstar.mu gstar.gstar).
Check (@gstar.gstar_unique :
  forall g : R, 0 < g -> g = 1 + gstar.mu g -> g = gstar.gstar).
Check (@gstar.wide_iff :
  forall g : R, 0 < g -> gstar.wide g <-> gstar.gstar <= g).

(*! packing *)
Check (Logic.eq_refl : @packing.spread =
  fun (g : R) (l : list R) => forall x y : R, In x l -> In y l -> x <> y -> g <= Rabs (x - y)).
Check (@packing.packing :
  forall (f T : R -> R) (g x0 : R),
  0 < g ->
  (forall x : R, x0 <= x -> T x = f x + T (x + g)) ->
  (forall x : R, x0 <= x -> 0 <= T x) ->
  (forall x y : R, x0 <= x -> x <= y -> T y <= T x) ->
  forall (l : list R) (x : R),
  NoDup l ->
  packing.spread g l -> x0 <= x -> (forall y : R, In y l -> x <= y) -> sums.sum f l <= T x).
Check (Logic.eq_refl : @packing.h =
  fun b x : R => (x - b) * exp (- x)).
Check (@packing.h_decreasing :
  forall b x y : R, b + 1 <= x -> x <= y -> packing.h b y <= packing.h b x).
Check (Logic.eq_refl : @packing.tail =
  fun g b x : R => packing.h (b - gstar.mu g) x / (1 - gstar.ratio g)).
Check (@packing.packed_tail :
  forall (g b x : R) (l : list R),
  0 < g ->
  b + 1 <= x ->
  NoDup l ->
  packing.spread g l ->
  (forall y : R, In y l -> x <= y) -> sums.sum (packing.h b) l <= packing.tail g b x).
Check (@packing.packed_partition :
  forall (g x : R) (l : list R),
  0 < g ->
  NoDup l ->
  packing.spread g l ->
  (forall y : R, In y l -> x <= y) ->
  sums.sum (fun s : R => exp (- s)) l <= exp (- x) / (1 - gstar.ratio g)).

(*! lemma_f *)
Check (Logic.eq_refl : @lemma_f.bound =
  fun g t : R => exp (- t) * ((t - gstar.mu g) * (1 - 2 * gstar.ratio g) - gstar.mu g)).
Check (@lemma_f.bound_pos :
  forall g t : R, gstar.wide g -> g <= t -> 0 < lemma_f.bound g t).
Check (@lemma_f.bound_gap_increasing :
  forall g g' t : R,
  gstar.wide g -> g <= g' -> g' <= t -> lemma_f.bound g t <= lemma_f.bound g' t).
Check (Logic.eq_refl : @lemma_f.depth_sum =
  fun l : list R => sums.sum (fun s : R => exp (- s)) l).
Check (Logic.eq_refl : @lemma_f.mean_depth =
  fun l : list R => sums.sum (fun s : R => s * exp (- s)) l / lemma_f.depth_sum l).
Check (Logic.eq_refl : @lemma_f.deep =
  fun (g : R) (l : list R) =>
  NoDup l /\ packing.spread g l /\ In 0 l /\ (forall s : R, In s l -> 0 <= s)).
Check (@lemma_f.mean_depth_packed :
  forall g : R,
  gstar.wide g ->
  forall l : list R, lemma_f.deep g l -> 0 <= lemma_f.mean_depth l <= gstar.mu g).
Check (Logic.eq_refl : @lemma_f.greatest =
  fun (l : list R) (M : R) => In M l /\ (forall a : R, In a l -> a <= M)).
Check (Logic.eq_refl : @lemma_f.differ =
  fun (A B : list R) (c : R) => In c A /\ ~ In c B \/ In c B /\ ~ In c A).
Check (Logic.eq_refl : @lemma_f.first_difference =
  fun (A B : list R) (c : R) =>
  lemma_f.differ A B c /\ (forall x : R, lemma_f.differ A B x -> x <= c)).
Check (@lemma_f.lemma_f_same_max :
  forall (g : R) (A B : list R) (M c : R),
  gstar.gstar <= g ->
  NoDup A ->
  NoDup B ->
  packing.spread g (A ++ B) ->
  lemma_f.greatest A M ->
  lemma_f.greatest B M ->
  lemma_f.first_difference A B c ->
  Rabs (boltzmann.boltz A - boltzmann.boltz B) >= lemma_f.bound g (M - c) /\
  lemma_f.bound g (M - c) > 0).
Check (@lemma_f.lemma_f_other_max :
  forall (g : R) (A B : list R) (M M' : R),
  gstar.gstar <= g ->
  NoDup A ->
  NoDup B ->
  packing.spread g (A ++ B) ->
  lemma_f.greatest A M ->
  lemma_f.greatest B M' ->
  M <> M' ->
  Rabs (boltzmann.boltz A - boltzmann.boltz B) >= g - gstar.mu g /\ g - gstar.mu g >= 1).
Check (@lemma_f.lemma_f :
  forall (g : R) (A B : list R),
  gstar.gstar <= g ->
  NoDup A ->
  NoDup B ->
  A <> [] ->
  B <> [] ->
  packing.spread g (A ++ B) ->
  (exists x : R, lemma_f.differ A B x) ->
  exists M M' : R,
    lemma_f.greatest A M /\
    lemma_f.greatest B M' /\
    (M <> M' /\
     Rabs (boltzmann.boltz A - boltzmann.boltz B) >= g - gstar.mu g /\ g - gstar.mu g >= 1 \/
     M = M' /\
     (exists c : R,
        lemma_f.first_difference A B c /\
        Rabs (boltzmann.boltz A - boltzmann.boltz B) >= lemma_f.bound g (M - c) /\
        lemma_f.bound g (M - c) > 0))).
Check (@lemma_f.boltz_injective :
  forall (g : R) (A B : list R),
  gstar.gstar <= g ->
  NoDup A ->
  NoDup B ->
  A <> [] ->
  B <> [] ->
  packing.spread g (A ++ B) ->
  (exists x : R, lemma_f.differ A B x) -> boltzmann.boltz A <> boltzmann.boltz B).

(*! sharp_gap *)
Check (Logic.eq_refl : @sharp_gap.sharp =
  ln (2 + sqrt 3)).
Check (Logic.eq_refl : @sharp_gap.nu =
  fun g : R => gstar.mu g / (1 - gstar.ratio g)).
Check (Logic.eq_refl : @sharp_gap.shallow =
  fun g : R => g * gstar.ratio g / (1 + gstar.ratio g)).
Check (Logic.eq_refl : @sharp_gap.sharp_mean =
  fun g t : R => if Rlt_dec t (2 * g) then sharp_gap.shallow g else sharp_gap.nu g).
Check (Logic.eq_refl : @sharp_gap.sharp_bound =
  fun g t : R =>
  exp (- t) * ((t - sharp_gap.sharp_mean g t) * (1 - 2 * gstar.ratio g) - gstar.mu g)).
Check (@sharp_gap.sharp_bound_pos :
  forall g t : R, sharp_gap.sharp < g -> g <= t -> 0 < sharp_gap.sharp_bound g t).
Check (@sharp_gap.sharp_bound_gap_increasing :
  forall g g' t : R,
  sharp_gap.sharp <= g ->
  g <= g' -> g' <= t -> sharp_gap.sharp_bound g t <= sharp_gap.sharp_bound g' t).
Check (@sharp_gap.mean_depth_sharp :
  forall g : R,
  sharp_gap.sharp <= g ->
  forall l : list R, lemma_f.deep g l -> 0 <= lemma_f.mean_depth l <= sharp_gap.nu g).
Check (@sharp_gap.sharp_signed :
  forall (g : R) (A B : list R) (M c : R),
  sharp_gap.sharp <= g ->
  NoDup A ->
  NoDup B ->
  packing.spread g (A ++ B) ->
  lemma_f.greatest A M ->
  lemma_f.greatest B M ->
  In c B ->
  ~ In c A ->
  (forall x : R, In x A -> ~ In x B -> x <= c) ->
  sharp_gap.sharp_bound g (M - c) <= boltzmann.boltz A - boltzmann.boltz B).
Check (@sharp_gap.sharp_other_max :
  forall (g : R) (A B : list R) (M M' : R),
  sharp_gap.sharp <= g ->
  NoDup A ->
  packing.spread g (A ++ B) ->
  lemma_f.greatest A M ->
  lemma_f.greatest B M' ->
  M' < M ->
  boltzmann.boltz A - boltzmann.boltz B >= g - sharp_gap.nu g /\ g - sharp_gap.nu g > 1 / 2).
Check (@sharp_gap.sharp_gap :
  forall (g : R) (A B : list R),
  sharp_gap.sharp < g ->
  NoDup A ->
  NoDup B ->
  A <> [] ->
  B <> [] ->
  packing.spread g (A ++ B) ->
  (exists x : R, lemma_f.differ A B x) ->
  exists M M' : R,
    lemma_f.greatest A M /\
    lemma_f.greatest B M' /\
    (M <> M' /\
     Rabs (boltzmann.boltz A - boltzmann.boltz B) >= g - sharp_gap.nu g /\
     g - sharp_gap.nu g > 1 / 2 \/
     M = M' /\
     (exists c : R,
        lemma_f.first_difference A B c /\
        Rabs (boltzmann.boltz A - boltzmann.boltz B) >= sharp_gap.sharp_bound g (M - c) /\
        sharp_gap.sharp_bound g (M - c) > 0))).

(*! sharp_collision *)
Check (@sharp_collision.sharp_collision :
  forall g : R,
  g < sharp_gap.sharp ->
  exists A B : list R,
    NoDup A /\
    NoDup B /\
    A <> [] /\
    B <> [] /\
    packing.spread g (A ++ B) /\
    (exists x : R, lemma_f.differ A B x) /\ boltzmann.boltz A = boltzmann.boltz B).

(*! family *)
Check (@family.family_bound :
  forall (m : nat) (l : nat -> list R) (M g : nat -> R) (b : R),
  (forall i : nat, (i <= m)%nat -> NoDup (l i)) ->
  (forall i : nat, (i <= m)%nat -> lemma_f.greatest (l i) (M i)) ->
  (forall i : nat, (i < m)%nat -> gstar.gstar <= g i /\ packing.spread (g i) (l i ++ l (S i))) ->
  (forall i : nat,
   (i < m)%nat ->
   M (S i) < M i /\ b <= g i - gstar.mu (g i) \/
   M (S i) = M i /\
   (exists c : R,
      In c (l i) /\
      ~ In c (l (S i)) /\
      (forall x : R, In x (l (S i)) -> ~ In x (l i) -> x <= c) /\
      b <= lemma_f.bound (g i) (M i - c))) ->
  0 <= b ->
  forall i j : nat,
  (i < j)%nat -> (j <= m)%nat -> b <= Rabs (boltzmann.boltz (l i) - boltzmann.boltz (l j))).
Check (@family.sharp_family_bound :
  forall (m : nat) (l : nat -> list R) (M g : nat -> R) (b : R),
  (forall i : nat, (i <= m)%nat -> NoDup (l i)) ->
  (forall i : nat, (i <= m)%nat -> lemma_f.greatest (l i) (M i)) ->
  (forall i : nat,
   (i < m)%nat -> sharp_gap.sharp <= g i /\ packing.spread (g i) (l i ++ l (S i))) ->
  (forall i : nat,
   (i < m)%nat ->
   M (S i) < M i /\ b <= g i - sharp_gap.nu (g i) \/
   M (S i) = M i /\
   (exists c : R,
      In c (l i) /\
      ~ In c (l (S i)) /\
      (forall x : R, In x (l (S i)) -> ~ In x (l i) -> x <= c) /\
      b <= sharp_gap.sharp_bound (g i) (M i - c))) ->
  0 <= b ->
  forall i j : nat,
  (i < j)%nat -> (j <= m)%nat -> b <= Rabs (boltzmann.boltz (l i) - boltzmann.boltz (l j))).

(*! lemma1 *)
Check (Logic.eq_refl : @lemma1.inside =
  fun (r : R) (l : list R) => forall a : R, In a l -> Rabs a < r).
Check (Logic.eq_refl : @lemma1.apart =
  fun (delta : R) (l : list R) =>
  forall x y : R, In x l -> In y l -> x <> y -> delta < Rabs (x - y)).
Check (@lemma1.boltz_inside :
  forall (r : R) (l : list R), l <> [] -> lemma1.inside r l -> Rabs (boltzmann.boltz l) <= r).
Check (@lemma1.lemma1 :
  forall (n : nat) (r delta : R) (A B : list R),
  (1 <= n)%nat ->
  delta > 2 * ln (INR n) + 3 ->
  NoDup A ->
  NoDup B ->
  A <> [] ->
  B <> [] ->
  lemma1.inside r (A ++ B) ->
  lemma1.apart delta (A ++ B) ->
  length A = n ->
  length B = n ->
  (exists x : R, lemma_f.differ A B x) ->
  Rabs (boltzmann.boltz A - boltzmann.boltz B) > ln (INR n) * ln (INR n) * exp (- (2 * r))).
Check (@lemma1.lemma1_sizes :
  forall (r delta : R) (A B C : list R),
  C <> [] ->
  delta > 2 * ln (INR (length C)) + 3 ->
  NoDup A ->
  NoDup B ->
  NoDup C ->
  A <> [] ->
  B <> [] ->
  lemma1.inside r (A ++ B) ->
  lemma1.inside r C ->
  lemma1.apart delta (A ++ B) ->
  lemma1.apart delta C ->
  (exists x : R, lemma_f.differ A B x) ->
  Rabs (boltzmann.boltz A - boltzmann.boltz B) >
  ln (INR (length C)) * ln (INR (length C)) * exp (- (2 * r))).

(*! gstar_digits *)
Check (@gstar_digits.gstar_digits :
  1.445574911151548 < gstar.gstar < 1.445574911151549).
Check (@gstar_digits.sharp_digits :
  1.316957896924816 < sharp_gap.sharp < 1.316957896924817).

(*! definition2 *)
Check (@definition2.mask_ind :
  forall P : definition2.mask -> Prop,
  P definition2.NoMask -> P definition2.Causal -> forall m : definition2.mask, P m).
Check (Logic.eq_refl : @definition2.attends =
  fun (m : definition2.mask) (k j : nat) =>
  match m with
  | definition2.NoMask => True
  | definition2.Causal => (j <= k)%nat
  end).
Check (Logic.eq_refl : @definition2.in_vocabulary =
  fun (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (x : T) =>
  exists2 j : P i, sees i k j & token i j = x).
Check (Logic.eq_refl : @definition2.same_vocabulary =
  fun (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (j : I) 
    (l : P j) =>
  forall x : T,
  definition2.in_vocabulary I P T token sees i k x <->
  definition2.in_vocabulary I P T token sees j l x).
Check (Logic.eq_refl : @definition2.required =
  fun (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (j : I) 
    (l : P j) =>
  ~ definition2.same_vocabulary I P T token sees i k j l \/ token i k <> token j l).
Check (Logic.eq_refl : @definition2.contextual =
  fun (I : Type) (P : I -> Type) (T O : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (short : O -> Prop) 
    (far : O -> O -> Prop) (output : forall i : I, P i -> O) =>
  (forall (i : I) (k : P i), short (output i k)) /\
  (forall (i : I) (k : P i) (j : I) (l : P j),
   definition2.required I P T token sees i k j l -> far (output i k) (output j l))).
Check (@definition2.required_irreflexive :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i),
  ~ definition2.required I P T token sees i k i k).
Check (@definition2.required_symmetric :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (j : I) 
    (l : P j),
  definition2.required I P T token sees i k j l ->
  definition2.required I P T token sees j l i k).
Check (@definition2.exempt :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (j : I) 
    (l : P j),
  definition2.same_vocabulary I P T token sees i k j l ->
  token i k = token j l -> ~ definition2.required I P T token sees i k j l).
Check (@definition2.token_required :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (j : I) 
    (l : P j), token i k <> token j l -> definition2.required I P T token sees i k j l).
Check (@definition2.vocabulary_required :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (i : I) (k : P i) (j : I) 
    (l : P j),
  ~ definition2.same_vocabulary I P T token sees i k j l ->
  definition2.required I P T token sees i k j l).
Check (@definition2.contextual_weaken :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (O : Type) (short short' : O -> Prop)
    (far far' : O -> O -> Prop) (output : forall i : I, P i -> O),
  (forall o : O, short o -> short' o) ->
  (forall o o' : O, far o o' -> far' o o') ->
  definition2.contextual I P T O token sees short far output ->
  definition2.contextual I P T O token sees short' far' output).
Check (@definition2.equal_refutes :
  forall (I : Type) (P : I -> Type) (T : Type) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (O : Type) (short : O -> Prop)
    (far : O -> O -> Prop) (output : forall i : I, P i -> O) (i : I) 
    (k : P i) (j : I) (l : P j),
  (forall o : O, ~ far o o) ->
  definition2.required I P T token sees i k j l ->
  output i k = output j l -> ~ definition2.contextual I P T O token sees short far output).
Check (@definition2.required_renamed :
  forall (I I' : Type) (P : I -> Type) (P' : I' -> Type) (T : Type)
    (token : forall i : I, P i -> T) (token' : forall i : I', P' i -> T)
    (sees : forall x : I, P x -> P x -> Prop) (sees' : forall x : I', P' x -> P' x -> Prop)
    (a b : I) (a' b' : I') (f : P a -> P' a') (g : P b -> P' b') (k : P a) 
    (l : P b),
  (forall y : P' a', exists x : P a, f x = y) ->
  (forall y : P' b', exists x : P b, g x = y) ->
  (forall x : P a, token' a' (f x) = token a x) ->
  (forall x : P b, token' b' (g x) = token b x) ->
  (forall x y : P a, sees' a' (f x) (f y) <-> sees a x y) ->
  (forall x y : P b, sees' b' (g x) (g y) <-> sees b x y) ->
  definition2.required I P T token sees a k b l <->
  definition2.required I' P' T token' sees' a' (f k) b' (g l)).
Check (Logic.eq_refl : @definition2.place =
  fun (T I : Type) (X : I -> list T) (i : I) => {k : nat | (k < length (X i))%nat}).
Check (Logic.eq_refl : @definition2.list_token =
  fun (T : Type) (default : T) (I : Type) (X : I -> list T) (i : I)
    (k : definition2.place T I X i) => nth (proj1_sig k) (X i) default).
Check (Logic.eq_refl : @definition2.list_sees =
  fun (T I : Type) (X : I -> list T) (m : definition2.mask) (i : I)
    (k j : definition2.place T I X i) => definition2.attends m (proj1_sig k) (proj1_sig j)).
Check (Logic.eq_refl : @definition2.visible =
  fun (T : Type) (m : definition2.mask) (k : nat) (l : list T) =>
  match m with
  | definition2.NoMask => l
  | definition2.Causal => firstn (S k) l
  end).
Check (Logic.eq_refl : @definition2.required_nat =
  let at_ :=
    fun (I : Type) (Z : I -> list nat) (i : I) (k : nat) (L : (k < length (Z i))%nat) =>
    exist (fun k0 : nat => (k0 < length (Z i))%nat) k L in
  fun (I : Type) (Z : I -> list nat) (m : definition2.mask) (i : I) 
    (k : nat) (L : (k < length (Z i))%nat) (j : I) (l : nat) (L' : (l < length (Z j))%nat) =>
  definition2.required I (definition2.place nat I Z) nat
    (definition2.list_token nat 0%nat I Z) (definition2.list_sees nat I Z m) i 
    (at_ I Z i k L) j (at_ I Z j l L')).
Check (@definition2.pair_required :
  forall (L : (0 < length [1; 2])%nat) (L' : (0 < length [1; 3])%nat),
  definition2.required_nat bool (fun i : bool => if i then [1%nat; 2%nat] else [1%nat; 3%nat])
    definition2.NoMask true 0 L false 0 L').
Check (@definition2.pair_masked_exempt :
  forall (L : (0 < length [1; 2])%nat) (L' : (0 < length [1; 3])%nat),
  ~
  definition2.required_nat bool (fun i : bool => if i then [1%nat; 2%nat] else [1%nat; 3%nat])
    definition2.Causal true 0 L false 0 L').
Check (@definition2.repetition_exempt :
  forall (L : (0 < length [7; 8; 7])%nat) (L' : (2 < length [7; 8; 7])%nat),
  ~
  definition2.required_nat unit (fun _ : unit => [7%nat; 8%nat; 7%nat]) definition2.NoMask tt
    0 L tt 2 L').
Check (@definition2.repetition_masked_required :
  forall (L : (0 < length [7; 8; 7])%nat) (L' : (2 < length [7; 8; 7])%nat),
  definition2.required_nat unit (fun _ : unit => [7%nat; 8%nat; 7%nat]) definition2.Causal tt
    0 L tt 2 L').

(*! vectors *)
Check (Logic.eq_refl : @vectors.vec =
  list R).
Check (Logic.eq_refl : @vectors.dot =
  fix dot (x y : vectors.vec) {struct x} : R :=
    match x with
    | [] => 0
    | a :: x' => match y with
                 | [] => 0
                 | b :: y' => a * b + dot x' y'
                 end
    end).
Check (Logic.eq_refl : @vectors.add =
  fix add (x y : vectors.vec) {struct x} : vectors.vec :=
    match x with
    | [] => []
    | a :: x' => match y with
                 | [] => []
                 | b :: y' => a + b :: add x' y'
                 end
    end).
Check (Logic.eq_refl : @vectors.scale =
  fun (c : R) (x : vectors.vec) => map (Rmult c) x).
Check (Logic.eq_refl : @vectors.sub =
  fun x y : vectors.vec => vectors.add x (vectors.scale (-1) y)).
Check (Logic.eq_refl : @vectors.norm =
  fun x : vectors.vec => sqrt (vectors.dot x x)).
Check (Logic.eq_refl : @vectors.apply =
  fun (W : list vectors.vec) (x : vectors.vec) =>
  map (fun row : vectors.vec => vectors.dot row x) W).
Check (Logic.eq_refl : @vectors.outer =
  fun u v : vectors.vec => map (fun a : R => vectors.scale a v) u).
Check (Logic.eq_refl : @vectors.vsum =
  fun (d : nat) (l : list vectors.vec) => fold_right vectors.add (repeat 0 d) l).

(*! softmax *)
Check (Logic.eq_refl : @softmax.score =
  fun (WQ WK : list vectors.vec) (x y : vectors.vec) =>
  vectors.dot (vectors.apply WK y) (vectors.apply WQ x)).
Check (Logic.eq_refl : @softmax.total =
  fun (WQ WK X : list vectors.vec) (x : vectors.vec) =>
  sums.sum (fun y : vectors.vec => exp (softmax.score WQ WK x y)) X).
Check (Logic.eq_refl : @softmax.attend =
  fun (WQ WK WV WO X : list vectors.vec) (x : vectors.vec) =>
  vectors.vsum (length x)
    (map
       (fun y : vectors.vec =>
        vectors.scale (exp (softmax.score WQ WK x y) / softmax.total WQ WK X x)
          (vectors.apply WO (vectors.apply WV y))) X)).
Check (Logic.eq_refl : @softmax.attention =
  fun (WQ WK WV WO X : list vectors.vec) (x : vectors.vec) =>
  vectors.add x (softmax.attend WQ WK WV WO X x)).
Check (Logic.eq_refl : @softmax.token =
  fun (I : Type) (X : I -> list vectors.vec) (i : I) (k : nat) => nth k (X i) []).
Check (Logic.eq_refl : @softmax.output =
  fun (I : Type) (X : I -> list vectors.vec)
    (q : list vectors.vec -> vectors.vec -> vectors.vec) (m : definition2.mask) 
    (i : I) (k : nat) => q (definition2.visible m k (X i)) (softmax.token I X i k)).
Check (Logic.eq_refl : @softmax.contextual =
  fun (I : Type) (X : I -> list vectors.vec)
    (q : list vectors.vec -> vectors.vec -> vectors.vec) (m : definition2.mask) 
    (r delta : R) =>
  definition2.contextual I (definition2.place vectors.vec I X) vectors.vec vectors.vec
    (definition2.list_token vectors.vec [] I X) (definition2.list_sees vectors.vec I X m)
    (fun o : vectors.vec => vectors.norm o < r)
    (fun o o' : vectors.vec => vectors.norm (vectors.sub o o') > delta)
    (fun (i : I) (k : definition2.place vectors.vec I X i) =>
     softmax.output I X q m i (proj1_sig k))).
Check (Logic.eq_refl : @softmax.required =
  fun (I : Type) (X : I -> list vectors.vec) (m : definition2.mask) 
    (i : I) (k : nat) (j : I) (l : nat) =>
  ~
  (forall x : vectors.vec,
   In x (definition2.visible m k (X i)) <-> In x (definition2.visible m l (X j))) \/
  softmax.token I X i k <> softmax.token I X j l).
Check (@softmax.contextual_positions :
  forall (I : Type) (X : I -> list vectors.vec)
    (q : list vectors.vec -> vectors.vec -> vectors.vec) (m : definition2.mask) 
    (r delta : R),
  softmax.contextual I X q m r delta <->
  (forall (i : I) (k : nat),
   (k < length (X i))%nat -> vectors.norm (softmax.output I X q m i k) < r) /\
  (forall (i : I) (k : nat) (j : I) (l : nat),
   (k < length (X i))%nat ->
   (l < length (X j))%nat ->
   softmax.required I X m i k j l ->
   vectors.norm (vectors.sub (softmax.output I X q m i k) (softmax.output I X q m j l)) >
   delta)).
Check (Logic.eq_refl : @softmax.rank1_score =
  fun u1 u2 v : vectors.vec =>
  let kappa := vectors.dot u2 u1 in
  fun x y : vectors.vec => kappa * vectors.dot v x * vectors.dot v y).
Check (Logic.eq_refl : @softmax.example =
  fun i : bool => if i then [[1]; [2]] else [[1]; [3]]).
Check (@softmax.zero_head_refuted :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (r delta : R),
  vectors.apply WO u3 = [0] ->
  0 <= delta ->
  ~
  softmax.contextual bool softmax.example
    (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO)
    definition2.NoMask r delta).

(*! rank1 *)
Check (@rank1.same_token_distance :
  forall (u1 u2 u3 v : vectors.vec) (WO X Y : list vectors.vec) (x : list R),
  length (vectors.apply WO u3) = length x ->
  X <> [] ->
  Y <> [] ->
  vectors.dot u2 u1 * vectors.dot v x <> 0 ->
  vectors.norm
    (vectors.sub
       (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
          (vectors.outer u3 v) WO X x)
       (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
          (vectors.outer u3 v) WO Y x)) =
  vectors.norm (vectors.apply WO u3) *
  (Rabs
     (boltzmann.boltz (map (softmax.rank1_score u1 u2 v x) X) -
      boltzmann.boltz (map (softmax.rank1_score u1 u2 v x) Y)) /
   Rabs (vectors.dot u2 u1 * vectors.dot v x))).
Check (@rank1.theorem2_first_difference :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (g : R) 
    (X Y : list vectors.vec) (x : list R),
  sharp_gap.sharp < g ->
  length (vectors.apply WO u3) = length x ->
  vectors.dot u2 u1 * vectors.dot v x <> 0 ->
  X <> [] ->
  Y <> [] ->
  NoDup X ->
  NoDup Y ->
  (forall y z : vectors.vec,
   In y (X ++ Y) ->
   In z (X ++ Y) ->
   y <> z -> g <= Rabs (softmax.rank1_score u1 u2 v x y - softmax.rank1_score u1 u2 v x z)) ->
  (exists y : vectors.vec, In y X /\ ~ In y Y \/ In y Y /\ ~ In y X) ->
  let A := map (softmax.rank1_score u1 u2 v x) X in
  let B := map (softmax.rank1_score u1 u2 v x) Y in
  exists M M' : R,
    lemma_f.greatest A M /\
    lemma_f.greatest B M' /\
    (M <> M' /\
     vectors.norm
       (vectors.sub
          (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
             (vectors.outer u3 v) WO X x)
          (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
             (vectors.outer u3 v) WO Y x)) >=
     vectors.norm (vectors.apply WO u3) *
     ((g - sharp_gap.nu g) / Rabs (vectors.dot u2 u1 * vectors.dot v x)) \/
     M = M' /\
     (exists c : R,
        lemma_f.first_difference A B c /\
        vectors.norm
          (vectors.sub
             (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
                (vectors.outer u3 v) WO X x)
             (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
                (vectors.outer u3 v) WO Y x)) >=
        vectors.norm (vectors.apply WO u3) *
        (sharp_gap.sharp_bound g (M - c) / Rabs (vectors.dot u2 u1 * vectors.dot v x))))).
Check (@rank1.output_bounded :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (rmax eps : R),
  0 < rmax ->
  vectors.norm v <= 1 ->
  vectors.norm (vectors.apply WO u3) <= eps / (4 * rmax) ->
  forall (X : list vectors.vec) (x : list R),
  length (vectors.apply WO u3) = length x ->
  X <> [] ->
  (forall y : vectors.vec, In y X -> vectors.norm y < rmax) ->
  vectors.norm x < rmax ->
  vectors.norm
    (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO X x) <
  rmax + eps / 4).
Check (@rank1.other_token_distance :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (rmax eps : R),
  0 < rmax ->
  vectors.norm v <= 1 ->
  vectors.norm (vectors.apply WO u3) <= eps / (4 * rmax) ->
  forall (X Y : list vectors.vec) (x y : list R),
  length (vectors.apply WO u3) = length x ->
  length (vectors.apply WO u3) = length y ->
  X <> [] ->
  Y <> [] ->
  (forall z : vectors.vec, In z X -> vectors.norm z < rmax) ->
  (forall z : vectors.vec, In z Y -> vectors.norm z < rmax) ->
  eps < vectors.norm (vectors.sub x y) ->
  eps / 2 <
  vectors.norm
    (vectors.sub
       (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
          (vectors.outer u3 v) WO X x)
       (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) 
          (vectors.outer u3 v) WO Y y))).

(*! direction *)
Check (@direction.unit_directions :
  forall (d : nat) (l : list vectors.vec),
  (forall z : vectors.vec, In z l -> length z = d /\ vectors.norm z = 1) ->
  exists v : list R,
    length v = d /\
    vectors.norm v <= INR (length l) /\
    (forall z : vectors.vec, In z l -> 1 <= Rabs (vectors.dot v z))).
Check (@direction.direction :
  forall (d : nat) (l : list vectors.vec),
  l <> [] ->
  (forall z : vectors.vec, In z l -> length z = d /\ vectors.norm z <> 0) ->
  exists v : list R,
    length v = d /\
    vectors.norm v <= 1 /\
    (forall z : vectors.vec,
     In z l -> vectors.norm z / INR (length l) <= Rabs (vectors.dot v z))).

(*! theorem2 *)
Check (Logic.eq_refl : @theorem2.promise =
  fun (u1 u2 u3 : vectors.vec) (WO : list vectors.vec) =>
  let kappa := vectors.dot u2 u1 in
  let w := vectors.apply WO u3 in
  fun (n : nat) (rmax : R) =>
  let L := ln (INR n) in
  vectors.norm w * (L * L * exp (- (2 * (kappa * rmax * rmax)))) / (kappa * rmax)).
Check (@theorem2.theorem2_promise :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (I : Type)
    (X : I -> list vectors.vec) (d n : nat) (rmax eps : R) (m : definition2.mask),
  0 < rmax ->
  0 < eps ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> length x = d) ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> vectors.norm x < rmax) ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) -> x <> y -> eps < vectors.norm (vectors.sub x y)) ->
  (forall i : I, NoDup (X i)) ->
  (exists i : I, length (X i) = n) ->
  (1 <= n)%nat ->
  length WO = d ->
  vectors.norm v <= 1 ->
  0 < vectors.dot u2 u1 ->
  0 < vectors.norm (vectors.apply WO u3) ->
  vectors.norm (vectors.apply WO u3) <= eps / (4 * rmax) ->
  (forall x y z : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) ->
   (exists i : I, In z (X i)) ->
   y <> z ->
   2 * ln (INR n) + 3 <
   Rabs (vectors.dot u2 u1 * vectors.dot v x * (vectors.dot v y - vectors.dot v z))) ->
  softmax.contextual I X
    (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO) m
    (rmax + eps / 4) (theorem2.promise u1 u2 u3 WO n rmax)).

(*! theorem2_paper *)
Check (Logic.eq_refl : @theorem2_paper.paper_delta =
  fun (d n : nat) (rmin rmax eps : R) =>
  let L := ln (INR n) in
  fun c : R =>
  2 * L ^ 2 * eps ^ 2 * rmin / (rmax ^ 2 * c ^ 4 * (2 * L + 3) * PI * INR d) *
  exp (- (c ^ 4 * (2 * L + 3) * PI * INR d * rmax ^ 2 / (4 * eps * rmin)))).
Check (@theorem2_paper.theorem2_paper :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (I : Type)
    (X : I -> list vectors.vec) (d n : nat) (rmin rmax eps : R) (m : definition2.mask),
  0 < rmin ->
  0 < rmax ->
  0 < eps ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> length x = d) ->
  (1 <= d)%nat ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> rmin < vectors.norm x < rmax) ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) -> x <> y -> eps < vectors.norm (vectors.sub x y)) ->
  (forall i : I, NoDup (X i)) ->
  (exists i : I, length (X i) = n) ->
  (1 <= n)%nat ->
  forall c : R,
  0 < c ->
  vectors.norm v <= 1 ->
  (forall x : vectors.vec,
   (exists i : I, In x (X i)) ->
   sqrt (8 / (PI * INR d)) / c ^ 2 * vectors.norm x <= Rabs (vectors.dot v x)) ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) ->
   x <> y ->
   sqrt (8 / (PI * INR d)) / c ^ 2 * vectors.norm (vectors.sub x y) <=
   Rabs (vectors.dot v x - vectors.dot v y)) ->
  length WO = d ->
  vectors.dot u2 u1 = c ^ 4 * PI * INR d * (2 * ln (INR n) + 3) / (8 * eps * rmin) ->
  vectors.norm (vectors.apply WO u3) = eps / (4 * rmax) ->
  softmax.contextual I X
    (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO) m
    (rmax + eps / 4) (theorem2_paper.paper_delta d n rmin rmax eps c)).

(*! theorem2_exists *)
Check (Logic.eq_refl : @theorem2_exists.separated =
  fun (I : Type) (X : I -> list vectors.vec) (d : nat) (rmin rmax eps : R) =>
  (forall (i : I) (x : vectors.vec),
   In x (X i) -> length x = d /\ rmin < vectors.norm x < rmax) /\
  (forall (i : I) (x : vectors.vec) (j : I) (y : vectors.vec),
   In x (X i) -> In y (X j) -> x <> y -> eps < vectors.norm (vectors.sub x y))).
Check (Logic.eq_refl : @theorem2_exists.vocabulary =
  fun (I : Type) (X : I -> list vectors.vec) (V : list vectors.vec) =>
  NoDup V /\ (forall x : vectors.vec, In x V <-> (exists i : I, In x (X i)))).
Check (Logic.eq_refl : @theorem2_exists.matrix =
  fun (rows columns : nat) (W : list vectors.vec) =>
  length W = rows /\ (forall row : vectors.vec, In row W -> length row = columns)).
Check (Logic.eq_refl : @theorem2_exists.rank_one =
  fun (rows columns : nat) (W : list vectors.vec) =>
  exists u v : list R,
    length u = rows /\
    length v = columns /\ vectors.norm u <> 0 /\ vectors.norm v <> 0 /\ W = vectors.outer u v).
Check (@theorem2_exists.projection :
  forall (d : nat) (V : list vectors.vec),
  (1 <= d)%nat ->
  V <> [] ->
  NoDup V ->
  (forall x : vectors.vec, In x V -> length x = d /\ vectors.norm x <> 0) ->
  (forall x y : vectors.vec, In x V -> In y V -> x <> y -> vectors.norm (vectors.sub x y) <> 0) ->
  let p := sqrt (8 / (PI * INR d)) / INR (length V + 1) ^ 2 in
  exists v : list R,
    length v = d /\
    vectors.norm v <= 1 /\
    (forall x : vectors.vec, In x V -> p * vectors.norm x <= Rabs (vectors.dot v x)) /\
    (forall x y : vectors.vec,
     In x V ->
     In y V ->
     x <> y -> p * vectors.norm (vectors.sub x y) <= Rabs (vectors.dot v x - vectors.dot v y))).
Check (@theorem2_exists.theorem2 :
  forall (I : Type) (X : I -> list vectors.vec) (V : list vectors.vec) 
    (m : definition2.mask) (d n s : nat) (rmin rmax eps : R),
  0 < rmin ->
  0 < eps ->
  (2 <= n)%nat ->
  (1 <= s)%nat ->
  theorem2_exists.separated I X d rmin rmax eps ->
  theorem2_exists.vocabulary I X V ->
  (forall i : I, NoDup (X i)) ->
  (exists i : I, length (X i) = n) ->
  exists WQ WK WV WO : list vectors.vec,
    theorem2_exists.rank_one s d WQ /\
    theorem2_exists.rank_one s d WK /\
    theorem2_exists.rank_one s d WV /\
    theorem2_exists.matrix d s WO /\
    softmax.contextual I X (softmax.attention WQ WK WV WO) m (rmax + eps / 4)
      (theorem2_paper.paper_delta d n rmin rmax eps (INR (length V + 1)))).

(*! gap *)
Check (Logic.eq_refl : @gap.sharp_least =
  fun g top : R =>
  Rmin (sharp_gap.sharp_bound g g)
    (Rmin (sharp_gap.sharp_bound g (2 * g)) (sharp_gap.sharp_bound g top))).
Check (@gap.bound_least_at_ends :
  forall g t top : R,
  sharp_gap.sharp <= g ->
  g <= t -> t <= top -> gap.sharp_least g top <= sharp_gap.sharp_bound g t).
Check (Logic.eq_refl : @gap.gap_promise =
  fun (u1 u2 u3 : vectors.vec) (WO : list vectors.vec) =>
  let kappa := vectors.dot u2 u1 in
  let w := vectors.apply WO u3 in
  fun rmax g : R =>
  vectors.norm w * gap.sharp_least g (2 * (kappa * rmax * rmax)) / (kappa * rmax)).
Check (@gap.gap_contextual :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (I : Type)
    (X : I -> list vectors.vec) (d : nat) (rmax eps g : R) (m : definition2.mask),
  0 < rmax ->
  0 < eps ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> length x = d) ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> vectors.norm x < rmax) ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) -> x <> y -> eps < vectors.norm (vectors.sub x y)) ->
  (forall i : I, NoDup (X i)) ->
  length WO = d ->
  vectors.norm v <= 1 ->
  0 < vectors.dot u2 u1 ->
  0 < vectors.norm (vectors.apply WO u3) ->
  vectors.norm (vectors.apply WO u3) <= eps / (4 * rmax) ->
  sharp_gap.sharp < g ->
  (forall x y z : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) ->
   (exists i : I, In z (X i)) ->
   y <> z ->
   g <= Rabs (vectors.dot u2 u1 * vectors.dot v x * (vectors.dot v y - vectors.dot v z))) ->
  softmax.contextual I X
    (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO) m
    (rmax + eps / 4) (gap.gap_promise u1 u2 u3 WO rmax g)).

(*! zero_test *)
Check (Logic.eq_refl : @zero_test.rational =
  fun x : R => exists p q : Z, q <> 0%Z /\ x = IZR p / IZR q).
Check (Logic.eq_refl : @zero_test.evaluate =
  fun l : list (R * R) => sums.sum (fun t : R * R => fst t * exp (snd t)) l).
Check (Logic.eq_refl : @zero_test.rational_terms =
  fun l : list (R * R) =>
  forall t : R * R, In t l -> zero_test.rational (fst t) /\ zero_test.rational (snd t)).
Check (Logic.eq_refl : @zero_test.lindemann_weierstrass =
  forall l : list (R * R),
  zero_test.rational_terms l ->
  NoDup (map snd l) -> zero_test.evaluate l = 0 -> forall t : R * R, In t l -> fst t = 0).
Check (Logic.eq_refl : @zero_test.collected =
  fun (l : list (R * R)) (x : R) =>
  sums.sum (fun t : R * R => if Req_EM_T (snd t) x then fst t else 0) l).
Check (@zero_test.zero_test :
  forall l : list (R * R),
  zero_test.lindemann_weierstrass ->
  zero_test.rational_terms l ->
  zero_test.evaluate l = 0 <-> (forall x : R, zero_test.collected l x = 0)).
Check (Logic.eq_refl : @zero_test.parallel =
  fun e f : boltzmann.entry =>
  boltzmann.mulA e * boltzmann.mulB f = boltzmann.mulA f * boltzmann.mulB e).
Check (Logic.eq_refl : @zero_test.proportional =
  fun l : list boltzmann.entry =>
  forall e f : boltzmann.entry, In e l -> In f l -> zero_test.parallel e f).
Check (@zero_test.boltz_equal_iff :
  forall l : list boltzmann.entry,
  zero_test.lindemann_weierstrass ->
  NoDup (map boltzmann.val l) ->
  (forall e : boltzmann.entry,
   In e l ->
   zero_test.rational (boltzmann.val e) /\
   zero_test.rational (boltzmann.mulA e) /\ zero_test.rational (boltzmann.mulB e)) ->
  (forall e : boltzmann.entry, In e l -> boltzmann.mulA e <> 0 \/ boltzmann.mulB e <> 0) ->
  boltzmann.partition_of boltzmann.mulA l <> 0 ->
  boltzmann.partition_of boltzmann.mulB l <> 0 ->
  boltzmann.boltz_of boltzmann.mulA l = boltzmann.boltz_of boltzmann.mulB l <->
  zero_test.proportional l).

(*! tuned *)
Check (@tuned.tuned_contextual :
  forall (u1 u2 u3 v : vectors.vec) (WO : list vectors.vec) (I : Type)
    (X : I -> list vectors.vec) (d : nat) (m : definition2.mask),
  zero_test.lindemann_weierstrass ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> length x = d) ->
  length WO = d ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) -> zero_test.rational (softmax.rank1_score u1 u2 v x y)) ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) -> vectors.dot v x = vectors.dot v y -> x = y) ->
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> vectors.dot v x <> 0) ->
  vectors.dot u2 u1 <> 0 ->
  0 < vectors.norm (vectors.apply WO u3) ->
  forall lo hi : R,
  (forall x : vectors.vec, (exists i : I, In x (X i)) -> lo <= vectors.dot v x <= hi) ->
  (forall x y : vectors.vec,
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) ->
   x <> y -> vectors.norm (vectors.apply WO u3) * (hi - lo) < vectors.norm (vectors.sub x y)) \/
  (forall (x y : vectors.vec) (c : R),
   (exists i : I, In x (X i)) ->
   (exists i : I, In y (X i)) ->
   x <> y -> vectors.sub x y <> vectors.scale c (vectors.apply WO u3)) ->
  forall r : R,
  (forall (i : I) (k : nat),
   (k < length (X i))%nat ->
   vectors.norm
     (softmax.output I X
        (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO)
        m i k) < r) ->
  softmax.contextual I X
    (softmax.attention (vectors.outer u1 v) (vectors.outer u2 v) (vectors.outer u3 v) WO) m r
    0).

(*! memorize *)
Check (Logic.eq_refl : @memorize.relu =
  fun t : R => Rmax t 0).
Check (@memorize.Ramp :
  R -> R -> R -> memorize.ramp).
Check (Logic.eq_refl : @memorize.low =
  fun r : memorize.ramp => let (low, _, _) := r in low).
Check (Logic.eq_refl : @memorize.high =
  fun r : memorize.ramp => let (_, high, _) := r in high).
Check (Logic.eq_refl : @memorize.rise =
  fun r : memorize.ramp => let (_, _, rise) := r in rise).
Check (Logic.eq_refl : @memorize.height =
  fun (r : memorize.ramp) (t : R) =>
  memorize.rise r / (memorize.high r - memorize.low r) *
  (memorize.relu (t - memorize.low r) - memorize.relu (t - memorize.high r))).
Check (Logic.eq_refl : @memorize.output =
  fun (first reach : R) (ramps : list memorize.ramp) (z t : R) =>
  z + (first + reach) - memorize.relu (z + reach) +
  sums.sum (fun r : memorize.ramp => memorize.height r t) ramps).
Check (@memorize.memorize_value :
  forall (first reach : R) (below above : list memorize.ramp) (z t : R),
  - reach <= z ->
  (forall r : memorize.ramp, In r below -> memorize.low r < memorize.high r <= t) ->
  (forall r : memorize.ramp,
   In r above -> memorize.low r < memorize.high r /\ t <= memorize.low r) ->
  memorize.output first reach (below ++ above) z t = first + sums.sum memorize.rise below).
Check (Logic.eq_refl : @memorize.rises =
  fix rises (y : R) (labels : list R) {struct labels} : list R :=
    match labels with
    | [] => []
    | y' :: rest => y' - y :: rises y' rest
    end).
Check (@memorize.memorize_label :
  forall (first : R) (labels : list R) (reach : R) (below above : list memorize.ramp)
    (z t : R),
  - reach <= z ->
  map memorize.rise below = memorize.rises first labels ->
  (forall r : memorize.ramp, In r below -> memorize.low r < memorize.high r <= t) ->
  (forall r : memorize.ramp,
   In r above -> memorize.low r < memorize.high r /\ t <= memorize.low r) ->
  memorize.output first reach (below ++ above) z t = last labels first).
Check (@memorize.ramp_inside :
  forall gap_low gap_high w l : R,
  let g := gap_high - gap_low in
  0 < w ->
  w <= g / 4 ->
  gap_low + g / 4 <= l -> l < gap_low + g / 4 + w -> gap_low < l /\ l < l + w < gap_high).
Check (Logic.eq_refl : @memorize.encode =
  fun (s : R) (e x : vectors.vec) (k : nat) => vectors.add x (vectors.scale (INR (S k) * s) e)).
Check (@memorize.positional_distance :
  forall (r eps : R) (e x y : list R) (j k : nat),
  length x = length y ->
  length x = length e ->
  vectors.norm e = 1 ->
  vectors.norm x < r ->
  vectors.norm y < r ->
  0 < eps ->
  j <> k ->
  eps <
  vectors.norm
    (vectors.sub (memorize.encode (2 * r + eps) e x j) (memorize.encode (2 * r + eps) e y k))).
Check (@memorize.positional_nonzero :
  forall (r eps : R) (e x : list R) (k : nat),
  length x = length e ->
  vectors.norm e = 1 ->
  vectors.norm x < r ->
  0 < eps -> r + eps < vectors.norm (memorize.encode (2 * r + eps) e x k)).

(*! corollary1 *)
Check (@corollary1.Unit :
  vectors.vec -> R -> vectors.vec -> corollary1.unit_of_layer).
Check (Logic.eq_refl : @corollary1.row =
  fun u : corollary1.unit_of_layer => let (row, _, _) := u in row).
Check (Logic.eq_refl : @corollary1.bias =
  fun u : corollary1.unit_of_layer => let (_, bias, _) := u in bias).
Check (Logic.eq_refl : @corollary1.column =
  fun u : corollary1.unit_of_layer => let (_, _, column) := u in column).
Check (Logic.eq_refl : @corollary1.feed_forward =
  fun (units : list corollary1.unit_of_layer) (b2 z : vectors.vec) =>
  vectors.add (vectors.add z b2)
    (vectors.vsum (length z)
       (map
          (fun u : corollary1.unit_of_layer =>
           vectors.scale
             (memorize.relu (vectors.dot (corollary1.row u) z + corollary1.bias u))
             (corollary1.column u)) units))).
Check (Logic.eq_refl : @corollary1.of_dimension =
  fun (d : nat) (u : corollary1.unit_of_layer) =>
  length (corollary1.row u) = d /\ length (corollary1.column u) = d).
Check (Logic.eq_refl : @corollary1.parameters =
  fun s d hidden : nat => (4 * (s + d) + d * hidden)%nat).
Check (@corollary1.feed_forward_fits :
  forall (d : nat) (r : R) (points : list (vectors.vec * vectors.vec)),
  points <> [] ->
  (forall z y : vectors.vec,
   In (z, y) points -> length z = d /\ length y = d /\ vectors.norm z < r) ->
  (forall z y y' : vectors.vec, In (z, y) points -> In (z, y') points -> y = y') ->
  exists (units : list corollary1.unit_of_layer) (b2 : list R),
    (length units <= 2 * length points + d)%nat /\
    length b2 = d /\
    (forall u : corollary1.unit_of_layer, In u units -> corollary1.of_dimension d u) /\
    (forall z y : vectors.vec, In (z, y) points -> corollary1.feed_forward units b2 z = y)).
Check (@corollary1.corollary1 :
  forall (I : Type) (all : list I) (X : I -> list vectors.vec) (V : list vectors.vec)
    (m : definition2.mask) (d n s : nat) (rmin rmax eps : R) (label : I -> nat -> vectors.vec),
  let N := length all in
  (forall i : I, In i all) ->
  0 < rmin ->
  0 < eps ->
  (2 <= n)%nat ->
  (1 <= s)%nat ->
  theorem2_exists.separated I X d rmin rmax eps ->
  theorem2_exists.vocabulary I X V ->
  (forall i : I, NoDup (X i)) ->
  (exists i : I, length (X i) = n) ->
  (forall i : I, (length (X i) <= n)%nat) ->
  (forall (i : I) (k : nat), (k < length (X i))%nat -> length (label i k) = d) ->
  (forall (i : I) (k : nat) (j : I) (l : nat),
   (k < length (X i))%nat ->
   (l < length (X j))%nat -> ~ softmax.required I X m i k j l -> label i k = label j l) ->
  exists
    (WQ WK WV WO : list vectors.vec) (units : list corollary1.unit_of_layer) 
  (b2 : list R),
    theorem2_exists.rank_one s d WQ /\
    theorem2_exists.rank_one s d WK /\
    theorem2_exists.rank_one s d WV /\
    theorem2_exists.matrix d s WO /\
    (forall u : corollary1.unit_of_layer, In u units -> corollary1.of_dimension d u) /\
    length b2 = d /\
    (corollary1.parameters s d (length units) <= 4 * (s + d) + d * (2 * n * N + d))%nat /\
    (forall (i : I) (k : nat),
     (k < length (X i))%nat ->
     corollary1.feed_forward units b2
       (softmax.output I X (softmax.attention WQ WK WV WO) m i k) = 
     label i k)).

(*! collapse *)
Check (@collapse.collapse_distance :
  forall (I : Type) (P : I -> Type) (T : Type) (d : nat) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (q c : forall i : I, P i -> vectors.vec)
    (r s e : R),
  (forall (i : I) (k : P i), length (q i k) = d) ->
  (forall (i : I) (k : P i), length (c i k) = d) ->
  definition2.contextual I P T vectors.vec token sees
    (fun o : vectors.vec => vectors.norm o < r)
    (fun o o' : vectors.vec => vectors.norm (vectors.sub o o') > s) q ->
  (forall (i : I) (k : P i), vectors.norm (vectors.sub (c i k) (q i k)) <= e) ->
  forall (i : I) (k : P i) (j : I) (l : P j),
  definition2.required I P T token sees i k j l ->
  vectors.norm (vectors.sub (c i k) (c j l)) > s - 2 * e).
Check (@collapse.collapse_suffices :
  forall (I : Type) (P : I -> Type) (T : Type) (d : nat) (token : forall i : I, P i -> T)
    (sees : forall i : I, P i -> P i -> Prop) (q c : forall i : I, P i -> vectors.vec)
    (r s e : R),
  (forall (i : I) (k : P i), length (q i k) = d) ->
  (forall (i : I) (k : P i), length (c i k) = d) ->
  definition2.contextual I P T vectors.vec token sees
    (fun o : vectors.vec => vectors.norm o < r)
    (fun o o' : vectors.vec => vectors.norm (vectors.sub o o') > s) q ->
  (forall (i : I) (k : P i), vectors.norm (vectors.sub (c i k) (q i k)) <= e) ->
  forall (i : I) (k : P i) (j : I) (l : P j),
  2 * e <= s -> definition2.required I P T token sees i k j l -> c i k <> c j l).
Check (@collapse.collapse_necessary :
  forall (d : nat) (values : list R) (outputs : list vectors.vec),
  NoDup outputs ->
  (forall x : vectors.vec,
   In x outputs -> length x = d /\ (forall a : R, In a x -> In a values)) ->
  (length outputs <= length values ^ d)%nat).

(*! judge *)
Check (@judge.tree_ind :
  forall P : judge.tree -> Prop,
  (forall r : R, P (judge.leaf r)) ->
  (forall t : judge.tree, P t -> forall t0 : judge.tree, P t0 -> P (judge.node t t0)) ->
  forall t : judge.tree, P t).
Check (Logic.eq_refl : @judge.leaves =
  fix leaves (t : judge.tree) : nat :=
    match t with
    | judge.leaf _ => 1%nat
    | judge.node l r => (leaves l + leaves r)%nat
    end).
Check (Logic.eq_refl : @judge.exact =
  fix exact (t : judge.tree) : R :=
    match t with
    | judge.leaf x => x
    | judge.node l r => exact l + exact r
    end).
Check (Logic.eq_refl : @judge.bounded =
  fun M : R =>
  fix bounded (t : judge.tree) : Prop :=
    Rabs (judge.exact t) <= M /\
    match t with
    | judge.leaf _ => True
    | judge.node l r => bounded l /\ bounded r
    end).
Check (@judge.computed_ind :
  forall (u : R) (P : judge.tree -> R -> Prop),
  (forall x : R, P (judge.leaf x) x) ->
  (forall (l r : judge.tree) (a b d : R),
   judge.computed u l a ->
   P l a ->
   judge.computed u r b -> P r b -> Rabs d <= u -> P (judge.node l r) ((a + b) * (1 + d))) ->
  forall (t : judge.tree) (r : R), judge.computed u t r -> P t r).
Check (Logic.eq_refl : @judge.error =
  fun (u M : R) (t : judge.tree) => M * ((1 + u) ^ (judge.leaves t - 1) - 1)).
Check (@judge.tree_error :
  forall u M : R,
  0 <= u ->
  0 <= M ->
  forall (t : judge.tree) (y : R),
  judge.bounded M t -> judge.computed u t y -> Rabs (y - judge.exact t) <= judge.error u M t).
Check (@judge.quotient_above :
  forall N S r phi low : R,
  0 < low -> low <= S -> N - r * S <= phi -> 0 <= phi -> N / S <= r + phi / low).
Check (@judge.quotient_below :
  forall N S r phi low high : R,
  0 < low -> low <= S -> S <= high -> N - r * S <= phi -> phi <= 0 -> N / S <= r + phi / high).

(*! judge_steps *)
Check (Logic.eq_refl : @judge_steps.part =
  fun x : R * bool => if snd x then fst x else 0).
Check (@judge_steps.part_of_sum :
  forall l : list (R * bool),
  Rabs (sums.sum judge_steps.part l) <=
  (sums.sum (fun x : R * bool => Rabs (fst x)) l + Rabs (sums.sum fst l)) / 2).
Check (@judge_steps.blocks_error :
  forall (losses : list (R -> R)) (errors : nat -> R) (e : R),
  errors 0%nat = 0 ->
  (forall (k : nat) (f : R -> R),
   nth_error losses k = Some f -> errors (S k) <= errors k + f (errors k)) ->
  (forall (f : R -> R) (x : R), In f losses -> x <= e -> f x <= f e) ->
  (forall f : R -> R, In f losses -> 0 <= f e) ->
  sums.sum (fun f : R -> R => f e) losses <= e ->
  errors (length losses) <= sums.sum (fun f : R -> R => f e) losses).
Check (@judge_steps.effective_weight :
  forall (t argument shift each : R) (factors : list R),
  Rabs (argument - t) <= shift ->
  (forall x : R, In x factors -> 0 < x /\ Rabs (ln x) <= each) ->
  let g := shift + INR (length factors) * each in
  exp (t - g) <= exp argument * fold_right Rmult 1 factors <= exp (t + g)).
Check (@judge_steps.narrow_weight :
  forall g : R, 0 <= g <= / 32 -> 1 - (g + g * g) <= exp (- g) /\ exp g <= 1 + (g + g * g)).
Check (@judge_steps.Key :
  R -> R -> R -> R -> R -> R -> judge_steps.key).
Check (Logic.eq_refl : @judge_steps.w =
  fun k : judge_steps.key => let (w, _, _, _, _, _) := k in w).
Check (Logic.eq_refl : @judge_steps.half =
  fun k : judge_steps.key => let (_, half, _, _, _, _) := k in half).
Check (Logic.eq_refl : @judge_steps.cast =
  fun k : judge_steps.key => let (_, _, cast, _, _, _) := k in cast).
Check (Logic.eq_refl : @judge_steps.v =
  fun k : judge_steps.key => let (_, _, _, v, _, _) := k in v).
Check (Logic.eq_refl : @judge_steps.W =
  fun k : judge_steps.key => let (_, _, _, _, W, _) := k in W).
Check (Logic.eq_refl : @judge_steps.C =
  fun k : judge_steps.key => let (_, _, _, _, _, C) := k in C).
Check (Logic.eq_refl : @judge_steps.known =
  fun k : judge_steps.key =>
  Rabs (judge_steps.W k - judge_steps.w k) <= judge_steps.half k /\
  Rabs (judge_steps.C k - judge_steps.W k) <= judge_steps.cast k).
Check (Logic.eq_refl : @judge_steps.phi =
  fun (r : R) (keys : list judge_steps.key) =>
  sums.sum
    (fun k : judge_steps.key =>
     judge_steps.w k * (judge_steps.v k - r) + judge_steps.half k * Rabs (judge_steps.v k - r) +
     judge_steps.cast k * Rabs (judge_steps.v k)) keys).
Check (@judge_steps.row_above :
  forall (keys : list judge_steps.key) (E r low high : R),
  (forall k : judge_steps.key, In k keys -> judge_steps.known k) ->
  0 < low ->
  low <= sums.sum judge_steps.W keys <= high ->
  (sums.sum (fun k : judge_steps.key => judge_steps.C k * judge_steps.v k) keys + E) /
  sums.sum judge_steps.W keys <=
  r +
  (judge_steps.phi r keys + Rabs E) /
  (if Rle_dec 0 (judge_steps.phi r keys + Rabs E) then low else high)).
Check (@judge_steps.row_below :
  forall (keys : list judge_steps.key) (E r low high : R),
  (forall k : judge_steps.key, In k keys -> judge_steps.known k) ->
  0 < low ->
  low <= sums.sum judge_steps.W keys <= high ->
  let mirror :=
    map
      (fun k : judge_steps.key =>
       {|
         judge_steps.w := judge_steps.w k;
         judge_steps.half := judge_steps.half k;
         judge_steps.cast := judge_steps.cast k;
         judge_steps.v := - judge_steps.v k;
         judge_steps.W := judge_steps.W k;
         judge_steps.C := judge_steps.C k
       |}) keys in
  -
  (- r +
   (judge_steps.phi (- r) mirror + Rabs E) /
   (if Rle_dec 0 (judge_steps.phi (- r) mirror + Rabs E) then low else high)) <=
  (sums.sum (fun k : judge_steps.key => judge_steps.C k * judge_steps.v k) keys + E) /
  sums.sum judge_steps.W keys).

(*! certificate *)
Check (@certificate.activation_ind :
  forall P : certificate.activation -> Prop,
  P certificate.Softmax ->
  P certificate.HardmaxUniform ->
  P certificate.HardmaxLeftmost -> forall a : certificate.activation, P a).
Check (@certificate.Head :
  list (list Q) -> list (list Q) -> list (list Q) -> list (list Q) -> certificate.head).
Check (Logic.eq_refl : @certificate.WQ =
  fun h : certificate.head => let (WQ, _, _, _) := h in WQ).
Check (Logic.eq_refl : @certificate.WK =
  fun h : certificate.head => let (_, WK, _, _) := h in WK).
Check (Logic.eq_refl : @certificate.WV =
  fun h : certificate.head => let (_, _, WV, _) := h in WV).
Check (Logic.eq_refl : @certificate.WO =
  fun h : certificate.head => let (_, _, _, WO) := h in WO).
Check (@certificate.Weights :
  certificate.activation ->
  definition2.mask -> bool -> list certificate.head -> certificate.weights).
Check (Logic.eq_refl : @certificate.kind =
  fun w : certificate.weights => let (kind, _, _, _) := w in kind).
Check (Logic.eq_refl : @certificate.masked =
  fun w : certificate.weights => let (_, masked, _, _) := w in masked).
Check (Logic.eq_refl : @certificate.skip =
  fun w : certificate.weights => let (_, _, skip, _) := w in skip).
Check (Logic.eq_refl : @certificate.heads =
  fun w : certificate.weights => let (_, _, _, heads) := w in heads).
Check (Logic.eq_refl : @certificate.dataset =
  list (list (list Q))).
Check (@certificate.Ball :
  Q -> Q -> certificate.ball).
Check (Logic.eq_refl : @certificate.mid =
  fun b : certificate.ball => let (mid, _) := b in mid).
Check (Logic.eq_refl : @certificate.rad =
  fun b : certificate.ball => let (_, rad) := b in rad).
Check (Logic.eq_refl : @certificate.position =
  (nat * nat)%type).
Check (@certificate.verdict_ind :
  forall P : certificate.verdict -> Prop,
  P certificate.Proved ->
  P certificate.Refuted -> P certificate.Undecided -> forall v : certificate.verdict, P v).
Check (@certificate.Certificate :
  certificate.verdict ->
  option Q ->
  Q ->
  option (certificate.ball * certificate.position * certificate.position) ->
  option (certificate.ball * certificate.position) -> certificate.certificate).
Check (Logic.eq_refl : @certificate.finding =
  fun c : certificate.certificate => let (finding, _, _, _, _) := c in finding).
Check (Logic.eq_refl : @certificate.bound_r =
  fun c : certificate.certificate => let (_, bound_r, _, _, _) := c in bound_r).
Check (Logic.eq_refl : @certificate.bound_delta =
  fun c : certificate.certificate => let (_, _, bound_delta, _, _) := c in bound_delta).
Check (Logic.eq_refl : @certificate.separation =
  fun c : certificate.certificate => let (_, _, _, separation, _) := c in separation).
Check (Logic.eq_refl : @certificate.largest =
  fun c : certificate.certificate => let (_, _, _, _, largest) := c in largest).
Check (Logic.eq_refl : @certificate.real_vector =
  fun x : list Q => map Q2R x).
Check (Logic.eq_refl : @certificate.real_matrix =
  fun W : list (list Q) => map certificate.real_vector W).
Check (Logic.eq_refl : @certificate.score_of =
  fun (h : certificate.head) (x y : vectors.vec) =>
  vectors.dot (vectors.apply (certificate.real_matrix (certificate.WK h)) y)
    (vectors.apply (certificate.real_matrix (certificate.WQ h)) x)).
Check (Logic.eq_refl : @certificate.largest_score =
  fun s : list R => fold_right Rmax (hd 0 s) s).
Check (Logic.eq_refl : @certificate.is_largest =
  fun (s : list R) (a : R) => if Req_EM_T a (certificate.largest_score s) then true else false).
Check (Logic.eq_refl : @certificate.first_only =
  fix first_only (l : list bool) : list R :=
    match l with
    | [] => []
    | true :: l' => 1 :: map (fun _ : bool => 0) l'
    | false :: l' => 0 :: first_only l'
    end).
Check (Logic.eq_refl : @certificate.numerators =
  fun (a : certificate.activation) (s : list R) =>
  match a with
  | certificate.Softmax => map exp s
  | certificate.HardmaxUniform =>
      map (fun x : R => if certificate.is_largest s x then 1 else 0) s
  | certificate.HardmaxLeftmost => certificate.first_only (map (certificate.is_largest s) s)
  end).
Check (Logic.eq_refl : @certificate.head_output =
  fun (a : certificate.activation) (h : certificate.head) (S : list vectors.vec)
    (x : vectors.vec) =>
  let p := certificate.numerators a (map (certificate.score_of h x) S) in
  let total := sums.sum (fun t : R => t) p in
  vectors.vsum (length x)
    (map
       (fun q : R * vectors.vec =>
        vectors.scale (fst q / total)
          (vectors.apply (certificate.real_matrix (certificate.WO h))
             (vectors.apply (certificate.real_matrix (certificate.WV h)) (snd q))))
       (combine p S))).
Check (Logic.eq_refl : @certificate.layer =
  fun (W : certificate.weights) (S : list vectors.vec) (x : vectors.vec) =>
  vectors.add (if certificate.skip W then x else vectors.scale 0 x)
    (vectors.vsum (length x)
       (map (fun h : certificate.head => certificate.head_output (certificate.kind W) h S x)
          (certificate.heads W)))).
Check (Logic.eq_refl : @certificate.shaped =
  fun (rows columns : nat) (W : list (list Q)) =>
  length W = rows /\ (forall row : list Q, In row W -> length row = columns)).
Check (Logic.eq_refl : @certificate.well_formed =
  fun (D : certificate.dataset) (W : certificate.weights) =>
  exists d : nat,
    (1 <= d)%nat /\
    (forall (s : list (list Q)) (x : list Q), In s D -> In x s -> length x = d) /\
    (forall h : certificate.head,
     In h (certificate.heads W) ->
     exists k : nat,
       certificate.shaped k d (certificate.WQ h) /\
       certificate.shaped k d (certificate.WK h) /\
       certificate.shaped k d (certificate.WV h) /\ certificate.shaped d k (certificate.WO h))).
Check (Logic.eq_refl : @certificate.sequence =
  fun (D : certificate.dataset) (i : nat) => map certificate.real_vector (nth i D [])).
Check (Logic.eq_refl : @certificate.there =
  fun (D : certificate.dataset) (p : certificate.position) =>
  (snd p < length (certificate.sequence D (fst p)))%nat).
Check (Logic.eq_refl : @certificate.value =
  fun (D : certificate.dataset) (W : certificate.weights) (p : certificate.position) =>
  softmax.output nat (certificate.sequence D) (certificate.layer W) 
    (certificate.masked W) (fst p) (snd p)).
Check (Logic.eq_refl : @certificate.pair_required =
  fun (D : certificate.dataset) (W : certificate.weights) (p q : certificate.position) =>
  certificate.there D p /\
  certificate.there D q /\
  softmax.required nat (certificate.sequence D) (certificate.masked W) 
    (fst p) (snd p) (fst q) (snd q)).
Check (Logic.eq_refl : @certificate.distance =
  fun (D : certificate.dataset) (W : certificate.weights) (p q : certificate.position) =>
  vectors.norm (vectors.sub (certificate.value D W p) (certificate.value D W q))).
Check (Logic.eq_refl : @certificate.inside =
  fun (b : certificate.ball) (x : R) =>
  Rabs (x - Q2R (certificate.mid b)) <= Q2R (certificate.rad b)).
Check (Logic.eq_refl : @certificate.separation_true =
  fun (D : certificate.dataset) (W : certificate.weights) (c : certificate.certificate) =>
  match certificate.separation c with
  | Some (b, p, q) =>
      certificate.pair_required D W p q /\
      certificate.inside b (certificate.distance D W p q) /\
      (exists least : R,
         certificate.inside b least /\
         (forall p' q' : certificate.position,
          certificate.pair_required D W p' q' -> least <= certificate.distance D W p' q') /\
         (exists p' q' : certificate.position,
            certificate.pair_required D W p' q' /\ certificate.distance D W p' q' = least))
  | None =>
      certificate.finding c = certificate.Undecided \/
      (forall p q : certificate.position, ~ certificate.pair_required D W p q)
  end).
Check (Logic.eq_refl : @certificate.norm_true =
  fun (D : certificate.dataset) (W : certificate.weights) (c : certificate.certificate) =>
  match certificate.largest c with
  | Some (b, p) =>
      certificate.there D p /\
      certificate.inside b (vectors.norm (certificate.value D W p)) /\
      (exists most : R,
         certificate.inside b most /\
         (forall p' : certificate.position,
          certificate.there D p' -> vectors.norm (certificate.value D W p') <= most) /\
         (exists p' : certificate.position,
            certificate.there D p' /\ vectors.norm (certificate.value D W p') = most))
  | None =>
      certificate.finding c = certificate.Undecided \/
      (forall p : certificate.position, ~ certificate.there D p)
  end).
Check (Logic.eq_refl : @certificate.below_r =
  fun (c : certificate.certificate) (x : R) =>
  match certificate.bound_r c with
  | Some r => x < Q2R r
  | None => True
  end).
Check (Logic.eq_refl : @certificate.verdict_true =
  fun (D : certificate.dataset) (W : certificate.weights) (c : certificate.certificate) =>
  match certificate.finding c with
  | certificate.Proved =>
      (forall p : certificate.position,
       certificate.there D p -> certificate.below_r c (vectors.norm (certificate.value D W p))) /\
      (forall p q : certificate.position,
       certificate.pair_required D W p q ->
       certificate.distance D W p q > Q2R (certificate.bound_delta c))
  | certificate.Refuted =>
      (exists (b : certificate.ball) (p q : certificate.position),
         certificate.separation c = Some (b, p, q) /\
         ~ certificate.distance D W p q > Q2R (certificate.bound_delta c)) \/
      (exists (b : certificate.ball) (p : certificate.position),
         certificate.largest c = Some (b, p) /\
         ~ certificate.below_r c (vectors.norm (certificate.value D W p)))
  | certificate.Undecided => True
  end).
Check (Logic.eq_refl : @certificate.true_certificate =
  fun (D : certificate.dataset) (W : certificate.weights) (c : certificate.certificate) =>
  certificate.separation_true D W c /\
  certificate.norm_true D W c /\ certificate.verdict_true D W c).
Check (Logic.eq_refl : @certificate.sound =
  fun check : certificate.certificate -> certificate.dataset -> certificate.weights -> bool =>
  forall (c : certificate.certificate) (D : certificate.dataset) (W : certificate.weights),
  certificate.well_formed D W -> check c D W = true -> certificate.true_certificate D W c).
Check (@certificate.proved_contextual :
  forall (D : certificate.dataset) (W : certificate.weights) (c : certificate.certificate)
    (r : Q),
  certificate.true_certificate D W c ->
  certificate.finding c = certificate.Proved ->
  certificate.bound_r c = Some r ->
  softmax.contextual nat (certificate.sequence D) (certificate.layer W) 
    (certificate.masked W) (Q2R r) (Q2R (certificate.bound_delta c))).
Check (@certificate.yes_unsound :
  ~
  certificate.sound
    (fun (_ : certificate.certificate) (_ : certificate.dataset) (_ : certificate.weights) =>
     true)).
Check (@certificate.sound_inhabited :
  exists
    check : certificate.certificate -> certificate.dataset -> certificate.weights -> bool,
    certificate.sound check /\
    (exists
       (c : certificate.certificate) (D : certificate.dataset) (W : certificate.weights) 
     (p q : certificate.position),
       certificate.well_formed D W /\
       check c D W = true /\
       certificate.finding c = certificate.Proved /\ certificate.pair_required D W p q)).

(*! constants *)
Check (@constants.gap_constants :
  Forall (fun gap : nat => sharp_gap.sharp < INR gap / c_constants.GAPS_UNIT) c_constants.GAPS).
Check (@constants.sharp_constants :
  1.268 < c_constants.SHARP_BELOW < sharp_gap.sharp /\
  sharp_gap.sharp < c_constants.SHARP_ABOVE).
Check (@constants.recheck_constants :
  forall g : R,
  sharp_gap.sharp <= g ->
  sharp_gap.nu g <= c_constants.RECHECK_NU /\
  exp (- c_constants.RECHECK_OTHER) <= g - sharp_gap.nu g).
Check (@constants.lemma1_constants :
  forall n : nat,
  2 ^ c_constants.LEMMA1_SHIFT * ln (INR n) + c_constants.LEMMA1_ADD = 2 * ln (INR n) + 3 /\
  c_constants.LEMMA1_ONE = 2 * ln (INR 1) + 3).
Check (@constants.kappa_constants :
  forall (tokens d n : nat) (eps rmin : R),
  0 < eps ->
  0 < rmin ->
  INR (tokens + c_constants.KAPPA_TOKENS) ^ c_constants.KAPPA_POWER * PI * INR d *
  (2 * ln (INR n) + c_constants.KAPPA_ADD) / eps / rmin / 2 ^ c_constants.KAPPA_EIGHTH =
  INR (tokens + 1) ^ 4 * PI * INR d * (2 * ln (INR n) + 3) / (8 * eps * rmin)).
Check (@constants.formula_constants :
  forall (tokens d n : nat) (rmin rmax eps : R),
  0 < rmin ->
  0 < rmax ->
  0 < eps ->
  (1 <= d)%nat ->
  (1 <= n)%nat ->
  let factor :=
    (2 * ln (INR n) + c_constants.FORMULA_ADD) * PI * INR d *
    INR (tokens + c_constants.FORMULA_TOKENS) ^ c_constants.FORMULA_POWER in
  ln (INR n) * eps * (ln (INR n) * eps) * rmin * 2 / (rmax * rmax) / factor *
  exp (- (factor * (rmax * rmax) / eps / rmin / 4)) =
  theorem2_paper.paper_delta d n rmin rmax eps (INR (tokens + 1))).
Check (@constants.judge_up :
  (1 + powerRZ 2 (-53)) ^ 2 ^ 12 <= c_constants.JUDGE_UP).
Check (@constants.judge_narrow :
  0 <= c_constants.JUDGE_NARROW <= / 32).

(*! exp_approx *)
Check (Logic.eq_refl : @exp_approx.RANGE =
  355 * powerRZ 2 (-13)).
Check (Logic.eq_refl : @exp_approx.poly =
  fun r : R =>
  (((((exp_constants.C7 * r + exp_constants.C6) * r + exp_constants.C5) * r + exp_constants.C4) *
    r + exp_constants.C3) * r + exp_constants.C2) * r * r + r).
Check (@exp_approx.poly_error :
  forall r : R,
  Rabs r <= exp_approx.RANGE ->
  Rabs (exp_approx.poly r - (exp r - 1)) <= 105 * powerRZ 2 (-65)).
Check (@exp_approx.step_error :
  Rabs (exp_constants.STEP_HI + exp_constants.STEP_LO - ln 2 / 8) <= powerRZ 2 (-104)).
Check (Logic.eq_refl : @exp_approx.table =
  fun j : Z =>
  match j with
  | 0%Z => exp_constants.T0
  | 5%Z => exp_constants.T5
  | 3%Z => exp_constants.T3
  | 6%Z => exp_constants.T6
  | 4%Z => exp_constants.T4
  | 2%Z => exp_constants.T2
  | 1%Z => exp_constants.T1
  | _ => exp_constants.T7
  end).
Check (Logic.eq_refl : @exp_approx.table_exact =
  fun j : Z => exp (exp_constants.SHIFT + IZR j * (ln 2 / 8))).
Check (@exp_approx.table_error :
  forall j : Z,
  (0 <= j <= 7)%Z ->
  Rabs (exp_approx.table j / exp_approx.table_exact j - 1) <= 42 * powerRZ 2 (-65)).

(*! exp_rounding *)
Check (Logic.eq_refl : @exp_rounding.shifted =
  fun x : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x0 : Z => negb (Z.even x0)))
    (x * exp_constants.INVERSE_STEP + exp_constants.ROUND_TO_INTEGER)).
Check (Logic.eq_refl : @exp_rounding.kk =
  fun x : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x0 : Z => negb (Z.even x0)))
    (exp_rounding.shifted x - exp_constants.ROUND_TO_INTEGER)).
Check (Logic.eq_refl : @exp_rounding.tt =
  fun x : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x0 : Z => negb (Z.even x0)))
    (exp_rounding.kk x * exp_constants.STEP_LO + exp_constants.SHIFT)).
Check (Logic.eq_refl : @exp_rounding.high =
  fun x : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x0 : Z => negb (Z.even x0)))
    (- exp_rounding.kk x * exp_constants.STEP_HI + x)).
Check (Logic.eq_refl : @exp_rounding.rr =
  fun x : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x0 : Z => negb (Z.even x0)))
    (exp_rounding.high x - exp_rounding.tt x)).
Check (Logic.eq_refl : @exp_rounding.horner =
  fun r : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x : Z => negb (Z.even x)))
    (Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
       (Generic_fmt.Znearest (fun x : Z => negb (Z.even x)))
       (Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
          (Generic_fmt.Znearest (fun x : Z => negb (Z.even x)))
          (Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
             (Generic_fmt.Znearest (fun x : Z => negb (Z.even x)))
             (Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
                (Generic_fmt.Znearest (fun x : Z => negb (Z.even x)))
                (exp_constants.C7 * r + exp_constants.C6) * r + exp_constants.C5) * r +
           exp_constants.C4) * r + exp_constants.C3) * r + exp_constants.C2)).
Check (Logic.eq_refl : @exp_rounding.pp =
  fun r : R =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x : Z => negb (Z.even x)))
    (Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
       (Generic_fmt.Znearest (fun x : Z => negb (Z.even x))) (exp_rounding.horner r * r) * r +
     r)).
Check (@exp_rounding.pp_error :
  forall r : R,
  Generic_fmt.generic_format Zaux.radix2 (FLT.FLT_exp (-1074) 53) r ->
  Rabs r <= exp_approx.RANGE ->
  Rabs (exp_rounding.pp r - exp_approx.poly r) <= 137 * powerRZ 2 (-65)).
Check (@exp_rounding.high_exact :
  forall x : R,
  Generic_fmt.generic_format Zaux.radix2 (FLT.FLT_exp (-1074) 53) x ->
  Rabs x <= 746 -> exp_rounding.high x = - exp_rounding.kk x * exp_constants.STEP_HI + x).
Check (@exp_rounding.rr_error :
  forall x : R,
  Generic_fmt.generic_format Zaux.radix2 (FLT.FLT_exp (-1074) 53) x ->
  Rabs x <= 746 ->
  Rabs
    (exp_rounding.rr x -
     (x - exp_rounding.kk x * (exp_constants.STEP_HI + exp_constants.STEP_LO) -
      exp_constants.SHIFT)) <= 129 * powerRZ 2 (-65)).
Check (@exp_rounding.rr_range :
  forall x : R,
  Generic_fmt.generic_format Zaux.radix2 (FLT.FLT_exp (-1074) 53) x ->
  Rabs x <= 746 -> Rabs (exp_rounding.rr x) <= exp_approx.RANGE).

(*! exp_error *)
Check (Logic.eq_refl : @exp_error.scale =
  fun n : Z => exp_approx.table (n mod 8) * Raux.bpow Zaux.radix2 (n / 8)).
Check (Logic.eq_refl : @exp_error.kernel_exp =
  fun (x : R) (n : Z) =>
  Generic_fmt.round Zaux.radix2 (FLT.FLT_exp (-1074) 53)
    (Generic_fmt.Znearest (fun x0 : Z => negb (Z.even x0)))
    (exp_error.scale n * exp_rounding.pp (exp_rounding.rr x) + exp_error.scale n)).
Check (@exp_error.ulps_before_rounding :
  forall (x : R) (n : Z),
  Generic_fmt.generic_format Zaux.radix2 (FLT.FLT_exp (-1074) 53) x ->
  Rabs x <= 746 ->
  exp_rounding.kk x = IZR n ->
  Rabs (exp_error.scale n * exp_rounding.pp (exp_rounding.rr x) + exp_error.scale n - exp x) <=
  407 / 4096 * Ulp.ulp Zaux.radix2 (FLT.FLT_exp (-1074) 53) (exp x)).
Check (@exp_error.kernel_exp_error :
  forall x : R,
  Generic_fmt.generic_format Zaux.radix2 (FLT.FLT_exp (-1074) 53) x ->
  -744 <= x <= 746 ->
  exists n : Z,
    exp_rounding.kk x = IZR n /\
    Rabs (exp_error.kernel_exp x n - exp x) <=
    exp_constants.PROMISED_ULP * Ulp.ulp Zaux.radix2 (FLT.FLT_exp (-1074) 53) (exp x)).

(*! kernel_bound *)
Check (Logic.eq_refl : @kernel_bound.u =
  exp_constants.BOUND_UNIT).
Check (@kernel_bound.Term :
  R -> R -> R -> kernel_bound.term).
Check (Logic.eq_refl : @kernel_bound.tq =
  fun t : kernel_bound.term => let (tq, _, _) := t in tq).
Check (Logic.eq_refl : @kernel_bound.tk =
  fun t : kernel_bound.term => let (_, tk, _) := t in tk).
Check (Logic.eq_refl : @kernel_bound.te =
  fun t : kernel_bound.term => let (_, _, te) := t in te).
Check (Logic.eq_refl : @kernel_bound.chain =
  fix chain (a : R) (l : list kernel_bound.term) {struct l} : R :=
    match l with
    | [] => a
    | t :: l' =>
        chain ((a + kernel_bound.tq t * kernel_bound.tk t) * (1 + kernel_bound.te t)) l'
    end).
Check (Logic.eq_refl : @kernel_bound.dot =
  fun l : list kernel_bound.term =>
  sums.sum (fun t : kernel_bound.term => kernel_bound.tq t * kernel_bound.tk t) l).
Check (Logic.eq_refl : @kernel_bound.wsum =
  fix wsum (f : kernel_bound.term -> R) (l : list kernel_bound.term) {struct l} : R :=
    match l with
    | [] => 0
    | t :: l' => INR (length l) * f t + wsum f l'
    end).
Check (Logic.eq_refl : @kernel_bound.small =
  fun t : kernel_bound.term => Rabs (kernel_bound.te t) <= kernel_bound.u).
Check (@kernel_bound.dot_error :
  forall l : list kernel_bound.term,
  Forall kernel_bound.small l ->
  Rabs (kernel_bound.chain 0 l - kernel_bound.dot l) <=
  kernel_bound.u * (1 + kernel_bound.u) ^ length l *
  kernel_bound.wsum
    (fun t : kernel_bound.term => Rabs (kernel_bound.tq t * kernel_bound.tk t)) l).
Check (@kernel_bound.dot_error_norms :
  forall l : list kernel_bound.term,
  Forall kernel_bound.small l ->
  Rabs (kernel_bound.chain 0 l - kernel_bound.dot l) <=
  kernel_bound.u * (1 + kernel_bound.u) ^ length l *
  (sqrt (kernel_bound.wsum (fun t : kernel_bound.term => kernel_bound.tq t ^ 2) l) *
   sqrt (kernel_bound.wsum (fun t : kernel_bound.term => kernel_bound.tk t ^ 2) l))).
Check (Logic.eq_refl : @kernel_bound.factors =
  fun l : list R => fold_right (fun e p : R => (1 + e) * p) 1 l).
Check (@kernel_bound.sum_error :
  forall (h : nat) (l : list (R * list R)),
  Forall
    (fun x : R * list R =>
     (length (snd x) <= h)%nat /\ Forall (fun e : R => Rabs e <= kernel_bound.u) (snd x)) l ->
  Rabs
    (sums.sum (fun x : R * list R => fst x * kernel_bound.factors (snd x)) l - sums.sum fst l) <=
  ((1 + kernel_bound.u) ^ h - 1) * sums.sum (fun x : R * list R => Rabs (fst x)) l).
Check (@kernel_bound.tree_error :
  forall (h : nat) (l : list (R * list R)),
  Forall
    (fun x : R * list R =>
     (length (snd x) <= h)%nat /\ Forall (fun e : R => Rabs e <= kernel_bound.u) (snd x)) l ->
  Rabs
    (sums.sum (fun x : R * list R => fst x * kernel_bound.factors (snd x)) l - sums.sum fst l) <=
  kernel_bound.u * (1 + kernel_bound.u) ^ h *
  sums.sum (fun x : R * list R => INR (length (snd x)) * Rabs (fst x)) l).
Check (@kernel_bound.largest_of_mean :
  forall (x : R) (l : list R) (mu square : R),
  INR (S (length l)) * mu = x + sums.sum (fun y : R => y) l ->
  INR (S (length l)) * square = x ^ 2 + sums.sum (fun y : R => y ^ 2) l ->
  x <= mu + sqrt (INR (length l) * (square - mu ^ 2))).
Check (@kernel_bound.mean_square_argument :
  forall l : list R,
  Forall (fun y : R => 0 <= y) l ->
  1 <= sums.sum (fun y : R => exp (- y)) l ->
  sums.sum (fun y : R => exp (- y) * y ^ 2) l <=
  (1 + ln (INR (length l))) ^ 2 * sums.sum (fun y : R => exp (- y)) l).
Check (@kernel_bound.two_squares :
  forall t a b : R,
  0 < t -> 0 <= a -> 0 <= b -> a + b <= sqrt ((1 + t) * a ^ 2 + (1 + / t) * b ^ 2)).
Check (@kernel_bound.sharp_squares :
  forall a b : R,
  0 <= a ->
  0 <= b ->
  a + b <=
  sqrt (exp_constants.BOUND_SHARP_VALUE * a ^ 2 + exp_constants.BOUND_SHARP_OUT * b ^ 2)).
Check (@kernel_bound.slack_norms :
  forall n : nat,
  INR n <= exp_constants.BOUND_SIZE_LIMIT ->
  ((1 + kernel_bound.u) ^ n) ^ 8 * (1 + kernel_bound.u) ^ 64 <= exp_constants.BOUND_SLACK).
Check (@kernel_bound.slack_weights :
  forall (n : nat) (delta : R),
  INR n <= exp_constants.BOUND_SIZE_LIMIT ->
  0 <= delta ->
  delta ^ 2 <= exp_constants.BOUND_SHARP_DELTA_SQUARE ->
  exp (2 * (delta + 711 * kernel_bound.u)) * ((1 + kernel_bound.u) ^ n) ^ 8 *
  (1 + kernel_bound.u) ^ 64 <= exp_constants.BOUND_SLACK).
Check (@kernel_bound.peak_covers :
  forall delta z : R,
  0 <= delta < 1 / 16 ->
  0 <= z < 1 / 4 ->
  4 * (1 + 2 * delta) * exp (2 * delta) * (z + powerRZ 2 (-22)) * (1 + powerRZ 2 (-21)) <=
  4 * z + exp_constants.BOUND_PEAK_SLACK + exp_constants.BOUND_PEAK_DELTA * delta).
Check (@kernel_bound.winner :
  forall delta top threshold computed exact_top exact_other : R,
  0 <= delta ->
  kernel_bound.u * Rabs top <= delta * (1 + powerRZ 2 (-20)) ->
  Rabs (top - exact_top) <= delta ->
  Rabs (computed - exact_other) <= delta ->
  Rabs (threshold - (top - exp_constants.BOUND_MARGIN * delta)) <=
  kernel_bound.u * (Rabs top + exp_constants.BOUND_MARGIN * delta) ->
  computed < threshold -> exact_other < exact_top).
Check (@kernel_bound.winner_again :
  forall delta top threshold computed exact_top exact_other : R,
  0 <= delta ->
  kernel_bound.u * Rabs top <= delta * (1 + powerRZ 2 (-20)) ->
  Rabs (top - exact_top) <= 2 * delta ->
  Rabs (computed - exact_other) <= 2 * delta ->
  Rabs (threshold - (top - exp_constants.BOUND_MARGIN_AGAIN * delta)) <=
  kernel_bound.u * (Rabs top + exp_constants.BOUND_MARGIN_AGAIN * delta) ->
  computed < threshold -> exact_other + 2 * delta < exact_top).

(*! mathcomp *)
From mathcomp Require Import all_ssreflect all_algebra.
Local Open Scope ring_scope.

(*! hardmax *)
Check (@hardmax.ties_ind :
  forall P : hardmax.ties -> Prop,
  P hardmax.Uniform -> P hardmax.Leftmost -> forall t : hardmax.ties, P t).
Check (Logic.eq_refl : @hardmax.maximisers =
  fun (R : realFieldType) (n : nat) (vis : pred 'I_n) (a : 'I_n -> R) =>
  [set i | vis i & [forall j, vis j ==> (a j <= a i)]]).
Check (Logic.eq_refl : @hardmax.hardmax =
  fun (R : realFieldType) (n : nat) (vis : pred 'I_n) (a : 'I_n -> R) 
    (t : hardmax.ties) (i : 'I_n) =>
  match t with
  | hardmax.Uniform =>
      if i \in hardmax.maximisers (R:=R) vis a
      then #|hardmax.maximisers (R:=R) vis a|%:R^-1
      else 0
  | hardmax.Leftmost =>
      ((i \in hardmax.maximisers (R:=R) vis a) &&
       [forall j, (j \in hardmax.maximisers (R:=R) vis a) ==> (i <= j)%N])%:R
  end).
Check (Logic.eq_refl : @hardmax.visible =
  fun (m : definition2.mask) (n : nat) (k : 'I_n) =>
  match m with
  | definition2.NoMask => predT
  | definition2.Causal => fun j : 'I_n => (j <= k)%N
  end).
Check (@hardmax.Sequence :
  forall (R : realFieldType) (d len : nat), 'M_(d, len) -> hardmax.sequence R d).
Check (Logic.eq_refl : @hardmax.len =
  fun (R : realFieldType) (d : nat) (s : hardmax.sequence R d) => let (len, _) := s in len).
Check (Logic.eq_refl : @hardmax.tokens =
  fun (R : realFieldType) (d : nat) (s : hardmax.sequence R d) =>
  let (len, tokens) as s0 return 'M_(d, hardmax.len s0) := s in tokens).
Check (Logic.eq_refl : @hardmax.token =
  fun (R : realFieldType) (d : nat) (X : hardmax.sequence R d) =>
  (col (n:=hardmax.len X))^~ (hardmax.tokens X)).
Check (@hardmax.Layer :
  forall (R : realFieldType) (d heads : nat) (inner : 'I_heads -> nat),
  (forall h : 'I_heads, 'M_(inner h, d)) ->
  (forall h : 'I_heads, 'M_(inner h, d)) ->
  (forall h : 'I_heads, 'M_(inner h, d)) ->
  (forall h : 'I_heads, 'M_(d, inner h)) -> hardmax.layer R d).
Check (Logic.eq_refl : @hardmax.heads =
  fun (R : realFieldType) (d : nat) (l : hardmax.layer R d) =>
  let (heads, inner, _, _, _, _) := l in heads).
Check (Logic.eq_refl : @hardmax.inner =
  fun (R : realFieldType) (d : nat) (l : hardmax.layer R d) =>
  let (heads, inner, _, _, _, _) as l0 return ('I_(hardmax.heads l0) -> nat) := l in inner).
Check (Logic.eq_refl : @hardmax.WQ =
  fun (R : realFieldType) (d : nat) (l : hardmax.layer R d) =>
  let
    (heads, inner, WQ, _, _, _) as l0
     return (forall h : 'I_(hardmax.heads l0), 'M_(hardmax.inner (l:=l0) h, d)) := l in
  WQ).
Check (Logic.eq_refl : @hardmax.WK =
  fun (R : realFieldType) (d : nat) (l : hardmax.layer R d) =>
  let
    (heads, inner, _, WK, _, _) as l0
     return (forall h : 'I_(hardmax.heads l0), 'M_(hardmax.inner (l:=l0) h, d)) := l in
  WK).
Check (Logic.eq_refl : @hardmax.WV =
  fun (R : realFieldType) (d : nat) (l : hardmax.layer R d) =>
  let
    (heads, inner, _, _, WV, _) as l0
     return (forall h : 'I_(hardmax.heads l0), 'M_(hardmax.inner (l:=l0) h, d)) := l in
  WV).
Check (Logic.eq_refl : @hardmax.WO =
  fun (R : realFieldType) (d : nat) (l : hardmax.layer R d) =>
  let
    (heads, inner, _, _, _, WO) as l0
     return (forall h : 'I_(hardmax.heads l0), 'M_(d, hardmax.inner (l:=l0) h)) := l in
  WO).
Check (Logic.eq_refl : @hardmax.hardmax_columns =
  fun (R : realFieldType) (t : hardmax.ties) (m : definition2.mask) (n : nat) (S : 'M_n) =>
  \matrix_(j, k) hardmax.hardmax (R:=R) (hardmax.visible m k) (S^~ k) t j).
Check (Logic.eq_refl : @hardmax.attention =
  fun (R : realFieldType) (d : nat) (t : hardmax.ties) (m : definition2.mask)
    (L : hardmax.layer R d) (n : nat) (Z : 'M_(d, n)) =>
  Z +
  \sum_(h < hardmax.heads L)
     hardmax.WO (l:=L) h *m (hardmax.WV (l:=L) h *m Z) *m hardmax.hardmax_columns (R:=R) t m
                                                            ((hardmax.WK (l:=L) h *m Z)^T *m 
                                                             (hardmax.WQ (l:=L) h *m Z))).
Check (Logic.eq_refl : @hardmax.places =
  fun (R : realFieldType) (d : nat) (X : hardmax.sequence R d) => 'I_(hardmax.len X)).
Check (Logic.eq_refl : @hardmax.place_token =
  fun (R : realFieldType) (d : nat) (X : hardmax.sequence R d) => [eta hardmax.token (X:=X)]).
Check (Logic.eq_refl : @hardmax.place_sees =
  fun (R : realFieldType) (d : nat) (m : definition2.mask) (X : hardmax.sequence R d)
    (k j : hardmax.places X) => hardmax.visible m k j).
Check (Logic.eq_refl : @hardmax.same_vocabulary =
  fun (R : realFieldType) (d : nat) (m : definition2.mask) (X : hardmax.sequence R d)
    (k : 'I_(hardmax.len X)) (Y : hardmax.sequence R d) =>
  [eta definition2.same_vocabulary (hardmax.sequence R d) (hardmax.places (d:=d)) 'cV_d
         (hardmax.place_token (d:=d)) (hardmax.place_sees m) X k Y]).
Check (Logic.eq_refl : @hardmax.sqnorm =
  fun (R : realFieldType) (d : nat) (x : 'cV_d) => \sum_c x c 0 ^+ 2).
Check (Logic.eq_refl : @hardmax.output =
  fun (R : realFieldType) (d : nat) (I : Type) (X : I -> hardmax.sequence R d)
    (q : forall n : nat, 'M_(d, n) -> 'M_(d, n)) (i : I) =>
  (col (n:=hardmax.len (X i)))^~ (q (hardmax.len (X i)) (hardmax.tokens (X i)))).
Check (Logic.eq_refl : @hardmax.required =
  fun (R : realFieldType) (d : nat) (I : Type) (X : I -> hardmax.sequence R d)
    (m : definition2.mask) (i : I) (k : 'I_(hardmax.len (X i))) (j : I) =>
  [eta definition2.required (hardmax.sequence R d) (hardmax.places (d:=d)) 'cV_d
         (hardmax.place_token (d:=d)) (hardmax.place_sees m) (X i) k 
         (X j)]).
Check (Logic.eq_refl : @hardmax.contextual =
  fun (R : realFieldType) (d : nat) (I : Type) (X : I -> hardmax.sequence R d)
    (q : forall n : nat, 'M_(d, n) -> 'M_(d, n)) (m : definition2.mask) 
    (r delta : R) =>
  definition2.contextual I (fun i : I => hardmax.places (X i)) 'cV_d 'cV_d
    (fun i : I => hardmax.place_token (X:=X i)) (fun i : I => hardmax.place_sees m (X:=X i))
    (fun o : 'cV_d => 0 < r /\ hardmax.sqnorm (R:=R) o < r ^+ 2)
    (fun o o' : 'cV_d => delta ^+ 2 < hardmax.sqnorm (R:=R) (o - o'))
    (hardmax.output (X:=X) q)).
Check (Logic.eq_refl : @hardmax.norm =
  fun (R : rcfType) (d : nat) (x : 'cV_d) => Num.sqrt (hardmax.sqnorm (R:=R) x)).
Check (Logic.eq_refl : @hardmax.contextual_norm =
  fun (R : rcfType) (d : nat) (I : Type) (X : I -> hardmax.sequence R d)
    (q : forall n : nat, 'M_(d, n) -> 'M_(d, n)) (m : definition2.mask) 
    (r delta : R) =>
  definition2.contextual I (fun i : I => hardmax.places (X i)) 'cV_d 'cV_d
    (fun i : I => hardmax.place_token (X:=X i)) (fun i : I => hardmax.place_sees m (X:=X i))
    (fun o : 'cV_d => hardmax.norm (R:=R) o < r)
    (fun o o' : 'cV_d => delta < hardmax.norm (R:=R) (o - o')) (hardmax.output (X:=X) q)).
Check (@hardmax.required_lists :
  forall (R : realFieldType) (d : nat) (I : Type) (X : I -> hardmax.sequence R d)
    (m : definition2.mask) (i : I) (k : 'I_(hardmax.len (X i))) (j : I)
    (l : 'I_(hardmax.len (X j))),
  let columns :=
    fun i0 : I => [seq hardmax.token (X:=X i0) k0 | k0 <- enum 'I_(hardmax.len (X i0))] in
  exists
    (k' : definition2.place 'cV_d I columns i) (l' : definition2.place 'cV_d I columns j),
    [/\ (@sval) nat (lt^~ (length (columns i))) k' = k,
        (@sval) nat (lt^~ (length (columns j))) l' = l
      & hardmax.required (X:=X) m (i:=i) k (j:=j) l <->
        definition2.required I (definition2.place 'cV_d I columns) 'cV_d
          (definition2.list_token 'cV_d 0 I columns)
          (definition2.list_sees 'cV_d I columns m) i k' j l']).

(*! collinear *)
Check (Logic.eq_refl : @collinear.fools =
  fun (R : realFieldType) (ty : hardmax.ties) (n : nat) (vis : pred 'I_n) 
    (t : 'I_n -> R) (n' : nat) (vis' : pred 'I_n') (t' : 'I_n' -> R) =>
  [/\ exists (j : 'I_n) (j' : 'I_n'),
        [/\ vis j, vis' j', t j = t' j', forall i : 'I_n, vis i -> t i <= t j
          & forall i : 'I_n', vis' i -> t' i <= t' j'],
      exists (j : 'I_n) (j' : 'I_n'),
        [/\ vis j, vis' j', t j = t' j', forall i : 'I_n, vis i -> t j <= t i
          & forall i : 'I_n', vis' i -> t' j' <= t' i]
    & match ty with
      | hardmax.Uniform =>
          (\sum_(j | vis j) t j) * (\sum_(j | vis' j) 1) =
          (\sum_(j | vis' j) t' j) * (\sum_(j | vis j) 1)
      | hardmax.Leftmost =>
          exists (j : 'I_n) (j' : 'I_n'),
            [/\ vis j, vis' j', t j = t' j', forall i : 'I_n, vis i -> (j <= i)%N
              & forall i : 'I_n', vis' i -> (j' <= i)%N]
      end]).
Check (Logic.eq_refl : @collinear.line =
  fun (R : realFieldType) (d n : nat) (u : 'cV_d) (t : 'I_n -> R) =>
  \matrix_(c, j) (t j * u c 0)).

(*! theorem1 *)
Check (Logic.eq_refl : @theorem1.multiples =
  fun (R : realFieldType) (d : nat) (u : 'cV_d) (s : seq int) =>
  {|
    hardmax.len := size s;
    hardmax.tokens := collinear.line (R:=R) u (fun j : 'I_(size s) => (s`_j)%:~R)
  |}).
Check (Logic.eq_refl : @theorem1.defeats =
  fun (R : realFieldType) (d : nat) (ty : hardmax.ties) (m : definition2.mask)
    (s s' : seq int) (k : 'I_(size s)) (l : 'I_(size s')) =>
  forall (L : hardmax.layer R d) (u : 'cV_d),
  u != 0 ->
  [/\ hardmax.token (X:=theorem1.multiples (R:=R) u s) k =
      hardmax.token (X:=theorem1.multiples (R:=R) u s') l,
      ~
      hardmax.same_vocabulary m (X:=theorem1.multiples (R:=R) u s) k
        (Y:=theorem1.multiples (R:=R) u s') l,
      col k (hardmax.attention ty m L (hardmax.tokens (theorem1.multiples (R:=R) u s))) =
      col l (hardmax.attention ty m L (hardmax.tokens (theorem1.multiples (R:=R) u s')))
    & forall (I : Type) (X : I -> hardmax.sequence R d) (i j : I),
      X i = theorem1.multiples (R:=R) u s ->
      X j = theorem1.multiples (R:=R) u s' ->
      forall r delta : R, ~ hardmax.contextual X (hardmax.attention ty m L) m r delta]).
Check (Logic.eq_refl : @theorem1.pairA =
  [:: 1; 3%Z; 4%Z; 6%Z]).
Check (Logic.eq_refl : @theorem1.pairB =
  [:: 1; 2%Z; 5%Z; 6%Z]).
Check (Logic.eq_refl : @theorem1.mirrorA =
  [:: - 3%Z; - 2%Z; 2%Z; 3%Z]).
Check (Logic.eq_refl : @theorem1.mirrorB =
  [:: - 3%Z; -1; 1; 3%Z]).
Check (Logic.eq_refl : @theorem1.shortA =
  [:: 1; 3%Z]).
Check (Logic.eq_refl : @theorem1.shortB =
  [:: 1; 2%Z; 3%Z]).
Check (Logic.eq_refl : @theorem1.causalA =
  [:: 1; 3%Z; 2%Z]).
Check (Logic.eq_refl : @theorem1.causalB =
  [:: 1; 2%Z; 3%Z]).
Check (Logic.eq_refl : @theorem1.threeA =
  [:: 1; 2%Z; 4%Z]).
Check (Logic.eq_refl : @theorem1.threeB =
  [:: 1; 3%Z; 4%Z]).
Check (@theorem1.universal_at_u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.NoMask (s:=theorem1.pairA) (s':=theorem1.pairB)
    (Ordinal (n:=size theorem1.pairA) (m:=0) isT)
    (Ordinal (n:=size theorem1.pairB) (m:=0) isT)).
Check (@theorem1.universal_at_6u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.NoMask (s:=theorem1.pairA) (s':=theorem1.pairB)
    (Ordinal (n:=size theorem1.pairA) (m:=3) isT)
    (Ordinal (n:=size theorem1.pairB) (m:=3) isT)).
Check (@theorem1.universal_masked_at_6u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.Causal (s:=theorem1.pairA) (s':=theorem1.pairB)
    (Ordinal (n:=size theorem1.pairA) (m:=3) isT)
    (Ordinal (n:=size theorem1.pairB) (m:=3) isT)).
Check (@theorem1.universal_masked_at_u_exempt :
  forall (R : realFieldType) (d : nat) (u : 'cV_d),
  hardmax.token (X:=theorem1.multiples (R:=R) u theorem1.pairA)
    (Ordinal (n:=size theorem1.pairA) (m:=0) isT) =
  hardmax.token (X:=theorem1.multiples (R:=R) u theorem1.pairB)
    (Ordinal (n:=size theorem1.pairB) (m:=0) isT) /\
  hardmax.same_vocabulary definition2.Causal (X:=theorem1.multiples (R:=R) u theorem1.pairA)
    (Ordinal (n:=size theorem1.pairA) (m:=0) isT)
    (Y:=theorem1.multiples (R:=R) u theorem1.pairB)
    (Ordinal (n:=size theorem1.pairB) (m:=0) isT)).
Check (@theorem1.mirror_at_minus_3u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.NoMask (s:=theorem1.mirrorA) (s':=theorem1.mirrorB)
    (Ordinal (n:=size theorem1.mirrorA) (m:=0) isT)
    (Ordinal (n:=size theorem1.mirrorB) (m:=0) isT)).
Check (@theorem1.mirror_at_3u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.NoMask (s:=theorem1.mirrorA) (s':=theorem1.mirrorB)
    (Ordinal (n:=size theorem1.mirrorA) (m:=3) isT)
    (Ordinal (n:=size theorem1.mirrorB) (m:=3) isT)).
Check (@theorem1.mirror_masked_at_3u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.Causal (s:=theorem1.mirrorA) (s':=theorem1.mirrorB)
    (Ordinal (n:=size theorem1.mirrorA) (m:=3) isT)
    (Ordinal (n:=size theorem1.mirrorB) (m:=3) isT)).
Check (@theorem1.short_at_u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.NoMask (s:=theorem1.shortB) (s':=theorem1.shortA)
    (Ordinal (n:=size theorem1.shortB) (m:=0) isT)
    (Ordinal (n:=size theorem1.shortA) (m:=0) isT)).
Check (@theorem1.short_at_3u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.NoMask (s:=theorem1.shortB) (s':=theorem1.shortA)
    (Ordinal (n:=size theorem1.shortB) (m:=2) isT)
    (Ordinal (n:=size theorem1.shortA) (m:=1) isT)).
Check (@theorem1.short_masked_at_3u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.Causal (s:=theorem1.shortB) (s':=theorem1.shortA)
    (Ordinal (n:=size theorem1.shortB) (m:=2) isT)
    (Ordinal (n:=size theorem1.shortA) (m:=1) isT)).
Check (@theorem1.causal_at_3u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties),
  theorem1.defeats R d ty definition2.Causal (s:=theorem1.causalB) (s':=theorem1.causalA)
    (Ordinal (n:=size theorem1.causalB) (m:=2) isT)
    (Ordinal (n:=size theorem1.causalA) (m:=1) isT)).
Check (@theorem1.three_leftmost_at_u :
  forall (R : realFieldType) (d : nat),
  theorem1.defeats R d hardmax.Leftmost definition2.NoMask (s:=theorem1.threeA)
    (s':=theorem1.threeB) (Ordinal (n:=size theorem1.threeA) (m:=0) isT)
    (Ordinal (n:=size theorem1.threeB) (m:=0) isT)).
Check (@theorem1.three_leftmost_at_4u :
  forall (R : realFieldType) (d : nat),
  theorem1.defeats R d hardmax.Leftmost definition2.NoMask (s:=theorem1.threeA)
    (s':=theorem1.threeB) (Ordinal (n:=size theorem1.threeA) (m:=2) isT)
    (Ordinal (n:=size theorem1.threeB) (m:=2) isT)).
Check (Logic.eq_refl : @theorem1.zeroA =
  [:: 0; 1; 4%Z]).
Check (Logic.eq_refl : @theorem1.zeroB =
  [:: 0; 2%Z; 3%Z]).
Check (@theorem1.zero_token_collision :
  forall (R : realFieldType) (d : nat) (L : hardmax.layer R d) (u : 'cV_d),
  u != 0 ->
  ~
  hardmax.same_vocabulary definition2.NoMask (X:=theorem1.multiples (R:=R) u theorem1.zeroA)
    (Ordinal (n:=size theorem1.zeroA) (m:=0) isT)
    (Y:=theorem1.multiples (R:=R) u theorem1.zeroB)
    (Ordinal (n:=size theorem1.zeroB) (m:=0) isT) /\
  col (Ordinal (n:=size theorem1.zeroA) (m:=0) isT)
    (hardmax.attention hardmax.Uniform definition2.NoMask L
       (hardmax.tokens (theorem1.multiples (R:=R) u theorem1.zeroA))) =
  col (Ordinal (n:=size theorem1.zeroB) (m:=0) isT)
    (hardmax.attention hardmax.Uniform definition2.NoMask L
       (hardmax.tokens (theorem1.multiples (R:=R) u theorem1.zeroB)))).
Check (Logic.eq_refl : @theorem1.universal_pair =
  fun (R : realFieldType) (d : nat) (u : 'cV_d) (i : 'I_2) =>
  theorem1.multiples (R:=R) u (if i == 0 then theorem1.pairA else theorem1.pairB)).
Check (@theorem1.theorem1 :
  forall (R : realFieldType) (d : nat) (u : 'cV_d) (L : hardmax.layer R d) 
    (ty : hardmax.ties) (m : definition2.mask) (r delta : R),
  u != 0 ->
  ~ hardmax.contextual (theorem1.universal_pair (R:=R) u) (hardmax.attention ty m L) m r delta).
Check (@theorem1.theorem1_lengths :
  forall (R : realFieldType) (d : nat) (u : 'cV_d) (L : hardmax.layer R d) 
    (ty : hardmax.ties) (m : definition2.mask) (r delta : R),
  u != 0 ->
  ~
  hardmax.contextual
    (fun i : 'I_2 =>
     theorem1.multiples (R:=R) u (if i == 0 then theorem1.shortB else theorem1.shortA))
    (hardmax.attention ty m L) m r delta).
Check (@theorem1.contextual_normE :
  forall (R : rcfType) (d : nat) (I : Type) (X : I -> hardmax.sequence R d)
    (q : forall n : nat, 'M_(d, n) -> 'M_(d, n)) (m : definition2.mask) 
    (r delta : R),
  0 <= delta ->
  hardmax.contextual_norm (R:=R) X q m r delta <-> hardmax.contextual X q m r delta).
Check (@theorem1.theorem1_norm :
  forall (R : rcfType) (d : nat) (u : 'cV_d) (L : hardmax.layer R d) 
    (ty : hardmax.ties) (m : definition2.mask) (r delta : R),
  u != 0 ->
  0 <= delta ->
  ~
  hardmax.contextual_norm (R:=R) (theorem1.universal_pair (R:=R) u) 
    (hardmax.attention ty m L) m r delta).
Check (@theorem1.pair_constants :
  let numbers := map Posz in
  [/\ numbers c_constants.uniform_a = theorem1.pairA,
      numbers c_constants.uniform_b = theorem1.pairB
    & [/\ numbers c_constants.leftmost_a = theorem1.threeA,
          numbers c_constants.leftmost_b = theorem1.threeB,
          numbers c_constants.causal_a = theorem1.causalA
        & numbers c_constants.causal_b = theorem1.causalB]]).

(*! two_layers *)
Check (@two_layers.two_layers_one_sign :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties) (L1 L2 : hardmax.layer R d)
    (n n' : nat) (u : 'cV_d) (t : 'I_n -> R) (t' : 'I_n' -> R) (k : 'I_n) 
    (l : 'I_n'),
  (forall j : 'I_n, 0 < t j) ->
  (forall j : 'I_n', 0 < t' j) ->
  t k = t' l ->
  collinear.fools (R:=R) ty predT t predT t' ->
  col k
    (hardmax.attention ty definition2.NoMask L2
       (hardmax.attention ty definition2.NoMask L1 (collinear.line (R:=R) u t))) =
  col l
    (hardmax.attention ty definition2.NoMask L2
       (hardmax.attention ty definition2.NoMask L1 (collinear.line (R:=R) u t')))).
Check (Logic.eq_refl : @two_layers.twice =
  fun (R : realFieldType) (d : nat) (ty : hardmax.ties) (L1 L2 : hardmax.layer R d) 
    (n : nat) (Z : 'M_(d, n)) =>
  hardmax.attention ty definition2.NoMask L2 (hardmax.attention ty definition2.NoMask L1 Z)).
Check (@two_layers.pair_survives_at_u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties) (L1 L2 : hardmax.layer R d)
    (u : 'cV_d),
  col (Ordinal (n:=size theorem1.pairA) (m:=0) isT)
    (two_layers.twice ty L1 L2 (hardmax.tokens (theorem1.multiples (R:=R) u theorem1.pairA))) =
  col (Ordinal (n:=size theorem1.pairB) (m:=0) isT)
    (two_layers.twice ty L1 L2 (hardmax.tokens (theorem1.multiples (R:=R) u theorem1.pairB)))).
Check (@two_layers.pair_survives_at_6u :
  forall (R : realFieldType) (d : nat) (ty : hardmax.ties) (L1 L2 : hardmax.layer R d)
    (u : 'cV_d),
  col (Ordinal (n:=size theorem1.pairA) (m:=3) isT)
    (two_layers.twice ty L1 L2 (hardmax.tokens (theorem1.multiples (R:=R) u theorem1.pairA))) =
  col (Ordinal (n:=size theorem1.pairB) (m:=3) isT)
    (two_layers.twice ty L1 L2 (hardmax.tokens (theorem1.multiples (R:=R) u theorem1.pairB)))).
