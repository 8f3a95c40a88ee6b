/* heads.h -- an audit of recorded queries, keys and values: every layer, every head. */
#ifndef ATTEST_AUDIT_HEADS_H
#define ATTEST_AUDIT_HEADS_H

#include <attest/progress.h>

#include "audit/audit.h"
#include "audit/record.h"
#include "io/json_write.h"
#include "judge/model.h"
#include "judge/problem.h"
#include "model/model_qkv.h"
#include "model/qkv.h"

/* The result for a head in one arithmetic. */
typedef struct attest_audit_cell {
    size_t positions; /* that were audited */
    size_t nonfinite; /* positions with an entry that is not finite */
    size_t saturated; /* entries whose absolute value is the format's largest number */
    bool escaped;     /* a number left the range of doubles: the rest is invalid */
    attest_audit_deviation deviation; /* without its distances */
    size_t worst_batch, worst_row;    /* where the relative error is largest */
    attest_audit_weights_error weights_error;
    attest_audit_pairs pairs;
    attest_audit_errors errors;
    bool has_bound; /* errors.bound_ulp is one: bound_head.c */
} attest_audit_cell;

/* cell[f] = the result of arithmetic f for a head, at no more than `most` of its positions,
 * (batch, row) in order, at equal steps; rows that see no key are left out. Two positions must
 * be told apart unless they have the same query and see the same keys and values equally often.
 * kernel: NULL, or the model that the last arithmetic, its output format, stands for
 * (head_evaluate.h); its weights are not measured. Domain: head_evaluate.h can simulate
 * all others. Status: FORMAT (a number that is not finite), USAGE (a kernel that cannot be
 * run), NOMEM. */
attest_status attest_audit_head_run(attest_audit_cell *cell,
                                    const attest_judge_problem *problem, size_t head,
                                    const attest_simulated_arithmetic *arithmetic,
                                    size_t arithmetics, const attest_judge_model *kernel,
                                    size_t most, attest_error *error) ATTEST_WARN_UNUSED;

/* A head of a model. */
typedef struct attest_audit_head_place {
    size_t place; /* index of its layer in the source */
    size_t layer; /* the layer's number */
    size_t head;
} attest_audit_head_place;

/* The result of a format over all heads. */
typedef struct attest_audit_heads_total {
    attest_audit_cell cell; /* largest errors, means over positions, sums of counts */
    size_t worst;           /* the head of the largest relative error */
    size_t pair_head;       /* that of the pair in cell.pairs */
} attest_audit_heads_total;

typedef struct attest_audit_heads {
    /* Input. */
    attest_qkv_source *source;
    attest_qkv qkv;                   /* its options */
    const attest_model_stream *model; /* the model that computed the tensors, or NULL */
    bool all; /* audit all heads, of the model or of the layer; else one head: */
    bool has_layer, has_head; /* which, else the first */
    size_t layer, head;
    attest_simulated_arithmetic like;
    size_t formats;
    const attest_format *format;
    const attest_judge_model *kernel; /* NULL, or the kernel model that the last format, its
                                         output format, stands for */
    size_t most;                      /* limit on the positions of a head */
    size_t jobs;
    const char *parts;    /* NULL, or the directory of per-head results (below) */
    size_t shard, shards; /* with parts: audit the heads of this shard, 1 .. shards; 0: merge
                             the results */
    attest_progress progress;
    /* Results. */
    size_t layers;   /* of the source */
    size_t of_heads; /* all heads of the source */
    size_t count;    /* heads that were audited, listed in place */
    attest_audit_head_place *place;
    size_t batch, heads, key_heads, queries, keys, dim, value_dim; /* of the first layer */
    attest_simulated_arithmetic *arithmetic;                       /* by format */
    attest_audit_cell *cell;                                       /* count * formats, shared */
    attest_audit_heads_total *total;                               /* by format */
} attest_audit_heads;

/* Sets defaults: rounding to nearest, shifted softmax, sequential sums, 1024 positions, one
 * job. */
void attest_audit_heads_init(attest_audit_heads *heads);
void attest_audit_heads_clear(attest_audit_heads *heads);

/* Audits the heads in `jobs` processes; the result does not depend on their number. With a
 * shard, the results of its heads are written to the directory of parts unless they exist,
 * and no totals are computed; with parts alone, the results of all heads are read from there.
 * Status: USAGE (no such layer or head, an arithmetic that head_evaluate.h cannot
 * simulate, or parts that are missing), FORMAT, UNABLE, NOMEM, IO. Error texts begin with the
 * layer where there are several. */
attest_status attest_audit_heads_run(attest_audit_heads *heads,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* result = the cell as the result of an audit, for its record and its conclusion. The caller
 * clears it. */
void attest_audit_cell_result(attest_audit_result *result, const attest_audit_cell *cell,
                              const attest_simulated_arithmetic *arithmetic);

/* Writes the members that describe the input and the arithmetic. */
void attest_audit_heads_write_input(attest_json *json, const attest_audit_heads *heads,
                                    const attest_audit_origin *origin);

/* Writes all members of a record. */
void attest_audit_heads_write(attest_json *json, const attest_audit_heads *heads,
                              const attest_audit_origin *origin);

/* Results of heads that were audited before or elsewhere: one file per head in a directory. */

/* A file contains the cells as they are in memory, so only the program that wrote it can read
 * it: its key is a hash of the program, the input and the arithmetic. */
typedef struct attest_audit_parts {
    const char *directory;
    char key[65];
} attest_audit_parts;

/* Creates the directory heads->parts if it does not exist. Domain: the heads are listed.
 * Status: IO, NOMEM. */
attest_status attest_audit_parts_open(attest_audit_parts *parts,
                                      const attest_audit_heads *heads,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* *exists = whether the file of head i exists; then its cells are read. Status: FORMAT (a file
 * of another audit or program, or a damaged one), IO, NOMEM. */
attest_status attest_audit_parts_read(bool *exists, const attest_audit_parts *parts,
                                      attest_audit_heads *heads, size_t i,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Writes the cells of head i. Concurrent writers write the same bytes. Status: IO, NOMEM. */
attest_status attest_audit_parts_write(const attest_audit_parts *parts,
                                       const attest_audit_heads *heads, size_t i,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
