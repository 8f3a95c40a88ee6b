/* interval_attention.c -- one attention layer in intervals, in the order of doc/arithmetic.md.
 */
#include "props/interval_attention.h"

#include <stdlib.h>

#include "base/memory.h"
#include "number/scope.h"

attest_interval *attest_intervals_alloc(size_t count, mpfr_prec_t bits)
{
    attest_interval *interval = attest_memory_alloc(count, sizeof *interval);

    for (size_t i = 0; interval && i < count; i++) {
        mpfr_init2(interval[i].low, bits), mpfr_set_zero(interval[i].low, 1);
        mpfr_init2(interval[i].high, bits), mpfr_set_zero(interval[i].high, 1);
    }
    return interval;
}

void attest_intervals_free(attest_interval *interval, size_t count)
{
    for (size_t i = 0; interval && i < count; i++)
        mpfr_clear(interval[i].low), mpfr_clear(interval[i].high);
    free(interval);
}

static void interval_set(attest_interval *z, const attest_interval *x)
{
    mpfr_set(z->low, x->low, MPFR_RNDD);
    mpfr_set(z->high, x->high, MPFR_RNDU);
}

static void interval_set_fmpq(attest_interval *z, const fmpq_t x)
{
    mpq_t q;

    mpq_init(q);
    fmpq_get_mpq(q, x);
    mpfr_set_q(z->low, q, MPFR_RNDD);
    mpfr_set_q(z->high, q, MPFR_RNDU);
    mpq_clear(q);
}

static void interval_add(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    mpfr_add(z->low, x->low, y->low, MPFR_RNDD);
    mpfr_add(z->high, x->high, y->high, MPFR_RNDU);
}

static void interval_sub(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    MPFR(mpfr_get_prec(z->low), low);

    mpfr_sub(low, x->low, y->high, MPFR_RNDD);
    mpfr_sub(z->high, x->high, y->low, MPFR_RNDU);
    mpfr_swap(z->low, low);
}

/* The ends from all products of ends. */
static void multiply_any(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    mpfr_srcptr of_x[2] = {x->low, x->high}, of_y[2] = {y->low, y->high};
    MPFR(mpfr_get_prec(z->low), product);

    mpfr_set_inf(z->low, 1);
    mpfr_set_inf(z->high, -1);
    for (int i = 0; i < 4; i++) {
        mpfr_mul(product, of_x[i / 2], of_y[i % 2], MPFR_RNDD);
        mpfr_min(z->low, z->low, product, MPFR_RNDD);
        mpfr_mul(product, of_x[i / 2], of_y[i % 2], MPFR_RNDU);
        mpfr_max(z->high, z->high, product, MPFR_RNDU);
    }
}

/* z may not be x or y. If x has one sign and all ends are finite, each end of the result is one
 * known product. */
static void interval_mul(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    bool up = mpfr_sgn(x->low) >= 0, down = mpfr_sgn(x->high) <= 0;
    mpfr_srcptr least = up ? y->low : y->high, most = up ? y->high : y->low;

    if (!(up || down) || !attest_interval_is_finite(x) || !attest_interval_is_finite(y)) {
        multiply_any(z, x, y);
        return;
    }
    mpfr_mul(z->low, mpfr_sgn(least) >= 0 ? x->low : x->high, least, MPFR_RNDD);
    mpfr_mul(z->high, mpfr_sgn(most) >= 0 ? x->high : x->low, most, MPFR_RNDU);
}

/* Domain: y > 0, else the result is NaN. z may not be y. */
static void interval_div(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    if (!(mpfr_sgn(y->low) > 0)) {
        mpfr_set_nan(z->low), mpfr_set_nan(z->high);
        return;
    }
    mpfr_div(z->low, x->low, mpfr_sgn(x->low) >= 0 ? y->high : y->low, MPFR_RNDD);
    mpfr_div(z->high, x->high, mpfr_sgn(x->high) >= 0 ? y->low : y->high, MPFR_RNDU);
}

/* z = e^x, widened by slack units in the last place on both sides, for an exp that is not
 * correctly rounded. */
static void interval_exp(attest_interval *z, const attest_interval *x, unsigned slack)
{
    mpfr_exp(z->low, x->low, MPFR_RNDD);
    mpfr_exp(z->high, x->high, MPFR_RNDU);
    for (; slack > 0; slack--) {
        mpfr_nextbelow(z->low);
        mpfr_nextabove(z->high);
    }
}

/* z = max(x, y). */
static void interval_max(attest_interval *z, const attest_interval *x, const attest_interval *y)
{
    mpfr_max(z->low, x->low, y->low, MPFR_RNDD);
    mpfr_max(z->high, x->high, y->high, MPFR_RNDU);
}

bool attest_interval_is_finite(const attest_interval *x)
{
    return mpfr_number_p(x->low) && mpfr_number_p(x->high);
}

static bool interval_is_point(const attest_interval *x)
{
    return mpfr_equal_p(x->low, x->high);
}

bool attest_interval_contains(const attest_interval *x, mpfr_srcptr y)
{
    return mpfr_lessequal_p(x->low, y) && mpfr_lessequal_p(y, x->high);
}

bool attest_interval_overlaps(const attest_interval *x, const arb_t y)
{
    bool meets;
    ARF(end);
    ARB(ball);

    arf_set_mpfr(end, x->low);
    arb_set_arf(ball, end);
    meets = !arb_gt(ball, y); /* not: low > all of y */
    arf_set_mpfr(end, x->high);
    arb_set_arf(ball, end);
    meets = meets && !arb_lt(ball, y);
    return meets;
}

/* The intervals of one head. */
typedef struct frame {
    const attest_weights *weights;
    const attest_sequence *sequence;
    mpfr_prec_t bits;
    unsigned slack;
    size_t most;                              /* the largest number of rows of a head */
    attest_interval *token;                   /* length * dim */
    attest_interval *key, *query, *value;     /* length * rows each */
    attest_interval *score, *share;           /* length: a_j and e_j of one query */
    attest_interval *mean, *result, *scratch; /* rows, dim, SCRATCH */
} frame;

enum { SUM, PRODUCT, ENTRY, MOST, SCRATCH };

/* z = x . y over count entries, y's stride apart, from the first to the last. */
static void dot(attest_interval *z, frame *f, const attest_interval *x,
                const attest_interval *y, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        interval_mul(f->scratch + PRODUCT, x + i, y + i * stride);
        if (i == 0)
            interval_set(z, f->scratch + PRODUCT);
        else
            interval_add(z, z, f->scratch + PRODUCT);
    }
}

static void set_fraction(attest_interval *z, const fmpz_t numerator, const fmpz_t denominator)
{
    FMPQ(x);

    fmpq_set_fmpz_frac(x, numerator, denominator);
    interval_set_fmpq(z, x);
}

/* z = entry * x for the first term of a sum, else z += entry * x. */
static void add_product(attest_interval *z, frame *f, const attest_interval *x, bool first)
{
    interval_mul(f->scratch + PRODUCT, f->scratch + ENTRY, x);
    if (first)
        interval_set(z, f->scratch + PRODUCT);
    else
        interval_add(z, z, f->scratch + PRODUCT);
}

/* z = u (v . x), for a factored matrix. */
static void multiply_factored(attest_interval *z, frame *f, const attest_matrix *m,
                              const attest_interval *x)
{
    for (size_t c = 0; c < m->cols; c++) {
        set_fraction(f->scratch + ENTRY, m->v + c, m->v_denominator);
        add_product(f->scratch + SUM, f, x + c, c == 0);
    }
    for (size_t r = 0; r < m->rows; r++) {
        set_fraction(f->scratch + ENTRY, m->u + r, m->u_denominator);
        interval_mul(z + r, f->scratch + ENTRY, f->scratch + SUM);
    }
}

/* z_k = m x_k for count vectors, one after the other; an entry of m is rounded once for all. */
static void multiply(attest_interval *z, frame *f, const attest_matrix *m,
                     const attest_interval *x, size_t count)
{
    for (size_t k = 0; m->factored && k < count; k++)
        multiply_factored(z + k * m->rows, f, m, x + k * m->cols);
    for (size_t e = 0; !m->factored && e < m->rows * m->cols; e++) {
        size_t r = e / m->cols, c = e % m->cols;

        set_fraction(f->scratch + ENTRY, m->entry + e, m->denominator);
        for (size_t k = 0; k < count; k++)
            add_product(z + k * m->rows + r, f, x + k * m->cols + c, c == 0);
    }
}

static bool same_token(const attest_sequence *s, size_t j, size_t l)
{
    for (size_t c = 0; c < s->dim; c++)
        if (!fmpz_equal(s->entry + j * s->dim + c, s->entry + l * s->dim + c))
            return false;
    return true;
}

/* share[j] = 1 for the winners, 0 for the others. False when rounding could change who wins:
 * several keys of different tokens may attain the maximum, and their scores are not exact. */
static bool choose_winners(frame *f, size_t seen)
{
    size_t first = seen;
    bool leftmost = f->weights->ties == ATTEST_TIES_LEFTMOST;

    for (size_t j = 0; j < seen; j++) {
        mpfr_set_zero(f->share[j].low, 1), mpfr_set_zero(f->share[j].high, 1);
        if (mpfr_less_p(f->score[j].high, f->scratch[MOST].low))
            continue;
        if (first == seen)
            first = j;
        else if (!same_token(f->sequence, first, j) &&
                 !(interval_is_point(f->score + first) && interval_is_point(f->score + j)))
            return false;
        if (j == first || !leftmost)
            mpfr_set_ui(f->share[j].low, 1, MPFR_RNDN),
                mpfr_set_ui(f->share[j].high, 1, MPFR_RNDN);
    }
    return true;
}

static void set_softmax_shares(frame *f, size_t seen)
{
    for (size_t j = 0; j < seen; j++) {
        interval_sub(f->score + j, f->score + j, f->scratch + MOST);
        interval_exp(f->share + j, f->score + j, f->slack);
    }
}

/* mean = sum share[j] value[j] / sum share[j], for each entry. Includes keys with share 0,
 * which hardmax skips: additions of 0 and products with 1 are exact. */
static void average(frame *f, size_t seen, size_t rows)
{
    attest_interval *total = f->scratch + SUM;

    mpfr_set_zero(total->low, 1), mpfr_set_zero(total->high, 1);
    for (size_t j = 0; j < seen; j++)
        interval_add(total, total, f->share + j);
    for (size_t r = 0; r < rows; r++) {
        dot(f->mean + r, f, f->share, f->value + r, seen, rows);
        interval_set(f->scratch + ENTRY, f->mean + r);
        interval_div(f->mean + r, f->scratch + ENTRY, total);
    }
}

/* result = what the head adds to the output of query k. Returns false, without a result, if
 * rounding could change the winners. */
static bool attend(frame *f, const attest_head *head, size_t k)
{
    size_t rows = head->wk.rows;
    size_t seen = f->weights->mask == ATTEST_MASK_CAUSAL ? k + 1 : f->sequence->length;

    for (size_t j = 0; j < seen; j++) {
        dot(f->score + j, f, f->key + j * rows, f->query + k * rows, rows, 1);
        if (j == 0)
            interval_set(f->scratch + MOST, f->score);
        else
            interval_max(f->scratch + MOST, f->scratch + MOST, f->score + j);
    }
    if (f->weights->activation == ATTEST_SOFTMAX)
        set_softmax_shares(f, seen);
    else if (!choose_winners(f, seen))
        return false;
    average(f, seen, rows);
    multiply(f->result, f, &head->wo, f->mean, 1);
    return true;
}

static void add_head(attest_interval *out, bool *known, frame *f, size_t h)
{
    const attest_head *head = f->weights->head + h;
    size_t dim = f->sequence->dim, length = f->sequence->length;

    multiply(f->key, f, &head->wk, f->token, length);
    multiply(f->query, f, &head->wq, f->token, length);
    multiply(f->value, f, &head->wv, f->token, length);
    for (size_t k = 0; k < length; k++) {
        known[k] = attend(f, head, k) && known[k];
        for (size_t c = 0; known[k] && c < dim; c++)
            if (h == 0 && !f->weights->skip)
                interval_set(out + k * dim + c, f->result + c);
            else
                interval_add(out + k * dim + c, out + k * dim + c, f->result + c);
    }
}

static void frame_clear(frame *f)
{
    size_t length = f->sequence->length, dim = f->sequence->dim;

    attest_intervals_free(f->token, length * dim);
    attest_intervals_free(f->key, length * f->most);
    attest_intervals_free(f->query, length * f->most);
    attest_intervals_free(f->value, length * f->most);
    attest_intervals_free(f->score, length);
    attest_intervals_free(f->share, length);
    attest_intervals_free(f->mean, f->most);
    attest_intervals_free(f->result, dim);
    attest_intervals_free(f->scratch, SCRATCH);
}

static bool frame_init(frame *f)
{
    size_t length = f->sequence->length, dim = f->sequence->dim;

    for (size_t h = 0; h < f->weights->heads; h++)
        if (f->weights->head[h].wk.rows > f->most)
            f->most = f->weights->head[h].wk.rows;
    f->token = attest_intervals_alloc(length * dim, f->bits);
    f->key = attest_intervals_alloc(length * f->most, f->bits);
    f->query = attest_intervals_alloc(length * f->most, f->bits);
    f->value = attest_intervals_alloc(length * f->most, f->bits);
    f->score = attest_intervals_alloc(length, f->bits);
    f->share = attest_intervals_alloc(length, f->bits);
    f->mean = attest_intervals_alloc(f->most, f->bits);
    f->result = attest_intervals_alloc(dim, f->bits);
    f->scratch = attest_intervals_alloc(SCRATCH, f->bits);
    return f->token && f->key && f->query && f->value && f->score && f->share && f->mean &&
           f->result && f->scratch;
}

attest_status attest_interval_attention(attest_interval *out, bool *known,
                                        const attest_weights *weights,
                                        const attest_sequence *sequence, unsigned slack)
{
    size_t count = sequence->length * sequence->dim;
    frame f ATTEST_CLEARED_BY(frame_clear) = {.weights = weights,
                                              .sequence = sequence,
                                              .bits = mpfr_get_prec(out->low),
                                              .slack = slack};

    if (!frame_init(&f))
        return ATTEST_NOMEM;
    for (size_t i = 0; i < count; i++) {
        set_fraction(f.token + i, sequence->entry + i, sequence->denominator);
        interval_set(out + i, f.token + i);
    }
    for (size_t k = 0; k < sequence->length; k++)
        known[k] = true;
    for (size_t h = 0; h < weights->heads; h++)
        add_head(out, known, &f, h);
    return ATTEST_OK;
}
