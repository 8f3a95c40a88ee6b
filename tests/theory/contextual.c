/* Contexts, classes and required pairs against the definition, position by position. */
#include "theory/contextual.h"

#include <stdlib.h>

#include "tests/tap.h"

static uint64_t state;

static size_t below(size_t n)
{
    return (size_t)(tap_random(&state) % n);
}

static bool make(attest_dataset *dataset)
{
    attest_dataset_builder builder;
    attest_error error;
    size_t sequences = 1 + below(6), tokens = 1 + below(5);
    bool ok = true;

    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; ok && i < sequences; i++) {
        double x[12];
        size_t length = 1 + below(12);
        for (size_t k = 0; k < length; k++)
            x[k] = (double)below(tokens);
        ok = attest_dataset_builder_add_sequences(&builder, x, 1, length, &error) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_finish(dataset, &builder, &error) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    return ok;
}

/* Every two tokens, or three, are taken for one. */
static void give_meanings(attest_dataset *dataset)
{
    size_t alike = 2 + below(2);

    dataset->identity = calloc(dataset->tokens.count, sizeof *dataset->identity);
    for (size_t t = 0; t < dataset->tokens.count; t++)
        dataset->identity[t] = (uint32_t)(t / alike);
}

/* One position and what it sees. */
typedef struct position {
    const attest_dataset *dataset;
    const uint32_t *token; /* of its sequence */
    size_t seen;
    uint32_t query;
} position;

static size_t times(const position *p, uint32_t token)
{
    size_t n = 0;

    for (size_t k = 0; k < p->seen; k++)
        n += p->token[k] == token;
    return n;
}

/* The token's place in the order of first appearance. */
static size_t rank(const position *p, uint32_t token)
{
    size_t n = 0;

    for (size_t k = 0; k < p->seen && p->token[k] != token; k++) {
        size_t before = 0;
        while (p->token[before] != p->token[k])
            before++;
        n += before == k;
    }
    return n;
}

static uint32_t meaning(const position *p, uint32_t token)
{
    return p->dataset->identity ? p->dataset->identity[token] : token;
}

static bool sees(const position *p, uint32_t meant)
{
    for (size_t k = 0; k < p->seen; k++)
        if (meaning(p, p->token[k]) == meant)
            return true;
    return false;
}

static bool same_class(const position *a, const position *b, size_t tokens)
{
    for (uint32_t t = 0; t < tokens; t++)
        if (sees(a, t) != sees(b, t))
            return false;
    return meaning(a, a->query) == meaning(b, b->query);
}

static bool same_context(const position *a, const position *b, size_t tokens, attest_ties ties)
{
    if (a->query != b->query)
        return false;
    for (uint32_t t = 0; t < tokens; t++) {
        if ((times(a, t) > 0) != (times(b, t) > 0))
            return false;
        if (ties == ATTEST_TIES_UNIFORM && times(a, t) * b->seen != times(b, t) * a->seen)
            return false;
        if (ties == ATTEST_TIES_LEFTMOST && times(a, t) && rank(a, t) != rank(b, t))
            return false;
    }
    return true;
}

/* Compares with what the definition says of every pair of positions. */
static bool agrees(const attest_contexts *contexts, const attest_dataset *dataset,
                   attest_mask mask, attest_ties ties)
{
    position all[72];
    size_t count = 0, required = 0, different = 0, tokens = dataset->tokens.count;

    for (size_t i = 0; i < dataset->count; i++)
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++)
            all[count++] = (position){
                dataset, dataset->token + dataset->start[i],
                mask == ATTEST_MASK_CAUSAL ? k + 1 : attest_dataset_length(dataset, i),
                attest_dataset_token(dataset, i, k)};
    for (size_t b = 0; b < count; b++) {
        bool is_new = true;
        for (size_t a = 0; a < b; a++) {
            required += !same_class(&all[a], &all[b], tokens);
            is_new = is_new && !same_context(&all[a], &all[b], tokens, ties);
        }
        if (!is_new)
            continue;
        if (different >= contexts->count || contexts->context[different].first != b ||
            contexts->context[different].seen != all[b].seen)
            return false;
        for (size_t p = 0; p < different; p++)
            if ((contexts->context[p].group == contexts->context[different].group) !=
                same_class(&all[contexts->context[p].first], &all[b], tokens))
                return false;
        different++;
    }
    return different == contexts->count && fmpz_cmp_ui(contexts->required_pairs, required) == 0;
}

/* The classes of all positions are those of their contexts, in the same order. */
static bool same_classes(const attest_contexts *contexts, const attest_dataset *dataset,
                         attest_mask mask)
{
    attest_contexts classes;
    bool ok;

    attest_contexts_init(&classes);
    ok = attest_contexts_get_classes(&classes, dataset, mask, NULL) == ATTEST_OK &&
         classes.count == contexts->classes && classes.classes == contexts->classes &&
         classes.positions == dataset->total &&
         fmpz_equal(classes.required_pairs, contexts->required_pairs);
    for (size_t p = 0; ok && p < dataset->total; p++)
        ok = classes.position[p] == contexts->context[contexts->position[p]].group;
    attest_contexts_clear(&classes);
    return ok;
}

TEST(contextual)
{
    size_t failed = 0, wrong = 0;

    state = tap_seed(0xc047e87);
    for (int round = 0; round < 500; round++) {
        attest_mask mask = below(2) ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        attest_ties ties = below(2) ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
        attest_dataset dataset;
        attest_contexts contexts;
        attest_error error;
        attest_dataset_init(&dataset);
        attest_contexts_init(&contexts);
        contexts.keep_positions = true;
        failed += !make(&dataset);
        if (round % 2)
            give_meanings(&dataset);
        failed += !(attest_contexts_get(&contexts, &dataset, mask, ties, &error) == ATTEST_OK &&
                    agrees(&contexts, &dataset, mask, ties));
        wrong += !same_classes(&contexts, &dataset, mask);
        attest_contexts_clear(&contexts);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(failed == 0,
           "contexts of 500 datasets, some of whose tokens are taken for one (%zu failed)",
           failed);
    TAP_OK(wrong == 0, "classes of the same datasets (%zu failed)", wrong);
    flint_cleanup();
    return 0;
}
