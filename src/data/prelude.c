/* prelude.c -- what a block computes before it attends, in binary64. */
#include "data/prelude.h"

#include <math.h>

#include <mpfr.h>

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

/* frequency /= factor where the wave is long, as the rotary says. */
static void scale_frequency(mpfr_t frequency, const attest_prelude_rotary *rotary)
{
    double wave, part;
    mpfr_t slow;

    if (rotary->factor == 0)
        return;
    wave = 2 * 3.14159265358979323846 / mpfr_get_d(frequency, MPFR_RNDN);
    if (rotary->long_wave > 0 && wave < rotary->short_wave)
        return;
    if (rotary->long_wave <= 0 || wave > rotary->long_wave) {
        mpfr_div_d(frequency, frequency, rotary->factor, MPFR_RNDN);
        return;
    }
    /* part = 1 at short_wave, 0 at long_wave, linear in 1/wave */
    part =
        (1 / wave - 1 / rotary->long_wave) / (1 / rotary->short_wave - 1 / rotary->long_wave);
    mpfr_init2(slow, ANGLE_BITS);
    mpfr_div_d(slow, frequency, rotary->factor, MPFR_RNDN);
    mpfr_mul_d(slow, slow, 1 - part, MPFR_RNDN);
    mpfr_mul_d(frequency, frequency, part, MPFR_RNDN);
    mpfr_add(frequency, frequency, slow, MPFR_RNDN);
    mpfr_clear(slow);
}

void attest_prelude_angles(double *cosine, double *sine, const attest_prelude_rotary *rotary,
                           size_t length)
{
    size_t half = rotary->dims / 2;
    mpfr_t frequency, angle, c, s;

    mpfr_inits2(ANGLE_BITS, frequency, angle, c, s, (mpfr_ptr)NULL);
    for (size_t i = 0; i < half; i++) {
        mpfr_set_d(frequency, rotary->theta, MPFR_RNDN);
        mpfr_set_si(angle, -(long)i, MPFR_RNDN);
        mpfr_div_ui(angle, angle, half, MPFR_RNDN);
        mpfr_pow(frequency, frequency, angle, MPFR_RNDN);
        scale_frequency(frequency, rotary);
        for (size_t p = 0; p < length; p++) {
            mpfr_mul_ui(angle, frequency, p, MPFR_RNDN);
            mpfr_sin_cos(s, c, angle, MPFR_RNDN);
            cosine[p * half + i] = mpfr_get_d(c, MPFR_RNDN);
            sine[p * half + i] = mpfr_get_d(s, MPFR_RNDN);
        }
    }
    mpfr_clears(frequency, angle, c, s, (mpfr_ptr)NULL);
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
