/* certificate.c -- making and writing certificates. */
#include <attest/certificate.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/version.h>

#include "base/memory.h"
#include "io/certificate_json.h"
#include "io/json_file.h"

void attest_certificate_init(attest_certificate *certificate)
{
    memset(certificate, 0, sizeof *certificate);
    certificate->verdict = ATTEST_UNDECIDED;
    fmpq_init(certificate->r);
    fmpq_init(certificate->delta);
    arb_init(certificate->min_separation);
    arb_init(certificate->max_norm);
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
}

attest_status attest_certificate_set(attest_certificate *certificate, const attest_claim *claim,
                                     const attest_finding *finding, attest_error *error)
{
    certificate->method = attest_memory_copy(finding->method ? finding->method : claim->method);
    if (!certificate->method)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
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
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    return ATTEST_OK;
}

attest_status attest_certificate_add_open_dataset(attest_certificate *certificate,
                                                  attest_input *input, const char *tensor,
                                                  bool homogeneous, attest_error *error)
{
    attest_certificate_input *added = &certificate->input[certificate->inputs];
    attest_status status =
        attest_certificate_add_open_input(certificate, "dataset", input, error);

    added->homogeneous = homogeneous;
    if (status == ATTEST_OK && tensor && !(added->tensor = attest_memory_copy(tensor)))
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    return status;
}

attest_status attest_certificate_add_input(attest_certificate *certificate, const char *role,
                                           const char *path, attest_error *error)
{
    attest_input input;
    attest_status status = attest_input_open(&input, path, SIZE_MAX, error);

    if (status == ATTEST_OK)
        status = attest_certificate_add_open_input(certificate, role, &input, error);
    attest_input_close(&input);
    return status;
}

attest_status attest_certificate_add_dataset(attest_certificate *certificate, const char *path,
                                             const char *tensor, bool homogeneous,
                                             attest_error *error)
{
    attest_input input;
    attest_status status = attest_input_open(&input, path, SIZE_MAX, error);

    if (status == ATTEST_OK)
        status = attest_certificate_add_open_dataset(certificate, &input, tensor, homogeneous,
                                                     error);
    attest_input_close(&input);
    return status;
}

static void write_place(attest_json *json, const char *key, attest_place place)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

void attest_certificate_write_members(attest_json *json, const attest_certificate *certificate)
{
    attest_json_write_string(json, "claim", "contextual-mapping");
    attest_json_write_string(json, "verdict", attest_verdict_name(certificate->verdict));
    attest_json_write_string(json, "method", certificate->method);
    attest_json_write_integer(json, "precision_bits", certificate->precision_bits);
    if (certificate->has_r)
        attest_json_write_rational(json, "r", certificate->r);
    else
        attest_json_write_null(json, "r");
    attest_json_write_rational(json, "delta", certificate->delta);
    if (certificate->has_pair && arb_is_finite(certificate->min_separation)) {
        attest_json_write_ball(json, "min_separation", certificate->min_separation);
        attest_json_write_array(json, "pair");
        write_place(json, NULL, certificate->pair[0]);
        write_place(json, NULL, certificate->pair[1]);
        attest_json_write_close(json);
    } else {
        attest_json_write_null(json, "min_separation");
        attest_json_write_null(json, "pair");
    }
    attest_json_write_ball(json, "max_norm", certificate->max_norm);
    if (arb_is_finite(certificate->max_norm))
        write_place(json, "max_norm_at", certificate->largest);
    else
        attest_json_write_null(json, "max_norm_at");
}

void attest_certificate_write_json(attest_json *json, const char *key,
                                   const attest_certificate *certificate)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "format", "attest/certificate");
    attest_json_write_integer(json, "version", 1);
    attest_certificate_write_members(json, certificate);
    attest_json_write_array(json, "inputs");
    for (size_t i = 0; i < certificate->inputs; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "role", certificate->input[i].role);
        attest_json_write_string(json, "path", certificate->input[i].path);
        attest_json_write_string(json, "sha256", certificate->input[i].sha256);
        if (certificate->input[i].has_size)
            attest_json_write_count(json, "size", certificate->input[i].size);
        if (certificate->input[i].tensor)
            attest_json_write_string(json, "tensor", certificate->input[i].tensor);
        if (certificate->input[i].homogeneous)
            attest_json_write_bool(json, "homogeneous", true);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_object(json, "versions");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_string(json, "flint", FLINT_VERSION);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

attest_status attest_certificate_write(const attest_certificate *certificate, const char *path,
                                       attest_error *error)
{
    attest_json_file file;
    attest_status status = attest_json_file_open(&file, path, error);

    if (status != ATTEST_OK)
        return status;
    attest_certificate_write_json(&file.json, NULL, certificate);
    return attest_json_file_commit(&file, error);
}
