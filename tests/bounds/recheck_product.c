/* The term of the limit of integer products (proofs-notes/certify.md, "The product"), with an
 * instance that needs it. */
#include <math.h>

#include "recheck/recheck.h"
#include "tests/bounds/recheck_rows.h"
#include "tests/bounds/table.h"

#define U 0x1p-53

/* Points whose entries are all 655 units apart, at halves that are rounded to the even integer:
 * 656 units. The root of the dimension, the sum with the reach and its square are rounded down;
 * the square of the distance is the limit before. */
static double product_roundings(void)
{
    enum { DIM = 39, APART = 655, SQUARE = DIM * (APART + 1) * (APART + 1) };
    const double step = 0x1p-11, square = DIM * APART * APART;
    double x[2 * DIM], reach = sqrt(square), limit = reach + sqrt(DIM);
    uint32_t order[] = {0, 1}, near[ATTEST_RECHECK_ROWS] = {0};
    attest_recheck_product product;

    for (size_t e = 0; e < 2 * DIM; e++)
        x[e] = (e < DIM ? 0.5 : 0.5 + APART) * step;
    if (fma(reach, reach, -square) < 0 ||
        !attest_recheck_product_init(&product, x, order, 2, DIM))
        return NAN;
    if (product.scale * step == 1 && attest_recheck_product_set_limit(&product, reach * step))
        attest_recheck_product_find(near, &product, 0, 0);
    attest_recheck_product_clear(&product);
    return near[0] & 2 ? (SQUARE - limit * limit) / (16 * U * SQUARE) : INFINITY;
}

static const table_row rows[] = {
    {"product_roundings", product_roundings, 0.12,
     "the root and the sum of an exact reach can be off by u at most, which their square "
     "doubles; no instance has the worst of all roundings"},
};

void recheck_run_product(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
}
