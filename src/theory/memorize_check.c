/* memorize_check.c -- decides whether the outputs of a network are exactly the labels of a
 * dataset.
 *
 * This is the proof of every memorisation. It does not use how a network was built: it
 * takes the activation pattern that an enclosure of attention's outputs decides, and compares
 * exact rationals. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "theory/memorize.h"

#include "attention/network.h"
#include "base/memory.h"
#include "base/workers.h"
#include "number/scope.h"

enum { START_BITS = 128 };

/* The sequences that a worker takes at a time; the positions below which one process does all.
 */
enum { PART = 32, SMALL_POSITIONS = 2000 };

/* The result for a part of the sequences: all proved, or the first that is not. */
typedef struct part_finding {
    attest_status status;
    attest_verdict verdict;
    long precision_bits;
    attest_place place;
} part_finding;

/* One dataset, one network. */
typedef struct label_check {
    const attest_network *network;
    const attest_dataset *dataset;
    attest_network_runner runner;
    attest_sequence sequence;
    arb_ptr out; /* dim */
    long max_bits;
    const attest_progress *progress;
    pid_t parent; /* the process that reports */
    /* Shared: */
    part_finding *part;
    atomic_size_t *failed; /* the first part that is not proved: later parts do not matter */
} label_check;

/* value = entry c of the label at a position counted through all sequences. */
static void get_label(fmpq_t value, const attest_dataset *dataset, size_t position, size_t c)
{
    if (c < dataset->label_dim)
        fmpq_set(value, dataset->label + position * dataset->label_dim + c);
    else
        fmpq_zero(value);
}

/* Returns whether the ball excludes the number. */
static bool excludes(const arb_t ball, const fmpq_t value)
{
    return !arb_contains_fmpq(ball, value);
}

/* One token whose value after attention is enclosed by z. */
static attest_verdict check_token(label_check *check, size_t position, arb_srcptr z, long bits)
{
    size_t dim = check->network->dim;
    attest_pattern *pattern = &check->runner.after_pattern;
    attest_verdict verdict = ATTEST_PROVED;
    FMPQ(label);

    attest_feed_forward_ball(check->out, pattern, &check->runner.after, z, bits);
    for (size_t c = 0; c < dim && verdict != ATTEST_REFUTED; c++) {
        get_label(label, check->dataset, position, c);
        if (pattern->decided && attest_pattern_is_constant(pattern, c)) {
            if (!fmpq_equal(pattern->offset + c, label))
                verdict = ATTEST_REFUTED;
        } else {
            verdict = excludes(check->out + c, label) ? ATTEST_REFUTED : ATTEST_UNDECIDED;
        }
    }
    return verdict;
}

static attest_status check_sequence(label_check *check, part_finding *finding, size_t i,
                                    attest_error *error)
{
    size_t dim = check->network->dim, length = attest_dataset_length(check->dataset, i);

    ATTEST_TRY(attest_dataset_get_sequence(&check->sequence, check->dataset, i, NULL, error));
    for (long bits = START_BITS;; bits *= 2) {
        ATTEST_TRY(attest_network_attend(&check->runner, &check->sequence, bits, error));
        if (bits > finding->precision_bits)
            finding->precision_bits = bits;
        finding->verdict = ATTEST_PROVED;
        for (size_t k = 0; k < length && finding->verdict == ATTEST_PROVED; k++) {
            finding->verdict = check_token(check, check->dataset->start[i] + k,
                                           check->runner.attended + k * dim, bits);
            if (finding->verdict != ATTEST_PROVED)
                finding->place = (attest_place){i, k};
        }
        if (finding->verdict != ATTEST_UNDECIDED || bits > check->max_bits / 2)
            return ATTEST_OK;
    }
}

static void explain(attest_label_finding *finding)
{
    if (finding->verdict == ATTEST_REFUTED)
        snprintf(finding->reason, sizeof finding->reason,
                 "the output at [%zu,%zu] is not the label", finding->place.sequence,
                 finding->place.position);
    else if (finding->verdict == ATTEST_UNDECIDED)
        snprintf(finding->reason, sizeof finding->reason,
                 "within %ld bits the output at [%zu,%zu] is not proved constant",
                 finding->precision_bits, finding->place.sequence, finding->place.position);
}

static attest_status check_shapes(const attest_network *network, const attest_dataset *dataset,
                                  attest_error *error)
{
    ATTEST_TRY(attest_network_check_shapes(network, error));
    if (!dataset->label)
        return attest_error_set(error, ATTEST_USAGE,
                                "the dataset has no \"labels\": add them in the shape of "
                                "\"sequences\", with an array of "
                                "numbers for each token");
    if (!network->has_after || dataset->label_dim > network->dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the network has no outputs of %zu entries",
                                dataset->label_dim);
    return ATTEST_OK;
}

static size_t count_parts(const attest_dataset *dataset)
{
    return (dataset->count + PART - 1) / PART;
}

/* The sequences of a part, up to the first that is not proved. */
static attest_status check_part(label_check *check, size_t part, attest_error *error)
{
    part_finding *finding = &check->part[part];
    size_t count = check->dataset->count,
           end = (part + 1) * PART < count ? (part + 1) * PART : count;
    bool reports = getpid() == check->parent;

    *finding = (part_finding){.verdict = ATTEST_PROVED};
    for (size_t i = part * PART; i < end && finding->verdict == ATTEST_PROVED; i++) {
        finding->status = check_sequence(check, finding, i, error);
        ATTEST_TRY(finding->status);
        if (reports)
            attest_progress_report(check->progress, "sequences proved", i + 1, count, NULL);
    }
    return ATTEST_OK;
}

static bool work(void *context, size_t part)
{
    label_check *check = context;
    size_t failed = atomic_load(check->failed);
    attest_error unread;

    if (part > failed || (check_part(check, part, &unread) == ATTEST_OK &&
                          check->part[part].verdict == ATTEST_PROVED))
        return true;
    while (part < failed && !atomic_compare_exchange_weak(check->failed, &failed, part))
        ;
    return true;
}

/* Joins the parts, as if one sequence had been checked after another. */
static attest_status join(attest_label_finding *finding, label_check *check,
                          attest_error *error)
{
    for (size_t p = 0; p < count_parts(check->dataset) && finding->verdict == ATTEST_PROVED;
         p++) {
        const part_finding *part = &check->part[p];
        if (part->status != ATTEST_OK) /* anew, for its words */
            ATTEST_TRY(check_part(check, p, error));
        finding->verdict = part->verdict;
        finding->place = part->place;
        if (part->precision_bits > finding->precision_bits)
            finding->precision_bits = part->precision_bits;
    }
    return ATTEST_OK;
}

/* Checks all parts in jobs processes. Status: of the first sequence that has another than OK;
 * NOMEM, IO. */
static attest_status check_parts(attest_label_finding *finding, label_check *check, size_t jobs,
                                 attest_error *error)
{
    size_t parts = count_parts(check->dataset);
    ATTEST_WORKERS(part_finding, part, parts, jobs);
    ATTEST_WORKERS(atomic_size_t, failed, 1, jobs);

    if (!part || !failed)
        return attest_memory_fail(error);
    check->part = part;
    check->failed = failed;
    atomic_store(failed, parts);
    ATTEST_TRY(attest_workers_run(work, check, parts, jobs, error));
    return join(finding, check, error);
}

static void label_check_clear(label_check *check)
{
    attest_network_runner_clear(&check->runner);
    attest_sequence_clear(&check->sequence);
    _arb_vec_clear(check->out, (slong)check->network->dim);
}

attest_status attest_memorize_check_labels(attest_label_finding *finding,
                                           const attest_network *network,
                                           const attest_dataset *dataset, long max_bits,
                                           const attest_progress *progress, size_t jobs,
                                           attest_error *error)
{
    *finding = (attest_label_finding){.verdict = ATTEST_PROVED};
    ATTEST_TRY(check_shapes(network, dataset, error));
    label_check check ATTEST_CLEARED_BY(label_check_clear) = {.network = network,
                                                              .dataset = dataset,
                                                              .max_bits = max_bits,
                                                              .progress = progress,
                                                              .parent = getpid()};
    check.out = _arb_vec_init((slong)network->dim);
    attest_sequence_init(&check.sequence);
    ATTEST_TRY(attest_network_runner_init(&check.runner, network, error));
    ATTEST_PROGRESS_STAGE(stage, progress);
    attest_progress_report(stage, "sequences proved", 0, dataset->count, NULL);
    ATTEST_TRY(check_parts(finding, &check,
                           jobs > 1 && dataset->total > SMALL_POSITIONS ? jobs : 1, error));
    explain(finding);
    return ATTEST_OK;
}
