/* certificate.c -- certificates in memory. */
#include <attest/certificate.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"

void attest_certificate_witness_init(attest_certificate_witness *witness)
{
    memset(witness, 0, sizeof *witness);
    fmpq_init(witness->gap);
    arb_init(witness->bound);
}

void attest_certificate_witness_clear(attest_certificate_witness *witness)
{
    fmpq_clear(witness->gap);
    arb_clear(witness->bound);
}

static void copy_witness(attest_certificate_witness *copy,
                         const attest_certificate_witness *witness)
{
    copy->present = witness->present;
    memcpy(copy->neighbours, witness->neighbours, sizeof copy->neighbours);
    copy->order = witness->order;
    copy->common = witness->common;
    fmpq_set(copy->gap, witness->gap);
    arb_set(copy->bound, witness->bound);
}

void attest_certificate_init(attest_certificate *certificate)
{
    memset(certificate, 0, sizeof *certificate);
    certificate->verdict = ATTEST_UNDECIDED;
    fmpq_init(certificate->r);
    fmpq_init(certificate->delta);
    arb_init(certificate->min_separation);
    arb_init(certificate->max_norm);
    attest_certificate_witness_init(&certificate->witness);
}

void attest_certificate_clear(attest_certificate *certificate)
{
    free(certificate->method);
    for (size_t i = 0; i < certificate->inputs; i++) {
        free(certificate->input[i].role);
        free(certificate->input[i].path);
        free(certificate->input[i].tensor);
    }
    fmpq_clear(certificate->r);
    fmpq_clear(certificate->delta);
    arb_clear(certificate->min_separation);
    arb_clear(certificate->max_norm);
    attest_certificate_witness_clear(&certificate->witness);
}

attest_status attest_certificate_set(attest_certificate *certificate, const attest_claim *claim,
                                     const attest_finding *finding, attest_error *error)
{
    certificate->method = attest_memory_copy(finding->method ? finding->method : claim->method);
    if (!certificate->method)
        return attest_memory_fail(error);
    certificate->verdict = finding->verdict;
    certificate->precision_bits = finding->precision_bits;
    certificate->has_r = claim->has_r;
    fmpq_set(certificate->r, claim->r);
    fmpq_set(certificate->delta, claim->delta);
    certificate->has_pair = finding->has_pair;
    memcpy(certificate->pair, finding->pair, sizeof finding->pair);
    arb_set(certificate->min_separation, finding->min_separation);
    arb_set(certificate->max_norm, finding->max_norm);
    certificate->largest = finding->largest;
    copy_witness(&certificate->witness, &finding->witness);
    return ATTEST_OK;
}

attest_status attest_certificate_add_open_input(attest_certificate *certificate,
                                                const char *role, attest_input *input,
                                                attest_error *error)
{
    attest_certificate_input *added = &certificate->input[certificate->inputs++];

    memcpy(added->sha256, attest_input_sha256(input), sizeof added->sha256);
    added->has_size = true;
    added->size = input->size;
    added->role = attest_memory_copy(role);
    added->path = attest_memory_copy(input->path);
    if (!added->role || !added->path)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

attest_status attest_certificate_add_open_dataset(attest_certificate *certificate,
                                                  attest_input *input, const char *tensor,
                                                  bool homogeneous, attest_error *error)
{
    attest_certificate_input *added = &certificate->input[certificate->inputs];

    ATTEST_TRY(attest_certificate_add_open_input(certificate, "dataset", input, error));
    added->homogeneous = homogeneous;
    if (tensor && !(added->tensor = attest_memory_copy(tensor)))
        return attest_memory_fail(error);
    return ATTEST_OK;
}

attest_status attest_certificate_add_input(attest_certificate *certificate, const char *role,
                                           const char *path, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    ATTEST_TRY(attest_input_open_file(&input, path, SIZE_MAX, error));
    return attest_certificate_add_open_input(certificate, role, &input, error);
}

attest_status attest_certificate_add_dataset(attest_certificate *certificate, const char *path,
                                             const char *tensor, bool homogeneous,
                                             attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    ATTEST_TRY(attest_input_open_file(&input, path, SIZE_MAX, error));
    return attest_certificate_add_open_dataset(certificate, &input, tensor, homogeneous, error);
}
