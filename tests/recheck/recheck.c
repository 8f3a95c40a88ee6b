/* What verifies certificates passes over no pair and no norm that counts: near pairs in many
 * dimensions, and those that the lemma leaves, against all pairs, and bounds of norms by the
 * lemma against balls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "io/dataset.h"
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
    return check->output[p * check->dim + c] * ldexp(1, (int)check->exponent);
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
            attest_recheck_make_doubles(&check, NULL) != ATTEST_OK)
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

/* Enough tokens that processes share the work, the products of all pairs. */
enum { MANY = 4096, MANY_DIM = 16 };

static bool note_many(void *state, size_t a, size_t b)
{
    unsigned char *seen = state;

    seen[a * MANY + b]++;
    return true;
}

static void test_jobs(void)
{
    static double x[MANY][MANY_DIM];
    unsigned char *seen = calloc(MANY, MANY);
    uint64_t state = tap_seed(0x10b5);
    size_t within = 0, wrong = 0;
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    arf_t reach;

    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, MANY_DIM, ATTEST_TABLE_REAL, NULL);
    for (size_t p = 0; p < MANY; p++) {
        for (size_t c = 0; c < MANY_DIM; c++)
            x[p][c] = (double)(attest_random_next(&state) % 3);
        x[p][0] = (double)p / 8; /* all are different */
        if (attest_dataset_builder_add_doubles(&builder, x[p], 1, NULL) != ATTEST_OK ||
            attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    make_weights(&weights, MANY_DIM);
    if (!seen || attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK)
        abort();
    check.jobs = 2;
    if (attest_recheck_make_doubles(&check, NULL) != ATTEST_OK)
        abort();
    arf_init(reach);
    arf_set_d(reach, 3);
    if (attest_recheck_visit_near(&check, reach, note_many, seen, NULL) != ATTEST_OK)
        abort();
    for (size_t a = 0; a < MANY; a++)
        for (size_t b = 0; b < MANY; b++) {
            double square = 0;

            for (size_t c = 0; c < MANY_DIM && square <= 9; c++)
                square += (x[a][c] - x[b][c]) * (x[a][c] - x[b][c]);
            within += a < b && square <= 9;
            wrong +=
                seen[a * MANY + b] > (a < b) || (a < b && square <= 9 && !seen[a * MANY + b]);
        }
    TAP_OK(within > 100 && wrong == 0, "%zu near pairs by two processes, %zu of all are wrong",
           within, wrong);
    arf_clear(reach);
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    attest_dataset_builder_clear(&builder);
    free(seen);
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

/* The squares of all distances, as balls; [a * POINTS + b] for a < b. */
static void get_squares(arb_ptr square, attest_recheck *check)
{
    enum { BITS = 2000 };
    size_t dim = check->dim;
    arb_ptr out = _arb_vec_init((slong)(check->positions * dim));
    arb_t d;

    arb_init(d);
    for (size_t p = 0; p < check->positions; p++)
        attest_recheck_enclose(out + p * dim, check, p, BITS);
    for (size_t a = 0; a < check->positions; a++)
        for (size_t b = a + 1; b < check->positions; b++) {
            arb_zero(square + a * POINTS + b);
            for (size_t c = 0; c < dim; c++) {
                arb_sub(d, out + a * dim + c, out + b * dim + c, BITS);
                arb_addmul(square + a * POINTS + b, d, d, BITS);
            }
        }
    arb_clear(d);
    _arb_vec_clear(out, (slong)(check->positions * dim));
}

/* Returns whether the doubles show that the norm of an output, in its units, does not reach a
 * little more than it is, and not that it does not reach itself. */
static bool is_norm(const attest_recheck *check, size_t p, const arb_t square)
{
    arb_t norm;
    double below, above;

    arb_init(norm);
    arb_sqrt(norm, square, 4000);
    below = arf_get_d(arb_midref(norm), ARF_RND_DOWN);
    above = arf_get_d(arb_midref(norm), ARF_RND_UP) * (1 + 1e-9) + 2 * check->error[p] + 1e-140;
    arb_clear(norm);
    return attest_recheck_may_reach(check, p, below) &&
           !attest_recheck_may_reach(check, p, above);
}

/* Returns whether the double of a position is within its error of the output. */
static bool is_enclosed(attest_recheck *check, size_t p)
{
    enum { BITS = 4000 };
    arb_ptr out = _arb_vec_init((slong)check->dim);
    arb_t square, norm, x;
    bool is;

    arb_init(square), arb_init(norm), arb_init(x);
    attest_recheck_enclose(out, check, p, BITS);
    for (size_t c = 0; c < check->dim; c++) {
        arb_mul_2exp_si(out + c, out + c, -check->exponent);
        arb_addmul(norm, out + c, out + c, BITS);
        arb_set_d(x, check->output[p * check->dim + c]);
        arb_sub(x, x, out + c, BITS);
        arb_addmul(square, x, x, BITS);
    }
    arb_set_d(x, check->error[p]);
    arb_sqr(x, x, BITS);
    is = check->error[p] > 0 && check->error[p] < 0x1p-40 && arb_le(square, x) &&
         is_norm(check, p, norm);
    arb_clear(square), arb_clear(norm), arb_clear(x);
    _arb_vec_clear(out, (slong)check->dim);
    return is;
}

/* Outputs of all sizes in one array: those that doubles give, and, with large, one beyond
 * their range, beside which others underflow. */
static void test_doubles(void)
{
    static const char *const large[] = {"1", "7e39", "1e-400", "1e301", "1e1000"};
    size_t wrong = 0, positions = 0;

    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        attest_dataset dataset;
        attest_weights weights;
        attest_recheck check;

        snprintf(text, sizeof text,
                 "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":["
                 "[[\"1/3\",\"-5/7\",3]],[[\"-3/7\",\"1e-9\",\"2e30\"]],"
                 "[[\"%s\",\"1/7\",\"-2/3\"]],[[\"1e-20\",0,\"1e-300\"]]]}",
                 large[i]);
        attest_dataset_init(&dataset);
        if (attest_dataset_parse_json(&dataset, text, strlen(text), NULL, NULL) != ATTEST_OK)
            abort();
        make_weights(&weights, 3);
        if (attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
            attest_recheck_make_doubles(&check, NULL) != ATTEST_OK)
            abort();
        for (size_t p = 0; p < check.positions; p++, positions++)
            wrong += !is_enclosed(&check, p);
        check.error[0] += 8; /* norms are below 2 */
        wrong +=
            !attest_recheck_may_reach(&check, 0, 8) || attest_recheck_may_reach(&check, 0, 11);
        attest_recheck_clear(&check);
        attest_weights_clear(&weights);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(wrong == 0, "%zu outputs in doubles, %zu are farther off than their bounds",
           positions, wrong);
}

/* Returns whether a norm, times a power of two, is reached, and not 10^-12 more; entries are
 * those of the doubles. */
static bool is_reached(attest_recheck *check, size_t p, int exponent)
{
    arb_t square, x;
    double norm;

    arb_init(square), arb_init(x);
    for (size_t c = 0; c < check->dim; c++) {
        double *entry = &check->output[p * check->dim + c];

        *entry = ldexp(*entry, exponent);
        arb_set_d(x, *entry);
        arb_addmul(square, x, x, 300);
    }
    arb_sqrt(square, square, 300);
    norm = arf_get_d(arb_midref(square), ARF_RND_DOWN);
    arb_clear(square), arb_clear(x);
    return attest_recheck_may_reach(check, p, norm) &&
           !attest_recheck_may_reach(check, p, norm * (1 + 1e-12) + 1e-150);
}

/* Norms of doubles that are exact: rounding is all that keeps them from being reached, or
 * the underflow of squares. */
static void test_reach(void)
{
    uint64_t state = tap_seed(0x4eac);
    size_t wrong = 0;

    for (size_t dim = 1; dim <= MOST_DIM; dim++) {
        attest_dataset dataset;
        attest_weights weights;
        attest_recheck check;

        make_dataset(&dataset, POINTS, 1, dim, &state);
        make_weights(&weights, dim);
        if (attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
            attest_recheck_make_doubles(&check, NULL) != ATTEST_OK)
            abort();
        for (size_t p = 0; p < POINTS; p++) {
            for (size_t c = 0; c < dim; c++)
                check.output[p * dim + c] =
                    (double)(attest_random_next(&state) >> 11) * 0x1p-53 - 0.5;
            check.error[p] = 0;
            wrong += !is_reached(&check, p, 0) + !is_reached(&check, p, -600);
        }
        attest_recheck_clear(&check);
        attest_weights_clear(&weights);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(wrong == 0, "norms that are reached, just: %zu are not", wrong);
}

/* 1 minus the mean of 1, 1 and 1 + 2^-80: what is left of that in 96 bits has an error that
 * is far from that of a double. */
static void test_cancelled(void)
{
    static const char data[] =
        "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":"
        "[[[1],[1],[\"1208925819614629174706177/1208925819614629174706176\"]]]}",
                      layer[] = "{\"format\":\"attest/weights\",\"version\":1,"
                                "\"activation\":\"softmax\",\"heads\":[{\"WQ\":[[0]],"
                                "\"WK\":[[1]],\"WV\":[[1]],\"WO\":[[-1]]}]}";
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    double error;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    if (attest_dataset_parse_json(&dataset, data, strlen(data), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&weights, layer, strlen(layer), NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
        attest_recheck_make_doubles(&check, NULL) != ATTEST_OK)
        abort();
    error = fabs(ldexp(check.output[0], (int)check.exponent) + 0x1p-80 / 3);
    printf("# off by 2^%g, 2^%g allowed\n", log2(error),
           log2(ldexp(check.error[0], (int)check.exponent)));
    TAP_OK(error <= ldexp(check.error[0], (int)check.exponent) && check.error[0] < 0x1p-8,
           "an output of which most bits are lost");
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
}

typedef struct near_count {
    size_t covered, visited, missed, wrong;
} near_count;

/* Within the distance of a and b: who is closest of all must have been visited, and nothing
 * is that is no pair. */
static void count_near(near_count *n, attest_recheck *check, const attest_recheck_lemma *lemma,
                       arb_srcptr square, size_t a, size_t b)
{
    static bool visited[POINTS][POINTS];
    const uint32_t *token = check->dataset->token;
    bool covers, found = false;
    arf_t reach;

    memset(visited, 0, sizeof visited);
    arf_init(reach);
    arf_sqrt(reach, arb_midref(square + a * POINTS + b), 53, ARF_RND_CEIL);
    if (attest_recheck_lemma_visit_near(&covers, lemma, reach, note_pair, &visited, NULL) !=
        ATTEST_OK)
        abort();
    arf_clear(reach);
    n->covered += covers;
    n->wrong += covers && token[a] != token[b];
    for (size_t p = 0; covers && p < POINTS; p++)
        for (size_t q = 0; q < POINTS; q++)
            if (visited[p][q]) {
                n->visited++;
                if (p >= q || q >= check->positions || token[p] != token[q] ||
                    check->group[p] == check->group[q])
                    n->wrong++;
                else
                    found = found || !arb_gt(square + p * POINTS + q, square + a * POINTS + b);
            }
    n->missed += covers && !found;
}

static void test_lemma_near(attest_recheck *check, const attest_recheck_lemma *lemma,
                            near_count *n)
{
    arb_ptr square = _arb_vec_init(POINTS * POINTS);

    get_squares(square, check);
    for (size_t a = 0; a < check->positions; a++)
        for (size_t b = a + 1; b < check->positions; b++)
            if (check->group[a] != check->group[b])
                count_near(n, check, lemma, square, a, b);
    _arb_vec_clear(square, POINTS * POINTS);
}

/* Events, until there is no more room. */
typedef struct some_events {
    attest_recheck_event event[POINTS];
    size_t count;
} some_events;

static bool note_event(void *state, const attest_recheck_event *event)
{
    some_events *some = state;

    some->event[some->count++] = *event;
    return some->count < POINTS;
}

static bool is_so(const attest_recheck_lemma *lemma, const attest_certificate_witness *witness)
{
    const char *what;

    if (attest_recheck_lemma_witness(&what, lemma, witness, NULL) != ATTEST_OK)
        abort();
    return !what;
}

/* A witness of the event that says all it can, in 900 bits. */
static void set_witness(attest_certificate_witness *witness, const attest_recheck_lemma *lemma,
                        const attest_recheck_event *event)
{
    const uint32_t list[2] = {event->before, event->after};

    for (int i = 0; i < 2; i++)
        witness->neighbours[i] = attest_place_get(
            lemma->check->dataset, attest_recheck_lemma_place(lemma, event->token, list[i]));
    witness->order = event->sign;
    witness->common = event->common;
    attest_recheck_lemma_gap(witness->gap, lemma, event->token);
    attest_recheck_lemma_bound(witness->bound, lemma, event, 900);
}

/* How many witnesses of events are refused, and altered ones are not. */
static size_t count_misjudged(const attest_recheck_lemma *lemma, size_t *events)
{
    some_events some = {.count = 0};
    attest_certificate_witness w;
    size_t wrong = 0;

    attest_certificate_witness_init(&w);
    if (!attest_recheck_lemma_visit(lemma, note_event, &some))
        abort();
    for (size_t i = 0; i < some.count; i++) {
        set_witness(&w, lemma, &some.event[i]);
        wrong += !is_so(lemma, &w);
        arb_mul_2exp_si(w.bound, w.bound, 1);
        wrong += is_so(lemma, &w);
        set_witness(&w, lemma, &some.event[i]);
        fmpq_mul_2exp(w.gap, w.gap, 1);
        wrong += is_so(lemma, &w);
        set_witness(&w, lemma, &some.event[i]);
        w.order = -w.order;
        wrong += is_so(lemma, &w);
        set_witness(&w, lemma, &some.event[i]);
        w.common++;
        wrong += is_so(lemma, &w);
        set_witness(&w, lemma, &some.event[i]);
        w.neighbours[1] = w.neighbours[0];
        wrong += is_so(lemma, &w);
    }
    *events += some.count;
    attest_certificate_witness_clear(&w);
    return wrong;
}

static void test_lemma(void)
{
    uint64_t state = tap_seed(0x4042);
    double least = INFINITY, most = 0;
    near_count n = {0};
    size_t lemmas = 0, events = 0, misjudged = 0;

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
                test_lemma_near(&check, &lemma, &n);
                misjudged += count_misjudged(&lemma, &events);
                attest_recheck_lemma_clear(&lemma);
            }
            attest_recheck_clear(&check);
        }
        attest_construction_clear(&c);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(lemmas > 0 && least >= 1, "norms by the lemma are bounds: %g of them at least, %zu",
           least, lemmas);
    TAP_OK(most < 4, "the bounds by the lemma are at most %g times the norms", most);
    TAP_OK(n.covered > 0 && n.visited > 0 && n.missed == 0 && n.wrong == 0,
           "%zu times the lemma leaves %zu pairs: %zu times not the closest, %zu are none",
           n.covered, n.visited, n.missed, n.wrong);
    TAP_OK(events > 0 && misjudged == 0,
           "%zu witnesses and what they do not say: %zu misjudged", events, misjudged);
}

/* m = 2^exponent, one entry. */
static void set_power(attest_matrix *m, long exponent)
{
    attest_matrix_resize(m, 1, 1);
    fmpz_one(m->entry);
    fmpz_one(m->denominator);
    if (exponent < 0)
        fmpz_mul_2exp(m->denominator, m->denominator, (ulong)-exponent);
    else
        fmpz_mul_2exp(m->entry, m->entry, (ulong)exponent);
}

/* Returns whether the bound of the norm at a position is one: not below what balls show. */
static bool is_bound(attest_recheck *check, const attest_recheck_lemma *lemma, size_t p)
{
    double bound = attest_recheck_lemma_norm(lemma, p);
    arb_t out, above;
    bool is;

    arb_init(out), arb_init(above);
    attest_recheck_enclose(out, check, p, 128);
    arb_abs(out, out);
    arb_set_d(above, bound);
    is = bound == INFINITY || arb_le(out, above);
    arb_clear(out), arb_clear(above);
    return is;
}

/* The sequence 1, 2, 3, times 2^unit, where keys and values are multiplied by 2^value, and what
 * is added by 2^out, or minus that: scores are twice the products of 1, 2, 3. Adds what is no
 * bound, and what is not infinite. */
static void try_scale(long unit, long value, long out, bool minus, size_t *wrong,
                      size_t *finite)
{
    attest_dataset_builder builder;
    attest_recheck_lemma lemma;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    fmpq_t x;

    fmpq_init(x);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (long i = 1; i <= 3; i++) {
        fmpq_set_si(x, i, 1);
        if (unit < 0)
            fmpq_div_2exp(x, x, (ulong)-unit);
        else
            fmpq_mul_2exp(x, x, (ulong)unit);
        if (attest_dataset_builder_add_token(&builder, x, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK ||
        attest_weights_resize(&weights, 1) != ATTEST_OK)
        abort();
    weights.dim = 1;
    set_power(&weights.head[0].wq, 1 - value - 2 * unit);
    set_power(&weights.head[0].wk, value);
    set_power(&weights.head[0].wv, value);
    set_power(&weights.head[0].wo, out);
    if (minus)
        fmpz_neg(weights.head[0].wo.entry, weights.head[0].wo.entry);
    if (attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
        !attest_recheck_lemma_init(&lemma, &check))
        abort();
    for (size_t p = 0; p < 3; p++) {
        *wrong += !is_bound(&check, &lemma, p);
        *finite += attest_recheck_lemma_norm(&lemma, p) < INFINITY;
    }
    attest_recheck_lemma_clear(&lemma);
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    attest_dataset_builder_clear(&builder);
    fmpq_clear(x);
}

/* Squares and products of doubles that overflow and underflow are no bounds. */
static void test_scales(void)
{
    size_t wrong = 0, finite = 0, tried = 0;

    for (long unit = -700; unit <= 700; unit += 100)
        for (long value = -1200; value <= 1200; value += 200)
            for (long out = -1200; out <= 1200; out += 200)
                for (int minus = 0; minus < 2; minus++) {
                    size_t before = wrong;

                    try_scale(unit, value, out, minus, &wrong, &finite);
                    if (wrong > before)
                        printf("# tokens 2^%ld, values 2^%ld, out %s2^%ld\n", unit, value,
                               minus ? "-" : "", out);
                    tried += 3;
                }
    TAP_OK(wrong == 0 && finite > 0, "norms at all scales: %zu, %zu finite, %zu are no bounds",
           tried, finite, wrong);
}

/* The lemma is for one head of rank 1: a matrix of zeros is of rank 0. */
static void test_rank_zero(void)
{
    size_t refused = 0;

    for (int m = 0; m < 5; m++) {
        attest_recheck_lemma lemma;
        attest_weights weights;
        attest_dataset dataset;
        attest_recheck check;
        uint64_t state = 1;
        attest_matrix *matrix[4];

        make_dataset(&dataset, 4, 2, 1, &state);
        make_weights(&weights, 1);
        matrix[0] = &weights.head->wq;
        matrix[1] = &weights.head->wk;
        matrix[2] = &weights.head->wv;
        matrix[3] = &weights.head->wo;
        for (int i = 0; i < 4; i++)
            fmpz_set_si(matrix[i]->entry, i == m ? 0 : 3);
        if (attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK)
            abort();
        if (attest_recheck_lemma_init(&lemma, &check))
            attest_recheck_lemma_clear(&lemma);
        else
            refused += m < 4;
        attest_recheck_clear(&check);
        attest_weights_clear(&weights);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(refused == 4, "the lemma refuses a matrix of zeros: %zu of 4", refused);
}

/* The token 1/10 beside -1, scores 12 x x', what is added is minus the mean: that lies so far
 * below 1/10, which scores most, that it is negative, and the output 1/10 + 0.13. */
static void test_far_end(void)
{
    static const char data[] = "{\"format\":\"attest/dataset\",\"version\":1,"
                               "\"sequences\":[[[\"1/10\"],[-1]]]}",
                      layer[] = "{\"format\":\"attest/weights\",\"version\":1,"
                                "\"activation\":\"softmax\",\"heads\":[{\"WQ\":[[12]],"
                                "\"WK\":[[1]],\"WV\":[[1]],\"WO\":[[-1]]}]}";
    attest_recheck_lemma lemma;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    if (attest_dataset_parse_json(&dataset, data, strlen(data), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&weights, layer, strlen(layer), NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
        !attest_recheck_lemma_init(&lemma, &check))
        abort();
    TAP_OK(is_bound(&check, &lemma, 0) && is_bound(&check, &lemma, 1) &&
               attest_recheck_lemma_norm(&lemma, 0) < 0.56,
           "a norm that is largest where the mean is farthest off");
    attest_recheck_lemma_clear(&lemma);
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
}

/* Returns whether the lemma applies to 1 and 2 as keys and values, where scores are gap x y. */
static bool applies(const char *gap)
{
    static const char data[] =
        "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[[[1],[2]]]}";
    attest_recheck_lemma lemma;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    bool is;

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    snprintf(
        text, sizeof text,
        "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"softmax\",\"heads\":"
        "[{\"WQ\":[[\"%s\"]],\"WK\":[[1]],\"WV\":[[1]],\"WO\":[[1]]}]}",
        gap);
    if (attest_dataset_parse_json(&dataset, data, strlen(data), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&weights, text, strlen(text), NULL, NULL) != ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK)
        abort();
    is = attest_recheck_lemma_init(&lemma, &check);
    if (is)
        attest_recheck_lemma_clear(&lemma);
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
    return is;
}

/* Gaps must be at least log(2 + sqrt 3) = 1.31695789692481670862504634730796844402698... */
static void test_wide(void)
{
    TAP_OK(applies("3") && applies("2") && applies("1.99") && applies("1.317") &&
               applies("1.31695789692481670863") &&
               applies("1.3169578969248167086250463473079685"),
           "gaps to which the lemma applies");
    TAP_OK(!applies("1") && !applies("1.3169") && !applies("0.01") && !applies("0") &&
               !applies("1.31695789692481670862") &&
               !applies("1.3169578969248167086250463473079684"),
           "gaps that do not suffice");
}

/* Writes a random fraction. */
static size_t put_fraction(char *at, uint64_t *state)
{
    return (size_t)sprintf(at, "\"%ld/%lu\"", (long)(attest_random_next(state) % 2001) - 1000,
                           (unsigned long)(attest_random_next(state) % 97) + 1);
}

/* A matrix of one row of random fractions, or of one column. */
static size_t put_vector(char *to, const char *name, size_t dim, bool column, uint64_t *state)
{
    size_t at = (size_t)sprintf(to, "\"%s\":[%s", name, column ? "" : "[");

    for (size_t c = 0; c < dim; c++) {
        at += (size_t)sprintf(to + at, "%s%s", c ? "," : "", column ? "[" : "");
        at += put_fraction(to + at, state);
        at += (size_t)sprintf(to + at, "%s", column ? "]" : "");
    }
    return at + (size_t)sprintf(to + at, "%s", column ? "]" : "]]");
}

/* Six tokens of random fractions, or doubles, in two sequences. */
static void make_six(attest_dataset *dataset, size_t dim, bool real, uint64_t *state)
{
    fmpq *token = _fmpq_vec_init((slong)dim);
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, dim, real ? ATTEST_TABLE_REAL : ATTEST_TABLE_RATIONAL,
                                NULL);
    for (size_t i = 0; i < 6; i++) {
        double x[MOST_DIM];
        attest_status status;

        for (size_t c = 0; c < dim; c++) {
            long n = (long)(attest_random_next(state) % 2001) - 1000;
            ulong d = attest_random_next(state) % 97 + 1;
            x[c] = (double)n / (double)d;
            fmpq_set_si(token + c, n, d);
        }
        status = real ? attest_dataset_builder_add_doubles(&builder, x, 1, NULL)
                      : attest_dataset_builder_add_token(&builder, token, NULL);
        if (status != ATTEST_OK ||
            (i % 3 == 2 && attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK))
            abort();
    }
    if (attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, (slong)dim);
}

/* Such tokens, and a head that looks, by scores that differ
 * by 2^70 and more, at one of them. */
static void make_sharp(attest_dataset *dataset, attest_weights *weights, size_t dim, bool real,
                       uint64_t *state)
{
    char row[ROOM / 8];
    size_t at;

    make_six(dataset, dim, real, state);
    at = (size_t)sprintf(text, "{\"format\":\"attest/weights\",\"version\":1,"
                               "\"activation\":\"softmax\",\"heads\":[{");
    put_vector(row, "WK", dim, false, state);
    at += (size_t)sprintf(text + at, "%s,\"WV\"%s,", row, row + strlen("\"WK\""));
    at += put_vector(text + at, "WQ", dim, false, state);
    at += (size_t)sprintf(text + at, ",");
    at += put_vector(text + at, "WO", dim, true, state);
    strcpy(text + at, "}]}");
    attest_weights_init(weights);
    if (attest_weights_parse_json(weights, text, strlen(text), NULL, NULL) != ATTEST_OK)
        abort();
    for (size_t c = 0; c < dim; c++)
        fmpz_mul_2exp(weights->head[0].wq.entry + c, weights->head[0].wq.entry + c, 100);
}

/* x = the product of a row, or column, and a token. */
static void get_product(fmpq_t x, const attest_matrix *m, const attest_tokens *tokens, size_t t)
{
    fmpq_t y, z;

    fmpq_init(y), fmpq_init(z);
    fmpq_zero(x);
    for (size_t c = 0; c < tokens->dim; c++) {
        attest_tokens_get_entry(y, tokens, t, c);
        fmpq_set_fmpz_frac(z, m->entry + c, m->denominator);
        fmpq_addmul(x, y, z);
    }
    fmpq_clear(y), fmpq_clear(z);
}

/* The value, of the three tokens of the sequence, that scores most at position p. */
static void get_top(fmpq_t top, const attest_recheck *check, size_t p)
{
    const attest_head *head = &check->weights->head[0];
    const attest_dataset *dataset = check->dataset;
    fmpq_t slope, value;

    fmpq_init(slope), fmpq_init(value);
    get_product(slope, &head->wq, &dataset->tokens, dataset->token[p]);
    for (size_t i = p / 3 * 3; i < p / 3 * 3 + 3; i++) {
        get_product(value, &head->wv, &dataset->tokens, dataset->token[i]);
        if (i % 3 == 0 || (fmpq_sgn(slope) > 0) == (fmpq_cmp(value, top) > 0))
            fmpq_set(top, value);
    }
    fmpq_clear(slope), fmpq_clear(value);
}

/* Returns whether the bound is at least |x + w top|, and its square more by less than 2^-40 of
 * the parts. */
static bool is_tight(const attest_recheck *check, const attest_recheck_lemma *lemma, size_t p)
{
    const attest_tokens *tokens = &check->dataset->tokens;
    const attest_matrix *wo = &check->weights->head[0].wo;
    fmpq_t top, x, w, square, parts, bound;
    arf_t d;
    bool is;

    fmpq_init(top), fmpq_init(x), fmpq_init(w), fmpq_init(square), fmpq_init(parts);
    fmpq_init(bound), arf_init(d);
    get_top(top, check, p);
    for (size_t c = 0; c < check->dim; c++) {
        attest_tokens_get_entry(x, tokens, check->dataset->token[p], c);
        fmpq_set_fmpz_frac(w, wo->entry + c, wo->denominator);
        fmpq_mul(w, w, top);
        fmpq_addmul(parts, x, x);
        fmpq_addmul(parts, w, w);
        fmpq_add(x, x, w);
        fmpq_addmul(square, x, x);
    }
    arf_set_d(d, attest_recheck_lemma_norm(lemma, p));
    arf_get_fmpq(bound, d);
    fmpq_mul(bound, bound, bound);
    fmpq_sub(bound, bound, square);
    fmpq_div_2exp(parts, parts, 40);
    is = fmpq_sgn(bound) >= 0 && fmpq_cmp(bound, parts) < 0;
    fmpq_clear(top), fmpq_clear(x), fmpq_clear(w), fmpq_clear(square), fmpq_clear(parts);
    fmpq_clear(bound), arf_clear(d);
    return is;
}

/* Where the mean is as good as what scores most, rounding is all that a bound must exceed. */
static void test_tight(void)
{
    uint64_t state = tap_seed(0x7167);
    size_t norms = 0, wrong = 0;

    for (size_t i = 0; i < 60; i++) {
        attest_recheck_lemma lemma;
        attest_dataset dataset;
        attest_weights weights;
        attest_recheck check;

        make_sharp(&dataset, &weights, 1 + i % 6, i % 4 >= 2, &state);
        if (attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK)
            abort();
        if (attest_recheck_lemma_init(&lemma, &check)) {
            for (size_t p = 0; p < check.positions; p++, norms++)
                wrong += !is_tight(&check, &lemma, p);
            attest_recheck_lemma_clear(&lemma);
        }
        attest_recheck_clear(&check);
        attest_weights_clear(&weights);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(norms > 200 && wrong == 0, "%zu norms except for rounding, %zu are no close bounds",
           norms, wrong);
}

TEST(recheck)
{
    test_near();
    test_jobs();
    test_doubles();
    test_reach();
    test_cancelled();
    test_lemma();
    test_scales();
    test_rank_zero();
    test_far_end();
    test_wide();
    test_tight();
    flint_cleanup();
    return 0;
}
