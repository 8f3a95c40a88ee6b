/* Words and tags in columns: whatever is read has a label for every token and a name for every
 * label. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/conll.h"
#include "tests/fuzz/fuzz.h"

static void check(const attest_dataset *dataset, const attest_tags *tags)
{
    if (dataset->count == 0 || dataset->label_dim != 1 || tags->count == 0 ||
        tags->words != dataset->tokens.count)
        abort();
    for (size_t i = 0; i < dataset->count; i++)
        if (attest_dataset_length(dataset, i) == 0)
            abort();
    for (size_t p = 0; p < dataset->total; p++)
        if (fmpq_sgn(dataset->label + p) < 0 ||
            fmpz_cmp_ui(fmpq_numref(dataset->label + p), tags->count) >= 0)
            abort();
    for (size_t t = 0; t < tags->count; t++)
        if (tags->name[t][0] == '\0')
            abort();
}

FUZZ_TARGET(conll)
{
    const size_t whole = (size_t)1 << 20;
    attest_budget budget = {whole};
    attest_error error = {ATTEST_OK, ""};
    attest_dataset dataset;
    attest_tags tags;
    attest_status status;

    attest_dataset_init(&dataset);
    attest_tags_init(&tags);
    status = attest_conll_parse(&dataset, &tags, (const char *)data, size, 2, &budget, &error);
    if (budget.left > whole)
        abort();
    if (status == ATTEST_OK)
        check(&dataset, &tags);
    else if (error.status != status || error.text[0] == '\0' || strchr(error.text, '\n') ||
             dataset.count != 0 || tags.name)
        abort();
    attest_tags_clear(&tags);
    attest_dataset_clear(&dataset);
    return 0;
}
