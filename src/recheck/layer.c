/* layer.c -- weights and sequences as integer matrices, on the second route. */
#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"
#include "recheck/recheck.h"

/* to = the transposed matrix over the least common denominator of its entries. */
static void matrix_init(attest_recheck_matrix *to, const attest_matrix *from)
{
    FMPQ(entry);

    fmpz_init_set_ui(to->denominator, 1);
    fmpz_mat_init(to->entry, (slong)from->cols, (slong)from->rows);
    for (size_t r = 0; r < from->rows; r++)
        for (size_t c = 0; c < from->cols; c++) {
            attest_matrix_get_entry(entry, from, r, c);
            fmpz_lcm(to->denominator, to->denominator, fmpq_denref(entry));
        }
    for (size_t r = 0; r < from->rows; r++)
        for (size_t c = 0; c < from->cols; c++) {
            fmpz *target = fmpz_mat_entry(to->entry, (slong)c, (slong)r);
            attest_matrix_get_entry(entry, from, r, c);
            fmpz_divexact(target, to->denominator, fmpq_denref(entry));
            fmpz_mul(target, target, fmpq_numref(entry));
        }
}

static void matrix_clear(attest_recheck_matrix *matrix)
{
    fmpz_mat_clear(matrix->entry);
    fmpz_clear(matrix->denominator);
}

static void loaded_clear(attest_recheck_loaded *loaded, size_t heads)
{
    if (loaded->sequence != SIZE_MAX) {
        for (size_t h = 0; h < heads; h++) {
            fmpz_mat_clear(loaded->key[h]);
            fmpz_mat_clear(loaded->query[h]);
            fmpz_mat_clear(loaded->value[h]);
        }
        fmpz_mat_clear(loaded->token);
        fmpz_clear(loaded->denominator);
    }
    loaded->sequence = SIZE_MAX;
}

bool attest_recheck_init_heads(attest_recheck *check)
{
    check->head = attest_memory_alloc(check->heads, sizeof *check->head);
    if (!check->head)
        return false;
    for (size_t h = 0; h < check->heads; h++) {
        const attest_head *from = &check->weights->head[h];
        attest_recheck_head *head = &check->head[h];
        matrix_init(&head->wq, &from->wq);
        matrix_init(&head->wk, &from->wk);
        matrix_init(&head->wv, &from->wv);
        matrix_init(&head->wo, &from->wo);
        fmpz_init(head->key_query);
        fmpz_init(head->value);
        fmpz_mul(head->key_query, head->wk.denominator, head->wq.denominator);
        fmpz_mul(head->value, head->wo.denominator, head->wv.denominator);
    }
    for (int i = 0; i < 2; i++) {
        attest_recheck_loaded *loaded = &check->loaded[i];
        loaded->sequence = SIZE_MAX;
        loaded->key = attest_memory_alloc(check->heads, sizeof *loaded->key);
        loaded->query = attest_memory_alloc(check->heads, sizeof *loaded->query);
        loaded->value = attest_memory_alloc(check->heads, sizeof *loaded->value);
        if (!loaded->key || !loaded->query || !loaded->value)
            return false;
    }
    return true;
}

void attest_recheck_clear_heads(attest_recheck *check)
{
    for (int i = 0; check->head && i < 2; i++) {
        attest_recheck_loaded *loaded = &check->loaded[i];
        if (loaded->key && loaded->query && loaded->value)
            loaded_clear(loaded, check->heads);
        free(loaded->key);
        free(loaded->query);
        free(loaded->value);
    }
    for (size_t h = 0; check->head && h < check->heads; h++) {
        attest_recheck_head *head = &check->head[h];
        matrix_clear(&head->wq);
        matrix_clear(&head->wk);
        matrix_clear(&head->wv);
        matrix_clear(&head->wo);
        fmpz_clear(head->key_query);
        fmpz_clear(head->value);
    }
    free(check->head);
}

/* The tokens of a sequence, one row each, over one denominator. */
static void load_tokens(attest_recheck_loaded *loaded, const attest_recheck *check)
{
    const attest_dataset *dataset = check->dataset;
    const uint32_t *token = dataset->token + dataset->start[loaded->sequence];
    size_t length = attest_dataset_length(dataset, loaded->sequence);
    FMPZ_VEC(denominator, (slong)length);

    fmpz_init_set_ui(loaded->denominator, 1);
    fmpz_mat_init(loaded->token, (slong)length, (slong)check->dim);
    for (size_t k = 0; k < length; k++) {
        attest_tokens_get(fmpz_mat_entry(loaded->token, (slong)k, 0), denominator + k,
                          &dataset->tokens, token[k]);
        fmpz_lcm(loaded->denominator, loaded->denominator, denominator + k);
    }
    for (size_t k = 0; k < length; k++) {
        fmpz *row = fmpz_mat_entry(loaded->token, (slong)k, 0);
        fmpz_divexact(denominator + k, loaded->denominator, denominator + k);
        _fmpz_vec_scalar_mul_fmpz(row, row, (slong)check->dim, denominator + k);
    }
}

/* y = x m. */
static void product_init(fmpz_mat_t y, const fmpz_mat_t x, const attest_recheck_matrix *m)
{
    fmpz_mat_init(y, fmpz_mat_nrows(x), fmpz_mat_ncols(m->entry));
    fmpz_mat_mul(y, x, m->entry);
}

const attest_recheck_loaded *attest_recheck_load(attest_recheck *check, size_t position,
                                                 size_t *at)
{
    size_t sequence = attest_recheck_sequence(check, position);
    attest_recheck_loaded *loaded;

    *at = position - check->dataset->start[sequence];
    for (int i = 0; i < 2; i++)
        if (check->loaded[i].sequence == sequence) {
            check->older = !i;
            return &check->loaded[i];
        }
    loaded = &check->loaded[check->older];
    check->older = !check->older;
    loaded_clear(loaded, check->heads);
    loaded->sequence = sequence;
    load_tokens(loaded, check);
    for (size_t h = 0; h < check->heads; h++) {
        const attest_recheck_head *head = &check->head[h];
        fmpz_mat_t inner;
        product_init(loaded->key[h], loaded->token, &head->wk);
        product_init(loaded->query[h], loaded->token, &head->wq);
        product_init(inner, loaded->token, &head->wv);
        product_init(loaded->value[h], inner, &head->wo);
        fmpz_mat_clear(inner);
    }
    return loaded;
}

void attest_recheck_score(fmpz_t numerator, const attest_recheck *check,
                          const attest_recheck_loaded *loaded, size_t h, size_t j, size_t k)
{
    (void)check;
    _fmpz_vec_dot(numerator, fmpz_mat_entry(loaded->key[h], (slong)j, 0),
                  fmpz_mat_entry(loaded->query[h], (slong)k, 0),
                  fmpz_mat_ncols(loaded->key[h]));
}

void attest_recheck_score_denominator(fmpz_t denominator, const attest_recheck *check,
                                      const attest_recheck_loaded *loaded, size_t h)
{
    fmpz_mul(denominator, loaded->denominator, loaded->denominator);
    fmpz_mul(denominator, denominator, check->head[h].key_query);
}

void attest_recheck_value_denominator(fmpz_t denominator, const attest_recheck *check,
                                      const attest_recheck_loaded *loaded, size_t h)
{
    fmpz_mul(denominator, loaded->denominator, check->head[h].value);
}
