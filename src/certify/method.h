/* method.h -- a way to decide a claim. Adding one is a file and a line in the table. */
#ifndef ATTEST_CERTIFY_METHOD_H
#define ATTEST_CERTIFY_METHOD_H

#include <attest/certify.h>
#include "theory/contextual.h"

typedef struct attest_method {
    const char *name;
    /* NULL, or why the method does not apply to these weights. */
    const char *(*objection)(const attest_weights *weights);
    /* Fills the finding, all but required_pairs and method (which it may change under "auto").
     * An undecided verdict lets "auto" go on with the next method. */
    attest_status (*decide)(attest_finding *finding, const attest_claim *claim,
                            const attest_contexts *contexts, attest_error *error);
    bool complete; /* what it leaves undecided no later method decides */
} attest_method;

extern const attest_method attest_method_first_difference, attest_method_filter,
    attest_method_exact, attest_method_ball;

/* In the order in which "auto" tries them, ended by NULL. */
extern const attest_method *const attest_methods[];

#endif
