/* memorize_random.h -- random labelled data, memorised: shared by the daily and the long test.
 */
#ifndef ATTEST_TESTS_MEMORIZE_RANDOM_H
#define ATTEST_TESTS_MEMORIZE_RANDOM_H

#include "theory/memorize.h"

#include "tests/theory/labelled.h"

/* Returns whether steepest is the largest |entry| of W_2, of the ramps and of what cancels the
 * skip. */
static bool is_steepest(const attest_memorization *m)
{
    const attest_feed_forward *layer = &m->network.after;
    fmpq_t most, own;
    bool ok;

    fmpq_init(most);
    fmpq_init(own);
    for (size_t g = 0; g < layer->groups; g++)
        for (size_t e = 0; e < layer->group[g].count * layer->dim; e++) {
            fmpq_set_fmpz_frac(own, layer->group[g].output + e,
                               layer->group[g].output_denominator);
            fmpq_abs(own, own);
            if (fmpq_cmp(own, most) > 0)
                fmpq_set(most, own);
        }
    ok = fmpq_equal(most, m->steepest);
    fmpq_clear(most);
    fmpq_clear(own);
    return ok;
}

/* The size that the construction promises. */
static bool size_fits(const attest_memorization *m, const attest_dataset *data)
{
    size_t d = m->network.dim, h = attest_feed_forward_units(&m->network.after);

    return is_steepest(m) && m->hidden_units == h && h == 2 * (m->pieces - 1) + d &&
           m->pieces >= 1 && h <= 2 * data->longest * data->count + d &&
           m->parameters == 4 * (1 + d) + d * h &&
           m->parameters_dense == 4 * d + 2 * d * h + h + d &&
           m->paper_parameters == 4 * (1 + d) + d * (2 * data->longest * data->count + d);
}

static void test_random(uint64_t *state, size_t dim, size_t longest, size_t count, int trials,
                        bool positional)
{
    int proved = 0, fits = 0, classes = 0;

    for (int i = 0; i < trials; i++) {
        labelled_shape shape = {
            dim,        longest,
            count,      1 + tap_random(state) % (dim + 1),
            positional, tap_random(state) % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE};
        attest_memorization m;
        attest_dataset data;
        attest_error error = {ATTEST_OK, ""};

        attest_dataset_init(&data);
        attest_memorization_init(&m);
        labelled_gen(&data, &shape, state);
        m.mask = shape.mask;
        m.positional = positional;
        if (attest_memorization_build(&m, &data, &error) != ATTEST_OK)
            printf("# %s\n", error.text);
        if (m.hypothesis)
            printf("# %s: %s\n", m.hypothesis, m.explanation);
        proved += error.status == ATTEST_OK && !m.hypothesis && m.hidden_units > 0 &&
                  m.proof.verdict == ATTEST_PROVED;
        fits += !m.hypothesis && size_fits(&m, &data);
        classes += positional || m.pieces == m.classes;
        attest_memorization_clear(&m);
        attest_dataset_clear(&data);
    }
    TAP_OK(proved == trials, "d %zu, n <= %zu, N %zu%s: %d of %d proved", dim, longest, count,
           positional ? ", positional" : "", proved, trials);
    TAP_OK(fits == trials, "sizes as promised, %d of %d", fits, trials);
    TAP_OK(classes == trials, "without repetitions a class is a piece");
}

#endif
