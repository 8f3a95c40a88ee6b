/* simplify.c -- simpler data for a counterexample. */
#include "campaign/simplify.h"

#include <math.h>

#include "number/scope.h"

static bool is_dropped(const attest_edit *edit, size_t i, size_t k, uint32_t token)
{
    switch (edit->kind) {
    case ATTEST_EDIT_DROP_POSITION:
        return i == edit->i && k == edit->k;
    case ATTEST_EDIT_DROP_TOKEN:
        return token == edit->token;
    default:
        return false;
    }
}

static void set_token(fmpq *entry, const attest_dataset *dataset, uint32_t token,
                      const attest_edit *edit)
{
    for (size_t c = 0; c < dataset->dim; c++) {
        attest_tokens_get_entry(entry + c, &dataset->tokens, token, c);
        if (edit->kind == ATTEST_EDIT_SCALE)
            fmpq_mul(entry + c, entry + c, edit->value);
        if (edit->kind == ATTEST_EDIT_SET_ENTRY && token == edit->token && c == edit->c)
            fmpq_set(entry + c, edit->value);
    }
}

attest_status attest_edit_apply(attest_dataset *changed, const attest_dataset *dataset,
                                const attest_edit *edit)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);
    FMPQ_VEC(entry, (slong)dataset->dim);

    for (size_t i = 0; i < dataset->count; i++) {
        if (edit->kind == ATTEST_EDIT_DROP_SEQUENCE && i == edit->i)
            continue;
        for (size_t k = 0; k < attest_dataset_length(dataset, i); k++) {
            uint32_t token = attest_dataset_token(dataset, i, k);

            if (is_dropped(edit, i, k, token))
                continue;
            set_token(entry, dataset, token, edit);
            ATTEST_TRY(attest_dataset_builder_add_token(&builder, entry, NULL));
        }
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, NULL));
    }
    return attest_dataset_builder_finish(changed, &builder, NULL);
}

enum { CANDIDATES = 6 };

typedef struct search {
    attest_instance *instance; /* the simplest so far */
    attest_simplify_test *test;
    void *env;
    attest_status status;
    bool stopped;
} search;

static attest_status copy_instance(attest_instance *to, const attest_instance *from)
{
    static const attest_edit none = {.kind = ATTEST_EDIT_NONE};

    if (from->dataset.count > 0)
        ATTEST_TRY(attest_edit_apply(&to->dataset, &from->dataset, &none));
    if (from->weights.heads > 0)
        ATTEST_TRY(attest_weights_set(&to->weights, &from->weights));
    for (size_t p = 0; p < from->parameters; p++)
        fmpq_set(attest_instance_set(to, from->parameter[p].name), from->parameter[p].value);
    return ATTEST_OK;
}

static bool is_over(const search *p)
{
    return p->stopped || p->status != ATTEST_OK;
}

static attest_status edit_copy(attest_instance *copy, const attest_instance *instance,
                               const attest_edit *edit)
{
    ATTEST_TRY(copy_instance(copy, instance));
    return attest_edit_apply(&copy->dataset, &instance->dataset, edit);
}

/* Changes the dataset of the instance; returns true if the test keeps the result. */
static bool try_edit(search *p, const attest_edit *edit)
{
    ATTEST_SCOPED(attest_instance, candidate);
    attest_simplify_answer answer;
    attest_status status;

    if (is_over(p))
        return false;
    status = edit_copy(&candidate, p->instance, edit);
    if (status == ATTEST_NOMEM)
        p->status = status;
    if (status)
        return false;
    answer = p->test(p->env, &candidate);
    p->stopped = answer == ATTEST_SIMPLIFY_STOP;
    if (answer != ATTEST_SIMPLIFY_KEEP)
        return false;
    attest_instance_clear(p->instance);
    *p->instance = candidate;
    attest_instance_init(&candidate);
    return true;
}

/* Removes sequences, tokens and positions; returns whether one could be removed. */
static bool drop_parts(search *p)
{
    const attest_dataset *dataset = &p->instance->dataset;
    bool better = false;

    for (size_t i = dataset->count; i-- > 0 && dataset->count > 1;)
        better = try_edit(p, &(attest_edit){ATTEST_EDIT_DROP_SEQUENCE, .i = i}) || better;
    for (size_t t = dataset->tokens.count; t-- > 0;)
        if (t < dataset->tokens.count)
            better =
                try_edit(p, &(attest_edit){ATTEST_EDIT_DROP_TOKEN, .token = (uint32_t)t}) ||
                better;
    for (size_t i = dataset->count; i-- > 0;)
        for (size_t k = attest_dataset_length(dataset, i); k-- > 0;)
            better = try_edit(p, &(attest_edit){ATTEST_EDIT_DROP_POSITION, .i = i, .k = k}) ||
                     better;
    return better;
}

/* Returns how hard a number is to read: small integers cost least, then short ones, then
 * fractions. */
static double cost(const fmpq_t x)
{
    const fmpz *p = fmpq_numref(x), *q = fmpq_denref(x);
    double size = fmpz_bits(p) <= 6 ? fabs((double)fmpz_get_si(p)) : 64 + (double)fmpz_bits(p);

    if (!fmpz_is_one(q))
        size += 2 + 2 * (double)fmpz_bits(q);
    return size + 0.5 * (fmpz_sgn(p) < 0);
}

/* Lists simpler numbers than x, the simplest first. */
static size_t list_simpler(fmpq *list, const fmpq_t x)
{
    size_t count = 0;

    for (int kind = 0; kind < CANDIDATES; kind++) {
        fmpq *y = list + count;

        fmpq_set(y, x);
        switch (kind) {
        case 0:
            fmpq_zero(y);
            break;
        case 1:
            fmpq_one(y);
            break;
        case 2:
            fmpq_set_si(y, fmpq_sgn(x), 1);
            break;
        case 3: /* the integer next to it, towards 0 */
            fmpz_tdiv_q(fmpq_numref(y), fmpq_numref(x), fmpq_denref(x));
            fmpz_one(fmpq_denref(y));
            break;
        case 4: /* half of that */
            fmpz_tdiv_q(fmpq_numref(y), fmpq_numref(x), fmpq_denref(x));
            fmpz_tdiv_q_2exp(fmpq_numref(y), fmpq_numref(y), 1);
            fmpz_one(fmpq_denref(y));
            break;
        default: /* one step towards 0 */
            fmpq_sub_si(y, x, fmpq_sgn(x));
            break;
        }
        if (cost(y) < cost(x))
            count++;
    }
    return count;
}

static bool simplify_tokens(search *p)
{
    FMPQ_VEC(list, CANDIDATES + 1);
    bool better = false;
    FMPQ(x);

    for (size_t t = 0; t < p->instance->dataset.tokens.count; t++) {
        for (size_t c = 0; c < p->instance->dataset.dim; c++) {
            size_t count;

            if (t >= p->instance->dataset.tokens.count) /* tokens have become equal */
                break;
            attest_tokens_get_entry(x, &p->instance->dataset.tokens, t, c);
            count = list_simpler(list, x);
            for (size_t l = 0; l < count; l++) {
                attest_edit edit = {ATTEST_EDIT_SET_ENTRY, .token = (uint32_t)t, .c = c,
                                    .value = list + l};

                if (try_edit(p, &edit)) {
                    better = true;
                    break;
                }
            }
        }
    }
    return better;
}

static double cost_of_tokens(const attest_dataset *dataset, const fmpq_t scale)
{
    double sum = 0;
    FMPQ(x);

    for (size_t t = 0; t < dataset->tokens.count; t++)
        for (size_t c = 0; c < dataset->dim; c++) {
            attest_tokens_get_entry(x, &dataset->tokens, t, c);
            fmpq_mul(x, x, scale);
            sum += cost(x);
        }
    return sum;
}

/* Multiplies all tokens by the common denominator and divides them by the common divisor of the
 * numerators. */
static bool scale_tokens(search *p)
{
    const attest_dataset *dataset = &p->instance->dataset;
    FMPZ(lcm, gcd);
    FMPQ(x, scale, one);

    fmpz_one(lcm);
    fmpq_one(one);
    for (size_t t = 0; t < dataset->tokens.count; t++)
        for (size_t c = 0; c < dataset->dim; c++) {
            attest_tokens_get_entry(x, &dataset->tokens, t, c);
            fmpz_lcm(lcm, lcm, fmpq_denref(x));
            fmpz_gcd(gcd, gcd, fmpq_numref(x));
        }
    if (fmpz_is_zero(gcd))
        return false;
    fmpq_set_fmpz_frac(scale, lcm, gcd);
    return cost_of_tokens(dataset, scale) < cost_of_tokens(dataset, one) &&
           try_edit(p, &(attest_edit){ATTEST_EDIT_SCALE, .value = scale});
}

attest_status attest_simplify(attest_instance *simple, const attest_instance *instance,
                              attest_simplify_test *test, void *env)
{
    search p = {.instance = simple, .test = test, .env = env};
    bool better = instance->dataset.count > 0;

    p.status = copy_instance(simple, instance);
    while (better && !is_over(&p)) {
        better = drop_parts(&p);
        better = simplify_tokens(&p) || better;
        better = scale_tokens(&p) || better;
    }
    return p.status;
}
