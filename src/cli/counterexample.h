/* counterexample.h -- the parts of attest counterexample. */
#ifndef ATTEST_CLI_COUNTEREXAMPLE_H
#define ATTEST_CLI_COUNTEREXAMPLE_H

#include "cli/command.h"
#include "data/counterexample.h"
#include "io/json_write.h"
#include "theory/gallery.h"
#include "theory/theorem1.h"

/* Looks for data that the weights of the counterexample merge: random data, by the property
 * theorem1-search, shrunk. Fills in the rest of the counterexample if *found. EXIT_HOLDS, or an
 * error message and its exit code. */
int attest_cli_search_counterexample(attest_counterexample *counterexample, bool *found,
                                     uint64_t seed, attest_common *common);

/* The entry of the gallery whose tokens are those of a real text and whose weights were
 * trained.
 */
typedef struct attest_trained_entry {
    const char *name, *title, *defeats;
    const char *text[2];
    size_t position[2];
} attest_trained_entry;

extern const attest_trained_entry attest_cli_trained;

/* Builds the entry `trained`: its weights, its data, and the space of the search whose least
 * result it is. EXIT_HOLDS, or an error message and its exit code. */
int attest_cli_build_trained(attest_counterexample *counterexample, bool *found,
                             attest_theorem1_space *space);

/* What a search of given tokens went through. */
void attest_cli_print_space(const attest_theorem1_space *space, bool found);
void attest_cli_write_space(attest_json *json, const attest_theorem1_space *space);

/* Prints all entries of the gallery; returns the exit code. */
int attest_cli_list_gallery(const attest_common *common);

/* Prints, or writes as JSON, one entry, the weights that it defeats and why it is the least. */
void attest_cli_print_gallery(const attest_gallery_entry *entry,
                              const attest_gallery_search *search);
void attest_cli_write_gallery(attest_json *json, const attest_gallery_entry *entry,
                              const attest_gallery_search *search);

/* The same for the trained one. */
void attest_cli_print_trained(const attest_theorem1_space *space);
void attest_cli_write_trained(attest_json *json, const attest_theorem1_space *space);

#endif
