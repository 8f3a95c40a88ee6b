/* Written numbers: whatever is read is written, read again and the same; no more than what was
 * announced is taken. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <attest/number.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(number)
{
    /* Large numbers are large all alike: a small budget keeps the runs fast. */
    attest_budget budget = {8192};
    attest_error error;
    size_t bound = 0;
    fmpq_t value, again;
    char *text = malloc(size ? size : 1), *written;
    attest_status status;

    /* A block of exactly this size, so that reading one byte more is noticed. */
    memcpy(text, data, size);
    fmpq_init(value);
    fmpq_init(again);
    status = attest_number_parse(value, text, size, &budget, &error);
    if (status == ATTEST_OK) {
        if (!fmpq_is_canonical(value) ||
            attest_number_bound_size(&bound, text, size, NULL) != ATTEST_OK ||
            8192 - budget.left != bound)
            abort();
        written = attest_number_format(value);
        if (attest_number_parse(again, written, strlen(written), NULL, NULL) != ATTEST_OK ||
            !fmpq_equal(value, again))
            abort();
        free(written);
    } else if (error.status != status || error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort();
    }
    fmpq_clear(value);
    fmpq_clear(again);
    free(text);
    return 0;
}
