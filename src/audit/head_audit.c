/* head_audit.c -- one head of recorded queries, keys and values: its audit in many arithmetics,
 * and its results as a file of the directory of parts. */
#include "audit/heads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <attest/version.h>

#include "audit/bound_head.h"
#include "audit/head_evaluate.h"
#include "audit/reference.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/workers.h"
#include "format/simulate_in_mpfr.h"

/* A hash of 128 bits of the query, the keys and the values that determine an output. */
typedef struct context {
    uint64_t half[2];
    uint32_t number; /* the position */
} context;

typedef struct recorded {
    const attest_judge_problem *problem;
    size_t head, count;
    size_t *position; /* batch * queries + row */
    context *context; /* by number */
    attest_contexts classes;
    attest_audit_reference reference;
    size_t formats;
    size_t simulated; /* the arithmetics that are simulated: all, or all but the last, which is
                         the kernel's */
    const attest_simulated_arithmetic *arithmetic; /* by format */
    attest_audit_head_simulation **simulation;
    attest_audit_head_bound *bound;  /* by simulated arithmetic */
    double **bounded;                /* by format: count * value_dim; NULL: none */
    const attest_judge_model *model; /* of the kernel, or NULL */
    attest_audit_head_kernel kernel;
    attest_audit_outputs *outputs; /* by format */
    attest_audit_head_reference exact;
    attest_judge_head rows; /* the batch entry at work */
    double *weight, *computed, off;
    arb_ptr out;
    context *key; /* hashes of keys with their values */
} recorded;

static attest_status outputs_init(attest_audit_outputs *outputs, size_t count, size_t dim,
                                  attest_error *error)
{
    *outputs = (attest_audit_outputs){
        .count = count, .dim = dim, .bytes = count * dim * sizeof *outputs->real};
    outputs->real = attest_shared_alloc(outputs->bytes, 1);
    return outputs->real ? ATTEST_OK : attest_memory_fail(error);
}

/* Positions at equal steps, and a reference with one sequence. */
static attest_status choose(recorded *r, size_t most, attest_error *error)
{
    const attest_judge_problem *x = r->problem;
    size_t total = x->batch * x->queries;

    r->count = total < most ? total : most;
    r->position = attest_memory_alloc(r->count, sizeof *r->position);
    r->context = attest_memory_alloc(r->count, sizeof *r->context);
    if (!r->position || !r->context)
        return attest_memory_fail(error);
    for (size_t i = 0; i < r->count; i++)
        r->position[i] = (size_t)((double)i * (double)total / (double)r->count);
    return ATTEST_OK;
}

/* The simulation and the bound of format f. */
static attest_status simulated_init(recorded *r, size_t f, attest_error *error)
{
    const attest_judge_problem *x = r->problem;
    const attest_simulated_arithmetic *arithmetic = &r->arithmetic[f];

    r->simulation[f] = attest_audit_head_simulation_new(arithmetic, x);
    if (!r->simulation[f])
        return attest_memory_fail(error);
    ATTEST_TRY(attest_audit_head_bound_init(&r->bound[f], arithmetic, x, error));
    r->bounded[f] = attest_memory_alloc(r->count * x->value_dim, sizeof **r->bounded);
    return r->bounded[f] ? ATTEST_OK : attest_memory_fail(error);
}

static attest_status recorded_init(recorded *r, size_t most, attest_error *error)
{
    const attest_judge_problem *x = r->problem;

    attest_contexts_init(&r->classes);
    attest_audit_head_reference_init(&r->exact, x);
    r->out = _arb_vec_init((slong)x->value_dim);
    r->simulation = attest_memory_alloc(r->formats, sizeof *r->simulation);
    r->outputs = attest_memory_alloc(r->formats, sizeof *r->outputs);
    r->bound = attest_memory_alloc(r->formats, sizeof *r->bound);
    r->bounded = attest_memory_alloc(r->formats, sizeof *r->bounded);
    r->weight = attest_memory_alloc(x->keys + 1, sizeof *r->weight);
    r->computed = attest_memory_alloc(x->keys + 1, sizeof *r->computed);
    r->key = attest_memory_alloc(x->keys, sizeof *r->key);
    if (!r->simulation || !r->outputs || !r->bound || !r->bounded || !r->weight ||
        !r->computed || !r->key)
        return attest_memory_fail(error);
    ATTEST_TRY(choose(r, most, error));
    for (size_t f = 0; f < r->formats; f++) {
        if (f < r->simulated)
            ATTEST_TRY(simulated_init(r, f, error));
        ATTEST_TRY(outputs_init(&r->outputs[f], r->count, x->value_dim, error));
    }
    if (r->model)
        ATTEST_TRY(attest_audit_head_kernel_init(&r->kernel, r->model, x, error));
    r->reference.bits = ATTEST_AUDIT_HEAD_BITS;
    r->reference.dim = r->reference.counted = x->value_dim;
    r->reference.middle = attest_in_mpfr_vector_init(
        &r->reference.middle_bytes, r->count * x->value_dim, ATTEST_AUDIT_HEAD_BITS + 64, true);
    r->reference.radius = attest_in_mpfr_vector_init(&r->reference.radius_bytes,
                                                     r->count * x->value_dim, 53, true);
    r->reference.start = attest_memory_alloc(2, sizeof *r->reference.start);
    r->reference.sequence = attest_memory_alloc(1, sizeof *r->reference.sequence);
    if (!r->reference.middle || !r->reference.radius || !r->reference.start ||
        !r->reference.sequence)
        return attest_memory_fail(error);
    return attest_judge_head_init(&r->rows, x, error);
}

static void recorded_clear(recorded *r)
{
    attest_audit_head_reference_clear(&r->exact);
    _arb_vec_clear(r->out, (slong)r->problem->value_dim);
    for (size_t f = 0; f < r->formats; f++) {
        if (r->simulation)
            attest_audit_head_simulation_free(r->simulation[f]);
        if (r->outputs)
            attest_audit_outputs_clear(&r->outputs[f]);
        if (r->bound && f < r->simulated)
            attest_audit_head_bound_clear(&r->bound[f]);
        if (r->bounded)
            free(r->bounded[f]);
    }
    attest_audit_head_kernel_clear(&r->kernel);
    free(r->simulation);
    free(r->bound);
    free(r->bounded);
    free(r->outputs);
    free(r->weight);
    free(r->computed);
    free(r->key);
    free(r->position);
    free(r->context);
    attest_contexts_clear(&r->classes);
    attest_audit_reference_clear(&r->reference);
    attest_judge_head_clear(&r->rows);
}

/* Continues a hash of 128 bits, whose halves have different seeds. */
static context hash(context start, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double number = x[i] + 0.0; /* -0 is 0 */
        uint64_t bits;

        memcpy(&bits, &number, sizeof bits);
        for (int k = 0; k < 2; k++)
            start.half[k] = attest_random_mix(start.half[k] ^ bits) + (uint64_t)k;
    }
    return start;
}

static attest_status load_batch(recorded *r, attest_error *error)
{
    const attest_judge_problem *x = r->problem;

    attest_audit_head_reference_load(&r->exact, &r->rows);
    for (size_t f = 0; f < r->simulated; f++) {
        attest_audit_head_simulation_load(r->simulation[f], &r->rows);
        attest_audit_head_bound_load(&r->bound[f], &r->rows);
    }
    if (r->model)
        ATTEST_TRY(attest_audit_head_kernel_load(&r->kernel, r->rows.batch, r->head, error));
    for (size_t j = 0; j < x->keys; j++)
        r->key[j] = hash(hash((context){{1, 2}, 0}, r->rows.k + j * x->dim, x->dim),
                         r->rows.v + j * x->value_dim, x->value_dim);
    return ATTEST_OK;
}

/* *seen = a hash of the row's query and of the set of keys that it sees. Returns false if it
 * sees no key.
 */
static bool hash_context(context *seen, recorded *r, size_t row)
{
    const attest_judge_problem *x = r->problem;
    context sum = {{0, 0}, 0};
    size_t count = 0;
    attest_judge_row keys;

    attest_judge_head_get_row(&keys, &r->rows, row);
    for (size_t j = keys.first; j < keys.last; j++) {
        context key = r->key[j];

        if (keys.bias && !(keys.bias[j - keys.first] > -(double)INFINITY))
            continue;
        if (keys.bias)
            key = hash(key, &keys.bias[j - keys.first], 1);
        for (int k = 0; k < 2; k++)
            sum.half[k] += attest_random_mix(key.half[k]);
        count++;
    }
    *seen = hash(sum, r->rows.q + row * x->dim, x->dim);
    return count > 0;
}

/* Runs one position in all arithmetics, as number n. */
static void run_position(attest_audit_cell *cell, recorded *r, size_t n, size_t row)
{
    const attest_judge_problem *x = r->problem;

    attest_audit_head_reference_run(r->out, r->weight, &r->off, &r->exact, &r->rows, row);
    for (size_t c = 0; c < x->value_dim; c++)
        attest_audit_reference_set(&r->reference, n * x->value_dim + c, r->out + c);
    if (r->model)
        memcpy(r->outputs[r->simulated].real + n * x->value_dim,
               r->kernel.out + row * x->value_dim, x->value_dim * sizeof *r->kernel.out);
    for (size_t f = 0; f < r->simulated; f++) {
        attest_audit_head_simulation_run(r->outputs[f].real + n * x->value_dim, r->computed,
                                         r->simulation[f], &r->rows, row);
        attest_audit_head_bound_run(r->bounded[f] + n * x->value_dim, &r->bound[f], &r->rows,
                                    row);
        attest_audit_weights_error_add(&cell[f].weights_error, r->computed, r->weight, r->off,
                                       x->keys + 1);
    }
}

/* Runs all positions, batch entry by batch entry. */
static attest_status run_positions(attest_audit_cell *cell, recorded *r, attest_error *error)
{
    const attest_judge_problem *x = r->problem;
    size_t kept = 0, loaded = SIZE_MAX;

    for (size_t i = 0; i < r->count; i++) {
        size_t position = r->position[i], batch = position / x->queries;

        if (batch != loaded) {
            ATTEST_TRY(attest_judge_head_load(&r->rows, batch, r->head, error));
            ATTEST_TRY(load_batch(r, error));
            loaded = batch;
        }
        if (!hash_context(&r->context[kept], r, position % x->queries))
            continue;
        r->context[kept].number = (uint32_t)kept;
        run_position(cell, r, kept, position % x->queries);
        r->position[kept++] = position;
    }
    r->count = kept;
    r->reference.sequences = 1;
    r->reference.positions = r->reference.start[1] = kept;
    return ATTEST_OK;
}

static int compare(const void *left, const void *right)
{
    const context *a = left, *b = right;

    return memcmp(a->half, b->half, sizeof a->half);
}

/* Gives positions with equal contexts the same class. */
static attest_status classify(recorded *r, attest_error *error)
{
    uint32_t group = 0;

    r->classes.position = attest_memory_alloc(r->count, sizeof *r->classes.position);
    if (!r->classes.position)
        return attest_memory_fail(error);
    if (r->count > 0)
        qsort(r->context, r->count, sizeof *r->context, compare);
    for (size_t i = 0; i < r->count; i++) {
        group += i > 0 && compare(&r->context[i - 1], &r->context[i]) != 0;
        r->classes.position[r->context[i].number] = group;
    }
    return ATTEST_OK;
}

/* Compares the outputs of arithmetic f with the exact ones. */
static attest_status measure(attest_audit_cell *cell, const recorded *r, size_t f,
                             attest_error *error)
{
    const attest_audit_outputs *outputs = &r->outputs[f];
    const attest_format *format = &r->arithmetic[f].format;

    cell->positions = r->count;
    cell->escaped = f < r->simulated && attest_audit_head_simulation_escaped(r->simulation[f]);
    if (cell->weights_error.rows > 0)
        cell->weights_error.mean /= (double)cell->weights_error.rows;
    for (size_t p = 0; p < r->count; p++)
        cell->nonfinite += !attest_audit_outputs_finite(outputs, p);
    cell->saturated = attest_audit_outputs_saturated(outputs, format);
    ATTEST_TRY(attest_audit_errors_get(
        &cell->errors, outputs, NULL, &r->reference, format, r->bounded[f],
        f < r->simulated ? r->bound[f].model.unit_bits : 0, 1, error));
    cell->has_bound = r->bounded[f] && attest_audit_errors_known(&cell->errors) &&
                      isfinite(cell->errors.bound_ulp.part);
    ATTEST_TRY(
        attest_audit_deviation_get(&cell->deviation, outputs, NULL, &r->reference, error));
    if (cell->deviation.positions > 0) {
        cell->worst_batch = r->position[cell->deviation.worst] / r->problem->queries;
        cell->worst_row = r->position[cell->deviation.worst] % r->problem->queries;
    }
    ATTEST_TRY(attest_audit_pairs_get(&cell->pairs, outputs, NULL, &r->reference,
                                      &cell->deviation, &r->classes, 1, error));
    for (int i = 0; i < 2 && cell->pairs.kind != ATTEST_AUDIT_APART; i++) {
        size_t position = r->position[cell->pairs.pair[i].position];

        cell->pairs.pair[i] =
            (attest_place){position / r->problem->queries, position % r->problem->queries};
    }
    return ATTEST_OK;
}

attest_status attest_audit_head_run(attest_audit_cell *cell,
                                    const attest_judge_problem *problem, size_t head,
                                    const attest_simulated_arithmetic *arithmetic,
                                    size_t arithmetics, const attest_judge_model *kernel,
                                    size_t most, attest_error *error)
{
    recorded r ATTEST_CLEARED_BY(recorded_clear) = {.problem = problem,
                                                    .head = head,
                                                    .formats = arithmetics,
                                                    .simulated = arithmetics - (kernel != NULL),
                                                    .arithmetic = arithmetic,
                                                    .model = kernel};

    memset(cell, 0, arithmetics * sizeof *cell);
    ATTEST_TRY(recorded_init(&r, most, error));
    ATTEST_TRY(run_positions(cell, &r, error));
    ATTEST_TRY(classify(&r, error));
    for (size_t f = 0; f < arithmetics; f++) {
        attest_status status = measure(&cell[f], &r, f, error);

        attest_audit_deviation_forget(&cell[f].deviation);
        ATTEST_TRY(status);
    }
    return ATTEST_OK;
}

/* The results of a head as a file: key, newline, cells, and the hash of all that. */
enum { KEY = 64, HASH = 64 };

/* Adds the bytes of the program if they can be read: without a stream, which may lack the
 * memory for its buffer and then reads nothing. */
static void add_program(attest_sha256 *hash)
{
    unsigned char block[1 << 16];
    int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t count;

    while (program >= 0 && (count = read(program, block, sizeof block)) > 0)
        attest_sha256_add(hash, block, (size_t)count);
    if (program >= 0)
        close(program);
    attest_sha256_add(hash, attest_version(), strlen(attest_version()));
}

/* Adds the tensors that a model computed from its stream, without the names of its files. */
static void add_formed(attest_sha256 *hash, const attest_qkv_source *source)
{
    for (size_t i = 0; source->formed && i < source->layers; i++)
        for (size_t n = 0; n <= ATTEST_QKV_MASK; n++) {
            const attest_tensor *tensor = &source->formed[i].tensor[n];
            size_t count = tensor->data ? 1 : 0;

            for (int axis = 0; axis < 4; axis++)
                count *= tensor->shape[axis];
            attest_sha256_add(hash, tensor->shape, sizeof tensor->shape);
            attest_sha256_add(hash, tensor->data, count * sizeof(double));
        }
}

static void write_input(attest_json *json, const void *value)
{
    const attest_audit_heads *heads = value;
    attest_audit_origin origin = {.data_sha256 =
                                      attest_input_sha256(&heads->source->file[0].input)};

    attest_json_write_object(json, NULL);
    attest_audit_heads_write_input(json, heads, &origin);
    attest_json_write_count(json, "positions", heads->most);
    for (size_t n = 0; n <= ATTEST_QKV_V; n++)
        attest_json_write_string(json, "tensor", heads->source->names.name[n]);
    attest_json_write_close(json);
}

/* Sets the key: a hash of everything that the cells depend on. */
static attest_status make_key(attest_audit_parts *parts, const attest_audit_heads *heads,
                              attest_error *error)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    size_t size;
    char *text ATTEST_FREED = attest_json_format(&size, write_input, heads);
    attest_sha256 hash;

    if (!text)
        return attest_memory_fail(error);
    attest_sha256_init(&hash);
    add_program(&hash);
    attest_sha256_add(&hash, text, size);
    add_formed(&hash, heads->source);
    attest_sha256_get(digest, &hash);
    attest_sha256_format(parts->key, digest);
    return ATTEST_OK;
}

attest_status attest_audit_parts_open(attest_audit_parts *parts,
                                      const attest_audit_heads *heads, attest_error *error)
{
    parts->directory = heads->parts;
    if (mkdir(parts->directory, 0777) != 0 && errno != EEXIST)
        return attest_error_set(error, ATTEST_IO, "%s: cannot create the directory: %s",
                                parts->directory, strerror(errno));
    return make_key(parts, heads, error);
}

/* "DIR/layer-L-head-H"; the caller frees it. NULL: out of memory. */
static char *make_path(const attest_audit_parts *parts, const attest_audit_head_place *at)
{
    attest_text path;

    attest_text_init(&path);
    attest_text_printf(&path, "%s/layer-%zu-head-%zu", parts->directory, at->layer, at->head);
    return attest_text_take(&path);
}

static size_t cells_size(const attest_audit_heads *heads)
{
    return heads->formats * sizeof *heads->cell;
}

/* Copies the cells from the bytes of a file. */
static attest_status take_cells(attest_audit_heads *heads, size_t i,
                                const attest_audit_parts *parts, const attest_input *input,
                                attest_error *error)
{
    size_t size = cells_size(heads), body = KEY + 1 + size;
    char hash[HASH + 1];

    if (input->size < KEY || memcmp(input->data, parts->key, KEY) != 0)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "belongs to another audit, or to another build of this program: "
            "give --parts another directory");
    attest_sha256_hex(hash, input->data, input->size == body + HASH ? body : 0);
    if (input->size != body + HASH || memcmp(input->data + body, hash, HASH) != 0)
        return attest_error_set(error, ATTEST_FORMAT, "is damaged: remove it");
    memcpy(heads->cell + i * heads->formats, input->data + KEY + 1, size);
    return ATTEST_OK;
}

/* Reads the cells of head i from the file. */
static attest_status read_cells(attest_audit_heads *heads, size_t i,
                                const attest_audit_parts *parts, const char *path,
                                attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close);
    size_t most = KEY + 1 + cells_size(heads) + HASH + 1;
    attest_status status = attest_input_open_file(&input, path, most, error);

    if (status == ATTEST_UNABLE) /* too large for a file of this audit */
        return attest_error_set(error, ATTEST_FORMAT, "%s: is damaged: remove it", path);
    ATTEST_TRY(status);
    return attest_input_locate(&input, take_cells(heads, i, parts, &input, error), error);
}

attest_status attest_audit_parts_read(bool *exists, const attest_audit_parts *parts,
                                      attest_audit_heads *heads, size_t i, attest_error *error)
{
    char *path ATTEST_FREED = make_path(parts, &heads->place[i]);

    if (!path)
        return attest_memory_fail(error);
    *exists = access(path, F_OK) == 0 || errno != ENOENT;
    return *exists ? read_cells(heads, i, parts, path, error) : ATTEST_OK;
}

attest_status attest_audit_parts_write(const attest_audit_parts *parts,
                                       const attest_audit_heads *heads, size_t i,
                                       attest_error *error)
{
    char *path ATTEST_FREED = make_path(parts, &heads->place[i]);
    unsigned char digest[ATTEST_SHA256_SIZE];
    const void *cells = heads->cell + i * heads->formats;
    attest_output output;
    attest_sha256 hash;
    char hex[HASH + 1];

    if (!path)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_output_open_file(&output, path, error));
    attest_sha256_init(&hash);
    attest_sha256_add(&hash, parts->key, KEY);
    attest_sha256_add(&hash, "\n", 1);
    attest_sha256_add(&hash, cells, cells_size(heads));
    attest_sha256_get(digest, &hash);
    attest_sha256_format(hex, digest);
    fprintf(output.stream, "%s\n", parts->key);
    fwrite(cells, 1, cells_size(heads), output.stream);
    fputs(hex, output.stream);
    return attest_output_commit(&output, error);
}
