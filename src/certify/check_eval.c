/* check_eval.c -- outputs and classes of positions, from the definitions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "certify/check.h"

size_t attest_recheck_sequence(const attest_recheck *check, size_t position)
{
    size_t low = 0, high = check->dataset->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (check->dataset->start[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t attest_recheck_seen(const attest_recheck *check, size_t position)
{
    size_t i = attest_recheck_sequence(check, position);

    return check->weights->mask == ATTEST_MASK_CAUSAL
               ? position - check->dataset->start[i] + 1
               : attest_dataset_length(check->dataset, i);
}

/* One position and the sorted set of the tokens that it sees. */
typedef struct sight {
    size_t position;
    uint32_t token;
    size_t count;
    uint32_t *set;
} sight;

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int by_class(const void *a, const void *b)
{
    const sight *x = a, *y = b;

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->count ? memcmp(x->set, y->set, x->count * sizeof *x->set) : 0;
}

static bool make_sight(sight *s, const attest_recheck *check, size_t position)
{
    const attest_dataset *dataset = check->dataset;
    size_t seen = attest_recheck_seen(check, position), count = 0;
    size_t start = dataset->start[attest_recheck_sequence(check, position)];

    s->position = position;
    s->token = dataset->token[position];
    s->set = attest_memory_alloc(seen, sizeof *s->set);
    if (!s->set)
        return false;
    memcpy(s->set, dataset->token + start, seen * sizeof *s->set);
    qsort(s->set, seen, sizeof *s->set, by_number);
    for (size_t k = 0; k < seen; k++)
        if (k == 0 || s->set[k] != s->set[count - 1])
            s->set[count++] = s->set[k];
    s->count = count;
    return true;
}

/* Numbers the classes by sorting all positions. */
static bool find_groups(attest_recheck *check)
{
    sight *sights = attest_memory_alloc(check->positions, sizeof *sights);
    uint32_t group = 0;
    bool ok = sights != NULL;

    for (size_t p = 0; ok && p < check->positions; p++)
        ok = make_sight(&sights[p], check, p);
    if (ok) {
        qsort(sights, check->positions, sizeof *sights, by_class);
        for (size_t p = 0; p < check->positions; p++) {
            group += p > 0 && by_class(&sights[p - 1], &sights[p]) != 0;
            check->group[sights[p].position] = group;
        }
    }
    for (size_t p = 0; sights && p < check->positions; p++)
        free(sights[p].set);
    free(sights);
    return ok;
}

/* y = m x. */
static fmpq *product(const attest_matrix *m, const fmpq *x)
{
    fmpq *y = _fmpq_vec_init((slong)m->rows);
    fmpq_t entry;

    fmpq_init(entry);
    for (size_t r = 0; r < m->rows; r++) {
        for (size_t c = 0; c < m->cols; c++) {
            attest_matrix_get_entry(entry, m, r, c);
            fmpq_addmul(y + r, entry, x + c);
        }
    }
    fmpq_clear(entry);
    return y;
}

static void make_products(attest_recheck *check)
{
    fmpq *x = _fmpq_vec_init((slong)check->dim);

    for (uint32_t t = 0; t < check->dataset->tokens.count; t++) {
        for (size_t c = 0; c < check->dim; c++)
            attest_tokens_get_entry(x + c, &check->dataset->tokens, t, c);
        for (size_t h = 0; h < check->weights->heads; h++) {
            const attest_head *head = &check->weights->head[h];
            size_t at = t * check->weights->heads + h;
            fmpq *inner = product(&head->wv, x);
            check->key[at] = product(&head->wk, x);
            check->query[at] = product(&head->wq, x);
            check->mixed[at] = product(&head->wo, inner);
            _fmpq_vec_clear(inner, (slong)head->wv.rows);
        }
    }
    _fmpq_vec_clear(x, (slong)check->dim);
}

attest_status attest_recheck_init(attest_recheck *check, const attest_dataset *dataset,
                                  const attest_weights *weights, attest_error *error)
{
    size_t products = dataset->tokens.count * weights->heads;

    *check = (attest_recheck){.dataset = dataset,
                              .weights = weights,
                              .dim = dataset->dim,
                              .positions = dataset->total};
    check->group = attest_memory_alloc(check->positions, sizeof *check->group);
    check->value = attest_memory_alloc(check->positions, sizeof *check->value);
    check->bits = attest_memory_alloc(check->positions, sizeof *check->bits);
    check->key = attest_memory_alloc(products, sizeof *check->key);
    check->query = attest_memory_alloc(products, sizeof *check->query);
    check->mixed = attest_memory_alloc(products, sizeof *check->mixed);
    if (!check->group || !check->value || !check->bits || !check->key || !check->query ||
        !check->mixed || !find_groups(check)) {
        attest_recheck_clear(check);
        return attest_error_set(error, ATTEST_NOMEM, "out of memory");
    }
    make_products(check);
    return ATTEST_OK;
}

void attest_recheck_clear(attest_recheck *check)
{
    size_t heads = check->weights->heads;

    for (size_t at = 0; at < check->dataset->tokens.count * heads; at++) {
        slong width = (slong)check->weights->head[at % heads].wk.rows;
        if (check->key && check->key[at])
            _fmpq_vec_clear(check->key[at], width);
        if (check->query && check->query[at])
            _fmpq_vec_clear(check->query[at], width);
        if (check->mixed && check->mixed[at])
            _fmpq_vec_clear(check->mixed[at], (slong)check->dim);
    }
    for (size_t p = 0; check->value && p < check->positions; p++)
        if (check->value[p])
            _arb_vec_clear(check->value[p], (slong)check->dim);
    free(check->group);
    free(check->value);
    free(check->bits);
    free(check->key);
    free(check->query);
    free(check->mixed);
}

void attest_recheck_score(fmpq_t score, const attest_recheck *check, size_t h, uint32_t j,
                          uint32_t k)
{
    const fmpq *key = check->key[j * check->weights->heads + h];
    const fmpq *query = check->query[k * check->weights->heads + h];

    fmpq_zero(score);
    for (size_t s = 0; s < check->weights->head[h].wk.rows; s++)
        fmpq_addmul(score, key + s, query + s);
}

const fmpq *attest_recheck_mixed(const attest_recheck *check, size_t h, uint32_t t)
{
    return check->mixed[t * check->weights->heads + h];
}

/* Adds to out the mean of the values of head h over the winners among the keys in sight. */
static void add_winners(fmpq *out, const attest_recheck *check, size_t h, size_t position)
{
    const uint32_t *token = check->dataset->token;
    size_t start = check->dataset->start[attest_recheck_sequence(check, position)];
    size_t seen = attest_recheck_seen(check, position), winners = 0;
    fmpq *sum = _fmpq_vec_init((slong)check->dim);
    fmpq_t score, best;

    fmpq_init(score);
    fmpq_init(best);
    for (size_t j = start; j < start + seen; j++) {
        attest_recheck_score(score, check, h, token[j], token[position]);
        int order = winners ? fmpq_cmp(score, best) : 1;
        if (order < 0 || (order == 0 && check->weights->ties == ATTEST_TIES_LEFTMOST))
            continue;
        if (order > 0) {
            for (size_t c = 0; c < check->dim; c++)
                fmpq_zero(sum + c);
            winners = 0;
        }
        fmpq_set(best, score);
        winners++;
        for (size_t c = 0; c < check->dim; c++)
            fmpq_add(sum + c, sum + c, attest_recheck_mixed(check, h, token[j]) + c);
    }
    fmpq_set_si(score, 1, winners);
    for (size_t c = 0; c < check->dim; c++)
        fmpq_addmul(out + c, sum + c, score);
    fmpq_clear(score);
    fmpq_clear(best);
    _fmpq_vec_clear(sum, (slong)check->dim);
}

void attest_recheck_exact(fmpq *out, const attest_recheck *check, size_t position)
{
    for (size_t c = 0; c < check->dim; c++) {
        fmpq_zero(out + c);
        if (check->weights->skip)
            attest_tokens_get_entry(out + c, &check->dataset->tokens,
                                    check->dataset->token[position], c);
    }
    for (size_t h = 0; h < check->weights->heads; h++)
        add_winners(out, check, h, position);
}

/* Adds sum_j e^{s_j} v_j / sum_j e^{s_j}; scores are taken relative to that of the query's own
 * key, not to the largest, so exponentials may be huge, which balls do not mind. */
static void add_softmax(arb_ptr out, const attest_recheck *check, size_t h, size_t position,
                        long bits)
{
    const uint32_t *token = check->dataset->token;
    size_t start = check->dataset->start[attest_recheck_sequence(check, position)];
    size_t seen = attest_recheck_seen(check, position);
    arb_ptr sum = _arb_vec_init((slong)check->dim);
    fmpq_t score, own;
    arb_t e, v, total;
    slong work;

    fmpq_init(score), fmpq_init(own);
    arb_init(e), arb_init(v), arb_init(total);
    attest_recheck_score(own, check, h, token[position], token[position]);
    for (size_t j = start; j < start + seen; j++) {
        attest_recheck_score(score, check, h, token[j], token[position]);
        fmpq_sub(score, score, own);
        /* The relative error of e^x is the absolute one of x: more bits for a large x. */
        work =
            bits + (slong)fmpz_bits(fmpq_numref(score)) - (slong)fmpz_bits(fmpq_denref(score));
        arb_set_fmpq(e, score, work < bits ? bits : work + 2);
        arb_exp(e, e, bits);
        arb_add(total, total, e, bits);
        for (size_t c = 0; c < check->dim; c++) {
            arb_set_fmpq(v, attest_recheck_mixed(check, h, token[j]) + c, bits);
            arb_addmul(sum + c, e, v, bits);
        }
    }
    for (size_t c = 0; c < check->dim; c++) {
        arb_div(sum + c, sum + c, total, bits);
        arb_add(out + c, out + c, sum + c, bits);
    }
    fmpq_clear(score), fmpq_clear(own);
    arb_clear(e), arb_clear(v), arb_clear(total);
    _arb_vec_clear(sum, (slong)check->dim);
}

arb_srcptr attest_recheck_ball(attest_recheck *check, size_t position, long bits)
{
    slong dim = (slong)check->dim;
    fmpq *exact;

    if (check->value[position] && check->bits[position] >= bits)
        return check->value[position];
    if (!check->value[position])
        check->value[position] = _arb_vec_init(dim);
    check->bits[position] = bits;
    exact = _fmpq_vec_init(dim);
    if (check->weights->activation == ATTEST_HARDMAX)
        attest_recheck_exact(exact, check, position);
    else if (check->weights->skip)
        for (slong c = 0; c < dim; c++)
            attest_tokens_get_entry(exact + c, &check->dataset->tokens,
                                    check->dataset->token[position], (size_t)c);
    for (slong c = 0; c < dim; c++)
        arb_set_fmpq(check->value[position] + c, exact + c, bits);
    _fmpq_vec_clear(exact, dim);
    for (size_t h = 0;
         check->weights->activation == ATTEST_SOFTMAX && h < check->weights->heads; h++)
        add_softmax(check->value[position], check, h, position, bits + 30);
    return check->value[position];
}
