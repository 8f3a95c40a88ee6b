/* double_eval.c -- outputs in doubles with bounds on their errors, and in balls where doubles
 * do not suffice; all of them over one power of two. */
#include "base/hint.h"
#include "recheck/double_eval.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/term.h"
#include "base/workers.h"
#include "number/scope.h"

/* Entries are 0 or lie within 2^-RANGE .. 2^RANGE: no product of four of them, and no sum of
 * such products, leaves the range of doubles. */
enum { RANGE = 120 };

/* u = 2^-53, with room for terms of higher order and the roundings of the bounds. */
static const double unit = 0x1p-53 * (1 + 0x1p-16);

/* One head and its values for the current sequence; a bar marks sums of absolute values. */
typedef struct double_head {
    size_t width;
    double *wq, *wk, *wv, *wo;             /* the matrices, rounded to doubles */
    double *key, *query, *query_bar;       /* longest * width */
    double *value;                         /* longest * dim */
    double *key_most, *value_most, *inner; /* width, dim, 2 width */
    double value_norm;                     /* |value_most| */
} double_head;

struct attest_recheck_double_eval {
    size_t dim, heads, sequence;
    double *token; /* by number; NULL: the dataset's own */
    double *score; /* longest */
    double_head *head;
    uint32_t *winner; /* by head, hardmax: the token that won last */
};

double attest_recheck_exp(double x)
{
    /* ln 2 = high + low, high with 32 bits, so that k high is exact. */
    static const double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;
    static const double coefficient[] = {1.0 / 479001600,
                                         1.0 / 39916800,
                                         1.0 / 3628800,
                                         1.0 / 362880,
                                         1.0 / 40320,
                                         1.0 / 5040,
                                         1.0 / 720,
                                         1.0 / 120,
                                         1.0 / 24,
                                         1.0 / 6,
                                         0.5,
                                         1,
                                         1};
    double k = rint(x * 0x1.71547652b82fep+0), r = (x - k * high) - k * low, p = 0;

    for (size_t i = 0; i < sizeof coefficient / sizeof coefficient[0]; i++)
        p = p * r + coefficient[i];
    return ldexp(p, (int)k);
}

/* d = x rounded; false when it is out of range. */
static bool round_entry(double *d, const fmpq_t x)
{
    ARF(t);

    if (fmpz_bits(fmpq_numref(x)) <= 53 && fmpz_bits(fmpq_denref(x)) <= 53) {
        *d = (double)fmpz_get_si(fmpq_numref(x)) / (double)fmpz_get_si(fmpq_denref(x));
        return true; /* two doubles, one rounding, and not far from 1 */
    }
    arf_set_fmpq(t, x, 53, ARF_RND_NEAR);
    *d = arf_get_d(t, ARF_RND_NEAR);
    return *d == 0 ? fmpq_is_zero(x)
                   : fabs(*d) < ldexp(1, RANGE) && fabs(*d) > ldexp(1, -RANGE);
}

static double *round_matrix(const attest_matrix *m)
{
    double *entry = attest_memory_alloc(m->rows * m->cols, sizeof *entry);
    bool fits = entry != NULL;
    FMPQ(x);

    for (size_t i = 0; fits && i < m->rows * m->cols; i++) {
        attest_matrix_get_entry(x, m, i / m->cols, i % m->cols);
        fits = round_entry(&entry[i], x);
    }
    if (!fits) {
        free(entry);
        return NULL;
    }
    return entry;
}

static bool head_init(double_head *head, const attest_head *from, size_t longest)
{
    size_t width = from->wq.rows, dim = from->wq.cols;

    head->width = width;
    head->wq = round_matrix(&from->wq);
    head->wk = round_matrix(&from->wk);
    head->wv = round_matrix(&from->wv);
    head->wo = round_matrix(&from->wo);
    head->key = attest_memory_alloc(longest * width, sizeof(double));
    head->query = attest_memory_alloc(longest * width, sizeof(double));
    head->query_bar = attest_memory_alloc(longest * width, sizeof(double));
    head->value = attest_memory_alloc(longest * dim, sizeof(double));
    head->key_most = attest_memory_alloc(width, sizeof(double));
    head->value_most = attest_memory_alloc(dim, sizeof(double));
    head->inner = attest_memory_alloc(2 * width, sizeof(double));
    return head->wq && head->wk && head->wv && head->wo && head->key && head->query &&
           head->query_bar && head->value && head->key_most && head->value_most && head->inner;
}

/* Sets the tokens as doubles, unless the dataset has them. */
static bool round_tokens(attest_recheck_double_eval *eval, const attest_dataset *dataset)
{
    const attest_tokens *tokens = &dataset->tokens;
    size_t entries = tokens->count * tokens->dim;
    bool fits = true;
    FMPQ(x);

    for (size_t i = 0; tokens->real && i < entries && fits; i++)
        fits = tokens->real[i] == 0 || (fabs(tokens->real[i]) < ldexp(1, RANGE) &&
                                        fabs(tokens->real[i]) > ldexp(1, -RANGE));
    if (tokens->real)
        return fits;
    eval->token = attest_memory_alloc(entries, sizeof *eval->token);
    for (size_t i = 0; eval->token && i < entries && fits; i++) {
        attest_tokens_get_entry(x, tokens, i / tokens->dim, i % tokens->dim);
        fits = round_entry(&eval->token[i], x);
    }
    return fits && eval->token;
}

attest_recheck_double_eval *attest_recheck_double_eval_new(const attest_recheck *check)
{
    attest_recheck_double_eval *eval = attest_memory_alloc(1, sizeof *eval);
    bool ok = eval != NULL;

    if (!ok)
        return NULL;
    eval->dim = check->dim;
    eval->heads = check->heads;
    eval->sequence = SIZE_MAX;
    eval->score = attest_memory_alloc(check->dataset->longest, sizeof *eval->score);
    eval->head = attest_memory_alloc(check->heads, sizeof *eval->head);
    eval->winner = attest_memory_alloc(check->heads, sizeof *eval->winner);
    ok = eval->score && eval->head && eval->winner && round_tokens(eval, check->dataset);
    for (size_t h = 0; ok && h < check->heads; h++)
        ok = head_init(&eval->head[h], &check->weights->head[h], check->dataset->longest);
    if (ok)
        return eval;
    attest_recheck_double_eval_free(eval);
    return NULL;
}

void attest_recheck_double_eval_free(attest_recheck_double_eval *eval)
{
    for (size_t h = 0; eval && eval->head && h < eval->heads; h++) {
        double_head *head = &eval->head[h];
        free(head->wq), free(head->wk), free(head->wv), free(head->wo);
        free(head->key), free(head->query), free(head->query_bar), free(head->value);
        free(head->key_most), free(head->value_most), free(head->inner);
    }
    if (eval) {
        free(eval->head);
        free(eval->winner);
        free(eval->token);
        free(eval->score);
    }
    free(eval);
}

/* y = m x, and bar = |m| |x|, entry by entry. */
static void apply(double *y, double *bar, const double *m, size_t rows, size_t cols,
                  const double *x, const double *x_bar)
{
    for (size_t r = 0; r < rows; r++) {
        double sum = 0, most = 0;
        for (size_t c = 0; c < cols; c++) {
            sum += m[r * cols + c] * x[c];
            most += fabs(m[r * cols + c]) * x_bar[c];
        }
        y[r] = sum;
        bar[r] = most;
    }
}

static const double *token_at(const attest_recheck_double_eval *eval,
                              const attest_dataset *dataset, size_t position)
{
    const double *table = eval->token ? eval->token : dataset->tokens.real;

    return table + dataset->token[position] * eval->dim;
}

/* Keys, queries and values of the sequence for one head. */
static void load_head(double_head *head, const attest_recheck_double_eval *eval,
                      const attest_dataset *dataset, double *bar)
{
    size_t width = head->width, dim = eval->dim, start = dataset->start[eval->sequence];
    size_t length = attest_dataset_length(dataset, eval->sequence);
    double *inner = head->inner, *inner_bar = head->inner + width, sum = 0;

    for (size_t r = 0; r < width; r++)
        head->key_most[r] = 0;
    for (size_t c = 0; c < dim; c++)
        head->value_most[c] = 0;
    for (size_t j = 0; j < length; j++) {
        const double *x = token_at(eval, dataset, start + j);
        for (size_t c = 0; c < dim; c++)
            bar[c] = fabs(x[c]);
        apply(head->query + j * width, head->query_bar + j * width, head->wq, width, dim, x,
              bar);
        apply(head->key + j * width, inner_bar, head->wk, width, dim, x, bar);
        for (size_t r = 0; r < width; r++)
            head->key_most[r] = fmax(head->key_most[r], inner_bar[r]);
        apply(inner, inner_bar, head->wv, width, dim, x, bar);
        apply(head->value + j * dim, bar, head->wo, dim, width, inner, inner_bar);
        for (size_t c = 0; c < dim; c++)
            head->value_most[c] = fmax(head->value_most[c], bar[c]);
    }
    for (size_t c = 0; c < dim; c++)
        sum += head->value_most[c] * head->value_most[c];
    head->value_norm = sqrt(sum);
}

/* E: bound on the error of a score, where |W_K x| . |W_Q x| with absolute values is at most
 * most. */
static double score_error(size_t width, size_t dim, double most)
{
    return (ATTEST_TERM(quick_score_width, (double)width) +
            ATTEST_TERM(quick_score_dim, 2 * (double)dim) +
            ATTEST_TERM(quick_score_entries, 4)) *
           unit * most;
}

/* Bound on the error of a value, over value_norm. */
static double value_error(size_t width, size_t dim)
{
    return (ATTEST_TERM(quick_value_width, (double)width) +
            ATTEST_TERM(quick_value_dim, (double)dim) + ATTEST_TERM(quick_value_entries, 3)) *
           unit;
}

/* Bound on the mean relative error of the weights. */
static double weight_error(double error)
{
    return ATTEST_TERM(quick_weight_scores, error) +
           ATTEST_TERM(quick_weight_roundings, 32 * unit + ATTEST_RECHECK_EXP_ERROR);
}

/* Bound on the error of an average of seen values, over value_norm. */
static double average_error(double error, size_t seen)
{
    return ATTEST_TERM(quick_average_weights, weight_error(error)) +
           ATTEST_TERM(quick_average_sums, ((double)seen + 1) * unit);
}

/* Scores of query k; returns the place of the largest, and *error bounds the error of each. */
static size_t get_scores(attest_recheck_double_eval *eval, double *error,
                         const double_head *head, size_t k, size_t seen)
{
    const double *query = head->query + k * head->width;
    size_t best = 0;
    double most = 0;

    for (size_t j = 0; j < seen; j++) {
        double sum = 0;
        for (size_t r = 0; r < head->width; r++)
            sum += head->key[j * head->width + r] * query[r];
        eval->score[j] = sum;
        best = sum > eval->score[best] ? j : best;
    }
    for (size_t r = 0; r < head->width; r++)
        most += head->key_most[r] * head->query_bar[k * head->width + r];
    *error = score_error(head->width, eval->dim, most);
    return best;
}

/* Replaces scores by weights, relative to that of the largest score; returns their sum. */
static double set_weights(attest_recheck_double_eval *eval, size_t best, size_t seen)
{
    double most = eval->score[best], total = 0;

    for (size_t j = 0; j < seen; j++) {
        double x = eval->score[j] - most;
        /* Weights below e^-700 count as 0, an error of less than 2^-1000. */
        eval->score[j] = x < -700 ? 0 : attest_recheck_exp(x);
        total += eval->score[j];
    }
    return total;
}

/* Adds the softmax average. */
static void add_average(double *out, attest_recheck_double_eval *eval, const double_head *head,
                        size_t best, size_t seen)
{
    size_t dim = eval->dim;
    double total = set_weights(eval, best, seen);

    for (size_t j = 0; j < seen; j++) {
        double share = eval->score[j] / total;
        const double *value = head->value + j * dim;
        for (size_t c = 0; c < dim && share > 0; c++)
            out[c] += share * value[c];
    }
}

/* Adds the value of the winning key; false if another token's score is too close. */
static bool add_winner(double *out, const attest_recheck_double_eval *eval,
                       const double_head *head, const uint32_t *token, size_t best,
                       double error, size_t seen)
{
    for (size_t j = 0; j < seen; j++)
        if (token[j] != token[best] &&
            !(eval->score[best] - eval->score[j] > ATTEST_TERM(quick_winner, 2 * error)))
            return false;
    for (size_t c = 0; c < eval->dim; c++)
        out[c] += head->value[best * eval->dim + c];
    return true;
}

bool attest_recheck_double_eval_get(double *out, double *error,
                                    attest_recheck_double_eval *eval,
                                    const attest_recheck *check, size_t position)
{
    const attest_dataset *dataset = check->dataset;
    size_t sequence = attest_recheck_sequence(check, position), dim = eval->dim;
    size_t start = dataset->start[sequence], seen = attest_recheck_seen(check, position);
    const double *x = token_at(eval, dataset, position);
    double size = 0, bound = 0;
    bool decided = true;

    if (eval->sequence != sequence) {
        eval->sequence = sequence;
        for (size_t h = 0; h < eval->heads; h++)
            load_head(&eval->head[h], eval, dataset, out);
    }
    for (size_t c = 0; c < dim; c++) {
        size_t from = attest_weights_skip_entry(check->weights, c);

        out[c] = from == SIZE_MAX ? 0 : x[from];
        size += out[c] * out[c];
    }
    size = sqrt(size);
    for (size_t h = 0; h < eval->heads && decided; h++) {
        const double_head *head = &eval->head[h];
        double own, part = value_error(head->width, dim);
        size_t best = get_scores(eval, &own, head, position - start, seen);
        if (check->weights->activation == ATTEST_HARDMAX) {
            decided =
                head->value_norm == 0 || /* all values are 0: the winner does not matter */
                add_winner(out, eval, head, dataset->token + start, best, own, seen);
            eval->winner[h] = head->value_norm > 0 ? dataset->token[start + best] : UINT32_MAX;
        } else {
            decided = own < 0x1p-20;
            part += average_error(own, seen);
            if (decided)
                add_average(out, eval, head, best, seen);
        }
        bound += part * head->value_norm;
        size += head->value_norm;
    }
    /* Every sum out[c] of seen terms a head, and the token's own rounding. */
    *error = ATTEST_TERM(quick_values, bound) +
             ATTEST_TERM(quick_sums, ((double)eval->heads * (double)seen +
                                      ATTEST_TERM(quick_sums_token, 1)) *
                                         unit * size);
    return decided && *error < INFINITY;
}

const uint32_t *attest_recheck_double_eval_winners(const attest_recheck_double_eval *eval)
{
    return eval->winner;
}

enum { BITS = 96, PART = 512 /* positions that a worker takes at a time */ };

/* Exponents are kept within +-LIMIT: far beyond those of files, and their differences fit. */
#define LIMIT ((slong)1 << 40)
#define OPEN WORD_MAX

/* Raises *exponent, which is at least -LIMIT, until |x| < 2^*exponent on the whole ball; false
 * when that is not possible up to LIMIT, or the ball is not finite. */
static bool raise_exponent(slong *exponent, const arb_t x)
{
    bool fits;
    MAG(bound);

    arb_get_mag(bound, x);
    fits = arb_is_finite(x) && mag_cmp_2exp_si(bound, LIMIT) < 0;
    if (fits && mag_cmp_2exp_si(bound, *exponent) >= 0)
        *exponent = fmpz_get_si(MAG_EXPREF(bound)); /* bound < 2^its exponent */
    return fits;
}

/* x = the balls' midpoints divided by 2^own; returns the sum of their errors, which is at least
 * the Euclidean error. An output that does not fit becomes 0 with an infinite error, which
 * makes it near to every other. */
static double set_from_balls(double *x, slong *own, arb_srcptr out, size_t dim)
{
    double error = 0;
    bool fits = true;
    ARF(scaled);
    MAG(radius);

    *own = -LIMIT;
    for (size_t c = 0; c < dim && fits; c++)
        fits = raise_exponent(own, out + c);
    for (size_t c = 0; c < dim && fits; c++) {
        arf_mul_2exp_si(scaled, arb_midref(out + c), -*own);
        x[c] = arf_get_d(scaled, ARF_RND_NEAR); /* an error of 2^-54 at most */
        assert(fabs(x[c]) <= 1);
        mag_mul_2exp_si(radius, arb_radref(out + c), -*own);
        error += ATTEST_TERM(sketch_radius, mag_get_d(radius)) +
                 ATTEST_TERM(sketch_rounding, 0x1p-54);
    }
    *own = fits ? *own : -LIMIT;
    return fits ? error * (1 + ATTEST_TERM(sketch_sums, (double)dim * 0x1p-52)) : INFINITY;
}

static void evaluate_in_balls(attest_recheck *check, size_t p, arb_ptr out, slong *own)
{
    attest_recheck_enclose(out, check, p, BITS);
    check->error[p] = set_from_balls(check->output + p * check->dim, own, out, check->dim);
}

/* Divides doubles that are not all 0 by 2^own, which is their exponent; returns their error,
 * divided likewise. */
static double set_from_doubles(double *x, slong *own, double most, double error, size_t dim)
{
    int exponent;

    (void)frexp(most, &exponent); /* most < 2^exponent */
    for (size_t c = 0; c < dim; c++)
        x[c] = ldexp(x[c], -exponent); /* what underflows is counted below */
    *own = exponent;
    return ldexp(error, -exponent) + ATTEST_TERM(sketch_underflow, (double)dim * 0x1p-1000);
}

/* Evaluates a position in doubles; false if their error is too large to be of use. */
static bool evaluate_in_doubles(attest_recheck *check, size_t p,
                                attest_recheck_double_eval *eval, slong *own)
{
    double *x = check->output + p * check->dim, most = 0, error;

    if (!eval || !attest_recheck_double_eval_get(x, &error, eval, check, p))
        return false;
    for (size_t c = 0; c < check->dim; c++)
        most = fmax(most, fabs(x[c]));
    if (!(error < most * 0x1p-20))
        return false;
    check->error[p] = set_from_doubles(x, own, most, error, check->dim);
    return true;
}

/* The state of a worker; each has its own out and eval once it is forked. */
typedef struct evaluation {
    attest_recheck *check;
    attest_recheck_double_eval *eval;
    arb_ptr out;
    slong *own; /* by position: its exponent, or OPEN; shared */
    bool open;  /* second pass: the positions that doubles left open */
    pid_t parent;
} evaluation;

static bool evaluate_part(void *context, size_t part)
{
    evaluation *s = context;
    attest_recheck *check = s->check;
    size_t end = (part + 1) * PART;
    bool reports = getpid() == s->parent;

    for (size_t p = part * PART; p < end && p < check->positions; p++) {
        if (!s->open && !evaluate_in_doubles(check, p, s->eval, &s->own[p]))
            s->own[p] = OPEN;
        else if (s->open && s->own[p] == OPEN)
            evaluate_in_balls(check, p, s->out, &s->own[p]);
        if (reports)
            attest_progress_report(&check->progress, "positions", p + 1, check->positions,
                                   NULL);
    }
    return true;
}

/* Evaluates in doubles first, then the open positions in balls. The work of these is taken
 * before workers share it, so that the result does not depend on their number. */
static attest_status evaluate_all(evaluation *s, size_t jobs, attest_error *error)
{
    attest_recheck *check = s->check;
    size_t parts = (check->positions + PART - 1) / PART, open = 0;

    ATTEST_TRY(attest_workers_run(evaluate_part, s, parts, jobs, error));
    for (size_t p = 0; p < check->positions; p++) {
        if (s->own[p] != OPEN)
            continue;
        if (!attest_recheck_afford(check, p, BITS))
            return attest_error_set(
                error, ATTEST_UNABLE,
                "doubles leave outputs open, and the " ATTEST_HINT_WORK_DONE);
        open++;
    }
    s->open = true;
    return open > 0 ? attest_workers_run(evaluate_part, s, parts, jobs, error) : ATTEST_OK;
}

/* Brings all positions to one exponent. */
static void finish(attest_recheck *check, const slong *own)
{
    check->exponent = -LIMIT;
    for (size_t p = 0; p < check->positions; p++)
        check->exponent = own[p] > check->exponent ? own[p] : check->exponent;
    for (size_t p = 0; p < check->positions; p++) {
        slong shift = own[p] - check->exponent;
        int e = shift < -3000 ? -3000 : (int)shift;
        for (size_t c = 0; c < check->dim; c++)
            check->output[p * check->dim + c] = ldexp(check->output[p * check->dim + c], e);
        /* After an underflow, each entry may be off by 2^-1074. */
        check->error[p] = ldexp(check->error[p], e) +
                          ATTEST_TERM(finish_underflow, (double)check->dim * 0x1p-1000);
    }
}

static void evaluation_clear(evaluation *s)
{
    attest_recheck_double_eval_free(s->eval);
}

attest_status attest_recheck_make_doubles(attest_recheck *check, attest_error *error)
{
    size_t jobs = check->jobs > 1 && check->positions > 4 * PART ? check->jobs : 1;
    evaluation s ATTEST_CLEARED_BY(evaluation_clear) = {.check = check, .parent = getpid()};
    ATTEST_WORKERS(slong, own, check->positions, jobs);
    ARB_VEC(out, (slong)check->dim);

    check->double_jobs = jobs;
    check->output =
        attest_workers_alloc(check->positions * check->dim, sizeof *check->output, jobs);
    check->error = attest_workers_alloc(check->positions, sizeof *check->error, jobs);
    if (!own || !check->output || !check->error)
        return attest_memory_fail(error);
    s.own = own;
    s.out = out;
    s.eval = attest_recheck_double_eval_new(check);
    ATTEST_PROGRESS_STAGE(progress, &check->progress);
    attest_progress_report(progress, "positions", 0, check->positions, NULL);
    ATTEST_TRY(evaluate_all(&s, jobs, error));
    finish(check, own);
    return ATTEST_OK;
}

void attest_recheck_clear_doubles(attest_recheck *check)
{
    attest_workers_free(check->output, check->positions * check->dim, sizeof *check->output,
                        check->double_jobs);
    attest_workers_free(check->error, check->positions, sizeof *check->error,
                        check->double_jobs);
    check->output = check->error = NULL;
}

double attest_recheck_scale(const attest_recheck *check, const arf_t x, int sign)
{
    ARF(t);

    arf_mul_2exp_si(t, x, -check->exponent);
    return arf_get_d(t, sign < 0 ? ARF_RND_FLOOR : ARF_RND_CEIL);
}

bool attest_recheck_may_reach(const attest_recheck *check, size_t a, double x)
{
    const double *p = check->output + a * check->dim;
    double s = 0;

    for (size_t c = 0; c < check->dim; c++)
        s += p[c] * p[c];
    /* dim roundings by 2^-53 of the sum, halved by the root, and 5 more; squares that underflow
     * lose at most dim 2^-1074. */
    s = (sqrt(s) + ATTEST_TERM(norm_error, check->error[a])) *
            (1 + ATTEST_TERM(norm_sums, (0.5 * (double)check->dim + 8) * 0x1p-53)) +
        ATTEST_TERM(norm_underflow, 0x1p-500);
    return !(s < x);
}
