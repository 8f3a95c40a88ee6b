/* certificate_write.c -- writing certificates. */
#include <attest/version.h>

#include "io/certificate_json.h"
#include "io/json_file.h"

static void write_place(attest_json *json, const char *key, attest_place place)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

static void write_witness(attest_json *json, const attest_certificate_witness *witness)
{
    attest_json_write_object(json, "witness");
    attest_json_write_string(json, "lemma", "first-difference");
    attest_json_write_integer(json, "order", witness->order);
    attest_json_write_array(json, "neighbours");
    write_place(json, NULL, witness->neighbours[0]);
    write_place(json, NULL, witness->neighbours[1]);
    attest_json_write_close(json);
    attest_json_write_count(json, "common", witness->common);
    attest_json_write_rational(json, "gap", witness->gap);
    attest_json_write_ball(json, "bound", witness->bound);
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
    if (certificate->witness.present)
        write_witness(json, &certificate->witness);
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
