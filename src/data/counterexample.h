/* counterexample.h -- an instance on which a statement fails, with all its values.
 *
 * It contains values, never the state of a random generator, so it suffices to decide the
 * statement again. */
#ifndef ATTEST_DATA_COUNTEREXAMPLE_H
#define ATTEST_DATA_COUNTEREXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/number.h>
#include <attest/weights.h>

/* A named value of the statement, such as delta, that is neither data nor weights. */
typedef struct attest_parameter {
    char *name;
    char *value; /* the text of a number, or a word */
} attest_parameter;

typedef struct attest_counterexample {
    char *property;         /* the name of the statement or property */
    attest_dataset dataset; /* count is 0 if the property has no data */
    attest_weights weights; /* heads is 0 if it has no weights */
    size_t parameters;
    attest_parameter *parameter;
    char object[65];  /* SHA-256, in hexadecimal, of the shared object that defines the
                         property; "": the property is built in */
    char *definition; /* the definition that is violated, e.g. "contextual-mapping" */
    bool has_pair; /* the violation is at two positions, in pair (the same one twice: at one) */
    size_t pair[2][2]; /* {sequence, position} of each */
    bool has_seed;
    uint64_t seed;
    char *found_by; /* "construction", "campaign", ... */
    size_t shrink_steps;
    bool has_outputs; /* output contains the hardmax outputs of the pair, dataset.dim entries
                         each */
    fmpq *output[2];
} attest_counterexample;

/* init makes the counterexample empty; clear frees everything that it contains. */
void attest_counterexample_init(attest_counterexample *counterexample);
void attest_counterexample_clear(attest_counterexample *counterexample);

/* Sets the three texts to copies and frees the earlier ones. Status: NOMEM; then some of them
 * may be set. */
attest_status attest_counterexample_set_texts(attest_counterexample *counterexample,
                                              const char *property, const char *definition,
                                              const char *found_by) ATTEST_WARN_UNUSED;

/* Appends a parameter, with copies of both texts. Status: NOMEM. */
attest_status attest_counterexample_add_parameter(attest_counterexample *counterexample,
                                                  const char *name,
                                                  const char *value) ATTEST_WARN_UNUSED;

/* Allocates both outputs, dim zeros each, and sets has_outputs. Domain: dim = dataset.dim. */
void attest_counterexample_resize_outputs(attest_counterexample *counterexample, size_t dim);

/* Reads an attest/counterexample file; path "-" is standard input. Outputs in the file are
 * ignored. Status: FORMAT (also for a pair outside the dataset), IO, UNABLE, NOMEM;
 * on failure the counterexample is as after init. */
attest_status attest_counterexample_read(attest_counterexample *counterexample,
                                         const char *path, attest_budget *budget,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Writes an attest/counterexample file, or leaves the file at path as it was. Status: IO,
 * NOMEM. */
attest_status attest_counterexample_write(const attest_counterexample *counterexample,
                                          const char *path,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
