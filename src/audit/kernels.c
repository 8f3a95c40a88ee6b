/* kernels.c -- the kernels' error in ulp and the pessimism of their bound, as histograms. */
#include "audit/audit.h"

#include <math.h>
#include <stdlib.h>

#include <attest/kernel.h>

#include "base/memory.h"
#include "number/double.h"
#include "number/scope.h"

enum { BITS = 192 };
#define SECONDS 5.0

/* One head on one sequence. */
typedef struct kernel_work {
    size_t n, s, dim;
    bool causal;
    double *token;                   /* n * dim */
    double *q, *k, *v, *out, *error; /* n * s, error: n */
    arb_ptr weight, entry;           /* n, s */
} kernel_work;

static bool work_init(kernel_work *w, size_t n, size_t s, size_t dim)
{
    *w = (kernel_work){.n = n, .s = s, .dim = dim};
    w->token = attest_memory_alloc(n * dim, sizeof(double));
    w->q = attest_memory_alloc(n * s, sizeof(double));
    w->k = attest_memory_alloc(n * s, sizeof(double));
    w->v = attest_memory_alloc(n * s, sizeof(double));
    w->out = attest_memory_alloc(n * s, sizeof(double));
    w->error = attest_memory_alloc(n, sizeof(double));
    w->weight = _arb_vec_init((slong)n);
    w->entry = _arb_vec_init((slong)s);
    return w->token && w->q && w->k && w->v && w->out && w->error;
}

static void work_clear(kernel_work *w)
{
    free(w->token);
    free(w->q);
    free(w->k);
    free(w->v);
    free(w->out);
    free(w->error);
    _arb_vec_clear(w->weight, (slong)w->n);
    _arb_vec_clear(w->entry, (slong)w->s);
}

/* The matrix in doubles; the caller frees it. */
static double *read_matrix(const attest_matrix *m)
{
    double *value = attest_memory_alloc(m->rows * m->cols, sizeof *value);
    FMPQ(x);

    for (size_t i = 0; value && i < m->rows * m->cols; i++) {
        attest_matrix_get_entry(x, m, i / m->cols, i % m->cols);
        value[i] = attest_double_get_fraction(fmpq_numref(x), fmpq_denref(x));
    }
    return value;
}

static void project(double *y, const double *matrix, const kernel_work *w)
{
    for (size_t k = 0; k < w->n; k++)
        for (size_t r = 0; r < w->s; r++) {
            double sum = 0;
            for (size_t c = 0; c < w->dim; c++)
                sum += matrix[r * w->dim + c] * w->token[k * w->dim + c];
            y[k * w->s + r] = sum;
        }
}

static void read_tokens(kernel_work *w, const attest_dataset *dataset, size_t sequence)
{
    FMPZ_VEC(numerator, (slong)w->dim);
    FMPZ(denominator);

    for (size_t k = 0; k < w->n; k++) {
        attest_tokens_get(numerator, denominator, &dataset->tokens,
                          attest_dataset_token(dataset, sequence, k));
        for (size_t c = 0; c < w->dim; c++)
            w->token[k * w->dim + c] = attest_double_get_fraction(numerator + c, denominator);
    }
}

/* w->entry encloses the exact row i for these doubles. */
static void enclose_row(kernel_work *w, size_t i)
{
    size_t visible = w->causal ? i + 1 : w->n;
    ARB(x, y, total, top);

    for (size_t j = 0; j < visible; j++) {
        arb_zero(w->weight + j);
        for (size_t c = 0; c < w->s; c++) {
            arb_set_d(x, w->q[i * w->s + c]);
            arb_set_d(y, w->k[j * w->s + c]);
            arb_addmul(w->weight + j, x, y, BITS);
        }
        if (j == 0 || arf_cmp(arb_midref(w->weight + j), arb_midref(top)) > 0)
            arb_set(top, w->weight + j);
    }
    for (size_t j = 0; j < visible; j++) {
        arb_sub(w->weight + j, w->weight + j, top, BITS);
        arb_exp(w->weight + j, w->weight + j, BITS);
        arb_add(total, total, w->weight + j, BITS);
    }
    for (size_t c = 0; c < w->s; c++) {
        arb_zero(w->entry + c);
        for (size_t j = 0; j < visible; j++) {
            arb_set_d(x, w->v[j * w->s + c]);
            arb_addmul(w->entry + c, x, w->weight + j, BITS);
        }
        arb_div(w->entry + c, w->entry + c, total, BITS);
    }
}

/* The bin of x > 0 among powers of two from 2^least on. */
static size_t bin(double x, int least)
{
    int e;

    if (x <= 0)
        return 0;
    frexp(x, &e); /* x in [2^(e-1), 2^e) */
    if (e <= least)
        return 0;
    return e - least < ATTEST_KERNELS_BINS ? (size_t)(e - least) : ATTEST_KERNELS_BINS - 1;
}

/* An ulp of binary64 at x. */
static double ulp_at(double x)
{
    int e;

    frexp(x, &e);
    return e < -1021 ? 0x1p-1074 : ldexp(1, e - 53);
}

static void measure_row(attest_audit_kernels *kernels, kernel_work *w, size_t i)
{
    double square = 0, distance;
    ARB(x);

    kernels->rows++;
    enclose_row(w, i);
    for (size_t c = 0; c < w->s; c++) {
        double true_value = arf_get_d(arb_midref(w->entry + c), ARF_RND_NEAR), error, ulp;
        arb_set_d(x, w->out[i * w->s + c]);
        arb_sub(x, x, w->entry + c, BITS);
        error = fabs(arf_get_d(arb_midref(x), ARF_RND_NEAR));
        ulp = error / ulp_at(true_value);
        square += error * error;
        kernels->entries++;
        kernels->mean_ulp += ulp;
        kernels->max_ulp = fmax(kernels->max_ulp, ulp);
        kernels->ulp[bin(ulp, ATTEST_KERNELS_LEAST_ULP)]++;
    }
    distance = sqrt(square);
    if (!isfinite(w->error[i]))
        kernels->infinite++;
    else if (distance == 0)
        kernels->exact++;
    else
        kernels->ratio[bin(w->error[i] / distance, ATTEST_KERNELS_LEAST_RATIO)]++;
    /* distance has a relative error below 2^-40 */
    if (isfinite(w->error[i]) && !(distance * (1 - 0x1p-40) <= w->error[i]))
        kernels->broken++;
}

static bool all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool run_sequence(attest_audit_kernels *kernels, double *const matrix[3], size_t s,
                         const attest_audit_request *request, size_t sequence)
{
    size_t n = attest_dataset_length(request->dataset, sequence);
    kernel_work w ATTEST_CLEARED_BY(work_clear) = {0};

    if (!work_init(&w, n, s, request->dataset->dim))
        return false;
    w.causal = request->weights->mask == ATTEST_MASK_CAUSAL;
    read_tokens(&w, request->dataset, sequence);
    project(w.q, matrix[0], &w);
    project(w.k, matrix[1], &w);
    project(w.v, matrix[2], &w);
    if (!all_finite(w.q, n * s) || !all_finite(w.k, n * s) || !all_finite(w.v, n * s))
        return true;
    if (w.causal)
        attest_kernel_softmax_attention_causal(w.out, w.q, w.k, w.v, 1, n, s, w.error);
    else
        attest_kernel_softmax_attention(w.out, w.q, w.k, w.v, 1, n, s, w.error);
    for (size_t i = 0; i < n; i++)
        if (all_finite(w.out + i * s, s))
            measure_row(kernels, &w, i);
        else
            kernels->infinite++;
    return true;
}

attest_status attest_audit_kernels_get(attest_audit_kernels *kernels,
                                       const attest_audit_request *request,
                                       const attest_audit_reference *sample,
                                       attest_error *error)
{
    const attest_weights *weights = request->weights;
    double n = (double)request->dataset->longest, cost = 0;
    size_t count = sample->sequences;

    *kernels = (attest_audit_kernels){0};
    if (weights->activation == ATTEST_HARDMAX)
        return ATTEST_OK;
    for (size_t h = 0; h < weights->heads; h++)
        cost += n * n * ((double)weights->head[h].wq.rows * 2e-7 + 4e-6);
    if ((double)count * cost > SECONDS)
        count = SECONDS / cost > 1 ? (size_t)(SECONDS / cost) : 1;
    kernels->known = true;
    kernels->name = attest_kernel_name();
    kernels->sequences = count;
    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        double *q ATTEST_FREED = read_matrix(&head->wq);
        double *k ATTEST_FREED = read_matrix(&head->wk);
        double *v ATTEST_FREED = read_matrix(&head->wv);

        if (!q || !k || !v)
            return attest_memory_fail(error);
        for (size_t i = 0; i < count; i++)
            if (!run_sequence(kernels, (double *const[3]){q, k, v}, head->wq.rows, request,
                              sample->sequence[i]))
                return attest_memory_fail(error);
    }
    if (kernels->entries > 0)
        kernels->mean_ulp /= (double)kernels->entries;
    return ATTEST_OK;
}
