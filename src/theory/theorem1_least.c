/* theorem1_least.c -- the least sequences of given tokens that given hardmax weights merge.
 *
 * Contexts of one token whose numbers differ (theorem1_contexts.h) have different outputs: so a
 * pair that is left out is not merged. One that is found is evaluated anew, by the code that
 * evaluates attention. */
#include "theory/theorem1_least.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "theory/theorem1_check.h"
#include "theory/theorem1_contexts.h"

enum { MOST_FUNCTIONALS = 8 };

/* By what is merged, then in the order in which they were gone through. */
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

/* The least pair. Within a group of equal numbers its first context is in one, if there is any:
 * contexts that see the same tokens as the first see the same as each other. */
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

/* All sequences of up to length tokens. A functional that is equal on different vectors, which
 * one of 63 random bits in each entry hardly is, is exchanged for another. */
static attest_status look(attest_counterexample *counterexample, bool *found,
                          attest_theorem1_search *s, size_t length, attest_budget *budget,
                          attest_error *error)
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
    return attest_error_set(error, ATTEST_UNABLE, "no functional tells the outputs apart");
}

static void clear_tables(attest_theorem1_search *s)
{
    size_t count = s->count, heads = s->weights->heads;

    _fmpz_vec_clear(s->token, (slong)(count * s->vocabulary->dim));
    _fmpz_vec_clear(s->score, (slong)(heads * count * count));
    _fmpz_vec_clear(s->added, (slong)(heads * count));
}

static attest_status look_at_length(attest_counterexample *counterexample, bool *found,
                                    attest_theorem1_search *s, size_t length,
                                    attest_budget *budget, attest_error *error)
{
    size_t count = s->count, heads = s->weights->heads;
    attest_status status;

    s->token = _fmpz_vec_init((slong)(count * s->vocabulary->dim));
    s->score = _fmpz_vec_init((slong)(heads * count * count));
    s->added = _fmpz_vec_init((slong)(heads * count));
    status = look(counterexample, found, s, length, budget, error);
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
        ATTEST_TRY(look_at_length(counterexample, found, s, n, budget, error));
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
