/* Exact matrices. */
#include <attest/matrix.h>

#include "tests/tap.h"

static bool entry_is(const attest_matrix *m, size_t r, size_t c, slong top, ulong bottom)
{
    fmpq_t value, expected;
    bool equal;

    fmpq_init(value);
    fmpq_init(expected);
    fmpq_set_si(expected, top, bottom);
    attest_matrix_get_entry(value, m, r, c);
    equal = fmpq_equal(value, expected) && fmpq_is_canonical(value);
    fmpq_clear(value);
    fmpq_clear(expected);
    return equal;
}

TEST(matrix)
{
    attest_matrix a, b;

    attest_matrix_init(&a);
    attest_matrix_init(&b);
    attest_matrix_resize(&a, 2, 3);
    TAP_OK(entry_is(&a, 1, 2, 0, 1), "a new matrix is zero");
    for (slong i = 0; i < 6; i++)
        fmpz_set_si(a.entry + i, i - 2);
    fmpz_set_ui(a.denominator, 6);
    TAP_OK(entry_is(&a, 0, 0, -1, 3) && entry_is(&a, 1, 2, 1, 2), "rows after rows, reduced");
    attest_matrix_resize_factored(&b, 4, 1);
    attest_matrix_set(&b, &a);
    attest_matrix_set(&b, &b);
    TAP_OK(!b.factored && b.rows == 2 && b.cols == 3 && entry_is(&b, 1, 0, 1, 6),
           "a copy, also onto itself");
    attest_matrix_resize_factored(&a, 2, 2);
    TAP_OK(a.factored && entry_is(&a, 1, 1, 0, 1) && fmpz_is_one(a.denominator),
           "resizing forgets");
    fmpz_set_si(a.u, -3);
    fmpz_set_si(a.u + 1, 4);
    fmpz_set_si(a.v + 1, 5);
    fmpz_set_ui(a.u_denominator, 2);
    fmpz_set_ui(a.v_denominator, 3);
    fmpz_set_ui(a.denominator, 6);
    attest_matrix_set(&b, &a);
    TAP_OK(b.factored && entry_is(&b, 0, 1, -5, 2) && entry_is(&b, 1, 1, 10, 3) &&
               entry_is(&b, 1, 0, 0, 1),
           "u v^T");
    attest_matrix_clear(&a);
    attest_matrix_clear(&b);
    flint_cleanup();
    return 0;
}
