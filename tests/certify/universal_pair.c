/* The universal pair u (1, 3, 4, 6), u (1, 2, 5, 6): every hardmax layer merges it, however
 * many heads, at any scale; generic softmax layers tell it apart. */
#include <attest/certify.h>

#include "tests/tap.h"

enum { ROUNDS = 60, MOST_DIM = 16 };

static uint64_t state;

static long below(long n)
{
    return (long)(tap_random(&state) % (uint64_t)n);
}

/* Random integers times 10^power; kind 1: zeros. */
static void fill(attest_matrix *m, size_t rows, size_t cols, long power, long kind)
{
    fmpz_t scale;

    fmpz_init(scale);
    fmpz_set_ui(scale, 10);
    fmpz_pow_ui(scale, scale, (ulong)labs(power));
    attest_matrix_resize(m, rows, cols);
    for (size_t e = 0; e < rows * cols && kind != 1; e++) {
        fmpz_set_si(m->entry + e, below(19) - 9);
        if (power > 0)
            fmpz_mul(m->entry + e, m->entry + e, scale);
    }
    if (power < 0)
        fmpz_set(m->denominator, scale);
    fmpz_clear(scale);
}

static bool make_weights(attest_weights *weights, size_t dim, bool generic)
{
    size_t heads = 1 + (size_t)below(8);

    if (attest_weights_resize(weights, heads) != ATTEST_OK)
        return false;
    weights->dim = dim;
    weights->skip = below(2);
    for (size_t h = 0; h < heads; h++) {
        size_t s = 1 + (size_t)below(4);
        long power = generic ? 0 : (below(3) - 1) * 40, kind = generic ? 0 : below(4);
        fill(&weights->head[h].wq, s, dim, power, kind);
        fill(&weights->head[h].wk, s, dim, power, 0);
        fill(&weights->head[h].wv, s, dim, -power, 0);
        fill(&weights->head[h].wo, dim, s, power, 0);
    }
    return true;
}

static bool make_data(attest_dataset *dataset, size_t dim)
{
    static const double times[2][4] = {{1, 3, 4, 6}, {1, 2, 5, 6}};
    attest_dataset_builder builder;
    attest_error error;
    double x[4 * MOST_DIM], u[MOST_DIM];
    bool ok = true;

    for (size_t c = 0; c < dim; c++)
        u[c] = (double)(1 + below(9)) * (below(2) ? 0.125 : -0.125);
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; ok && i < 2; i++) {
        for (size_t k = 0; k < 4; k++)
            for (size_t c = 0; c < dim; c++)
                x[k * dim + c] = times[i][k] * u[c];
        ok = attest_dataset_builder_add_sequences(&builder, x, 1, 4, &error) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_finish(dataset, &builder, &error) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    return ok;
}

/* The claim with delta = 0, decided. */
static attest_verdict decide(attest_finding *finding, const attest_dataset *dataset,
                             const attest_weights *weights)
{
    attest_claim claim;
    attest_error error;
    attest_verdict verdict = ATTEST_UNDECIDED;

    attest_claim_init(&claim);
    claim.dataset = dataset;
    claim.weights = weights;
    if (attest_certify(finding, &claim, &error) == ATTEST_OK)
        verdict = finding->verdict;
    attest_claim_clear(&claim);
    return verdict;
}

static bool try_round(bool hardmax)
{
    size_t dim = 1 + (size_t)below(MOST_DIM);
    attest_dataset dataset;
    attest_weights weights;
    attest_finding finding;
    attest_verdict verdict;
    bool ok;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_finding_init(&finding);
    ok = make_data(&dataset, dim) && make_weights(&weights, dim, !hardmax);
    weights.activation = hardmax ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
    weights.ties = ATTEST_TIES_UNIFORM;
    verdict = ok ? decide(&finding, &dataset, &weights) : ATTEST_UNDECIDED;
    if (hardmax)
        ok = verdict == ATTEST_REFUTED && arb_is_zero(finding.min_separation) &&
             finding.pair[0].sequence == 0;
    else
        ok = verdict == ATTEST_PROVED && arb_is_positive(finding.min_separation);
    attest_finding_clear(&finding);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    return ok;
}

TEST(universal_pair)
{
    size_t failed = 0;

    state = tap_seed(0x1346);
    for (int round = 0; round < ROUNDS; round++)
        failed += !try_round(true);
    TAP_OK(failed == 0, "%d hardmax layers are refuted (%zu are not)", ROUNDS, failed);
    failed = 0;
    for (int round = 0; round < ROUNDS / 2; round++)
        failed += !try_round(false);
    TAP_OK(failed == 0, "%d softmax layers are proved (%zu are not)", ROUNDS / 2, failed);
    flint_cleanup();
    return 0;
}
