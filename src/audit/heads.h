/* heads.h -- an audit of recorded queries, keys and values: every layer, every head. */
#ifndef ATTEST_AUDIT_HEADS_H
#define ATTEST_AUDIT_HEADS_H

#include <attest/progress.h>

#include "audit/audit.h"
#include "audit/record.h"
#include "audit/head_audit.h"
#include "io/json_write.h"
#include "model/model_qkv.h"
#include "model/qkv.h"

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
    const char *parts;    /* NULL, or the directory of per-head results (heads_parts.h) */
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
 * shard, the results of its heads are written to the directory of parts unless they are there,
 * and no totals are computed; with parts alone, the results of all heads are read from there.
 * Status: USAGE (no such layer or head, an arithmetic that evaluate_in_double.h cannot
 * simulate, or parts that are missing), FORMAT, UNABLE, NOMEM, IO. Error texts begin with the
 * layer where there are several. */
attest_status attest_audit_heads_run(attest_audit_heads *heads,
                                     attest_error *error) ATTEST_WARN_UNUSED;

attest_audit_verdict attest_audit_cell_verdict(const attest_audit_cell *cell);

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

#endif
