/* json_parser.h -- where a reader of JSON stands, in its text and in the tree it builds. */
#ifndef ATTEST_IO_JSON_PARSER_H
#define ATTEST_IO_JSON_PARSER_H

#include "io/json_tree.h"

/* Nodes of closed arrays and objects are settled, from the beginning of the nodes upwards;
 * those that wait for their array or object to be closed pile up from the end downwards. The
 * two never meet: there is room for every node once, and a node is in one of them. */
typedef struct attest_json_parser {
    const char *begin, *at, *end;
    attest_json_node *settled; /* behind the last settled node */
    attest_json_node *waiting; /* the node that came last */
    char *text;                /* the next free byte for strings and numbers */
    int depth;
    size_t numbers; /* as in the tree */
    attest_error *error;
} attest_json_parser;

/* The error "line L, column C: what" for the place where the parser stands. */
attest_status attest_json_parser_fail(attest_json_parser *parser, const char *what);

/* The same for the character that stands there. */
attest_status attest_json_parser_refuse(attest_json_parser *parser);

/* A new node waits. Status: FORMAT (there is no room: other bytes are read than were counted,
 * as when another program writes to a mapped file meanwhile). */
attest_status attest_json_parser_add(attest_json_parser *parser, attest_json_kind kind,
                                     const char *text, size_t count) ATTEST_WARN_UNUSED;

/* Adds the last node to the numbers, if it is one as number.h reads it, also in quotes; what is
 * none is refused where it is used. Domain: a string or number. */
void attest_json_parser_count_number(attest_json_parser *parser);

/* Take the string, number, or true, false and null where the parser stands and add its node.
 * Domain: a quote; a digit or a minus sign; any character. Status: FORMAT. */
attest_status attest_json_parser_take_string(attest_json_parser *parser) ATTEST_WARN_UNUSED;
attest_status attest_json_parser_take_number(attest_json_parser *parser) ATTEST_WARN_UNUSED;
attest_status attest_json_parser_take_word(attest_json_parser *parser) ATTEST_WARN_UNUSED;

#endif
