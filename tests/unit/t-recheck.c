/* What verifies certificates passes over no pair and no norm that counts: near pairs in many
 * dimensions against all pairs, and bounds of norms by the lemma against balls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "io/dataset_json.h"
#include "io/weights_json.h"
#include "recheck/lemma.h"
#include "recheck/recheck.h"
#include "tests/tap.h"
#include "theory/theorem2.h"

enum { POINTS = 60, MOST_DIM = 21, ROOM = 1 << 16 };

static char text[ROOM];

/* count tokens of small integers, in sequences of so many. */
static void make_dataset(attest_dataset *dataset, size_t count, size_t length, size_t dim,
                         uint64_t *state)
{
    size_t at =
        (size_t)sprintf(text, "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[");

    for (size_t i = 0; i < count; i++) {
        at += (size_t)sprintf(text + at, "%s[", i % length ? "," : i ? "],[" : "[");
        for (size_t c = 0; c < dim; c++)
            at += (size_t)sprintf(text + at, "%s%d", c ? "," : "",
                                  (int)(attest_random_next(state) % 7) - 3);
        at += (size_t)sprintf(text + at, "]");
    }
    strcpy(text + at, "]]}");
    attest_dataset_init(dataset);
    if (attest_dataset_parse_json(dataset, text, strlen(text), NULL, NULL) != ATTEST_OK)
        abort();
}

/* One head of values 0: outputs are the tokens. */
static void make_weights(attest_weights *weights, size_t dim)
{
    static const char *const name[] = {"WQ", "WK", "WV", "WO"};
    size_t at = (size_t)sprintf(text, "{\"format\":\"attest/weights\",\"version\":1,"
                                      "\"activation\":\"softmax\",\"heads\":[{");

    for (int m = 0; m < 4; m++) {
        at += (size_t)sprintf(text + at, "%s\"%s\":[%s", m ? "," : "", name[m],
                              m == 3 ? "" : "[");
        for (size_t c = 0; c < dim; c++)
            at += (size_t)sprintf(text + at, "%s%s", c ? "," : "", m == 3 ? "[0]" : "0");
        at += (size_t)sprintf(text + at, m == 3 ? "]" : "]]");
    }
    strcpy(text + at, "}]}");
    attest_weights_init(weights);
    if (attest_weights_parse_json(weights, text, strlen(text), NULL, NULL) != ATTEST_OK)
        abort();
}

static bool note_pair(void *state, size_t a, size_t b)
{
    (*(bool(*)[POINTS][POINTS])state)[a][b] = true;
    return true;
}

static double entry(const attest_recheck *check, size_t p, size_t c)
{
    return check->sketch[p * check->dim + c] * ldexp(1, (int)check->exponent);
}

/* How many pairs within reach are not visited; *within grows by those that are. */
static size_t count_missed(attest_recheck *check, double reach, size_t *within)
{
    static bool visited[POINTS][POINTS];
    size_t missed = 0;
    arf_t x;

    memset(visited, 0, sizeof visited);
    arf_init(x);
    arf_set_d(x, reach);
    if (attest_recheck_visit_near(check, x, note_pair, &visited, NULL) != ATTEST_OK)
        abort();
    arf_clear(x);
    for (size_t a = 0; a < POINTS; a++)
        for (size_t b = a + 1; b < POINTS; b++) {
            double square = 0;

            for (size_t c = 0; c < check->dim; c++)
                square += pow(entry(check, a, c) - entry(check, b, c), 2);
            *within += square <= reach * reach;
            missed +=
                square <= reach * reach && !visited[a][b] && check->group[a] != check->group[b];
        }
    return missed;
}

static void test_near(void)
{
    uint64_t state = tap_seed(0x9ea5);

    for (size_t dim = 1; dim <= MOST_DIM; dim += dim < 7 ? 3 : 1) {
        size_t missed = 0, within = 0;
        attest_dataset dataset;
        attest_weights weights;
        attest_recheck check;

        make_dataset(&dataset, POINTS, 1, dim, &state);
        make_weights(&weights, dim);
        if (attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
            attest_recheck_make_sketch(&check, NULL) != ATTEST_OK)
            abort();
        for (double reach = 1; reach < 16; reach *= 1.3)
            missed += count_missed(&check, reach, &within);
        TAP_OK(missed == 0 && within > 0, "%zu of %zu near pairs are missed, dim %zu", missed,
               within, dim);
        attest_recheck_clear(&check);
        attest_weights_clear(&weights);
        attest_dataset_clear(&dataset);
    }
}

/* The lemma's bound of a norm over the norm; below 1 it is wrong. */
static double compare_norm(attest_recheck *check, const attest_recheck_lemma *lemma, size_t p)
{
    arb_ptr out = _arb_vec_init((slong)check->dim);
    double square = 0, bound = attest_recheck_lemma_norm(lemma, p);

    attest_recheck_enclose(out, check, p, 128);
    for (size_t c = 0; c < check->dim; c++)
        square += pow(arf_get_d(arb_midref(out + c), ARF_RND_NEAR), 2);
    _arb_vec_clear(out, (slong)check->dim);
    return bound / sqrt(square);
}

static void test_norms(void)
{
    uint64_t state = tap_seed(0x4042);
    double least = INFINITY, most = 0;
    size_t lemmas = 0;

    for (int i = 0; i < 40; i++) {
        attest_recheck_lemma lemma;
        attest_construction c;
        attest_dataset dataset;
        attest_recheck check;

        make_dataset(&dataset, 12, 3, 1 + (size_t)i % 5, &state);
        attest_construction_init(&c);
        c.strategy = ATTEST_STRATEGY_GAP;
        if (attest_construction_build(&c, &dataset, NULL) == ATTEST_OK && !c.hypothesis) {
            if (attest_recheck_init(&check, &dataset, &c.weights, NULL) != ATTEST_OK)
                abort();
            if (attest_recheck_lemma_init(&lemma, &check)) {
                lemmas++;
                for (size_t p = 0; p < check.positions; p++) {
                    double ratio = compare_norm(&check, &lemma, p);
                    least = ratio >= least ? least : ratio;
                    most = ratio > most ? ratio : most;
                }
                attest_recheck_lemma_clear(&lemma);
            }
            attest_recheck_clear(&check);
        }
        attest_construction_clear(&c);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(lemmas > 0 && least >= 1, "norms by the lemma are bounds: %g of them at least, %zu",
           least, lemmas);
    TAP_OK(most < 4, "and of the right size: %g of them at most", most);
}

int main(void)
{
    test_near();
    test_norms();
    flint_cleanup();
    return tap_done();
}
