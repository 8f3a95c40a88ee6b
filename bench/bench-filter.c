/* bench-filter.c -- rigorous verdicts on small instances per second: contextual mappings,
 * double inputs, n = 4..8, d <= 4, two to four sequences, weights of their own for each
 * instance.
 *
 * Tokens and weights are normal random numbers, 53 bits each. Half of the instances draw their
 * tokens from a common vocabulary of n + 2, so that the same token stands in different
 * contexts; in the other half no token occurs twice. Verdicts that doubles left to balls or
 * exact arithmetic are counted, and their time is included. The baseline is attest_certify. */
#include <attest/filter.h>
#include <string.h>

#include "timing.h"

enum { INSTANCES = 2048, MOST = 4 * 8 * 4, MOST_WEIGHTS = 4 * 4 * 4 };

typedef struct workload {
    attest_filter_shape shape;
    attest_filter filter;
    attest_filter_instance instance[INSTANCES];
    attest_filter_answer answer[INSTANCES];
    size_t length[INSTANCES][4];
    double token[INSTANCES][MOST], weight[INSTANCES][MOST_WEIGHTS];
    bool failed;
} workload;

static double normal(uint64_t *state)
{
    double u = (timing_random(state) + 1) / 2, v = timing_random(state);

    return sqrt(-2 * log(u + 0x1p-54)) * cos(3.14159265358979 * v);
}

static size_t below(uint64_t *state, size_t n)
{
    return (size_t)((timing_random(state) + 1) / 2 * (double)n);
}

static void fill_tokens(workload *w, size_t i, size_t n, size_t sequences, uint64_t *state)
{
    size_t dim = w->shape.dim, order[10];
    double pool[10 * 4];

    for (size_t e = 0; e < (n + 2) * dim; e++)
        pool[e] = normal(state);
    for (size_t s = 0; s < sequences; s++) {
        for (size_t t = 0; t < n + 2; t++)
            order[t] = t;
        for (size_t k = 0; k < n; k++) {
            double *x = w->token[i] + (s * n + k) * dim;
            size_t other = k + below(state, n + 2 - k), t = order[other];
            order[other] = order[k];
            for (size_t c = 0; c < dim; c++)
                x[c] = i % 2 ? pool[t * dim + c] : normal(state);
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
        for (size_t e = 0; e < 4 * w->shape.size * w->shape.dim; e++)
            w->weight[i][e] = normal(&state);
        w->instance[i] =
            (attest_filter_instance){sequences, w->length[i], w->token[i], w->weight[i]};
    }
}

/* The least processor time of a pass over all instances: other programs do not count. */
static double time_filter(workload *w, double seconds)
{
    double end = timing_now() + seconds, best = INFINITY;
    attest_error error;

    for (int round = 0; round < 3 || timing_now() < end; round++) {
        clock_t start = clock();
        w->failed |= attest_filter_check(w->answer, &w->filter, w->instance, INSTANCES,
                                         &error) != ATTEST_OK;
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    return best;
}

static void report(workload *w, double seconds)
{
    size_t by_filter = 0, count[3] = {0};

    for (size_t i = 0; i < INSTANCES; i++) {
        by_filter += strcmp(w->answer[i].method, "filter") == 0;
        count[w->answer[i].verdict]++;
    }
    printf("%-8s %zu %-6s %9.0f %9.2f %% %8.1f %% %9zu\n",
           attest_activation_name(w->shape.activation), w->shape.dim,
           w->shape.mask == ATTEST_MASK_CAUSAL ? "causal" : "none", INSTANCES / seconds,
           100.0 * (double)by_filter / INSTANCES, 100.0 * (double)count[0] / INSTANCES,
           count[ATTEST_UNDECIDED]);
}

int main(void)
{
    static workload w;
    attest_error error;

    printf("%-8s %s %-6s %9s %11s %10s %9s\n", "", "d", "mask", "per s", "by filter", "proved",
           "undecided");
    for (int a = 0; a < 2; a++) {
        for (size_t dim = 1; dim <= 4; dim++) {
            for (int causal = 0; causal < 2; causal++) {
                w.shape = (attest_filter_shape){
                    .activation = a ? ATTEST_HARDMAX : ATTEST_SOFTMAX,
                    .mask = causal ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE,
                    .skip = true,
                    .dim = dim,
                    .heads = 1,
                    .size = dim};
                fill(&w, 1 + dim);
                if (attest_filter_init(&w.filter, &w.shape, &error) != ATTEST_OK)
                    return 1;
                report(&w, time_filter(&w, 0.5));
                attest_filter_clear(&w.filter);
            }
        }
    }
    return w.failed;
}
