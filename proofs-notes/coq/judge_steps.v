(* The main steps of proofs-notes/judge.md other than the tree and the quotient of judge.v: the size
   of a part of a sum, the error of the blocks of a matrix unit, the bounds of a computed weight, and
   the bound of a row whose weights have narrow bounds. *)

From Coq Require Import Reals List Lra Lia.
From attest Require Import sums boltzmann lemma1 judge guard.
Import ListNotations.
Local Open Scope R_scope.

(* Lemma 1's M: a part of the terms (those marked true) adds up to at most (A + |s|)/2. *)
Definition part (x : R * bool) : R := if snd x then fst x else 0.

Lemma part_bounds l :
  sum part l <= (sum (fun x => Rabs (fst x)) l + sum fst l) / 2 /\
  - sum part l <= (sum (fun x => Rabs (fst x)) l - sum fst l) / 2.
Proof.
induction l as [|[x b] l [IH1 IH2]]; simpl; [lra|].
change (part (x, b)) with (if b then x else 0); revert IH1 IH2.
generalize (sum part l) (sum (fun y => Rabs (fst y)) l) (sum fst l); intros p q t IH1 IH2.
unfold Rabs; destruct (Rcase_abs x), b; lra.
Qed.

Theorem part_of_sum l :
  Rabs (sum part l) <= (sum (fun x => Rabs (fst x)) l + Rabs (sum fst l)) / 2.
Proof.
destruct (part_bounds l) as [H1 H2].
unfold Rabs at 1; destruct (Rcase_abs (sum part l)); unfold Rabs at 2; destruct Rcase_abs; lra.
Qed.

(* Lemma 2: a block loses at most loss_k(e) when no partial sum is wrong by more than e.  If all
   losses at e together are at most e, no partial sum is. *)
Theorem blocks_error (losses : list (R -> R)) (errors : nat -> R) (e : R) :
  errors 0%nat = 0 ->
  (forall k f, nth_error losses k = Some f -> errors (S k) <= errors k + f (errors k)) ->
  (forall f x, In f losses -> x <= e -> f x <= f e) ->
  (forall f, In f losses -> 0 <= f e) ->
  sum (fun f => f e) losses <= e ->
  errors (length losses) <= sum (fun f => f e) losses.
Proof.
intros Z Step Mono Pos Fix.
assert (forall k, (k <= length losses)%nat -> errors k <= sum (fun f => f e) (firstn k losses)) as H.
{ induction k as [|k IH]; intros L; [simpl; lra|].
  assert (exists f, nth_error losses k = Some f) as (f & F).
  { destruct (nth_error losses k) as [f|] eqn:E; [now exists f|].
    apply nth_error_None in E; lia. }
  specialize (IH ltac:(lia)).
  assert (firstn (S k) losses = firstn k losses ++ [f]) as E.
  { clear - F; revert losses F; induction k; intros [|g l] F; simpl in *; try discriminate.
    - now injection F as ->.
    - f_equal; now apply IHk. }
  rewrite E, sum_app; simpl.
  assert (sum (fun f => f e) (firstn k losses) <= e) as Le.
  { apply Rle_trans with (2 := Fix); rewrite <- (firstn_skipn k losses) at 2; rewrite sum_app.
    assert (0 <= sum (fun f => f e) (skipn k losses)); [|lra].
    apply sum_nonneg; intros g Hg; apply Pos; rewrite <- (firstn_skipn k losses).
    apply in_app_iff; now right. }
  pose proof (Step k f F) as S1; pose proof (Mono f (errors k) (nth_error_In _ _ F) ltac:(lra)).
  lra. }
specialize (H (length losses) ltac:(lia)); now rewrite firstn_all in H.
Qed.

(* (3) A computed weight: an exponential of an argument within shift of t, with a relative error for
   itself and for every factor that it is rescaled with, each of |log| at most each. *)
Theorem effective_weight (t argument shift each : R) (factors : list R) :
  Rabs (argument - t) <= shift ->
  (forall x, In x factors -> 0 < x /\ Rabs (ln x) <= each) ->
  let g := shift + INR (length factors) * each in
  exp (t - g) <= exp argument * fold_right Rmult 1 factors <= exp (t + g).
Proof.
intros S F g.
assert (exists y, fold_right Rmult 1 factors = exp y /\ Rabs y <= INR (length factors) * each)
  as (y & -> & Y).
{ clear S g; induction factors as [|x l IH].
  - exists 0; simpl; rewrite exp_0, Rabs_R0; split; [reflexivity | lra].
  - destruct IH as (y & E & Y); [intros; apply F; now right|].
    destruct (F x (or_introl eq_refl)) as [P L].
    exists (ln x + y); change (length (x :: l)) with (S (length l)); rewrite S_INR; simpl fold_right.
    rewrite exp_plus, E, exp_ln by exact P; split; [reflexivity|].
    pose proof (Rabs_triang (ln x) y); lra. }
rewrite <- exp_plus; unfold g.
assert (- shift <= argument - t <= shift) as B
  by (unfold Rabs in S; destruct (Rcase_abs (argument - t)); lra).
assert (- (INR (length factors) * each) <= y <= INR (length factors) * each) as B'
  by (unfold Rabs in Y; destruct (Rcase_abs y); lra).
split; apply exp_le; lra.
Qed.

(* Narrow weights. *)
Theorem narrow_weight g : 0 <= g <= / 32 -> 1 - (g + g * g) <= exp (- g) /\ exp g <= 1 + (g + g * g).
Proof.
intros [P U]; pose proof (exp_lower (- g)) as L; split; [nra|].
assert (exp g * exp (- g) = 1) as E by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
pose proof (exp_pos g) as Eg.
pose proof (exp_lower (- (g / 2))) as H.
assert (exp (- g) = exp (- (g / 2)) * exp (- (g / 2))) as E2 by (rewrite <- exp_plus; f_equal; field).
set (h := exp (- (g / 2))) in *; set (q := 1 - g / 2).
assert (0 < q <= h) as [Q Qh] by (unfold q; lra).
assert (q * q <= exp (- g)) as M by (rewrite E2; apply Rmult_le_compat; lra).
apply Rmult_le_reg_r with (q * q); [now apply Rmult_lt_0_compat|].
apply Rle_trans with (exp g * exp (- g)); [apply Rmult_le_compat_l; lra|]; rewrite E.
replace ((1 + (g + g * g)) * (q * q)) with (1 + g * g / 4 * (1 - 3 * g + g * g)) by (unfold q; field).
assert (0 <= g * g) by now apply Rmult_le_pos.
assert (0 <= g * g / 4 * (1 - 3 * g + g * g)); [|lra]; apply Rmult_le_pos; lra.
Qed.

(* (6) A row: key j has the weight W = w + theta, |theta| <= half, in the row sum, C in the product,
   |C - W| <= cast, and the value v. *)
Record key := Key { w : R; half : R; cast : R; v : R; W : R; C : R }.

Definition known (k : key) : Prop := Rabs (W k - w k) <= half k /\ Rabs (C k - W k) <= cast k.

Definition phi (r : R) (keys : list key) : R :=
  sum (fun k => w k * (v k - r) + half k * Rabs (v k - r) + cast k * Rabs (v k)) keys.

Lemma phi_above r keys : (forall k, In k keys -> known k) ->
  sum (fun k => C k * v k) keys - r * sum W keys <= phi r keys.
Proof.
intros H; unfold phi.
apply Rle_trans with (sum (fun k => C k * v k - r * W k) keys).
- right; rewrite <- sum_scal; clear; induction keys as [|k l IH]; simpl; [ring | rewrite <- IH; ring].
- apply sum_le; intros k Hk; destruct (H k Hk) as [A B].
  replace (C k * v k - r * W k)
    with (w k * (v k - r) + (W k - w k) * (v k - r) + (C k - W k) * v k) by ring.
  assert ((W k - w k) * (v k - r) <= half k * Rabs (v k - r)).
  { apply Rle_trans with (1 := Rle_abs _); rewrite Rabs_mult.
    apply Rmult_le_compat_r; [apply Rabs_pos | exact A]. }
  assert ((C k - W k) * v k <= cast k * Rabs (v k)).
  { apply Rle_trans with (1 := Rle_abs _); rewrite Rabs_mult.
    apply Rmult_le_compat_r; [apply Rabs_pos | exact B]. }
  lra.
Qed.

(* The bound of a row: what is summed up, E off, over the sum of the weights. *)
Theorem row_above (keys : list key) (E r low high : R) :
  (forall k, In k keys -> known k) -> 0 < low -> low <= sum W keys <= high ->
  (sum (fun k => C k * v k) keys + E) / sum W keys
  <= r + (phi r keys + Rabs E) / (if Rle_dec 0 (phi r keys + Rabs E) then low else high).
Proof.
intros H Lp [L U]; pose proof (phi_above r keys H) as P; pose proof (Rle_abs E) as A.
destruct (Rle_dec 0 (phi r keys + Rabs E)) as [Pos|Neg].
- apply quotient_above; lra.
- apply quotient_below with low; lra.
Qed.

Theorem row_below (keys : list key) (E r low high : R) :
  (forall k, In k keys -> known k) -> 0 < low -> low <= sum W keys <= high ->
  let mirror := map (fun k => Key (w k) (half k) (cast k) (- v k) (W k) (C k)) keys in
  - (- r + (phi (- r) mirror + Rabs E) / (if Rle_dec 0 (phi (- r) mirror + Rabs E) then low else high))
  <= (sum (fun k => C k * v k) keys + E) / sum W keys.
Proof.
intros H Lp B mirror.
assert (sum W mirror = sum W keys) as EW by (unfold mirror; now rewrite sum_map).
assert (sum (fun k => C k * v k) mirror = - sum (fun k => C k * v k) keys) as EC.
{ unfold mirror; rewrite sum_map; simpl; clear; induction keys as [|k l IH]; simpl; [ring | rewrite IH; ring]. }
pose proof (row_above mirror (- E) (- r) low high) as M; rewrite EW, EC, Rabs_Ropp in M.
assert (forall k, In k mirror -> known k) as Hm.
{ intros k; unfold mirror; rewrite in_map_iff; intros (k' & <- & Hk); now apply (H k'). }
specialize (M Hm Lp B).
replace ((- sum (fun k => C k * v k) keys + - E) / sum W keys)
  with (- ((sum (fun k => C k * v k) keys + E) / sum W keys)) in M by (field; lra).
lra.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma part_of_sum_satisfiable : satisfiable part_of_sum.
Proof. now exists [(1, true); (-2, false)]. Qed.

Lemma blocks_error_satisfiable : satisfiable blocks_error.
Proof.
exists [fun x => 1 + x / 4; fun x => 1 + x / 4], (fun k => match k with O => 0 | _ => 1 end), 4.
given (first [reflexivity | simpl; lra |
  intros [|[|k]] f E; simpl in E; try (destruct k; discriminate); injection E as <-; lra |
  intros f x [<-|[<-|[]]] L; lra | intros f [<-|[<-|[]]]; lra]).
Qed.
Lemma blocks_error_falsifiable : falsifiable blocks_error.
Proof. exists [], (fun _ => 1), 0; simpl; lra. Qed.

Lemma effective_weight_satisfiable : satisfiable effective_weight.
Proof.
exists 0, 1, 1, 1, [1]; given (first [rewrite Rminus_0_r, Rabs_R1; lra |
  intros x [<-|[]]; rewrite ln_1, Rabs_R0; lra]).
Qed.
Lemma effective_weight_falsifiable : falsifiable effective_weight.
Proof.
exists 0, 1, 0, 0, []; simpl; rewrite Rmult_0_l, !Rplus_0_r, exp_0, Rmult_1_r; pose proof (exp_lower 1); lra.
Qed.

Lemma narrow_weight_satisfiable : satisfiable narrow_weight.
Proof. exists (/ 32); given lra. Qed.
Definition sample : list key := [Key 1 1 1 5 2 3; Key 1 0 0 (-5) 1 1].
Lemma sample_known k : In k sample -> known k.
Proof. intros [<-|[<-|[]]]; unfold known; simpl; split; unfold Rabs; destruct Rcase_abs; lra. Qed.

Lemma row_above_satisfiable : satisfiable row_above.
Proof. exists sample, 1, 0, 1, 4; given (first [exact sample_known | simpl; lra]). Qed.
Lemma row_above_falsifiable : falsifiable row_above.
Proof.
exists [Key 0 0 0 1 1 1], 0, 0, 1, 1; unfold phi; simpl.
replace (0 * (1 - 0) + 0 * Rabs (1 - 0) + 0 * Rabs 1 + 0 + Rabs 0) with 0 by (rewrite Rabs_R0; ring).
destruct (Rle_dec 0 0); lra.
Qed.

Lemma row_below_satisfiable : satisfiable row_below.
Proof. exists sample, 1, 0, 1, 4; given (first [exact sample_known | simpl; lra]). Qed.
Lemma row_below_falsifiable : falsifiable row_below.
Proof.
exists [Key 0 0 0 (-1) 1 1], 0, 0, 1, 1; unfold phi; simpl.
replace (0 * (- -1 - - 0) + 0 * Rabs (- -1 - - 0) + 0 * Rabs (- -1) + 0 + Rabs 0) with 0
  by (rewrite Rabs_R0; ring).
destruct (Rle_dec 0 0); lra.
Qed.
