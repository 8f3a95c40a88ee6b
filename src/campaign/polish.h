/* polish.h -- simpler data for a counterexample.
 *
 * The engine shrinks the draws from which a generator makes an instance. What no smaller draws
 * make may still be simplified by changing the values themselves: fewer sequences and tokens,
 * smaller and shorter numbers. Every step is decided again. Weights and parameters are left as
 * the engine shrank them: generators promise more of them (no zero matrix, say) than every
 * property checks. */
#ifndef ATTEST_CAMPAIGN_POLISH_H
#define ATTEST_CAMPAIGN_POLISH_H

#include "campaign/instance.h"

typedef enum attest_polish_answer {
    ATTEST_POLISH_KEEP,  /* the candidate will do */
    ATTEST_POLISH_LEAVE, /* it will not */
    ATTEST_POLISH_STOP   /* no more candidates, please */
} attest_polish_answer;

typedef attest_polish_answer attest_polish_test(void *env, const attest_instance *candidate);

/* polished (initialised) = the simplest instance that single steps from instance lead to, each
 * of which the test keeps. Deterministic: a function of the instance and of the answers.
 * Domain: data without labels. Status: NOMEM. */
attest_status attest_polish(attest_instance *polished, const attest_instance *instance,
                            attest_polish_test *test, void *env) ATTEST_WARN_UNUSED;

#endif
