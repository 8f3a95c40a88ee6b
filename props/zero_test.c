/* zero_test.c -- equality of softmax outputs is decidable. */
#include "props/statement.h"

static const attest_hypothesis hypotheses[] = {
    {"rational", "data, weights and bounds are rational"},
    {0},
};

const attest_statement attest_statement_zero_test = {
    .name = "zero_test",
    .title = "Equality of softmax outputs is decidable",
    .source = "our own, on the theorem of Lindemann and Weierstrass",
    .text = "For rational scores, boltz(A) = boltz(B) iff the multiplicity vectors are "
            "proportional; equality of two softmax attention outputs with rational data and "
            "weights is the vanishing of a sum of rational multiples of exponentials of "
            "rationals, which holds iff every coefficient, collected by exponent, is zero.",
    .hypotheses = hypotheses,
    .decided_by = "exact arithmetic: sparse polynomials in e^{1/D}",
    .note = "proofs-notes/zero_test.md",
    .machine = "given Lindemann-Weierstrass: proofs-notes/coq/zero_test.v, zero_test, "
               "boltz_equal_iff. Not the reduction of attention outputs",
};
