/* properties.h -- the table of properties. A new one is a file and a line here. */
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

/* Adds loaded properties to those that attest_property_get finds; the array must not be freed.
 */
void attest_property_add(const attest_property *property, size_t count);

/* Returns the property of this name, or NULL. */
const attest_property *attest_property_get(const char *name);

#endif
