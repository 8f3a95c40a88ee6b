/* properties.h -- the table of properties. Adding one is one file and one line here. */
#ifndef ATTEST_PROPS_PROPERTIES_H
#define ATTEST_PROPS_PROPERTIES_H

#include "campaign/property.h"

#define ATTEST_PROPERTIES(X)                                                                   \
    X(separated)                                                                               \
    X(separatedness)                                                                           \
    X(separatedness_monotone)                                                                  \
    X(separatedness_search)                                                                    \
    X(contextual)                                                                              \
    X(contextual_relations)                                                                    \
    X(certificate)                                                                             \
    X(filter)                                                                                  \
    X(kernel)                                                                                  \
    X(reference)                                                                               \
    X(theorem1)                                                                                \
    X(theorem1_search)                                                                         \
    X(two_layers)                                                                              \
    X(boltzmann)                                                                               \
    X(lemma1)                                                                                  \
    X(lemma_f)                                                                                 \
    X(sharp_gap)                                                                               \
    X(zero_test)                                                                               \
    X(zero_test_outputs)                                                                       \
    X(theorem2)                                                                                \
    X(masked)                                                                                  \
    X(tuned)                                                                                   \
    X(memorize)                                                                                \
    X(parameters)                                                                              \
    X(positional)                                                                              \
    X(approximate)                                                                             \
    X(softmax_limit)                                                                           \
    X(softmax_range)                                                                           \
    X(softmax_jacobian)                                                                        \
    X(equivariance)                                                                            \
    X(float_equivariance)                                                                      \
    X(float_length)                                                                            \
    X(projection)                                                                              \
    X(judge)                                                                                   \
    X(saturation)                                                                              \
    X(collapse)

#define ATTEST_PROPERTY_DECLARE(name) extern const attest_property attest_property_##name;
ATTEST_PROPERTIES(ATTEST_PROPERTY_DECLARE)
#undef ATTEST_PROPERTY_DECLARE

/* The same as an array, ended by NULL. */
extern const attest_property *const attest_properties[];

/* Properties of a user's own, which get finds from now on: an array that stays where it is. */
void attest_property_add(const attest_property *property, size_t count);

/* The property of this name, or NULL. */
const attest_property *attest_property_get(const char *name);

#endif
