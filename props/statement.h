/* statement.h -- the description of a statement: a theorem, a lemma, a definition.
 *
 * A statement has one name everywhere: props/NAME.c, proofs-notes/NAME.md, src/theory/NAME.c,
 * tests/theory/NAME.c. */
#ifndef ATTEST_PROPS_STATEMENT_H
#define ATTEST_PROPS_STATEMENT_H

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

/* The table, in the order of the paper. A new statement is a file and a line here. */
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
