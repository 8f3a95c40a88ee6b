/* Simulated formats in doubles against the same layers by MPFR: one head of d = 64, s = 16 on
 * 16 sequences of up to 32 tokens, processor time, the outputs compared bit for bit. */
#include <math.h>
#include <time.h>

#include "audit/evaluate.h"
#include "tests/ref/audit_cases.h"

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of some evaluations; outputs are those of the last. */
static double best_of(attest_audit_outputs *outputs, const attest_audit_request *request,
                      const attest_simulated_arithmetic *arithmetic, int rounds)
{
    double best = INFINITY;

    for (int i = 0; i < rounds; i++) {
        double start = seconds();
        if (i > 0)
            attest_audit_outputs_clear(outputs);
        if (attest_audit_evaluate(outputs, request, arithmetic, NULL) != ATTEST_OK)
            abort();
        best = fmin(best, seconds() - start);
    }
    return best;
}

static void measure(const char *name, const audit_case *test)
{
    attest_format format;
    attest_simulated_arithmetic arithmetic;
    attest_audit_request request;
    attest_audit_outputs doubles, mpfr;
    double fast, slow;
    size_t different = 0;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    attest_simulated_arithmetic_init(&arithmetic, &format);
    attest_audit_request_init(&request, &test->dataset, &test->layer.weights);
    fast = best_of(&doubles, &request, &arithmetic, 7);
    request.always_mpfr = true;
    slow = best_of(&mpfr, &request, &arithmetic, 2);
    for (size_t i = 0; i < doubles.count * doubles.dim; i++) {
        double x = doubles.real ? doubles.real[i] : NAN;
        double y = mpfr_get_d(mpfr.wide + i, MPFR_RNDN);
        different += !(x == y || (isnan(x) && isnan(y)));
    }
    printf("%-14s %8.2f ms  by MPFR %8.2f ms  %5.1fx  %s\n", name, 1e3 * fast, 1e3 * slow,
           slow / fast, different ? "DIFFERENT" : "equal");
    attest_audit_outputs_clear(&doubles);
    attest_audit_outputs_clear(&mpfr);
}

int main(void)
{
    static const char *const name[] = {"binary64", "binary32",      "tfloat32",   "bfloat16",
                                       "binary16", "float8_e4m3fn", "float8_e5m2"};
    const ref_shape shape = {1, 64, 16, 32, 4, 16, false};
    uint64_t state = 0x5eed;
    audit_case test;

    audit_case_init(&test, &shape, 16, 300, &state);
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        measure(name[i], &test);
    audit_case_clear(&test);
    flint_cleanup();
    return 0;
}
