/* eval.c -- the second route's evaluation: classes of positions, weights and sequences as
 * integer matrices, outputs from the definition, and an estimate of the work they take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "number/scope.h"
#include "recheck/recheck.h"

/* One position and the sorted set of the tokens that it sees. */
typedef struct sight {
    size_t position;
    uint32_t token, count;
    uint64_t hash;
    const uint32_t *set; /* owned by the first position of those that share it */
} sight;

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The hash makes comparisons fast; sets with equal hashes are compared. */
static int by_class(const void *a, const void *b)
{
    const sight *x = a, *y = b;

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->set == y->set ? 0 : memcmp(x->set, y->set, x->count * sizeof *x->set);
}

/* Returns the identity of the token at a position, by which Definition 2 compares tokens. */
static uint32_t token_at(const attest_dataset *dataset, size_t position)
{
    uint32_t t = dataset->token[position];

    return dataset->identity ? dataset->identity[t] : t;
}

/* The set of the first seen tokens of a sequence; NULL if memory is exhausted. */
static uint32_t *make_set(uint32_t *count, uint64_t *hash, const attest_dataset *dataset,
                          size_t start, size_t seen)
{
    uint32_t *set = attest_memory_alloc(seen, sizeof *set);

    if (!set)
        return NULL;
    for (size_t k = 0; k < seen; k++)
        set[k] = token_at(dataset, start + k);
    qsort(set, seen, sizeof *set, by_number);
    *count = 0;
    *hash = 0;
    for (size_t k = 0; k < seen; k++)
        if (k == 0 || set[k] != set[*count - 1]) {
            *hash = (*hash ^ set[k]) * UINT64_C(0x9e3779b97f4a7c15);
            *hash ^= *hash >> 29;
            set[(*count)++] = set[k];
        }
    return set;
}

/* Sets the sights of all positions of a sequence; without a mask they share one set. */
static bool make_sights(sight *sights, const attest_recheck *check, size_t sequence)
{
    const attest_dataset *dataset = check->dataset;
    size_t start = dataset->start[sequence], length = attest_dataset_length(dataset, sequence);
    bool causal = check->weights->mask == ATTEST_MASK_CAUSAL;

    for (size_t k = 0; k < length; k++) {
        sight *s = &sights[start + k];
        if (k > 0 && !causal) {
            *s = sights[start];
        } else {
            s->set = make_set(&s->count, &s->hash, dataset, start, causal ? k + 1 : length);
            if (!s->set)
                return false;
        }
        s->position = start + k;
        s->token = token_at(dataset, start + k);
    }
    return true;
}

/* Numbers the classes by sorting all positions. False if memory is exhausted. */
static bool find_groups(attest_recheck *check)
{
    const attest_dataset *dataset = check->dataset;
    sight *sights ATTEST_FREED = attest_memory_alloc(check->positions, sizeof *sights);
    bool ok = sights != NULL, causal = check->weights->mask == ATTEST_MASK_CAUSAL;
    uint32_t group = 0;

    for (size_t i = 0; ok && i < dataset->count; i++)
        ok = make_sights(sights, check, i);
    if (ok) {
        qsort(sights, check->positions, sizeof *sights, by_class);
        for (size_t p = 0; p < check->positions; p++) {
            group += p > 0 && by_class(&sights[p - 1], &sights[p]) != 0;
            check->group[sights[p].position] = group;
        }
    }
    /* A set belongs to the first position of its sequence, or to each under a mask. */
    for (size_t p = 0; sights && p < check->positions; p++)
        if (causal || dataset->start[attest_recheck_sequence(check, sights[p].position)] ==
                          sights[p].position)
            free((void *)sights[p].set);
    return ok;
}

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

/* Sets the integer matrices of all heads. False if memory is exhausted. */
static bool init_heads(attest_recheck *check)
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

static void clear_heads(attest_recheck *check)
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

attest_status attest_recheck_init(attest_recheck *check, const attest_dataset *dataset,
                                  const attest_weights *weights, attest_error *error)
{
    *check = (attest_recheck){.dataset = dataset,
                              .weights = weights,
                              .dim = dataset->dim,
                              .positions = dataset->total,
                              .heads = weights->heads,
                              .max_terms = ATTEST_CERTIFY_MAX_TERMS,
                              .work_left = INFINITY};
    check->group = attest_memory_alloc(check->positions, sizeof *check->group);
    check->value = attest_memory_alloc(check->positions, sizeof *check->value);
    check->bits = attest_memory_alloc(check->positions, sizeof *check->bits);
    if (check->group && check->value && check->bits && init_heads(check) && find_groups(check))
        return ATTEST_OK;
    attest_recheck_clear(check);
    return attest_memory_fail(error);
}

void attest_recheck_clear(attest_recheck *check)
{
    for (size_t p = 0; check->value && p < check->positions; p++)
        if (check->value[p])
            _arb_vec_clear(check->value[p], (slong)check->dim);
    clear_heads(check);
    free(check->group);
    free(check->value);
    free(check->bits);
    attest_recheck_clear_doubles(check);
}

/* out = the part of the token at the position that the skip connection adds. */
static void start_with_token(fmpq *out, const attest_recheck *check, size_t position)
{
    for (size_t c = 0; c < check->dim; c++) {
        size_t from = attest_weights_skip_entry(check->weights, c);

        fmpq_zero(out + c);
        if (from != SIZE_MAX)
            attest_tokens_get_entry(out + c, &check->dataset->tokens,
                                    check->dataset->token[position], from);
    }
}

/* Adds to out the mean of the values of head h over the winners among the visible keys. */
static void add_winners(fmpq *out, const attest_recheck *check,
                        const attest_recheck_loaded *loaded, size_t h, size_t k, size_t seen)
{
    size_t winners = 0;
    FMPZ_VEC(sum, (slong)check->dim);
    FMPZ(score, best, denominator);
    FMPQ(mean);

    for (size_t j = 0; j < seen; j++) {
        attest_recheck_score(score, check, loaded, h, j, k);
        int order = winners ? fmpz_cmp(score, best) : 1;
        if (order < 0 || (order == 0 && check->weights->ties == ATTEST_TIES_LEFTMOST))
            continue;
        if (order > 0) {
            _fmpz_vec_zero(sum, (slong)check->dim);
            winners = 0;
        }
        fmpz_set(best, score);
        winners++;
        _fmpz_vec_add(sum, sum, fmpz_mat_entry(loaded->value[h], (slong)j, 0),
                      (slong)check->dim);
    }
    attest_recheck_value_denominator(denominator, check, loaded, h);
    fmpz_mul_ui(denominator, denominator, winners);
    for (size_t c = 0; c < check->dim; c++) {
        fmpq_set_fmpz_frac(mean, sum + c, denominator);
        fmpq_add(out + c, out + c, mean);
    }
}

void attest_recheck_exact(fmpq *out, attest_recheck *check, size_t position)
{
    size_t at, seen = attest_recheck_seen(check, position);
    const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);

    start_with_token(out, check, position);
    for (size_t h = 0; h < check->heads; h++)
        add_winners(out, check, loaded, h, at, seen);
}

/* e = exp(numerator / denominator). The relative error of e^x is the absolute one of x: more
 * bits for a large x. */
static void exponential(arb_t e, const fmpz_t numerator, const fmpz_t denominator, long bits)
{
    slong more = (slong)fmpz_bits(numerator) - (slong)fmpz_bits(denominator) + 2;

    arb_set_fmpz(e, numerator);
    arb_div_fmpz(e, e, denominator, bits + (more > 0 ? more : 0));
    arb_exp(e, e, bits);
}

/* score[j] = the score of key j for query k less the largest one, over the score denominator.
 */
static void scores_below_largest(fmpz *score, const attest_recheck *check,
                                 const attest_recheck_loaded *loaded, size_t h, size_t k,
                                 size_t seen)
{
    FMPZ(largest);

    for (size_t j = 0; j < seen; j++) {
        attest_recheck_score(score + j, check, loaded, h, j, k);
        if (j == 0 || fmpz_cmp(score + j, largest) > 0)
            fmpz_set(largest, score + j);
    }
    for (size_t j = 0; j < seen; j++)
        fmpz_sub(score + j, score + j, largest);
}

/* Adds sum_j e^{s_j} v_j / sum_j e^{s_j}. Scores are taken relative to the largest, exactly:
 * every exponential is at most 1 and one of them is 1, so that nothing overflows and the
 * quotient of balls is finite. */
static void add_softmax(arb_ptr out, const attest_recheck *check,
                        const attest_recheck_loaded *loaded, size_t h, size_t k, size_t seen,
                        long bits)
{
    ARB_VEC(sum, (slong)check->dim);
    FMPZ_VEC(score, (slong)seen);
    FMPZ(denominator);
    ARB(e, total);

    attest_recheck_score_denominator(denominator, check, loaded, h);
    scores_below_largest(score, check, loaded, h, k, seen);
    for (size_t j = 0; j < seen; j++) {
        exponential(e, score + j, denominator, bits);
        arb_add(total, total, e, bits);
        for (size_t c = 0; c < check->dim; c++)
            arb_addmul_fmpz(sum + c, e, fmpz_mat_entry(loaded->value[h], (slong)j, (slong)c),
                            bits);
    }
    attest_recheck_value_denominator(denominator, check, loaded, h);
    arb_mul_fmpz(total, total, denominator, bits);
    for (size_t c = 0; c < check->dim; c++) {
        arb_div(sum + c, sum + c, total, bits);
        arb_add(out + c, out + c, sum + c, bits);
    }
}

void attest_recheck_enclose(arb_ptr out, attest_recheck *check, size_t position, long bits)
{
    size_t at, seen = attest_recheck_seen(check, position);
    FMPQ_VEC(exact, (slong)check->dim);

    if (check->weights->activation == ATTEST_HARDMAX)
        attest_recheck_exact(exact, check, position);
    else
        start_with_token(exact, check, position);
    for (size_t c = 0; c < check->dim; c++)
        arb_set_fmpq(out + c, exact + c, bits);
    if (check->weights->activation == ATTEST_SOFTMAX) {
        const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);
        for (size_t h = 0; h < check->heads; h++)
            add_softmax(out, check, loaded, h, at, seen, bits + 30);
    }
}

arb_srcptr attest_recheck_ball(attest_recheck *check, size_t position, long bits)
{
    if (!check->value[position])
        check->value[position] = _arb_vec_init((slong)check->dim);
    if (check->bits[position] < bits)
        attest_recheck_enclose(check->value[position], check, position, bits);
    if (check->bits[position] < bits)
        check->bits[position] = bits;
    return check->value[position];
}

static double operation(double bits)
{
    double b = fmax(bits, 64);

    return b * log2(b);
}

static double matrix_bits(const fmpz_mat_t matrix)
{
    return fabs((double)fmpz_mat_max_bits(matrix));
}

bool attest_recheck_afford(attest_recheck *check, size_t position, long bits)
{
    size_t at, seen = attest_recheck_seen(check, position);
    const attest_recheck_loaded *loaded = attest_recheck_load(check, position, &at);
    bool exponentials = check->weights->activation == ATTEST_SOFTMAX;
    double work = 0;

    for (size_t h = 0; h < check->heads; h++) {
        double score = matrix_bits(loaded->key[h]) + matrix_bits(loaded->query[h]);
        double end = exponentials ? (double)bits : matrix_bits(loaded->value[h]);

        work += (double)fmpz_mat_ncols(loaded->key[h]) * operation(score) +
                (double)check->dim * operation(end);
        if (exponentials)
            work += 16 * log2(end) * operation(end);
    }
    work *= (double)seen;
    if (!(work <= check->work_left)) {
        check->met_work = true;
        return false;
    }
    check->work_left -= work;
    return true;
}
