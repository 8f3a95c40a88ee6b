/* memorize_check.c -- are the outputs of a network the labels of a dataset, exactly?
 *
 * This is the proof of every memorisation. It knows nothing of how a network was built: it
 * takes the activation pattern that an enclosure of attention's outputs decides, and compares
 * exact rationals. */
#include <stdio.h>

#include "theory/memorize.h"

#include "attention/network.h"
#include "base/progress.h"

enum { START_BITS = 128 };

/* One dataset, one network. */
typedef struct label_check {
    const attest_network *network;
    const attest_dataset *dataset;
    attest_network_runner runner;
    attest_sequence sequence;
    arb_ptr out; /* dim */
    long max_bits;
    attest_label_finding *finding;
} label_check;

/* value = entry c of the label at a position counted through all sequences. */
static void get_label(fmpq_t value, const attest_dataset *dataset, size_t position, size_t c)
{
    if (c < dataset->label_dim)
        fmpq_set(value, dataset->label + position * dataset->label_dim + c);
    else
        fmpq_zero(value);
}

/* Whether the ball excludes the number. */
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
    fmpq_t label;

    fmpq_init(label);
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
    fmpq_clear(label);
    return verdict;
}

static attest_status check_sequence(label_check *check, size_t i, attest_error *error)
{
    attest_label_finding *finding = check->finding;
    size_t dim = check->network->dim, length;
    attest_status status =
        attest_dataset_get_sequence(&check->sequence, check->dataset, i, NULL, error);
    attest_verdict verdict = ATTEST_PROVED;

    length = attest_dataset_length(check->dataset, i);
    for (long bits = START_BITS; status == ATTEST_OK; bits *= 2) {
        status = attest_network_attend(&check->runner, &check->sequence, bits, error);
        if (bits > finding->precision_bits)
            finding->precision_bits = bits;
        verdict = ATTEST_PROVED;
        for (size_t k = 0; k < length && status == ATTEST_OK && verdict == ATTEST_PROVED; k++) {
            verdict = check_token(check, check->dataset->start[i] + k,
                                  check->runner.attended + k * dim, bits);
            if (verdict != ATTEST_PROVED)
                finding->place = (attest_place){i, k};
        }
        if (verdict != ATTEST_UNDECIDED || bits > check->max_bits / 2)
            break;
    }
    finding->verdict = verdict;
    return status;
}

static void explain(attest_label_finding *finding)
{
    if (finding->verdict == ATTEST_REFUTED)
        snprintf(finding->reason, sizeof finding->reason,
                 "the output at [%zu,%zu] is not the label", finding->place.sequence,
                 finding->place.position);
    else if (finding->verdict == ATTEST_UNDECIDED)
        snprintf(finding->reason, sizeof finding->reason,
                 "within %ld bits the output at [%zu,%zu] is not seen to be constant",
                 finding->precision_bits, finding->place.sequence, finding->place.position);
}

static attest_status check_shapes(const attest_network *network, const attest_dataset *dataset,
                                  attest_error *error)
{
    attest_status status = attest_network_check_shapes(network, error);

    if (status != ATTEST_OK)
        return status;
    if (!dataset->label)
        return attest_error_set(error, ATTEST_USAGE, "the dataset has no labels");
    if (!network->has_after || dataset->label_dim > network->dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the network has no outputs of %zu entries",
                                dataset->label_dim);
    return ATTEST_OK;
}

attest_status attest_memorize_check_labels(attest_label_finding *finding,
                                           const attest_network *network,
                                           const attest_dataset *dataset, long max_bits,
                                           const attest_progress *progress, attest_error *error)
{
    label_check check = {
        .network = network, .dataset = dataset, .max_bits = max_bits, .finding = finding};
    attest_status status = check_shapes(network, dataset, error);

    *finding = (attest_label_finding){.verdict = ATTEST_PROVED};
    if (status != ATTEST_OK)
        return status;
    check.out = _arb_vec_init((slong)network->dim);
    attest_sequence_init(&check.sequence);
    status = attest_network_runner_init(&check.runner, network, error);
    attest_progress_report(progress, "sequences proved", 0, dataset->count, NULL);
    for (size_t i = 0;
         i < dataset->count && status == ATTEST_OK && finding->verdict == ATTEST_PROVED; i++) {
        status = check_sequence(&check, i, error);
        attest_progress_report(progress, "sequences proved", i + 1, dataset->count, NULL);
    }
    attest_progress_end(progress);
    explain(finding);
    attest_network_runner_clear(&check.runner);
    attest_sequence_clear(&check.sequence);
    _arb_vec_clear(check.out, (slong)network->dim);
    return status;
}
