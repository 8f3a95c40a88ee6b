/* prelude.c -- what a block computes before it attends, in binary64. */
#include "data/prelude.h"

#include <math.h>

#include <attest/flint.h>

#include "data/rotary.h"

/* Bits of angles before they are rounded: positions below 2^64 leave 128 of them. */
enum { ANGLE_BITS = 192 };

void attest_prelude_norm(double *z, const double *x, size_t dim, attest_norm norm, double eps,
                         const double *weight, const double *bias)
{
    double mean = 0, square = 0, root = 1;

    if (norm == ATTEST_NORM_LAYER) {
        for (size_t c = 0; c < dim; c++)
            mean += x[c];
        mean /= (double)dim;
    }
    if (norm != ATTEST_NORM_NONE) {
        for (size_t c = 0; c < dim; c++)
            square += (x[c] - mean) * (x[c] - mean);
        root = sqrt(square / (double)dim + eps);
    }
    for (size_t c = 0; c < dim; c++) {
        z[c] = norm == ATTEST_NORM_NONE ? x[c] : (x[c] - mean) / root;
        if (weight)
            z[c] *= weight[c];
        if (bias)
            z[c] += bias[c];
    }
}

void attest_prelude_apply(double *y, const double *matrix, const double *bias, const double *z,
                          size_t rows, size_t dim)
{
    for (size_t r = 0; r < rows; r++)
        y[r] = 0;
    /* Rows inside: each sum keeps its order, and several run at once. */
    for (size_t c = 0; c < dim; c++)
        for (size_t r = 0; r < rows; r++)
            y[r] += matrix[c * rows + r] * z[c];
    for (size_t r = 0; bias && r < rows; r++)
        y[r] += bias[r];
}

/* x = a double, exactly. */
static void set_double(fmpq_t x, double value)
{
    arf_t exact;

    arf_init(exact);
    arf_set_d(exact, value);
    arf_get_fmpq(x, exact);
    arf_clear(exact);
}

void attest_prelude_set_rotary(attest_rotary *exact, const attest_prelude_rotary *rotary)
{
    exact->dims = rotary->dims;
    set_double(exact->theta, rotary->theta);
    set_double(exact->factor, rotary->factor);
    set_double(exact->long_wave, rotary->long_wave);
    set_double(exact->short_wave, rotary->short_wave);
}

void attest_prelude_angles(double *cosine, double *sine, const attest_prelude_rotary *rotary,
                           size_t length)
{
    size_t half = rotary->dims / 2;
    attest_weights holder; /* of exact numbers */
    arb_t frequency, angle, c, s;

    attest_weights_init(&holder);
    arb_init(frequency), arb_init(angle), arb_init(c), arb_init(s);
    attest_prelude_set_rotary(&holder.form.rotary, rotary);
    for (size_t i = 0; i < half; i++) {
        attest_rotary_frequency(frequency, &holder.form.rotary, i, ANGLE_BITS);
        for (size_t p = 0; p < length; p++) {
            arb_mul_ui(angle, frequency, p, ANGLE_BITS);
            arb_sin_cos(s, c, angle, ANGLE_BITS);
            cosine[p * half + i] = arf_get_d(arb_midref(c), ARF_RND_NEAR);
            sine[p * half + i] = arf_get_d(arb_midref(s), ARF_RND_NEAR);
        }
    }
    arb_clear(frequency), arb_clear(angle), arb_clear(c), arb_clear(s);
    attest_weights_clear(&holder);
}

void attest_prelude_rotate(double *head, size_t half, const double *cosine, const double *sine)
{
    for (size_t i = 0; i < half; i++) {
        double a = head[i], b = head[i + half];

        head[i] = a * cosine[i] - b * sine[i];
        head[i + half] = b * cosine[i] + a * sine[i];
    }
}

void attest_prelude_slopes(double *slope, size_t heads)
{
    size_t power = 1;
    mpfr_t x;

    while (2 * power <= heads)
        power *= 2;
    mpfr_init2(x, 64);
    for (size_t h = 0; h < heads; h++) {
        size_t place = h < power ? 2 * (h + 1) : 2 * (h - power) + 1; /* of 2 power */

        mpfr_set_si(x, -4 * (long)place, MPFR_RNDN);
        mpfr_div_ui(x, x, power, MPFR_RNDN);
        mpfr_exp2(x, x, MPFR_RNDN);
        slope[h] = mpfr_get_d(x, MPFR_RNDN);
    }
    mpfr_clear(x);
}
