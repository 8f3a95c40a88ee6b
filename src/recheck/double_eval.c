/* double_eval.c -- outputs in doubles with bounds on their errors. */
#include "recheck/double_eval.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/term.h"
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

/* y = m x, and bar = the same with absolute values. */
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
    bool told = true;

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
    for (size_t h = 0; h < eval->heads && told; h++) {
        const double_head *head = &eval->head[h];
        double own, part = value_error(head->width, dim);
        size_t best = get_scores(eval, &own, head, position - start, seen);
        if (check->weights->activation == ATTEST_HARDMAX) {
            told = head->value_norm == 0 || /* all values are 0: the winner does not matter */
                   add_winner(out, eval, head, dataset->token + start, best, own, seen);
            eval->winner[h] = head->value_norm > 0 ? dataset->token[start + best] : UINT32_MAX;
        } else {
            told = own < 0x1p-20;
            part += average_error(own, seen);
            if (told)
                add_average(out, eval, head, best, seen);
        }
        bound += part * head->value_norm;
        size += head->value_norm;
    }
    /* Every sum out[c] of seen terms a head, and the token's own rounding. */
    *error = ATTEST_TERM(quick_values, bound) +
             ATTEST_TERM(quick_sums, ((double)eval->heads * (double)seen + 1) * unit * size);
    return told && *error < INFINITY;
}

const uint32_t *attest_recheck_double_eval_winners(const attest_recheck_double_eval *eval)
{
    return eval->winner;
}
