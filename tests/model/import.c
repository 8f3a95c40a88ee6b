/* Imported heads against the model's own formulas, over all layouts; wrong shapes. Entries are
 * small multiples of 1/8, so that doubles compute the model exactly. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <attest/attest.h>

#include "tests/tap.h"
#include "model/import.h"

enum { Q, K, V, O, PARTS, MOST = 512 };

typedef struct model {
    size_t heads, groups, size, dim;
    bool bias[PARTS], fused, interleaved, transpose;
    double a[PARTS][MOST], b[PARTS][MOST]; /* row-major, outputs times inputs */
    char path[64];
} model;

static size_t rows_of(const model *m, int i)
{
    return i == O ? m->dim : (i == Q ? m->heads : m->groups) * m->size;
}

static size_t cols_of(const model *m, int i)
{
    return i == O ? m->heads * m->size : m->dim;
}

/* A safetensors file under construction: binary32 tensors. */
typedef struct writer {
    char header[4096];
    float data[8 * MOST];
    size_t count;
} writer;

static void begin_tensor(writer *w, const char *name, size_t rows, size_t cols)
{
    size_t used = strlen(w->header), bytes = rows * (cols ? cols : 1) * sizeof(float);
    char shape[64];

    snprintf(shape, sizeof shape, cols ? "%zu,%zu" : "%zu", rows, cols);
    snprintf(w->header + used, sizeof w->header - used,
             "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
             used ? "," : "{", name, shape, w->count * sizeof(float),
             w->count * sizeof(float) + bytes);
}

/* A matrix given by one pointer per row. */
static void put_matrix(writer *w, const char *name, const double **row, size_t rows,
                       size_t cols, bool transpose)
{
    begin_tensor(w, name, transpose ? cols : rows, transpose ? rows : cols);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            w->data[w->count + (transpose ? c * rows + r : r * cols + c)] = (float)row[r][c];
    w->count += rows * cols;
}

/* The rows of the fused tensor, in either order; entries of width numbers from a or b. */
static size_t fused_rows(const model *m, const double **row, double (*from)[MOST], size_t width)
{
    size_t count = 0;

    for (size_t outer = 0; outer < (m->interleaved ? m->heads : 3); outer++)
        for (size_t inner = 0; inner < (m->interleaved ? 3
                                        : outer == Q   ? m->heads
                                                       : m->groups);
             inner++) {
            size_t part = m->interleaved ? inner : outer, h = m->interleaved ? outer : inner;
            for (size_t r = 0; r < m->size; r++)
                row[count++] = from[part] + (h * m->size + r) * width;
        }
    return count;
}

static void put_bias(writer *w, const char *name, const double **row, size_t rows)
{
    begin_tensor(w, name, rows, 0);
    for (size_t r = 0; r < rows; r++)
        w->data[w->count++] = (float)*row[r];
}

static void write_model(model *m)
{
    static const char *const name[PARTS] = {"q", "k", "v", "o"};
    static const char *const bias[PARTS] = {"bq", "bk", "bv", "bo"};
    const double *row[3 * MOST];
    writer w = {"", {0}, 0};
    uint64_t length;
    FILE *file;

    for (int i = m->fused ? O : Q; i < PARTS; i++) {
        for (size_t r = 0; r < rows_of(m, i); r++)
            row[r] = m->a[i] + r * cols_of(m, i);
        put_matrix(&w, name[i], row, rows_of(m, i), cols_of(m, i), m->transpose);
        for (size_t r = 0; r < rows_of(m, i); r++)
            row[r] = m->b[i] + r;
        put_bias(&w, bias[i], row, rows_of(m, i));
    }
    if (m->fused) {
        size_t rows = fused_rows(m, row, m->a, m->dim);
        put_matrix(&w, "qkv", row, rows, m->dim, m->transpose);
        rows = fused_rows(m, row, m->b, 1);
        put_bias(&w, "bqkv", row, rows);
    }
    strcat(w.header, "}");
    length = strlen(w.header);
    file = fopen(m->path, "wb");
    if (!file || fwrite(&length, 8, 1, file) != 1 || fputs(w.header, file) < 0 ||
        fwrite(w.data, sizeof(float), w.count, file) != w.count || fclose(file) != 0)
        abort();
}

static void fill(model *m, uint64_t *seed)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t j = 0; j < MOST; j++) {
            m->a[i][j] = (double)(int)(tap_random(seed) % 33) / 8 - 2;
            m->b[i][j] = (double)(int)(tap_random(seed) % 33) / 8 - 2;
        }
}

static attest_import request_of(const model *m, const fmpq *scale)
{
    attest_import request = {.transpose = m->transpose,
                             .heads = m->heads,
                             .count = m->heads,
                             .scale = scale,
                             .o = "o",
                             .interleaved = m->interleaved};

    if (m->fused) {
        request.qkv = "qkv";
        request.bias_qkv = m->bias[Q] ? "bqkv" : NULL;
    } else {
        request.q = "q";
        request.k = "k";
        request.v = "v";
        request.bias_q = m->bias[Q] ? "bq" : NULL;
        request.bias_k = m->bias[K] ? "bk" : NULL;
        request.bias_v = m->bias[V] ? "bv" : NULL;
    }
    request.bias_o = m->bias[O] ? "bo" : NULL;
    return request;
}

/* Entry r of A x + b for part i of head h, by the model's formula. */
static double model_entry(const model *m, int i, size_t h, size_t r, const double *x)
{
    size_t row = (i == Q ? h : h / (m->heads / m->groups)) * m->size + r;
    double sum = m->bias[i] ? m->b[i][row] : 0;

    for (size_t c = 0; c < m->dim; c++)
        sum += m->a[i][row * m->dim + c] * x[c];
    return sum;
}

/* out = matrix * in, exactly. */
static void apply(fmpq *out, const attest_matrix *matrix, const fmpq *in)
{
    fmpq_t entry;

    fmpq_init(entry);
    for (size_t r = 0; r < matrix->rows; r++) {
        fmpq_zero(out + r);
        for (size_t c = 0; c < matrix->cols; c++) {
            attest_matrix_get_entry(entry, matrix, r, c);
            fmpq_addmul(out + r, entry, in + c);
        }
    }
    fmpq_clear(entry);
}

/* Scores of key x for query y, and the output for a lone token x, at head h. */
static bool head_agrees(const model *m, const attest_weights *weights, size_t i, size_t h,
                        const double *x, const double *y, const fmpq *scale)
{
    const attest_head *head = &weights->head[i];
    fmpq *u = _fmpq_vec_init(MOST), *v = _fmpq_vec_init(MOST), *z = _fmpq_vec_init(MOST);
    fmpq_t sum, wanted;
    double score = 0;
    bool same = true;

    fmpq_init(sum);
    fmpq_init(wanted);
    for (size_t c = 0; c < weights->dim; c++)
        attest_number_set_double(z + c, c < m->dim ? y[c] : 1);
    apply(u, &head->wq, z);
    for (size_t c = 0; c < m->dim; c++)
        attest_number_set_double(z + c, x[c]);
    apply(v, &head->wk, z);
    for (size_t r = 0; r < head->wk.rows; r++)
        fmpq_addmul(sum, u + r, v + r);
    for (size_t r = 0; r < m->size; r++)
        score += model_entry(m, K, h, r, x) * model_entry(m, Q, h, r, y);
    attest_number_set_double(wanted, score);
    if (scale)
        fmpq_mul(wanted, wanted, scale);
    same = same && fmpq_equal(sum, wanted);

    apply(v, &head->wv, z);
    apply(u, &head->wo, v);
    for (size_t c = 0; c < weights->dim; c++) {
        double out = c < m->dim && m->bias[O] && i == 0 ? m->b[O][c] : 0;
        for (size_t r = 0; c < m->dim && r < m->size; r++)
            out +=
                m->a[O][c * m->heads * m->size + h * m->size + r] * model_entry(m, V, h, r, x);
        attest_number_set_double(wanted, out);
        same = same && fmpq_equal(u + c, wanted);
    }
    fmpq_clear(sum);
    fmpq_clear(wanted);
    _fmpq_vec_clear(u, MOST);
    _fmpq_vec_clear(v, MOST);
    _fmpq_vec_clear(z, MOST);
    return same;
}

static bool import_agrees(const model *m, attest_import *request, uint64_t *seed)
{
    attest_budget budget = {1 << 24};
    attest_weights weights;
    attest_error error = {ATTEST_OK, ""};
    bool ok;

    attest_weights_init(&weights);
    ok = attest_import_read(&weights, m->path, request, &budget, &error) == ATTEST_OK &&
         weights.heads == request->count &&
         weights.dim == m->dim + attest_import_has_bias(request) &&
         attest_weights_check_shapes(&weights, NULL) == ATTEST_OK;
    for (size_t i = 0; ok && i < weights.heads; i++)
        for (int trial = 0; trial < 3; trial++) {
            double x[MOST], y[MOST];
            for (size_t c = 0; c < m->dim; c++) {
                x[c] = (double)(int)(tap_random(seed) % 9) - 4;
                y[c] = (double)(int)(tap_random(seed) % 9) - 4;
            }
            ok = ok && head_agrees(m, &weights, i, request->first + i, x, y, request->scale);
        }
    if (!ok)
        printf("# %s\n", error.text);
    attest_weights_clear(&weights);
    return ok;
}

static void layouts(model *m, uint64_t *seed)
{
    fmpq_t scale;
    int cases = 0, wrong = 0;

    fmpq_init(scale);
    fmpq_set_si(scale, 3, 7);
    for (int layout = 0; layout < 6; layout++)     /* separate, shared, fused twice ... */
        for (int bias = 0; bias < 16; bias += 1) { /* which of q, k, v, o have one */
            m->transpose = layout % 2;
            m->fused = layout / 2 > 0;
            m->interleaved = layout / 2 == 2;
            m->heads = 1 + tap_random(seed) % 4;
            m->groups = m->heads % 2 == 0 && bias % 4 > 1 ? m->heads / 2 : m->heads;
            if (m->interleaved)
                m->groups = m->heads;
            m->size = 1 + tap_random(seed) % 3;
            m->dim = 1 + tap_random(seed) % 5;
            for (int i = 0; i < PARTS; i++)
                m->bias[i] = bias >> (m->fused && i < O ? 0 : i) & 1;
            fill(m, seed);
            write_model(m);
            attest_import request = request_of(m, bias % 3 ? scale : NULL);
            wrong += !import_agrees(m, &request, seed);
            request.first = tap_random(seed) % m->heads;
            request.count = 1;
            wrong += !import_agrees(m, &request, seed);
            cases += 2;
        }
    TAP_OK(wrong == 0, "%d of %d imports differ from the model", wrong, cases);
    fmpq_clear(scale);
}

static bool is_fraction(const fmpq_t x, long p, unsigned long q)
{
    return fmpz_equal_si(fmpq_numref(x), p) && fmpz_equal_ui(fmpq_denref(x), q);
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

/* The norm in front, and its eps: the given one, or 10^-5. Without factors and terms it leaves
 * the matrices as they are. */
static void norms(model *m, uint64_t *seed)
{
    static const attest_norm kind[] = {ATTEST_NORM_NONE, ATTEST_NORM_RMS, ATTEST_NORM_LAYER};
    attest_weights plain;
    fmpq_t eps;

    m->heads = m->groups = 2;
    m->size = 3;
    m->dim = 4;
    m->fused = m->interleaved = m->transpose = false;
    memset(m->bias, 0, sizeof m->bias);
    fill(m, seed);
    write_model(m);
    fmpq_init(eps);
    fmpq_set_si(eps, 1, 7);
    for (int i = 0; i < 6; i++) {
        attest_import request = request_of(m, NULL);
        attest_error error = {ATTEST_OK, ""};
        attest_weights weights;

        request.norm = kind[i % 3];
        request.norm_eps = i < 3 ? eps : NULL;
        attest_weights_init(&weights);
        TAP_OK(attest_import_read(&weights, m->path, &request, NULL, &error) == ATTEST_OK &&
                   weights.norm == kind[i % 3] &&
                   (i % 3 == 0 ? fmpq_is_zero(weights.norm_eps)
                               : is_fraction(weights.norm_eps, 1, i < 3 ? 7 : 100000)),
               "norm %d, eps %s: %s", i % 3, i < 3 ? "1/7" : "10^-5", error.text);
        if (i == 0) {
            plain = weights;
            continue;
        }
        for (size_t h = 0; h < 2; h++)
            TAP_OK(is_same(&weights.head[h].wq, &plain.head[h].wq) &&
                       is_same(&weights.head[h].wk, &plain.head[h].wk) &&
                       is_same(&weights.head[h].wv, &plain.head[h].wv),
                   "norm %d, head %zu: the matrices without a norm", i % 3, h);
        attest_weights_clear(&weights);
    }
    attest_weights_clear(&plain);
    fmpq_clear(eps);
}

/* Gains g and biases b of the norm are part of the weights, A diag(g) and A b; a missing one is
 * 1 or 0. */
static void norm_vectors(model *m, uint64_t *seed)
{
    m->heads = m->groups = 2;
    m->size = 3;
    m->dim = 4;
    m->fused = m->interleaved = m->transpose = false;
    memset(m->bias, 0, sizeof m->bias);
    fill(m, seed);
    write_model(m);
    for (int given = 1; given < 4; given++) {
        attest_import request = request_of(m, NULL);
        attest_error error = {ATTEST_OK, ""};
        attest_weights weights;
        size_t wrong = 0;
        fmpq_t x;

        fmpq_init(x);
        request.norm = ATTEST_NORM_LAYER;
        request.norm_weight = given & 1 ? "bo" : NULL;
        request.norm_bias = given & 2 ? "bo" : NULL;
        attest_weights_init(&weights);
        if (attest_import_read(&weights, m->path, &request, NULL, &error) != ATTEST_OK)
            wrong = 1;
        for (size_t h = 0; wrong == 0 && h < 2; h++)
            for (size_t r = 0; r < 3; r++) {
                const double *a = m->a[K] + (h * 3 + r) * 4, *v = m->b[O];
                double sum = 0;

                for (size_t c = 0; c < 4; c++) {
                    attest_matrix_get_entry(x, &weights.head[h].wk, r, c);
                    wrong += fmpq_get_d(x) != a[c] * (given & 1 ? v[c] : 1);
                    sum += a[c] * v[c];
                }
                if (given & 2) {
                    attest_matrix_get_entry(x, &weights.head[h].wk, r, 4);
                    wrong += fmpq_get_d(x) != sum;
                }
            }
        TAP_OK(wrong == 0, "a norm with%s%s: %zu entries are wrong %s",
               given & 1 ? " gains" : "", given & 2 ? " biases" : "", wrong, error.text);
        attest_weights_clear(&weights);
        fmpq_clear(x);
    }
}

/* 1/sqrt(s): a fraction for squares, else the nearest binary32 number. */
static void roots(model *m, uint64_t *seed)
{
    for (size_t size = 1; size <= 16; size++) {
        size_t root = (size_t)(sqrt((double)size) + 0.5);
        attest_error error = {ATTEST_OK, ""};
        attest_weights plain, scaled;
        attest_import request;
        fmpq_t scale, x, y;
        bool ok;

        m->heads = m->groups = 1;
        m->size = size;
        m->dim = 2;
        fill(m, seed);
        write_model(m);
        request = request_of(m, NULL);
        fmpq_init(scale), fmpq_init(x), fmpq_init(y);
        attest_weights_init(&plain);
        attest_weights_init(&scaled);
        ok = attest_import_read(&plain, m->path, &request, NULL, &error) == ATTEST_OK;
        request.rsqrt = true;
        ok = ok && attest_import_read(&scaled, m->path, &request, NULL, &error) == ATTEST_OK;
        /* the double is within 2^-53 of the root, and that is nowhere so near to a tie */
        attest_number_set_double(scale, (double)(float)(1 / sqrt((double)size)));
        if (root * root == size)
            fmpq_set_si(scale, 1, root);
        for (size_t e = 0; ok && e < 2 * size; e++) {
            attest_matrix_get_entry(x, &plain.head[0].wk, e / 2, e % 2);
            attest_matrix_get_entry(y, &scaled.head[0].wk, e / 2, e % 2);
            fmpq_mul(x, x, scale);
            ok = fmpq_equal(x, y);
        }
        TAP_OK(ok, "1/sqrt(%zu) %s", size, error.text);
        attest_weights_clear(&plain);
        attest_weights_clear(&scaled);
        fmpq_clear(scale), fmpq_clear(x), fmpq_clear(y);
    }
}

static void refuse(const char *path, attest_import request, attest_status wanted,
                   const char *message)
{
    attest_error error = {ATTEST_OK, ""};
    attest_budget budget = {1 << 20};
    attest_weights weights;
    attest_status status;

    attest_weights_init(&weights);
    status = attest_import_read(&weights, path, &request, &budget, &error);
    TAP_OK(status == wanted && strstr(error.text, message) && weights.heads == 0 &&
               budget.left == 1 << 20,
           "refused: %s", error.text);
    attest_weights_clear(&weights);
}

/* H = 2, s = 3, d = 4: the errors of tensors that do not fit. */
static void refusals(model *m, uint64_t *seed)
{
    m->heads = m->groups = 2;
    m->size = 3;
    m->dim = 4;
    m->fused = m->interleaved = m->transpose = false;
    memset(m->bias, 1, sizeof m->bias);
    fill(m, seed);
    write_model(m);
    attest_import good = request_of(m, NULL);
    attest_import bad = good;
    TAP_OK(import_agrees(m, &good, seed), "the model that the next ones spoil");
#define REFUSE(field, value, status, message)                                                  \
    do {                                                                                       \
        bad = good;                                                                            \
        bad.field = value;                                                                     \
        refuse(m->path, bad, status, message);                                                 \
    } while (0)
    REFUSE(q, "no", ATTEST_USAGE, "there is no tensor 'no'; there are 'bk', 'bo'");
    REFUSE(q, NULL, ATTEST_USAGE, "tensors are missing");
    REFUSE(o, NULL, ATTEST_USAGE, "tensor o is missing");
    REFUSE(qkv, "q", ATTEST_USAGE, "named twice");
    REFUSE(bias_qkv, "bq", ATTEST_USAGE, "fused matrices have fused biases");
    REFUSE(interleaved, true, ATTEST_USAGE, "only a fused tensor");
    REFUSE(heads, 0, ATTEST_USAGE, "does not exist");
    REFUSE(first, 2, ATTEST_USAGE, "head 2 of 2");
    REFUSE(count, 3, ATTEST_USAGE, "head 0 of 2");
    REFUSE(count, 0, ATTEST_USAGE, "head 0 of 2");
    REFUSE(q, "bq", ATTEST_FORMAT, "tensor 'bq' has shape (6,), but a matrix");
    REFUSE(heads, 4, ATTEST_FORMAT, "tensor 'q' has shape (6, 4): its 6 rows are not 4 heads");
    REFUSE(k, "o", ATTEST_FORMAT, "tensor 'o' has shape (4, 6), but k with 2 heads of size 3");
    REFUSE(k, "o", ATTEST_FORMAT, "would be 6x4 here; is it transposed?");
    REFUSE(o, "q", ATTEST_FORMAT, "tensor 'q' has shape (6, 4), but o would be 4x6 here");
    REFUSE(bias_v, "bo", ATTEST_FORMAT,
           "tensor 'bo' has shape (4,), but the bias of 'v', of shape (6, 4), has shape (6,)");
    REFUSE(bias_q, "q", ATTEST_FORMAT, "tensor 'q' has shape (6, 4), but the bias");
    bad = (attest_import){.qkv = "q", .o = "o", .heads = 4, .count = 1};
    refuse(m->path, bad, ATTEST_FORMAT, "tensor 'o' has shape (4, 6): its 6 columns are not 4");
    bad.heads = 3;
    refuse(m->path, bad, ATTEST_FORMAT, "are not 3 heads of queries, keys and values");
    m->a[V][13] = NAN;
    write_model(m);
    refuse(m->path, good, ATTEST_FORMAT, "v: [3][1] is NaN");
    m->a[V][13] = 0;
    m->b[K][4] = INFINITY;
    write_model(m);
    refuse(m->path, good, ATTEST_FORMAT, "bk: [4] is infinite");
    refuse("/nonexistent", good, ATTEST_IO, "/nonexistent: cannot open");
}

static void homogeneous(void)
{
    const double value[] = {1, 2, 3, 4, 1, 2};
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_budget budget = {1 << 20}, none = {0};
    bool ok = true;
    fmpq *entry = _fmpq_vec_init(2);
    fmpq_t got;

    attest_dataset_init(&dataset);
    fmpq_init(got);
    for (int rational = 0; rational < 2; rational++) {
        attest_dataset_builder_init(
            &builder, 2, rational ? ATTEST_TABLE_RATIONAL : ATTEST_TABLE_REAL, &budget);
        for (int t = 0; t < 3; t++) {
            fmpq_set_si(entry, (slong)value[2 * t], 3);
            fmpq_set_si(entry + 1, (slong)value[2 * t + 1], 5);
            ok = ok && (rational ? attest_dataset_builder_add_token(&builder, entry, NULL)
                                 : attest_dataset_builder_add_doubles(&builder, value + 2 * t,
                                                                      1, NULL)) == ATTEST_OK;
        }
        ok = ok && attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK &&
             attest_dataset_builder_finish(&dataset, &builder, NULL) == ATTEST_OK &&
             attest_dataset_set_homogeneous(&dataset, &none, NULL) == ATTEST_UNABLE &&
             dataset.dim == 2 &&
             attest_dataset_set_homogeneous(&dataset, &budget, NULL) == ATTEST_OK &&
             dataset.dim == 3 && dataset.tokens.dim == 3 && dataset.tokens.count == 2;
        for (size_t t = 0; ok && t < 3; t++)
            for (size_t c = 0; c < 3; c++) {
                attest_tokens_get_entry(got, &dataset.tokens, dataset.token[t], c);
                slong wanted = c < 2 ? (slong)value[2 * t + c] : 1;
                fmpq_set_si(entry, wanted, rational && c < 2 ? (c ? 5 : 3) : 1);
                ok = ok && fmpq_equal(got, entry);
            }
        attest_dataset_builder_clear(&builder);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(ok, "the coordinate 1 is appended in both kinds of table");
    fmpq_clear(got);
    _fmpq_vec_clear(entry, 2);
}

TEST(import)
{
    static model m = {.path = "/tmp/t-import-XXXXXX"};
    uint64_t seed = tap_seed(0x1397);
    int file = mkstemp(m.path);

    layouts(&m, &seed);
    norms(&m, &seed);
    norm_vectors(&m, &seed);
    roots(&m, &seed);
    refusals(&m, &seed);
    homogeneous();
    close(file);
    unlink(m.path);
    flint_cleanup();
    return 0;
}
