/* oracle.c -- attention from its definition, over the table of tokens. */
#include "props/oracle.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

static void set_matrix(fmpq_mat_t to, const attest_matrix *matrix)
{
    fmpq_mat_init(to, (slong)matrix->rows, (slong)matrix->cols);
    for (size_t r = 0; r < matrix->rows; r++)
        for (size_t c = 0; c < matrix->cols; c++)
            attest_matrix_get_entry(fmpq_mat_entry(to, (slong)r, (slong)c), matrix, r, c);
}

/* scores = token^T (W_K^T W_Q) token, values = (W_O W_V) token. */
static void set_head(attest_oracle *oracle, size_t h)
{
    const attest_head *head = oracle->weights->head + h;
    slong dim = (slong)oracle->dataset->dim, count = (slong)oracle->dataset->tokens.count;
    fmpq_mat_t q, k, kt, v, o, square, tokens, wide;

    set_matrix(q, &head->wq), set_matrix(k, &head->wk);
    set_matrix(v, &head->wv), set_matrix(o, &head->wo);
    fmpq_mat_init(kt, dim, (slong)head->wk.rows);
    fmpq_mat_init(square, dim, dim);
    fmpq_mat_init(tokens, count, dim);
    fmpq_mat_init(wide, dim, count);
    fmpq_mat_init(oracle->scores[h], count, count);
    fmpq_mat_init(oracle->values[h], dim, count);
    fmpq_mat_transpose(kt, k);
    fmpq_mat_mul(square, kt, q);
    fmpq_mat_mul(wide, square, oracle->token);
    fmpq_mat_transpose(tokens, oracle->token);
    fmpq_mat_mul(oracle->scores[h], tokens, wide);
    fmpq_mat_mul(square, o, v);
    fmpq_mat_mul(oracle->values[h], square, oracle->token);
    fmpq_mat_clear(q), fmpq_mat_clear(k), fmpq_mat_clear(kt), fmpq_mat_clear(v);
    fmpq_mat_clear(o), fmpq_mat_clear(square), fmpq_mat_clear(tokens), fmpq_mat_clear(wide);
}

attest_status attest_oracle_init(attest_oracle *oracle, const attest_dataset *dataset,
                                 const attest_weights *weights)
{
    const attest_tokens *tokens = &dataset->tokens;

    *oracle = (attest_oracle){.dataset = dataset, .weights = weights};
    fmpq_mat_init(oracle->token, (slong)dataset->dim, (slong)tokens->count);
    for (size_t t = 0; t < tokens->count; t++)
        for (size_t c = 0; c < dataset->dim; c++)
            attest_tokens_get_entry(fmpq_mat_entry(oracle->token, (slong)c, (slong)t), tokens,
                                    t, c);
    oracle->scores = attest_memory_alloc(weights->heads, sizeof *oracle->scores);
    oracle->values = attest_memory_alloc(weights->heads, sizeof *oracle->values);
    if (!oracle->scores || !oracle->values) {
        free(oracle->scores), free(oracle->values);
        oracle->scores = oracle->values = NULL;
        return ATTEST_NOMEM;
    }
    for (size_t h = 0; h < weights->heads; h++)
        set_head(oracle, h);
    return ATTEST_OK;
}

void attest_oracle_clear(attest_oracle *oracle)
{
    for (size_t h = 0; oracle->scores && h < oracle->weights->heads; h++) {
        fmpq_mat_clear(oracle->scores[h]);
        fmpq_mat_clear(oracle->values[h]);
    }
    free(oracle->scores), free(oracle->values);
    fmpq_mat_clear(oracle->token);
}

size_t attest_oracle_seen(const attest_oracle *oracle, attest_place place)
{
    return oracle->weights->mask == ATTEST_MASK_CAUSAL
               ? place.position + 1
               : attest_dataset_length(oracle->dataset, place.sequence);
}

const fmpq *attest_oracle_score(const attest_oracle *oracle, size_t h, attest_place place,
                                size_t j)
{
    const attest_dataset *d = oracle->dataset;

    return fmpq_mat_entry(oracle->scores[h], attest_dataset_token(d, place.sequence, j),
                          attest_dataset_token(d, place.sequence, place.position));
}

const fmpq *attest_oracle_value(const attest_oracle *oracle, size_t h, attest_place place,
                                size_t j, size_t c)
{
    return fmpq_mat_entry(oracle->values[h], (slong)c,
                          attest_dataset_token(oracle->dataset, place.sequence, j));
}

static const fmpq *largest(const attest_oracle *oracle, size_t h, attest_place place)
{
    const fmpq *most = attest_oracle_score(oracle, h, place, 0);

    for (size_t j = attest_oracle_seen(oracle, place); j-- > 1;)
        if (fmpq_cmp(attest_oracle_score(oracle, h, place, j), most) > 0)
            most = attest_oracle_score(oracle, h, place, j);
    return most;
}

void attest_oracle_skip(fmpq_t sum, const attest_oracle *oracle, attest_place place, size_t c)
{
    slong token = attest_dataset_token(oracle->dataset, place.sequence, place.position);
    size_t from = attest_weights_skip_entry(oracle->weights, c);

    if (from != SIZE_MAX)
        fmpq_set(sum, fmpq_mat_entry(oracle->token, (slong)from, token));
    else
        fmpq_zero(sum);
}

void attest_oracle_hardmax(fmpq *out, const attest_oracle *oracle, attest_place place)
{
    size_t dim = oracle->dataset->dim, seen = attest_oracle_seen(oracle, place);
    bool leftmost = oracle->weights->ties == ATTEST_TIES_LEFTMOST;
    FMPQ(mean);

    for (size_t c = 0; c < dim; c++) {
        attest_oracle_skip(out + c, oracle, place, c);
        for (size_t h = 0; h < oracle->weights->heads; h++) {
            const fmpq *most = largest(oracle, h, place);
            ulong winners = 0;
            fmpq_zero(mean);
            for (size_t j = 0; j < seen && !(leftmost && winners); j++)
                if (fmpq_equal(attest_oracle_score(oracle, h, place, j), most)) {
                    fmpq_add(mean, mean, attest_oracle_value(oracle, h, place, j, c));
                    winners++;
                }
            fmpz_mul_ui(fmpq_denref(mean), fmpq_denref(mean), winners);
            fmpq_canonicalise(mean);
            fmpq_add(out + c, out + c, mean);
        }
    }
}

/* Adds the contribution of head h at a place to out. */
static void add_softmax(arb_ptr out, const attest_oracle *oracle, size_t h, attest_place place,
                        long bits)
{
    size_t dim = oracle->dataset->dim;
    const fmpq *most = largest(oracle, h, place);
    ARB_VEC(sum, (slong)dim);
    ARB(weight, total, x);
    FMPQ(depth);

    for (size_t j = attest_oracle_seen(oracle, place); j-- > 0;) {
        fmpq_sub(depth, attest_oracle_score(oracle, h, place, j), most);
        arb_set_fmpq(weight, depth, bits);
        arb_exp(weight, weight, bits);
        arb_add(total, total, weight, bits);
        for (size_t c = 0; c < dim; c++) {
            arb_set_fmpq(x, attest_oracle_value(oracle, h, place, j, c), bits);
            arb_addmul(sum + c, x, weight, bits);
        }
    }
    for (size_t c = 0; c < dim; c++) {
        arb_div(x, sum + c, total, bits);
        arb_add(out + c, out + c, x, bits);
    }
}

void attest_oracle_softmax(arb_ptr out, const attest_oracle *oracle, attest_place place,
                           long bits)
{
    FMPQ(x);

    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(x, oracle, place, c);
        arb_set_fmpq(out + c, x, bits);
    }
    for (size_t h = oracle->weights->heads; h-- > 0;)
        add_softmax(out, oracle, h, place, bits);
}

/* Returns whether every token that is visible at a is visible at b. */
static bool includes(const attest_oracle *oracle, attest_place a, attest_place b)
{
    const attest_dataset *d = oracle->dataset;
    size_t of_a = attest_oracle_seen(oracle, a), of_b = attest_oracle_seen(oracle, b);

    for (size_t k = 0; k < of_a; k++) {
        size_t l = 0;
        while (l < of_b &&
               attest_dataset_token(d, b.sequence, l) != attest_dataset_token(d, a.sequence, k))
            l++;
        if (l == of_b)
            return false;
    }
    return true;
}

bool attest_oracle_required(const attest_oracle *oracle, attest_place a, attest_place b)
{
    const attest_dataset *d = oracle->dataset;

    return attest_dataset_token(d, a.sequence, a.position) !=
               attest_dataset_token(d, b.sequence, b.position) ||
           !includes(oracle, a, b) || !includes(oracle, b, a);
}

bool attest_oracle_next(attest_place *place, const attest_dataset *dataset)
{
    if (++place->position == attest_dataset_length(dataset, place->sequence))
        *place = (attest_place){place->sequence + 1, 0};
    return place->sequence < dataset->count;
}

/* ---- Equality of softmax outputs, by reduction to a sum of exponentials. ----
 *
 * The difference times the product of all denominators is a sum over all ways to choose one key
 * in every group, a group being a head at one of the two places:
 *     e^{sum of the scores} (x - y + sum of the values at a - sum of the values at b).
 * The groups are multiplied out one after another, and ways with equal exponents are combined
 * into one term: e^{exponent} times the sum of the brackets of these ways. */

typedef struct term {
    fmpq_t exponent;
    size_t ways; /* their number, at most ATTEST_ORACLE_TERMS */
    fmpq *sum;   /* of the brackets: dim entries */
} term;

typedef struct terms {
    size_t count, dim;
    term *term;
} terms;

static bool terms_init(terms *all, size_t count, size_t dim)
{
    all->term = attest_memory_alloc(count, sizeof *all->term);
    all->count = all->term ? count : 0;
    all->dim = dim;
    for (size_t i = 0; i < all->count; i++) {
        fmpq_init(all->term[i].exponent);
        all->term[i].ways = 0;
        all->term[i].sum = _fmpq_vec_init((slong)dim);
    }
    return all->term != NULL;
}

static void terms_clear(terms *all)
{
    for (size_t i = 0; i < all->count; i++) {
        fmpq_clear(all->term[i].exponent);
        _fmpq_vec_clear(all->term[i].sum, (slong)all->dim);
    }
    free(all->term);
}

static int compare_terms(const void *p, const void *q)
{
    return fmpq_cmp(((const term *)p)->exponent, ((const term *)q)->exponent);
}

/* Combines terms with equal exponents. */
static void collect(terms *all)
{
    size_t kept = 0;

    qsort(all->term, all->count, sizeof *all->term, compare_terms);
    for (size_t i = 1; i < all->count; i++) {
        term *into = all->term + kept, *from = all->term + i;

        if (fmpq_equal(into->exponent, from->exponent)) {
            into->ways += from->ways;
            for (size_t c = 0; c < all->dim; c++)
                fmpq_add(into->sum + c, into->sum + c, from->sum + c);
        } else if (++kept < i) {
            term swap = all->term[kept];

            all->term[kept] = *from;
            *from = swap;
        }
    }
    for (size_t i = kept + 1; i < all->count; i++) {
        fmpq_clear(all->term[i].exponent);
        _fmpq_vec_clear(all->term[i].sum, (slong)all->dim);
    }
    all->count = kept + 1;
}

/* to = from, with key j of the group chosen in each of its ways. */
static void choose(term *to, const term *from, const attest_oracle *oracle, size_t group,
                   attest_place place, size_t j)
{
    FMPQ(value);

    fmpq_add(to->exponent, from->exponent, attest_oracle_score(oracle, group / 2, place, j));
    to->ways = from->ways;
    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        fmpq_mul_ui(value, attest_oracle_value(oracle, group / 2, place, j, c), from->ways);
        (group % 2 ? fmpq_sub : fmpq_add)(to->sum + c, from->sum + c, value);
    }
}

/* all times the denominator of a group. */
static bool multiply(terms *all, const attest_oracle *oracle, size_t group, attest_place place)
{
    size_t keys = attest_oracle_seen(oracle, place);
    terms product;

    if (!terms_init(&product, all->count * keys, all->dim))
        return false;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < keys; j++)
            choose(product.term + i * keys + j, all->term + i, oracle, group, place, j);
    terms_clear(all);
    collect(&product);
    *all = product;
    return true;
}

/* Returns whether there are more than ATTEST_ORACLE_TERMS ways. */
static bool has_too_many_ways(const attest_oracle *oracle, attest_place a, attest_place b)
{
    size_t ways = 1;

    for (size_t g = 0; g < 2 * oracle->weights->heads && ways <= ATTEST_ORACLE_TERMS; g++)
        ways *= attest_oracle_seen(oracle, g % 2 ? b : a);
    return ways > ATTEST_ORACLE_TERMS;
}

/* one = the term of exponent 0 for the skip: the difference of the two tokens. */
static void set_skip(term *one, const attest_oracle *oracle, attest_place a, attest_place b)
{
    FMPQ(y);

    one->ways = 1;
    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(one->sum + c, oracle, a, c);
        attest_oracle_skip(y, oracle, b, c);
        fmpq_sub(one->sum + c, one->sum + c, y);
    }
}

int attest_oracle_equal(const attest_oracle *oracle, attest_place a, attest_place b)
{
    if (has_too_many_ways(oracle, a, b))
        return -1;
    terms all ATTEST_CLEARED_BY(terms_clear);
    if (!terms_init(&all, 1, oracle->dataset->dim))
        return -1;
    set_skip(all.term, oracle, a, b);
    for (size_t g = 0; g < 2 * oracle->weights->heads; g++)
        if (!multiply(&all, oracle, g, g % 2 ? b : a))
            return -1;
    for (size_t i = 0; i < all.count; i++)
        for (size_t c = 0; c < all.dim; c++)
            if (!fmpq_is_zero(all.term[i].sum + c))
                return 0;
    return 1;
}

/* ---- Roots of squared distances. */

enum { BITS = 320, LEAST_SLACK = 40, GUARD_BITS = 4 };

/* Returns the relative accuracy of the ball in bits, minus GUARD_BITS, from LEAST_SLACK to
 * most. */
static flint_bitcnt_t choose_slack(const arb_t root, slong most)
{
    slong known = arb_rel_accuracy_bits(root) - GUARD_BITS;

    known = known > most ? most : known;
    return known < LEAST_SLACK ? LEAST_SLACK : (flint_bitcnt_t)known;
}

void attest_root_bounds_ball(fmpq_t low, fmpq_t high, const arb_t square, bool tight)
{
    ARB(root);
    ARF(end);
    FMPQ(slack);

    arb_sqrtpos(root, square, BITS);
    flint_bitcnt_t bits = choose_slack(root, tight ? ATTEST_ROOT_TIGHT : ATTEST_ROOT_LOOSE);
    arb_get_lbound_arf(end, root, BITS);
    arf_get_fmpq(low, end);
    arb_get_ubound_arf(end, root, BITS);
    arf_get_fmpq(high, end);
    fmpq_div_2exp(slack, low, bits);
    fmpq_sub(low, low, slack);
    fmpq_div_2exp(slack, high, bits);
    fmpq_add(high, high, slack);
    if (fmpq_is_zero(high)) { /* the root is 0: any numbers around 0 are bounds */
        fmpq_one(high);
        fmpq_div_2exp(high, high, LEAST_SLACK);
        fmpq_neg(low, high);
    }
}

bool attest_root_bounds(fmpq_t low, fmpq_t root, fmpq_t high, const fmpq_t square)
{
    ARB(ball);

    arb_set_fmpq(ball, square, BITS);
    attest_root_bounds_ball(low, high, ball, true);
    if (!fmpz_is_square(fmpq_numref(square)) || !fmpz_is_square(fmpq_denref(square)))
        return false;
    fmpz_sqrt(fmpq_numref(root), fmpq_numref(square));
    fmpz_sqrt(fmpq_denref(root), fmpq_denref(square));
    return true;
}
