/* counterexample_json.h -- counterexamples as JSON objects. */
#ifndef ATTEST_IO_COUNTEREXAMPLE_JSON_H
#define ATTEST_IO_COUNTEREXAMPLE_JSON_H

#include "data/counterexample.h"

#include "io/json_take.h"
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

#endif
