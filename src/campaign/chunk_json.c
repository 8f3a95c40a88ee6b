/* chunk_json.c -- the result of a chunk as JSON, for pipes and journals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/chunk_result.h"
#include "io/json_member.h"

static const char *const death_kinds[] = {"memory", "timeout", "signal", "exit"};

enum { DEATH_KINDS = sizeof death_kinds / sizeof *death_kinds };

/* Doubles are written as "%a" does: exactly, and infinities and NaN, too. */
static void write_double(attest_json *json, const char *key, double value)
{
    char text[64];

    snprintf(text, sizeof text, "%a", value);
    attest_json_write_string(json, key, text);
}

static void write_seed(attest_json *json, const char *key, uint64_t seed)
{
    char text[32];

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)seed);
    attest_json_write_string(json, key, text);
}

static void write_lists(attest_json *json, const attest_chunk_result *result)
{
    attest_json_write_object(json, "labels");
    for (size_t l = 0; l < result->labels; l++)
        attest_json_write_count(json, result->label[l].name, result->label[l].count);
    attest_json_write_close(json);
    attest_json_write_array(json, "violations");
    for (size_t v = 0; v < result->violations; v++) {
        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "trial", result->violation[v].trial);
        write_double(json, "margin", result->violation[v].margin);
        attest_json_write_string(json, "reason", result->violation[v].reason);
        attest_json_write_string(json, "text", result->violation[v].text);
        if (result->violation[v].flaky)
            attest_json_write_bool(json, "flaky", true);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_array(json, "deaths");
    for (size_t d = 0; d < result->deaths; d++) {
        const attest_death *death = &result->death[d];

        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "kind", death_kinds[death->kind]);
        attest_json_write_integer(json, "detail", death->detail);
        attest_json_write_count(json, "trial", death->trial);
        write_seed(json, "seed", death->seed);
        attest_json_write_bool(json, "shrinking", death->shrinking);
        attest_json_write_count(json, "steps", death->steps);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_chunk_result_write(attest_json *json, const char *key,
                               const attest_chunk_result *result)
{
    attest_json_write_object(json, key);
    attest_json_write_count(json, "passed", result->passed);
    attest_json_write_count(json, "failed", result->failed);
    attest_json_write_count(json, "discarded", result->discarded);
    attest_json_write_count(json, "undecided", result->undecided);
    attest_json_write_count(json, "searched", result->searched);
    if (result->has_tightest) {
        write_double(json, "tightest", result->tightest);
        attest_json_write_string(json, "tightest_text", result->tightest_text);
    }
    if (result->open_reason)
        attest_json_write_string(json, "open_reason", result->open_reason);
    write_lists(json, result);
    if (result->observations)
        attest_json_write_string(json, "observations", result->observations);
    write_double(json, "seconds", result->seconds);
    attest_json_write_close(json);
}

static attest_status read_double(double *value, const attest_json_cursor *object,
                                 const char *key, attest_error *error)
{
    attest_json_cursor member;
    const char *text;
    char *end;

    ATTEST_TRY(attest_json_get_member(&member, object, key, error));
    ATTEST_TRY(attest_json_get_string(&text, &member, error));
    *value = strtod(text, &end);
    if (end == text || *end)
        return attest_json_fail(&member, error, ATTEST_FORMAT, "is not a number");
    return ATTEST_OK;
}

static attest_status read_violation(attest_chunk_result *result,
                                    const attest_json_cursor *object, attest_error *error)
{
    attest_violation violation = {0};
    attest_json_cursor flaky;
    attest_status status =
        attest_json_get_member_count(&violation.trial, object, "trial", error);

    if (status == ATTEST_OK)
        status = read_double(&violation.margin, object, "margin", error);
    if (status == ATTEST_OK)
        status = attest_json_copy_member(&violation.reason, object, "reason", error);
    if (status == ATTEST_OK && attest_json_find_member(&flaky, object, "flaky"))
        status = attest_json_get_bool(&violation.flaky, &flaky, error);
    if (status == ATTEST_OK)
        status = attest_json_copy_member(&violation.text, object, "text", error);
    if (status != ATTEST_OK) {
        free(violation.reason);
        free(violation.text);
        return status;
    }
    if (attest_chunk_result_add_violation(result, &violation) != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

static attest_status read_death(attest_chunk_result *result, const attest_json_cursor *object,
                                attest_error *error)
{
    attest_death death = {0};
    attest_json_cursor kind, detail;
    const char *seed;
    int64_t number;
    int choice;

    ATTEST_TRY(attest_json_get_member(&kind, object, "kind", error));
    ATTEST_TRY(attest_json_get_choice(&choice, &kind, death_kinds, DEATH_KINDS, error));
    ATTEST_TRY(attest_json_get_member(&detail, object, "detail", error));
    ATTEST_TRY(attest_json_get_integer(&number, &detail, error));
    ATTEST_TRY(attest_json_get_member_count(&death.trial, object, "trial", error));
    ATTEST_TRY(attest_json_get_member_count(&death.steps, object, "steps", error));
    ATTEST_TRY(attest_json_get_member_bool(&death.shrinking, object, "shrinking", error));
    ATTEST_TRY(attest_json_get_member_string(&seed, object, "seed", error));
    death.kind = (attest_death_kind)choice;
    death.detail = (int)number;
    death.seed = strtoull(seed, NULL, 0);
    if (attest_chunk_result_add_death(result, &death) != ATTEST_OK)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

static attest_status read_array(
    attest_chunk_result *result, const attest_json_cursor *object, const char *key,
    attest_status (*read)(attest_chunk_result *, const attest_json_cursor *, attest_error *),
    attest_error *error)
{
    attest_json_cursor array;
    size_t length;

    ATTEST_TRY(attest_json_get_member(&array, object, key, error));
    ATTEST_TRY(attest_json_get_length(&length, &array, error));
    for (size_t i = 0; i < length; i++) {
        attest_json_cursor element = attest_json_get_element(&array, i);

        ATTEST_TRY(read(result, &element, error));
    }
    return ATTEST_OK;
}

static attest_status read_labels(attest_chunk_result *result, const attest_json_cursor *object,
                                 attest_error *error)
{
    attest_json_cursor labels, label;

    ATTEST_TRY(attest_json_get_member(&labels, object, "labels", error));
    for (size_t l = 0; attest_json_get_member_at(&label, &labels, l); l++) {
        size_t count;

        ATTEST_TRY(attest_json_get_size(&count, &label, error));
        if (attest_chunk_result_add_label(result, label.key, count) != ATTEST_OK)
            return attest_memory_fail(error);
    }
    return ATTEST_OK;
}

static attest_status read_counts(attest_chunk_result *result, const attest_json_cursor *object,
                                 attest_error *error)
{
    ATTEST_TRY(attest_json_get_member_count(&result->passed, object, "passed", error));
    ATTEST_TRY(attest_json_get_member_count(&result->failed, object, "failed", error));
    ATTEST_TRY(attest_json_get_member_count(&result->discarded, object, "discarded", error));
    ATTEST_TRY(attest_json_get_member_count(&result->undecided, object, "undecided", error));
    ATTEST_TRY(attest_json_get_member_count(&result->searched, object, "searched", error));
    return read_double(&result->seconds, object, "seconds", error);
}

attest_status attest_chunk_result_read(attest_chunk_result *result,
                                       const attest_json_cursor *object, attest_error *error)
{
    attest_json_cursor member;

    ATTEST_TRY(read_counts(result, object, error));
    result->has_tightest = attest_json_find_member(&member, object, "tightest");
    if (result->has_tightest) {
        ATTEST_TRY(read_double(&result->tightest, object, "tightest", error));
        ATTEST_TRY(
            attest_json_copy_member(&result->tightest_text, object, "tightest_text", error));
    }
    ATTEST_TRY(attest_json_copy_optional(&result->open_reason, object, "open_reason", error));
    ATTEST_TRY(attest_json_copy_optional(&result->observations, object, "observations", error));
    ATTEST_TRY(read_labels(result, object, error));
    ATTEST_TRY(read_array(result, object, "violations", read_violation, error));
    return read_array(result, object, "deaths", read_death, error);
}
