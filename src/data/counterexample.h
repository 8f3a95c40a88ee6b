/* counterexample.h -- an instance on which a statement fails, with all its values.
 *
 * It contains the values themselves, never the state of a generator, and suffices to decide
 * the statement again. */
#ifndef ATTEST_DATA_COUNTEREXAMPLE_H
#define ATTEST_DATA_COUNTEREXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/number.h>
#include <attest/weights.h>

/* A named value of the statement besides data and weights, e.g. delta. */
typedef struct attest_parameter {
    char *name;
    char *value; /* a number as it is written, or a word */
} attest_parameter;

typedef struct attest_counterexample {
    char *property;         /* the name of the statement or property */
    attest_dataset dataset; /* count is 0 if the property has no data */
    attest_weights weights; /* heads is 0 if it has no weights */
    size_t parameters;
    attest_parameter *parameter;
    char object[65];   /* the hash of the shared object that has the property; "": built in */
    char *definition;  /* what is violated, e.g. "contextual-mapping" */
    bool has_pair;     /* the violation is that of two positions: */
    size_t pair[2][2]; /* {sequence, position}, twice */
    bool has_seed;
    uint64_t seed;
    char *found_by; /* "construction", "campaign", ... */
    size_t shrink_steps;
    bool has_outputs; /* for a pair of hardmax outputs: both, dim rationals each */
    fmpq *output[2];
} attest_counterexample;

/* Empty; clear gives everything back. */
void attest_counterexample_init(attest_counterexample *counterexample);
void attest_counterexample_clear(attest_counterexample *counterexample);

/* Sets a text; earlier ones are given back. Status: NOMEM. */
attest_status attest_counterexample_set_texts(attest_counterexample *counterexample,
                                              const char *property, const char *definition,
                                              const char *found_by) ATTEST_WARN_UNUSED;

/* Appends a parameter. Status: NOMEM. */
attest_status attest_counterexample_add_parameter(attest_counterexample *counterexample,
                                                  const char *name,
                                                  const char *value) ATTEST_WARN_UNUSED;

/* Makes room for both outputs, dim zeros each. */
void attest_counterexample_resize_outputs(attest_counterexample *counterexample, size_t dim);

/* Reads an attest/counterexample file; path "-" is standard input. Outputs are not read: they
 * are computed again. Status: FORMAT (also for a pair outside the dataset), IO, UNABLE, NOMEM;
 * on failure the counterexample is as after init. */
attest_status attest_counterexample_read(attest_counterexample *counterexample,
                                         const char *path, attest_budget *budget,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the file, whole or not at all. Status: IO, NOMEM. */
attest_status attest_counterexample_write(const attest_counterexample *counterexample,
                                          const char *path,
                                          attest_error *error) ATTEST_WARN_UNUSED;

#endif
