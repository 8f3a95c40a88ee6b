/* chunk_result.c -- the results of the trials of one or more chunks. */
#include "campaign/chunk_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"

void attest_chunk_result_init(attest_chunk_result *result)
{
    memset(result, 0, sizeof *result);
}

void attest_chunk_result_clear(attest_chunk_result *result)
{
    for (size_t l = 0; l < result->labels; l++)
        free(result->label[l].name);
    free(result->label);
    for (size_t v = 0; v < result->violations; v++) {
        free(result->violation[v].reason);
        free(result->violation[v].text);
    }
    free(result->violation);
    free(result->tightest_text);
    free(result->open_reason);
    free(result->death);
    free(result->observations);
    attest_chunk_result_init(result);
}

attest_status attest_chunk_result_add_label(attest_chunk_result *result, const char *name,
                                            uint64_t count)
{
    attest_label_count *all;
    char *copy;

    for (size_t l = 0; l < result->labels; l++) {
        if (strcmp(result->label[l].name, name) == 0) {
            result->label[l].count += count;
            return ATTEST_OK;
        }
    }
    all = attest_memory_resize(result->label, result->labels + 1, sizeof *all);
    if (!all)
        return ATTEST_NOMEM;
    result->label = all;
    copy = attest_memory_copy(name);
    if (!copy)
        return ATTEST_NOMEM;
    all[result->labels++] = (attest_label_count){copy, count};
    return ATTEST_OK;
}

attest_status attest_chunk_result_add_violation(attest_chunk_result *result,
                                                const attest_violation *violation)
{
    attest_violation *all = NULL;

    if (violation->text && violation->reason)
        all = attest_memory_resize(result->violation, result->violations + 1, sizeof *all);
    if (!all) {
        free(violation->text);
        free(violation->reason);
        return ATTEST_NOMEM;
    }
    result->violation = all;
    all[result->violations++] = *violation;
    return ATTEST_OK;
}

attest_status attest_chunk_result_add_death(attest_chunk_result *result,
                                            const attest_death *death)
{
    attest_death *all = attest_memory_resize(result->death, result->deaths + 1, sizeof *all);

    if (!all)
        return ATTEST_NOMEM;
    result->death = all;
    all[result->deaths++] = *death;
    return ATTEST_OK;
}

static const char *const death_kinds[] = {"memory", "timeout", "signal", "exit"};

enum { DEATH_KINDS = sizeof death_kinds / sizeof *death_kinds };

const char *attest_death_kind_name(attest_death_kind kind)
{
    return death_kinds[kind];
}

/* Writes a double exactly, in hexadecimal; infinities and NaN are possible. */
static void write_double(attest_json *json, const char *key, double value)
{
    char text[64];

    snprintf(text, sizeof text, "%a", value);
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
        attest_json_write_string(json, "kind", attest_death_kind_name(death->kind));
        attest_json_write_integer(json, "detail", death->detail);
        attest_json_write_count(json, "trial", death->trial);
        attest_json_write_seed(json, "seed", death->seed);
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

static uint64_t take_count(const attest_json_cursor *object, const char *key)
{
    return attest_json_take_count(object, key, "is negative");
}

static double take_double(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member = attest_json_take(object, key);
    const char *text = attest_json_take_string(&member, NULL);
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end)
        attest_json_refuse(&member, "is not a number");
    return value;
}

static void read_violation(attest_chunk_result *result, const attest_json_cursor *object)
{
    attest_violation violation = {0};

    violation.trial = take_count(object, "trial");
    violation.margin = take_double(object, "margin");
    violation.reason = attest_json_take_copy(object, "reason");
    if (attest_json_has(object, "flaky"))
        violation.flaky = attest_json_take_bool(object, "flaky");
    violation.text = attest_json_take_copy(object, "text");
    /* After a failure text is NULL, and add_violation frees the rest. */
    if (attest_chunk_result_add_violation(result, &violation) != ATTEST_OK)
        attest_json_note_memory(object);
}

static void read_death(attest_chunk_result *result, const attest_json_cursor *object)
{
    attest_death death = {0};

    death.kind =
        (attest_death_kind)attest_json_take_choice(object, "kind", death_kinds, DEATH_KINDS);
    death.detail = (int)attest_json_take_integer(object, "detail");
    death.trial = take_count(object, "trial");
    death.steps = take_count(object, "steps");
    death.shrinking = attest_json_take_bool(object, "shrinking");
    death.seed = strtoull(attest_json_take_string(object, "seed"), NULL, 0);
    if (!attest_json_failed(object) && attest_chunk_result_add_death(result, &death))
        attest_json_note_memory(object);
}

static void read_labels(attest_chunk_result *result, const attest_json_cursor *labels)
{
    attest_json_cursor label;

    for (size_t l = 0; attest_json_get_member_at(&label, labels, l); l++) {
        size_t count = attest_json_take_size(&label, NULL);

        if (!attest_json_failed(labels) &&
            attest_chunk_result_add_label(result, label.key, count) != ATTEST_OK)
            attest_json_note_memory(labels);
    }
}

static void read_array(attest_chunk_result *result, const attest_json_cursor *object,
                       const char *key,
                       void (*read)(attest_chunk_result *, const attest_json_cursor *))
{
    attest_json_cursor array = attest_json_take(object, key);
    size_t length = attest_json_take_length(&array, NULL);

    for (size_t i = 0; i < length && !attest_json_failed(&array); i++) {
        attest_json_cursor element = attest_json_get_element(&array, i);

        read(result, &element);
    }
}

void attest_chunk_result_read(attest_chunk_result *result, const attest_json_cursor *object)
{
    attest_json_cursor labels;

    result->passed = take_count(object, "passed");
    result->failed = take_count(object, "failed");
    result->discarded = take_count(object, "discarded");
    result->undecided = take_count(object, "undecided");
    result->searched = take_count(object, "searched");
    result->seconds = take_double(object, "seconds");
    result->has_tightest = attest_json_has(object, "tightest");
    if (result->has_tightest) {
        result->tightest = take_double(object, "tightest");
        result->tightest_text = attest_json_take_copy(object, "tightest_text");
    }
    result->open_reason = attest_json_take_optional(object, "open_reason");
    result->observations = attest_json_take_optional(object, "observations");
    labels = attest_json_take(object, "labels");
    read_labels(result, &labels);
    read_array(result, object, "violations", read_violation);
    read_array(result, object, "deaths", read_death);
}

/* Returns the length of the line at text, with its line break. */
static size_t line_length(const char *text)
{
    const char *end = strchr(text, '\n');

    return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* Returns whether the line is about how the instance was found. */
static bool is_origin(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "\"seed\":", 7) == 0 || strncmp(line, "\"shrink_steps\":", 15) == 0;
}

/* Compares two counterexample files, which have one member per line, without the lines about
 * their origin. */
static bool is_same(const char *one, const char *other)
{
    while (*one && *other) {
        size_t length = line_length(one), there = line_length(other);

        if (is_origin(one) ? !is_origin(other)
                           : length != there || memcmp(one, other, length) != 0)
            return false;
        one += length;
        other += there;
    }
    return *one == *other;
}

/* Moves the flaky violations to the end. */
static void order(attest_violation *violation, size_t count)
{
    for (size_t v = 1; v < count; v++) {
        attest_violation moved = violation[v];
        size_t place = v;

        for (; !moved.flaky && place > 0 && violation[place - 1].flaky; place--)
            violation[place] = violation[place - 1];
        violation[place] = moved;
    }
}

void attest_chunk_result_unite(attest_chunk_result *result)
{
    size_t kept = 0;

    for (size_t v = 0; v < result->violations; v++) {
        attest_violation *next = &result->violation[v];
        size_t first = 0;

        while (first < kept && (result->violation[first].flaky != next->flaky ||
                                !is_same(result->violation[first].text, next->text)))
            first++;
        if (first == kept) {
            result->violation[kept++] = *next;
            continue;
        }
        result->violation[first].more += next->more + 1;
        free(next->reason);
        free(next->text);
    }
    result->violations = kept;
    order(result->violation, kept);
}
