/* range.c -- events on several heads: the worst answer of the single heads, the first kernel
 * and place, with any number of processes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/range.h"
#include "tests/judge/judge_cases.h"

enum { BATCH = 2, HEADS = 3, QUERIES = 2, KEYS = 6, DIM = 4, CASES = 60, DRAWN = 12 };

static double data[3][BATCH * HEADS * KEYS * DIM];

static attest_tensor tensor(size_t which, size_t tokens)
{
    ptrdiff_t row = DIM * sizeof(double), head = row * (ptrdiff_t)tokens;

    return (attest_tensor){data[which],
                           ATTEST_TENSOR_F64,
                           {BATCH, HEADS, tokens, DIM},
                           {head * HEADS, head, row, sizeof(double)}};
}

/* Numbers of every head of another size, so that only some overflow, or vanish. */
static attest_qkv draw(const attest_judge_variant *variant, uint64_t *state)
{
    for (size_t h = 0; h < BATCH * HEADS; h++) {
        bool half = variant->v.precision == 11; /* scores beyond 2^16 */
        int power = (int)case_pick(state, half ? 10 : 7) - 1,
            value_power = (int)case_pick(state, half ? 19 : 11) - 4;

        for (size_t i = 0; i < KEYS * DIM; i++) {
            if (i < QUERIES * DIM)
                data[0][h * QUERIES * DIM + i] = case_number(state, &variant->q, power);
            data[1][h * KEYS * DIM + i] = case_number(state, &variant->k, power);
            data[2][h * KEYS * DIM + i] = case_number(state, &variant->v, value_power);
        }
    }
    return (attest_qkv){
        .q = tensor(0, QUERIES), .k = tensor(1, KEYS), .v = tensor(2, KEYS), .scale = "1"};
}

/* One head of them. */
static attest_tensor part(attest_tensor x, size_t batch, size_t head)
{
    x.data =
        (const char *)x.data + (ptrdiff_t)batch * x.stride[0] + (ptrdiff_t)head * x.stride[1];
    x.shape[0] = x.shape[1] = 1;
    return x;
}

static attest_qkv one_head(attest_qkv x, size_t batch, size_t head)
{
    x.q = part(x.q, batch, head);
    x.k = part(x.k, batch, head);
    x.v = part(x.v, batch, head);
    return x;
}

static void add(attest_judge_ranges *ranges, const attest_qkv *qkv,
                const attest_judge_model *model, size_t jobs)
{
    attest_error error = {0};

    if (attest_judge_ranges_add(ranges, qkv, model, jobs, &error) != ATTEST_OK) {
        printf("# %s\n", error.text);
        abort();
    }
}

static bool same_event(const attest_judge_event_result *x, const attest_judge_event_result *y)
{
    if (x->answer != y->answer || x->answer != ATTEST_JUDGE_YES)
        return x->answer == y->answer;
    return x->drawn == y->drawn && x->schedule == y->schedule && x->variant == y->variant &&
           x->seed == y->seed && x->count == y->count && x->batch == y->batch &&
           x->head == y->head && x->row == y->row && x->key == y->key &&
           (x->value == y->value || (isnan(x->value) && isnan(y->value)));
}

/* How many events and numbers of two findings differ. */
static size_t differences(const attest_judge_ranges *x, const attest_judge_ranges *y)
{
    size_t wrong = 0;

    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        wrong += !same_event(&x->event[e], &y->event[e]);
    return wrong + (x->most_weight != y->most_weight) + (x->least_weight != y->least_weight) +
           (x->threshold_proved != y->threshold_proved) +
           (x->any_threshold != y->any_threshold) + (x->smallest_offset != y->smallest_offset) +
           (x->largest_offset != y->largest_offset) + !arb_equal(x->threshold, y->threshold) +
           !arb_equal(x->threshold_never, y->threshold_never) + (x->limit != y->limit);
}

/* What the kernels of the model do on a head, watched here: the first that does it, and how
 * often. An answer of no is a proof that none does; yes must be that one. */
static size_t wrong_answers(const attest_judge_ranges *ranges, const attest_qkv *qkv,
                            const attest_judge_model *model)
{
    size_t kernels = model->schedules ? model->schedules : DRAWN, wrong = 0;
    bool seen[ATTEST_JUDGE_EVENTS] = {false};
    attest_judge_problem problem;
    attest_judge_head head;
    attest_error error = {0};
    double out[DIM];

    if (attest_judge_problem_init(&problem, qkv, &error) != ATTEST_OK ||
        attest_judge_head_init(&head, &problem, &error) != ATTEST_OK ||
        attest_judge_head_load(&head, 0, 0, &error) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < kernels; i++) {
        size_t which = model->schedules ? 0 : i % model->variants;
        const attest_judge_variant *variant = &model->variant[which];
        attest_judge_watch watch = {0};
        attest_judge_instance x;
        attest_judge_recipe recipe;

        if (model->schedules)
            attest_judge_recipe_from_schedule(&recipe, variant, &model->schedule[i]);
        else if (attest_judge_recipe_draw(&recipe, variant, i, &error) != ATTEST_OK)
            continue;
        if (attest_judge_instance_init(&x, &problem, variant, &recipe, &error) != ATTEST_OK)
            abort();
        x.watch = &watch;
        for (size_t row = 0; row < QUERIES; row++)
            if (attest_judge_instance_run(out, &x, &head, row, &error) != ATTEST_OK)
                abort();
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++) {
            const attest_judge_event_result *event = &ranges->event[e];

            if (watch.count[e] == 0 || seen[e])
                continue;
            seen[e] = true;
            wrong += event->answer != ATTEST_JUDGE_YES || event->count != watch.count[e] ||
                     event->row != watch.first_row[e] || event->key != watch.first_key[e] ||
                     event->variant != which || event->drawn != (model->schedules == 0) ||
                     (model->schedules ? event->schedule : event->seed) != i;
        }
        attest_judge_instance_clear(&x);
    }
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        wrong += ranges->event[e].answer == ATTEST_JUDGE_YES && !seen[e];
    attest_judge_head_clear(&head);
    attest_judge_problem_clear(&problem);
    return wrong;
}

/* to = the worse of both, by the contract; the first of two that are as bad. */
static void unite(attest_judge_ranges *to, const attest_judge_ranges *from)
{
    static const int badness[] = {
        [ATTEST_JUDGE_NO] = 0, [ATTEST_JUDGE_OPEN] = 1, [ATTEST_JUDGE_YES] = 2};

    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (badness[from->event[e].answer] > badness[to->event[e].answer])
            to->event[e] = from->event[e];
    to->most_weight = fmax(to->most_weight, from->most_weight);
    to->least_weight = fmin(to->least_weight, from->least_weight);
    to->threshold_proved = fmin(to->threshold_proved, from->threshold_proved);
    to->any_threshold = to->any_threshold && from->any_threshold;
    to->smallest_offset = fmax(to->smallest_offset, from->smallest_offset);
    to->largest_offset = fmin(to->largest_offset, from->largest_offset);
    to->limit = from->limit;
    arb_set(to->threshold, from->threshold);
    arb_set(to->threshold_never, from->threshold_never);
}

/* answers[e][answer] counts those of single heads. */
static void test(size_t *wrong, size_t *unlike, size_t *jobs_unlike,
                 size_t answers[ATTEST_JUDGE_EVENTS][3], const attest_judge_model *model,
                 uint64_t *state)
{
    attest_qkv qkv = draw(model->variant, state);
    attest_judge_ranges all, expected, one;

    attest_judge_ranges_init(&all);
    attest_judge_ranges_init(&expected);
    add(&all, &qkv, model, 1);
    *wrong += !(all.most_weight > 0) + !(all.least_weight < (double)INFINITY) +
              !(all.threshold_proved < (double)INFINITY) +
              !(all.largest_offset < (double)INFINITY) +
              (model->variant->cast && !(all.smallest_offset > -(double)INFINITY));
    for (size_t h = 0; h < BATCH * HEADS; h++) {
        attest_qkv head = one_head(qkv, h / HEADS, h % HEADS);

        attest_judge_ranges_init(&one);
        add(&one, &head, model, 0);
        *wrong += wrong_answers(&one, &head, model);
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++) {
            answers[e][one.event[e].answer]++;
            one.event[e].batch = h / HEADS;
            one.event[e].head = h % HEADS;
        }
        unite(&expected, &one);
        attest_judge_ranges_clear(&one);
    }
    *unlike += differences(&all, &expected);
    for (size_t jobs = 2; jobs <= BATCH * HEADS + 1; jobs += 5) {
        attest_judge_ranges_init(&one);
        add(&one, &qkv, model, jobs);
        *jobs_unlike += differences(&all, &one);
        attest_judge_ranges_clear(&one);
    }
    attest_judge_ranges_clear(&all);
    attest_judge_ranges_clear(&expected);
}

/* Scores of one head, or of none, are too far apart for every threshold to be safe. */
static void test_any_threshold(void)
{
    size_t wrong = 0;
    attest_judge_variant variant;
    const attest_judge_model model = {.variants = 1, .variant = &variant};

    case_variant(&variant, &(uint64_t){1}, 0);
    for (size_t far = 0; far <= BATCH * HEADS; far++) {
        attest_judge_ranges ranges;
        attest_qkv qkv = draw(&variant, &(uint64_t){1});

        memset(data, 0, sizeof data);
        for (size_t i = 0; far < BATCH * HEADS && i < QUERIES * DIM; i++)
            data[0][far * QUERIES * DIM + i] = 8;
        for (size_t i = 0; far < BATCH * HEADS && i < DIM; i++)
            data[1][far * KEYS * DIM + i] = 8;
        attest_judge_ranges_init(&ranges);
        add(&ranges, &qkv, &model, 1);
        wrong += ranges.any_threshold != (far == BATCH * HEADS);
        attest_judge_ranges_clear(&ranges);
    }
    TAP_OK(wrong == 0, "every threshold is safe if it is for every head: %zu are wrong", wrong);
}

/* Inputs that are 0: all weights are equal, and nothing happens; but that a weight vanishes is
 * left open where it may be divided by a row sum that has an offset. */
static void test_quiet(void)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        attest_judge_variant variant;
        const attest_judge_model model = {.variants = 1, .variant = &variant};
        attest_judge_ranges ranges;
        attest_qkv qkv;
        size_t wrong = 0;

        case_variant(&variant, &(uint64_t){3}, kind);
        qkv = draw(&variant, &(uint64_t){3});
        memset(data, 0, sizeof data);
        attest_judge_ranges_init(&ranges);
        add(&ranges, &qkv, &model, 1);
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
            if (e != ATTEST_JUDGE_WEIGHT_VANISHES || variant.offset <= 0)
                wrong += ranges.event[e].answer != ATTEST_JUDGE_NO;
        TAP_OK(wrong == 0, "kind %zu: equal weights exclude every event, %zu are not", kind,
               wrong);
        attest_judge_ranges_clear(&ranges);
    }
}

TEST(range)
{
    size_t wrong = 0, unlike = 0, jobs_unlike = 0, answers[ATTEST_JUDGE_EVENTS][3] = {{0}};
    uint64_t state = tap_seed(0x4a9e);

    for (size_t i = 0; i < CASES; i++) {
        attest_judge_variant variant[2];
        attest_judge_schedule schedule[2];
        attest_judge_model model = {.variant = variant, .schedule = schedule};
        size_t kind = i % CASE_KINDS;

        for (size_t k = 0; k < 2; k++) {
            case_variant(&variant[k], &state, kind);
            schedule[k] =
                (attest_judge_schedule){.tile = 1 + k,
                                        .rescale = (double)(2 * k),
                                        .lanes = 1,
                                        .scores = variant->score.order + !variant->score.order,
                                        .pv = variant->pv.order + !variant->pv.order,
                                        .direction = ATTEST_JUDGE_DIRECTION_FORWARD};
        }
        model.variants = 1 + case_pick(&state, 2);
        model.schedules = model.variants == 1 && case_pick(&state, 2) ? 2 : 0;
        test(&wrong, &unlike, &jobs_unlike, answers, &model, &state);
    }
    TAP_OK(wrong == 0, "answers are those of kernels that are run: %zu are not", wrong);
    TAP_OK(unlike == 0, "of heads together, the worst: %zu are not", unlike);
    TAP_OK(jobs_unlike == 0, "the same from several processes: %zu are not", jobs_unlike);
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        TAP_OK(answers[e][ATTEST_JUDGE_NO] > 0 &&
                   answers[e][ATTEST_JUDGE_YES] + answers[e][ATTEST_JUDGE_OPEN] > 0,
               "%s: %zu no, %zu yes, %zu undecided",
               attest_judge_event_name((attest_judge_event)e), answers[e][ATTEST_JUDGE_NO],
               answers[e][ATTEST_JUDGE_YES], answers[e][ATTEST_JUDGE_OPEN]);
    test_any_threshold();
    test_quiet();
    return 0;
}
