/* filter_escalate.c -- an instance of doubles that doubles cannot decide, put to certify. */
#include <attest/number.h>

#include "base/memory.h"
#include "certify/filter_batch.h"
#include "number/scope.h"

/* matrix = rows * cols doubles, exactly, over one denominator. */
static void set_matrix(attest_matrix *matrix, const double *entry, size_t rows, size_t cols)
{
    slong count = (slong)(rows * cols);
    FMPQ_VEC(value, count);

    attest_matrix_resize(matrix, rows, cols);
    for (slong e = 0; e < count; e++) {
        attest_number_set_double(value + e, entry[e]);
        if (fmpz_cmp(fmpq_denref(value + e), matrix->denominator) > 0) /* powers of two */
            fmpz_set(matrix->denominator, fmpq_denref(value + e));
    }
    for (slong e = 0; e < count; e++) {
        fmpz_divexact(matrix->entry + e, matrix->denominator, fmpq_denref(value + e));
        fmpz_mul(matrix->entry + e, matrix->entry + e, fmpq_numref(value + e));
    }
}

static attest_status set_weights(attest_weights *weights, const attest_filter_shape *shape,
                                 const double *entry, attest_error *error)
{
    size_t each = shape->size * shape->dim;

    for (size_t e = 0; e < 4 * each * shape->heads; e++)
        if (!(entry[e] - entry[e] == 0))
            return attest_error_set(error, ATTEST_FORMAT, "weight %zu is not finite", e);
    if (attest_weights_resize(weights, shape->heads) != ATTEST_OK)
        return attest_memory_fail(error);
    weights->activation = shape->activation;
    weights->ties = shape->ties;
    weights->mask = shape->mask;
    weights->skip = shape->skip;
    weights->dim = shape->dim;
    for (size_t h = 0; h < shape->heads; h++, entry += 4 * each) {
        set_matrix(&weights->head[h].wq, entry, shape->size, shape->dim);
        set_matrix(&weights->head[h].wk, entry + each, shape->size, shape->dim);
        set_matrix(&weights->head[h].wv, entry + 2 * each, shape->size, shape->dim);
        set_matrix(&weights->head[h].wo, entry + 3 * each, shape->dim, shape->size);
    }
    return ATTEST_OK;
}

static attest_status set_dataset(attest_dataset *dataset,
                                 const attest_filter_instance *instance, size_t dim,
                                 attest_error *error)
{
    const double *token = instance->token;
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_REAL, NULL);

    for (size_t i = 0; i < instance->sequences; i++) {
        ATTEST_TRY(
            attest_dataset_builder_add_doubles(&builder, token, instance->length[i], error));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
        token += instance->length[i] * dim;
    }
    return attest_dataset_builder_finish(dataset, &builder, error);
}

static attest_status certify(attest_filter_answer *answer, const attest_claim *claim,
                             attest_error *error)
{
    attest_status status;
    bool norm;
    ATTEST_SCOPED(attest_finding, finding);

    status = attest_certify(&finding, claim, error);
    norm = finding.part == ATTEST_CLAIM_NORM;
    *answer = (attest_filter_answer){
        .verdict = finding.verdict,
        .part = finding.part,
        .place = {norm ? finding.largest : finding.pair[0], finding.pair[1]},
        .method = finding.method};
    return status;
}

attest_status attest_filter_escalate(attest_filter_answer *answer, const attest_filter *filter,
                                     const attest_filter_instance *instance,
                                     attest_error *error)
{
    attest_claim claim = filter->claim; /* shares r and delta */
    ATTEST_SCOPED(attest_dataset, dataset);
    ATTEST_SCOPED(attest_weights, weights);

    ATTEST_TRY(set_weights(&weights, &filter->shape, instance->weight, error));
    ATTEST_TRY(set_dataset(&dataset, instance, filter->shape.dim, error));
    claim.dataset = &dataset;
    claim.weights = &weights;
    /* Doubles have been tried. */
    claim.method = filter->shape.activation == ATTEST_HARDMAX ? "exact" : "ball";
    return certify(answer, &claim, error);
}
