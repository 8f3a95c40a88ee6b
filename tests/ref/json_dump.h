/* json_dump.h -- a tree of JSON as a text again: no white space, numbers as they were. */
#ifndef ATTEST_TESTS_REF_JSON_DUMP_H
#define ATTEST_TESTS_REF_JSON_DUMP_H

#include "base/text.h"
#include "io/json_tree.h"

static void json_dump(attest_text *text, const attest_json_node *node);

static void json_dump_children(attest_text *text, const attest_json_node *node)
{
    bool object = node->kind == ATTEST_JSON_OBJECT;

    attest_text_add(text, object ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        attest_text_add(text, i ? "," : "");
        json_dump(text, &node->child[object ? 2 * i : i]);
        attest_text_add(text, object ? ":" : "");
        if (object)
            json_dump(text, &node->child[2 * i + 1]);
    }
    attest_text_add(text, object ? "}" : "]");
}

static void json_dump(attest_text *text, const attest_json_node *node)
{
    const char *quote = node->kind == ATTEST_JSON_STRING ? "\"" : "";

    if (node->kind == ATTEST_JSON_ARRAY || node->kind == ATTEST_JSON_OBJECT) {
        json_dump_children(text, node);
        return;
    }
    attest_text_add(text, quote);
    attest_escape_json(text, node->text, node->count);
    attest_text_add(text, quote);
}

#endif
