/* t-simulate.c -- kernels, bit for bit against MPFR, and drawn kernels against their model. */
#include <math.h>

#include "tests/ref/schedule.h"
#include "tests/unit/judge_cases.h"

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* The row of a case as the oracle takes it; its scales are those of judge_cases.h. */
static void get_row(ref_row *row, bool *seen, judge_case *c, size_t i)
{
    const attest_judge_question *q = &c->question;
    attest_judge_row r;

    attest_judge_head_get_row(&r, &c->head, i);
    *row = (ref_row){.q = c->q + i * q->dim,
                     .k = c->k,
                     .v = c->v,
                     .keys = q->keys,
                     .dim = q->dim,
                     .value_dim = q->value_dim,
                     .first = r.first,
                     .last = r.last,
                     .seen = seen,
                     .rsqrt = !c->qkv.scale,
                     .over = 1,
                     .under = 1,
                     .cap = c->qkv.softcap ? atof(c->qkv.softcap) : 0,
                     .sink = c->qkv.sink.data != NULL,
                     .logit = c->sink};
    for (size_t j = 0; j < q->keys; j++)
        seen[j] = j >= r.first && j < r.last && (!c->qkv.mask.data || c->mask[i * q->keys + j]);
    if (c->qkv.scale && strcmp(c->qkv.scale, "1/3") == 0)
        row->under = 3;
    if (c->qkv.scale && strcmp(c->qkv.scale, "0.3") == 0) {
        row->over = 3;
        row->under = 10;
    }
    if (c->qkv.mask.data && c->qkv.mask.type != ATTEST_TENSOR_BOOL)
        row->bias = c->bias + i * q->keys;
}

static void check_schedules(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        size_t wrong = 0, elements = 0, finite = 0;

        for (size_t t = 0; t < 150; t++) {
            judge_case c;
            attest_judge_recipe recipe;
            double out[CASE_VALUES], want[CASE_VALUES];
            bool seen[CASE_KEYS];
            attest_error error = {0};
            ref_row row;

            case_init(&c, state, kind);
            attest_judge_recipe_from_schedule(&recipe, &c.variant, &c.schedule);
            for (size_t i = 0; i < c.question.queries; i++) {
                get_row(&row, seen, &c, i);
                ref_schedule(want, &row, &c.variant, &c.schedule);
                if (attest_judge_simulate_row(out, &c.head, i, &c.variant, &recipe, &error) !=
                    ATTEST_OK)
                    printf("# %s\n", error.text), wrong++;
                for (size_t v = 0; v < c.question.value_dim; v++) {
                    elements++;
                    finite += isfinite(want[v]) != 0;
                    wrong += !same(out[v], want[v]);
                }
            }
            case_clear(&c);
        }
        TAP_OK(wrong == 0 && finite > elements / 2,
               "kind %zu: %zu elements, %zu finite, %zu are not those of MPFR", kind, elements,
               finite, wrong);
    }
}

int main(void)
{
    uint64_t state = tap_seed(1);

    check_schedules(&state);
    return tap_done();
}
