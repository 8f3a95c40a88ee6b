/* lemma.c -- the contexts that Lemma F speaks of. */
#include "recheck/lemma.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* More entries than these are not listed: under a mask they grow like n^2. */
enum { MOST_ENTRIES = 1 << 28 };

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The ranks of the first seen tokens from start on, sorted; false where one is there twice. */
static bool make_list(uint32_t *key, const attest_recheck_lemma *lemma, size_t start,
                      size_t seen)
{
    bool distinct = true;

    for (size_t k = 0; k < seen; k++)
        key[k] = lemma->rank[lemma->check->dataset->token[start + k]];
    qsort(key, seen, sizeof *key, by_number);
    for (size_t k = 1; k < seen; k++)
        distinct = distinct && key[k] != key[k - 1];
    return distinct;
}

/* All contexts, as lists of ranks. */
static bool make_lists(attest_recheck_lemma *lemma)
{
    const attest_dataset *dataset = lemma->check->dataset;
    bool causal = lemma->check->weights->mask == ATTEST_MASK_CAUSAL, ok;
    size_t entries = 0;

    lemma->lists = causal ? dataset->total : dataset->count;
    lemma->start = attest_recheck_lemma_alloc(lemma, lemma->lists + 1, sizeof *lemma->start);
    if (!lemma->start)
        return false;
    for (size_t l = 0; l < lemma->lists; l++) {
        entries +=
            causal ? attest_recheck_seen(lemma->check, l) : attest_dataset_length(dataset, l);
        lemma->start[l + 1] = entries;
        if (entries > MOST_ENTRIES)
            return false;
    }
    lemma->key = attest_recheck_lemma_alloc(lemma, entries, sizeof *lemma->key);
    ok = lemma->key != NULL;
    for (size_t l = 0; l < lemma->lists && ok; l++)
        ok = make_list(lemma->key + lemma->start[l], lemma,
                       dataset->start[causal ? attest_recheck_sequence(lemma->check, l) : l],
                       lemma->start[l + 1] - lemma->start[l]);
    return ok;
}

void *attest_recheck_lemma_alloc(attest_recheck_lemma *lemma, size_t count, size_t size)
{
    void *block = attest_memory_alloc(count, size);

    lemma->starved = lemma->starved || !block;
    return block;
}

bool attest_recheck_lemma_init(attest_recheck_lemma *lemma, const attest_recheck *check)
{
    const attest_weights *weights = check->weights;
    size_t count = check->dataset->tokens.count;
    bool ok;

    memset(lemma, 0, sizeof *lemma);
    if (weights->activation != ATTEST_SOFTMAX || weights->heads != 1 ||
        !attest_weights_skip_is_plain(weights))
        return false;
    lemma->check = check;
    lemma->v = _fmpq_vec_init((slong)check->dim);
    lemma->a = _fmpq_vec_init((slong)check->dim);
    lemma->w = _fmpq_vec_init((slong)check->dim);
    lemma->value = _fmpz_vec_init((slong)count);
    lemma->slope = _fmpz_vec_init((slong)count);
    fmpz_init(lemma->values), fmpz_init(lemma->slopes), fmpz_init(lemma->gap);
    arb_init(lemma->norm);
    lemma->rank = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->rank);
    lemma->sorted = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->sorted);
    lemma->slope_above = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->slope_above);
    lemma->slope_log = attest_recheck_lemma_alloc(lemma, count, sizeof *lemma->slope_log);
    ok = lemma->rank && lemma->sorted && lemma->slope_above && lemma->slope_log &&
         attest_recheck_lemma_set_head(lemma, &weights->head[0]) && make_lists(lemma) &&
         attest_recheck_lemma_set_norms(lemma);
    if (!ok)
        attest_recheck_lemma_clear(lemma);
    return ok;
}

void attest_recheck_lemma_clear(attest_recheck_lemma *lemma)
{
    slong dim = (slong)lemma->check->dim, count = (slong)lemma->check->dataset->tokens.count;

    _fmpq_vec_clear(lemma->v, dim), _fmpq_vec_clear(lemma->a, dim);
    _fmpq_vec_clear(lemma->w, dim);
    _fmpz_vec_clear(lemma->value, count), _fmpz_vec_clear(lemma->slope, count);
    fmpz_clear(lemma->values), fmpz_clear(lemma->slopes), fmpz_clear(lemma->gap);
    arb_clear(lemma->norm);
    free(lemma->rank), free(lemma->sorted), free(lemma->start), free(lemma->key);
    free(lemma->slope_above), free(lemma->slope_log);
    free(lemma->square), free(lemma->dot), free(lemma->near);
}

size_t attest_recheck_lemma_place(const attest_recheck_lemma *lemma, uint32_t token,
                                  uint32_t list)
{
    const attest_dataset *dataset = lemma->check->dataset;
    size_t position = list;

    if (lemma->check->weights->mask == ATTEST_MASK_CAUSAL)
        return position;
    position = dataset->start[list];
    while (dataset->token[position] != token)
        position++;
    return position;
}
