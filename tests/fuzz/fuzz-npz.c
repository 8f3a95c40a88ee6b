/* Any bytes as an .npz archive of weights: refused, or weights whose shapes fit together. */
#include <stdint.h>
#include <stdlib.h>

#include "io/npy.h"
#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(npz)
{
    attest_budget budget = {(size_t)1 << 22};
    attest_weights weights;
    attest_error error;

    attest_weights_init(&weights);
    if (attest_weights_set_npz(&weights, data, size, &budget, &error) == ATTEST_OK) {
        if (weights.heads == 0 || attest_weights_check_shapes(&weights, NULL) != ATTEST_OK)
            abort();
    } else if (budget.left != (size_t)1 << 22 || error.text[0] == '\0') {
        abort();
    }
    attest_weights_clear(&weights);
    return 0;
}
