/* bench-filter.c -- rigorous verdicts on small instances per second of processor time:
 * contextual mappings, double inputs, n = 4..8, d <= 4, two to four sequences, weights of their
 * own for each instance.
 *
 * Tokens and weights are normal random numbers of 53 bits. Half of the instances draw the
 * tokens of all sequences from n + 2, so that the same token stands in different contexts; in
 * the other half no token occurs twice. Rows "integers" have small integers instead, where
 * scores tie and outputs are equal. Verdicts that doubles leave to balls or exact arithmetic
 * are included in the time. The last column is how much slower attest_certify is without
 * doubles. */
#include <string.h>

#include <attest/kernel.h>

#include "certify/filter_batch.h"
#include "timing.h"

enum { INSTANCES = 2048, SLOW = 48, MOST = 4 * 8 * 4, MOST_WEIGHTS = 2 * 4 * 4 * 4 };

typedef struct workload {
    attest_filter_shape shape;
    bool integers;
    attest_filter_instance instance[INSTANCES];
    attest_filter_answer answer[INSTANCES];
    size_t length[INSTANCES][4];
    double token[INSTANCES][MOST], weight[INSTANCES][MOST_WEIGHTS];
} workload;

static size_t below(uint64_t *state, size_t n)
{
    return (size_t)((timing_random(state) + 1) / 2 * (double)n);
}

static double number(const workload *w, uint64_t *state)
{
    double u = (timing_random(state) + 1) / 2, v = timing_random(state);

    if (w->integers)
        return (double)below(state, 9) - 4;
    return sqrt(-2 * log(u + 0x1p-54)) * cos(3.14159265358979 * v);
}

static void fill_tokens(workload *w, size_t i, size_t n, size_t sequences, uint64_t *state)
{
    size_t dim = w->shape.dim, order[10];
    double pool[10 * 4];

    for (size_t e = 0; e < (n + 2) * dim; e++)
        pool[e] = number(w, state);
    for (size_t s = 0; s < sequences; s++) {
        for (size_t t = 0; t < n + 2; t++)
            order[t] = t;
        for (size_t k = 0; k < n; k++) {
            double *x = w->token[i] + (s * n + k) * dim;
            size_t other = k + below(state, n + 2 - k), t = order[other];
            order[other] = order[k];
            for (size_t c = 0; c < dim; c++)
                x[c] = i % 2 ? pool[t * dim + c] : number(w, state);
        }
    }
}

static void fill(workload *w, uint64_t seed)
{
    uint64_t state = seed;

    for (size_t i = 0; i < INSTANCES; i++) {
        size_t n = 4 + below(&state, 5), sequences = 2 + below(&state, 3);
        for (size_t s = 0; s < sequences; s++)
            w->length[i][s] = n;
        fill_tokens(w, i, n, sequences, &state);
        for (size_t e = 0; e < w->shape.heads * 4 * w->shape.size * w->shape.dim; e++)
            w->weight[i][e] = number(w, &state);
        w->instance[i] =
            (attest_filter_instance){sequences, w->length[i], w->token[i], w->weight[i]};
    }
}

static void fail(const attest_error *error)
{
    fprintf(stderr, "bench-filter: %s\n", error->text);
    exit(1);
}

/* The least processor time for all instances: what other programs take does not count. */
static double time_filter(workload *w, double seconds)
{
    double end = attest_clock_seconds() + seconds, best = INFINITY;
    attest_filter filter;
    attest_error error;

    if (attest_filter_init(&filter, &w->shape, &error) != ATTEST_OK)
        fail(&error);
    for (int round = 0; round < 3 || attest_clock_seconds() < end; round++) {
        clock_t start = clock();
        if (attest_filter_check(w->answer, &filter, w->instance, INSTANCES, &error) !=
            ATTEST_OK)
            fail(&error);
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    attest_filter_clear(&filter);
    return best;
}

/* The same for each of the first instances without doubles. */
static double time_certify(const workload *w)
{
    attest_filter_answer answer;
    attest_filter filter;
    attest_error error;
    clock_t start;
    double took;

    if (attest_filter_init(&filter, &w->shape, &error) != ATTEST_OK)
        fail(&error);
    start = clock();
    for (size_t i = 0; i < SLOW; i++) {
        if (attest_filter_escalate(&answer, &filter, &w->instance[i], &error) != ATTEST_OK)
            fail(&error);
        if (answer.verdict != w->answer[i].verdict) {
            fprintf(stderr, "bench-filter: instance %zu: verdicts differ\n", i);
            exit(1);
        }
    }
    took = (double)(clock() - start) / CLOCKS_PER_SEC;
    attest_filter_clear(&filter);
    return took * INSTANCES / SLOW;
}

static void run(workload *w)
{
    size_t by_filter = 0, proved = 0;
    double filter = time_filter(w, 0.3), certify = time_certify(w);

    for (size_t i = 0; i < INSTANCES; i++) {
        by_filter += strcmp(w->answer[i].method, "filter") == 0;
        proved += w->answer[i].verdict == ATTEST_PROVED;
    }
    printf("%-8s %zu %zu  %-6s %-8s %9.0f %9.2f %% %6.1f %% %8.0fx\n",
           attest_activation_name(w->shape.activation), w->shape.dim, w->shape.heads,
           attest_mask_name(w->shape.mask), w->integers ? "integers" : "normal",
           INSTANCES / filter, 100.0 * (double)by_filter / INSTANCES,
           100.0 * (double)proved / INSTANCES, certify / filter);
}

int main(void)
{
    static workload w;

    printf("kernel %s\n", attest_kernel_name());
    printf("%-8s %s %s  %-6s %-8s %9s %11s %8s %9s\n", "", "d", "H", "mask", "numbers", "per s",
           "by filter", "proved", "certify");
    for (int a = 0; a < 2; a++) {
        for (size_t dim = 1; dim <= 4; dim++) {
            for (int row = 0; row < 4; row++) {
                w.shape = (attest_filter_shape){
                    .activation = a ? ATTEST_HARDMAX : ATTEST_SOFTMAX,
                    .mask = row == 1 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE,
                    .skip = true,
                    .dim = dim,
                    .heads = row == 2 ? 2 : 1,
                    .size = dim};
                w.integers = row == 3;
                fill(&w, 1 + dim);
                run(&w);
            }
        }
    }
    return 0;
}
