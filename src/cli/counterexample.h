/* counterexample.h -- the parts of attest counterexample. */
#ifndef ATTEST_CLI_COUNTEREXAMPLE_H
#define ATTEST_CLI_COUNTEREXAMPLE_H

#include "cli/command.h"
#include "data/counterexample.h"
#include "io/json_write.h"
#include "theory/gallery.h"

/* Looks for data that the weights of the counterexample merge: random data, by the property
 * theorem1-search, shrunk. Fills in the rest of the counterexample if *found. EXIT_HOLDS, or a
 * complaint and its exit code. */
int attest_cli_search_counterexample(attest_counterexample *counterexample, bool *found,
                                     uint64_t seed, attest_common *common);

/* All entries of the gallery. The exit code. */
int attest_cli_list_gallery(const attest_common *common);

/* One of them, what it defeats and why it is the least: above the outputs, or beside them. */
void attest_cli_print_gallery(const attest_gallery_entry *entry,
                              const attest_gallery_search *search);
void attest_cli_write_gallery(attest_json *json, const attest_gallery_entry *entry,
                              const attest_gallery_search *search);

#endif
