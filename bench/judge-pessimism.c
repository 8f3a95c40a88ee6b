/* How far the bounds of shipped models are above what simulated kernels of them reach: for
 * every row, the bound over the largest error of the kernels that were drawn, both the largest
 * of the row; median and percentiles over ten kinds of data, and at the most keys on
 * normal data. An observed maximum is below the true one: the ratios are upper bounds on the
 * pessimism. An argument: the largest number of keys; or "lengths": the median and the largest
 * ratio of more models at 128, 1024 and 4096 keys, and how far the results of inputs rounded to
 * tfloat32 are from the exact ones, as a part of the bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "judge/simulate.h"
#include "tests/judge/draw.h"

enum { DIM = 64, COLUMNS = 8, SIZES = 5, RATIOS = 4096 };

/* Rows of some keys, and how many kernels compute them. */
struct plan {
    size_t keys, rows;
    uint64_t kernels, seed; /* seed: of the data */
};

static const struct plan sizes[SIZES] = {
    {16, 8, 32, 0}, {64, 8, 32, 1}, {256, 4, 16, 2}, {1024, 4, 16, 3}, {4096, 2, 16, 4}};

enum { LENGTHS = 3 };
static const struct plan lengths[LENGTHS] = {
    {128, 8, 32, 128}, {1024, 4, 16, 1024}, {4096, 2, 16, 4096}};

/* A shipped model, perhaps changed, and what a prototype of the bound reached. */
struct entry {
    const char *label, *name;
    bool replayed, any_tile, wide_output;
    size_t fraction; /* not 0: of the matrix unit */
    const char *target;
};

static const struct entry entries[] = {
    {"fp32-any", "fp32-any", false, false, false, 0, "136 (1600)"},
    {"fp32-flash2", "fp32-flash2", false, false, false, 0, "-"},
    {"bf16-any", "bf16-any", false, false, false, 0, "4.7 (30)"},
    {"bf16-flash2, any tile", "bf16-flash2", false, true, false, 0, "4.7 (30)"},
    {"bf16-flash2", "bf16-flash2", false, false, false, 0, "1.0 (2)"},
    {"hopper-bf16-64, no schedule", "hopper-bf16-64", false, false, false, 0, "-"},
    {"fp8-flash3-hopper, any tile", "fp8-flash3-hopper", false, true, false, 0, "29 (250)"},
    {"fp8-flash3-hopper", "fp8-flash3-hopper", false, false, false, 0, "5.6 (90)"},
    {"the same with 25 bits", "fp8-flash3-hopper", false, false, false, 25, "5.6 (90)"},
    {"hopper-bf16-64", "hopper-bf16-64", true, false, false, 0, "1.0"},
    {"hopper-bf16-64, to binary32", "hopper-bf16-64", true, false, true, 0, "1.9"},
};

/* The models whose ratios are printed by number of keys; changed ones have another label. */
static const char *const models[] = {"fp32-any",
                                     "fp32-flash2",
                                     "fp32-math",
                                     "fp32-torch-cpu",
                                     "fp32-llama-cpu",
                                     "fp16-llama-cpu",
                                     "fp16-llama-cpu-prefill",
                                     "bf16-any",
                                     "bf16-flash2",
                                     "bf16-flash2, sum of casts",
                                     "bf16-flash2, two passes, divided before",
                                     "bf16-flash-decode",
                                     "bf16-math",
                                     "bf16-eager",
                                     "bf16-memory-efficient",
                                     "bf16-flash4-blackwell",
                                     "fp8-flash3-hopper"};

/* The ratios of a model so far. */
struct ratios {
    double all[RATIOS], normal[RATIOS];
    size_t count, normal_count, exact, outside, unbounded;
};

static attest_judge_model *load(const struct entry *entry)
{
    attest_judge_model *model;
    attest_error error;

    if (attest_judge_model_load(&model, entry->name, &error) != ATTEST_OK)
        abort();
    if (!entry->replayed)
        model->schedules = 0;
    if (entry->any_tile) {
        model->variants = 1;
        model->variant->tile = 0;
        model->variant->direction = ATTEST_JUDGE_DIRECTION_ANY;
    }
    for (size_t i = 0; entry->fraction > 0 && i < model->variants; i++)
        model->variant[i].score.fraction = model->variant[i].pv.fraction = entry->fraction;
    if (entry->wide_output &&
        attest_format_parse(&model->variant->output, "binary32", &error) != ATTEST_OK)
        abort();
    return model;
}

static void round_to(double *x, size_t count, const attest_format *format)
{
    attest_in_double hosted;

    attest_in_double_init(&hosted, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        x[i] = attest_in_double_convert(x[i], &hosted);
}

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

/* A kernel of the model: drawn, or its schedule with an exponential that errs as far as it
 * may. */
static bool draw_kernel(attest_judge_recipe *recipe, const attest_judge_variant **variant,
                        const attest_judge_model *model, uint64_t seed)
{
    attest_judge_recipe drawn;
    attest_error error;

    *variant = &model->variant[seed % model->variants];
    if (attest_judge_recipe_draw(&drawn, *variant, seed, &error) != ATTEST_OK)
        return false;
    *recipe = drawn;
    if (model->schedules > 0) {
        attest_judge_recipe_from_schedule(recipe, *variant, &model->schedule[0]);
        recipe->exp_error = drawn.exp_error;
        recipe->target = drawn.target;
        recipe->push_up = drawn.push_up;
        recipe->seed = drawn.seed;
    }
    return true;
}

/* The largest error of some kernels in a row, and whether one is outside the bound. */
static double largest_error(bool *outside, attest_judge_head *head, size_t row,
                            uint64_t kernels, const attest_judge_model *model,
                            const attest_judge_bounds *bounds, uint64_t seed)
{
    double most = 0, out[COLUMNS];

    for (uint64_t i = 0; i < kernels; i++) {
        const attest_judge_variant *variant;
        attest_judge_recipe recipe;
        attest_error error;

        if (!draw_kernel(&recipe, &variant, model, seed + i) ||
            attest_judge_simulate_row(out, head, row, variant, &recipe, &error) != ATTEST_OK)
            continue;
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t at = row * COLUMNS + c;

            most = fmax(most, fabs(out[c] - bounds->exact[at]));
            *outside = *outside || !(out[c] >= bounds->lo[at] && out[c] <= bounds->hi[at]);
        }
    }
    return most;
}

static void add_rows(struct ratios *r, attest_judge_head *head, const struct plan *plan,
                     bool normal, const attest_judge_model *model,
                     const attest_judge_bounds *bounds)
{
    for (size_t row = 0; row < plan->rows; row++) {
        bool outside = false;
        double bound = 0, error;

        for (size_t c = 0; c < COLUMNS; c++)
            bound = fmax(bound, bounds->bound[row * COLUMNS + c]);
        if (!(bound < (double)INFINITY)) {
            r->unbounded++;
            continue;
        }
        error =
            largest_error(&outside, head, row, plan->kernels, model, bounds, 1000 * row + 7);
        r->outside += outside;
        if (error == 0) {
            r->exact++;
            continue;
        }
        if (r->count < RATIOS)
            r->all[r->count++] = bound / error;
        if (normal && r->normal_count < RATIOS)
            r->normal[r->normal_count++] = bound / error;
    }
}

/* Rows of one kind of data and one number of keys. */
static void measure(struct ratios *r, const attest_judge_model *model, const struct plan *plan,
                    int kind, bool normal)
{
    size_t keys = plan->keys, rows = plan->rows;
    double *x = calloc((rows + keys) * DIM + keys * COLUMNS + 5 * rows * COLUMNS, sizeof *x);
    double *q = x, *k = q + rows * DIM, *v = k + keys * DIM, *to = v + keys * COLUMNS;
    size_t count = rows * COLUMNS;
    attest_judge_bounds bounds = {
        to, to + count, to + 2 * count, to + 3 * count, to + 4 * count, NULL};
    uint64_t state = attest_random_mix(64 * (uint64_t)kind + plan->seed);
    attest_judge_options options = {.jobs = 1};
    attest_judge_problem question;
    attest_judge_head head;
    attest_error error;
    attest_qkv qkv;

    if (!x)
        abort();
    draw_data(q, k, v, rows, keys, DIM, COLUMNS, kind, &state);
    round_to(q, rows * DIM, &model->variant->q);
    if (model->quantise.scheme[0].name[0]) /* llama.cpp rounds q to the format of k */
        round_to(q, rows * DIM, &model->variant->k);
    round_to(k, keys * DIM, &model->variant->k);
    round_to(v, keys * COLUMNS, &model->variant->v);
    qkv = (attest_qkv){
        .q = tensor(q, rows, DIM), .k = tensor(k, keys, DIM), .v = tensor(v, keys, COLUMNS)};
    if (attest_judge_bound(&bounds, &qkv, model, &options, &error) != ATTEST_OK ||
        attest_judge_problem_init(&question, &qkv, &error) != ATTEST_OK ||
        attest_judge_head_init(&head, &question, &error) != ATTEST_OK ||
        attest_judge_head_load(&head, 0, 0, &error) != ATTEST_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    add_rows(r, &head, plan, normal, model, &bounds);
    attest_judge_head_clear(&head);
    attest_judge_problem_clear(&question);
    free(x);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(double *x, size_t count, double part)
{
    if (count == 0)
        return (double)NAN;
    qsort(x, count, sizeof *x, ascending);
    return x[(size_t)(part * (double)(count - 1))];
}

/* A model of the list; NULL: there is none of this name. */
static attest_judge_model *load_changed(const char *label)
{
    char name[64];
    attest_judge_model *model;
    attest_error error;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(label, ","), label);
    if (attest_judge_model_load(&model, name, &error) != ATTEST_OK)
        return NULL;
    model->schedules = 0;
    for (size_t i = 0; i < model->variants; i++) {
        if (strstr(label, "sum of casts"))
            model->variant[i].sum_of = ATTEST_JUDGE_SUM_CAST;
        if (strstr(label, "two passes"))
            model->variant[i].max = ATTEST_JUDGE_MAX_TWO_PASS;
        if (strstr(label, "before"))
            model->variant[i].place = ATTEST_JUDGE_PLACE_BEFORE;
    }
    return model;
}

static void print_lengths(struct ratios *r)
{
    puts("| model | 128 keys, median | largest | 1024 | largest | 4096 | largest | outside |\n"
         "|---|---|---|---|---|---|---|---|");
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        attest_judge_model *model = load_changed(models[m]);
        size_t outside = 0;

        if (!model)
            continue;
        printf("| %s |", models[m]);
        for (size_t i = 0; i < LENGTHS; i++) {
            *r = (struct ratios){0};
            for (int kind = 0; kind < DRAW_KINDS; kind++)
                measure(r, model, &lengths[i], kind, false);
            outside += r->outside;
            printf(" %.3g | %.3g |", quantile(r->all, r->count, 0.5),
                   quantile(r->all, r->count, 1));
        }
        printf(" %zu |\n", outside);
        attest_judge_model_free(model);
    }
}

/* The largest |exact result of rounded inputs - exact result| / bound of a few rows of normal
 * data. */
static double measure_tfloat32(const char *kernel, size_t keys)
{
    enum { ROWS = 4, COUNT = ROWS * COLUMNS };
    size_t count = (ROWS + keys) * DIM + keys * COLUMNS;
    double *x = calloc(count, sizeof *x), of[2][2][COUNT], most = 0;
    double *q = x, *k = q + ROWS * DIM, *v = k + keys * DIM;
    uint64_t state = attest_random_mix(keys);
    attest_judge_options options = {.jobs = 1};
    attest_judge_model *model;
    attest_format formats[2];
    attest_error error;
    attest_qkv qkv;

    if (!x || attest_judge_model_load(&model, kernel, &error) != ATTEST_OK ||
        attest_format_parse(&formats[0], "binary32", &error) != ATTEST_OK ||
        attest_format_parse(&formats[1], "tfloat32", &error) != ATTEST_OK)
        abort();
    draw_data(q, k, v, ROWS, keys, DIM, COLUMNS, 0, &state);
    qkv = (attest_qkv){
        .q = tensor(q, ROWS, DIM), .k = tensor(k, keys, DIM), .v = tensor(v, keys, COLUMNS)};
    for (int i = 0; i < 2; i++) {
        attest_judge_bounds bounds = {.exact = of[i][0], .bound = of[i][1]};

        round_to(x, count, &formats[i]);
        if (attest_judge_bound(&bounds, &qkv, model, &options, &error) != ATTEST_OK)
            abort();
    }
    for (size_t i = 0; i < COUNT; i++)
        most = fmax(most, fabs(of[1][0][i] - of[0][0][i]) / of[0][1][i]);
    attest_judge_model_free(model);
    free(x);
    return most;
}

static void print_tfloat32(void)
{
    static const char *const kernel[] = {"fp32-any", "fp32-flash2", "fp32-math"};

    puts("\n| tfloat32, error / bound | 128 keys | 1024 | 4096 |\n|---|---|---|---|");
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++) {
        printf("| %s |", kernel[i]);
        for (size_t l = 0; l < LENGTHS; l++)
            printf(" %.3g |", measure_tfloat32(kernel[i], lengths[l].keys));
        puts("");
    }
}

int main(int argc, char **argv)
{
    size_t most = argc > 1 ? strtoul(argv[1], NULL, 10) : SIZE_MAX;
    static struct ratios r;

    if (argc > 1 && strcmp(argv[1], "lengths") == 0) {
        setvbuf(stdout, NULL, _IOLBF, 0);
        print_lengths(&r);
        print_tfloat32();
        return 0;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("| model | median | 90 % | 99 % | most keys | target, median (4096 keys) | rows | "
         "exact | "
         "no bound | outside |\n|---|---|---|---|---|---|---|---|---|---|");
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        attest_judge_model *model = load(&entries[e]);
        size_t last = 0;

        r = (struct ratios){0};
        for (size_t i = 0; i < SIZES; i++)
            last = sizes[i].keys <= most ? i : last;
        for (size_t i = 0; i <= last; i++)
            for (int kind = 0; kind < DRAW_KINDS; kind++)
                measure(&r, model, &sizes[i], kind, i == last && kind == 0);
        printf("| %s | %.3g | %.3g | %.3g | %.3g | %s | %zu | %zu | %zu | %zu |\n",
               entries[e].label, quantile(r.all, r.count, 0.5), quantile(r.all, r.count, 0.9),
               quantile(r.all, r.count, 0.99), quantile(r.normal, r.normal_count, 0.5),
               entries[e].target, r.count, r.exact, r.unbounded, r.outside);
        attest_judge_model_free(model);
    }
    return 0;
}
