/* Any bytes as an .npy dataset: refused, or a dataset whose parts fit together. */
#include <stdlib.h>

#include "io/dataset.h"
#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(npy)
{
    attest_budget budget = {(size_t)1 << 24};
    attest_dataset dataset;
    attest_error error;

    attest_dataset_init(&dataset);
    if (attest_dataset_set_npy(&dataset, data, size, &budget, &error) == ATTEST_OK) {
        if (dataset.total != dataset.count * dataset.longest || dataset.dim == 0 ||
            dataset.tokens.count > dataset.total)
            abort();
        for (size_t i = 0; i < dataset.total; i++)
            if (dataset.token[i] >= dataset.tokens.count)
                abort();
    } else if (budget.left != (size_t)1 << 24 || error.text[0] == '\0') {
        abort();
    }
    attest_dataset_clear(&dataset);
    return 0;
}
