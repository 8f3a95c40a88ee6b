/* excerpt.h -- places and failed hypotheses in the JSON of commands. */
#ifndef ATTEST_CLI_EXCERPT_H
#define ATTEST_CLI_EXCERPT_H

#include <attest/dataset.h>
#include "theory/separated.h"
#include "theory/theorem2.h"

#include "io/json_write.h"

/* [i, k]. */
void attest_cli_write_place(attest_json *json, const char *key, attest_place place);

/* [[i, k], [j, l]]. */
void attest_cli_write_pair(attest_json *json, const char *key, const attest_place pair[2]);

/* The ball of the square root of an exact square. */
void attest_cli_write_root(attest_json *json, const char *key, const fmpq_t square);

/* "counterexample": the tokens on which a hypothesis of the construction fails, which is set.
 */
void attest_cli_write_hypothesis(attest_json *json, const attest_dataset *dataset,
                                 const attest_construction *construction, const char *found_by);

#endif
