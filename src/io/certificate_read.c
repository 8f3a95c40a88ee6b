/* certificate_read.c -- reading certificates. */
#include <attest/certificate.h>

#include <string.h>

#include "io/certificate_ball.h"
#include "io/certificate_json.h"
#include "io/json_take.h"

static void read_place(attest_place *place, const attest_json_cursor *cursor)
{
    static const char negative[] = "an index must not be negative";
    attest_json_cursor element[2];

    if (!attest_json_take_tuple(element, cursor, 2, "of the form [i, k]"))
        return;
    place->sequence = attest_json_take_count(&element[0], NULL, negative);
    place->position = attest_json_take_count(&element[1], NULL, negative);
}

static void read_pair(attest_place place[2], const attest_json_cursor *object, const char *key)
{
    attest_json_cursor pair = attest_json_take(object, key), element[2];

    if (!attest_json_take_tuple(element, &pair, 2, "of the form [[i,k],[j,l]]"))
        return;
    read_place(&place[0], &element[0]);
    read_place(&place[1], &element[1]);
}

static void read_input(attest_certificate *certificate, const attest_json_cursor *object)
{
    attest_certificate_input *input = &certificate->input[certificate->inputs++];
    attest_json_cursor hash;
    const char *digits;

    input->role = attest_json_take_copy(object, "role");
    input->path = attest_json_take_copy(object, "path");
    hash = attest_json_take(object, "sha256");
    digits = attest_json_take_string(&hash, NULL);
    if (strlen(digits) == 64 && strspn(digits, "0123456789abcdef") == 64)
        memcpy(input->sha256, digits, sizeof input->sha256);
    else
        attest_json_refuse(&hash, "not 64 lower-case hexadecimal digits");
    input->has_size = attest_json_has(object, "size");
    if (input->has_size)
        input->size = attest_json_take_count(object, "size", "is negative");
    input->tensor = attest_json_take_optional(object, "tensor");
    if (attest_json_has(object, "homogeneous"))
        input->homogeneous = attest_json_take_bool(object, "homogeneous");
    if ((input->tensor || input->homogeneous) && strcmp(input->role, "dataset") != 0)
        attest_json_refuse(object, "only a dataset is one tensor, or homogeneous");
}

static void read_claim(attest_certificate *certificate, const attest_json_cursor *root)
{
    static const char *const claims[] = {"contextual-mapping"};
    const char *const verdicts[] = {attest_verdict_name(ATTEST_PROVED),
                                    attest_verdict_name(ATTEST_REFUTED),
                                    attest_verdict_name(ATTEST_UNDECIDED)};

    (void)attest_json_take_choice(root, "claim", claims, 1);
    certificate->verdict =
        (attest_verdict)attest_json_take_choice(root, "verdict", verdicts, 3);
    certificate->method = attest_json_take_copy(root, "method");
    attest_json_take_rational(certificate->delta, root, "delta");
    certificate->has_r = attest_json_has(root, "r");
    if (certificate->has_r)
        attest_json_take_rational(certificate->r, root, "r");
    if (fmpq_sgn(certificate->delta) < 0 || fmpq_sgn(certificate->r) < 0)
        attest_json_refuse(root, "a bound must not be negative");
    if (attest_json_has(root, "precision_bits"))
        certificate->precision_bits = (long)attest_json_take_integer(root, "precision_bits");
}

/* The pair and its enclosure are both there, or neither. An undecided certificate may leave out
 * the largest norm and its place. */
static void read_extremes(attest_certificate *certificate, const attest_json_cursor *root)
{
    attest_json_cursor lone;

    certificate->has_pair = attest_json_has(root, "pair");
    if (certificate->has_pair) {
        read_pair(certificate->pair, root, "pair");
        attest_certificate_read_ball(certificate->min_separation, &certificate->untrue, root,
                                     "min_separation");
    } else if (attest_json_find_member(&lone, root, "min_separation")) {
        attest_json_refuse(&lone, "there is no pair");
    }
    if (certificate->verdict == ATTEST_UNDECIDED && !attest_json_has(root, "max_norm") &&
        !attest_json_has(root, "max_norm_at")) {
        arb_indeterminate(certificate->max_norm);
        return;
    }
    attest_certificate_read_ball(certificate->max_norm, &certificate->untrue, root, "max_norm");
    lone = attest_json_take(root, "max_norm_at");
    read_place(&certificate->largest, &lone);
}

static void read_witness(attest_certificate *certificate, const attest_json_cursor *root)
{
    static const char *const lemmas[] = {"first-difference"};
    attest_certificate_witness *witness = &certificate->witness;
    attest_json_cursor object, member;
    int64_t order;

    witness->present = attest_json_has(root, "witness");
    if (!witness->present)
        return;
    object = attest_json_take(root, "witness");
    (void)attest_json_take_choice(&object, "lemma", lemmas, 1);
    member = attest_json_take(&object, "order");
    order = attest_json_take_integer(&member, NULL);
    if (order != 1 && order != -1)
        attest_json_refuse(&member, "neither 1 nor -1");
    witness->order = (int)order;
    read_pair(witness->neighbours, &object, "neighbours");
    witness->common =
        attest_json_take_count(&object, "common", "an index must not be negative");
    attest_json_take_rational(witness->gap, &object, "gap");
    attest_certificate_read_ball(witness->bound, &certificate->untrue, &object, "bound");
}

/* value, a certificate, = what the object says; empty on failure. */
static void set(void *value, const attest_json_cursor *root)
{
    attest_certificate *certificate = value;
    attest_json_cursor inputs, element[2];

    attest_certificate_clear(certificate);
    attest_certificate_init(certificate);
    attest_json_take_format(root, "attest/certificate");
    read_claim(certificate, root);
    read_extremes(certificate, root);
    read_witness(certificate, root);
    inputs = attest_json_take(root, "inputs");
    if (attest_json_take_tuple(element, &inputs, 2, "two inputs, a dataset and weights")) {
        read_input(certificate, &element[0]);
        read_input(certificate, &element[1]);
    }
    if (attest_json_failed(root)) {
        attest_certificate_clear(certificate);
        attest_certificate_init(certificate);
    }
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
