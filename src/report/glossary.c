/* glossary.c -- definitions of the words in results. */
#include "report/glossary.h"

#include <stddef.h>
#include <string.h>

const attest_term attest_glossary[] = {
    {"ball",
     "A number known up to a proved error: a midpoint and a radius, and the true value lies "
     "between midpoint - radius and midpoint + radius. Computing with balls never loses the "
     "true value; where a ball is too wide to decide, it is computed again with more bits.",
     "attest show zero_test"},
    {"bound",
     "How far a computed value can be from the exact one, proved and rounded outward: no input "
     "of the described kind and no allowed order of the operations exceeds it.",
     "attest tolerance --help"},
    {"campaign",
     "Many trials of properties on random instances, from one seed, over all processors. A "
     "violation is shrunk to a small counterexample that 'attest replay' shows "
     "again.",
     "attest campaign --help"},
    {"certificate",
     "A file that states what was proved of a dataset and weights, with the places and numbers "
     "that show it. 'attest check' verifies it with code that 'attest certify' does not use.",
     "doc/certificate.md"},
    {"collapse",
     "Rounding gives the two outputs of a required pair the same value, bit for bit. Collapse "
     "bits are the least width of a significand such that it and every larger one keep all "
     "required pairs apart; with one bit less, some pair has equal outputs.",
     "attest show collapse"},
    {"context",
     "The set of tokens that a token sees: all of its sequence, or under a causal mask those "
     "up to its own place. Attention without positions depends on the token, on this set and "
     "on how often each token occurs in it; with leftmost ties also on their order.",
     "attest show theorem2"},
    {"contextual-mapping",
     "Definition 2 of the paper: every output is shorter than r, and the outputs of every "
     "required pair of places are more than delta apart. So one output alone determines its "
     "token "
     "and the context of that token.",
     "attest certify --help"},
    {"corpus",
     "A directory of counterexamples that were found once, each with what is expected of it. A "
     "campaign replays them before it draws new ones.",
     "attest campaign --help"},
    {"counterexample",
     "An instance on which a claim fails, exactly: data, weights and the place to look at, in "
     "a file that anybody can replay.",
     "attest counterexample --help"},
    {"delta",
     "How far apart the outputs of a required pair must be: a contextual mapping keeps every "
     "one of these distances above delta. With delta 0 the outputs must only differ.",
     "attest show theorem2"},
    {"enclosure", "An interval that contains the true value, proved: a ball, or its two ends.",
     NULL},
    {"eps",
     "How far apart different tokens are: tokenwise separated data keep every distance between "
     "two different tokens above eps.",
     "attest separated --help"},
    {"exact",
     "Computed in rational arithmetic, without any rounding. Every number in a file is a "
     "rational and is read exactly: 0.1 is one tenth.",
     NULL},
    {"fast-path",
     "Attention in double precision with vector instructions and a proved running bound. It "
     "proposes, and decides alone only what lies beyond its own bound; the exact path decides "
     "the rest.",
     "make bench"},
    {"format",
     "A kind of floating-point number: binary32, bfloat16, float8_e4m3fn and others, with "
     "given bits for exponent and fraction, and a rule for values beyond the largest number.",
     "doc/formats.md"},
    {"hardmax",
     "Attention that gives all weight to the key with the largest score; keys that tie exactly "
     "share it equally, or the first has all of it (see tie). No layer of it is a contextual "
     "mapping on all data (Theorem 1).",
     "attest show theorem1"},
    {"head",
     "One attention of a layer: weights W_Q, W_K, W_V of size S by d and W_O of d by S; every "
     "token attends to all tokens of its sequence. Its rank is that of W_K^T W_Q.",
     "doc/files.md"},
    {"journal",
     "The file to which a campaign writes every finished chunk of trials, so that a campaign "
     "that was stopped or killed can be resumed without loss.",
     "attest campaign --help"},
    {"kappa",
     "The factor by which the construction of Theorem 2 stretches the scores of its head, so "
     "that different tokens get scores that are far enough apart. The larger it is, the "
     "smaller the separation that is promised, and the more bits are needed to compute it.",
     "attest construct --help"},
    {"kernel-model",
     "A description of an attention kernel: the formats of its inputs, products, sums and "
     "output, how it computes exp, in which order it may add. 'any' stands for an unknown "
     "choice. A bound holds for every kernel that the model describes.",
     "attest show kernels"},
    {"mask",
     "Which keys a query sees: with none, all of its sequence; with a causal mask those up to "
     "its own place. Kernels have windows and masks of any shape besides.",
     "doc/judge.md"},
    {"merged",
     "Of two places that are to be told apart: their outputs are equal, or not finite, so "
     "that no later layer can tell them apart.",
     "doc/audit.md"},
    {"property",
     "A statement as a test: it draws an instance that meets the hypotheses, computes both "
     "sides, and must hold in every trial. A search is a property that must find a violation.",
     "attest show"},
    {"r", "How long outputs may be: a contextual mapping keeps every output's norm below r.",
     "attest show theorem2"},
    {"rank-1",
     "A matrix u v^T of two vectors: all its rows are multiples of v. Queries and "
     "keys of the head of Theorem 2 are formed by such matrices; a file may write u and v in "
     "place of the rows.",
     "doc/files.md"},
    {"relative-error",
     "The distance of a computed output from the exact one, as vectors, divided by the norm of "
     "the exact one: 0.01 means that the output is off by a hundredth of its length.",
     "attest audit --help"},
    {"required-pair",
     "Two places of a dataset whose outputs a contextual mapping must tell apart: their tokens "
     "differ, or their contexts do.",
     "attest show theorem2"},
    {"schedule",
     "One order in which a kernel may do its operations: tiles, splits, how sums are formed. "
     "With a complete schedule a kernel model is one concrete kernel, to the bit.",
     "attest simulate --help"},
    {"scheme",
     "How numbers are quantised: the format of an element, and which elements share a scale: "
     "float8_e4m3fn:per-head, int8:per-token, mxfp4:mx.",
     "doc/formats.md"},
    {"separated",
     "Tokenwise separated: every token's norm lies between r_min and r_max, and different "
     "tokens are more than eps apart. The theorems assume such data.",
     "attest separated --help"},
    {"separation",
     "The least distance between the outputs of any required pair. If it is above delta and "
     "all norms are below r, the layer is a contextual mapping; 0 means that some required "
     "pair cannot be told apart.",
     "attest certify --help"},
    {"shard",
     "One of N parts of a campaign, K/N, that can run on another machine. Merged, the parts "
     "give the report of the whole, byte for byte except for times.",
     "doc/scale.md"},
    {"shrink",
     "To make a counterexample smaller, step by step, as long as it remains a counterexample.",
     NULL},
    {"skip",
     "The token itself, added to the head's output: x + Attention(x). The paper's layers have "
     "it; a dataset in which it should be another tensor needs --residual.",
     "doc/files.md"},
    {"softmax",
     "Attention that weighs every key by exp of its score, divided by the sum of these. One "
     "head of it, of rank 1, can be a contextual mapping (Theorem 2).",
     "attest show theorem2"},
    {"strategy",
     "How weights are built from data: theorem, as in the proof of Theorem 2; gap, with "
     "scores just far enough apart; tuned, searched for the largest separation.",
     "attest construct --help"},
    {"tie",
     "Several keys have the largest score of a query. Hardmax lets them share the weight "
     "(uniform), or gives all of it to the first of them (leftmost).",
     "attest show theorem1"},
    {"tile",
     "The keys that a kernel reads at a time. The positions and the order of the tiles "
     "determine the order of its additions.",
     "doc/kernel-models.md"},
    {"tolerance",
     "The proved bound, for every single element of an output, on how far a right kernel may "
     "be from the exact value. Unlike atol and rtol it is derived, not guessed.",
     "attest tolerance --help"},
    {"ulp",
     "Unit in the last place: the distance between a number and the next of its format. Beyond "
     "the largest number, that at the largest; below the least normal one, the least "
     "subnormal.",
     "attest audit --help"},
    {"undecided",
     "Neither proved nor refuted: a cap on precision, size or time was reached, and the "
     "message "
     "names it. Exit code 3; never a pass.",
     NULL},
    {"verdict",
     "proved: the claim holds, for certain. refuted: it fails, and the counterexample shows "
     "where. undecided: a cap was reached. None rests on a tolerance.",
     NULL},
    {"vocabulary",
     "The set of different tokens of a dataset; |V| counts them. The vocabulary of a sequence "
     "is the set of its tokens.",
     NULL},
    {"witness",
     "Evidence that a claim is true or false: a pair of places, a token, an order of keys. "
     "'attest check' verifies it.",
     "doc/certificate.md"},
    {0},
};

const attest_term *attest_glossary_get(const char *name)
{
    for (const attest_term *term = attest_glossary; term->name; term++)
        if (strcmp(term->name, name) == 0)
            return term;
    return NULL;
}
