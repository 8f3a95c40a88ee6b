/* The bounds of judge over attention in binary64 on the same Q, K, V, one head, processor time,
 * interleaved, best of many; the multiply-adds of simulated kernels; how time and memory grow
 * with the keys. Goals: bounds at most 8 times the double kernel, replayed schedules 40 times;
 * 20 million multiply-adds a second on a matrix unit; memory linear in the keys.
 *
 * The reference is the double kernel without its error bound and without a mask. An argument
 * leaves out the shapes with more keys. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <attest/kernel.h>

#include "bench/timing.h"
#include "judge/model.h"

/* A model, its schedules replayed or left out. */
struct entry {
    const char *label, *name;
    bool replayed;
};

static const struct entry entries[] = {
    {"fp32-any", "fp32-any", false},
    {"fp32-flash2", "fp32-flash2", false},
    {"bf16-any, 8 combinations", "bf16-any", false},
    {"bf16-flash2, 4 tiles", "bf16-flash2", false},
    {"fp8-flash3-hopper, 6 tiles", "fp8-flash3-hopper", false},
    {"bf16-eager, 4 combinations", "bf16-eager", false},
    {"hopper-bf16-64, no schedule", "hopper-bf16-64", false},
    {"hopper-bf16-64, replayed", "hopper-bf16-64", true},
};

static const struct entry replayed = {"hopper-bf16-64, replayed", "hopper-bf16-64", true};

/* One head; the output is as large as q. */
struct head {
    size_t queries, keys, dim;
    double *q, *k, *v, *out;
};

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Numbers that every input format has. */
static double *draw(size_t count, uint64_t *state)
{
    double *x = malloc(count * sizeof *x);

    if (!x)
        abort();
    for (size_t i = 0; i < count; i++)
        x[i] = floor(16 * timing_random(state)) / 8;
    return x;
}

static void head_init(struct head *head, size_t queries, size_t keys, size_t dim)
{
    uint64_t state = 0x5eed;

    *head = (struct head){.queries = queries, .keys = keys, .dim = dim};
    head->q = draw(queries * dim, &state);
    head->k = draw(keys * dim, &state);
    head->v = draw(keys * dim, &state);
    head->out = draw(5 * queries * dim, &state);
}

static void head_clear(struct head *head)
{
    free(head->q);
    free(head->k);
    free(head->v);
    free(head->out);
}

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

static attest_qkv question(const struct head *head)
{
    return (attest_qkv){.q = tensor(head->q, head->queries, head->dim),
                        .k = tensor(head->k, head->keys, head->dim),
                        .v = tensor(head->v, head->keys, head->dim)};
}

static attest_judge_model *load(const struct entry *entry)
{
    attest_judge_model *model;
    attest_error error;

    if (attest_judge_model_load(&model, entry->name, &error) != ATTEST_OK)
        abort();
    if (!entry->replayed)
        model->schedules = 0;
    return model;
}

/* The seconds of one attest_judge_bound with all its arrays. */
static double time_bound(const struct head *head, const attest_judge_model *model)
{
    size_t count = head->queries * head->dim;
    attest_judge_bounds bounds = {head->out,
                                  head->out + count,
                                  head->out + 2 * count,
                                  head->out + 3 * count,
                                  head->out + 4 * count,
                                  NULL};
    attest_judge_options options = {.jobs = 1};
    attest_qkv qkv = question(head);
    attest_error error;
    double start = processor_seconds();

    if (attest_judge_bound(&bounds, &qkv, model, &options, &error) != ATTEST_OK)
        abort();
    return processor_seconds() - start;
}

static double time_simulation(const struct head *head, const attest_judge_model *model)
{
    attest_judge_options options = {.jobs = 1};
    attest_qkv qkv = question(head);
    attest_error error;
    double start = processor_seconds();

    if (attest_judge_simulate(head->out, NULL, NULL, &qkv, model, 0, &options, &error) !=
        ATTEST_OK)
        abort();
    return processor_seconds() - start;
}

static double time_kernel(const struct head *head)
{
    double start = processor_seconds();

    attest_kernel_softmax_attention(head->out, head->q, head->k, head->v, 1, head->keys,
                                    head->dim, NULL);
    return processor_seconds() - start;
}

/* Every model over the double kernel, by turns and for about as long: where others use the
 * machine, the ratio of the means tells more than that of the best times. */
static void compare(size_t keys, size_t dim)
{
    struct head head;
    size_t rounds = keys <= 256 ? 9 : keys <= 1024 ? 3 : 1;

    head_init(&head, keys, keys, dim);
    printf("%zu queries and keys, dim %zu\n", keys, dim);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        attest_judge_model *model = load(&entries[i]);
        double kernel = INFINITY, bound = INFINITY, kernel_sum = 0, bound_sum = 0, turns = 0;

        for (size_t round = 0; round < rounds; round++) {
            double took = time_bound(&head, model);

            bound = fmin(bound, took);
            bound_sum += took;
            while (kernel_sum < bound_sum) {
                took = time_kernel(&head);
                kernel = fmin(kernel, took);
                kernel_sum += took;
                turns++;
            }
        }
        printf("  %-28s %9.2f ms  double kernel %8.3f ms, %5.2f ns a pair  best %6.2fx  mean "
               "%6.2fx\n",
               entries[i].label, 1e3 * bound, 1e3 * kernel,
               1e9 * kernel / ((double)keys * (double)keys), bound / kernel,
               bound_sum / (double)rounds / (kernel_sum / turns));
        attest_judge_model_free(model);
    }
    head_clear(&head);
}

static void simulate(size_t keys, size_t dim)
{
    struct head head;
    attest_judge_model *model = load(&replayed);
    double best = INFINITY, multiplications = 2 * 16 * (double)keys * (double)dim;

    head_init(&head, 16, keys, dim);
    for (int round = 0; round < 3; round++)
        best = fmin(best, time_simulation(&head, model));
    printf("simulate hopper-bf16-64, 16 queries, %zu keys, dim %zu: %.1f million multiply-adds "
           "a second\n",
           keys, dim, 1e-6 * multiplications / best);
    attest_judge_model_free(model);
    head_clear(&head);
}

/* Measures a few queries and many keys in a separate process, and prints its memory. */
static void grow(const struct entry *entry, size_t keys)
{
    struct rusage used;
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        attest_judge_model *model = load(entry);
        struct head head;

        head_init(&head, 8, keys, 128);
        printf("  %-28s %6zu keys %8.1f ms", entry->label, keys,
               1e3 * time_bound(&head, model));
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || status != 0)
        abort();
    printf("  %7.1f MiB\n", (double)used.ru_maxrss / 1024);
}

/* One head of many, from a part of its rows. */
static void estimate(void)
{
    attest_judge_model *model = load(&entries[0]);
    struct head head;

    head_init(&head, 128, 4096, 128);
    printf(
        "fp32-any, 32 heads of 4096 queries and keys, dim 128: %.1f s on two cores, from 128 "
        "rows of one\n",
        time_bound(&head, model) * 4096 / 128 * 32 / 2);
    head_clear(&head);
    attest_judge_model_free(model);
}

int main(int argc, char **argv)
{
    static const size_t shapes[][2] = {{256, 64}, {1024, 64}, {2048, 128}};
    size_t most = argc > 1 ? strtoul(argv[1], NULL, 10) : SIZE_MAX;

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("kernel %s\n", attest_kernel_name());
    for (size_t i = 0; i < 3; i++)
        if (shapes[i][0] <= most)
            compare(shapes[i][0], shapes[i][1]);
    simulate(256, 64);
    simulate(1024, 128);
    estimate();
    printf("8 queries, dim 128\n");
    for (size_t keys = 16384; keys <= 65536; keys *= 2) {
        grow(&entries[0], keys);
        grow(&replayed, keys);
    }
    return 0;
}
