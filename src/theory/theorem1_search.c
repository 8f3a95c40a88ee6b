/* theorem1_search.c -- the smallest pairs of Theorem 1, and those from a given vocabulary. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attention/head_plan.h"
#include "base/memory.h"
#include "data/weights.h"
#include "number/scope.h"
#include "theory/theorem1.h"

enum { MOST_FUNCTIONALS = 8 };

/* Compares by token and contribution, then in the order of the search. */
static int compare_merged(const attest_theorem1_context *a, const attest_theorem1_context *b)
{
    return a->token != b->token ? (a->token < b->token ? -1 : 1)
                                : fmpz_cmp(&a->number, &b->number);
}

static int compare_order(const attest_theorem1_context *a, const attest_theorem1_context *b)
{
    return a->sequence != b->sequence
               ? (a->sequence < b->sequence ? -1 : 1)
               : (a->position > b->position) - (a->position < b->position);
}

static int compare_contexts(const void *left, const void *right)
{
    int order = compare_merged(left, right);

    return order ? order : compare_order(left, right);
}

static size_t keys_of(const attest_theorem1_search *s, const attest_theorem1_context *x)
{
    return s->weights->mask == ATTEST_MASK_CAUSAL ? x->position + 1 : x->length;
}

static bool sees_all(const attest_theorem1_search *s, const attest_theorem1_context *a,
                     const attest_theorem1_context *b)
{
    for (size_t k = 0; k < keys_of(s, b); k++) {
        bool seen = false;

        for (size_t j = 0; j < keys_of(s, a) && !seen; j++)
            seen = s->pool[a->sequence + j] == s->pool[b->sequence + k];
        if (!seen)
            return false;
    }
    return true;
}

/* Finds the least pair. If a group of equal numbers contains a pair, the first context of the
 * group is in one: contexts that see the same tokens as the first do not differ from each
 * other. */
static bool find_pair(const attest_theorem1_context *pair[2], attest_theorem1_search *s)
{
    pair[0] = NULL;
    qsort(s->context, s->contexts, sizeof *s->context, compare_contexts);
    for (size_t from = 0, to; from < s->contexts; from = to) {
        const attest_theorem1_context *a = &s->context[from], *b = NULL;

        for (to = from + 1; to < s->contexts && compare_merged(a, &s->context[to]) == 0; to++)
            if (!b && !(sees_all(s, a, &s->context[to]) && sees_all(s, &s->context[to], a)))
                b = &s->context[to];
        if (!b || (pair[0] && (b->length > pair[1]->length || (b->length == pair[1]->length &&
                                                               compare_order(a, pair[0]) > 0))))
            continue;
        pair[0] = a;
        pair[1] = b;
    }
    return pair[0] != NULL;
}

static attest_status build_pair(attest_counterexample *counterexample, bool *merged,
                                const attest_theorem1_search *s,
                                const attest_theorem1_context *const pair[2],
                                attest_error *error)
{
    const size_t *index[2] = {s->pool + pair[0]->sequence, s->pool + pair[1]->sequence};
    size_t length[2] = {pair[0]->length, pair[1]->length};
    size_t position[2] = {pair[0]->position, pair[1]->position};

    if (pair[0]->sequence == pair[1]->sequence)
        length[1] = 0; /* two positions of one sequence */
    ATTEST_TRY(attest_theorem1_set_pair(counterexample, s->token, s->denominator,
                                        s->vocabulary->dim, index, length, position, error));
    return attest_theorem1_check(merged, counterexample, error);
}

/* Searches all sequences of up to length tokens. If the linear functional takes equal values on
 * different vectors (unlikely: its entries have 63 random bits), another one is tried. */
static attest_status search_up_to(attest_counterexample *counterexample, bool *found,
                                  attest_theorem1_search *s, size_t length,
                                  attest_budget *budget, attest_error *error)
{
    const attest_theorem1_context *pair[2] = {NULL, NULL};

    for (s->functional = 1; s->functional <= MOST_FUNCTIONALS; s->functional++) {
        ATTEST_TRY(attest_theorem1_set_contexts(s, length, budget, error));
        if (!find_pair(pair, s))
            return ATTEST_OK;
        ATTEST_TRY(build_pair(counterexample, found, s, pair, error));
        if (*found)
            return ATTEST_OK;
    }
    return attest_error_set(error, ATTEST_UNABLE, "no functional separates the outputs");
}

static void clear_tables(attest_theorem1_search *s)
{
    size_t count = s->count, heads = s->weights->heads;

    _fmpz_vec_clear(s->token, (slong)(count * s->vocabulary->dim));
    _fmpz_vec_clear(s->score, (slong)(heads * count * count));
    _fmpz_vec_clear(s->added, (slong)(heads * count));
}

static attest_status search_length(attest_counterexample *counterexample, bool *found,
                                   attest_theorem1_search *s, size_t length,
                                   attest_budget *budget, attest_error *error)
{
    size_t count = s->count, heads = s->weights->heads;
    attest_status status;

    s->token = _fmpz_vec_init((slong)(count * s->vocabulary->dim));
    s->score = _fmpz_vec_init((slong)(heads * count * count));
    s->added = _fmpz_vec_init((slong)(heads * count));
    status = search_up_to(counterexample, found, s, length, budget, error);
    attest_theorem1_clear_contexts(s);
    clear_tables(s);
    return status;
}

/* The sequences of one token more, or 0 where they, or their scores, are too many. */
static size_t count_longer(const attest_theorem1_search *s, const attest_theorem1_space *space)
{
    size_t k = s->places - 1, here = s->start[k + 1] - s->start[k];
    size_t before = space->longest ? space->longest : 1;
    size_t left = ATTEST_THEOREM1_SEQUENCES - space->shorter - space->longest;

    if (k >= ATTEST_THEOREM1_LENGTH || here > left / before ||
        s->count > ATTEST_THEOREM1_SCORES / s->weights->heads / s->count)
        return 0;
    return before * here;
}

static attest_status search_lengths(attest_counterexample *counterexample, bool *found,
                                    attest_theorem1_space *space, attest_theorem1_search *s,
                                    attest_budget *budget, attest_error *error)
{
    space->whole = true;
    for (size_t n = 1; n <= s->vocabulary->longest && !*found; n++) {
        size_t longer;

        ATTEST_TRY(attest_theorem1_add_place(s, error));
        longer = count_longer(s, space);
        if (longer == 0) {
            space->whole = false;
            break;
        }
        space->shorter += space->longest;
        space->longest = longer;
        space->length = n;
        space->tokens = s->count;
        ATTEST_TRY(search_length(counterexample, found, s, n, budget, error));
    }
    return ATTEST_OK;
}

attest_status attest_theorem1_build_least(attest_counterexample *counterexample, bool *found,
                                          attest_theorem1_space *space,
                                          const attest_dataset *vocabulary,
                                          attest_budget *budget, double max_work,
                                          attest_error *error)
{
    attest_theorem1_search s = {
        .weights = &counterexample->weights, .vocabulary = vocabulary, .work_left = max_work};
    size_t all = vocabulary->tokens.count;
    attest_status status;

    *found = false;
    *space = (attest_theorem1_space){0};
    ATTEST_TRY(attest_theorem1_check_vocabulary(s.weights, vocabulary, error));
    fmpz_init(s.denominator);
    s.id = attest_memory_alloc(all, sizeof *s.id);
    s.own = attest_memory_alloc(all, sizeof *s.own);
    s.start = attest_memory_alloc(vocabulary->longest + 1, sizeof *s.start);
    if (!s.id || !s.own || !s.start) {
        status = attest_memory_fail(error);
    } else {
        for (size_t t = 0; t < all; t++)
            s.own[t] = SIZE_MAX;
        s.start[0] = 0;
        status = search_lengths(counterexample, found, space, &s, budget, error);
    }
    free(s.id);
    free(s.own);
    free(s.start);
    free(s.at);
    free(s.pool);
    free(s.context);
    fmpz_clear(s.denominator);
    return status;
}

/* Sequences of a user's own tokens for which given hardmax weights have equal outputs.
 *
 * For a query x, head h ranks the keys y by l_h(y) = (W_K^T W_Q x).y. Let the sequences share x
 * and, for every head, a token that wins; tokens that win for no head then do not change the
 * output. A head whose l_h is constant on the tokens lets all of them win: leftmost ties then
 * choose the first token, which is shared; uniform ties average all of them, so the exchanged
 * tokens must have equal sums under T = sum of W_O W_V over these heads. */

enum { MOST_BALANCED = 512, MOST_RELATION = 64 };

/* The state of the search for one query. */
typedef struct search {
    const attest_weights *weights;
    size_t count, dim; /* tokens, and entries of each */
    fmpz *token;       /* count * dim numerators over one denominator */
    fmpz_t denominator;
    double work_left;
    size_t query;
    fmpz *score;    /* heads * count: l_h(y), times a positive number for each h */
    size_t *winner; /* per head, a token that wins; SIZE_MAX where l_h is constant */
    bool averages;  /* some l_h is constant and ties are uniform */
    fmpq *image;    /* count * dim: T y, if averages */
    size_t *losing; /* the tokens that win for no head that has a winner */
    size_t losers;
    size_t exchanged[2][MOST_RELATION]; /* the result */
    size_t exchanges;                   /* per side; 0: nothing found */
} search;

/* The scores of all queries: a layer on the tokens as one sequence. */
static attest_status charge_queries(search *s, attest_error *error)
{
    attest_sequence all = {.length = s->count, .dim = s->dim, .entry = s->token};

    *all.denominator = *s->denominator; /* lent */
    return attest_work_charge(
        &s->work_left, attest_work_estimate(s->weights, &all, ATTEST_THEOREM1_QUERIES, 0),
        error);
}

static void find_winner(search *s, size_t h)
{
    const fmpz *score = s->score + h * s->count;
    bool constant = true;
    size_t best = s->query; /* the query is shared anyway: prefer it */

    for (size_t y = 0; y < s->count; y++) {
        constant = constant && fmpz_equal(score + y, score);
        if (fmpz_cmp(score + y, score + best) > 0)
            best = y;
    }
    s->winner[h] = constant ? SIZE_MAX : best;
    s->averages = s->averages || (constant && s->weights->ties == ATTEST_TIES_UNIFORM);
}

static void find_losers(search *s)
{
    s->losers = 0;
    for (size_t y = 0; y < s->count; y++) {
        bool loses = y != s->query;

        for (size_t h = 0; h < s->weights->heads && loses; h++)
            loses = s->winner[h] == SIZE_MAX ||
                    fmpz_cmp(s->score + h * s->count + y,
                             s->score + h * s->count + s->winner[h]) < 0;
        if (loses)
            s->losing[s->losers++] = y;
    }
}

/* image[y] += W_O W_V y of head h. */
static void add_image(search *s, size_t h, size_t y)
{
    const attest_head *head = &s->weights->head[h];
    size_t size = head->wv.rows;
    FMPZ(denominator);
    FMPQ(entry);
    FMPZ_VEC(value, (slong)size);
    FMPZ_VEC(out, (slong)s->dim);

    fmpz_mul(denominator, head->wv.denominator, head->wo.denominator);
    attest_linear_apply(value, &head->wv, s->token + y * s->dim);
    attest_linear_apply(out, &head->wo, value);
    for (size_t c = 0; c < s->dim; c++) {
        fmpq_set_fmpz_frac(entry, out + c, denominator);
        fmpq_add(s->image + y * s->dim + c, s->image + y * s->dim + c, entry);
    }
}

static void set_images(search *s)
{
    for (size_t e = 0; e < s->count * s->dim; e++)
        fmpq_zero(s->image + e);
    for (size_t h = 0; h < s->weights->heads; h++)
        for (size_t i = 0; i < s->losers && s->winner[h] == SIZE_MAX; i++)
            add_image(s, h, s->losing[i]);
}

/* A sum of the images of one or two losers. */
typedef struct balance {
    fmpq *sum; /* dim entries */
    size_t member[2], dim;
} balance;

static int compare_balances(const void *left, const void *right)
{
    const balance *a = left, *b = right;

    for (size_t c = 0; c < a->dim; c++) {
        int order = fmpq_cmp(a->sum + c, b->sum + c);

        if (order != 0)
            return order;
    }
    return 0;
}

/* Two different sets with equal sums among neighbours of the sorted list. {a, b} = {a, c} is no
 * way to have equal sums but by T b = T c, which size 1 finds. */
static void find_equal(search *s, balance *all, size_t count, size_t size)
{
    qsort(all, count, sizeof *all, compare_balances);
    for (size_t i = 1; i < count && s->exchanges == 0; i++) {
        if (compare_balances(&all[i - 1], &all[i]) != 0)
            continue;
        memcpy(s->exchanged[0], all[i - 1].member, sizeof all[i].member);
        memcpy(s->exchanged[1], all[i].member, sizeof all[i].member);
        s->exchanges = size;
    }
}

/* The work of a sum of count images: a sum of fractions is reduced. */
static double work_of_sums(const search *s, size_t count)
{
    double bits = 0;

    for (size_t e = 0; e < s->count * s->dim; e++)
        bits = fmax(bits, (double)fmpq_height_bits(s->image + e));
    return (double)(count * s->dim) * log2(2 * bits + 2) * attest_work_operation(2 * bits);
}

/* Sets of size 1 or 2 (the same token twice counts) of at most MOST_BALANCED losers. */
static attest_status find_balanced(search *s, size_t size, attest_error *error)
{
    size_t losers = s->losers < MOST_BALANCED ? s->losers : MOST_BALANCED, count = 0;
    size_t most = size == 1 ? losers : losers * (losers + 1) / 2;
    balance *all;

    ATTEST_TRY(attest_work_charge(&s->work_left, work_of_sums(s, most), error));
    all = attest_memory_alloc(most, sizeof *all);
    if (!all)
        return attest_memory_fail(error);
    for (size_t i = 0; i < losers; i++) {
        for (size_t j = i; j < (size == 1 ? i + 1 : losers); j++) {
            balance *b = &all[count++];
            const fmpq *left = s->image + s->losing[i] * s->dim,
                       *right = s->image + s->losing[j] * s->dim;

            *b = (balance){_fmpq_vec_init((slong)s->dim), {s->losing[i], s->losing[j]}, s->dim};
            for (size_t c = 0; c < s->dim; c++) {
                fmpq_set(b->sum + c, left + c);
                if (size == 2)
                    fmpq_add(b->sum + c, b->sum + c, right + c);
            }
        }
    }
    find_equal(s, all, count, size);
    for (size_t i = 0; i < count; i++)
        _fmpq_vec_clear(all[i].sum, (slong)s->dim);
    free(all);
    return ATTEST_OK;
}

/* relation = the images of losers as columns over a row of ones, times a common denominator. */
static void set_relation_matrix(fmpz_mat_t relation, const search *s)
{
    size_t columns = (size_t)fmpz_mat_ncols(relation);
    FMPZ(common);

    fmpz_one(common);
    for (size_t i = 0; i < columns; i++)
        for (size_t c = 0; c < s->dim; c++)
            fmpz_lcm(common, common, fmpq_denref(s->image + s->losing[i] * s->dim + c));
    for (size_t i = 0; i < columns; i++) {
        for (size_t c = 0; c < s->dim; c++) {
            const fmpq *entry = s->image + s->losing[i] * s->dim + c;
            fmpz *target = fmpz_mat_entry(relation, c, i);

            fmpz_divexact(target, common, fmpq_denref(entry));
            fmpz_mul(target, target, fmpq_numref(entry));
        }
        fmpz_one(fmpz_mat_entry(relation, s->dim, i));
    }
}

/* Writes each loser as often as its coefficient: positive ones to one side, negative ones to
 * the other. There is no result if these are too many. */
static void expand_relation(search *s, const fmpz_mat_t kernel)
{
    size_t count[2] = {0, 0};

    for (size_t i = 0; i < (size_t)fmpz_mat_nrows(kernel); i++) {
        const fmpz *times = fmpz_mat_entry(kernel, i, 0);
        int side = fmpz_sgn(times) < 0;

        if (fmpz_bits(times) > 8) /* more than MOST_RELATION */
            return;
        for (ulong k = fmpz_get_ui(times); k > 0; k--) {
            if (count[side] == MOST_RELATION)
                return;
            s->exchanged[side][count[side]++] = s->losing[i];
        }
    }
    s->exchanges = count[0];
}

static void find_relation(search *s)
{
    size_t columns = s->losers < s->dim + 2 ? s->losers : s->dim + 2;
    fmpz_mat_t relation, kernel;
    FMPZ(content);

    fmpz_mat_init(relation, (slong)s->dim + 1, (slong)columns);
    fmpz_mat_init(kernel, (slong)columns, (slong)columns);
    set_relation_matrix(relation, s);
    if (fmpz_mat_nullspace(kernel, relation) > 0) {
        for (size_t i = 0; i < columns; i++)
            fmpz_gcd(content, content, fmpz_mat_entry(kernel, i, 0));
        for (size_t i = 0; i < columns; i++)
            fmpz_divexact(fmpz_mat_entry(kernel, i, 0), fmpz_mat_entry(kernel, i, 0), content);
        expand_relation(s, kernel);
    }
    fmpz_mat_clear(relation);
    fmpz_mat_clear(kernel);
}

/* For this query: the tokens to exchange, if there are any. */
static attest_status find_exchange(search *s, attest_error *error)
{
    s->averages = false;
    s->exchanges = 0;
    for (size_t h = 0; h < s->weights->heads; h++) {
        attest_theorem1_rank(s->score + h * s->count, &s->weights->head[h], s->token, s->count,
                             s->dim, s->query);
        find_winner(s, h);
    }
    find_losers(s);
    if (s->losers < 2)
        return ATTEST_OK;
    if (!s->averages) {
        s->exchanged[0][0] = s->losing[0];
        s->exchanged[1][0] = s->losing[1];
        s->exchanges = 1;
        return ATTEST_OK;
    }
    set_images(s);
    ATTEST_TRY(find_balanced(s, 1, error));
    if (!s->exchanges)
        ATTEST_TRY(find_balanced(s, 2, error));
    if (!s->exchanges)
        find_relation(s);
    return ATTEST_OK;
}

/* True if the query's own score exceeds those of all exchanged tokens in head h. */
static bool query_suffices(const search *s, size_t h)
{
    const fmpz *score = s->score + h * s->count;

    for (size_t side = 0; side < 2; side++)
        for (size_t e = 0; e < s->exchanges; e++)
            if (fmpz_cmp(score + s->exchanged[side][e], score + s->query) >= 0)
                return false;
    return true;
}

/* The shared tokens: winners that are needed, and the query. Under a mask the query comes last,
 * so that it sees the rest; else first. */
static size_t write_sequence(const search *s, size_t *index, size_t side, size_t *position)
{
    bool causal = s->weights->mask == ATTEST_MASK_CAUSAL;
    size_t length = 0;

    if (!causal)
        index[length++] = s->query;
    for (size_t h = 0; h < s->weights->heads; h++) {
        bool present = s->winner[h] == SIZE_MAX || s->winner[h] == s->query;

        for (size_t k = 0; k < length; k++)
            present = present || index[k] == s->winner[h];
        if (!present && !query_suffices(s, h))
            index[length++] = s->winner[h];
    }
    if (causal && length == 0) /* leftmost ties see a shared token first */
        index[length++] = s->query;
    for (size_t e = 0; e < s->exchanges; e++)
        index[length++] = s->exchanged[side][e];
    if (causal)
        index[length++] = s->query;
    *position = causal ? length - 1 : 0;
    return length;
}

static attest_status build_exchange(bool *merged, attest_counterexample *counterexample,
                                    const search *s, attest_error *error)
{
    size_t room = s->weights->heads + s->exchanges + 2, length[2], position[2];
    size_t *index ATTEST_FREED = attest_memory_alloc(2 * room, sizeof *index);
    const size_t *sides[2] = {index, index ? index + room : NULL};

    if (!index)
        return attest_memory_fail(error);
    for (size_t side = 0; side < 2; side++)
        length[side] = write_sequence(s, index + side * room, side, &position[side]);
    ATTEST_TRY(attest_theorem1_set_pair(counterexample, s->token, s->denominator, s->dim, sides,
                                        length, position, error));
    return attest_theorem1_check(merged, counterexample, error);
}

static attest_status search_queries(bool *found, attest_counterexample *counterexample,
                                    search *s, attest_error *error)
{
    size_t queries = s->count < ATTEST_THEOREM1_QUERIES ? s->count : ATTEST_THEOREM1_QUERIES;

    for (size_t q = 0; q < queries && !*found; q++) {
        s->query = q * s->count / queries;
        ATTEST_TRY(find_exchange(s, error));
        if (s->exchanges)
            ATTEST_TRY(build_exchange(found, counterexample, s, error));
    }
    return ATTEST_OK;
}

static void search_clear(search *s)
{
    _fmpz_vec_clear(s->token, (slong)(s->count * s->dim));
    _fmpz_vec_clear(s->score, (slong)(s->weights->heads * s->count));
    _fmpq_vec_clear(s->image, (slong)(s->count * s->dim));
    free(s->winner);
    free(s->losing);
    fmpz_clear(s->denominator);
}

attest_status attest_theorem1_build_from_vocabulary(attest_counterexample *counterexample,
                                                    bool *found,
                                                    const attest_dataset *vocabulary,
                                                    attest_budget *budget, double max_work,
                                                    attest_error *error)
{
    search s ATTEST_CLEARED_BY(search_clear) = {.weights = &counterexample->weights,
                                                .work_left = max_work};
    size_t heads = s.weights->heads;

    *found = false;
    fmpz_init(s.denominator);
    ATTEST_TRY(attest_theorem1_check_vocabulary(s.weights, vocabulary, error));
    s.dim = vocabulary->dim;
    s.count = vocabulary->tokens.count < ATTEST_THEOREM1_TOKENS ? vocabulary->tokens.count
                                                                : ATTEST_THEOREM1_TOKENS;
    s.token = _fmpz_vec_init((slong)(s.count * s.dim));
    s.score = _fmpz_vec_init((slong)(heads * s.count));
    s.image = _fmpq_vec_init((slong)(s.count * s.dim));
    ATTEST_TRY(attest_theorem1_load(s.token, s.denominator, &vocabulary->tokens, NULL, s.count,
                                    budget, error));
    ATTEST_TRY(charge_queries(&s, error));
    s.winner = attest_memory_alloc(heads, sizeof *s.winner);
    s.losing = attest_memory_alloc(s.count, sizeof *s.losing);
    if (!s.winner || !s.losing)
        return attest_memory_fail(error);
    return search_queries(found, counterexample, &s, error);
}
