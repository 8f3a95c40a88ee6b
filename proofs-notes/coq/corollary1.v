(* Corollary 1: one rank-1 softmax head and one feed-forward layer give every token of consistently
   labelled data its label exactly, with no more parameters than the paper counts. *)

From Coq Require Import Reals List Permutation Lra Lia.
From attest Require Import sums lemma1 vectors definition2 softmax direction theorem2 theorem2_paper.
From attest Require Import theorem2_exists memorize guard.
Import ListNotations.
Local Open Scope R_scope.

(* A hidden unit: its row of W_1, its entry of b_1, its column of W_2. *)
Record unit_of_layer := Unit { row : vec; bias : R; column : vec }.

(* z + W_2 relu(W_1 z + b_1) + b_2. *)
Definition feed_forward (units : list unit_of_layer) (b2 z : vec) : vec :=
  add (add z b2)
    (vsum (length z) (map (fun u => scale (relu (dot (row u) z + bias u)) (column u)) units)).

Definition of_dimension (d : nat) (u : unit_of_layer) : Prop := length (row u) = d /\ length (column u) = d.

(* The paper's count: the factors of W_Q, W_K, W_V, W_O, and W_2. *)
Definition parameters (s d hidden : nat) : nat := (4 * (s + d) + d * hidden)%nat.

(* Entries of sums. *)
Lemma nth_add c x y : length x = length y -> nth c (add x y) 0 = nth c x 0 + nth c y 0.
Proof.
revert c y; induction x as [|a x IH]; intros c [|b y] L; try discriminate; simpl.
- destruct c; ring.
- destruct c; [reflexivity | apply IH; simpl in L; lia].
Qed.

Lemma nth_scale c a x : nth c (scale a x) 0 = a * nth c x 0.
Proof. unfold scale; revert c; induction x as [|b x IH]; intros [|c]; simpl; try ring; apply IH. Qed.

Lemma nth_repeat0 c d : nth c (repeat 0 d) 0 = 0.
Proof. revert c; induction d; intros [|c]; simpl; auto. Qed.

Lemma nth_constant c d a : (c < d)%nat -> nth c (repeat a d) 0 = a.
Proof. revert d; induction c; intros [|d] L; simpl; try lia; [reflexivity | apply IHc; lia]. Qed.

Lemma vsum_length d l : (forall x, In x l -> length x = d) -> length (vsum d l) = d.
Proof.
intros H; induction l as [|x l IH]; simpl; [apply repeat_length|].
rewrite length_add; [apply H; now left|]; rewrite IH by (intros; apply H; now right).
apply H; now left.
Qed.

Lemma nth_vsum c d l : (forall x, In x l -> length x = d) ->
  nth c (vsum d l) 0 = sum (fun x => nth c x 0) l.
Proof.
intros H; induction l as [|x l IH]; simpl; [apply nth_repeat0|].
assert (forall y, In y l -> length y = d) as H' by (intros; apply H; now right).
rewrite nth_add, IH by (auto; rewrite vsum_length by exact H'; apply H; now left).
reflexivity.
Qed.

Lemma entries_eq (d : nat) (x y : vec) : length x = d -> length y = d ->
  (forall c, nth c x 0 = nth c y 0) -> x = y.
Proof. intros Lx Ly H; apply nth_ext with 0 0; [congruence | intros; apply H]. Qed.

(* The unit vectors, and their products. *)
Definition basis (d c : nat) : vec := map (fun j => if Nat.eqb j c then 1 else 0) (seq 0 d).

Lemma basis_length d c : length (basis d c) = d.
Proof. unfold basis; now rewrite map_length, seq_length. Qed.

Lemma nth_basis d c j : (j < d)%nat -> nth j (basis d c) 0 = if Nat.eqb j c then 1 else 0.
Proof.
intros L; unfold basis; set (f := fun j => if Nat.eqb j c then 1 else 0).
rewrite nth_indep with (d' := f 0%nat) by now rewrite map_length, seq_length.
rewrite map_nth, seq_nth by exact L; reflexivity.
Qed.

Lemma dot_basis d c x : length x = d -> dot (basis d c) x = nth c x 0.
Proof.
intros L; unfold basis; revert x L.
assert (forall k x, length x = d -> dot (map (fun j => if Nat.eqb j c then 1 else 0) (seq k d)) x
  = if Nat.leb k c then nth (c - k) x 0 else 0) as H.
{ induction d as [|d' IH]; intros k [|a x] L; try discriminate; simpl.
  - destruct (Nat.leb k c); [destruct (c - k)%nat|]; reflexivity.
  - injection L as L; rewrite (IH (S k) x L).
    destruct (Nat.eqb_spec k c) as [->|N].
    + rewrite Nat.sub_diag, (proj2 (Nat.leb_gt (S c) c)), (proj2 (Nat.leb_le c c)) by lia; ring.
    + destruct (Nat.leb_spec k c), (Nat.leb_spec (S k) c); try lia; try ring.
      replace (c - k)%nat with (S (c - S k)) by lia; ring. }
intros x L; rewrite H by exact L; simpl; now rewrite Nat.sub_0_r.
Qed.

Lemma sum_basis d c (f : nat -> R) : (c < d)%nat ->
  sum (fun j => f j * (if Nat.eqb c j then 1 else 0)) (seq 0 d) = f c.
Proof.
intros L; assert (forall k, sum (fun j => f j * (if Nat.eqb c j then 1 else 0)) (seq k d)
  = if andb (Nat.leb k c) (Nat.ltb c (k + d)) then f c else 0) as H.
{ clear L; induction d as [|d IH]; intros k; simpl.
  - destruct (Nat.leb_spec k c), (Nat.ltb_spec c (k + 0)); simpl; try lia; reflexivity.
  - rewrite IH; destruct (Nat.eqb_spec c k) as [->|N];
      [destruct (Nat.leb_spec (S k) k), (Nat.leb_spec k k), (Nat.ltb_spec k (S k + d)),
         (Nat.ltb_spec k (k + S d))
      |destruct (Nat.leb_spec (S k) c), (Nat.leb_spec k c), (Nat.ltb_spec c (S k + d)),
         (Nat.ltb_spec c (k + S d))]; simpl; try lia; ring. }
rewrite H; destruct (Nat.leb_spec 0 c), (Nat.ltb_spec c (0 + d)); simpl; try lia; reflexivity.
Qed.

Lemma entry_small c x : Rabs (nth c x 0) <= norm x.
Proof.
apply Rsqr_incr_0_var; [|apply norm_nonneg]; rewrite <- Rsqr_abs; unfold Rsqr; rewrite norm_sqr.
revert c; induction x as [|a x IH]; intros [|c]; simpl; try lra.
- pose proof (dot_self x); lra.
- specialize (IH c); pose proof (Rle_0_sqr a) as S; unfold Rsqr in S; lra.
Qed.

(* Interpolation on the line by relu units: two for every point but the first. *)
Definition line (d : nat) (units : list (R * vec)) (t : R) : vec :=
  vsum d (map (fun u => scale (relu (t + fst u)) (snd u)) units).

Lemma extract_last (L : list (R * vec)) : L <> [] ->
  exists a L', Permutation L (a :: L') /\ forall b, In b L' -> fst b <= fst a.
Proof.
induction L as [|a L IH]; [easy|]; intros _; destruct L as [|b L].
- exists a, []; split; [reflexivity | easy].
- destruct IH as (m & L' & P & M); [easy|].
  destruct (Rle_dec (fst a) (fst m)) as [Le|G].
  + exists m, (a :: L'); split; [rewrite P; apply perm_swap|].
    intros c [<-|Hc]; auto.
  + exists a, (m :: L'); split; [now rewrite P|].
    intros c [<-|Hc]; [lra | specialize (M c Hc); lra].
Qed.

Lemma line_length d units t : (forall u, In u units -> length (snd u) = d) ->
  length (line d units t) = d.
Proof.
intros H; apply vsum_length; intros x; rewrite in_map_iff; intros (u & <- & Hu).
rewrite length_scale; auto.
Qed.

Lemma nth_line c d units t : (forall u, In u units -> length (snd u) = d) ->
  nth c (line d units t) 0 = sum (fun u => relu (t + fst u) * nth c (snd u) 0) units.
Proof.
intros H; unfold line; rewrite nth_vsum.
- rewrite sum_map; apply sum_ext; intros u _; apply nth_scale.
- intros x; rewrite in_map_iff; intros (u & <- & Hu); rewrite length_scale; auto.
Qed.

Lemma interpolate (d k : nat) : forall L : list (R * vec), length L = S k ->
  NoDup (map fst L) -> (forall a, In a L -> length (snd a) = d) ->
  exists y0 units, length y0 = d /\ length units = (2 * k)%nat /\
    (forall u, In u units -> length (snd u) = d) /\
    forall a, In a L -> add y0 (line d units (fst a)) = snd a.
Proof.
induction k as [|k IH]; intros L Len U D.
- destruct L as [|a [|b L]]; try discriminate.
  exists (snd a), []; repeat split; [apply D; now left | easy|].
  intros b [<-|[]]; assert (length (snd a) = d) as La by (apply D; now left).
  apply entries_eq with d; [|exact La|].
  + rewrite length_add; [exact La | now rewrite line_length].
  + intros c; rewrite nth_add by now rewrite line_length.
    unfold line; simpl; rewrite nth_repeat0; ring.
- destruct (extract_last L) as (m & L' & P & M); [destruct L; [discriminate | easy]|].
  assert (length L' = S k) as Len' by (apply Permutation_length in P; simpl in P; lia).
  assert (NoDup (map fst (m :: L'))) as U'
    by (apply (Permutation_NoDup (l := map fst L)); [apply Permutation_map, P | exact U]).
  assert (forall a, In a (m :: L') -> length (snd a) = d) as D'
    by (intros a Ha; apply D, (Permutation_in a (Permutation_sym P)), Ha).
  inversion U' as [|? ? Nm UL]; subst.
  destruct (IH L' Len' UL) as (y0 & units & Ly & Lu & Du & Fit); [intros; apply D'; now right|].
  destruct (extract_last L') as (m' & L'' & P' & M'); [destruct L'; [discriminate | easy]|].
  assert (In m' L') as Hm' by (apply (Permutation_in m' (Permutation_sym P')); now left).
  assert (fst m' < fst m) as Gap.
  { destruct (M m' Hm') as [Lt|E]; [exact Lt|]; exfalso; apply Nm; rewrite <- E; now apply in_map. }
  set (missing := sub (snd m) (add y0 (line d units (fst m)))).
  assert (length (line d units (fst m)) = d) as Ll by now apply line_length.
  assert (length (snd m) = d) as Lm by (apply D'; now left).
  assert (length missing = d) as Lmis.
  { unfold missing, sub; rewrite length_add; rewrite ?length_scale, ?length_add; congruence. }
  set (rise := scale (/ (fst m - fst m')) missing).
  assert (length rise = d) as Lr by (unfold rise; now rewrite length_scale).
  exists y0, ((- fst m', rise) :: (- fst m, scale (-1) rise) :: units).
  assert (forall u, In u ((- fst m', rise) :: (- fst m, scale (-1) rise) :: units) ->
    length (snd u) = d) as Du'.
  { intros u [<-|[<-|Hu]]; simpl; rewrite ?length_scale; auto. }
  repeat split; [exact Ly | simpl; lia | exact Du'|].
  intros a Ha; apply (Permutation_in a P) in Ha.
  assert (length (snd a) = d) as La by (now apply D').
  apply entries_eq with d; [|exact La|].
  { rewrite length_add; [exact Ly | rewrite line_length; auto]. }
  intros c; rewrite nth_add, nth_line by (rewrite ?line_length; auto).
  simpl sum; rewrite nth_scale; destruct Ha as [<-|Ha].
  + rewrite <- (nth_line c d units (fst m) Du).
    assert (relu (fst m + - fst m') = fst m - fst m') as -> by (unfold relu; rewrite Rmax_left; lra).
    assert (relu (fst m + - fst m) = 0) as -> by (unfold relu; rewrite Rmax_right; lra).
    unfold rise; rewrite nth_scale; unfold missing, sub.
    rewrite nth_add, nth_scale, nth_add by (rewrite ?length_scale, ?length_add; congruence).
    field; lra.
  + assert (fst a <= fst m') as Le.
    { apply (Permutation_in a P') in Ha; destruct Ha as [<-|Ha]; [lra | auto]. }
    assert (relu (fst a + - fst m') = 0) as -> by (unfold relu; rewrite Rmax_right; lra).
    assert (relu (fst a + - fst m) = 0) as -> by (unfold relu; rewrite Rmax_right; lra).
    rewrite <- (Fit a Ha), nth_add, nth_line by (rewrite ?line_length; auto); ring.
Qed.

(* A feed-forward layer that maps points z to their labels, if no point has two. *)
Theorem feed_forward_fits (d : nat) (r : R) (points : list (vec * vec)) : points <> [] ->
  (forall z y, In (z, y) points -> length z = d /\ length y = d /\ norm z < r) ->
  (forall z y y', In (z, y) points -> In (z, y') points -> y = y') ->
  exists units b2, (length units <= 2 * length points + d)%nat /\ length b2 = d /\
    (forall u, In u units -> of_dimension d u) /\
    forall z y, In (z, y) points -> feed_forward units b2 z = y.
Proof.
intros N H Fun.
(* a direction in which different points differ *)
set (Z := nodup (list_eq_dec Req_EM_T) (map fst points)).
assert (NoDup Z) as UZ by apply NoDup_nodup.
assert (forall z, In z Z <-> exists y, In (z, y) points) as IZ.
{ intros z; unfold Z; rewrite nodup_In, in_map_iff; split.
  - intros ([z' y] & <- & Hz); now exists y.
  - intros (y & Hy); now exists (z, y). }
assert (forall z, In z Z -> length z = d) as LZ by (intros z Hz; apply IZ in Hz; destruct Hz as (y & Hy); now apply (H z y)).
assert (forall x y : vec, length x = d -> length y = d -> x <> y -> norm (sub x y) <> 0) as Far.
{ intros x y Lx Ly Nxy E; apply Nxy; apply entries_eq with d; auto; intros c.
  pose proof (entry_small c (sub x y)) as S; rewrite E in S; unfold sub in S.
  rewrite nth_add, nth_scale in S by (rewrite length_scale; congruence).
  apply Rminus_diag_uniq; pose proof (Rabs_pos (nth c x 0 + -1 * nth c y 0)).
  destruct (Req_dec (nth c x 0 - nth c y 0) 0) as [|Q]; [assumption|]; exfalso.
  apply Rabs_no_R0 in Q; apply Q.
  replace (nth c x 0 - nth c y 0) with (nth c x 0 + -1 * nth c y 0) by ring; lra. }
assert (exists p, length p = d /\ forall x y, In x Z -> In y Z -> dot p x = dot p y -> x = y)
  as (p & Lp & Inj).
{ assert (forall z, In z (pairs Z) -> length z = d /\ norm z <> 0) as Hp.
  { intros z Hz; destruct (pairs_in Z z UZ Hz) as (x & y & Hx & Hy & Nxy & ->).
    split; [|apply Far; auto]; unfold sub; rewrite length_add; rewrite ?length_scale; auto.
    rewrite (LZ x Hx), (LZ y Hy); reflexivity. }
  destruct (pairs Z) as [|z0 l] eqn:EP.
  - exists (repeat 0 d); split; [apply repeat_length|]; intros x y Hx Hy _.
    destruct (list_eq_dec Req_EM_T x y) as [|Q]; [assumption|]; exfalso.
    destruct (in_pairs Z x y Hx Hy Q) as [I|I]; rewrite EP in I; destruct I.
  - destruct (direction d (z0 :: l)) as (p & Lp & _ & Hd); [easy | exact Hp|].
    exists p; split; [exact Lp|]; intros x y Hx Hy E.
    destruct (list_eq_dec Req_EM_T x y) as [|Q]; [assumption|]; exfalso.
    assert (forall a b, In a Z -> In b Z -> dot p a = dot p b -> ~ In (sub a b) (z0 :: l)) as No.
    { intros a b Ha Hb Eab I; pose proof (Hd _ I) as S; destruct (Hp _ I) as [_ NZ].
      assert (length a = length b) as Lab by (rewrite (LZ a Ha), (LZ b Hb); reflexivity).
      rewrite (dot_sub p a b Lab), Eab, Rminus_diag_eq, Rabs_R0 in S by reflexivity.
      pose proof (norm_nonneg (sub a b)).
      assert (0 < norm (sub a b) / INR (length (z0 :: l))); [|lra].
      apply Rdiv_lt_0_compat; [lra | apply lt_0_INR; simpl; lia]. }
    destruct (in_pairs Z x y Hx Hy Q) as [I|I]; rewrite EP in I; revert I; apply No; auto. }
(* the label of a point, and the points on the line *)
set (at_z := fun (z : vec) (q : vec * vec) => if list_eq_dec Req_EM_T (fst q) z then true else false).
set (label := fun z => match find (at_z z) points with Some q => snd q | None => [] end).
assert (forall z y, In (z, y) points -> label z = y) as Lab.
{ intros z y I; unfold label.
  destruct (find (at_z z) points) as [[z' y']|] eqn:F.
  - apply find_some in F; destruct F as [I' E]; unfold at_z in E; simpl in E.
    destruct (list_eq_dec Req_EM_T z' z) as [->|]; [|discriminate]; simpl; eapply Fun; eauto.
  - pose proof (find_none _ _ F _ I) as E; unfold at_z in E; simpl in E.
    destruct (list_eq_dec Req_EM_T z z) as [|Q]; [discriminate | now destruct Q]. }
set (L := map (fun z => (dot p z, label z)) Z).
assert (exists k, length L = S k) as (k & Ek).
{ unfold L; rewrite map_length; destruct Z as [|z Z'] eqn:EZ; [|now exists (length Z')].
  destruct points as [|[z y] ps]; [easy|]; exfalso.
  assert (In z []) as I by (apply IZ; exists y; now left). destruct I. }
destruct (interpolate d k L Ek) as (y0 & units & Ly & Lu & Du & Fit).
{ unfold L; rewrite map_map; simpl.
  assert (forall W, NoDup W -> (forall z, In z W -> In z Z) -> NoDup (map (fun z => dot p z) W)) as G.
  { induction 1 as [|z W Nz UW IH]; intros Sub; simpl; constructor.
    - rewrite in_map_iff; intros (z' & E & Hz'); apply Nz.
      replace z with z'; [exact Hz'|]; apply Inj; auto; apply Sub; simpl; auto.
    - apply IH; intros; apply Sub; now right. }
  apply G; auto. }
{ intros a Ha; unfold L in Ha; apply in_map_iff in Ha; destruct Ha as (z & <- & Hz); simpl.
  apply IZ in Hz; destruct Hz as (y & Hy); rewrite (Lab z y Hy); now apply (H z y). }
set (reach := Rmax r 0).
set (cancel := map (fun c => Unit (basis d c) reach (scale (-1) (basis d c))) (seq 0 d)).
set (ramps := map (fun u : R * vec => Unit p (fst u) (snd u)) units).
exists (cancel ++ ramps), (add y0 (repeat reach d)).
assert (forall u, In u (cancel ++ ramps) -> of_dimension d u) as Dim.
{ intros u; rewrite in_app_iff; unfold cancel, ramps; rewrite !in_map_iff.
  intros [(c & <- & _)|(q & <- & Hq)]; split; simpl; rewrite ?length_scale, ?basis_length; auto. }
assert (length (add y0 (repeat reach d)) = d) as Lb by (rewrite length_add; rewrite ?repeat_length; auto).
split; [|split; [exact Lb | split; [exact Dim|]]].
{ assert (length ramps = 2 * k)%nat as Lr by (unfold ramps; rewrite map_length; exact Lu).
  assert (length cancel = d) as Lc by (unfold cancel; now rewrite map_length, seq_length).
  rewrite app_length; assert (S k <= length points)%nat; [|lia]; rewrite <- Ek; unfold L, Z; rewrite map_length.
  rewrite <- (map_length fst points); apply NoDup_incl_length; [apply NoDup_nodup|].
  intros z; now rewrite nodup_In. }
intros z y I; destruct (H z y I) as (Lz & Lyy & Nz).
assert (forall x, In x (map (fun u => scale (relu (dot (row u) z + bias u)) (column u)) (cancel ++ ramps))
  -> length x = d) as Lx.
{ intros x; rewrite in_map_iff; intros (u & <- & Hu); rewrite length_scale; now apply Dim. }
assert (length (add z (add y0 (repeat reach d))) = d) as Lzb by (rewrite length_add; congruence).
apply entries_eq with d; [|exact Lyy|].
{ unfold feed_forward; rewrite Lz, length_add; [exact Lzb | rewrite vsum_length; auto]. }
intros c; unfold feed_forward; rewrite Lz, nth_add by (rewrite vsum_length; auto).
rewrite nth_vsum by exact Lx; rewrite !nth_add by (rewrite ?repeat_length; congruence).
rewrite sum_map, sum_app; unfold ramps; rewrite sum_map; simpl.
assert (sum (fun x : R * vec => nth c (scale (relu (dot p z + fst x)) (snd x)) 0) units
  = nth c (line d units (dot p z)) 0) as SL
  by (rewrite nth_line by exact Du; apply sum_ext; intros; apply nth_scale).
unfold vec in *; rewrite SL.
pose proof (Fit (dot p z, label z)) as F; simpl in F.
assert (In (dot p z, label z) L) as IL
  by (unfold L; apply in_map_iff; exists z; split; [reflexivity | apply IZ; now exists y]).
specialize (F IL); rewrite (Lab z y I) in F; rewrite <- F, nth_add by (rewrite line_length; auto).
destruct (Nat.lt_ge_cases c d) as [Lc|Gc].
- rewrite (sum_ext (fun x => nth c (scale (relu (dot (row x) z + bias x)) (column x)) 0)
    (fun u => relu (dot (row u) z + bias u) * nth c (column u) 0)) by (intros; apply nth_scale).
  unfold cancel; rewrite sum_map; simpl.
  rewrite (sum_ext _ (fun j => - (nth j z 0 + reach) * (if Nat.eqb c j then 1 else 0))).
  + rewrite (sum_basis d c (fun j => - (nth j z 0 + reach)) Lc).
    rewrite (nth_constant c d reach Lc); ring.
  + intros j Hj; rewrite nth_scale, nth_basis, dot_basis by auto.
    pose proof (entry_small j z) as S; unfold reach; pose proof (Rmax_l r 0).
    unfold relu; rewrite Rmax_left; [ring|].
    unfold Rabs in S; destruct (Rcase_abs (nth j z 0)); lra.
- rewrite !(nth_overflow z), !(nth_overflow y0), !(nth_overflow (repeat reach d)),
    (nth_overflow (line d units (dot p z))) by (rewrite ?repeat_length, ?line_length; auto; lia).
  rewrite (sum_ext _ (fun _ => 0)); [rewrite sum_const; ring|].
  intros u Hu; rewrite nth_scale, nth_overflow; [ring|].
  assert (of_dimension d u) as [_ Lc] by (apply Dim, in_app_iff; now left). lia.
Qed.

Lemma paper_delta_nonneg d n rmin rmax eps c : 0 < rmin -> 0 < rmax -> 0 < eps -> 0 < c ->
  (1 <= n)%nat -> (1 <= d)%nat -> 0 <= paper_delta d n rmin rmax eps c.
Proof.
intros; unfold paper_delta; pose proof PI_RGT_0; assert (0 <= ln (INR n)) by now apply log_nonneg.
assert (0 < INR d) by (apply lt_0_INR; lia).
assert (0 < rmax ^ 2 * c ^ 4 * (2 * ln (INR n) + 3) * PI * INR d) as P.
{ apply Rmult_lt_0_compat; [|assumption]; apply Rmult_lt_0_compat; [|assumption].
  apply Rmult_lt_0_compat; [|lra]; apply Rmult_lt_0_compat; now apply pow_lt. }
apply Rmult_le_pos; [|left; apply exp_pos].
apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
assert (0 <= ln (INR n) ^ 2) by (simpl; rewrite Rmult_1_r; now apply Rmult_le_pos).
assert (0 <= eps ^ 2) by (left; now apply pow_lt).
apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [|assumption]; apply Rmult_le_pos; lra.
Qed.

(* The sequences are numbered by [all], N of them; labels have as many entries as tokens. *)
Theorem corollary1 (I : Type) (all : list I) (X : I -> list vec) (V : list vec) (m : mask)
    (d n s : nat) (rmin rmax eps : R) (label : I -> nat -> vec) :
  let N := length all in
  (forall i, In i all) ->
  0 < rmin -> 0 < eps -> (2 <= n)%nat -> (1 <= s)%nat ->
  separated I X d rmin rmax eps -> vocabulary I X V ->
  (forall i, NoDup (X i)) -> (exists i, length (X i) = n) -> (forall i, (length (X i) <= n)%nat) ->
  (forall i k, (k < length (X i))%nat -> length (label i k) = d) ->
  (forall i k j l, (k < length (X i))%nat -> (l < length (X j))%nat ->
     ~ required I X m i k j l -> label i k = label j l) ->
  exists WQ WK WV WO units b2,
    rank_one s d WQ /\ rank_one s d WK /\ rank_one s d WV /\ matrix d s WO /\
    (forall u, In u units -> of_dimension d u) /\ length b2 = d /\
    (parameters s d (length units) <= 4 * (s + d) + d * (2 * n * N + d))%nat /\
    forall i k, (k < length (X i))%nat ->
      feed_forward units b2 (softmax.output I X (attention WQ WK WV WO) m i k) = label i k.
Proof.
intros N All Rm Ep N2 S1 Sep Voc U Att Short Dl Cons.
destruct (theorem2 I X V m d n s rmin rmax eps) as (WQ & WK & WV & WO & RQ & RK & RV & MO & C); auto.
pose proof C as C'; apply contextual_positions in C'; destruct C' as [Bounded Apart].
set (F := attention WQ WK WV WO) in *.
set (positions := flat_map (fun i => map (pair i) (seq 0 (length (X i)))) all).
assert (forall i k, In (i, k) positions <-> (k < length (X i))%nat) as IP.
{ intros i k; unfold positions; rewrite in_flat_map; split.
  - intros (j & _ & H); apply in_map_iff in H; destruct H as (l & E & H).
    injection E as -> ->; apply in_seq in H; lia.
  - intros L; exists i; split; [apply All|]; apply in_map, in_seq; lia. }
assert (length positions <= n * N)%nat as Len.
{ unfold positions, N; clear - Short; induction all as [|i a IH]; simpl; [lia|].
  rewrite app_length, map_length, seq_length; pose proof (Short i); lia. }
set (points := map (fun p => (softmax.output I X F m (fst p) (snd p), label (fst p) (snd p))) positions).
destruct Att as (i0 & E0).
assert (exists x, In x (X i0)) as (x0 & Hx0) by (destruct (X i0) as [|x l]; [simpl in E0; lia | exists x; now left]).
destruct Sep as [Tok Far]; destruct (Tok i0 x0 Hx0) as [L0 [B0 B1]].
assert (1 <= d)%nat as D1.
{ rewrite <- L0; destruct x0; [|simpl; lia]; unfold norm in B0; simpl in B0; rewrite sqrt_0 in B0; lra. }
assert (0 <= paper_delta d n rmin rmax eps (INR (length V + 1))) as Pd.
{ apply paper_delta_nonneg; try lra; try lia; apply lt_0_INR; lia. }
assert (forall i k, (k < length (X i))%nat -> length (softmax.output I X F m i k) = d) as Lo.
{ intros i k L; unfold softmax.output, F, attention.
  assert (length (token I X i k) = d) as Lt by (apply (Tok i), nth_In, L).
  rewrite length_add; [exact Lt|]; unfold attend; rewrite vsum_length; auto.
  intros x; rewrite in_map_iff; intros (y & <- & _); rewrite length_scale; unfold apply.
  rewrite map_length; destruct MO; congruence. }
destruct (feed_forward_fits d (rmax + eps / 4) points) as (units & b2 & Lu & Lb & Du & Fit).
- assert (In (i0, 0%nat) positions) as I0 by (apply IP; lia).
  unfold points; destruct positions; easy.
- intros z y; unfold points; rewrite in_map_iff; intros ([i k] & E & Hp); simpl in E.
  injection E as <- <-; apply IP in Hp; repeat split; auto.
- intros z y y'; unfold points; rewrite !in_map_iff.
  intros ([i k] & E & Hp) ([j l] & E' & Hq); simpl in E, E'.
  injection E as Ez <-; injection E' as Ez' <-; apply IP in Hp, Hq; apply Cons; auto.
  intros R; pose proof (Apart i k j l Hp Hq R) as A; rewrite Ez, Ez', norm_sub_same in A; lra.
- exists WQ, WK, WV, WO, units, b2; repeat (split; [assumption|]); split.
  + unfold parameters; unfold points in Lu; rewrite map_length in Lu.
    apply Nat.add_le_mono_l, Nat.mul_le_mono_l; lia.
  + intros i k L; apply Fit; unfold points; apply in_map_iff; exists (i, k); split; [reflexivity|].
    now apply IP.
Qed.

(* Guards: the hypotheses hold for some data, the conclusions fail for some. *)
Lemma feed_forward_fits_satisfiable : satisfiable feed_forward_fits.
Proof.
exists 1%nat, 4, [([1], [5]); ([2], [7])]; given (first [easy |
  intros z y [E|[E|[]]]; injection E as <- <-; repeat split; rewrite norm_one; unfold Rabs;
    destruct Rcase_abs; lra |
  intros z y y' [E|[E|[]]] [E'|[E'|[]]]; injection E as <- <-; injection E' as; congruence || (exfalso; lra)]).
Qed.
Lemma feed_forward_fits_falsifiable : falsifiable feed_forward_fits.
Proof.
exists 1%nat, 4, [([1], [5]); ([1], [7])]; intros (units & b2 & _ & _ & _ & F).
pose proof (F [1] [5] ltac:(simpl; auto)) as E; rewrite (F [1] [7] ltac:(simpl; auto)) in E.
injection E; lra.
Qed.

Lemma corollary1_satisfiable : satisfiable corollary1.
Proof.
destruct theorem2_data as (A & B & D).
exists bool, [true; false], example, [[1]; [2]; [3]], NoMask, 1%nat, 2%nat, 1%nat, (/ 2), 4, (/ 2),
  (fun _ k => token bool example true k).
given (first [lra | lia | solve [intros []; simpl; auto] | exact A | exact B | exact D | now exists true |
  solve [intros [|]; simpl; lia] |
  solve [intros [|] [|[|k]] L; simpl in *; lia || reflexivity] |
  intros i k j l Lk Ll R; destruct i, j, k as [|[|k]], l as [|[|l]]; simpl in Lk, Ll; try lia;
    try reflexivity; exfalso; apply R; right; unfold token; simpl; intros E; injection E; lra]).
Qed.
Lemma corollary1_falsifiable : falsifiable corollary1.
Proof.
exists bool, [], (fun _ : bool => [[1]]), [], NoMask, 1%nat, 2%nat, 1%nat, 0, 0, 0,
  (fun (i : bool) (_ : nat) => if i then [0] else [1]).
intros (WQ & WK & WV & WO & units & b2 & _ & _ & _ & _ & _ & _ & _ & F).
pose proof (F true 0%nat ltac:(simpl; lia)) as E1.
pose proof (F false 0%nat ltac:(simpl; lia)) as E2.
change (softmax.output bool (fun _ => [[1]]) (attention WQ WK WV WO) NoMask false 0)
  with (softmax.output bool (fun _ => [[1]]) (attention WQ WK WV WO) NoMask true 0) in E2.
rewrite E1 in E2; injection E2; lra.
Qed.
