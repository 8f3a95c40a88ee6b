(* Definitions for a verified checker: datasets, weights and certificates as in doc/files.md, the
   claim of a certificate, and the specification of a checker.  This file contains no checker. *)

From Coq Require Import Reals QArith Qreals List Lra Lia Bool.
From attest Require Import sums vectors definition2 softmax guard.
Import ListNotations.
Local Open Scope R_scope.

(* The files: rationals, lists of rows. *)
Inductive activation := Softmax | HardmaxUniform | HardmaxLeftmost.
Record head := Head { WQ : list (list Q); WK : list (list Q); WV : list (list Q); WO : list (list Q) }.
Record weights := Weights { kind : activation; masked : mask; skip : bool; heads : list head }.
Definition dataset := list (list (list Q)).

Record ball := Ball { mid : Q; rad : Q }.
Definition position := (nat * nat)%type.
Inductive verdict := Proved | Refuted | Undecided.

(* `pair` and `min_separation`, `max_norm` and `max_norm_at` are null together. *)
Record certificate := Certificate {
  finding : verdict;
  bound_r : option Q;
  bound_delta : Q;
  separation : option (ball * position * position);
  largest : option (ball * position)
}.

(* What the layer computes, over the reals. *)
Definition real_vector (x : list Q) : vec := map Q2R x.
Definition real_matrix (W : list (list Q)) : list vec := map real_vector W.

Definition score_of (h : head) (x y : vec) : R :=
  dot (apply (real_matrix (WK h)) y) (apply (real_matrix (WQ h)) x).

(* The weight of each visible key: numerators; they are divided by their sum. *)
Definition largest_score (s : list R) : R := fold_right Rmax (hd 0 s) s.
Definition is_largest (s : list R) (a : R) : bool := if Req_EM_T a (largest_score s) then true else false.
Fixpoint first_only (l : list bool) : list R :=
  match l with
  | [] => []
  | true :: l' => 1 :: map (fun _ => 0) l'
  | false :: l' => 0 :: first_only l'
  end.
Definition numerators (a : activation) (s : list R) : list R :=
  match a with
  | Softmax => map exp s
  | HardmaxUniform => map (fun x => if is_largest s x then 1 else 0) s
  | HardmaxLeftmost => first_only (map (is_largest s) s)
  end.

Definition head_output (a : activation) (h : head) (S : list vec) (x : vec) : vec :=
  let p := numerators a (map (score_of h x) S) in
  let total := sum (fun t => t) p in
  vsum (length x) (map (fun q => scale (fst q / total)
    (apply (real_matrix (WO h)) (apply (real_matrix (WV h)) (snd q)))) (combine p S)).

Definition layer (W : weights) (S : list vec) (x : vec) : vec :=
  add (if skip W then x else scale 0 x)
    (vsum (length x) (map (fun h => head_output (kind W) h S x) (heads W))).

(* Every token and every matrix has its shape. *)
Definition shaped (rows columns : nat) (W : list (list Q)) : Prop :=
  length W = rows /\ forall row, In row W -> length row = columns.
Definition well_formed (D : dataset) (W : weights) : Prop :=
  exists d, (1 <= d)%nat /\ (forall s x, In s D -> In x s -> length x = d) /\
  forall h, In h (heads W) -> exists k, shaped k d (WQ h) /\ shaped k d (WK h) /\ shaped k d (WV h) /\
    shaped d k (WO h).

(* The claim of a certificate about a dataset and weights. *)
Section Meaning.
Variables (D : dataset) (W : weights).
Definition sequence (i : nat) : list vec := map real_vector (nth i D []).
Definition there (p : position) : Prop := (snd p < length (sequence (fst p)))%nat.
Definition value (p : position) : vec := output nat sequence (layer W) (masked W) (fst p) (snd p).
Definition pair_required (p q : position) : Prop :=
  there p /\ there q /\ required nat sequence (masked W) (fst p) (snd p) (fst q) (snd q).
Definition distance (p q : position) : R := norm (sub (value p) (value q)).
Definition inside (b : ball) (x : R) : Prop := Rabs (x - Q2R (mid b)) <= Q2R (rad b).

Definition separation_true (c : certificate) : Prop :=
  match separation c with
  | None => finding c = Undecided \/ forall p q, ~ pair_required p q
  | Some (b, p, q) => pair_required p q /\ inside b (distance p q) /\
      exists least, inside b least /\ (forall p' q', pair_required p' q' -> least <= distance p' q') /\
        exists p' q', pair_required p' q' /\ distance p' q' = least
  end.

Definition norm_true (c : certificate) : Prop :=
  match largest c with
  | None => finding c = Undecided \/ forall p, ~ there p
  | Some (b, p) => there p /\ inside b (norm (value p)) /\
      exists most, inside b most /\ (forall p', there p' -> norm (value p') <= most) /\
        exists p', there p' /\ norm (value p') = most
  end.

Definition below_r (c : certificate) (x : R) : Prop :=
  match bound_r c with None => True | Some r => x < Q2R r end.

Definition verdict_true (c : certificate) : Prop :=
  match finding c with
  | Proved => (forall p, there p -> below_r c (norm (value p))) /\
      (forall p q, pair_required p q -> distance p q > Q2R (bound_delta c))
  | Refuted =>
      (exists b p q, separation c = Some (b, p, q) /\ ~ distance p q > Q2R (bound_delta c)) \/
      (exists b p, largest c = Some (b, p) /\ ~ below_r c (norm (value p)))
  | Undecided => True
  end.

Definition true_certificate (c : certificate) : Prop :=
  separation_true c /\ norm_true c /\ verdict_true c.
End Meaning.

(* A checker reads the three files and accepts or rejects; what it accepts must be true. *)
Definition sound (check : certificate -> dataset -> weights -> bool) : Prop :=
  forall c D W, well_formed D W -> check c D W = true -> true_certificate D W c.

(* "proved" is Definition 2: with r given, the layer is an (r, delta)-contextual mapping. *)
Theorem proved_contextual D W c r : true_certificate D W c -> finding c = Proved ->
  bound_r c = Some r ->
  contextual nat (sequence D) (layer W) (masked W) (Q2R r) (Q2R (bound_delta c)).
Proof.
intros (_ & _ & V) E Er; unfold verdict_true in V; rewrite E in V; destruct V as [B S].
apply contextual_positions; split.
- intros i k L; specialize (B (i, k) L); unfold below_r in B; rewrite Er in B; exact B.
- intros i k j l L L' R; exact (S (i, k) (j, l) (conj L (conj L' R))).
Qed.

(* Not vacuous.  One sequence (1, 2), a layer without heads: the tokens do not change. *)
Definition sample_data : dataset := [[[1%Q]; [2%Q]]].
Definition sample_weights : weights := Weights Softmax NoMask true [].
Definition sample_certificate (delta : Q) : certificate :=
  Certificate Proved (Some 3%Q) delta (Some (Ball 1 0, (0, 0), (0, 1))%nat) (Some (Ball 2 0, (0, 1))%nat).

Lemma sample_well_formed : well_formed sample_data sample_weights.
Proof.
exists 1%nat; split; [lia|]; split; [|intros h []].
intros s x [<-|[]] [<-|[<-|[]]]; reflexivity.
Qed.

Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_2 : Q2R 2 = 2. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_3 : Q2R 3 = 3. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.

Lemma sample_there p : there sample_data p -> p = (0, 0)%nat \/ p = (0, 1)%nat.
Proof.
destruct p as [[|i] k]; unfold there, sequence; simpl; [|destruct i; simpl; lia].
intros L; destruct k as [|[|k]]; auto; lia.
Qed.

Lemma sample_value k : (k < 2)%nat -> value sample_data sample_weights (0%nat, k) = [INR k + 1].
Proof.
intros L; unfold value, output, token, layer, sequence; simpl.
destruct k as [|[|k]]; simpl; [| |lia]; unfold real_vector; simpl; rewrite ?Q2R_1, ?Q2R_2; f_equal; lra.
Qed.

Lemma sample_distance : distance sample_data sample_weights (0, 0)%nat (0, 1)%nat = 1.
Proof.
unfold distance; rewrite !sample_value by lia; unfold sub, scale; simpl; rewrite norm_one.
unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma sample_required : pair_required sample_data sample_weights (0, 0)%nat (0, 1)%nat.
Proof.
unfold pair_required, there, sequence; simpl; split; [lia|]; split; [lia|].
right; unfold token, sequence, real_vector; simpl; rewrite Q2R_1, Q2R_2; intros E; injection E; lra.
Qed.

Lemma sample_pairs p q : pair_required sample_data sample_weights p q ->
  distance sample_data sample_weights p q = 1.
Proof.
intros (Tp & Tq & R); apply sample_there in Tp, Tq; destruct Tp as [->| ->], Tq as [->| ->];
  try (exfalso; destruct R as [N|N]; [apply N; tauto | now apply N]).
- apply sample_distance.
- unfold distance; rewrite !sample_value by lia; unfold sub, scale; simpl; rewrite norm_one.
  unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma sample_norms p : there sample_data p -> norm (value sample_data sample_weights p) <= 2.
Proof.
intros T; apply sample_there in T; destruct T as [->| ->]; rewrite sample_value by lia;
  rewrite norm_one; simpl; unfold Rabs; destruct Rcase_abs; lra.
Qed.

Theorem sample_true : true_certificate sample_data sample_weights (sample_certificate 0).
Proof.
assert (norm (value sample_data sample_weights (0, 1)%nat) = 2) as N2.
{ rewrite sample_value by lia; rewrite norm_one; simpl; unfold Rabs; destruct Rcase_abs; lra. }
assert (there sample_data (0, 1)%nat) as T by (unfold there, sequence; simpl; lia).
unfold true_certificate, separation_true, norm_true, verdict_true, inside, below_r.
simpl finding; simpl separation; simpl largest; simpl bound_r; simpl bound_delta; cbv beta iota.
simpl mid; simpl rad; rewrite Q2R_1, Q2R_2, Q2R_0, Q2R_3.
split; [split; [exact sample_required|]; split|split; [split; [exact T|]; split|split]].
- rewrite sample_distance, Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
- exists 1; split; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|]; split.
  + intros p q R; rewrite (sample_pairs p q R); lra.
  + exists (0, 0)%nat, (0, 1)%nat; split; [exact sample_required | exact sample_distance].
- rewrite N2, Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
- exists 2; split; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|]; split.
  + exact sample_norms.
  + exists (0, 1)%nat; now split.
- intros p P; pose proof (sample_norms p P); lra.
- intros p q R; rewrite (sample_pairs p q R); lra.
Qed.

(* The same with delta = 1 is not true, so no sound checker accepts everything. *)
Theorem yes_unsound : ~ sound (fun _ _ _ => true).
Proof.
intros S; destruct (S (sample_certificate 1) _ _ sample_well_formed eq_refl) as (_ & _ & _ & F).
specialize (F _ _ sample_required); rewrite sample_distance in F; simpl in F; rewrite Q2R_1 in F; lra.
Qed.

(* And some sound checker accepts a certificate: the specification can be met. *)
Definition same_rational (a b : Q) : bool := Z.eqb (Qnum a) (Qnum b) && Pos.eqb (Qden a) (Qden b).

Lemma same_rational_eq a b : same_rational a b = true -> a = b.
Proof.
destruct a, b; unfold same_rational; simpl; intros E; apply andb_prop in E; destruct E as [E F].
apply Z.eqb_eq in E; apply Pos.eqb_eq in F; congruence.
Qed.

Definition sample_checker (c : certificate) (D : dataset) (W : weights) : bool :=
  match c, D, W with
  | Certificate Proved (Some r) delta (Some (b, (0, 0), (0, 1))) (Some (b', (0, 1))),
    [[[x]; [y]]], Weights Softmax NoMask true [] =>
      same_rational r 3 && same_rational delta 0 && same_rational (mid b) 1 && same_rational (rad b) 0
      && same_rational (mid b') 2 && same_rational (rad b') 0 && same_rational x 1 && same_rational y 2
  | _, _, _ => false
  end%nat.

Theorem sound_inhabited : exists check, sound check /\
  exists c D W p q, well_formed D W /\ check c D W = true /\ finding c = Proved /\ pair_required D W p q.
Proof.
exists sample_checker; split.
- intros [f r delta s l] D W _ E; unfold sample_checker in E.
  repeat match type of E with
  | (match ?x with _ => _ end) = true => destruct x; try discriminate E
  | (match ?x with _ => _ end) = true => is_var x; destruct x; try discriminate E
  end.
  repeat match type of E with (_ && _)%bool = true => apply andb_prop in E; destruct E as [E ?] end.
  repeat match goal with H : same_rational _ _ = true |- _ => apply same_rational_eq in H end.
  repeat match goal with b : ball |- _ => destruct b end; simpl in *; subst.
  exact sample_true.
- exists (sample_certificate 0), sample_data, sample_weights, (0, 0)%nat, (0, 1)%nat.
  split; [exact sample_well_formed|]; split; [reflexivity|]; split; [reflexivity | exact sample_required].
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma proved_contextual_satisfiable : satisfiable proved_contextual.
Proof.
exists sample_data, sample_weights, (sample_certificate 0), 3%Q; given (exact sample_true || reflexivity).
Qed.
Lemma proved_contextual_falsifiable : falsifiable proved_contextual.
Proof.
exists sample_data, sample_weights, (sample_certificate 0), 0%Q; intros C.
apply contextual_positions in C; destruct C as [B _].
specialize (B 0%nat 0%nat ltac:(unfold sequence; simpl; lia)); rewrite Q2R_0 in B.
pose proof (norm_nonneg (output nat (sequence sample_data) (layer sample_weights)
  (masked sample_weights) 0%nat 0%nat)); lra.
Qed.
Lemma yes_unsound_satisfiable : satisfiable yes_unsound.
Proof. exact I. Qed.
Lemma sound_inhabited_satisfiable : satisfiable sound_inhabited.
Proof. exact I. Qed.
