/* attended.c -- how far the weights of softmax are from the exact ones in an arithmetic.
 *
 * The computed weights are compared with those of binary64, and the bound on the total
 * variation of those is added: the reported distance is proved, and sharp wherever binary64 is
 * much more precise than the arithmetic (proofs-notes/audit.md, Weights). */
#include "audit/attended.h"

#include <math.h>

#include "audit/bound.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/term.h"
#include "base/workers.h"

enum { MOST_WEIGHTS = 1 << 23 };

static size_t positions_of(const attest_audit_request *request)
{
    size_t positions = 0;

    for (size_t i = 0; i < request->sequences; i++)
        positions += attest_dataset_length(request->dataset, request->sequence[i]);
    return positions;
}

/* The length of the longest sequence of the request. */
static size_t longest_of(const attest_audit_request *request)
{
    size_t longest = 0;

    for (size_t i = 0; i < request->sequences; i++) {
        size_t length = attest_dataset_length(request->dataset, request->sequence[i]);
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The first sequences of the sample whose weights fit, one at least. */
static void choose(attest_audit_weights *w, const attest_audit_reference *sample)
{
    size_t each =
        w->request.weights->heads * w->request.dataset->longest * w->request.dataset->longest;
    size_t most = each ? MOST_WEIGHTS / each : 0;

    w->request.sequence = sample->sequence;
    w->request.sequences = sample->sequences < most ? sample->sequences : most;
    w->longest = longest_of(&w->request);
    w->rows = positions_of(&w->request) * w->request.weights->heads;
}

attest_status attest_audit_weights_get(attest_audit_weights *weights,
                                       const attest_audit_request *request,
                                       const attest_audit_reference *sample,
                                       attest_error *error)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};
    attest_simulated_arithmetic arithmetic;
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_model model;

    *weights = (attest_audit_weights){.request = *request};
    if (request->weights->activation != ATTEST_SOFTMAX)
        return ATTEST_OK;
    choose(weights, sample);
    if (weights->rows == 0)
        return ATTEST_OK;
    weights->variation = attest_shared_alloc(weights->rows, sizeof(double));
    if (weights->variation)
        weights->weight = attest_shared_alloc(weights->rows * weights->longest, sizeof(double));
    if (!weights->weight)
        return attest_memory_fail(error);
    attest_simulated_arithmetic_init(&arithmetic, &binary64);
    attest_audit_model_init(&model, &arithmetic);
    ATTEST_TRY(
        attest_audit_bound_weights(weights->variation, &weights->request, &model, error));
    weights->request.attended = weights->weight;
    return attest_audit_evaluate(&outputs, &weights->request, &arithmetic, error);
}

void attest_audit_weights_clear(attest_audit_weights *weights)
{
    attest_shared_free(weights->weight, weights->rows * weights->longest, sizeof(double));
    attest_shared_free(weights->variation, weights->rows, sizeof(double));
    *weights = (attest_audit_weights){0};
}

/* Twice the total variation bounds the error of each weight. The quotients, and the rescales of
 * an online algorithm, were formed in doubles: n units at most. */
void attest_audit_attended_add(attest_audit_attended *a, const double *computed,
                               const double *exact, double off, size_t n)
{
    double sum = 0, strongest = 0;
    size_t best = 0;

    for (size_t j = 0; j < n; j++) {
        sum += fabs(computed[j] - exact[j]);
        strongest = fmax(strongest, exact[j]);
        best = computed[j] > computed[best] ? j : best;
    }
    sum = (sum / 2 + ATTEST_TERM(attended_off, off)) * (1 + 0x1p-30) +
          ATTEST_TERM(attended_quotients, (double)(n + 4) * 0x1p-52);
    if (!isfinite(sum)) /* a weight that is not finite, or no bound */
        return;
    a->rows++;
    a->mean += sum;
    a->max = fmax(a->max, sum);
    a->changed += exact[best] + ATTEST_TERM(attended_changed, 4 * off) < strongest;
}

attest_status attest_audit_attended_get(attest_audit_attended *attended,
                                        const attest_audit_weights *exact,
                                        const attest_simulated_arithmetic *arithmetic,
                                        attest_error *error)
{
    attest_audit_request request = exact->request;
    size_t count = exact->rows * exact->longest;
    ATTEST_SHARED(double, computed, count);
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    *attended = (attest_audit_attended){0};
    if (!computed)
        return attest_memory_fail(error);
    request.attended = computed;
    ATTEST_TRY(attest_audit_evaluate(&outputs, &request, arithmetic, error));
    for (size_t r = 0; r < exact->rows; r++)
        attest_audit_attended_add(attended, computed + r * exact->longest,
                                  exact->weight + r * exact->longest, exact->variation[r],
                                  exact->longest);
    if (attended->rows > 0)
        attended->mean /= (double)attended->rows;
    return ATTEST_OK;
}
