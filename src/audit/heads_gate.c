/* heads_gate.c -- comparing an audit of recorded activations with a stored record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/heads.h"
#include "base/memory.h"
#include "base/scope.h"

/* Cells of one head, or of all together, against the stored ones. prefix: what they are. */
static attest_status compare_cells(attest_audit_gate *gate, const attest_json_cursor *object,
                                   const attest_audit_heads *heads,
                                   const attest_audit_cell *const *cell, const char *prefix,
                                   attest_error *error)
{
    attest_json_cursor formats, member;
    size_t count;

    ATTEST_TRY(attest_json_get_member(&formats, object, "formats", error));
    ATTEST_TRY(attest_json_get_length(&count, &formats, error));
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor stored = attest_json_get_element(&formats, i);
        const char *name = "";
        char what[160];
        size_t f = 0;

        ATTEST_TRY(attest_json_get_member(&member, &stored, "name", error));
        ATTEST_TRY(attest_json_get_string(&name, &member, error));
        snprintf(what, sizeof what, "%s%.60s", prefix, name);
        while (f < heads->formats && strcmp(heads->arithmetic[f].format.name, name) != 0)
            f++;
        if (f < heads->formats) {
            attest_audit_result result;
            attest_status status;

            attest_audit_cell_result(&result, cell[f], &heads->arithmetic[f]);
            status = attest_audit_gate_result(gate, &stored, what, &result, error);
            attest_audit_result_clear(&result);
            ATTEST_TRY(status);
        } else {
            ATTEST_TRY(attest_audit_gate_miss(gate, what, error));
        }
    }
    return ATTEST_OK;
}

static attest_status get_number(int64_t *number, const attest_json_cursor *object,
                                const char *key, attest_error *error)
{
    attest_json_cursor member;

    ATTEST_TRY(attest_json_get_member(&member, object, key, error));
    return attest_json_get_integer(number, &member, error);
}

static attest_status compare_head(attest_audit_gate *gate, const attest_json_cursor *stored,
                                  const attest_audit_heads *heads,
                                  const attest_audit_cell **cell, attest_error *error)
{
    int64_t layer, head;
    char prefix[64];

    ATTEST_TRY(get_number(&layer, stored, "layer", error));
    ATTEST_TRY(get_number(&head, stored, "head", error));
    snprintf(prefix, sizeof prefix, "layer %lld, head %lld, ", (long long)layer,
             (long long)head);
    for (size_t i = 0; i < heads->count; i++)
        if ((int64_t)heads->place[i].layer == layer && (int64_t)heads->place[i].head == head) {
            for (size_t f = 0; f < heads->formats; f++)
                cell[f] = &heads->cell[i * heads->formats + f];
            return compare_cells(gate, stored, heads, cell, prefix, error);
        }
    prefix[strlen(prefix) - 2] = '\0';
    return attest_audit_gate_miss(gate, prefix, error);
}

static attest_status compare_record(attest_audit_gate *gate, const attest_json_cursor *root,
                                    const attest_audit_heads *heads,
                                    const attest_audit_cell **cell, attest_error *error)
{
    attest_json_cursor list;
    size_t count;

    ATTEST_TRY(attest_json_check_format(root, "attest/audit", error));
    ATTEST_TRY(attest_json_get_member(&list, root, "heads", error));
    ATTEST_TRY(attest_json_get_length(&count, &list, error));
    for (size_t f = 0; f < heads->formats; f++)
        cell[f] = &heads->total[f].cell;
    ATTEST_TRY(compare_cells(gate, root, heads, cell, "", error));
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor stored = attest_json_get_element(&list, i);
        ATTEST_TRY(compare_head(gate, &stored, heads, cell, error));
    }
    return ATTEST_OK;
}

attest_status attest_audit_heads_gate(attest_audit_gate *gate, const attest_audit_heads *heads,
                                      const char *path, attest_budget *budget,
                                      attest_error *error)
{
    const attest_audit_cell **cell = attest_memory_alloc(heads->formats, sizeof *cell);
    attest_json_document document;
    attest_json_cursor root;
    attest_status status;

    if (!cell)
        return attest_memory_fail(error);
    status = attest_json_document_read(&document, path, budget, error);
    if (status == ATTEST_OK) {
        root = attest_json_root(&document);
        status = compare_record(gate, &root, heads, cell, error);
        attest_json_document_clear(&document);
        if (status == ATTEST_FORMAT)
            attest_error_prefix(error, status, path);
    }
    free(cell);
    return status;
}
