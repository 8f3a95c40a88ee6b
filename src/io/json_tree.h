/* json_tree.h -- a JSON text as a tree, in one block of memory.
 *
 * A node takes 16 bytes. The children of an array or object stand side by side, so that its
 * elements are found by their index; an object has two for each member, the key and the value.
 * Strings and numbers are copied into the block, unescaped and ended by a zero byte: the text
 * that was read may go. A number is kept as it is written, whatever its size. */
#ifndef ATTEST_IO_JSON_TREE_H
#define ATTEST_IO_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/number.h>

/* The deepest nesting that is read. */
#define ATTEST_JSON_MAX_DEPTH 32

typedef enum attest_json_kind {
    ATTEST_JSON_NULL,
    ATTEST_JSON_FALSE,
    ATTEST_JSON_TRUE,
    ATTEST_JSON_NUMBER,
    ATTEST_JSON_STRING,
    ATTEST_JSON_ARRAY,
    ATTEST_JSON_OBJECT
} attest_json_kind;

typedef struct attest_json_node {
    union {
        const char *text;                     /* of a scalar, also of true, false and null */
        const struct attest_json_node *child; /* of an array or object */
    };
    uint64_t kind : 3;   /* attest_json_kind */
    uint64_t count : 61; /* elements, members, or bytes of text */
} attest_json_node;

typedef struct attest_json_tree {
    const attest_json_node *root;
    void *block;
    size_t bytes;   /* of the block: what is charged */
    size_t numbers; /* all numbers, also the quoted ones, take so many bytes as rationals */
} attest_json_tree;

/* Reads the text, one JSON value of any kind (RFC 8259). Refused besides: zero bytes also when
 * they are escaped, unpaired surrogates, a byte order mark, deeper nesting than MAX_DEPTH. Keys
 * may stand twice. The budget (NULL: unlimited) is charged for the block before it is there.
 * Status: FORMAT (the error begins "line L, column C: "; both count from 1, columns in
 * characters), UNABLE, NOMEM; after a failure there is nothing to clear. Cost: linear. */
attest_status attest_json_tree_parse(attest_json_tree *tree, const char *text, size_t size,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Gives back what the same budget was charged. */
void attest_json_tree_clear(attest_json_tree *tree, attest_budget *budget);

#endif
