(* What the machine-checked theorems say, frozen: every statement of statements.txt, and every
   definition that they use, down to the libraries of Coq and MathComp. Read it top down: what a
   statement means is what its definitions above it say, and nothing else.

   "make check-proofs" compares each entry with the files in coq/, up to conversion, and fails where
   one differs, is missing here, or is no longer there. "Check (eq_refl : @x = body)" says that x is
   defined as this body, "Check (@x : type)" that the theorem x has this type; all hypotheses, those of
   sections too, stand in front of the conclusion. proofs-notes/freeze prints the file anew. *)

From Coq Require Import Reals QArith Qreals List Permutation Lra.
Import ListNotations.
Local Open Scope R_scope.

(*! mathcomp *)
From mathcomp Require Import all_ssreflect all_algebra.
Local Open Scope ring_scope.

