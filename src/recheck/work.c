/* work.c -- how much work an output is on the second route, before it is begun.
 *
 * An operation on numbers of b bits counts b log2 b, an exponential 16 log2 b of them. */
#include <math.h>

#include "recheck/recheck.h"

static double operation(double bits)
{
    double b = fmax(bits, 64);

    return b * log2(b);
}

static double matrix_bits(const fmpz_mat_t matrix)
{
    return fabs((double)fmpz_mat_max_bits(matrix));
}

bool attest_recheck_afford(attest_recheck *check, size_t position, long bits)
{
    size_t at, seen = attest_recheck_seen(check, position);
    const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);
    bool exponentials = check->weights->activation == ATTEST_SOFTMAX;
    double work = 0;

    for (size_t h = 0; h < check->heads; h++) {
        double score = matrix_bits(loaded->key[h]) + matrix_bits(loaded->query[h]);
        double end = exponentials ? (double)bits : matrix_bits(loaded->value[h]);

        work += (double)fmpz_mat_ncols(loaded->key[h]) * operation(score) +
                (double)check->dim * operation(end);
        if (exponentials)
            work += 16 * log2(end) * operation(end);
    }
    work *= (double)seen;
    if (!(work <= check->work_left)) {
        check->met_work = true;
        return false;
    }
    check->work_left -= work;
    return true;
}
