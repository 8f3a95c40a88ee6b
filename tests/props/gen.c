/* The guarantees of the generators: distinct tokens, no zero token, no repeats, lengths, limits
 * of scores, gaps; and that every hard case is reached. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/gen.h"
#include "number/rationals.h"
#include "tests/tap.h"

typedef struct sample {
    attest_vocabulary vocabulary;
    attest_dataset dataset;
    attest_weights weights;
} sample;

typedef struct options {
    attest_gen_tokens tokens;
    attest_gen_sequences sequences;
    attest_gen_heads heads;
    bool doubles; /* tokens are */
} options;

static void sample_free(void *instance, void *env)
{
    sample *s = instance;

    (void)env;
    attest_vocabulary_clear(&s->vocabulary);
    attest_dataset_clear(&s->dataset);
    attest_weights_clear(&s->weights);
    free(s);
}

/* Tokens of doubles, and the same as rationals. */
static attest_status gen_doubles(attest_vocabulary *v, struct theft *t,
                                 const attest_gen_tokens *kind)
{
    attest_status status = attest_gen_doubles(v, t, kind);

    if (status == ATTEST_OK && !(v->entry = attest_rationals_alloc(v->count * v->dim)))
        status = ATTEST_NOMEM;
    for (size_t e = 0; status == ATTEST_OK && e < v->count * v->dim; e++)
        attest_number_set_double(v->entry + e, v->real[e]);
    return status;
}

static enum theft_alloc_res sample_alloc(struct theft *t, void *env, void **output)
{
    const options *o = env;
    sample *s = malloc(sizeof *s);

    if (!s)
        return THEFT_ALLOC_ERROR;
    attest_vocabulary_init(&s->vocabulary);
    attest_dataset_init(&s->dataset);
    attest_weights_init(&s->weights);
    if ((o->doubles ? gen_doubles : attest_gen_vocabulary)(&s->vocabulary, t, &o->tokens) !=
            ATTEST_OK ||
        attest_gen_dataset(&s->dataset, t, &s->vocabulary, &o->sequences) != ATTEST_OK ||
        attest_gen_weights(&s->weights, t, &s->vocabulary, &o->heads) != ATTEST_OK) {
        sample_free(s, NULL);
        return THEFT_ALLOC_ERROR;
    }
    *output = s;
    return THEFT_ALLOC_OK;
}

static const options *asked;
static size_t seen_full, seen_scaled, seen_near, seen_aside, seen_opposite, seen_collinear,
    seen_long, seen_zero_head, seen_factored, seen_shorter, seen_permuted, seen_shared,
    seen_huge, seen_tiny, seen_limited, seen_dead, seen_tokens, seen_thirds, seen_slanted,
    seen_later, seen_alike, seen_next, seen_exchanged, seen_shortened, seen_repeated, seen_odd,
    seen_heads, seen_scaled_keys, seen_scaled_outputs, seen_opposed, seen_consecutive,
    seen_paired;

/* Entries by denominator: seen_power[e] have 2^e. */
enum { POWERS = 20 };
static size_t seen_power[POWERS];

/* How often the least and the largest of each size were drawn. */
enum { DIM, TOKENS, SEQUENCES, LENGTH, HEADS, HEAD_SIZE, SIZES };
static size_t seen_least[SIZES], seen_most[SIZES];

static void see_size(int what, size_t size, size_t low, size_t high)
{
    seen_least[what] += size == low;
    seen_most[what] += size == high;
}

static void check_sizes(const char *name, size_t least)
{
    size_t rare = SIZE_MAX;

    for (int what = 0; what < SIZES; what++) {
        rare = seen_least[what] < rare ? seen_least[what] : rare;
        rare = seen_most[what] < rare ? seen_most[what] : rare;
        seen_least[what] = seen_most[what] = 0;
    }
    TAP_OK(rare > least, "%s: every size is its least and its largest one %zu times or more",
           name, rare);
}

static const fmpq *token(const attest_vocabulary *v, size_t i)
{
    return v->entry + i * v->dim;
}

/* |x - sign y|^2, or |x|^2 for sign 0. */
static double square(const fmpq *x, const fmpq *y, size_t dim, int sign)
{
    double sum = 0;

    for (size_t c = 0; c < dim; c++) {
        fmpq_t z;
        fmpq_init(z);
        if (sign > 0)
            fmpq_sub(z, x + c, y + c);
        else if (sign < 0)
            fmpq_add(z, x + c, y + c);
        else
            fmpq_set(z, x + c);
        sum += fmpq_get_d(z) * fmpq_get_d(z);
        fmpq_clear(z);
    }
    return sum;
}

/* The bits from the first one to the last. */
static size_t count_bits(const fmpz_t x)
{
    return fmpz_is_zero(x) ? 0 : fmpz_bits(x) - fmpz_val2(x);
}

/* Returns whether the tokens are x, 2x, 3x, ... */
static bool is_consecutive(const attest_vocabulary *v)
{
    bool is = v->count >= 3;
    fmpq_t x;

    fmpq_init(x);
    for (size_t i = 1; is && i < v->count; i++)
        for (size_t c = 0; c < v->dim; c++) {
            fmpq_mul_ui(x, token(v, 0) + c, i + 1);
            is = is && fmpq_equal(x, token(v, i) + c);
        }
    fmpq_clear(x);
    return is;
}

/* Returns whether every other token is the opposite of the one before. */
static bool is_paired(const attest_vocabulary *v)
{
    bool is = v->count >= 4;

    for (size_t i = 1; is && i < v->count; i += 2)
        is = square(token(v, i), token(v, i - 1), v->dim, -1) == 0;
    return is;
}

static bool check_tokens(const attest_vocabulary *v)
{
    bool odd = false;

    see_size(DIM, v->dim, 1, asked->tokens.dim_max);
    see_size(TOKENS, v->count, asked->tokens.count_min, asked->tokens.count_max);
    for (size_t i = 0; i < v->count; i++) {
        double norm = square(token(v, i), NULL, v->dim, 0);
        bool zero = true;
        for (size_t c = 0; c < v->dim; c++) {
            zero = zero && fmpq_is_zero(token(v, i) + c);
            seen_thirds += fmpz_divisible_si(fmpq_denref(token(v, i) + c), 3);
            seen_long += fmpq_height_bits(token(v, i) + c) > 100;
            for (size_t e = 0; e < POWERS; e++)
                seen_power[e] += fmpz_equal_ui(fmpq_denref(token(v, i) + c), 1u << e);
            seen_full += count_bits(fmpq_numref(token(v, i) + c)) > 45;
            odd = odd || (fmpz_is_one(fmpq_denref(token(v, i) + c)) &&
                          fmpz_is_odd(fmpq_numref(token(v, i) + c)));
        }
        if (zero && !asked->tokens.zero)
            return false;
        seen_tokens++;
        seen_scaled += norm > 1e24 || (norm > 0 && norm < 1e-24);
        for (size_t j = 0; j < i; j++) {
            bool equal = true, near;
            for (size_t c = 0; c < v->dim; c++)
                equal = equal && fmpq_equal(token(v, i) + c, token(v, j) + c);
            if (equal)
                return false;
            near = square(token(v, i), token(v, j), v->dim, 1) < 1e-18 * norm;
            seen_near += near;
            seen_aside += near &&
                          !fmpq_equal(token(v, i) + v->dim - 1, token(v, j) + v->dim - 1) &&
                          v->dim > 1;
            seen_opposite += square(token(v, i), token(v, j), v->dim, -1) == 0;
        }
    }
    seen_odd += odd;
    seen_consecutive += is_consecutive(v);
    seen_paired += is_paired(v);
    return true;
}

/* Returns whether every token of the dataset is one of the vocabulary, in all its entries. */
static bool check_members(const attest_dataset *d, const attest_vocabulary *v)
{
    size_t found = 0;
    fmpq_t x;

    fmpq_init(x);
    for (size_t t = 0; t < d->tokens.count; t++)
        for (size_t i = 0; i < v->count; i++) {
            bool equal = true;
            for (size_t c = 0; c < v->dim; c++) {
                attest_tokens_get_entry(x, &d->tokens, t, c);
                equal = equal && fmpq_equal(x, token(v, i) + c);
            }
            found += equal;
        }
    fmpq_clear(x);
    return d->dim == v->dim && found == d->tokens.count;
}

/* Returns whether sequence i has the tokens of the one before, in another order. */
static bool is_permuted(const attest_dataset *d, size_t i)
{
    size_t length = attest_dataset_length(d, i);
    const uint32_t *one = d->token + d->start[i - 1], *other = d->token + d->start[i];

    if (length != attest_dataset_length(d, i - 1) ||
        memcmp(one, other, length * sizeof *one) == 0)
        return false;
    for (size_t k = 0; k < length; k++) {
        size_t in[2] = {0};
        for (size_t l = 0; l < length; l++) {
            in[0] += one[l] == one[k];
            in[1] += other[l] == one[k];
        }
        if (in[0] != in[1])
            return false;
    }
    return true;
}

/* Returns whether sequence i is the one before but for one place. */
static bool is_exchanged(const attest_dataset *d, size_t i)
{
    size_t length = attest_dataset_length(d, i), differ = 0;

    for (size_t k = 0; k < length && length == attest_dataset_length(d, i - 1); k++)
        differ += attest_dataset_token(d, i, k) != attest_dataset_token(d, i - 1, k);
    return differ == 1;
}

/* Returns whether sequence a is sequence b without one of its places. */
static bool is_part(const attest_dataset *d, size_t a, size_t b)
{
    size_t length = attest_dataset_length(d, a), k = 0;

    if (length + 1 != attest_dataset_length(d, b))
        return false;
    while (k < length && attest_dataset_token(d, a, k) == attest_dataset_token(d, b, k))
        k++;
    while (k < length && attest_dataset_token(d, a, k) == attest_dataset_token(d, b, k + 1))
        k++;
    return k == length;
}

/* Returns whether sequence i is the one before and one of its tokens again. */
static bool is_repeated(const attest_dataset *d, size_t i)
{
    size_t length = attest_dataset_length(d, i - 1), k = 0;

    if (!is_part(d, i - 1, i))
        return false;
    while (k < length &&
           attest_dataset_token(d, i - 1, k) != attest_dataset_token(d, i, length))
        k++;
    return k < length && memcmp(d->token + d->start[i - 1], d->token + d->start[i],
                                length * sizeof *d->token) == 0;
}

/* How sequences come from the one before; long ones, which chance makes alike only rarely. */
static void see_relations(const attest_dataset *d)
{
    for (size_t i = 1; i < d->count; i++) {
        if (attest_dataset_length(d, i - 1) < 3)
            continue;
        seen_next++;
        seen_permuted += is_permuted(d, i);
        seen_exchanged += is_exchanged(d, i);
        seen_shortened += is_part(d, i, i - 1);
        seen_repeated += is_repeated(d, i);
    }
}

static bool check_sequences(const attest_dataset *d)
{
    const attest_gen_sequences *o = &asked->sequences;

    if (!d->tokens.real == asked->doubles)
        return false;
    if (d->count < o->count_min || d->count > o->count_max)
        return false;
    see_size(SEQUENCES, d->count, o->count_min, o->count_max);
    see_size(LENGTH, attest_dataset_length(d, 0), o->length_min, o->length_max);
    for (size_t i = 0; i < d->count; i++) {
        size_t length = attest_dataset_length(d, i);
        if (length < o->length_min || length > o->length_max ||
            (o->equal_lengths && length != d->longest))
            return false;
        seen_shorter += length < d->longest;
        for (size_t k = 0; k < length; k++)
            for (size_t l = 0; l < k && !o->repeats; l++)
                if (attest_dataset_token(d, i, k) == attest_dataset_token(d, i, l))
                    return false;
    }
    see_relations(d);
    return true;
}

/* A token that sees different tokens at two places, with a mask and without. */
static bool shares(const attest_dataset *d, bool causal)
{
    for (size_t p = 0; p < d->total; p++)
        for (size_t q = 0; q < p; q++) {
            attest_place place[2] = {attest_place_get(d, p), attest_place_get(d, q)};
            bool in[2][16] = {{false}};
            if (d->token[p] != d->token[q])
                continue;
            for (int s = 0; s < 2; s++) {
                size_t length = attest_dataset_length(d, place[s].sequence);
                for (size_t k = 0; k < (causal ? place[s].position + 1 : length); k++)
                    in[s][attest_dataset_token(d, place[s].sequence, k)] = true;
            }
            if (memcmp(in[0], in[1], sizeof in[0]) != 0)
                return true;
        }
    return false;
}

static bool is_zero(const attest_matrix *m)
{
    bool zero = true;
    fmpq_t x;

    fmpq_init(x);
    for (size_t i = 0; i < m->rows * m->cols; i++) {
        attest_matrix_get_entry(x, m, i / m->cols, i % m->cols);
        zero = zero && fmpq_is_zero(x);
    }
    fmpq_clear(x);
    return zero;
}

static bool is_same(const attest_matrix *a, const attest_matrix *b)
{
    bool same = a->rows == b->rows && a->cols == b->cols;
    fmpq_t x, y;

    fmpq_init(x), fmpq_init(y);
    for (size_t e = 0; same && e < a->rows * a->cols; e++) {
        attest_matrix_get_entry(x, a, e / a->cols, e % a->cols);
        attest_matrix_get_entry(y, b, e / a->cols, e % a->cols);
        same = fmpq_equal(x, y);
    }
    fmpq_clear(x), fmpq_clear(y);
    return same;
}

/* Returns whether a power of ten stands above or below the line of its first entry. */
static bool is_scaled(const attest_matrix *m)
{
    fmpz_t power;
    fmpq_t x;
    bool scaled;

    fmpz_init(power), fmpq_init(x);
    fmpz_ui_pow_ui(power, 5, 15);
    attest_matrix_get_entry(x, m, 0, 0);
    scaled = !fmpq_is_zero(x) &&
             (fmpz_divisible(fmpq_numref(x), power) || fmpz_divisible(fmpq_denref(x), power));
    fmpz_clear(power), fmpq_clear(x);
    return scaled;
}

/* Returns whether a = -b, and not 0. */
static bool is_opposite(const attest_matrix *a, const attest_matrix *b)
{
    bool opposite = a->rows == b->rows && a->cols == b->cols && !is_zero(a);
    fmpq_t x, y;

    fmpq_init(x), fmpq_init(y);
    for (size_t e = 0; opposite && e < a->rows * a->cols; e++) {
        attest_matrix_get_entry(x, a, e / a->cols, e % a->cols);
        attest_matrix_get_entry(y, b, e / a->cols, e % a->cols);
        fmpq_neg(y, y);
        opposite = fmpq_equal(x, y);
    }
    fmpq_clear(x), fmpq_clear(y);
    return opposite;
}

/* sum = |(W_K x).(W_Q y)|, by matrices. */
static void get_score(fmpq_t sum, const attest_head *head, const fmpq *x, const fmpq *y,
                      size_t dim)
{
    fmpq_t k, q;

    fmpq_init(k), fmpq_init(q);
    fmpq_zero(sum);
    for (size_t r = 0; r < head->wk.rows; r++)
        for (size_t a = 0; a < dim; a++)
            for (size_t b = 0; b < dim; b++) {
                attest_matrix_get_entry(k, &head->wk, r, a);
                attest_matrix_get_entry(q, &head->wq, r, b);
                fmpq_mul(k, k, x + a);
                fmpq_mul(q, q, y + b);
                fmpq_addmul(sum, k, q);
            }
    fmpq_abs(sum, sum);
    fmpq_clear(k), fmpq_clear(q);
}

/* Scores are within the limit; with gaps they are only looked at. */
static bool check_score(const attest_head *head, const fmpq *x, const fmpq *y, size_t dim)
{
    fmpq_t sum, k;
    bool ok;

    fmpq_init(sum), fmpq_init(k);
    get_score(sum, head, x, y, dim);
    ok = asked->heads.gaps || fmpq_cmp_ui(sum, asked->heads.score_limit) <= 0;
    fmpq_set_ui(k, 1, 1);
    fmpq_mul_2exp(k, k, 100);
    seen_huge += fmpq_cmp(sum, k) > 0;
    fmpq_inv(k, k);
    fmpq_mul(k, k, k);
    seen_tiny += !fmpq_is_zero(sum) && fmpq_cmp(sum, k) < 0;
    fmpq_clear(sum), fmpq_clear(k);
    return ok;
}

static void get_largest(fmpq_t most, const attest_head *head, const attest_vocabulary *v)
{
    fmpq_t sum;

    fmpq_init(sum);
    fmpq_zero(most);
    for (size_t i = 0; i < v->count; i++)
        for (size_t j = 0; j < v->count; j++) {
            get_score(sum, head, token(v, i), token(v, j), v->dim);
            if (fmpq_cmp(sum, most) > 0)
                fmpq_set(most, sum);
        }
    fmpq_clear(sum);
}

/* The largest score is moved to a power of two, exactly; below a limit only if it is above, and
 * then not farther than needed. Weights of which all scores are 0 stay. */
static bool check_moves(const attest_weights *w, const attest_vocabulary *v)
{
    static const long exponent[] = {-70, -1, 0, 1, 33};
    attest_weights copy;
    fmpq_t before, after;
    bool ok = true;

    fmpq_init(before), fmpq_init(after);
    attest_weights_init(&copy);
    for (size_t i = 0; i < sizeof exponent / sizeof exponent[0] && ok; i++) {
        ok = attest_weights_set(&copy, w) == ATTEST_OK;
        get_largest(before, copy.head, v);
        attest_gen_set_scores(copy.head, v, exponent[i]);
        get_largest(after, copy.head, v);
        ok = ok && (fmpq_is_zero(before) ? fmpq_is_zero(after)
                                         : (long)fmpz_bits(fmpq_numref(after)) -
                                                   (long)fmpz_bits(fmpq_denref(after)) ==
                                               exponent[i]);
        fmpq_set(before, after);
        attest_gen_limit_scores(copy.head, v, 1);
        get_largest(after, copy.head, v);
        ok = ok && fmpq_cmp_ui(after, 1) <= 0;
        seen_limited += !fmpq_equal(before, after);
        fmpq_mul_2exp(after, after, !fmpq_equal(before, after));
        ok = ok && (fmpq_cmp_ui(after, 1) > 0 || fmpq_cmp_ui(before, 1) <= 0);
    }
    attest_weights_clear(&copy);
    fmpq_clear(before), fmpq_clear(after);
    return ok;
}

static bool check_heads(const attest_weights *w, const attest_vocabulary *v)
{
    const attest_gen_heads *o = &asked->heads;
    attest_error error;

    if (w->heads < 1 || w->heads > o->heads_max ||
        attest_weights_check_shapes(w, &error) != ATTEST_OK)
        return false;
    see_size(HEADS, w->heads, 1, o->heads_max);
    if (seen_limited < 400 && !check_moves(w, v))
        return false;
    for (size_t h = 0; h < w->heads; h++) {
        const attest_head *head = w->head + h;
        bool zero = is_zero(&head->wq) || is_zero(&head->wk) || is_zero(&head->wv) ||
                    is_zero(&head->wo);
        if (head->wq.rows > o->size_max || (o->nonzero && zero))
            return false;
        see_size(HEAD_SIZE, head->wq.rows, 1, o->size_max);
        seen_heads++;
        seen_scaled_keys += is_scaled(&head->wk);
        seen_scaled_outputs += is_scaled(&head->wo);
        seen_opposed += h > 0 && is_same(&head->wv, &head[-1].wv) &&
                        is_same(&head->wk, &head[-1].wk) &&
                        is_opposite(&head->wo, &head[-1].wo);
        seen_zero_head += zero;
        seen_later += h > 0;
        seen_alike +=
            h > 0 && is_same(&head->wq, &head[-1].wq) && is_same(&head->wk, &head[-1].wk);
        seen_dead += h == 0 && (is_zero(&head->wv) || is_zero(&head->wo));
        seen_factored += head->wk.factored;
        for (size_t i = 0; o->score_limit && i < v->count; i++)
            for (size_t j = 0; j < v->count; j++)
                if (!check_score(head, token(v, i), token(v, j), v->dim))
                    return false;
    }
    return true;
}

static enum theft_trial_res check(struct theft *t, void *argument)
{
    const sample *s = argument;
    const attest_vocabulary *v = &s->vocabulary;

    (void)t;
    if (v->dim == 2 && v->count >= 3) {
        bool line = true;
        for (size_t i = 1; i < v->count; i++) {
            fmpq_t a, b;
            fmpq_init(a), fmpq_init(b);
            fmpq_mul(a, token(v, 0), token(v, i) + 1);
            fmpq_mul(b, token(v, 0) + 1, token(v, i));
            line = line && fmpq_equal(a, b);
            fmpq_clear(a), fmpq_clear(b);
        }
        seen_collinear += line;
        seen_slanted += line && !fmpq_is_zero(token(v, 1)) && !fmpq_is_zero(token(v, 1) + 1);
    }
    seen_shared += shares(&s->dataset, false) && shares(&s->dataset, true);
    return check_tokens(v) && check_members(&s->dataset, v) && check_sequences(&s->dataset) &&
                   check_heads(&s->weights, v)
               ? THEFT_TRIAL_PASS
               : THEFT_TRIAL_FAIL;
}

/* Hooks that print nothing: standard output is for TAP. */
static enum theft_hook_run_pre_res before(const struct theft_hook_run_pre_info *info, void *env)
{
    (void)info, (void)env;
    return THEFT_HOOK_RUN_PRE_CONTINUE;
}

static enum theft_hook_run_post_res after(const struct theft_hook_run_post_info *info,
                                          void *env)
{
    (void)info, (void)env;
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

static enum theft_hook_trial_post_res after_trial(const struct theft_hook_trial_post_info *info,
                                                  void *env)
{
    (void)info, (void)env;
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_run_res run(const options *o, theft_seed seed, size_t trials)
{
    struct theft_type_info info = {
        .alloc = sample_alloc, .free = sample_free, .env = (void *)o};
    struct theft_run_config config = {
        .name = "generators",
        .prop1 = check,
        .type_info = {&info},
        .trials = trials,
        .seed = seed,
        .hooks = {.run_pre = before, .run_post = after, .trial_post = after_trial}};

    asked = o;
    return theft_run(&config);
}

static const options any = {
    {.dim_max = 3, .count_min = 1, .count_max = 6, .zero = true, .decades = 40},
    {.count_min = 1, .count_max = 4, .length_min = 1, .length_max = 5, .repeats = true},
    {.heads_max = 4, .size_max = 3, .decades = 40},
    .doubles = false,
};
static const options strict = {
    {.dim_max = 3, .count_min = 2, .count_max = 6, .decades = 40},
    {.count_min = 2, .count_max = 4, .length_min = 2, .length_max = 5, .equal_lengths = true},
    {.heads_max = 3, .size_max = 2, .nonzero = true, .plain = true, .score_limit = 40},
    .doubles = false,
};

static const options doubles = {
    {.dim_max = 3, .count_min = 2, .count_max = 6, .decades = 30},
    {.count_min = 2, .count_max = 4, .length_min = 1, .length_max = 5, .repeats = true},
    {.heads_max = 1, .size_max = 1},
    .doubles = true,
};

static const options unscaled = {
    {.dim_max = 3, .count_min = 2, .count_max = 6},
    {.count_min = 1, .count_max = 1, .length_min = 1, .length_max = 1},
    {.heads_max = 1, .size_max = 1},
    .doubles = true,
};

static const options corners = {
    {.dim_max = 3, .count_min = 2, .count_max = 6, .zero = true, .decades = 40},
    {.count_min = 1,
     .count_max = 3,
     .length_min = 1,
     .length_max = 5,
     .repeats = true,
     .shared = true},
    {.heads_max = 2, .size_max = 2, .decades = 40, .score_limit = 40, .gaps = ATTEST_GEN_HUGE},
    .doubles = false,
};
static const options distinct = {
    {.dim_max = 2, .count_min = 3, .count_max = 6},
    {.count_min = 2, .count_max = 3, .length_min = 1, .length_max = 4, .shared = true},
    {.heads_max = 1, .size_max = 1},
    .doubles = false,
};

/* Where each sequence may be all of the vocabulary, there is no other context of this length.
 */
static const options equal = {
    {.dim_max = 2, .count_min = 2, .count_max = 3},
    {.count_min = 2,
     .count_max = 3,
     .length_min = 2,
     .length_max = 3,
     .equal_lengths = true,
     .shared = true},
    {.heads_max = 3, .size_max = 2, .nonzero = true},
    .doubles = false,
};

/* Neighbours of reals are at least the gap apart, in descending order. */
static enum theft_alloc_res reals_alloc(struct theft *t, void *env, void **output)
{
    attest_vocabulary *v = malloc(sizeof *v);

    if (!v)
        return THEFT_ALLOC_ERROR;
    attest_vocabulary_init(v);
    if (attest_gen_reals(v, t, 2, 8, env) != ATTEST_OK)
        return THEFT_ALLOC_ERROR;
    *output = v;
    return THEFT_ALLOC_OK;
}

static void reals_free(void *instance, void *env)
{
    (void)env;
    attest_vocabulary_clear(instance);
    free(instance);
}

static const fmpq *gap_asked;
static size_t seen_packed, seen_nearly_packed, seen_apart;

static enum theft_trial_res check_gaps(struct theft *t, void *argument)
{
    const attest_vocabulary *v = argument;
    bool ok = v->count >= 2 && v->count <= 8 && v->dim == 1;
    fmpq_t gap;

    (void)t;
    fmpq_init(gap);
    for (size_t i = 1; i < v->count; i++) {
        fmpq_sub(gap, v->entry + i - 1, v->entry + i);
        ok = ok && fmpq_cmp(gap, gap_asked) >= 0;
        fmpq_sub(gap, gap, gap_asked);
        seen_packed += fmpq_is_zero(gap);
        seen_nearly_packed += !fmpq_is_zero(gap) && fmpq_get_d(gap) < 1e-6;
        seen_apart += fmpq_get_d(gap) > 1;
    }
    fmpq_clear(gap);
    return ok ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

static enum theft_run_res run_reals(theft_seed seed, size_t trials)
{
    enum theft_run_res result;
    fmpq_t gap;

    fmpq_init(gap);
    fmpq_set_si(gap, 14456, 10000);
    gap_asked = gap;
    struct theft_type_info info = {.alloc = reals_alloc, .free = reals_free, .env = gap};
    struct theft_run_config config = {
        .name = "reals",
        .prop1 = check_gaps,
        .type_info = {&info},
        .trials = trials,
        .seed = seed,
        .hooks = {.run_pre = before, .run_post = after, .trial_post = after_trial}};
    result = theft_run(&config);
    fmpq_clear(gap);
    return result;
}

/* One of five relations each; where lengths are free, all of them can be. */
static void check_relations(bool lengths)
{
    size_t many = seen_next / 15;

    TAP_OK(seen_permuted > many && seen_exchanged > many,
           "of %zu sequences, permuted: %zu, with another token: %zu", seen_next, seen_permuted,
           seen_exchanged);
    TAP_OK(lengths ? seen_shortened > many && seen_repeated > many
                   : seen_shortened + seen_repeated == 0,
           "without a token: %zu, with one again: %zu", seen_shortened, seen_repeated);
    seen_next = seen_permuted = seen_exchanged = seen_shortened = seen_repeated = 0;
}

/* Rationals of the limit 8: half of them integers by intent, and 28 of the 72 fractions p/q. */
static size_t seen_integers, seen_whole_limit, seen_beyond, seen_negative, seen_zero;
enum { NUMBERS = 20 };

static enum theft_alloc_res numbers_alloc(struct theft *t, void *env, void **output)
{
    bool *ok = malloc(sizeof *ok);
    fmpq_t x;

    (void)env;
    if (!ok)
        return THEFT_ALLOC_ERROR;
    *ok = true;
    fmpq_init(x);
    for (int i = 0; i < NUMBERS; i++) {
        long n = attest_gen_integer(t, 8);
        *ok = *ok && n >= -8 && n <= 8;
        seen_whole_limit += n == 8 || n == -8;
        attest_gen_rational(x, t, 8);
        seen_integers += fmpz_is_one(fmpq_denref(x));
        seen_beyond += fmpq_height_bits(x) > 4;
        seen_negative += fmpq_sgn(x) < 0;
        seen_zero += fmpq_is_zero(x);
        attest_gen_nonzero(x, t, 8);
        *ok = *ok && !fmpq_is_zero(x) && fmpq_is_canonical(x);
        attest_gen_positive(x, t, 8);
        *ok = *ok && fmpq_sgn(x) > 0 && fmpq_is_canonical(x);
    }
    fmpq_clear(x);
    *output = ok;
    return THEFT_ALLOC_OK;
}

static void numbers_free(void *instance, void *env)
{
    (void)env;
    free(instance);
}

static enum theft_trial_res check_numbers(struct theft *t, void *argument)
{
    (void)t;
    return *(bool *)argument ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
}

static void test_numbers(theft_seed seed, size_t trials)
{
    struct theft_type_info info = {.alloc = numbers_alloc, .free = numbers_free};
    struct theft_run_config config = {
        .name = "numbers",
        .prop1 = check_numbers,
        .type_info = {&info},
        .trials = trials,
        .seed = seed,
        .hooks = {.run_pre = before, .run_post = after, .trial_post = after_trial}};
    enum theft_run_res result = theft_run(&config);
    double all = (double)(trials * NUMBERS);

    TAP_OK(result == THEFT_RUN_PASS, "numbers within their limit, not 0, positive");
    TAP_OK(fabs((double)seen_whole_limit / all - 2.0 / 18) < 0.01,
           "the limit itself, or its negative: %.4f", (double)seen_whole_limit / all);
    /* 1/2 + 7/16 28/72 = 0.670 */
    TAP_OK(fabs((double)seen_integers / all - 0.672) < 0.012, "integers: %.4f",
           (double)seen_integers / all);
    TAP_OK(fabs((double)seen_beyond / all - 0.0625) < 0.01, "long numbers: %.4f",
           (double)seen_beyond / all);
    /* 15/16 1/9 */
    TAP_OK(fabs((double)seen_zero / all - 0.1045) < 0.01, "zeros: %.4f",
           (double)seen_zero / all);
    TAP_OK(fabs((double)seen_negative / all - (1 - 0.1045) / 2) < 0.015, "negative: %.4f",
           (double)seen_negative / all);
}

TEST(gen)
{
    uint64_t seed = tap_seed(0x5eed);
    enum { TRIALS = 2000 };
    size_t finer = 0;

    TAP_OK(run(&any, seed, TRIALS) == THEFT_RUN_PASS, "vocabularies, datasets, weights");
    TAP_OK(seen_near > 20 && seen_aside > seen_near / 4,
           "tokens that nearly agree: %zu, and differ in more than the first entry: %zu",
           seen_near, seen_aside);
    TAP_OK(seen_scaled > seen_tokens / 25 && seen_scaled < seen_tokens / 2,
           "tiny and huge tokens: %zu of %zu", seen_scaled, seen_tokens);
    TAP_OK(seen_thirds > 20, "fractions that are no decimals: %zu", seen_thirds);
    TAP_OK(seen_opposite > 20 && seen_paired > TRIALS / 50,
           "opposite tokens: %zu, all of them in pairs: %zu", seen_opposite, seen_paired);
    TAP_OK(seen_collinear > 20 && seen_slanted > 20,
           "collinear tokens: %zu, not on an axis: %zu", seen_collinear, seen_slanted);
    TAP_OK(seen_consecutive > TRIALS / 40, "multiples 1, 2, 3, ... of a token: %zu",
           seen_consecutive);
    TAP_OK(seen_long > 20, "long fractions: %zu", seen_long);
    TAP_OK(seen_zero_head > 20, "heads with a zero matrix: %zu", seen_zero_head);
    TAP_OK(seen_alike > 20 && seen_alike < seen_later / 2,
           "heads with the scores of the one before: %zu of %zu", seen_alike, seen_later);
    TAP_OK(seen_opposed > seen_later / 20 && seen_opposed < seen_later / 2,
           "opposite to the one before: %zu", seen_opposed);
    TAP_OK(seen_scaled_keys > seen_heads / 50 && seen_scaled_outputs > seen_heads / 50,
           "heads with scaled keys: %zu of %zu; with scaled outputs: %zu", seen_scaled_keys,
           seen_heads, seen_scaled_outputs);
    check_sizes("any", TRIALS / 10);
    seen_scaled_keys = seen_scaled_outputs = seen_opposed = 0;
    TAP_OK(seen_factored > 20, "heads of rank 1: %zu", seen_factored);
    TAP_OK(seen_shorter > 20, "unequal lengths: %zu", seen_shorter);
    check_relations(true);
    TAP_OK(run(&strict, seed, TRIALS) == THEFT_RUN_PASS,
           "no zero, no repeats, equal lengths, scores within the limit");
    check_relations(false);
    check_sizes("strict", TRIALS / 20);
    TAP_OK(seen_scaled_outputs == 0 && seen_opposed == 0, "every head is on its own");
    seen_consecutive = seen_paired = 0;
    seen_near = seen_scaled = seen_opposite = seen_collinear = seen_shorter = 0;
    seen_full = 0;
    TAP_OK(run(&doubles, seed, TRIALS) == THEFT_RUN_PASS,
           "tokens of doubles, none of them zero");
    TAP_OK(seen_near > 20 && seen_scaled > 20 && seen_opposite > 20 && seen_collinear > 20,
           "that nearly agree: %zu; tiny and huge: %zu; opposite: %zu; collinear: %zu",
           seen_near, seen_scaled, seen_opposite, seen_collinear);
    TAP_OK(seen_full > 20, "with significands of more than 45 bits: %zu", seen_full);
    TAP_OK(seen_shorter > 20, "in sequences of unequal lengths: %zu", seen_shorter);
    check_relations(true);
    check_sizes("doubles", TRIALS / 10);
    TAP_OK(seen_consecutive > TRIALS / 40, "multiples 1, 2, 3, ... of a token: %zu",
           seen_consecutive);
    TAP_OK(seen_paired > TRIALS / 50, "pairs of opposite ones: %zu", seen_paired);
    seen_scaled = seen_odd = 0;
    memset(seen_power, 0, sizeof seen_power);
    TAP_OK(run(&unscaled, seed, TRIALS) == THEFT_RUN_PASS, "tokens of doubles, not scaled");
    TAP_OK(seen_scaled == 0 && seen_odd > TRIALS / 2,
           "none is tiny or huge, and odd integers are among %zu", seen_odd);
    for (size_t e = 7; e < POWERS; e++)
        finer += seen_power[e];
    TAP_OK(seen_power[1] > TRIALS / 50 && seen_power[6] > TRIALS / 50 && finer == 0,
           "short fractions have denominators of up to 2^6: %zu halves, %zu 64ths, %zu finer",
           seen_power[1], seen_power[6], finer);
    seen_shared = seen_huge = seen_tiny = seen_dead = 0;
    TAP_OK(run(&corners, seed, TRIALS) == THEFT_RUN_PASS, "tokens in several contexts");
    TAP_OK(seen_shared > TRIALS * 9 / 10, "in %zu of %d datasets", seen_shared, (int)TRIALS);
    TAP_OK(seen_huge > 20 && seen_tiny > 20, "scores beyond 2^100: %zu; below 2^-200: %zu",
           seen_huge, seen_tiny);
    TAP_OK(seen_dead > 0 && seen_dead < TRIALS / 20, "first heads without values: %zu",
           seen_dead);
    seen_shared = 0;
    TAP_OK(run(&distinct, seed, TRIALS) == THEFT_RUN_PASS, "the same without repeats");
    TAP_OK(seen_shared > TRIALS * 9 / 10, "in %zu of %d datasets", seen_shared, (int)TRIALS);
    TAP_OK(run(&equal, seed, TRIALS) == THEFT_RUN_PASS, "equal lengths, and no head is zero");
    test_numbers(seed, TRIALS);
    TAP_OK(run_reals(seed, TRIALS) == THEFT_RUN_PASS, "reals keep the gap");
    TAP_OK(seen_packed > 20, "packed gaps: %zu", seen_packed);
    TAP_OK(seen_nearly_packed > 20, "nearly packed ones: %zu", seen_nearly_packed);
    TAP_OK(seen_apart > 20, "wide ones: %zu", seen_apart);
    return 0;
}
