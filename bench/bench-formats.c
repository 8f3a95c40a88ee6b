/* Multiply-adds of simulated arithmetic per second of one core: dot products as matrix units
 * form them, and in formats that doubles host, every product and every sum rounded. Goals: 20
 * million for matrix units, 120 million for hosted formats. */
#include "bench/timing.h"
#include "judge/matrix_unit.h"

enum { ROWS = 64, LENGTH = 128, REPEAT = 200 };

struct work {
    attest_judge_core core;
    attest_in_double hosted;
    double a[ROWS * LENGTH], b[ROWS * LENGTH], out[ROWS];
};

static void run_core(void *context)
{
    struct work *w = context;

    for (int r = 0; r < REPEAT; r++)
        for (size_t i = 0; i < ROWS; i++)
            w->out[i] = attest_judge_core_dot(0.5, w->a + i * LENGTH, w->b + i * LENGTH, LENGTH,
                                              &w->core);
}

/* The columns of ROWS dot products with one vector. */
static void run_hosted(void *context)
{
    struct work *w = context;

    for (int r = 0; r < REPEAT; r++)
        attest_in_double_combine(w->out, w->a, ROWS, LENGTH, ROWS, w->b, &w->hosted);
}

static attest_format get_format(const char *name)
{
    attest_format format;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    return format;
}

static void fill(struct work *w, const attest_format *format)
{
    uint64_t state = 0x5eed;

    for (size_t i = 0; i < ROWS * LENGTH; i++) {
        w->a[i] = attest_format_cast(4 * timing_random(&state), format);
        w->b[i] = attest_format_cast(4 * timing_random(&state), format);
    }
}

static void print(const char *name, const char *format, const char *out, void (*run)(void *),
                  struct work *w)
{
    struct contestant one = {name, run, 0};

    timing_race(&one, 1, w, 0.3);
    printf("%-14s %-14s %-9s %7.1f M multiply-adds/s\n", name, format, out,
           (double)ROWS * LENGTH * REPEAT / one.best / 1e6);
}

int main(void)
{
    static const char *const unit[] = {"tc:volta", "tc:ampere", "tc:ada", "tc:hopper",
                                       "tc:blackwell"};
    static const char *const input[] = {"binary16", "bfloat16", "tfloat32", "float8_e4m3fn",
                                        "float8_e5m2"};
    static const char *const hosted[] = {"binary32",    "tfloat32",       "bfloat16",
                                         "binary16",    "p=11",           "float8_e4m3fn",
                                         "float8_e5m2", "float8_e4m3fnuz"};
    static struct work w;

    for (size_t u = 0; u < 5; u++)
        for (size_t i = 0; i < 5; i++)
            for (int half = 0; half < 2; half++) {
                attest_format format = get_format(input[i]);

                if (attest_judge_core_init(&w.core, unit[u], &format, &format, half, 0, NULL))
                    continue;
                fill(&w, &format);
                print(unit[u], input[i], half ? "binary16" : "binary32", run_core, &w);
            }
    for (size_t i = 0; i < sizeof hosted / sizeof hosted[0]; i++) {
        attest_format format = get_format(hosted[i]);
        static bool escaped;

        attest_in_double_init(&w.hosted, &format, ATTEST_SIMULATED_NEAREST, &escaped, NULL);
        fill(&w, &format);
        print("hosted", hosted[i], "", run_hosted, &w);
    }
    return 0;
}
