/* products.h -- blocks of a matrix unit, operations of a format and sums of products, from
 * their definitions in proofs-notes/judge-kernels.md: rationals and MPFR, no code of the
 * library's. */
#ifndef ATTEST_TESTS_REF_PRODUCTS_H
#define ATTEST_TESTS_REF_PRODUCTS_H

#include <attest/flint.h>

#include "judge/model.h"

double ref_block(double c, const double *a, const double *b, size_t stride, size_t n,
                 const attest_format *fa, const attest_format *fb, bool half, long fraction);

/* x, exact, rounded to nearest. */
double ref_nearest(mpfr_srcptr x, const attest_format *format);
double ref_cast(double x, const attest_format *f);

/* Sets whether operations of binary32 return 0 instead of subnormal numbers; casts do not. */
void ref_set_flush(bool flush);

/* a + b, a b + c, a / b by '+', '*', '/'; e^a, 2^a, tanh a, log a by 'e', '2', 't',
 * 'l'. */
double ref_operate(char what, double a, double b, double c, const attest_format *f);
double ref_add(double x, double y, const attest_format *f);
double ref_mul(double x, double y, const attest_format *f);

/* Products a[i] b[i stride]. */
typedef struct ref_dot {
    const double *a, *b;
    size_t stride;
    const attest_judge_dot *how;
    attest_judge_order order;
    const attest_format *fa, *fb;
} ref_dot;

/* start + the products first .. last-1, the first block beginning at place 0. */
double ref_sum_products(double start, const ref_dot *x, size_t first, size_t last);

#endif
