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
    size_t place; /* of its layer in the source's list */
    size_t layer; /* the layer's number */
    size_t head;
} attest_audit_head_place;

/* What a format does to all heads together. */
typedef struct attest_audit_heads_total {
    attest_audit_cell cell; /* largest errors, means over positions, sums of counts */
    size_t worst;           /* the head of the largest relative error */
    size_t pair_head;       /* that of the pair in cell.pairs */
} attest_audit_heads_total;

typedef struct attest_audit_heads {
    /* What is asked for. */
    attest_qkv_source *source;
    attest_qkv qkv;                   /* its options */
    const attest_model_stream *model; /* that formed it, or NULL */
    bool all;                         /* of the model or of the layer; else one head: */
    bool has_layer, has_head;         /* which, else the first */
    size_t layer, head;
    attest_simulated_arithmetic like;
    size_t formats;
    const attest_format *format;
    const attest_judge_model
        *kernel; /* NULL, or what the last format stands for: its outputs' */
    size_t most; /* positions of a head */
    size_t jobs;
    const char *parts;    /* or NULL: a folder with heads that are done, heads_parts.h */
    size_t shard, shards; /* with parts: this one's heads only, 1 .. shards; 0: join all */
    attest_progress progress;
    /* What was found. */
    size_t layers;   /* in the source, of which `place` lists the heads that were audited */
    size_t of_heads; /* all heads of the source */
    size_t count;    /* heads that were audited */
    attest_audit_head_place *place;
    size_t batch, heads, key_heads, queries, keys, dim, value_dim; /* of the first layer */
    attest_simulated_arithmetic *arithmetic;                       /* by format */
    attest_audit_cell *cell;                                       /* count * formats, shared */
    attest_audit_heads_total *total;                               /* by format */
} attest_audit_heads;

/* Zeroed, then nearest, shifted, sequential. */
void attest_audit_heads_init(attest_audit_heads *heads);
void attest_audit_heads_clear(attest_audit_heads *heads);

/* Audits them in jobs processes; the result does not depend on how many. With a shard, its
 * heads go to the folder of parts, those that are there already stay, and there are no totals;
 * with parts alone all heads come from there. Status: USAGE (no such layer or head, an
 * arithmetic that evaluate_in_double.h cannot simulate, or parts that are missing), FORMAT,
 * UNABLE, NOMEM, IO. Texts begin with the layer where there are several. */
attest_status attest_audit_heads_run(attest_audit_heads *heads,
                                     attest_error *error) ATTEST_WARN_UNUSED;

attest_audit_verdict attest_audit_cell_verdict(const attest_audit_cell *cell);

/* result = the cell as a result of an audit, to be cleared: for its sentence and for gates. */
void attest_audit_cell_result(attest_audit_result *result, const attest_audit_cell *cell,
                              const attest_simulated_arithmetic *arithmetic);

/* What is audited, and in which arithmetic: members of an object. */
void attest_audit_heads_write_question(attest_json *json, const attest_audit_heads *heads,
                                       const attest_audit_origin *origin);

/* All members of a record. */
void attest_audit_heads_write(attest_json *json, const attest_audit_heads *heads,
                              const attest_audit_origin *origin);

#endif
