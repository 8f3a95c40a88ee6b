/* Attention in balls against plain Arb and plain MPFR on the same inputs.
 *
 * "Plain" is what one writes with the library: rounded projections and scores, one exponential
 * per key, dot products (arb_dot; for MPFR a multiplication and an addition per term). Lattice:
 * a rank-1 head and small integer tokens. General: dense matrices of 60-bit rationals, whose
 * score differences have no useful common step, at several sizes. Interleaved repetitions, best
 * of several; ratios above 1 mean that attest is faster. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <attest/attention.h>

#include "tests/ref/cases.h"

enum { LENGTH = 32, DIM = 4, SIZE = 4 };

static slong entries(const ref_case *test)
{
    return (slong)(test->sequence.length * test->sequence.dim);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The matrix as balls, row by row. */
static void set_matrix(arb_ptr to, const attest_matrix *from, slong precision)
{
    fmpq_t entry;

    fmpq_init(entry);
    for (size_t r = 0; r < from->rows; r++)
        for (size_t c = 0; c < from->cols; c++) {
            attest_matrix_get_entry(entry, from, r, c);
            arb_set_fmpq(to + r * from->cols + c, entry, precision);
        }
    fmpq_clear(entry);
}

/* y (n x rows) = x (n x cols) times the transpose of m. */
static void plain_project(arb_ptr y, arb_srcptr m, arb_srcptr x, slong rows, slong cols,
                          slong n, slong precision)
{
    for (slong i = 0; i < n; i++)
        for (slong r = 0; r < rows; r++)
            arb_dot(y + i * rows + r, NULL, 0, m + r * cols, 1, x + i * cols, 1, cols,
                    precision);
}

static void plain_arb(arb_ptr out, const ref_case *test, slong precision)
{
    const attest_head *head = &test->weights.head[0];
    slong n = (slong)test->sequence.length, d = (slong)test->sequence.dim;
    slong s = (slong)head->wq.rows;
    arb_ptr z = _arb_vec_init(n * d), m = _arb_vec_init(d * s), mean = _arb_vec_init(s);
    arb_ptr q = _arb_vec_init(n * s), k = _arb_vec_init(n * s), v = _arb_vec_init(n * s);
    arb_ptr weight = _arb_vec_init(n);
    arb_t total, highest;

    arb_init(total);
    arb_init(highest);
    for (slong i = 0; i < n * d; i++)
        arb_fmpz_div_fmpz(z + i, test->sequence.entry + i, test->sequence.denominator,
                          precision);
    set_matrix(m, &head->wq, precision);
    plain_project(q, m, z, s, d, n, precision);
    set_matrix(m, &head->wk, precision);
    plain_project(k, m, z, s, d, n, precision);
    set_matrix(m, &head->wv, precision);
    plain_project(v, m, z, s, d, n, precision);
    set_matrix(m, &head->wo, precision);
    for (slong i = 0; i < n; i++) {
        for (slong j = 0; j < n; j++)
            arb_dot(weight + j, NULL, 0, k + j * s, 1, q + i * s, 1, s, precision);
        arb_set(highest, weight);
        for (slong j = 1; j < n; j++)
            arb_max(highest, highest, weight + j, precision);
        arb_zero(total);
        for (slong j = 0; j < n; j++) {
            arb_sub(weight + j, weight + j, highest, precision);
            arb_exp(weight + j, weight + j, precision);
            arb_add(total, total, weight + j, precision);
        }
        for (slong c = 0; c < s; c++) {
            arb_dot(mean + c, NULL, 0, weight, 1, v + c, s, n, precision);
            arb_div(mean + c, mean + c, total, precision);
        }
        for (slong c = 0; c < d; c++)
            arb_dot(out + i * d + c, z + i * d + c, 0, m + c * s, 1, mean, 1, s, precision);
    }
    arb_clear(total);
    arb_clear(highest);
    _arb_vec_clear(z, n * d);
    _arb_vec_clear(m, d * s);
    _arb_vec_clear(mean, s);
    _arb_vec_clear(q, n * s);
    _arb_vec_clear(k, n * s);
    _arb_vec_clear(v, n * s);
    _arb_vec_clear(weight, n);
}

/* The reference reading: one exponential at this precision, in ns. */
static double time_exp(slong precision)
{
    double best = 1, start;
    arb_t x, y;

    arb_init(x);
    arb_init(y);
    arb_set_si(x, -10);
    arb_div_ui(x, x, 7, precision);
    for (int i = 0; i < 4; i++) {
        start = seconds();
        for (int j = 0; j < 10; j++)
            arb_exp(y, x, precision);
        start = (seconds() - start) / 10;
        if (start < best)
            best = start;
    }
    arb_clear(x);
    arb_clear(y);
    return 1e9 * best;
}

static void compare(const char *name, const ref_case *test, slong precision, int repetitions)
{
    slong count = entries(test);
    arb_ptr out = _arb_vec_init(count), plain = _arb_vec_init(count);
    __mpfr_struct *number = malloc((size_t)count * sizeof *number);
    double ours = 1e9, arb = 1e9, mpfr = 1e9;
    attest_format format = {.precision = precision};

    for (slong i = 0; i < count; i++)
        mpfr_init2(number + i, precision);
    for (int r = 0; r < repetitions; r++) {
        double t[4];
        t[0] = seconds();
        if (attest_attention_ball(out, &test->weights, &test->sequence, precision, NULL) !=
            ATTEST_OK)
            abort();
        t[1] = seconds();
        plain_arb(plain, test, precision);
        t[2] = seconds();
        if (attest_attention_mpfr((mpfr_t *)number, &test->weights, &test->sequence, &format,
                                  MPFR_RNDN, NULL) != ATTEST_OK)
            abort();
        t[3] = seconds();
        ours = t[1] - t[0] < ours ? t[1] - t[0] : ours;
        arb = t[2] - t[1] < arb ? t[2] - t[1] : arb;
        mpfr = t[3] - t[2] < mpfr ? t[3] - t[2] : mpfr;
    }
    for (slong i = 0; i < count; i++)
        if (!arb_overlaps(out + i, plain + i))
            abort();
    printf("%-8s n = %3zu, d = %2zu %6ld bits  %10.3f ms  plain Arb %6.2fx  plain MPFR %6.2fx  "
           "(arb_exp %.0f ns)\n",
           name, test->sequence.length, test->sequence.dim, precision, 1e3 * ours, arb / ours,
           mpfr / ours, time_exp(precision));
    fflush(stdout);
    for (slong i = 0; i < count; i++)
        mpfr_clear(number + i);
    free(number);
    _arb_vec_clear(out, count);
    _arb_vec_clear(plain, count);
}

/* A rank-1 head on integer tokens within +-most. */
static void lattice_case(ref_case *test, ulong most, uint64_t *state)
{
    ref_shape shape = {1, DIM, SIZE, LENGTH, 3, 1, false};
    attest_head *head;

    ref_case_init(test, &shape, state);
    head = &test->weights.head[0];
    attest_matrix *const rank_one[] = {&head->wq, &head->wk, &head->wv};
    for (int i = 0; i < 3; i++) {
        attest_matrix_resize_factored(rank_one[i], SIZE, DIM);
        for (int c = 0; c < DIM; c++) {
            fmpz_set_si(rank_one[i]->u + c, c + 1);
            fmpz_set_si(rank_one[i]->v + c, c == 0 ? 3 : 1 - c);
        }
        fmpz_set_ui(rank_one[i]->u_denominator, 7);
        fmpz_set_ui(rank_one[i]->denominator, 7);
    }
    for (int i = 0; i < LENGTH * DIM; i++) {
        ref_random_integer(test->sequence.entry + i, 60, state);
        fmpz_mod_ui(test->sequence.entry + i, test->sequence.entry + i, 2 * most + 1);
        fmpz_sub_ui(test->sequence.entry + i, test->sequence.entry + i, most);
    }
    fmpz_set_ui(test->sequence.denominator, 3);
}

/* Dense matrices and tokens with entries in [-2, 2] that have 60-bit numerators. */
static void general_case(ref_case *test, size_t length, size_t dim, uint64_t *state)
{
    ref_shape shape = {1, dim, dim, length, 60, 1, false};
    attest_head *head;

    ref_case_init(test, &shape, state);
    head = &test->weights.head[0];
    attest_matrix *const dense[] = {&head->wq, &head->wk, &head->wv, &head->wo};
    for (int i = 0; i < 4; i++) {
        for (size_t e = 0; e < dim * dim; e++)
            ref_random_integer(dense[i]->entry + e, 60, state);
        fmpz_set_ui(dense[i]->denominator, 576460752303423487u);
    }
    fmpz_set_ui(test->sequence.denominator, 576460752303423487u);
}

int main(void)
{
    static const slong precision[] = {64, 128, 256, 512, 1024, 4096, 32768};
    static const struct {
        size_t length, dim;
        slong most; /* bits */
    } size[] = {{LENGTH, DIM, 32768}, {8, 4, 256}, {128, 4, 256}, {32, 1, 256}, {32, 16, 256}};
    uint64_t state = 0x5eed;
    ref_case small, large;

    lattice_case(&small, 6, &state);
    lattice_case(&large, 1000000, &state);
    for (size_t i = 0; i < sizeof precision / sizeof precision[0]; i++) {
        int repetitions = precision[i] > 8192 ? 2 : precision[i] > 512 ? 5 : 30;
        compare("lattice", &small, precision[i], repetitions);
        compare("lattice6", &large, precision[i], repetitions);
        for (size_t j = 0; j < sizeof size / sizeof size[0]; j++) {
            ref_case general;
            if (precision[i] > size[j].most)
                continue;
            general_case(&general, size[j].length, size[j].dim, &state);
            compare("general", &general, precision[i], repetitions);
            ref_case_clear(&general);
        }
    }
    ref_case_clear(&small);
    ref_case_clear(&large);
    flint_cleanup();
    return 0;
}
