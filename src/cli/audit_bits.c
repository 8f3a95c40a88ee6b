/* audit_bits.c -- what is necessary, what was observed, and what suffices, in bits. */
#include <stdio.h>

#include "audit/counting.h"
#include "cli/audit.h"

void attest_cli_audit_print_bits(const attest_audit *audit)
{
    const attest_audit_collapse *c = &audit->collapse;
    size_t classes = audit->classes.classes, dim = attest_weights_output_dim(audit->weights);

    attest_print("%-18s necessary %zu of any code, to tell %zu class%s apart", "bits per entry",
                 attest_counting_bits(classes, dim), classes, classes == 1 ? "" : "es");
    if (dim > 1)
        attest_print(" in %zu entries", dim);
    if (c->bits)
        attest_print("; observed %ld of a significand", c->bits);
    if (c->certified)
        attest_print("; %ld suffice", c->certified);
    attest_print("\n");
    for (size_t f = 0; f < audit->formats; f++)
        if (attest_counting_collapses(&audit->format[f], classes, dim))
            attest_print("%-18s has too few values for %zu classes: it collapses by counting\n",
                         audit->format[f].name, classes);
}
