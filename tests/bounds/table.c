/* table.c -- runs the tables of bound terms, and weakens terms. */
#include "tests/bounds/table.h"

#include <string.h>

#include "base/term.h"
#include "tests/tap.h"

static const char *weak_name = "";
static double weak_factor = 1;

double attest_term(const char *name, double value)
{
    return strcmp(name, weak_name) == 0 ? weak_factor * value : value;
}

static double weakened_ratio(const table_row *row, double factor)
{
    double ratio;

    weak_name = row->term;
    weak_factor = factor;
    ratio = row->ratio();
    weak_name = "";
    return ratio;
}

void table_run(const table_row *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++, row++) {
        double whole = weakened_ratio(row, 1), none = weakened_ratio(row, 0);

        TAP_OK(whole <= 1 && whole >= row->least, "%s: error / bound = %.4g, at least %g",
               row->term, whole, row->least);
        TAP_OK(!(none <= 1), "%s: the bound fails without the term (%.4g)", row->term, none);
        if (row->least >= 0.9) {
            double half = weakened_ratio(row, 0.5);

            TAP_OK(!(half <= 1), "%s: the bound fails with half the term (%.4g)", row->term,
                   half);
        } else {
            TAP_OK(row->why && *row->why, "%s: why no instance comes nearer: %s", row->term,
                   row->why ? row->why : "");
        }
    }
}

int table_done(void)
{
    return tap_done();
}
