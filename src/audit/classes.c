/* classes.c -- the class of every position. */
#include "audit/classes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pair_map.h"
#include "theory/prefix_set.h"

void attest_audit_classes_init(attest_audit_classes *classes)
{
    *classes = (attest_audit_classes){0};
    fmpz_init(classes->required_pairs);
}

void attest_audit_classes_clear(attest_audit_classes *classes)
{
    free(classes->group);
    fmpz_clear(classes->required_pairs);
}

/* Numbers the positions of sequence i. */
static bool enter_sequence(attest_audit_classes *classes, attest_prefix *prefix,
                           attest_prefix_set *vocabularies, attest_pair_map *pairs, size_t i,
                           bool causal)
{
    const attest_dataset *dataset = prefix->dataset;
    size_t length = attest_dataset_length(dataset, i);
    uint32_t vocabulary = 0;
    bool is_new;

    attest_prefix_start(prefix, i);
    for (size_t k = 0; k < length; k++) {
        attest_prefix_extend(prefix);
        if ((causal || k + 1 == length) &&
            !attest_prefix_set_get(&vocabulary, vocabularies, prefix))
            return false;
        if (causal &&
            !attest_pair_map_get(&classes->group[dataset->start[i] + k], &is_new, pairs,
                                 vocabulary, attest_dataset_token(dataset, i, k)))
            return false;
    }
    for (size_t k = 0; !causal && k < length; k++)
        if (!attest_pair_map_get(&classes->group[dataset->start[i] + k], &is_new, pairs,
                                 vocabulary, attest_dataset_token(dataset, i, k)))
            return false;
    return true;
}

/* All pairs but those inside a class. */
static bool count_pairs(attest_audit_classes *classes)
{
    size_t *size = attest_memory_alloc(classes->groups, sizeof *size);
    fmpz_t inside;

    if (!size)
        return false;
    fmpz_init(inside);
    for (size_t p = 0; p < classes->count; p++)
        size[classes->group[p]]++;
    fmpz_bin_uiui(classes->required_pairs, classes->count, 2);
    for (size_t g = 0; g < classes->groups; g++) {
        fmpz_bin_uiui(inside, size[g], 2);
        fmpz_sub(classes->required_pairs, classes->required_pairs, inside);
    }
    fmpz_clear(inside);
    free(size);
    return true;
}

attest_status attest_audit_classes_get(attest_audit_classes *classes,
                                       const attest_dataset *dataset, attest_mask mask,
                                       attest_error *error)
{
    attest_prefix prefix;
    attest_prefix_set vocabularies;
    attest_pair_map pairs = {0};
    attest_status status = attest_prefix_init(&prefix, dataset, error);
    bool ok;

    if (status != ATTEST_OK)
        return status;
    attest_prefix_set_init(&vocabularies, ATTEST_LIKE_SETS);
    free(classes->group);
    classes->count = dataset->total;
    classes->group = attest_memory_alloc(dataset->total, sizeof *classes->group);
    ok = classes->group != NULL;
    for (size_t i = 0; i < dataset->count && ok; i++)
        ok = enter_sequence(classes, &prefix, &vocabularies, &pairs, i,
                            mask == ATTEST_MASK_CAUSAL);
    classes->groups = pairs.count;
    ok = ok && count_pairs(classes);
    attest_pair_map_clear(&pairs);
    attest_prefix_set_clear(&vocabularies);
    attest_prefix_clear(&prefix);
    return ok ? ATTEST_OK : attest_memory_fail(error);
}
