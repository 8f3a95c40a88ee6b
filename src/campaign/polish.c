/* polish.c -- simpler data for a counterexample. */
#include "campaign/polish.h"

#include <math.h>

#include "campaign/edit.h"

enum { CANDIDATES = 6 };

typedef struct polishing {
    attest_instance *instance; /* the simplest so far */
    attest_polish_test *test;
    void *env;
    attest_status status;
    bool stopped;
} polishing;

static attest_status copy(attest_instance *to, const attest_instance *from)
{
    static const attest_edit none = {.kind = ATTEST_EDIT_NONE};
    attest_status status = ATTEST_OK;

    if (from->dataset.count > 0)
        status = attest_edit_apply(&to->dataset, &from->dataset, &none);
    if (status == ATTEST_OK && from->weights.heads > 0)
        status = attest_weights_set(&to->weights, &from->weights);
    for (size_t p = 0; p < from->parameters; p++)
        fmpq_set(attest_instance_set(to, from->parameter[p].name), from->parameter[p].value);
    return status;
}

/* Takes the candidate over if the test keeps it; either way it is the polishing's. */
static bool offer(polishing *p, attest_instance *candidate)
{
    attest_polish_answer answer = p->test(p->env, candidate);

    p->stopped = answer == ATTEST_POLISH_STOP;
    if (answer == ATTEST_POLISH_KEEP) {
        attest_instance_clear(p->instance);
        *p->instance = *candidate;
        return true;
    }
    attest_instance_clear(candidate);
    return false;
}

static bool is_over(const polishing *p)
{
    return p->stopped || p->status != ATTEST_OK;
}

/* The instance with its dataset changed. */
static bool try_edit(polishing *p, const attest_edit *edit)
{
    const attest_instance *now = p->instance;
    attest_instance candidate;
    attest_status status;

    if (is_over(p))
        return false;
    attest_instance_init(&candidate);
    status = copy(&candidate, now);
    if (status == ATTEST_OK)
        status = attest_edit_apply(&candidate.dataset, &now->dataset, edit);
    if (status == ATTEST_OK)
        return offer(p, &candidate);
    attest_instance_clear(&candidate);
    if (status == ATTEST_NOMEM)
        p->status = status;
    return false;
}

/* Fewer sequences, tokens, positions. */
static bool drop_parts(polishing *p)
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

/* How simple a number is for a reader: small integers first, then short ones, then fractions.
 */
static double cost(const fmpq_t x)
{
    const fmpz *p = fmpq_numref(x), *q = fmpq_denref(x);
    double size = fmpz_bits(p) <= 6 ? fabs((double)fmpz_get_si(p)) : 64 + (double)fmpz_bits(p);

    if (!fmpz_is_one(q))
        size += 2 + 2 * (double)fmpz_bits(q);
    return size + 0.5 * (fmpz_sgn(p) < 0);
}

/* Simpler numbers than x, the simplest first. */
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

static bool simplify_tokens(polishing *p)
{
    fmpq *list = _fmpq_vec_init(CANDIDATES + 1);
    bool better = false;
    fmpq_t x;

    fmpq_init(x);
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
    fmpq_clear(x);
    _fmpq_vec_clear(list, CANDIDATES + 1);
    return better;
}

static double cost_of_tokens(const attest_dataset *dataset, const fmpq_t scale)
{
    double sum = 0;
    fmpq_t x;

    fmpq_init(x);
    for (size_t t = 0; t < dataset->tokens.count; t++)
        for (size_t c = 0; c < dataset->dim; c++) {
            attest_tokens_get_entry(x, &dataset->tokens, t, c);
            fmpq_mul(x, x, scale);
            sum += cost(x);
        }
    fmpq_clear(x);
    return sum;
}

/* All tokens times the common denominator, over the common divisor of the numerators. */
static bool scale_tokens(polishing *p)
{
    const attest_dataset *dataset = &p->instance->dataset;
    fmpz_t lcm, gcd;
    fmpq_t x, scale, one;
    bool better = false;

    fmpz_init_set_ui(lcm, 1);
    fmpz_init(gcd);
    fmpq_init(x);
    fmpq_init(scale);
    fmpq_init(one);
    fmpq_one(one);
    for (size_t t = 0; t < dataset->tokens.count; t++)
        for (size_t c = 0; c < dataset->dim; c++) {
            attest_tokens_get_entry(x, &dataset->tokens, t, c);
            fmpz_lcm(lcm, lcm, fmpq_denref(x));
            fmpz_gcd(gcd, gcd, fmpq_numref(x));
        }
    if (!fmpz_is_zero(gcd)) {
        fmpq_set_fmpz_frac(scale, lcm, gcd);
        if (cost_of_tokens(dataset, scale) < cost_of_tokens(dataset, one))
            better = try_edit(p, &(attest_edit){ATTEST_EDIT_SCALE, .value = scale});
    }
    fmpz_clear(lcm);
    fmpz_clear(gcd);
    fmpq_clear(x);
    fmpq_clear(scale);
    fmpq_clear(one);
    return better;
}

attest_status attest_polish(attest_instance *polished, const attest_instance *instance,
                            attest_polish_test *test, void *env)
{
    polishing p = {.instance = polished, .test = test, .env = env};
    bool better = instance->dataset.count > 0;

    p.status = copy(polished, instance);
    while (better && !is_over(&p)) {
        better = drop_parts(&p);
        better = simplify_tokens(&p) || better;
        better = scale_tokens(&p) || better;
    }
    return p.status;
}
