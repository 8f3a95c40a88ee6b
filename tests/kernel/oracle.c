/* oracle.c -- attention from its definition, in balls. */
#include "tests/kernel/oracle.h"

#include <attest/kernel.h>

void problem_init(struct problem *problem, size_t batch, size_t n, size_t d)
{
    size_t size = batch * n * d;

    *problem = (struct problem){.batch = batch, .n = n, .d = d};
    problem->q = calloc(size, sizeof(double));
    problem->k = calloc(size, sizeof(double));
    problem->v = calloc(size, sizeof(double));
    problem->out = calloc(size, sizeof(double));
    problem->error = calloc(batch * n, sizeof(double));
    if (!problem->q || !problem->k || !problem->v || !problem->out || !problem->error)
        abort();
}

void problem_clear(struct problem *problem)
{
    free(problem->q);
    free(problem->k);
    free(problem->v);
    free(problem->out);
    free(problem->error);
}

attention_function *problem_function(const struct problem *problem)
{
    if (problem->hardmax)
        return problem->causal ? attest_kernel_hardmax_attention_causal
                               : attest_kernel_hardmax_attention;
    return problem->causal ? attest_kernel_softmax_attention_causal
                           : attest_kernel_softmax_attention;
}

void problem_run(struct problem *problem)
{
    problem_function(problem)(problem->out, problem->q, problem->k, problem->v, problem->batch,
                              problem->n, problem->d, problem->error);
}

/* sum_c q_c k_c; exact when prec is ARF_PREC_EXACT. */
static void dot(arb_t sum, const double *q, const double *k, size_t d, slong prec)
{
    arb_t a, b;

    arb_init(a);
    arb_init(b);
    arb_zero(sum);
    for (size_t c = 0; c < d; c++) {
        arb_set_d(a, q[c]);
        arb_set_d(b, k[c]);
        arb_addmul(sum, a, b, prec);
    }
    arb_clear(a);
    arb_clear(b);
}

/* weight[j] = e^score, up to a common factor that keeps the exponents moderate. */
static void softmax_weights(arb_ptr weight, size_t m, slong prec)
{
    arb_t shift;

    arb_init(shift);
    arb_set(shift, weight + m - 1); /* any score would do */
    for (size_t j = 0; j < m; j++) {
        arb_sub(weight + j, weight + j, shift, prec);
        arb_exp(weight + j, weight + j, prec);
    }
    arb_clear(shift);
}

static void hardmax_weights(arb_ptr weight, size_t m)
{
    arf_t top;

    arf_init(top);
    arf_set(top, arb_midref(weight));
    for (size_t j = 1; j < m; j++)
        arf_max(top, top, arb_midref(weight + j));
    for (size_t j = 0; j < m; j++)
        arb_set_ui(weight + j, arf_equal(arb_midref(weight + j), top));
    arf_clear(top);
}

/* distance encloses |out row - exact row|. */
static void row_distance(arb_t distance, const struct problem *problem, size_t b, size_t i,
                         slong prec)
{
    const size_t n = problem->n, d = problem->d, m = problem->causal ? i + 1 : n;
    const double *q = problem->q + (b * n + i) * d, *k = problem->k + b * n * d;
    const double *v = problem->v + b * n * d, *out = problem->out + (b * n + i) * d;
    arb_ptr weight = _arb_vec_init((slong)m);
    arb_t sum, value, entry;

    arb_init(sum);
    arb_init(value);
    arb_init(entry);
    for (size_t j = 0; j < m; j++)
        dot(weight + j, q, k + j * d, d, ARF_PREC_EXACT);
    if (problem->hardmax)
        hardmax_weights(weight, m);
    else
        softmax_weights(weight, m, prec);
    for (size_t j = 0; j < m; j++)
        arb_add(sum, sum, weight + j, prec);
    arb_zero(distance);
    for (size_t c = 0; c < d; c++) {
        arb_zero(value);
        for (size_t j = 0; j < m; j++) {
            arb_set_d(entry, v[j * d + c]);
            arb_addmul(value, weight + j, entry, prec);
        }
        arb_div(value, value, sum, prec);
        arb_set_d(entry, out[c]);
        arb_sub(value, value, entry, prec);
        arb_addmul(distance, value, value, prec);
    }
    arb_sqrtpos(distance, distance, prec);
    _arb_vec_clear(weight, (slong)m);
    arb_clear(sum);
    arb_clear(value);
    arb_clear(entry);
}

bool problem_row_inside(const struct problem *problem, size_t b, size_t i, double *distance)
{
    double error = problem->error[b * problem->n + i];
    bool inside = false;
    arb_t exact, bound;

    *distance = 0.0;
    if (error == (double)INFINITY)
        return true;
    if (!(error >= 0.0))
        return false;
    arb_init(exact);
    arb_init(bound);
    arb_set_d(bound, error);
    for (slong prec = 192; prec <= 1 << 15; prec *= 2) {
        row_distance(exact, problem, b, i, prec);
        inside = arb_le(exact, bound);
        if (inside || arb_gt(exact, bound))
            break;
    }
    *distance = arf_get_d(arb_midref(exact), ARF_RND_NEAR);
    arb_clear(exact);
    arb_clear(bound);
    return inside;
}
