/* json_tree.h -- a JSON text as a tree, in one block of memory.
 *
 * A node takes 16 bytes. The children of an array or object are contiguous, so that its
 * elements are found by index; an object has two for each member, the key and the value.
 * Strings and numbers are copied into the block, unescaped and zero-terminated: the text may be
 * freed after parsing. A number of any size is stored as it is written. */
#ifndef ATTEST_IO_JSON_TREE_H
#define ATTEST_IO_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/number.h>

/* The deepest nesting that is accepted. */
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
    size_t bytes;   /* size of the block, charged to the budget */
    size_t numbers; /* bytes that all numbers, quoted ones included, take as rationals */
} attest_json_tree;

/* Reads the text, one JSON value of any kind (RFC 8259). Also rejected: zero bytes, escaped
 * ones included, unpaired surrogates, a byte order mark, deeper nesting than MAX_DEPTH.
 * Repeated keys are accepted. The budget (NULL: unlimited) is charged before the block is
 * allocated. Status: FORMAT (the error begins "line L, column C: "; both count from 1, columns
 * in characters), UNABLE, NOMEM; after a failure there is nothing to clear. Cost: linear. */
attest_status attest_json_tree_parse(attest_json_tree *tree, const char *text, size_t size,
                                     attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Frees the tree and returns its bytes to the budget it was charged to. */
void attest_json_tree_clear(attest_json_tree *tree, attest_budget *budget);

/* The position of a parser in its text and in the tree that it builds; the rest of this file
 * is for json_tree.c and its test.
 *
 * Nodes of closed arrays and objects are stored from the beginning of the nodes upwards; those
 * whose array or object is still open are stacked from the end downwards. The two never meet:
 * there is room for every node once, and a node is in one of the two. */
typedef struct attest_json_parser {
    const char *begin, *at, *end;
    attest_json_node *settled; /* after the last node of a closed array or object */
    attest_json_node *waiting; /* the top of the stack: the last node */
    char *text;                /* the next free byte for strings and numbers */
    int depth;
    size_t numbers; /* as in the tree */
    attest_error *error;
} attest_json_parser;

/* Parse the string, the number, or the word true, false or null at the current position and
 * push its node. Domain: the next character is a quote; a digit or a minus sign; anything.
 * Status: FORMAT. */
attest_status attest_json_parser_take_string(attest_json_parser *parser) ATTEST_WARN_UNUSED;
attest_status attest_json_parser_take_number(attest_json_parser *parser) ATTEST_WARN_UNUSED;
attest_status attest_json_parser_take_word(attest_json_parser *parser) ATTEST_WARN_UNUSED;

#endif
