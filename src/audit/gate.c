/* gate.c -- comparing an audit with a stored record. */
#include "audit/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>

#include "base/memory.h"
#include "base/scope.h"
#include "io/json_read.h"

void attest_audit_gate_init(attest_audit_gate *gate)
{
    *gate = (attest_audit_gate){0};
}

void attest_audit_gate_clear(attest_audit_gate *gate)
{
    for (size_t i = 0; i < gate->count; i++)
        free(gate->line[i]);
    free(gate->line);
    *gate = (attest_audit_gate){0};
}

static attest_status worse(attest_audit_gate *gate, attest_error *error, const char *format,
                           ...) ATTEST_PRINTF(3, 4);

static attest_status worse(attest_audit_gate *gate, attest_error *error, const char *format,
                           ...)
{
    char text[256], *copy;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy = attest_memory_copy(text);
    if (!copy || !attest_memory_grow(&gate->line, &gate->room, gate->count + 1, sizeof copy)) {
        free(copy);
        return attest_memory_fail(error);
    }
    gate->line[gate->count++] = copy;
    return ATTEST_OK;
}

/* A count that may stand as a number or, when it is large, as a string. */
static attest_status get_count(fmpz_t count, const attest_json_cursor *object, const char *key,
                               attest_error *error)
{
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, object, key, error);
    fmpq_t value;

    if (status != ATTEST_OK)
        return status;
    fmpq_init(value);
    status = attest_json_get_rational(value, &member, error);
    if (status == ATTEST_OK && (!fmpz_is_one(fmpq_denref(value)) || fmpq_sgn(value) < 0))
        status = attest_json_fail(&member, error, ATTEST_FORMAT, "expected a count");
    if (status == ATTEST_OK)
        fmpz_set(count, fmpq_numref(value));
    fmpq_clear(value);
    return status;
}

static attest_status compare_count(attest_audit_gate *gate, const attest_json_cursor *stored,
                                   const char *name, const char *key, const fmpz_t now,
                                   attest_error *error)
{
    attest_status status;
    fmpz_t before;

    fmpz_init(before);
    status = get_count(before, stored, key, error);
    if (status == ATTEST_OK && fmpz_cmp(now, before) > 0) {
        char *a = fmpz_get_str(NULL, 10, before), *b = fmpz_get_str(NULL, 10, now);
        status = worse(gate, error, "%s: %s %.60s, was %.60s", name, key, b, a);
        flint_free(a);
        flint_free(b);
    }
    fmpz_clear(before);
    return status;
}

/* Pairs that are not apart for certain: by_rounding and merged together. */
static attest_status compare_doubtful(attest_audit_gate *gate, const attest_json_cursor *pairs,
                                      const char *name, const fmpz_t now, attest_error *error)
{
    attest_status status;
    fmpz_t before, merged;

    fmpz_init(before);
    fmpz_init(merged);
    status = get_count(before, pairs, "by_rounding", error);
    if (status == ATTEST_OK)
        status = get_count(merged, pairs, "merged", error);
    fmpz_add(before, before, merged);
    if (status == ATTEST_OK && fmpz_cmp(now, before) > 0)
        status = worse(gate, error, "%s: %lu pairs not apart for certain, were %lu", name,
                       fmpz_get_ui(now), fmpz_get_ui(before));
    fmpz_clear(before);
    fmpz_clear(merged);
    return status;
}

static attest_status compare_verdict(attest_audit_gate *gate, const attest_json_cursor *stored,
                                     const char *what, const attest_audit_result *now,
                                     attest_error *error)
{
    static const char *const name[] = {"survives", "fails", "collapses"};
    attest_json_cursor member;
    attest_status status = attest_json_get_member(&member, stored, "verdict", error);
    int before = 0;

    if (status == ATTEST_OK)
        status = attest_json_get_choice(&before, &member, name, 3, error);
    if (status == ATTEST_OK && (int)now->verdict > before)
        status = worse(gate, error, "%s: %s, was %s", what, name[now->verdict], name[before]);
    return status;
}

/* ball = the one under key; *known is false for null. */
static attest_status get_ball(arb_t ball, bool *known, const attest_json_cursor *object,
                              const char *key, attest_error *error)
{
    attest_json_cursor member, part;
    const char *text;
    attest_status status = ATTEST_OK;
    arf_t x;

    *known = attest_json_find_member(&member, object, key);
    if (!*known)
        return ATTEST_OK;
    arf_init(x);
    for (int i = 0, parsed = 0; i < 2 && status == ATTEST_OK; i++) {
        status = attest_json_get_member(&part, &member, i == 0 ? "mid" : "rad", error);
        if (status == ATTEST_OK)
            status = attest_json_get_string(&text, &part, error);
        if (status == ATTEST_OK)
            parsed = attest_ball_parse_arf(x, text);
        if (status == ATTEST_OK && parsed == -2)
            status = attest_memory_fail(error);
        else if (status == ATTEST_OK && parsed != 0)
            status = attest_json_fail(&part, error, ATTEST_FORMAT, "expected a hex float");
        if (status == ATTEST_OK && i == 0)
            arb_set_arf(ball, x);
        else if (status == ATTEST_OK)
            arb_add_error_arf(ball, x);
    }
    arf_clear(x);
    return status;
}

/* A separation for people: a power of two, whatever its size. False: out of memory. */
static bool format_separation(char text[64], const arb_t separation)
{
    bool positive = arb_is_positive(separation) && arb_is_finite(separation);
    char *log2 = attest_ball_format_log2(separation);
    bool made = log2 != NULL;

    snprintf(text, 64, made ? "2^%.40s" : "0", log2);
    free(log2);
    return made || !positive;
}

/* May not have become smaller for certain, nor be unknown now: no pair is required any more. */
static attest_status compare_separation(attest_audit_gate *gate,
                                        const attest_json_cursor *stored, const char *name,
                                        const attest_audit_result *now, attest_error *error)
{
    char text[2][64];
    attest_status status;
    bool known;
    arb_t before;

    arb_init(before);
    status = get_ball(before, &known, stored, "min_separation", error);
    if (status == ATTEST_OK && known &&
        (!now->has_separation || arb_lt(now->min_separation, before))) {
        if (format_separation(text[0], now->min_separation) &&
            format_separation(text[1], before))
            status = worse(gate, error, "%s: least separation %s, was %s", name,
                           now->has_separation ? text[0] : "unknown", text[1]);
        else
            status = attest_memory_fail(error);
    }
    arb_clear(before);
    return status;
}

/* Whether now is more than 1.00001 times as large as before: six digits are stored. */
static bool is_larger(attest_audit_size now, const fmpq_t before)
{
    fmpq_t most;
    bool larger;

    fmpq_init(most);
    fmpq_set_si(most, 100001, 100000);
    fmpq_mul(most, most, before);
    larger = attest_audit_size_compare_rational(now, most) > 0;
    fmpq_clear(most);
    return larger;
}

/* A stored rational as it stands in records. */
static void format_stored(char text[ATTEST_AUDIT_SIZE_TEXT], const fmpq_t value)
{
    mpfr_t x;

    mpfr_init2(x, 64);
    fmpq_get_mpfr(x, value, MPFR_RNDN);
    attest_audit_size_format(text, attest_audit_size_get(x), 6);
    mpfr_clear(x);
}

/* A measure of six digits under key, if it is stored: may not have grown, nor be unknown now.
 */
static attest_status compare_size(attest_audit_gate *gate, const attest_json_cursor *stored,
                                  const char *key, const char *format, const char *what,
                                  bool known, attest_audit_size now, attest_error *error)
{
    char text[2][ATTEST_AUDIT_SIZE_TEXT];
    attest_json_cursor member;
    attest_status status;
    fmpq_t before;

    if (!attest_json_find_member(&member, stored, key))
        return ATTEST_OK;
    fmpq_init(before);
    status = attest_json_get_rational(before, &member, error);
    if (status == ATTEST_OK && (!known || is_larger(now, before))) {
        format_stored(text[0], before);
        attest_audit_size_format(text[1], now, 6);
        status = worse(gate, error, "%s: %s %s, was %s", format, what,
                       known ? text[1] : "unknown", text[0]);
    }
    fmpq_clear(before);
    return status;
}

static attest_status compare_measure(attest_audit_gate *gate, const attest_json_cursor *stored,
                                     const char *key, const char *format, const char *what,
                                     bool known, double now, attest_error *error)
{
    mpfr_t x;
    attest_audit_size size;

    mpfr_init2(x, 53);
    mpfr_set_d(x, now, MPFR_RNDU);
    size = attest_audit_size_get(x);
    mpfr_clear(x);
    return compare_size(gate, stored, key, format, what, known && isfinite(now), size, error);
}

/* Errors of entries, outputs and weights, and the pairs that are no longer apart for certain.
 * Records of 0.1.0 have the first only. */
static attest_status compare_errors(attest_audit_gate *gate, const attest_json_cursor *stored,
                                    const char *name, const attest_audit_result *now,
                                    attest_error *error)
{
    const attest_audit_errors *e = &now->errors;
    const attest_audit_deviation *d = &now->deviation;
    attest_json_cursor part;
    attest_status status;
    fmpz_t count;

    ATTEST_TRY(compare_size(gate, stored, "max_ulp", name, "max_ulp",
                            now->has_errors && attest_audit_errors_known(e), e->max_ulp,
                            error));
    if (attest_json_find_member(&part, stored, "relative_error"))
        ATTEST_TRY(compare_measure(gate, &part, "max", name, "relative_error", d->positions > 0,
                                   d->max, error));
    if (attest_json_find_member(&part, stored, "weights_error"))
        ATTEST_TRY(compare_measure(gate, &part, "max", name, "weights_error",
                                   now->attended.rows > 0, now->attended.max, error));
    if (!attest_json_find_member(&part, stored, "pairs"))
        return ATTEST_OK;
    fmpz_init_set_ui(count, now->pairs.by_rounding + now->pairs.merged);
    status = compare_doubtful(gate, &part, name, count, error);
    fmpz_clear(count);
    return status;
}

attest_status attest_audit_gate_result(attest_audit_gate *gate,
                                       const attest_json_cursor *stored, const char *name,
                                       const attest_audit_result *now, attest_error *error)
{
    attest_json_cursor member;
    attest_status status;
    fmpz_t nonfinite, saturated;

    fmpz_init_set_ui(nonfinite, now->collisions.nonfinite);
    fmpz_init_set_ui(saturated, now->saturated);
    status = compare_verdict(gate, stored, name, now, error);
    if (status == ATTEST_OK)
        status = compare_count(gate, stored, name, "collisions", now->collisions.pairs, error);
    if (status == ATTEST_OK)
        status = compare_count(gate, stored, name, "nonfinite", nonfinite, error);
    if (status == ATTEST_OK && attest_json_find_member(&member, stored, "saturated"))
        status = compare_count(gate, stored, name, "saturated", saturated, error);
    if (status == ATTEST_OK)
        status = compare_separation(gate, stored, name, now, error);
    if (status == ATTEST_OK)
        status = compare_errors(gate, stored, name, now, error);
    fmpz_clear(nonfinite);
    fmpz_clear(saturated);
    return status;
}

attest_status attest_audit_gate_miss(attest_audit_gate *gate, const char *name,
                                     attest_error *error)
{
    return worse(gate, error, "%.100s: not audited any more", name);
}

/* A stored format against the one of the same name. */
static attest_status compare_format(attest_audit_gate *gate, const attest_json_cursor *stored,
                                    const attest_audit *audit, attest_error *error)
{
    attest_json_cursor member;
    const char *name = "";

    ATTEST_TRY(attest_json_get_member(&member, stored, "name", error));
    ATTEST_TRY(attest_json_get_string(&name, &member, error));
    for (size_t f = 0; f < audit->formats; f++)
        if (strcmp(audit->result[f].arithmetic.format.name, name) == 0)
            return attest_audit_gate_result(gate, stored, name, &audit->result[f], error);
    return attest_audit_gate_miss(gate, name, error);
}

static attest_status compare_collapse(attest_audit_gate *gate, const attest_json_cursor *root,
                                      const attest_audit *audit, attest_error *error)
{
    attest_json_cursor member;
    attest_status status;
    int64_t before;

    if (!attest_json_find_member(&member, root, "collapse_bits"))
        return ATTEST_OK;
    status = attest_json_get_integer(&before, &member, error);
    if (status != ATTEST_OK)
        return status;
    if (audit->collapse.bits == 0)
        return worse(gate, error, "collapse_bits: null, was %lld", (long long)before);
    if (audit->collapse.bits > before)
        return worse(gate, error, "collapse_bits: %ld, was %lld", audit->collapse.bits,
                     (long long)before);
    return ATTEST_OK;
}

attest_status attest_audit_gate_check(attest_audit_gate *gate, const attest_audit *audit,
                                      const char *path, attest_budget *budget,
                                      attest_error *error)
{
    attest_json_document document;
    attest_json_cursor root, formats;
    attest_status status = attest_json_document_read(&document, path, budget, error);
    size_t count = 0;

    if (status != ATTEST_OK)
        return status;
    root = attest_json_root(&document);
    status = attest_json_check_format(&root, "attest/audit", error);
    if (status == ATTEST_OK)
        status = attest_json_get_member(&formats, &root, "formats", error);
    if (status == ATTEST_OK)
        status = attest_json_get_length(&count, &formats, error);
    for (size_t f = 0; f < count && status == ATTEST_OK; f++) {
        attest_json_cursor stored = attest_json_get_element(&formats, f);
        status = compare_format(gate, &stored, audit, error);
    }
    if (status == ATTEST_OK)
        status = compare_collapse(gate, &root, audit, error);
    attest_json_document_clear(&document);
    if (status == ATTEST_FORMAT)
        attest_error_prefix(error, status, path);
    return status;
}
