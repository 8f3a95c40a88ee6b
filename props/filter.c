/* filter.c -- verdicts from doubles with error bounds are those of arithmetic without any. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/filter.h>
#include <attest/number.h>

#include "base/memory.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "number/double.h"
#include "props/arithmetic.h"
#include "props/properties.h"

static const attest_setting doubles = {.number = ATTEST_ARITHMETIC_DOUBLE};

static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    attest_status status = attest_contextual_arithmetic_gen(instance, t, &doubles);

    (void)setting;
    if (status == ATTEST_OK) {
        attest_gen_activation(&instance->weights, t);
        attest_gen_ties_and_mask(&instance->weights, t);
    }
    return status;
}

/* The instance as the filter takes it. */
typedef struct copy {
    attest_filter_shape shape;
    attest_filter_instance small;
    double *token, *weight;
    size_t *length;
} copy;

static void copy_clear(copy *c)
{
    free(c->token);
    free(c->weight);
    free(c->length);
}

/* x = value; false where it is no double. */
static bool set_double(double *x, const fmpq_t value)
{
    fmpq_t back;
    bool same;

    fmpq_init(back);
    *x = attest_double_get_fraction(fmpq_numref(value), fmpq_denref(value));
    if (isfinite(*x))
        attest_number_set_double(back, *x);
    same = isfinite(*x) && fmpq_equal(back, value);
    fmpq_clear(back);
    return same;
}

/* Rows and columns that a matrix lacks are zero, as they were allocated: the layer is the same.
 */
static bool set_matrix(double *x, const attest_matrix *matrix, size_t cols)
{
    fmpq_t value;
    bool ok = true;

    fmpq_init(value);
    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++) {
            attest_matrix_get_entry(value, matrix, r, c);
            ok = ok && set_double(x + r * cols + c, value);
        }
    fmpq_clear(value);
    return ok;
}

static bool set_weights(copy *c, const attest_weights *weights)
{
    size_t d = c->shape.dim, each = c->shape.size * d;
    bool ok = true;

    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        double *x = c->weight + 4 * each * h;
        ok = ok && set_matrix(x, &head->wq, d) && set_matrix(x + each, &head->wk, d) &&
             set_matrix(x + 2 * each, &head->wv, d) &&
             set_matrix(x + 3 * each, &head->wo, c->shape.size);
    }
    return ok;
}

static bool set_tokens(copy *c, const attest_dataset *dataset)
{
    bool ok = true;
    fmpq_t value;

    fmpq_init(value);
    for (size_t i = 0; i < dataset->count; i++)
        c->length[i] = attest_dataset_length(dataset, i);
    for (size_t k = 0; k < dataset->total; k++)
        for (size_t e = 0; e < dataset->dim; e++) {
            attest_tokens_get_entry(value, &dataset->tokens, dataset->token[k], e);
            ok = ok && set_double(c->token + k * dataset->dim + e, value);
        }
    fmpq_clear(value);
    return ok;
}

/* *fits is false where a number is no double. */
static attest_status copy_init(copy *c, bool *fits, const attest_instance *instance)
{
    const attest_dataset *dataset = &instance->dataset;
    const attest_weights *weights = &instance->weights;
    size_t size = 1;

    for (size_t h = 0; h < weights->heads; h++)
        size = weights->head[h].wq.rows > size ? weights->head[h].wq.rows : size;
    *c = (copy){.shape = {weights->activation, weights->ties, weights->mask, weights->skip,
                          weights->dim, weights->heads, size}};
    c->token = attest_memory_alloc(dataset->total * dataset->dim, sizeof *c->token);
    c->weight =
        attest_memory_alloc(4 * weights->heads * size * weights->dim, sizeof *c->weight);
    c->length = attest_memory_alloc(dataset->count, sizeof *c->length);
    if (!c->token || !c->weight || !c->length)
        return ATTEST_NOMEM;
    c->small = (attest_filter_instance){dataset->count, c->length, c->token, c->weight};
    *fits = set_tokens(c, dataset) && set_weights(c, weights);
    return ATTEST_OK;
}

/* Asks both about the claim of the filter; finding is that of exact arithmetic or balls. */
static attest_status ask(attest_trial *trial, attest_finding *finding, attest_filter *filter,
                         const attest_instance *instance, const copy *c, attest_error *error)
{
    bool hardmax = c->shape.activation == ATTEST_HARDMAX;
    attest_claim claim = filter->claim;
    attest_filter_answer answer;
    attest_status status = attest_filter_check(&answer, filter, &c->small, 1, error);

    claim.dataset = &instance->dataset;
    claim.weights = &instance->weights;
    claim.method = hardmax ? "exact" : "ball";
    if (status == ATTEST_OK)
        status = attest_certify(finding, &claim, error);
    if (status != ATTEST_OK)
        return status;
    if (strcmp(answer.method, "filter") == 0)
        attest_trial_label(trial, "decided by doubles");
    if (finding->verdict == answer.verdict)
        return ATTEST_OK;
    if (finding->verdict == ATTEST_UNDECIDED)
        attest_trial_open(trial, "%s", finding->reason);
    else
        attest_trial_violated(trial, "contextual-mapping", "%s says %s, but it is %s",
                              answer.method, attest_verdict_name(answer.verdict),
                              attest_verdict_name(finding->verdict));
    return ATTEST_OK;
}

/* delta = 0, and a delta that no double tells from the least separation. */
static attest_status compare(attest_trial *trial, const attest_instance *instance,
                             const copy *c, attest_error *error)
{
    attest_finding finding;
    attest_filter filter;
    attest_status status = attest_filter_init(&filter, &c->shape, error);

    attest_finding_init(&finding);
    if (status == ATTEST_OK)
        status = ask(trial, &finding, &filter, instance, c, error);
    if (status == ATTEST_OK && trial->outcome == ATTEST_HELD && finding.has_pair &&
        arb_is_positive(finding.min_separation)) {
        arf_get_fmpq(filter.claim.delta, arb_midref(finding.min_separation));
        attest_finding_clear(&finding);
        attest_finding_init(&finding);
        status = ask(trial, &finding, &filter, instance, c, error);
    }
    attest_finding_clear(&finding);
    attest_filter_clear(&filter);
    return status;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    attest_status status;
    bool fits = false;
    copy c;

    (void)setting;
    trial->outcome = ATTEST_DISCARDED;
    if (!attest_instance_fits(instance))
        return ATTEST_OK;
    status = copy_init(&c, &fits, instance);
    if (status == ATTEST_OK && fits) {
        trial->outcome = ATTEST_HELD;
        status = compare(trial, instance, &c, error);
        attest_trial_label_weights(trial, &instance->weights);
        attest_trial_label_dataset(trial, &instance->dataset);
    }
    copy_clear(&c);
    return status;
}

const attest_property attest_property_filter = {
    .name = "filter",
    .title = "verdicts from doubles with error bounds are those of arithmetic without any",
    .statement = "contextual",
    .gen = gen,
    .decide = decide,
    .trials = 2000,
};
