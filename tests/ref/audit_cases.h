/* audit_cases.h -- random datasets and layers for tests of src/audit. */
#ifndef ATTEST_TESTS_REF_AUDIT_CASES_H
#define ATTEST_TESTS_REF_AUDIT_CASES_H

#include <stdlib.h>

#include <attest/dataset.h>

#include "tests/ref/cases.h"
#include "tests/tap.h"

/* A dataset of sequences of 1 to length tokens out of a small vocabulary, and a layer. */
typedef struct audit_case {
    attest_dataset dataset;
    ref_case layer; /* its sequence is not used */
} audit_case;

static inline void audit_case_init(audit_case *test, const ref_shape *shape, size_t sequences,
                                   size_t vocabulary, uint64_t *state)
{
    fmpq *entry = _fmpq_vec_init((slong)(vocabulary * shape->dim));
    attest_dataset_builder builder;
    bool ok = true;

    ref_case_init(&test->layer, shape, state);
    for (size_t i = 0; i < vocabulary * shape->dim; i++) {
        ref_random_integer(fmpq_numref(entry + i), shape->bits, state);
        fmpz_set_ui(fmpq_denref(entry + i), 1 + tap_random(state) % shape->denominator);
        fmpq_canonicalise(entry + i);
    }
    attest_dataset_init(&test->dataset);
    attest_dataset_builder_init(&builder, shape->dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < sequences; i++) {
        size_t length = 1 + tap_random(state) % shape->length;
        for (size_t k = 0; k < length; k++)
            ok = ok && attest_dataset_builder_add_token(
                           &builder, entry + tap_random(state) % vocabulary * shape->dim,
                           NULL) == ATTEST_OK;
        ok = ok && attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_finish(&test->dataset, &builder, NULL) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(entry, (slong)(vocabulary * shape->dim));
    if (!ok)
        abort();
}

static inline void audit_case_clear(audit_case *test)
{
    attest_dataset_clear(&test->dataset);
    ref_case_clear(&test->layer);
}

#endif
