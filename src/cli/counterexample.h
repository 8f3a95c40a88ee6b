/* counterexample.h -- the parts of attest counterexample. */
#ifndef ATTEST_CLI_COUNTEREXAMPLE_H
#define ATTEST_CLI_COUNTEREXAMPLE_H

#include "cli/command.h"
#include "data/counterexample.h"

/* Looks for data that the weights of the counterexample merge: random data, by the property
 * theorem1-search, shrunk. Fills in the rest of the counterexample if *found. EXIT_HOLDS, or a
 * complaint and its exit code. */
int attest_cli_search_counterexample(attest_counterexample *counterexample, bool *found,
                                     uint64_t seed);

#endif
