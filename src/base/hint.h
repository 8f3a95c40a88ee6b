/* hint.h -- the ends of messages to which the program adds its options (cli/fail.c): the
 * library has no options. Both use these macros, so that a new wording keeps its hint. */
#ifndef ATTEST_BASE_HINT_H
#define ATTEST_BASE_HINT_H

#define ATTEST_HINT_INPUT "bytes of input"
#define ATTEST_HINT_MEMORY "more memory than is allowed"
#define ATTEST_HINT_WORK "more work than is allowed"
#define ATTEST_HINT_WORK_DONE "work that is allowed does not suffice"
#define ATTEST_HINT_BITS "bits do not suffice"
#define ATTEST_HINT_TERMS "terms do not suffice"
#define ATTEST_HINT_TENSOR "give the name of one"
#define ATTEST_HINT_TRANSPOSE "is it transposed?"
#define ATTEST_HINT_EPS "give eps"
#define ATTEST_HINT_NUMBER "is not a number"
#define ATTEST_HINT_HEADS "their number is needed, or the model's config.json"
#define ATTEST_HINT_PREFIX "under any prefix"
#define ATTEST_HINT_SHAPE "choose another shape"
#define ATTEST_HINT_TUNED "use the strategy tuned"
#define ATTEST_HINT_GAP "use the strategy gap"
#define ATTEST_HINT_GAP_ALONE "use the strategy gap, without eps"

#endif
