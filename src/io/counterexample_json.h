/* counterexample_json.h -- counterexamples as JSON objects. */
#ifndef ATTEST_IO_COUNTEREXAMPLE_JSON_H
#define ATTEST_IO_COUNTEREXAMPLE_JSON_H

#include "data/counterexample.h"
#include "io/json_read.h"
#include "io/json_write.h"

/* counterexample = the attest/counterexample object. Errors stick: FORMAT, UNABLE, NOMEM; after
 * a failure it is as after init. */
void attest_counterexample_set_json(attest_counterexample *counterexample,
                                    const attest_json_cursor *object);

/* The same from a text. Status: FORMAT, UNABLE, NOMEM. */
attest_status attest_counterexample_parse_json(attest_counterexample *counterexample,
                                               const char *text, size_t size,
                                               attest_budget *budget,
                                               attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the members of the object, without its braces, so that a caller can add its own. */
void attest_counterexample_write_members(attest_json *json,
                                         const attest_counterexample *counterexample);

/* Writes the whole object under key. */
void attest_counterexample_write_json(attest_json *json, const char *key,
                                      const attest_counterexample *counterexample);

/* A named value of an excerpt: a number, or a text where number is NULL. */
typedef struct attest_excerpt_parameter {
    const char *name;
    const fmpq *number;
    const char *text;
} attest_excerpt_parameter;

/* A counterexample in the result of a command: the sequences of a larger dataset in which a
 * claim or a hypothesis fails. */
typedef struct attest_counterexample_excerpt {
    const char *property, *definition, *found_by;
    const attest_dataset *dataset;
    size_t places;                 /* 0: no dataset is written; 1: a token; 2: a pair */
    attest_place place[2];         /* in dataset */
    const attest_weights *weights; /* or NULL */
    const char *bound;             /* the name of the bound that fails, or NULL */
    const char *hypothesis;        /* the hypothesis that fails, or NULL */
    bool labels;                   /* write the labels of the pair */
    size_t parameters;
    attest_excerpt_parameter parameter[4];
} attest_counterexample_excerpt;

/* Writes the attest/counterexample object under the key "counterexample". Places become those
 * in the sequences that are written. */
void attest_counterexample_write_excerpt(attest_json *json,
                                         const attest_counterexample_excerpt *excerpt);

#endif
