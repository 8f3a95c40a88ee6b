/* registry.h -- the tables of statements and properties.
 *
 * A statement is a theorem, a lemma or a definition. It has one name everywhere: props/NAME.c,
 * proofs-notes/NAME.md, src/theory/NAME.c, tests/theory/NAME.c. Statements whose properties
 * share their code share a file. */
#ifndef ATTEST_PROPS_REGISTRY_H
#define ATTEST_PROPS_REGISTRY_H

#include "campaign/property.h"

/* The table of properties. A new property is a file and a line here. */
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

/* Sets the loaded properties, in which attest_property_get searches before the table. They
 * replace those of an earlier call; the array must not be freed. */
void attest_property_set_loaded(const attest_property *property, size_t count);

/* Returns the property of this name, or NULL; loaded properties come first. */
const attest_property *attest_property_get(const char *name);

/* A hypothesis; a campaign can drop it by name (--without). */
typedef struct attest_hypothesis {
    const char *name;
    const char *text;
} attest_hypothesis;

typedef struct attest_constant {
    const char *name;
    const char *text;
} attest_constant;

typedef struct attest_statement {
    const char *name;
    const char *title;                   /* one line */
    const char *source;                  /* where it is stated */
    const char *text;                    /* the statement itself */
    const attest_hypothesis *hypotheses; /* ended by a NULL name; NULL: none */
    const attest_constant *constants;    /* ended by a NULL name; NULL: none */
    const char *decided_by;              /* the arithmetic that decides an instance */
    const char *note;                    /* its proof, in proofs-notes/; NULL: none yet */
    const char *machine; /* the part that a proof checker has checked; NULL: none */
} attest_statement;

/* The table of statements, in the order of the paper. A new statement is a file and a line
 * here. */
#define ATTEST_STATEMENTS(X)                                                                   \
    X(separated)                                                                               \
    X(separatedness)                                                                           \
    X(contextual)                                                                              \
    X(kernel)                                                                                  \
    X(reference)                                                                               \
    X(theorem1)                                                                                \
    X(two_layers)                                                                              \
    X(boltzmann)                                                                               \
    X(lemma1)                                                                                  \
    X(lemma_f)                                                                                 \
    X(sharp_gap)                                                                               \
    X(zero_test)                                                                               \
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

#define ATTEST_STATEMENT_DECLARE(name) extern const attest_statement attest_statement_##name;
ATTEST_STATEMENTS(ATTEST_STATEMENT_DECLARE)
#undef ATTEST_STATEMENT_DECLARE

/* The same as an array, ended by NULL. */
extern const attest_statement *const attest_statements[];

/* Returns the statement of this name, or NULL; hyphens are accepted for underscores. */
const attest_statement *attest_statement_get(const char *name);

#endif
