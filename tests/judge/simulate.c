/* simulate.c -- kernels, bit for bit against MPFR, and drawn kernels against their model. */
#include <math.h>

#include "judge/range.h"
#include "tests/ref/schedule.h"
#include "tests/judge/judge_cases.h"

static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* The row of a case as the oracle takes it; its scales are those of judge_cases.h. */
static void get_row(ref_row *row, bool *seen, judge_case *c, size_t i)
{
    const attest_judge_problem *q = &c->problem;
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
            if (c.schedule.flush && t % 2 == 0)
                case_shrink(&c, state);
            attest_judge_recipe_from_schedule(&recipe, &c.variant, &c.schedule);
            for (size_t i = 0; i < c.problem.queries; i++) {
                get_row(&row, seen, &c, i);
                ref_schedule(want, &row, &c.variant, &c.schedule);
                if (attest_judge_simulate_row(out, &c.head, i, &c.variant, &recipe, &error) !=
                    ATTEST_OK)
                    printf("# %s\n", error.text), wrong++;
                for (size_t v = 0; v < c.problem.value_dim; v++) {
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

/* ---- drawn kernels ---- */

/* The exact result in doubles, and how far a kernel with these roundings may be from it: crude,
 * but a structure that is wrong is farther away. */
static void get_exact(double *o, double *crude, judge_case *c, size_t i, bool query)
{
    const attest_judge_problem *q = &c->problem;
    const attest_judge_variant *v = &c->variant;
    double sum = 0, size = 0, most = 0, t[CASE_KEYS], top = -INFINITY;
    double cap = c->qkv.softcap ? atof(c->qkv.softcap) : 0, scale, g;
    attest_judge_row row;
    arb_t ball;

    attest_judge_head_get_row(&row, &c->head, i);
    arb_init(ball);
    attest_judge_problem_get_scale(ball, q, 64);
    scale = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    arb_clear(ball);
    for (size_t j = row.first; j < row.last; j++) {
        double s = 0, a = 0;

        for (size_t d = 0; d < q->dim; d++) {
            s += c->q[i * q->dim + d] * c->k[j * q->dim + d];
            a += fabs(c->q[i * q->dim + d] * c->k[j * q->dim + d]);
        }
        s *= scale;
        t[j] = (cap > 0 ? cap * tanh(s / cap) : s) + (row.bias ? row.bias[j - row.first] : 0);
        size = fmax(size, a * scale + fabs(s) + 1);
        top = fmax(top, t[j]);
        for (size_t e = 0; e < q->value_dim; e++)
            most = fmax(most, fabs(c->v[j * q->value_dim + e]));
    }
    sum = c->qkv.sink.data ? exp(c->sink - top) : 0;
    for (size_t e = 0; e < q->value_dim; e++)
        o[e] = 0;
    for (size_t j = row.first; j < row.last; j++) {
        sum += exp(t[j] - top);
        for (size_t e = 0; e < q->value_dim; e++)
            o[e] += exp(t[j] - top) * c->v[j * q->value_dim + e];
    }
    for (size_t e = 0; e < q->value_dim; e++)
        o[e] = top > -(double)INFINITY ? o[e] / sum : 0;
    g = ldexp(size * (double)(q->dim + 2), 1 - (int)v->score.accumulate.precision) +
        (query ? ldexp(size, 2 - (int)v->scaled_query.precision) : 0) +
        (cap > 0 ? cap * 0x1p-10 : 0) + (double)q->keys * v->exp_relative +
        (v->stored ? ldexp(size, 1 - (int)v->store.precision) : 0) +
        ldexp((double)q->keys, 2 - (int)v->pv.accumulate.precision) +
        ldexp((double)q->keys, 2 - (int)v->sum_accumulate.precision) +
        ldexp(4, -(int)v->output.precision) + (v->cast ? ldexp(8, -(int)v->p.precision) : 0) +
        ldexp((double)q->keys, 4 - (int)v->score.fraction);
    *crude = most * (g < 0.5 ? 4 * g : 2);
}

static void check_drawn(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        size_t far = 0, elements = 0, telling = 0, refused = 0;

        for (size_t t = 0; t < 600; t++) {
            judge_case c;
            attest_judge_recipe recipe;
            double out[CASE_VALUES], o[CASE_VALUES], crude;
            attest_error error = {0};

            case_init(&c, state, kind);
            c.variant.max = ATTEST_JUDGE_MAX_ANY;
            c.variant.p_scheme.name[0] = '\0'; /* it is not in the crude distance */
            c.variant.splits = 1 + case_pick(state, 4);
            c.variant.output_any = case_pick(state, 2);
            c.variant.threshold = c.variant.offset == 8 ? 0 : (double)case_pick(state, 3);
            c.variant.tile = case_pick(state, 2) ? 0 : 1 + case_pick(state, 9);
            if (attest_judge_recipe_draw(&recipe, &c.variant, t, &error) != ATTEST_OK)
                refused++;
            for (size_t i = 0; i < c.problem.queries; i++) {
                get_exact(o, &crude, &c, i, recipe.scaled_query);
                if (attest_judge_simulate_row(out, &c.head, i, &c.variant, &recipe, &error) !=
                    ATTEST_OK)
                    refused++;
                for (size_t v = 0; v < c.problem.value_dim; v++) {
                    elements++;
                    telling += crude < 0.25;
                    /* A sink far above the scores overflows a sum in binary16. */
                    far += !(fabs(out[v] - o[v]) <= crude) &&
                           !(kind == 4 && c.head.sink && !isfinite(out[v]));
                }
            }
            case_clear(&c);
        }
        TAP_OK(far == 0 && refused == 0 && (telling > elements / 20 || kind == 3),
               "kind %zu drawn: %zu of %zu elements are far off, %zu could show it", kind, far,
               elements, telling);
    }
}

/* A model that no kernel can keep to is refused, and one that leaves no choice is kept. */
static void check_contradictions(uint64_t *state)
{
    judge_case c;
    attest_judge_recipe recipe;
    attest_error error = {0};
    double out[CASE_VALUES];

    case_init(&c, state, 0);
    c.variant.pv.order = ATTEST_JUDGE_ORDER_FORWARD;
    c.variant.direction = ATTEST_JUDGE_DIRECTION_BACKWARD;
    TAP_OK(attest_judge_recipe_draw(&recipe, &c.variant, 1, &error) == ATTEST_USAGE,
           "pv forward, tiles backward: %s", error.text);
    c.variant.pv.order = ATTEST_JUDGE_ORDER_ANY;
    c.variant.score.depth = 1;
    while (c.problem.dim < 3) {
        case_clear(&c);
        case_init(&c, state, 0);
        c.variant.score.depth = 1;
    }
    TAP_OK(attest_judge_recipe_draw(&recipe, &c.variant, 1, &error) == ATTEST_OK &&
               attest_judge_simulate_row(out, &c.head, 0, &c.variant, &recipe, &error) ==
                   ATTEST_USAGE,
           "a depth of 1: %s", error.text);
    c.variant.score.depth = 0;
    c.variant.score.accumulate = case_format("p=30");
    attest_judge_recipe_from_schedule(&recipe, &c.variant, &c.schedule);
    TAP_OK(attest_judge_simulate_row(out, &c.head, 0, &c.variant, &recipe, &error) ==
               ATTEST_USAGE,
           "a format of 30 bits: %s", error.text);
    case_clear(&c);
}

/* A lazy reference with float8_e4m3fn, from the specification: P = 2^12 overflows. */
static void check_overflow(void)
{
    static const double q[] = {1}, k[] = {0, 1}, v[] = {0, 1};
    attest_judge_schedule schedule = {.scores = ATTEST_JUDGE_ORDER_FORWARD,
                                      .pv = ATTEST_JUDGE_ORDER_FORWARD,
                                      .tile = 1,
                                      .direction = ATTEST_JUDGE_DIRECTION_FORWARD,
                                      .lanes = 1,
                                      .rescale = 4,
                                      .constant = ATTEST_JUDGE_CONSTANT_FOLDED,
                                      .divide = ATTEST_JUDGE_PLACE_AFTER};
    uint64_t state = 1;
    attest_judge_variant e4m3;
    attest_error error = {0};
    attest_judge_model model = {
        .variant = &e4m3, .variants = 1, .schedule = &schedule, .schedules = 1};
    attest_judge_options options = {.jobs = 2};
    attest_qkv qkv = {.q = case_tensor(q, ATTEST_TENSOR_F64, 1, 1),
                      .k = case_tensor(k, ATTEST_TENSOR_F64, 2, 1),
                      .v = case_tensor(v, ATTEST_TENSOR_F64, 2, 1),
                      .scale = "2.7725887222397812376689284858327"};
    attest_judge_ranges ranges;
    attest_status status;
    double out, lo, hi;

    case_variant(&e4m3, &state, 3);
    e4m3.score.order = e4m3.pv.order = ATTEST_JUDGE_ORDER_ANY;
    e4m3.sum_of = ATTEST_JUDGE_SUM_UNCAST;
    status = attest_judge_simulate(&out, &lo, &hi, &qkv, &model, 0, &options, &error);
    TAP_OK(status == ATTEST_OK && isnan(out) && lo == -(double)INFINITY &&
               hi == (double)INFINITY,
           "P beyond the format: %g in [%g, %g] %s", out, lo, hi, error.text);
    schedule.rescale = 0.5;
    status = attest_judge_simulate(&out, &lo, &hi, &qkv, &model, 0, &options, &error);
    TAP_OK(status == ATTEST_OK && lo <= out && out <= hi && fabs(out - 16 / 17.0) < 0.01,
           "with a reference that is raised: %g in [%g, %g]", out, lo, hi);
    /* Without the cast: 4096 of a sum of 256 + 4096, of which a saturating kernel has 448. */
    e4m3.cast = false;
    e4m3.output = case_format("binary32");
    schedule.rescale = 4;
    status = attest_judge_simulate(&out, NULL, NULL, &qkv, &model, 0, &options, &error);
    TAP_OK(status == ATTEST_OK && fabs(448 / 4096.0 * out - 448 / 4352.0) < 1e-6,
           "448 of a sum of 4352: %g", 448 / 4096.0 * out);
    TAP_OK(attest_judge_simulate(&out, NULL, NULL, &qkv, &model, 1, &options, &error) ==
               ATTEST_USAGE,
           "no such schedule: %s", error.text);
    schedule.lanes = 300;
    attest_judge_ranges_init(&ranges);
    for (size_t jobs = 1; jobs <= 2; jobs++)
        TAP_OK(attest_judge_ranges_add(&ranges, &qkv, &model, jobs, &error) == ATTEST_USAGE &&
                   error.status == ATTEST_USAGE,
               "ranges of what is not simulated, %zu processes: %s", jobs, error.text);
    attest_judge_ranges_clear(&ranges);
    schedule.lanes = 1;
    qkv.q.shape[0] = qkv.k.shape[0] = qkv.v.shape[0] = SIZE_MAX / 20; /* the same, often */
    qkv.q.stride[0] = qkv.k.stride[0] = qkv.v.stride[0] = 0;
    TAP_OK(attest_judge_simulate(&out, &lo, &hi, &qkv, &model, 0, &options, &error) ==
               ATTEST_NOMEM,
           "three doubles for each of more elements than there are: %s", error.text);
}

/* lo, hi = what attest_judge_instance_score makes of the score x with a softcap of 1. */
static void cap(double *lo, double *hi, double x, const char *format, double error, bool open)
{
    static const double one[] = {1};
    attest_qkv qkv = {.q = case_tensor(one, ATTEST_TENSOR_F64, 1, 1),
                      .k = case_tensor(&x, ATTEST_TENSOR_F64, 1, 1),
                      .v = case_tensor(one, ATTEST_TENSOR_F64, 1, 1),
                      .scale = "none",
                      .softcap = "1"};
    attest_judge_recipe recipe = {.lanes = 1, .splits = 1, .max = ATTEST_JUDGE_MAX_TWO_PASS};
    attest_judge_variant v;
    attest_judge_problem problem;
    attest_judge_instance instance;
    attest_judge_head head;
    attest_judge_row row;

    attest_judge_variant_init(&v);
    v.score.accumulate = v.k = case_format(format);
    v.softcap_relative = error;
    v.softcap_absolute = 0;
    if (attest_judge_problem_init(&problem, &qkv, NULL) != ATTEST_OK ||
        attest_judge_head_init(&head, &problem, NULL) != ATTEST_OK ||
        attest_judge_head_load(&head, 0, 0, NULL) != ATTEST_OK ||
        attest_judge_instance_init(&instance, &problem, &v, &recipe, NULL) != ATTEST_OK)
        abort();
    attest_judge_instance_set_head(&instance, &head);
    attest_judge_head_get_row(&row, &head, 0);
    attest_judge_instance_score(&instance, &head, &row, 0, open);
    *lo = instance.score_lo[0];
    *hi = instance.score_hi[0];
    attest_judge_instance_clear(&instance);
    attest_judge_head_clear(&head);
    attest_judge_problem_clear(&problem);
}

/* tanh, to nearest: also the one number of 25 bits whose tanh, cut to 53 bits, lies in the
 * middle of two of them; and all that an error of 2^-12 allows. */
static void check_tanh(uint64_t *state)
{
    static const struct {
        const char *format;
        mpfr_prec_t bits;
    } c[] = {{"binary32", 24}, {"p=25:emin=-126:emax=127", 25}, {"binary64", 53}};
    size_t wrong = 0, open = 0;
    mpfr_t y;

    for (size_t i = 0; i < 3; i++)
        for (int trial = 0; trial < 300; trial++) {
            double x = trial == 0 ? 0x1.f51a63p-12
                                  : ldexp((double)(tap_random(state) >> 40),
                                          -23 - (int)(tap_random(state) % 12));
            double lo, hi, exact;

            if (i == 0 && trial == 0)
                continue; /* not one of its numbers */
            mpfr_init2(y, c[i].bits);
            mpfr_set_d(y, x, MPFR_RNDN);
            mpfr_tanh(y, y, MPFR_RNDN);
            exact = mpfr_get_d(y, MPFR_RNDN);
            mpfr_clear(y);
            cap(&lo, &hi, x, c[i].format, 0, false);
            wrong += lo != exact || hi != exact;
            cap(&lo, &hi, x, c[i].format, 0x1p-12, true);
            open += !(fabs(lo - exact * (1 - 0x1p-12)) <= 0x1p-22 * exact &&
                      fabs(hi - exact * (1 + 0x1p-12)) <= 0x1p-22 * exact);
        }
    TAP_OK(wrong == 0, "tanh to nearest: %zu wrong", wrong);
    TAP_OK(open == 0, "tanh with an error of 2^-12: %zu wrong", open);
}

/* The elements whose bound is wider than what the schedule of the model returns. */
static size_t count_wider(const judge_case *c, const attest_judge_model *model,
                          const double *lo, const double *hi)
{
    double low[CASE_QUERIES * CASE_VALUES], high[CASE_QUERIES * CASE_VALUES];
    attest_judge_bounds bounds = {.lo = low, .hi = high};
    attest_judge_options options = {.jobs = 1};
    attest_error error = {0};
    size_t count = c->problem.queries * c->problem.value_dim, wider = 0;

    if (attest_judge_bound(&bounds, &c->qkv, model, &options, &error) != ATTEST_OK) {
        printf("# %s\n", error.text);
        return count;
    }
    for (size_t n = 0; n < count; n++)
        wider += low[n] < lo[n] || high[n] > hi[n];
    return wider;
}

/* The whole problem in several processes is its rows, one after another, and its bound is no
 * wider. */
static void check_question(uint64_t *state)
{
    for (size_t kind = 0; kind < CASE_KINDS; kind++) {
        double out[CASE_QUERIES * CASE_VALUES], lo[CASE_QUERIES * CASE_VALUES];
        double hi[CASE_QUERIES * CASE_VALUES], row[CASE_VALUES];
        judge_case c;
        attest_judge_recipe recipe;
        attest_error error = {0};
        attest_judge_options options = {.jobs = 1 + kind % 3};
        attest_judge_model model = {
            .variant = &c.variant, .variants = 1, .schedule = &c.schedule, .schedules = 1};
        size_t wrong = 0;

        case_init(&c, state, kind);
        attest_judge_recipe_from_schedule(&recipe, &c.variant, &c.schedule);
        if (attest_judge_simulate(out, lo, hi, &c.qkv, &model, 0, &options, &error) !=
            ATTEST_OK)
            printf("# %s\n", error.text), wrong++;
        for (size_t i = 0; i < c.problem.queries; i++) {
            if (attest_judge_simulate_row(row, &c.head, i, &c.variant, &recipe, &error) !=
                ATTEST_OK)
                wrong++;
            for (size_t v = 0; v < c.problem.value_dim; v++) {
                size_t n = i * c.problem.value_dim + v;

                wrong += !(row[v] == out[n] && lo[n] <= out[n] && out[n] <= hi[n]);
            }
        }
        wrong += count_wider(&c, &model, lo, hi);
        c.q[0] = 0x1.123456789abcdp0;
        TAP_OK(wrong == 0 && attest_judge_simulate(out, lo, hi, &c.qkv, &model, 0, &options,
                                                   &error) == ATTEST_FORMAT,
               "kind %zu, %zu jobs: a problem is its rows; %s", kind, options.jobs, error.text);
        case_clear(&c);
    }
}

/* lo and hi of all elements by attest_judge_bound; false where that fails. */
static bool get_bounds(double *lo, double *hi, const judge_case *c, attest_judge_variant *v,
                       size_t variants, const attest_judge_schedule *schedule, size_t schedules)
{
    attest_judge_bounds bounds = {.lo = lo, .hi = hi};
    attest_judge_options options = {.jobs = 1};
    attest_judge_model model = {.variant = v,
                                .variants = variants,
                                .schedule = (attest_judge_schedule *)schedule,
                                .schedules = schedules};
    attest_error error = {0};

    if (attest_judge_bound(&bounds, &c->qkv, &model, &options, &error) == ATTEST_OK)
        return true;
    printf("# %s\n", error.text);
    return false;
}

enum { HULL = 3, ELEMENTS = CASE_QUERIES * CASE_VALUES };

/* Variants of a case that differ in what is cast, in the rounding of the output, in how
 * products are added and what is stored: the rule shares weights, scores, or nothing among
 * neighbours. */
static void vary_variant(attest_judge_variant v[HULL], uint64_t *state)
{
    for (size_t i = 1; i < HULL; i++) {
        v[i] = v[i - 1];
        switch (case_pick(state, 6)) {
        case 5:
            v[i].stored = !v[i].stored;
            v[i].store = case_format("bfloat16");
            break;
        case 4:
            v[i].cast = !v[i].cast && v[i].offset == 0;
            v[i].p = case_format("bfloat16");
            v[i].p_scheme = (attest_block_format){0};
            break;
        case 0:
            v[i].pv.exact_products = !v[i].pv.exact_products;
            break;
        case 1:
            v[i].output_any = !v[i].output_any;
            break;
        case 2:
            v[i].exp_relative = v[i].exp_relative > 0x1p-10 ? 0x1p-22 : 0x1p-9;
            break;
        default:
            v[i].max = v[i].max == ATTEST_JUDGE_MAX_TWO_PASS ? ATTEST_JUDGE_MAX_ANY
                                                             : ATTEST_JUDGE_MAX_TWO_PASS;
        }
    }
}

/* The bound of a model of several variants is the hull of their bounds. */
static void check_variants(uint64_t *state)
{
    size_t wrong = 0, wider[HULL] = {0}, elements = 0;

    for (size_t t = 0; t < 40 * CASE_KINDS; t++) {
        double lo[HULL + 1][ELEMENTS], hi[HULL + 1][ELEMENTS];
        attest_judge_variant v[HULL];
        judge_case c;
        bool ok = true;

        case_init(&c, state, t % CASE_KINDS);
        v[0] = c.variant;
        vary_variant(v, state);
        for (size_t i = 0; i < HULL; i++)
            ok = get_bounds(lo[i], hi[i], &c, &v[i], 1, NULL, 0) && ok;
        ok = get_bounds(lo[HULL], hi[HULL], &c, v, HULL, NULL, 0) && ok;
        wrong += !ok;
        for (size_t n = 0; ok && n < c.problem.queries * c.problem.value_dim; n++) {
            double low = fmin(fmin(lo[0][n], lo[1][n]), lo[2][n]);
            double high = fmax(fmax(hi[0][n], hi[1][n]), hi[2][n]);

            elements++;
            wrong += !same(lo[HULL][n], low) || !same(hi[HULL][n], high);
            for (size_t i = 0; i < HULL; i++)
                wider[i] += lo[i][n] > low || hi[i][n] < high;
        }
        case_clear(&c);
    }
    TAP_OK(wrong == 0 && wider[0] > elements / 10 && wider[1] > elements / 20 &&
               wider[2] > elements / 10,
           "the bound of several variants is their hull: %zu of %zu wrong", wrong, elements);
}

/* The bound of a model with several schedules is what the variant and the hull of the schedules
 * have in common. */
static void check_hull_of_schedules(uint64_t *state)
{
    size_t wrong = 0, differ = 0, elements = 0;

    for (size_t t = 0; t < 40 * CASE_KINDS; t++) {
        double lo[HULL + 1][ELEMENTS], hi[HULL + 1][ELEMENTS], low[ELEMENTS], high[ELEMENTS];
        attest_judge_options options = {.jobs = 1};
        attest_judge_schedule s[HULL];
        attest_error error = {0};
        judge_case c;
        bool ok = true;

        case_init(&c, state, t % CASE_KINDS);
        for (size_t i = 0; i < HULL; i++) {
            attest_judge_model model = {
                .variant = &c.variant, .variants = 1, .schedule = s, .schedules = HULL};

            s[i] = c.schedule;
            s[i].flush = i % 2;
            s[i].constant = i % 2 ? ATTEST_JUDGE_CONSTANT_SEPARATE : c.schedule.constant;
            if (c.variant.pv.promote == 0 && c.variant.pv.promote_tiles == 0)
                s[i].lanes = 1 + case_pick(state, 5);
            ok = ok && attest_judge_simulate(NULL, lo[i], hi[i], &c.qkv, &model, i, &options,
                                             &error) == ATTEST_OK;
        }
        ok = ok && get_bounds(lo[HULL], hi[HULL], &c, &c.variant, 1, NULL, 0) &&
             get_bounds(low, high, &c, &c.variant, 1, s, HULL);
        if (!ok)
            printf("# %s\n", error.text);
        wrong += !ok;
        for (size_t n = 0; ok && n < c.problem.queries * c.problem.value_dim; n++) {
            double least = fmin(fmin(lo[0][n], lo[1][n]), lo[2][n]);
            double most = fmax(fmax(hi[0][n], hi[1][n]), hi[2][n]);

            elements++;
            differ += (lo[0][n] > least || hi[0][n] < most) && least > lo[HULL][n] &&
                      most < hi[HULL][n];
            wrong += !same(low[n], fmax(lo[HULL][n], least)) ||
                     !same(high[n], fmin(hi[HULL][n], most));
        }
        case_clear(&c);
    }
    TAP_OK(wrong == 0 && differ > elements / 50,
           "the bound of several schedules is their hull within that of the variant: %zu of "
           "%zu wrong, %zu tell schedules apart",
           wrong, elements, differ);
}

/* Which of the values that are allowed is taken: an end, or numbers of the format between. */
static void check_choices(void)
{
    const attest_judge_exponential y = {1, 1.25, 1.5};
    attest_format format = case_format("bfloat16");
    attest_judge_instance x = {.random = 1};
    size_t low = 0, high = 0, wrong = 0;

    attest_in_double_init(&x.work.format, &format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    for (int i = 0; i < 400; i++) {
        double z = attest_judge_instance_choose(&x, &y, ATTEST_RECIPE_RANDOM, i % 2);

        low += z < y.nearest;
        high += z > y.nearest;
        wrong += !(y.lo <= z && z <= y.hi) || attest_in_double_convert(z, &x.work.format) != z;
    }
    TAP_OK(wrong == 0 && low > 100 && high > 100,
           "%zu choices below the nearest number, %zu above it", low, high);
    TAP_OK(attest_judge_instance_choose(&x, &y, ATTEST_RECIPE_ABOVE, false) == y.hi &&
               attest_judge_instance_choose(&x, &y, ATTEST_RECIPE_BELOW, true) == y.lo &&
               attest_judge_instance_choose(&x, &y, ATTEST_RECIPE_PUSH, true) == y.hi &&
               attest_judge_instance_choose(&x, &y, ATTEST_RECIPE_PUSH, false) == y.lo,
           "choices at the ends of the interval");
}

/* A tree of depth 2 has four leaves, a chain of two additions three numbers; less where more is
 * added above. A matrix unit has a depth of its own. */
static void check_depths(void)
{
    attest_judge_accumulator s = {.order = ATTEST_RECIPE_PAIRWISE, .depth = 2};
    bool ok = attest_judge_accumulator_allows(&s, 4, 0, false) &&
              !attest_judge_accumulator_allows(&s, 5, 0, false) &&
              attest_judge_accumulator_allows(&s, 2, 1, false) &&
              !attest_judge_accumulator_allows(&s, 3, 0, true) &&
              !attest_judge_accumulator_allows(&s, 1, 2, true);

    s.order = ATTEST_RECIPE_FORWARD;
    ok = ok && attest_judge_accumulator_allows(&s, 3, 0, false) &&
         !attest_judge_accumulator_allows(&s, 4, 0, false) &&
         !attest_judge_accumulator_allows(&s, 3, 0, true);
    s.order = ATTEST_RECIPE_BLOCKS;
    ok = ok && attest_judge_accumulator_allows(&s, 100, 5, true);
    TAP_OK(ok, "sums within a depth");
}

TEST(simulate)
{
    uint64_t state = tap_seed(1);

    check_choices();
    check_depths();
    check_schedules(&state);
    check_drawn(&state);
    check_contradictions(&state);
    check_overflow();
    check_tanh(&state);
    check_question(&state);
    check_variants(&state);
    check_hull_of_schedules(&state);
    return 0;
}
