/* t-replay.c -- every kernel of a schedule lies between the ends that replay gives, whatever
 * its exp, tanh and division return; and the ends are not far apart. */
#include <math.h>

#include "tests/unit/judge_cases.h"

/* Another kernel of the same schedule. */
static void draw_open(attest_judge_recipe *recipe, uint64_t *state, size_t trial)
{
    bool push = trial % 3 == 0;

    recipe->exp_error = push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->softcap_error =
        push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->final_error = push ? ATTEST_RECIPE_PUSH : (attest_recipe_error)case_pick(state, 4);
    recipe->reciprocal = case_pick(state, 2) == 1;
    recipe->flush = case_pick(state, 2) == 1;
    recipe->target = case_pick(state, CASE_VALUES);
    recipe->push_up = case_pick(state, 2) == 1;
    recipe->seed = attest_random_next(state);
}

static void set_cases(judge_case *c, uint64_t *state, size_t kind, size_t trial)
{
    case_init(c, state, kind);
    if (trial % 4 == 1)
        c->variant.sum_of = ATTEST_JUDGE_SUM_ANY;
    if (trial % 8 == 3)
        c->variant.output_any = true;
    if (trial % 5 == 2)
        c->variant.exp_relative = 0x1p-6;
}

static size_t check_row(judge_case *c, attest_judge_replay *replay, uint64_t *state, size_t i,
                        size_t *touched)
{
    double lo[CASE_VALUES], hi[CASE_VALUES], out[CASE_VALUES];
    size_t outside = 0, values = c->question.value_dim;
    attest_error error = {0};

    if (!attest_judge_replay_row(lo, hi, replay, &c->head, i))
        return 0;
    for (size_t t = 0; t < 12; t++) {
        attest_judge_recipe recipe;

        attest_judge_recipe_from_schedule(&recipe, &c->variant, &c->schedule);
        if (t > 0)
            draw_open(&recipe, state, t);
        if (c->variant.sum_of == ATTEST_JUDGE_SUM_ANY)
            recipe.sum_cast = t % 2 == 1;
        if (c->variant.output_any)
            recipe.output = (attest_recipe_error)(t % 5);
        if (attest_judge_simulate_row(out, &c->head, i, &c->variant, &recipe, &error) !=
            ATTEST_OK)
            outside++;
        for (size_t v = 0; v < values; v++) {
            outside += !(out[v] >= lo[v] && out[v] <= hi[v]);
            *touched += lo[v] < hi[v] && (out[v] == lo[v] || out[v] == hi[v]);
        }
    }
    return outside;
}

static void check_inside(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        size_t outside = 0, touched = 0, unknown = 0, rows = 0;

        for (size_t t = 0; t < 250; t++) {
            judge_case c;
            attest_judge_replay replay;
            attest_error error = {0};

            set_cases(&c, state, kind, t);
            if (attest_judge_replay_init(&replay, &c.question, &c.variant, &c.schedule,
                                         &error) != ATTEST_OK) {
                printf("# %s\n", error.text);
                unknown++;
            } else {
                for (size_t i = 0; i < c.question.queries; i++, rows++)
                    outside += check_row(&c, &replay, state, i, &touched);
                attest_judge_replay_clear(&replay);
            }
            case_clear(&c);
        }
        TAP_OK(outside == 0 && unknown == 0 && touched > rows,
               "kind %zu: %zu rows, %zu elements outside, %zu at an end", kind, rows, outside,
               touched);
    }
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* The distance of the ends in the unit roundoffs of the output at the largest value. */
static double get_width(judge_case *c, attest_judge_replay *replay, size_t i)
{
    double lo[CASE_VALUES], hi[CASE_VALUES], width = 0, most = 0;

    if (!attest_judge_replay_row(lo, hi, replay, &c->head, i))
        return INFINITY;
    for (size_t j = 0; j < c->question.keys * c->question.value_dim; j++)
        most = fmax(most, fabs(c->v[j]));
    for (size_t v = 0; v < c->question.value_dim; v++)
        width = fmax(width, hi[v] - lo[v]);
    return most > 0 ? width / most * ldexp(1, (int)c->variant.output.precision) : 0;
}

/* For an exp that is correctly rounded, and no tanh. */
static void check_narrow(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        double width[400];
        size_t count = 0;

        while (count < 400) {
            judge_case c;
            attest_judge_replay replay;
            attest_error error = {0};

            case_init(&c, state, kind);
            c.variant.exp_relative = 0x1p-24;
            if (!c.question.capped &&
                attest_judge_replay_init(&replay, &c.question, &c.variant, &c.schedule,
                                         &error) == ATTEST_OK) {
                width[count++] = get_width(&c, &replay, 0);
                attest_judge_replay_clear(&replay);
            }
            case_clear(&c);
        }
        qsort(width, count, sizeof *width, by_size);
        TAP_OK(
            width[360] <= (kind == 0 ? 4 : 0) && width[399] <= 16,
            "kind %zu: the ends are %.3g units apart at the median, %.3g at 90 in 100, at most "
            "%.3g",
            kind, width[200], width[360], width[399]);
    }
}

int main(void)
{
    uint64_t state = tap_seed(1);

    check_inside(&state);
    check_narrow(&state);
    return tap_done();
}
