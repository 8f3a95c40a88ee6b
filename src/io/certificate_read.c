/* certificate_read.c -- reading certificates. */
#include <attest/certificate.h>

#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "io/certificate_ball.h"
#include "io/certificate_json.h"
#include "io/json_member.h"

static attest_status read_count(size_t *value, const attest_json_cursor *cursor,
                                attest_error *error)
{
    int64_t integer;
    attest_status status = attest_json_get_integer(&integer, cursor, error);

    if (status != ATTEST_OK)
        return status;
    if (integer < 0)
        return attest_json_fail(cursor, error, ATTEST_FORMAT, "an index must not be negative");
    *value = (size_t)integer;
    return ATTEST_OK;
}

static attest_status read_place(attest_place *place, const attest_json_cursor *cursor,
                                attest_error *error)
{
    size_t length;
    attest_status status = attest_json_get_length(&length, cursor, error);

    if (status == ATTEST_OK && length != 2)
        status = attest_json_fail(cursor, error, ATTEST_FORMAT, "not of the form [i, k]");
    for (size_t e = 0; e < 2 && status == ATTEST_OK; e++) {
        attest_json_cursor element = attest_json_get_element(cursor, e);
        status = read_count(e ? &place->position : &place->sequence, &element, error);
    }
    return status;
}

static attest_status read_pair(attest_place place[2], const attest_json_cursor *pair,
                               attest_error *error)
{
    size_t length;
    attest_status status = attest_json_get_length(&length, pair, error);

    if (status == ATTEST_OK && length != 2)
        status = attest_json_fail(pair, error, ATTEST_FORMAT, "not of the form [[i,k],[j,l]]");
    for (size_t side = 0; side < 2 && status == ATTEST_OK; side++) {
        attest_json_cursor element = attest_json_get_element(pair, side);
        status = read_place(&place[side], &element, error);
    }
    return status;
}

static attest_status copy_string(char **copy, const attest_json_cursor *object, const char *key,
                                 attest_error *error)
{
    attest_json_cursor member;
    const char *text;
    attest_status status = attest_json_get_member(&member, object, key, error);

    if (status == ATTEST_OK)
        status = attest_json_get_string(&text, &member, error);
    if (status != ATTEST_OK)
        return status;
    *copy = attest_memory_copy(text);
    return *copy ? ATTEST_OK : attest_memory_fail(error);
}

static attest_status read_size(attest_certificate_input *input,
                               const attest_json_cursor *member, attest_error *error)
{
    int64_t size = 0;
    attest_status status = attest_json_get_integer(&size, member, error);

    if (status == ATTEST_OK && size < 0)
        return attest_json_fail(member, error, ATTEST_FORMAT, "is negative");
    input->has_size = true;
    input->size = (size_t)size;
    return status;
}

static attest_status read_input(attest_certificate *certificate,
                                const attest_json_cursor *object, attest_error *error)
{
    attest_certificate_input *input = &certificate->input[certificate->inputs++];
    attest_json_cursor member;
    const char *hash;
    attest_status status = copy_string(&input->role, object, "role", error);

    if (status == ATTEST_OK)
        status = copy_string(&input->path, object, "path", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&member, object, "sha256", error);
    if (status == ATTEST_OK)
        status = attest_json_get_string(&hash, &member, error);
    if (status == ATTEST_OK && (strlen(hash) != 64 || strspn(hash, "0123456789abcdef") != 64))
        status = attest_json_fail(&member, error, ATTEST_FORMAT,
                                  "not 64 lower-case hexadecimal digits");
    if (status == ATTEST_OK)
        memcpy(input->sha256, hash, sizeof input->sha256);
    if (status == ATTEST_OK && attest_json_find_member(&member, object, "size"))
        status = read_size(input, &member, error);
    if (status == ATTEST_OK && attest_json_find_member(&member, object, "tensor"))
        status = copy_string(&input->tensor, object, "tensor", error);
    if (status == ATTEST_OK && attest_json_find_member(&member, object, "homogeneous"))
        status = attest_json_get_bool(&input->homogeneous, &member, error);
    if (status == ATTEST_OK && strcmp(input->role, "dataset") != 0 &&
        (input->tensor || input->homogeneous))
        status = attest_json_fail(object, error, ATTEST_FORMAT,
                                  "only a dataset is one tensor, or homogeneous");
    return status;
}

static attest_status read_inputs(attest_certificate *certificate,
                                 const attest_json_cursor *root, attest_error *error)
{
    attest_json_cursor inputs;
    size_t length;
    attest_status status = attest_json_get_member(&inputs, root, "inputs", error);

    if (status == ATTEST_OK)
        status = attest_json_get_length(&length, &inputs, error);
    if (status == ATTEST_OK && length != 2)
        status = attest_json_fail(&inputs, error, ATTEST_FORMAT,
                                  "not two inputs, a dataset and weights");
    for (size_t i = 0; i < 2 && status == ATTEST_OK; i++) {
        attest_json_cursor element = attest_json_get_element(&inputs, i);
        status = read_input(certificate, &element, error);
    }
    return status;
}

static attest_status read_verdict(attest_certificate *certificate,
                                  const attest_json_cursor *root, attest_error *error)
{
    static const char *const claims[] = {"contextual-mapping"};
    const char *const verdicts[] = {attest_verdict_name(ATTEST_PROVED),
                                    attest_verdict_name(ATTEST_REFUTED),
                                    attest_verdict_name(ATTEST_UNDECIDED)};
    attest_json_cursor member;
    int choice = 0;
    attest_status status = attest_json_get_member(&member, root, "claim", error);

    if (status == ATTEST_OK)
        status = attest_json_get_choice(&choice, &member, claims, 1, error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&member, root, "verdict", error);
    if (status == ATTEST_OK)
        status = attest_json_get_choice(&choice, &member, verdicts, 3, error);
    certificate->verdict = (attest_verdict)choice;
    return status;
}

static attest_status read_bounds(attest_certificate *certificate,
                                 const attest_json_cursor *root, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, root, "delta", error);

    if (status == ATTEST_OK)
        status = attest_json_get_rational(certificate->delta, &member, error);
    certificate->has_r = attest_json_find_member(&member, root, "r");
    if (status == ATTEST_OK && certificate->has_r)
        status = attest_json_get_rational(certificate->r, &member, error);
    if (status == ATTEST_OK &&
        (fmpq_sgn(certificate->delta) < 0 || fmpq_sgn(certificate->r) < 0))
        status = attest_json_fail(root, error, ATTEST_FORMAT, "a bound must not be negative");
    return status;
}

/* The pair and its enclosure stand and fall together: neither says anything alone. */
static attest_status read_separation(attest_certificate *certificate,
                                     const attest_json_cursor *root, attest_error *error)
{
    attest_json_cursor member;
    attest_status status;

    certificate->has_pair = attest_json_find_member(&member, root, "pair");
    if (!certificate->has_pair)
        return attest_json_find_member(&member, root, "min_separation")
                   ? attest_json_fail(&member, error, ATTEST_FORMAT, "there is no pair")
                   : ATTEST_OK;
    status = read_pair(certificate->pair, &member, error);
    if (status == ATTEST_OK)
        status = attest_certificate_read_ball(certificate->min_separation, &certificate->untrue,
                                              root, "min_separation", error);
    return status;
}

/* The largest norm and its place; an undecided certificate may leave out both. */
static attest_status read_norm(attest_certificate *certificate, const attest_json_cursor *root,
                               attest_error *error)
{
    attest_json_cursor member;
    attest_status status;

    if (certificate->verdict == ATTEST_UNDECIDED &&
        !attest_json_find_member(&member, root, "max_norm") &&
        !attest_json_find_member(&member, root, "max_norm_at")) {
        arb_indeterminate(certificate->max_norm);
        return ATTEST_OK;
    }
    status = attest_certificate_read_ball(certificate->max_norm, &certificate->untrue, root,
                                          "max_norm", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&member, root, "max_norm_at", error);
    if (status == ATTEST_OK)
        status = read_place(&certificate->largest, &member, error);
    return status;
}

static attest_status read_order(attest_certificate_witness *witness,
                                const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor member;
    int64_t order = 0;
    attest_status status = attest_json_get_member(&member, object, "order", error);

    if (status == ATTEST_OK)
        status = attest_json_get_integer(&order, &member, error);
    if (status == ATTEST_OK && order != 1 && order != -1)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "neither 1 nor -1");
    witness->order = (int)order;
    return status;
}

/* The witness, if there is one. */
static attest_status read_witness(attest_certificate *certificate,
                                  const attest_json_cursor *root, attest_error *error)
{
    static const char *const lemmas[] = {"first-difference"};
    attest_certificate_witness *witness = &certificate->witness;
    attest_json_cursor object, member;
    attest_status status;
    int choice;

    witness->present = attest_json_find_member(&object, root, "witness");
    if (!witness->present)
        return ATTEST_OK;
    status = attest_json_get_member(&member, &object, "lemma", error);
    if (status == ATTEST_OK)
        status = attest_json_get_choice(&choice, &member, lemmas, 1, error);
    if (status == ATTEST_OK)
        status = read_order(witness, &object, error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&member, &object, "neighbours", error);
    if (status == ATTEST_OK)
        status = read_pair(witness->neighbours, &member, error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&member, &object, "common", error);
    if (status == ATTEST_OK)
        status = read_count(&witness->common, &member, error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&member, &object, "gap", error);
    if (status == ATTEST_OK)
        status = attest_json_get_rational(witness->gap, &member, error);
    if (status == ATTEST_OK)
        status = attest_certificate_read_ball(witness->bound, &certificate->untrue, &object,
                                              "bound", error);
    return status;
}

static attest_status read_members(attest_certificate *certificate,
                                  const attest_json_cursor *root, attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_check_format(root, "attest/certificate", error);

    if (status == ATTEST_OK)
        status = read_verdict(certificate, root, error);
    if (status == ATTEST_OK)
        status = copy_string(&certificate->method, root, "method", error);
    if (status == ATTEST_OK)
        status = read_bounds(certificate, root, error);
    if (status == ATTEST_OK && attest_json_find_member(&member, root, "precision_bits")) {
        int64_t bits;
        status = attest_json_get_integer(&bits, &member, error);
        certificate->precision_bits = status == ATTEST_OK ? (long)bits : 0;
    }
    if (status == ATTEST_OK)
        status = read_separation(certificate, root, error);
    if (status == ATTEST_OK)
        status = read_norm(certificate, root, error);
    if (status == ATTEST_OK)
        status = read_witness(certificate, root, error);
    if (status == ATTEST_OK)
        status = read_inputs(certificate, root, error);
    return status;
}

/* value, a certificate, = what the object says; empty on failure. */
static attest_status set(void *value, const attest_json_cursor *object, attest_error *error)
{
    attest_certificate *certificate = value;
    attest_status status;

    attest_certificate_clear(certificate);
    attest_certificate_init(certificate);
    status = read_members(certificate, object, error);
    if (status == ATTEST_OK)
        return ATTEST_OK;
    attest_certificate_clear(certificate);
    attest_certificate_init(certificate);
    return status;
}

attest_status attest_certificate_parse_json(attest_certificate *certificate, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error)
{
    return attest_json_parse_value(certificate, set, text, size, budget, error);
}

attest_status attest_certificate_read(attest_certificate *certificate, const char *path,
                                      attest_budget *budget, attest_error *error)
{
    return attest_json_read_value(certificate, set, path, budget, error);
}
