/* Any bytes as the stored result of an audit, compared with one that was found: refused, or
 * lines about what got worse. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "audit/gate.h"
#include "audit/record.h"
#include "tests/fuzz/fuzz.h"

/* A result with a separation and collisions; its errors are known or not. */
static void make_result(attest_audit_result *result, bool known)
{
    attest_simulated_arithmetic arithmetic = {.softmax = 0};

    if (attest_format_parse(&arithmetic.format, "bfloat16", NULL) != ATTEST_OK)
        abort();
    attest_audit_result_init(result, &arithmetic);
    result->verdict = ATTEST_AUDIT_FAILS;
    result->has_separation = true;
    arb_set_d(result->min_separation, 0.125);
    result->has_errors = known;
    result->deviation.positions = known;
    result->deviation.max = 0.5;
    result->weights_error.rows = known;
    result->weights_error.max = 0.25;
    result->pairs.merged = 3;
}

static void write_result(attest_json *json, const void *result)
{
    attest_json_write_object(json, NULL);
    attest_audit_write_result(json, result, (attest_place){0}, NULL, NULL);
    attest_json_write_close(json);
}

static void compare(const attest_json_cursor *stored, bool known)
{
    attest_json_document document;
    attest_json_cursor now;
    attest_audit_result result;
    attest_audit_gate gate = {0};
    attest_error error;
    char *text;

    make_result(&result, known);
    text = attest_json_format(NULL, write_result, &result);
    if (!text || attest_json_document_parse(&document, text, strlen(text), NULL, &error))
        abort();
    now = attest_json_root(&document);
    if (attest_audit_gate_format(&gate, &now, stored, "bfloat16", &error) != ATTEST_OK &&
        (error.text[0] == '\0' || strchr(error.text, '\n')))
        abort();
    for (size_t i = 0; i < gate.count; i++)
        if (strncmp(gate.line[i], "bfloat16: ", 10) != 0)
            abort();
    attest_audit_gate_clear(&gate);
    attest_json_document_clear(&document);
    attest_audit_result_clear(&result);
    free(text);
}

FUZZ_TARGET(gate)
{
    attest_budget budget = {(size_t)1 << 20};
    attest_json_document document;
    attest_json_cursor root;
    attest_error error;
    char *bytes = malloc(size ? size : 1);

    memcpy(bytes, data, size);
    if (attest_json_document_parse(&document, bytes, size, &budget, &error) == ATTEST_OK) {
        for (int known = 0; known < 2; known++) {
            root = attest_json_root(&document);
            compare(&root, known);
        }
        attest_json_document_clear(&document);
    }
    free(bytes);
    return 0;
}
