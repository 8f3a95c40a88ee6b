/* Recorded heads in a simulated arithmetic: orders of sums whose roundings in bfloat16, of 8
 * bits, are found by hand. */
#include <math.h>
#include <stdlib.h>

#include "audit/head_evaluate.h"
#include "tests/tap.h"

enum { DIM = 4, KEYS = 2 };

static attest_tensor tensor(const double *data, size_t tokens, size_t dim)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F64,
                           {1, 1, tokens, dim},
                           {0, 0, (ptrdiff_t)(dim * sizeof *data), sizeof *data}};
}

/* The difference of the scores of key 1 and key 0, which is (zero, 0, ...), from their weights.
 */
static double score(const double *q, const double *k, size_t dim, double zero, bool pairwise,
                    bool fma)
{
    double key[KEYS * DIM] = {0}, value[KEYS] = {0, 1}, out, weight[KEYS + 1];
    attest_format format;
    attest_simulated_arithmetic a;
    attest_audit_head_simulation *simulation;
    attest_judge_problem problem;
    attest_judge_head head;
    attest_qkv qkv = {.q = tensor(q, 1, dim),
                      .k = tensor(key, KEYS, dim),
                      .v = tensor(value, KEYS, 1),
                      .scale = "none"};

    key[0] = zero;
    for (size_t c = 0; c < dim; c++)
        key[dim + c] = k[c];
    if (attest_format_parse(&format, "bfloat16", NULL) != ATTEST_OK)
        abort();
    attest_simulated_arithmetic_init(&a, &format);
    a.pairwise = pairwise;
    a.fma = fma;
    if (!attest_audit_head_simulation_fits(&a) ||
        attest_judge_problem_init(&problem, &qkv, NULL) != ATTEST_OK ||
        attest_judge_head_init(&head, &problem, NULL) != ATTEST_OK ||
        attest_judge_head_load(&head, 0, 0, NULL) != ATTEST_OK)
        abort();
    simulation = attest_audit_head_simulation_new(&a, &problem);
    if (!simulation)
        abort();
    attest_audit_head_simulation_load(simulation, &head);
    attest_audit_head_simulation_run(&out, weight, simulation, &head, 0);
    attest_audit_head_simulation_free(simulation);
    attest_judge_head_clear(&head);
    attest_judge_problem_clear(&problem);
    return log(weight[1] / weight[0]);
}

static bool near(double x, double wanted)
{
    return fabs(x - wanted) < 0.02;
}

TEST(evaluate_in_double)
{
    /* 15.5 times 15.25 is 236.375, rounded 236: what a fused product keeps is 0.375 */
    static const double q[3] = {1, 1, 15.5}, k[3] = {-236, 0, 15.25};
    static const double again[3] = {1, 15.5, 1}, moved[3] = {-236, 15.25, 0};
    /* 257 is rounded to 256, and 258 is a number: (256 + 1) + (1 + 1) = 258 */
    static const double ones[DIM] = {1, 1, 1, 1}, sum[DIM] = {256, 1, 1, 1};
    static const double last[DIM] = {1, 1, 1, 256}; /* (1 + 1) + (1 + 256) */

    TAP_OK(near(score(q, k, 3, 0, false, false), 0) &&
               near(score(q, k, 3, 0, false, true), 0.375),
           "one after another, the last product fused or not");
    TAP_OK(near(score(q, k, 3, 0, true, false), 0) && near(score(q, k, 3, 0, true, true), 0),
           "by halves, the last of three products is a half of its own");
    TAP_OK(near(score(again, moved, 3, 0, true, true), 0.375) &&
               near(score(again, moved, 2, 0, true, true), 0.375) &&
               near(score(again, moved, 2, 0, true, false), 0),
           "of two products the second is fused");
    TAP_OK(near(score(ones, sum, DIM, 256, false, false), 0) &&
               near(score(ones, sum, DIM, 256, true, false), 2) &&
               near(score(ones, last, DIM, 256, false, false), 4) &&
               near(score(ones, last, DIM, 256, true, false), 2),
           "four terms by halves");
    return 0;
}
