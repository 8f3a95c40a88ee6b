/* heads.c -- an audit of recorded queries, keys and values: every layer, every head. */
#include "audit/heads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/head_evaluate.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "judge/model_field.h"

void attest_audit_heads_init(attest_audit_heads *heads)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};

    memset(heads, 0, sizeof *heads);
    attest_simulated_arithmetic_init(&heads->like, &binary64);
    heads->most = 1024;
    heads->jobs = 1;
}

void attest_audit_heads_clear(attest_audit_heads *heads)
{
    free(heads->place);
    free(heads->arithmetic);
    free(heads->total);
    attest_shared_free(heads->cell, heads->count * heads->formats, sizeof *heads->cell);
}

/* Prefixes the error of a layer with file and layer. */
static attest_status name_layer(const attest_audit_heads *heads, size_t place,
                                attest_status status, attest_error *error)
{
    char layer[32];

    snprintf(layer, sizeof layer, "layer %zu", heads->source->layer[place]);
    if ((status == ATTEST_FORMAT || status == ATTEST_USAGE) && heads->source->layered)
        attest_error_prefix(error, status, layer);
    return attest_input_locate(&heads->source->file[0].input, status, error);
}

/* Reads a layer. */
static attest_status open_layer(attest_judge_problem *problem, const attest_audit_heads *heads,
                                attest_qkv *qkv, size_t place, attest_error *error)
{
    ATTEST_TRY(attest_qkv_source_read(qkv, heads->source, place, error));
    return name_layer(heads, place, attest_judge_problem_init(problem, qkv, error), error);
}

/* Lists the requested heads of a layer. */
static attest_status list_layer(attest_audit_heads *heads, size_t *room, size_t place,
                                const attest_judge_problem *x, attest_error *error)
{
    size_t layer = heads->source->layer[place];
    bool wanted = heads->has_layer ? layer == heads->layer : heads->all || place == 0;

    heads->of_heads += x->heads;
    if (place == 0) {
        heads->batch = x->batch;
        heads->heads = x->heads;
        heads->key_heads = x->key_heads;
        heads->queries = x->queries;
        heads->keys = x->keys;
        heads->dim = x->dim;
        heads->value_dim = x->value_dim;
    }
    if (!heads->all && wanted && heads->has_head && heads->head >= x->heads)
        return attest_error_set(error, ATTEST_USAGE,
                                "there is no head %zu: the layer has heads 0 to %zu",
                                heads->head, x->heads - 1);
    for (size_t h = 0; h < x->heads; h++) {
        if (!wanted || !(heads->all || h == (heads->has_head ? heads->head : 0)))
            continue;
        if (!attest_memory_grow(&heads->place, room, heads->count + 1, sizeof *heads->place))
            return attest_memory_fail(error);
        heads->place[heads->count++] = (attest_audit_head_place){place, layer, h};
    }
    return ATTEST_OK;
}

/* Reads every layer once, and lists the heads. */
static attest_status list_heads(attest_audit_heads *heads, attest_error *error)
{
    size_t room = 0;

    heads->layers = heads->source->layers;
    for (size_t p = 0; p < heads->layers; p++) {
        attest_judge_problem problem;
        attest_status status;

        ATTEST_TRY(open_layer(&problem, heads, &heads->qkv, p, error));
        status = list_layer(heads, &room, p, &problem, error);
        attest_judge_problem_clear(&problem);
        ATTEST_TRY(name_layer(heads, p, status, error));
    }
    if (heads->count == 0)
        return attest_input_locate(
            &heads->source->file[0].input,
            attest_error_set(error, ATTEST_USAGE, "there is no layer %zu", heads->layer),
            error);
    return ATTEST_OK;
}

static attest_status set_arithmetics(attest_audit_heads *heads, attest_error *error)
{
    heads->arithmetic = attest_memory_alloc(heads->formats, sizeof *heads->arithmetic);
    heads->total = attest_memory_alloc(heads->formats, sizeof *heads->total);
    if (!heads->arithmetic || !heads->total)
        return attest_memory_fail(error);
    for (size_t f = 0; f < heads->formats; f++) {
        heads->arithmetic[f] = heads->like;
        heads->arithmetic[f].format = heads->format[f];
        if (!(heads->kernel && f + 1 == heads->formats) &&
            !attest_audit_head_simulation_fits(&heads->arithmetic[f]))
            return attest_error_set(
                error, ATTEST_USAGE,
                "recorded heads can be audited in binary64 and in formats of at most 25 "
                "bits; %s or its accumulator is neither",
                heads->format[f].name);
    }
    return ATTEST_OK;
}

/* Counters that the workers share. */
typedef struct shared {
    atomic_size_t done;
    atomic_size_t failed; /* 1 + a head that failed; 0: none */
} shared;

/* The state of each worker. */
typedef struct pool {
    attest_audit_heads *heads;
    const attest_audit_parts *parts; /* or NULL */
    size_t first, count;             /* the heads that are worked on */
    shared *shared;
    pid_t caller;
    attest_qkv qkv;
    attest_judge_problem problem;
    bool open;
    size_t place;
} pool;

static attest_status run_head(pool *p, size_t i, attest_error *error)
{
    attest_audit_heads *heads = p->heads;
    const attest_audit_head_place *at = &heads->place[i];

    if (p->open && p->place != at->place) {
        attest_judge_problem_clear(&p->problem);
        p->open = false;
    }
    if (!p->open) {
        ATTEST_TRY(open_layer(&p->problem, heads, &p->qkv, at->place, error));
        p->open = true;
        p->place = at->place;
    }
    return name_layer(heads, at->place,
                      attest_audit_head_run(heads->cell + i * heads->formats, &p->problem,
                                            at->head, heads->arithmetic, heads->formats,
                                            heads->kernel, heads->most, error),
                      error);
}

/* Runs head i unless the directory of parts contains it. */
static attest_status do_head(pool *p, size_t i, attest_error *error)
{
    bool computed = false;

    if (p->parts)
        ATTEST_TRY(attest_audit_parts_read(&computed, p->parts, p->heads, i, error));
    if (computed)
        return ATTEST_OK;
    ATTEST_TRY(run_head(p, i, error));
    return p->parts ? attest_audit_parts_write(p->parts, p->heads, i, error) : ATTEST_OK;
}

static bool work(void *context, size_t item)
{
    pool *p = context;
    attest_audit_heads *heads = p->heads;
    size_t i = p->first + item, done;
    attest_error error;

    if (do_head(p, i, &error) != ATTEST_OK) {
        size_t none = 0;
        atomic_compare_exchange_strong(&p->shared->failed, &none, i + 1);
        return false;
    }
    done = atomic_fetch_add(&p->shared->done, 1) + 1;
    if (getpid() == p->caller)
        attest_progress_report(&heads->progress, "heads", done, p->count, NULL);
    return true;
}

/* Audits the heads from first on. One that fails in a worker is run again in this process for
 * its error message. */
static attest_status run_pool(attest_audit_heads *heads, const attest_audit_parts *parts,
                              size_t first, size_t count, attest_error *error)
{
    ATTEST_SHARED(shared, counters, 1);
    pool p = {.heads = heads,
              .parts = parts,
              .first = first,
              .count = count,
              .shared = counters,
              .caller = getpid(),
              .qkv = heads->qkv};
    attest_status status;

    if (!counters)
        return attest_memory_fail(error);
    attest_progress_report(&heads->progress, "heads", 0, count, NULL);
    status = attest_workers_run(work, &p, count, heads->jobs, error);
    attest_progress_end(&heads->progress);
    if (atomic_load(&counters->failed) > 0) {
        attest_status again = do_head(&p, atomic_load(&counters->failed) - 1, error);
        status = again == ATTEST_OK ? status : again;
    }
    if (p.open)
        attest_judge_problem_clear(&p.problem);
    return status;
}

/* Joins two means: *mean is that of *count numbers. */
static void add_mean(double *mean, size_t *count, double other, size_t others)
{
    if (others == 0)
        return;
    *mean = (*mean * (double)*count + other * (double)others) / (double)(*count + others);
    *count += others;
}

static void add_pairs(attest_audit_pairs *to, const attest_audit_pairs *from)
{
    to->positions += from->positions;
    to->required += from->required;
    to->apart += from->apart;
    to->by_rounding += from->by_rounding;
    to->merged += from->merged;
    if (from->kind > to->kind) {
        to->kind = from->kind;
        memcpy(to->pair, from->pair, sizeof to->pair);
    }
}

static void add_errors(attest_audit_errors *to, const attest_audit_errors *from)
{
    if (from->entries == 0)
        return;
    if (to->entries == 0 || attest_audit_size_compare(from->max_ulp, to->max_ulp) > 0)
        to->max_ulp = from->max_ulp;
    to->mean_ulp =
        attest_audit_size_mean(to->mean_ulp, to->entries, from->mean_ulp, from->entries);
    to->entries += from->entries;
    to->unresolved += from->unresolved;
    to->unlimited = to->unlimited || from->unlimited;
}

/* Joins the bounds of two cells: the total has a bound only if every cell has one. Must run
 * before add_errors, which counts the entries. */
static void add_bound(attest_audit_cell *to, const attest_audit_cell *from)
{
    bool first = to->errors.entries == 0;

    if (from->errors.entries == 0)
        return;
    to->has_bound = from->has_bound && (first || to->has_bound);
    if (to->has_bound &&
        (first || attest_audit_size_compare(from->errors.bound_ulp, to->errors.bound_ulp) > 0))
        to->errors.bound_ulp = from->errors.bound_ulp;
}

static void add_cell(attest_audit_heads_total *total, const attest_audit_cell *cell,
                     size_t number)
{
    attest_audit_cell *to = &total->cell;
    attest_audit_deviation *d = &to->deviation;

    to->positions += cell->positions;
    to->nonfinite += cell->nonfinite;
    to->saturated += cell->saturated;
    to->escaped = to->escaped || cell->escaped;
    if (cell->deviation.positions > 0 && (d->positions == 0 || cell->deviation.max > d->max)) {
        d->max = cell->deviation.max;
        to->worst_batch = cell->worst_batch;
        to->worst_row = cell->worst_row;
        total->worst = number;
    }
    add_mean(&d->mean, &d->positions, cell->deviation.mean, cell->deviation.positions);
    to->weights_error.max = fmax(to->weights_error.max, cell->weights_error.max);
    to->weights_error.changed += cell->weights_error.changed;
    add_mean(&to->weights_error.mean, &to->weights_error.rows, cell->weights_error.mean,
             cell->weights_error.rows);
    if (cell->pairs.kind > to->pairs.kind)
        total->pair_head = number;
    add_pairs(&to->pairs, &cell->pairs);
    add_bound(to, cell);
    add_errors(&to->errors, &cell->errors);
}

/* Reads the results of all heads from the directory of parts. */
static attest_status join_parts(attest_audit_heads *heads, const attest_audit_parts *parts,
                                attest_error *error)
{
    size_t missing = 0;
    bool exists;

    for (size_t i = 0; i < heads->count; i++) {
        ATTEST_TRY(attest_audit_parts_read(&exists, parts, heads, i, error));
        missing += !exists;
    }
    if (missing > 0)
        return attest_error_set(
            error, ATTEST_USAGE,
            "%s: the results of %zu of %zu heads are missing: --shard K/N computes them",
            parts->directory, missing, heads->count);
    return ATTEST_OK;
}

static attest_status fill_cells(attest_audit_heads *heads, attest_error *error)
{
    size_t part = heads->shard - 1, n = heads->shards;
    attest_audit_parts parts;

    if (!heads->parts)
        return run_pool(heads, NULL, 0, heads->count, error);
    ATTEST_TRY(attest_audit_parts_open(&parts, heads, error));
    if (heads->shard == 0)
        return join_parts(heads, &parts, error);
    return run_pool(heads, &parts, part * heads->count / n,
                    (part + 1) * heads->count / n - part * heads->count / n, error);
}

static attest_status add_totals(attest_audit_heads *heads, attest_error *error)
{
    for (size_t i = 0; i < heads->count; i++)
        for (size_t f = 0; f < heads->formats; f++)
            add_cell(&heads->total[f], &heads->cell[i * heads->formats + f], i);
    for (size_t f = 0; f < heads->formats; f++)
        if (heads->total[f].cell.escaped)
            return attest_error_set(error, ATTEST_USAGE,
                                    "numbers of %s leave the range of doubles: give it bounds, "
                                    "%s:emin=E:emax=E",
                                    heads->format[f].name, heads->format[f].name);
    return ATTEST_OK;
}

attest_status attest_audit_heads_run(attest_audit_heads *heads, attest_error *error)
{
    ATTEST_TRY(set_arithmetics(heads, error));
    ATTEST_TRY(list_heads(heads, error));
    heads->cell = attest_shared_alloc(heads->count * heads->formats, sizeof *heads->cell);
    if (!heads->cell)
        return attest_memory_fail(error);
    ATTEST_TRY(fill_cells(heads, error));
    return heads->shard ? ATTEST_OK : add_totals(heads, error);
}

void attest_audit_cell_result(attest_audit_result *result, const attest_audit_cell *cell,
                              const attest_simulated_arithmetic *arithmetic)
{
    attest_audit_result_init(result, arithmetic);
    result->verdict = cell->pairs.merged > 0 ? ATTEST_AUDIT_COLLAPSES
                      : cell->nonfinite > 0  ? ATTEST_AUDIT_FAILS
                                             : ATTEST_AUDIT_SURVIVES;
    fmpz_set_ui(result->collisions.pairs, cell->pairs.merged);
    result->collisions.nonfinite = cell->nonfinite;
    result->saturated = cell->saturated;
    result->deviation = cell->deviation;
    result->weights_error = cell->weights_error;
    result->pairs = cell->pairs;
    result->errors = cell->errors;
    result->has_errors = true;
    result->has_bound = cell->has_bound;
}

/* The record. */

static void write_cell(attest_json *json, const attest_audit_cell *cell,
                       const attest_simulated_arithmetic *arithmetic)
{
    attest_audit_result result ATTEST_CLEARED_BY(attest_audit_result_clear);

    attest_audit_cell_result(&result, cell, arithmetic);
    attest_audit_write_result(json, &result, (attest_place){cell->worst_batch, cell->worst_row},
                              NULL, NULL);
}

static void write_head(attest_json *json, const char *key, const attest_audit_heads *heads,
                       size_t i)
{
    attest_json_write_object(json, key);
    attest_json_write_count(json, "layer", heads->place[i].layer);
    attest_json_write_count(json, "head", heads->place[i].head);
    attest_json_write_close(json);
}

static void write_formats(attest_json *json, const attest_audit_heads *heads)
{
    attest_json_write_array(json, "formats");
    for (size_t f = 0; f < heads->formats; f++) {
        const attest_audit_heads_total *total = &heads->total[f];

        attest_json_write_object(json, NULL);
        write_cell(json, &total->cell, &heads->arithmetic[f]);
        write_head(json, "worst_head", heads, total->worst);
        if (total->cell.pairs.kind != ATTEST_AUDIT_APART)
            write_head(json, "pair_head", heads, total->pair_head);
        else
            attest_json_write_null(json, "pair_head");
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_heads(attest_json *json, const attest_audit_heads *heads)
{
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < heads->count; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "layer", heads->place[i].layer);
        attest_json_write_count(json, "head", heads->place[i].head);
        attest_json_write_array(json, "formats");
        for (size_t f = 0; f < heads->formats; f++) {
            attest_json_write_object(json, NULL);
            write_cell(json, &heads->cell[i * heads->formats + f], &heads->arithmetic[f]);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* The model that computed the tensors. */
static void write_model(attest_json *json, const attest_model_stream *model)
{
    if (!model) {
        attest_json_write_null(json, "model");
        return;
    }
    attest_json_write_object(json, "model");
    attest_json_write_string(json, "path", model->model);
    attest_json_write_string(json, "sha256", model->sha256[0] ? model->sha256 : NULL);
    attest_json_write_string(json, "arch", model->arch);
    attest_json_write_string(json, "stream", model->name);
    attest_json_write_count(json, "rotary", model->rotary);
    attest_json_write_bool(json, "alibi", model->alibi);
    attest_json_write_bool(json, "head_norms", model->key_norm);
    attest_json_write_close(json);
}

/* The input. */
static void write_qkv(attest_json *json, const attest_audit_heads *heads,
                      const attest_audit_origin *origin)
{
    static const char *const causal[] = {NULL, "bottom-right", "top-left"};
    const attest_qkv *qkv = &heads->qkv;

    attest_json_write_object(json, "qkv");
    attest_json_write_string(json, "path", origin->data);
    attest_json_write_string(json, "sha256", origin->data_sha256);
    attest_json_write_count(json, "layers", heads->layers);
    attest_json_write_count(json, "heads", heads->heads);
    attest_json_write_count(json, "key_heads", heads->key_heads);
    attest_json_write_count(json, "of_heads", heads->of_heads);
    attest_json_write_count(json, "audited", heads->count);
    attest_json_write_count(json, "batch", heads->batch);
    attest_json_write_count(json, "queries", heads->queries);
    attest_json_write_count(json, "keys", heads->keys);
    attest_json_write_count(json, "dim", heads->dim);
    attest_json_write_count(json, "value_dim", heads->value_dim);
    attest_json_write_count(json, "positions", heads->cell[0].positions);
    attest_json_write_string(json, "scale", qkv->scale ? qkv->scale : "rsqrt");
    attest_json_write_string(json, "causal", causal[qkv->causal]);
    attest_json_write_string(json, "softcap", qkv->softcap);
    attest_json_write_string(json, "mask", heads->source->names.name[ATTEST_QKV_MASK]);
    attest_json_write_string(json, "sink", heads->source->names.name[ATTEST_QKV_SINK]);
    if (qkv->windowed) {
        attest_json_write_array(json, "window");
        attest_json_write_integer(json, NULL, qkv->left);
        attest_json_write_integer(json, NULL, qkv->right);
        attest_json_write_close(json);
    } else {
        attest_json_write_null(json, "window");
    }
    write_model(json, heads->model);
    attest_json_write_close(json);
}

static void write_kernel(attest_json *json, const attest_audit_heads *heads)
{
    if (!heads->kernel)
        return;
    attest_json_write_object(json, "kernel_model");
    attest_judge_model_write_json(json, "model", heads->kernel);
    attest_json_write_close(json);
}

void attest_audit_heads_write_input(attest_json *json, const attest_audit_heads *heads,
                                    const attest_audit_origin *origin)
{
    write_qkv(json, heads, origin);
    attest_audit_write_arithmetic(json, &heads->like);
    attest_json_write_array(json, "formats");
    for (size_t f = 0; f < heads->formats; f++) {
        attest_json_write_object(json, NULL);
        attest_audit_write_format(json, &heads->format[f]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    write_kernel(json, heads);
}

void attest_audit_heads_write(attest_json *json, const attest_audit_heads *heads,
                              const attest_audit_origin *origin)
{
    attest_json_write_format(json, "attest/audit");
    write_qkv(json, heads, origin);
    attest_audit_write_arithmetic(json, &heads->like);
    attest_audit_write_maker(json);
    write_formats(json, heads);
    attest_json_write_null(json, "collapse_bits");
    attest_json_write_null(json, "certified_bits");
    attest_json_write_null(json, "theory_bits");
    write_kernel(json, heads);
    write_heads(json, heads);
}
