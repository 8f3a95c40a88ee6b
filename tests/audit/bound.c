/* The a priori bound, term by term: written once more from proofs-notes/audit.md, for one dense
 * head and dyadic data, without the slips and outward factors of the code. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "audit/bound_head.h"
#include "base/workers.h"
#include "tests/ref/audit_cases.h"

enum { MOST = 8 };

/* A vector of the exact layer: values, sizes from above, errors over u. */
typedef struct traced {
    double value[MOST], size[MOST], error[MOST];
} traced;

static double entry_of(const attest_matrix *m, size_t r, size_t c)
{
    fmpq_t x;
    double value;

    fmpq_init(x);
    attest_matrix_get_entry(x, m, r, c);
    value = fmpq_get_d(x);
    fmpq_clear(x);
    return value;
}

/* The numbers computed for one position's bound, and the largest of them. */
typedef struct trace {
    const attest_audit_model *model;
    double need, variation;
} trace;

/* G(k) of the note. */
static double growth(const attest_audit_model *m, double k)
{
    double g = pow(1 + m->u_sum, k) * (m->accumulates ? 1 + m->u : 1) - 1;
    double cap =
        (1 + 2 * m->u_sum) * (m->accumulates ? 1 + m->u : 1) + (m->accumulates ? m->u : 0);

    return (m->capped ? fmin(g, cap) : g) / m->u;
}

static double roundings(const attest_audit_model *m, size_t t)
{
    return m->pairwise ? 2 + ceil(log2((double)t + 1)) : (double)t;
}

/* Products, and the sum of an accumulator, that may underflow. */
static double losses(const attest_audit_model *m, size_t t)
{
    return (double)t + (m->accumulates ? 1 : 0);
}

static void need(trace *t, double number)
{
    t->need = fmax(t->need, number);
}

/* Step 2. */
static void apply(traced *y, const attest_matrix *m, const traced *x, trace *t)
{
    double u = t->model->u, tau = t->model->tiny;
    double g = growth(t->model, roundings(t->model, m->cols));

    for (size_t r = 0; r < m->rows; r++) {
        double carried = 0, rounded = 0, total = 0;
        y->value[r] = 0;
        y->size[r] = 0;
        for (size_t c = 0; c < m->cols; c++) {
            double w = entry_of(m, r, c), computed = x->size[c] + u * x->error[c];
            y->value[r] += w * x->value[c];
            y->size[r] += fabs(w) * x->size[c];
            carried += fabs(w) * x->error[c];
            rounded += (fabs(w) + tau) * computed;
            total += (fabs(w) * (1 + u) + u * tau) * computed;
        }
        y->error[r] = carried + rounded + g * total +
                      losses(t->model, m->cols) * tau * (1 + u) * (1 + u * g);
        need(t, (y->size[r] + u * y->error[r]) * (1 + u * g));
    }
}

/* Replaces the size, a sum of sizes, by that of the value itself, where it is known. */
static void know_value(traced *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x->size[i] = fabs(x->value[i]);
}

static traced read_token(const attest_dataset *dataset, size_t i, size_t k, double tau)
{
    traced x;
    fmpq_t entry;

    fmpq_init(entry);
    for (size_t c = 0; c < dataset->dim; c++) {
        attest_tokens_get_entry(entry, &dataset->tokens, attest_dataset_token(dataset, i, k),
                                c);
        x.value[c] = fmpq_get_d(entry);
        x.size[c] = fabs(x.value[c]);
        x.error[c] = x.size[c] + tau;
    }
    fmpq_clear(entry);
    return x;
}

/* Step 3. */
static void score_keys(double *score, double *error, const traced *key, const traced *query,
                       size_t n, size_t s, trace *t)
{
    double u = t->model->u, g = growth(t->model, roundings(t->model, s));

    for (size_t j = 0; j < n; j++) {
        double computed = 0;

        score[j] = 0;
        error[j] = losses(t->model, s) * t->model->tiny * (1 + u * g);
        for (size_t c = 0; c < s; c++) {
            double p = key[j].size[c], q = query->size[c];
            double ep = key[j].error[c], eq = query->error[c];
            score[j] += key[j].value[c] * query->value[c];
            error[j] += p * eq + q * ep + u * ep * eq;
            computed += (p + u * ep) * (q + u * eq);
        }
        error[j] += g * computed;
        need(t, computed * (1 + u * g));
    }
}

/* Weights, and weights times relative errors over u. */
typedef struct weighed {
    double weight[MOST], spread[MOST], spreads, lost, peak;
} weighed;

/* Step 4. */
static weighed weigh(const double *score, const double *error, size_t n, size_t blocks,
                     trace *t)
{
    const attest_audit_model *m = t->model;
    double u = m->u, top = -INFINITY, most = 0, total = 0, scale;
    double factors = pow(1 + u, 1 + 2 * ((double)blocks - 1));
    weighed w = {.spreads = 0, .peak = 1};

    for (size_t j = 0; j < n; j++) {
        top = fmax(top, score[j]);
        most = fmax(most, error[j]);
    }
    for (size_t j = 0; j < n; j++)
        total += exp(score[j] - top);
    for (size_t j = 0; j < n; j++) {
        double distance = top - score[j] + u * most + u * error[j];
        double power = u * (error[j] + (m->shifted ? distance + m->tiny : 0));

        if (m->shifted)
            need(t, distance * (1 + u));
        w.weight[j] = exp(score[j] - top) / total;
        w.spread[j] = power < 1 /* else the 1 does not matter, but weights may be 0 */
                          ? w.weight[j] * (exp(power) * factors - 1) / u
                          : exp(score[j] - top + power) / total * factors / u;
        w.spreads += w.spread[j];
    }
    scale = m->shifted ? exp(-u * most) : exp(top - u * most) * total;
    w.lost = m->tiny * (double)n * 2 * (double)blocks / scale;
    if (!m->shifted)
        w.peak = exp(top + u * most);
    return w;
}

/* Steps 5 and 6. */
static void mix(traced *mean, const weighed *w, const traced *value, size_t n, size_t width,
                size_t blocks, trace *t)
{
    const attest_audit_model *m = t->model;
    double u = m->u, g = growth(m, roundings(m, n) + (double)blocks), sigma;

    if (m->online_block > 0)
        g = ((1 + u * g) * pow(1 + u, 2 * (double)blocks) - 1) / u;
    sigma = w->spreads + w->lost + g * (1 + u * (w->spreads + w->lost));
    t->variation =
        u * sigma < 0.5 ? u * (w->spreads + w->lost + sigma) / (2 * (1 - u * sigma)) : INFINITY;
    for (size_t c = 0; c < width; c++) {
        double sum = 0, most = 1, plain = 0, size = 0;

        for (size_t j = 0; j < n; j++) {
            double computed = value[j].size[c] + u * value[j].error[c];
            size += w->weight[j] * value[j].size[c];
            sum += w->spread[j] * computed + w->weight[j] * value[j].error[c] +
                   g * (w->weight[j] + u * w->spread[j]) * computed;
            most = fmax(most, computed);
            plain += computed + u * m->tiny;
        }
        sum += 2 * w->lost * (1 + u * g) * most;
        mean->value[c] = 0;
        mean->size[c] = size;
        mean->error[c] = u * sigma < 0.5
                             ? (sum + size * sigma) / (1 - u * sigma) * (1 + u) + size + m->tiny
                             : INFINITY;
        if (m->capped && m->shifted)
            mean->error[c] =
                fmin(mean->error[c], (size + plain * (1 + u * g) * (1 + u)) / u + m->tiny);
        need(t, w->peak * (double)n * most * (1 + u * g) * 4);
    }
}

/* All steps for one position. */
static void bound_position(double *error, const attest_dataset *dataset, const attest_head *h,
                           size_t i, size_t k, trace *t)
{
    size_t n = attest_dataset_length(dataset, i), s = h->wq.rows;
    size_t block = t->model->online_block, blocks = block ? (n + block - 1) / block : 1;
    double score[MOST], off[MOST], u = t->model->u;
    traced x = read_token(dataset, i, k, t->model->tiny), key[MOST], value[MOST], query, mean,
           result;
    weighed w;

    apply(&query, &h->wq, &x, t);
    know_value(&query, s);
    for (size_t j = 0; j < n; j++) {
        traced token = read_token(dataset, i, j, t->model->tiny);
        apply(&key[j], &h->wk, &token, t);
        apply(&value[j], &h->wv, &token, t);
        know_value(&key[j], s);
        know_value(&value[j], s);
    }
    score_keys(score, off, key, &query, n, s, t);
    w = weigh(score, off, n, blocks, t);
    mix(&mean, &w, value, n, s, blocks, t);
    apply(&result, &h->wo, &mean, t);
    for (size_t c = 0; c < dataset->dim; c++) {
        error[c] = (x.error[c] + result.error[c]) * (1 + u) + x.size[c] + result.size[c];
        need(t, x.size[c] + result.size[c] + u * error[c]);
    }
}

/* What an arithmetic changes in the plain one. */
typedef struct kind {
    const char *name;
    long bits;
    double tiny;
    bool accumulates, pairwise, naive, online, capped;
} kind;

static void model_init(attest_audit_model *model, const kind *k)
{
    attest_format format = {.precision = k->bits};
    attest_simulated_arithmetic a;

    attest_simulated_arithmetic_init(&a, &format);
    attest_audit_model_init(model, &a);
    model->tiny = k->tiny;
    model->accumulates = k->accumulates;
    model->u_sum = k->accumulates ? model->u / 8 : model->u;
    model->pairwise = k->pairwise;
    model->shifted = !k->naive;
    model->online_block = k->online ? 2 : 0;
    model->capped = k->capped;
}

typedef struct found {
    size_t entries, wrong;
    double least, most;
} found;

static void compare(found *f, double got, double wanted)
{
    if (!isfinite(got) || !isfinite(wanted)) {
        f->wrong += isfinite(got) != isfinite(wanted);
    } else if (wanted > 0) {
        f->entries++;
        f->least = fmin(f->least, got / wanted);
        f->most = fmax(f->most, got / wanted);
    }
}

/* Returns whether the bound of position p is finite in a format with this largest number. */
static bool is_finite_below(double most, size_t p, double *norm,
                            const attest_audit_request *request, attest_audit_model model)
{
    model.most = most;
    if (attest_audit_bound(norm, NULL, request, &model, NULL) != ATTEST_OK)
        abort();
    return isfinite(norm[p]);
}

static void compare_position(found *f, const double *entry, const double *variation,
                             double *norm, size_t i, size_t k, const audit_case *test,
                             const attest_audit_request *request,
                             const attest_audit_model *model)
{
    size_t p = test->dataset.start[i] + k;
    trace t = {.model = model};
    double error[MOST];

    bound_position(error, &test->dataset, &test->layer.weights.head[0], i, k, &t);
    for (size_t c = 0; c < 3; c++)
        compare(f, entry[p * 3 + c], error[c]);
    compare(f, variation[p], t.variation);
    if (k == 0 && isfinite(t.need) && isfinite(error[0] + error[1] + error[2]))
        f->wrong += !is_finite_below(t.need * (1 + 1e-4), p, norm, request, *model) ||
                    is_finite_below(t.need * (1 - 1e-6), p, norm, request, *model);
}

/* Every bound is at least the note's, at most slightly larger, and finite up to the largest
 * number. */
static void test_transcription(const kind *of, uint64_t *state)
{
    const ref_shape shape = {1, 3, 2, 5, of->tiny > 0 ? 1 : 3, 1, false};
    found f = {.least = INFINITY};

    for (int trial = 0; trial < 40; trial++) {
        attest_audit_model model;
        attest_audit_request request;
        audit_case test;
        double *norm, *entry, *variation;
        audit_case_init(&test, &shape, 4, 5, state);
        model_init(&model, of);
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        norm = attest_shared_alloc(test.dataset.total, sizeof *norm);
        variation = attest_shared_alloc(test.dataset.total, sizeof *norm);
        entry = attest_shared_alloc(test.dataset.total * 3, sizeof *entry);
        if (attest_audit_bound(norm, entry, &request, &model, NULL) != ATTEST_OK ||
            attest_audit_bound_weights(variation, &request, &model, NULL) != ATTEST_OK)
            abort();
        for (size_t i = 0; i < test.dataset.count; i++)
            for (size_t k = 0; k < attest_dataset_length(&test.dataset, i); k++)
                compare_position(&f, entry, variation, norm, i, k, &test, &request, &model);
        attest_shared_free(norm, test.dataset.total, sizeof *norm);
        attest_shared_free(variation, test.dataset.total, sizeof *norm);
        attest_shared_free(entry, test.dataset.total * 3, sizeof *entry);
        audit_case_clear(&test);
    }
    TAP_OK(f.entries > 200 && f.wrong == 0 && f.least > 1 - 1e-9 && f.most < 1 + 1e-4,
           "%s: %zu bounds as the note has them, ratios %.12g to %.12g, %zu wrong", of->name,
           f.entries, f.least, f.most, f.wrong);
}

/* Hardmax of n equal tokens: all of them win, and D = 0. With leftmost ties the first is the
 * only winner. */
static void bound_alike(double *error, const traced *x, const attest_head *h, size_t n,
                        trace *t)
{
    bool accumulates = t->model->accumulates;
    double u = t->model->u, tau = t->model->tiny,
           g = growth(t->model, (double)n - (accumulates ? 0 : 1)),
           factor = (1 + u * g) / (1 - u * g);
    traced value, mean, result;

    apply(&value, &h->wv, x, t);
    know_value(&value, h->wv.rows);
    for (size_t c = 0; c < h->wv.rows; c++) {
        double most = value.size[c] + u * value.error[c];

        mean.value[c] = 0;
        mean.size[c] = value.size[c];
        mean.error[c] = value.error[c] + g * most + g * most * factor +
                        (n > 1 ? most * factor + tau : 0) + (accumulates ? 2 * tau : 0);
    }
    apply(&result, &h->wo, &mean, t);
    for (size_t c = 0; c < h->wo.rows; c++)
        error[c] = (x->error[c] + result.error[c]) * (1 + u) + x->size[c] + result.size[c];
}

static void test_winners(const kind *of, uint64_t *state)
{
    const ref_shape shape = {1, 3, 2, 5, 3, 1, false};
    double least = INFINITY, most = 0;

    for (int trial = 0; trial < 20; trial++) {
        size_t n = 1 + (size_t)trial % 5;
        attest_dataset_builder builder;
        attest_audit_model model;
        attest_audit_request request;
        attest_dataset alike;
        audit_case test;
        traced x;
        double *norm, *entry, error[MOST];
        audit_case_init(&test, &shape, 4, 5, state);
        test.layer.weights.activation = ATTEST_HARDMAX;
        test.layer.weights.ties = trial < 10 ? ATTEST_TIES_UNIFORM : ATTEST_TIES_LEFTMOST;
        model_init(&model, of);
        x = read_token(&test.dataset, 0, 0, model.tiny);
        attest_dataset_init(&alike);
        attest_dataset_builder_init(&builder, 3, ATTEST_TABLE_REAL, NULL);
        for (size_t k = 0; k < n; k++)
            if (attest_dataset_builder_add_doubles(&builder, x.value, 1, NULL) != ATTEST_OK)
                abort();
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
            attest_dataset_builder_finish(&alike, &builder, NULL) != ATTEST_OK)
            abort();
        attest_dataset_builder_clear(&builder);
        attest_audit_request_init(&request, &alike, &test.layer.weights);
        norm = attest_shared_alloc(n, sizeof *norm);
        entry = attest_shared_alloc(n * 3, sizeof *entry);
        if (attest_audit_bound(norm, entry, &request, &model, NULL) != ATTEST_OK)
            abort();
        bound_alike(error, &x, test.layer.weights.head, trial < 10 ? n : 1,
                    &(trace){.model = &model});
        for (size_t c = 0; c < 3; c++) {
            if (error[c] == 0)
                continue;
            least = fmin(least, entry[c] / error[c]);
            most = fmax(most, entry[c] / error[c]);
        }
        attest_shared_free(norm, n, sizeof *norm);
        attest_shared_free(entry, n * 3, sizeof *entry);
        attest_dataset_clear(&alike);
        audit_case_clear(&test);
    }
    TAP_OK(least > 1 - 1e-9 && most < 1 + 1e-4,
           "hardmax, %s: 20 bounds as the note has them, ratios %.12g to %.12g", of->name,
           least, most);
}

/* The bound of one token of 1/8 in a layer of one entry whose matrices are 1/8, if the largest
 * number of the format is most. */
static double bound_within(double most, uint64_t *state)
{
    const ref_shape shape = {1, 1, 1, 1, 1, 1, false};
    attest_format format = {.precision = 24};
    double eighth = 0.125, *norm = attest_shared_alloc(1, sizeof *norm), result;
    attest_dataset_builder builder;
    attest_simulated_arithmetic a;
    attest_audit_model model;
    attest_audit_request request;
    attest_dataset dataset;
    attest_head *head;
    ref_case layer;

    ref_case_init(&layer, &shape, state);
    layer.weights.activation = ATTEST_HARDMAX;
    head = &layer.weights.head[0];
    for (int i = 0; i < 4; i++) {
        attest_matrix *m = (attest_matrix *[]){&head->wq, &head->wk, &head->wv, &head->wo}[i];

        attest_matrix_clear(m);
        attest_matrix_init(m);
        attest_matrix_resize(m, 1, 1);
        fmpz_set_ui(m->denominator, 8);
        fmpz_one(m->entry);
    }
    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    if (attest_dataset_builder_add_doubles(&builder, &eighth, 1, NULL) != ATTEST_OK ||
        attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    attest_simulated_arithmetic_init(&a, &format);
    attest_audit_model_init(&model, &a);
    model.most = most;
    attest_audit_request_init(&request, &dataset, &layer.weights);
    if (attest_audit_bound(norm, NULL, &request, &model, NULL) != ATTEST_OK)
        abort();
    result = *norm;
    attest_shared_free(norm, 1, sizeof *norm);
    attest_dataset_clear(&dataset);
    ref_case_clear(&layer);
    return result;
}

/* A mean divides by a number of winners, here 1: it must be a number, rounded outward once. */
static void test_largest(uint64_t *state)
{
    TAP_OK(isfinite(bound_within(2, state)) && isfinite(bound_within(OUTWARD, state)) &&
               isinf(bound_within(nextafter(OUTWARD, 0), state)) &&
               isinf(bound_within(0.5, state)),
           "hardmax: formats that have the number 1, just, or not");
}

/* m = the entries over a denominator. */
static void set_matrix(attest_matrix *m, size_t rows, size_t cols, const int *entry,
                       ulong denominator)
{
    attest_matrix_clear(m);
    attest_matrix_init(m);
    attest_matrix_resize(m, rows, cols);
    fmpz_set_ui(m->denominator, denominator);
    for (size_t i = 0; i < rows * cols; i++)
        fmpz_set_si(m->entry + i, entry[i]);
}

/* Three tokens, one entry of which has a denominator, and what else a bound depends on. */
typedef struct tie {
    ulong key, query, token; /* denominators */
    slong entry[3][3];
    long precision;
    double most; /* the largest number; 0: there is none */
    bool no_keys;
    size_t first; /* the token that stands first, the others follow in turn */
} tie;

/* Builds a sequence of the three tokens, and one of the token 0. */
static void tie_tokens(attest_dataset *dataset, const tie *t)
{
    fmpq *entry = _fmpq_vec_init(3);
    attest_dataset_builder builder;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 3, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t k = 0; k < 3; k++) {
        size_t from = (t->first + k) % 3;

        for (int c = 0; c < 3; c++)
            fmpq_set_si(entry + c, t->entry[from][c], c == 1 && from == 1 ? t->token : 1);
        if (attest_dataset_builder_add_token(&builder, entry, NULL) != ATTEST_OK)
            abort();
    }
    for (int c = 0; c < 3; c++)
        fmpq_zero(entry + c);
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_add_token(&builder, entry, NULL) != ATTEST_OK ||
        attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(entry, 3);
}

/* Keys see the first entry only, and the least of them wins: the query turns the sign. Values
 * are the sum of the other two. The keys of the second of two heads have one bit more. */
static void tie_layer(ref_case *layer, const tie *t, uint64_t *state)
{
    const ref_shape shape = {2, 3, 2, 1, 3, 1, false};
    const int key[2][6] = {{7}, {15}}, query[6] = {-3}, value[6] = {0, 1, 1}, output[6] = {1};
    const int none[6] = {0};

    ref_case_init(layer, &shape, state);
    layer->weights.activation = ATTEST_HARDMAX;
    for (size_t h = 0; h < 2; h++) {
        attest_head *head = &layer->weights.head[h];

        set_matrix(&head->wk, 2, 3, t->no_keys ? none : key[h], t->key);
        set_matrix(&head->wq, 2, 3, query, t->query);
        set_matrix(&head->wv, 2, 3, value, 1);
        set_matrix(&head->wo, 3, 2, output, 1);
    }
}

/* Returns the bound of the first position if integers of exact_bits bits are exact. */
static double bound_of_tie(tie t, long exact_bits, uint64_t *state)
{
    attest_format format = {.precision = t.precision};
    double *norm = attest_shared_alloc(4, sizeof *norm), result;
    attest_simulated_arithmetic a;
    attest_audit_model model;
    attest_audit_request request;
    attest_dataset dataset;
    ref_case layer;

    tie_layer(&layer, &t, state);
    tie_tokens(&dataset, &t);
    attest_simulated_arithmetic_init(&a, &format);
    attest_audit_model_init(&model, &a);
    model.exact_bits = exact_bits;
    model.most = t.most > 0 ? t.most : model.most;
    attest_audit_request_init(&request, &dataset, &layer.weights);
    if (attest_audit_bound(norm, NULL, &request, &model, NULL) != ATTEST_OK)
        abort();
    result = ldexp(norm[0], -(int)model.unit_bits);
    attest_shared_free(norm, 4, sizeof *norm);
    attest_dataset_clear(&dataset);
    ref_case_clear(&layer);
    return result;
}

/* The first two keys tie, and their values are 1/4 apart; the third cannot win. */
static tie tie_of(ulong key, ulong query, ulong token)
{
    return (tie){key, query, token, {{5, 1, 0}, {5, 5, 0}, {9, 9, 0}}, .precision = 24};
}

/* Scores of which no operation is rounded tie exactly; one bit less, and the tie may break, in
 * each of the heads. Numerators over the finest denominator 4 have 6 bits (36), keys 6 + 3 + 2
 * (sums of three), queries 6 + 2 + 2, scores 11 + 10 + 1 (sums of two). */
static void test_exact_scores(uint64_t *state)
{
    const tie never[] = {tie_of(6, 1, 4), tie_of(2, 3, 4), tie_of(2, 1, 12)};
    size_t wrong = 0;

    for (size_t first = 0; first < 3; first++) {
        tie fine = tie_of(2, 1, 4), coarse = tie_of(2, 1, 1);
        double all;

        fine.first = coarse.first = first;
        all = bound_of_tie(fine, 1000, state);
        wrong += !(bound_of_tie(fine, 21, state) == bound_of_tie(fine, 0, state) &&
                   fabs(bound_of_tie(fine, 21, state) - 0.5) < 1e-4 &&
                   fabs(bound_of_tie(fine, 22, state) - 0.25) < 1e-4 &&
                   bound_of_tie(fine, 23, state) == all && all < 1e-4);
        wrong += !(fabs(bound_of_tie(coarse, 17, state) - 8) < 1e-4 &&
                   fabs(bound_of_tie(coarse, 18, state) - 4) < 1e-4 &&
                   bound_of_tie(coarse, 19, state) < 1e-4);
        coarse.no_keys = true; /* all tie: 1, 5, 9 */
        wrong += !(fabs(bound_of_tie(coarse, 0, state) - 16) < 1e-4 &&
                   bound_of_tie(coarse, 1000, state) < 1e-4);
    }
    TAP_OK(wrong == 0, "hardmax: least bits with which scores are exact: %zu wrong", wrong);
    wrong = 0;
    for (size_t i = 0; i < 3; i++)
        wrong += bound_of_tie(never[i], 1000, state) != bound_of_tie(never[i], 0, state);
    TAP_OK(wrong == 0, "other denominators than powers of two are never exact: %zu are", wrong);
}

/* Scores that differ by a part of 2^24 may change places at 24 bits, and not at 60; scores that
 * may overflow say nothing. */
static void test_close_scores(uint64_t *state)
{
    const slong large = 1 << 24;
    tie t = {1, 1, 1, {{large, 1, 0}, {large + 1, 5, 0}, {2 * large, 9, 0}}, .precision = 24};
    tie overflow = tie_of(1, 1, 1);
    double close = bound_of_tie(t, 0, state);

    t.precision = 60;
    TAP_OK(close > 8 && bound_of_tie(t, 0, state) < 1e-4, "hardmax: close scores");
    overflow.most = 3000; /* 5 * 3 * 9 * 15 = 2025 */
    TAP_OK(isfinite(bound_of_tie(overflow, 0, state)), "scores below the largest number");
    overflow.most = 1000;
    TAP_OK(isinf(bound_of_tie(overflow, 0, state)), "scores that overflow");
}

/* Values 0 and 100 of entries that are equal as doubles. */
static void test_cancelled_values(uint64_t *state)
{
    const slong large = (slong)1 << 60;
    const tie t = {
        1, 1, 1, {{5, large, -large}, {5, large + 100, -large}, {9, 0, 0}}, .precision = 200};
    double got = bound_of_tie(t, 0, state);

    TAP_OK(got >= 2 * 100 && got < 1e5 && bound_of_tie(t, 1000, state) < 1e-20,
           "hardmax: what doubles lose is in the bound (%g)", got);
}

/* A bound in units of u at one width holds at all larger ones. */
static void test_monotone(uint64_t *state)
{
    const ref_shape shape = {2, 3, 2, 5, 3, 4, true};
    size_t wrong = 0, compared = 0;

    for (int trial = 0; trial < 20; trial++) {
        attest_simulated_arithmetic a;
        attest_audit_model model;
        attest_audit_request request;
        attest_format format = {0};
        audit_case test;
        double *norm, before[64];
        audit_case_init(&test, &shape, 4, 5, state);
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        norm = attest_shared_alloc(test.dataset.total, sizeof *norm);
        for (long bits = 4; bits <= 600; bits += bits < 40 ? 3 : 140) {
            format.precision = bits;
            attest_simulated_arithmetic_init(&a, &format);
            a.softmax = (attest_simulated_softmax)(trial % 3);
            a.block = 2;
            a.pairwise = trial % 2;
            attest_audit_model_init(&model, &a);
            if (attest_audit_bound(norm, NULL, &request, &model, NULL) != ATTEST_OK)
                abort();
            for (size_t p = 0; p < test.dataset.total; p++) {
                /* (1 + u)^k - 1 over u is computed to within 1e-9 only. */
                if (bits > 4 && isfinite(before[p])) {
                    wrong += !(norm[p] <= before[p] * (1 + 1e-9));
                    compared++;
                }
                before[p] = norm[p];
            }
        }
        attest_shared_free(norm, test.dataset.total, sizeof *norm);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0 && compared > 1000,
           "the bound over u falls with the width: %zu comparisons (%zu wrong)", compared,
           wrong);
}

/* Returns whether a bound of base^power - 1 lies above it, by at most 10^-6 of it. */
static bool is_just_above(double x, const arb_t exact)
{
    bool is;
    arb_t own, most;

    arb_init(own), arb_init(most);
    arb_set_d(own, x);
    arb_set_d(most, 1 + 1e-6);
    arb_mul(most, most, exact, 256);
    is = arb_ge(own, exact) && arb_le(own, most);
    arb_clear(own), arb_clear(most);
    return is;
}

/* Powers and exponentials against balls. */
static void test_powers(uint64_t *state)
{
    size_t wrong = 0;
    arb_t x;

    arb_init(x);
    for (int i = 0; i < 4000; i++) {
        double u = ldexp(1 + (double)(tap_random(state) % 1024) / 1024,
                         -2 - (int)(tap_random(state) % (i % 2 ? 500 : 12)));
        ulong k = tap_random(state) % (i % 4 ? 600 : 1 << 20);
        double power = attest_audit_bound_power(u, (double)k), small = fmin(1, u * 4);
        arb_set_d(x, u);
        arb_add_ui(x, x, 1, 600);
        arb_pow_ui(x, x, k, 600);
        arb_sub_ui(x, x, 1, 600);
        wrong += isfinite(power) ? !is_just_above(power, x) : !(k * u > 500);
        arb_set_d(x, small);
        arb_expm1(x, x, 256);
        wrong += !is_just_above(attest_audit_bound_expm1(small), x);
    }
    arb_clear(x);
    TAP_OK(wrong == 0, "powers and exponentials lie just above: %zu do not", wrong);
}

/* u is the unit roundoff 2^-bits, and 2^-500 for all formats of more than 500 bits; bounds are
 * in units of 2^-unit_bits. An operation that underflows errs by 2^(emin - p), half of the
 * least number, when it rounds to nearest, and by the whole of it otherwise; at least 2^-1000
 * is counted. */
static void test_models(void)
{
    enum { NEVER = INT_MAX };
    static const struct {
        long bits, sum_bits; /* significand bits, those of the accumulator; 0: there is none */
        long emin;           /* 0: any exponent */
        attest_simulated_rounding rounding;
        int u, u_sum, unit_bits, tiny; /* exponents of two; tiny: or NEVER */
        long exact_bits;
    } of[] = {
        {24, 0, 0, ATTEST_SIMULATED_NEAREST, -24, -24, 24, NEVER, 24},
        {24, 0, 0, ATTEST_SIMULATED_ZERO, -23, -23, 23, NEVER, 24},
        {499, 0, 0, ATTEST_SIMULATED_NEAREST, -499, -499, 499, NEVER, 499},
        {500, 0, 0, ATTEST_SIMULATED_NEAREST, -500, -500, 500, NEVER, 500},
        {501, 0, 0, ATTEST_SIMULATED_NEAREST, -500, -500, 501, NEVER, 501},
        {501, 0, 0, ATTEST_SIMULATED_ZERO, -500, -500, 500, NEVER, 501},
        {499, 501, 0, ATTEST_SIMULATED_NEAREST, -499, -500, 499, NEVER, 499},
        {501, 499, 0, ATTEST_SIMULATED_NEAREST, -500, -499, 500, NEVER, 499},
        {502, 500, 0, ATTEST_SIMULATED_NEAREST, -500, -500, 500, NEVER, 500},
        {11, 0, -14, ATTEST_SIMULATED_NEAREST, -11, -11, 11, -14 - 11 + 11, 0},
        {11, 0, -14, ATTEST_SIMULATED_ZERO, -10, -10, 10, -14 - 10 + 10, 0},
        {11, 24, -14, ATTEST_SIMULATED_NEAREST, -11, -24, 11, -14 - 11 + 11, 0},
        {24, 11, -14, ATTEST_SIMULATED_NEAREST, -24, -11, 24, -14 - 11 + 24, 0},
        {501, 11, -14, ATTEST_SIMULATED_NEAREST, -500, -11, 500, -14 - 11 + 500, 0},
        {11, 0, -999, ATTEST_SIMULATED_NEAREST, -11, -11, 11, -999, 0},
        {11, 0, -1000, ATTEST_SIMULATED_NEAREST, -11, -11, 11, -1000, 0},
        {11, 0, -1001, ATTEST_SIMULATED_NEAREST, -11, -11, 11, -1000, 0},
    };
    enum { COUNT = sizeof of / sizeof *of };
    size_t right = 0;

    for (size_t i = 0; i < COUNT; i++) {
        attest_format format = {
            .precision = of[i].bits, .bounded = of[i].emin < 0, .emin = of[i].emin, .emax = 15};
        attest_simulated_arithmetic a;
        attest_audit_model model;
        bool ok;

        attest_simulated_arithmetic_init(&a, &format);
        a.rounding = of[i].rounding;
        a.accumulates = of[i].sum_bits > 0;
        a.accumulate = format;
        a.accumulate.precision = of[i].sum_bits;
        attest_audit_model_init(&model, &a);
        ok = model.u == ldexp(1, of[i].u) && model.u_sum == ldexp(1, of[i].u_sum) &&
             model.unit_bits == of[i].unit_bits && model.accumulates == a.accumulates &&
             model.tiny == (of[i].tiny == NEVER ? 0 : ldexp(1, of[i].tiny)) &&
             model.exact_bits == of[i].exact_bits;
        if (!ok)
            printf("# model %zu: u %a, u_sum %a, unit_bits %ld, tiny %a, exact_bits %ld\n", i,
                   model.u, model.u_sum, model.unit_bits, model.tiny, model.exact_bits);
        right += ok;
    }
    TAP_OK(right == COUNT, "%zu of %d models of formats", right, (int)COUNT);
}

TEST(bound)
{
    static const kind kinds[] = {
        {"p = 16", .bits = 16},
        {"p = 24", .bits = 24},
        {"underflow", .bits = 24, .tiny = 0.25},
        {"an accumulator", .bits = 16, .tiny = 0.25, .accumulates = true},
        {"by halves", .bits = 16, .pairwise = true},
        {"naive", .bits = 24, .tiny = 0.25, .naive = true},
        {"online", .bits = 16, .tiny = 0.25, .online = true},
        {"few bits", .bits = 3, .tiny = 0.25, .capped = true},
        {"few bits, an accumulator", .bits = 4, .tiny = 0.25, .capped = true,
         .accumulates = true},
    };
    static const kind hardmax[] = {
        {"p = 24", .bits = 24},
        {"underflow", .bits = 24, .tiny = 0.25},
        {"an accumulator", .bits = 16, .tiny = 0.25, .accumulates = true},
    };
    uint64_t state = tap_seed(0xb0d5);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        test_transcription(&kinds[i], &state);
    for (size_t i = 0; i < sizeof hardmax / sizeof hardmax[0]; i++)
        test_winners(&hardmax[i], &state);
    test_largest(&state);
    test_exact_scores(&state);
    test_close_scores(&state);
    test_cancelled_values(&state);
    test_monotone(&state);
    test_powers(&state);
    test_models();
    flint_cleanup();
    return 0;
}
