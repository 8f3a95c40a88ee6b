(* Guards of a statement, computed from the statement itself.

   satisfiable t: there are data for which all hypotheses of the theorem t hold: exists, one after
   the other, for every variable and every hypothesis in front of its conclusion.  A hypothesis that
   contradicts another makes it unprovable.

   falsifiable t: there are data, which need not satisfy the hypotheses, for which the conclusion of t
   is false.  A conclusion weakened to something trivial makes it unprovable.

   hypotheses t: how many hypotheses stand in front of the conclusion. *)

Ltac demand T :=
  let T := eval cbv zeta in T in
  lazymatch T with
  | ?A -> ?B => refine (ex (fun _ : A => _)); demand B
  | forall x : ?A, @?B x =>
      let y := fresh x in
      refine (ex (fun y : A => _)); let b := eval cbv beta in (B y) in demand b
  | _ => exact True
  end.

Ltac deny T :=
  let T := eval cbv zeta in T in
  lazymatch T with
  | ?A -> ?B =>
      lazymatch type of A with
      | Prop => deny B
      | _ => refine (ex (fun _ : A => _)); deny B
      end
  | forall x : ?A, @?B x =>
      let y := fresh x in
      refine (ex (fun y : A => _)); let b := eval cbv beta in (B y) in deny b
  | _ => exact (~ T)
  end.

Ltac count T n :=
  let T := eval cbv zeta in T in
  lazymatch T with
  | ?A -> ?B => lazymatch type of A with Prop => count B (S n) | _ => count B n end
  | forall x : ?A, @?B x =>
      let y := fresh x in
      refine ((fun y : A => _) _); [let b := eval cbv beta in (B y) in count b n | shelve]
  | _ => let k := eval compute in n in idtac k
  end.

Notation satisfiable t := (ltac:(let T := type of t in demand T)) (only parsing).
Notation falsifiable t := (ltac:(let T := type of t in deny T)) (only parsing).

(* Proves the hypotheses one after the other by a tactic, once the data are given. *)
Tactic Notation "given" tactic3(proof) :=
  repeat (unshelve eexists; [solve [proof]|]); exact I.
