/* instance.h -- what a property is asked about: data, weights and named parameters.
 *
 * An instance holds values, never the state of a generator. It is what a counterexample file
 * stores, so every property can be replayed from a file by the same code. */
#ifndef ATTEST_CAMPAIGN_INSTANCE_H
#define ATTEST_CAMPAIGN_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/dataset.h>
#include <attest/error.h>
#include <attest/weights.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum { ATTEST_INSTANCE_PARAMETERS = 16 };

/* A named rational, e.g. delta. */
typedef struct attest_instance_parameter {
    const char *name; /* a literal of the property's */
    fmpq_t value;
} attest_instance_parameter;

typedef struct attest_instance {
    attest_dataset dataset; /* count is 0 where the property takes no data */
    attest_weights weights; /* heads is 0 where it takes no weights */
    size_t parameters;
    attest_instance_parameter parameter[ATTEST_INSTANCE_PARAMETERS];
} attest_instance;

void attest_instance_init(attest_instance *instance);
void attest_instance_clear(attest_instance *instance);

/* The parameter of this name: set makes it if there is none (name must outlive the instance;
 * at most ATTEST_INSTANCE_PARAMETERS of them), get gives NULL then. */
fmpq *attest_instance_set(attest_instance *instance, const char *name);
const fmpq *attest_instance_get(const attest_instance *instance, const char *name);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
