/* matrix_unit.c -- the matrix units of GPUs: a block of products, aligned, cut and added in
 * 64-bit integers; the units by name; dot products in blocks. */
#include "judge/matrix_unit.h"

#include <string.h>

#include "base/scope.h"

/* ---- a block ---- */

enum {
    MOST_FACTOR_BITS = 25,
    MOST_TERMS = ATTEST_JUDGE_UNIT_MOST_TERMS,
    MOST_BITS = 53 - ATTEST_JUDGE_UNIT_SPREAD, /* fraction + 2 and carries: sums are doubles */
    NOTHING = ATTEST_JUDGE_UNIT_NOTHING,
    SINGLE_BITS = ATTEST_JUDGE_UNIT_SINGLE_BITS,
    SINGLE_EMIN = ATTEST_JUDGE_UNIT_SINGLE_EMIN,
    SINGLE_QUANTUM = -149
};

static bool is_format(const attest_format *format, long precision, long emin, long emax)
{
    return format->bounded && attest_format_is_ieee(format) && format->precision == precision &&
           format->emin == emin && format->emax == emax;
}

static bool is_half(const attest_format *format)
{
    return is_format(format, ATTEST_JUDGE_UNIT_HALF_BITS, ATTEST_JUDGE_UNIT_HALF_EMIN, 15);
}

static bool factor_fits(const attest_format *format)
{
    return format->bounded && format->precision <= MOST_FACTOR_BITS &&
           attest_in_double_fits(format, ATTEST_SIMULATED_NEAREST);
}

bool attest_judge_unit_fits(const attest_format *a, const attest_format *b,
                            const attest_format *result, size_t block, size_t fraction)
{
    size_t bits = fraction + 2;

    if (fraction < 1 || fraction > MOST_BITS || block < 1 || block > MOST_TERMS)
        return false;
    for (size_t terms = block; terms > 0; terms /= 2)
        bits++;
    return bits <= MOST_BITS && factor_fits(a) && factor_fits(b) &&
           (is_half(result) || is_format(result, SINGLE_BITS, SINGLE_EMIN, 127));
}

/* The bits of a result in binary32. */
static int get_bits(const attest_judge_unit *unit)
{
    return 1 + unit->fraction < SINGLE_BITS ? 1 + unit->fraction : SINGLE_BITS;
}

void attest_judge_unit_init(attest_judge_unit *unit, const attest_format *a,
                            const attest_format *b, const attest_format *result,
                            size_t fraction)
{
    *unit = (attest_judge_unit){.a_bits = (int)a->precision,
                                .a_emin = (int)a->emin,
                                .b_bits = (int)b->precision,
                                .b_emin = (int)b->emin,
                                .fraction = (int)fraction,
                                .least = NOTHING,
                                .half = is_half(result)};
    attest_in_double_init(&unit->result, result, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    unit->columns =
        (struct judge_loops_unit){.a_least = ldexp(1, unit->a_emin),
                                  .b_least = ldexp(1, unit->b_emin),
                                  .cut = ldexp(1, -unit->fraction),
                                  .kept = ~(((uint64_t)1 << (53 - get_bits(unit))) - 1)};
}

bool attest_judge_unit_has_columns(const attest_judge_unit *unit)
{
    return !unit->half && unit->least == NOTHING;
}

/* u 2^quantum. Exact: u is below 2^53, and the result not below 2^-1022 if the quantum is not.
 */
static double scale(uint64_t u, int quantum)
{
    return quantum > -1000
               ? (double)u * attest_in_double_double((uint64_t)(quantum + 1023) << 52)
               : ldexp((double)u, quantum);
}

/* Returns sum 2^quantum, cut toward zero to this many bits and to the quantum of binary32. */
static double round_single(int64_t sum, int quantum, int bits)
{
    uint64_t u = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
    int length = u == 0 ? 0 : 64 - __builtin_clzll(u), drop = length - bits;
    double r;

    if (drop < SINGLE_QUANTUM - quantum)
        drop = SINGLE_QUANTUM - quantum;
    if (drop > 0)
        u = drop > 63 ? 0 : u >> drop << drop;
    if (u == 0)
        return 0;
    r = scale(u, quantum);
    if (r > 0x1.fffffep127)
        r = INFINITY;
    return sum < 0 ? -r : r;
}

double attest_judge_unit_round(int64_t sum, int quantum, const attest_judge_unit *unit)
{
    if (unit->half) /* a zero result is +0, here as in binary32 */
        return attest_in_double_nearest(ldexp((double)sum, quantum), &unit->result) + 0.0;
    return round_single(sum, quantum, get_bits(unit));
}

double attest_judge_unit_sum(double addend, const attest_judge_block *block,
                             const attest_judge_unit *unit)
{
    attest_judge_term term[MOST_TERMS + 1], *c = &term[block->count];
    int exponent;
    int64_t sum = 0;
    double invalid = 0 * addend; /* NaN if the addend or a factor is not finite */

    *c = attest_judge_term_split_addend(addend, unit);
    exponent = c->exponent;
    for (size_t i = 0; i < block->count; i++) {
        double a = block->a[i], b = block->b[i * block->stride];

        term[i] =
            attest_judge_term_multiply(attest_judge_term_split(a, unit->a_bits, unit->a_emin),
                                       attest_judge_term_split(b, unit->b_bits, unit->b_emin));
        invalid += 0 * a;
        if (term[i].exponent > exponent)
            exponent = term[i].exponent;
    }
    if (isnan(invalid))
        return isnan(addend) || isfinite(addend) ? invalid : addend;
    if (exponent == NOTHING)
        return 0;
    if (exponent < unit->least)
        exponent = unit->least;
    for (size_t i = 0; i <= block->count; i++)
        sum += attest_judge_term_align(&term[i], exponent - unit->fraction);
    return attest_judge_unit_round(sum, exponent - unit->fraction, unit);
}

void attest_judge_unit_add_columns(double *o, const attest_judge_block *block, size_t columns,
                                   const attest_judge_unit *unit)
{
    unsigned char open[ATTEST_JUDGE_UNIT_COLUMNS];
    attest_judge_block one = *block;

    for (size_t c = 0; c < columns; c += ATTEST_JUDGE_UNIT_COLUMNS) {
        size_t left = columns - c;

        left = left < ATTEST_JUDGE_UNIT_COLUMNS ? left : ATTEST_JUDGE_UNIT_COLUMNS;
        attest_judge_loops()->unit_ends(o + c, o + c, open, &unit->columns, block->a, block->a,
                                        block->b + c, block->stride, block->count, left);
        for (size_t i = 0; i < left; i++) {
            one.b = block->b + c + i;
            if (open[i])
                o[c + i] = attest_judge_unit_sum(o[c + i], &one, unit);
        }
    }
}

/* ---- the units, as published test vectors show them ---- */

enum { NO_LEAST = -100000 };

/* The names of the units and of their GPUs, and the least exponents of blocks, with results of
 * binary32 and of binary16. These exponents come from a public model; no published vector
 * depends on them. */
static const struct {
    const char *unit, *gpus[4];
    int least, least_half;
} names[] = {
    {"tc:volta", {"tc:v100"}, NO_LEAST, -19},
    {"tc:ampere", {"tc:a100", "tc:a30", "tc:a2"}, -132, -20},
    {"tc:ada", {"tc:l40s", "tc:l40", "tc:l4"}, -132, -20},
    {"tc:hopper", {"tc:h100", "tc:h200"}, -133, -21},
    {"tc:blackwell", {"tc:b200"}, -133, -21},
};

enum { UNITS = sizeof names / sizeof names[0] };

/* The results to which a row applies. */
typedef enum results { SINGLE = 1, HALF = 2, BOTH = 3 } results;

/* Hopper has two kinds of 8-bit products: binary32 results are those of wgmma, binary16 results
 * those of mma.sync. */
static const struct {
    const char *unit, *format;
    results results;
    size_t block, fraction;
    bool halves;
} units[] = {
    {"tc:volta", "binary16", BOTH, 4, 23, false},
    {"tc:ampere", "binary16", BOTH, 8, 24, false},
    {"tc:ampere", "bfloat16", SINGLE, 8, 24, false},
    {"tc:ampere", "tfloat32", SINGLE, 4, 24, false},
    {"tc:ada", "binary16", BOTH, 8, 24, false},
    {"tc:ada", "bfloat16", SINGLE, 8, 24, false},
    {"tc:ada", "tfloat32", SINGLE, 4, 24, false},
    {"tc:ada", "float8", BOTH, 16, 13, false},
    {"tc:hopper", "binary16", BOTH, 16, 25, false},
    {"tc:hopper", "bfloat16", SINGLE, 16, 25, false},
    {"tc:hopper", "tfloat32", SINGLE, 8, 25, false},
    {"tc:hopper", "float8", SINGLE, 32, 13, false},
    {"tc:hopper", "float8", HALF, 16, 25, true},
    {"tc:blackwell", "binary16", BOTH, 16, 25, false},
    {"tc:blackwell", "bfloat16", SINGLE, 16, 25, false},
    {"tc:blackwell", "tfloat32", SINGLE, 8, 25, false},
    {"tc:blackwell", "float8", BOTH, 16, 25, true},
};

/* The name of the format in the table; both 8-bit formats have the same, since products may mix
 * them. NULL: no unit supports it. The overflow of casts to the format is irrelevant here. */
static const char *get_kind(const attest_format *format)
{
    static const char *const kinds[] = {"binary16",      "bfloat16",    "tfloat32",
                                        "float8_e4m3fn", "float8_e5m2", NULL};
    const char *colon = strchr(format->name, ':');
    size_t size = colon ? (size_t)(colon - format->name) : strlen(format->name);

    for (size_t i = 0; kinds[i]; i++)
        if (strlen(kinds[i]) == size && strncmp(format->name, kinds[i], size) == 0)
            return i < 3 ? kinds[i] : "float8";
    return NULL;
}

static size_t find_unit(const char *unit)
{
    for (size_t i = 0; i < UNITS; i++) {
        if (strcmp(unit, names[i].unit) == 0)
            return i;
        for (size_t k = 0; k < 4 && names[i].gpus[k]; k++)
            if (strcmp(unit, names[i].gpus[k]) == 0)
                return i;
    }
    return UNITS;
}

/* How the unit multiplies numbers of the formats a and b. half: its results are binary16, else
 * binary32. Status: FORMAT. */
static attest_status find_products(attest_judge_gpu *gpu, const char *unit,
                                   const attest_format *a, const attest_format *b, bool half,
                                   attest_error *error)
{
    size_t which = find_unit(unit);
    const char *kind = get_kind(a), *other = get_kind(b);
    bool single = false;

    if (which == UNITS)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tc:volta, tc:ampere, tc:ada, tc:hopper or tc:blackwell is "
                                "expected, this is \"%s\"",
                                unit);
    if (kind && other && strcmp(kind, other) != 0)
        kind = NULL;
    for (size_t i = 0; kind && other && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(names[which].unit, units[i].unit) != 0 || strcmp(kind, units[i].format) != 0)
            continue;
        single = single || (units[i].results & SINGLE);
        if (!(units[i].results & (half ? HALF : SINGLE)))
            continue;
        *gpu = (attest_judge_gpu){units[i].block, units[i].fraction, units[i].halves,
                                  half ? names[which].least_half : names[which].least};
        return ATTEST_OK;
    }
    if (single)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s multiplies %s to binary32, not to binary16", unit, a->name);
    return attest_error_set(error, ATTEST_FORMAT,
                            "%s is not known to multiply %s by %s (formats.md has a table)",
                            unit, a->name, b->name);
}

attest_status attest_judge_gpu_get(size_t *block, size_t *fraction, const char *unit,
                                   const attest_format *a, const attest_format *b,
                                   attest_error *error)
{
    attest_judge_gpu gpu;

    ATTEST_TRY(find_products(&gpu, unit, a, b, false, error));
    if (gpu.halves)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s is not known to multiply %s by %s (formats.md has a table)",
                                unit, a->name, b->name);
    *block = gpu.block;
    *fraction = gpu.fraction;
    return ATTEST_OK;
}

/* ---- dot products ---- */

enum { HALVES_STEP = 32 }; /* products of an instruction that goes through binary16 */

static const attest_format half_format = {.name = "binary16", 11, true, -14, 15, 16};
static const attest_format single_format = {.name = "binary32", 24, true, -126, 127, 32};

static size_t get_step(const attest_judge_core *core)
{
    return core->gpu.halves ? HALVES_STEP : core->gpu.block;
}

attest_status attest_judge_core_init(attest_judge_core *core, const char *unit,
                                     const attest_format *a, const attest_format *b, bool half,
                                     size_t promote, attest_error *error)
{
    const attest_format *result = half ? &half_format : &single_format;

    ATTEST_TRY(find_products(&core->gpu, unit, a, b, half, error));
    if (promote % get_step(core) != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s adds %zu products of %s at a time, %zu is not a multiple "
                                "of that",
                                unit, get_step(core), a->name, promote);
    core->promote = promote;
    if (core->gpu.halves)
        a = b = &half_format; /* widened exactly */
    attest_judge_unit_init(&core->unit, a, b, result, core->gpu.fraction);
    core->unit.least = core->gpu.least;
    attest_in_double_init(&core->result, result, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return ATTEST_OK;
}

/* The same in doubles, which decides where a result is infinite or NaN: products and sums of
 * finite numbers stay finite. */
static double sum_in_double(double addend, const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        addend += a[i] * b[i];
    return addend;
}

static bool is_finite(const double *x, size_t count)
{
    double zero = 0;

    for (size_t i = 0; i < count; i++)
        zero += 0 * x[i];
    return zero == 0;
}

static double sum_block(double addend, const double *a, const double *b, size_t count,
                        const attest_judge_core *core)
{
    attest_judge_block block = {a, b, 1, count};

    if (!isfinite(addend) || !is_finite(a, count) || !is_finite(b, count))
        return sum_in_double(addend, a, b, count);
    return attest_judge_unit_sum(addend, &block, &core->unit);
}

/* One instruction of 8-bit products that go through binary16. */
static double sum_halves(double addend, const double *a, const double *b, size_t count,
                         const attest_judge_core *core)
{
    double x[2][HALVES_STEP], y[2][HALVES_STEP], sum = 0;
    size_t n[2] = {0, 0};

    for (size_t i = 0; i < count; i++) {
        size_t h = i % 4 / 2;

        x[h][n[h]] = a[i];
        y[h][n[h]++] = b[i];
    }
    for (size_t h = 0; h < 2; h++)
        sum = sum_block(sum, x[h], y[h], n[h], core);
    return attest_in_double_add(sum, addend, &core->result);
}

static double sum_chain(double addend, const double *a, const double *b, size_t count,
                        const attest_judge_core *core)
{
    size_t step = get_step(core);

    for (size_t i = 0; i < count; i += step) {
        size_t left = count - i < step ? count - i : step;

        addend = core->gpu.halves ? sum_halves(addend, a + i, b + i, left, core)
                                  : sum_block(addend, a + i, b + i, left, core);
    }
    return addend;
}

double attest_judge_core_dot(double addend, const double *a, const double *b, size_t count,
                             const attest_judge_core *core)
{
    addend = attest_in_double_nearest(addend, &core->result);
    if (core->promote == 0)
        return sum_chain(addend, a, b, count, core);
    for (size_t i = 0; i < count; i += core->promote) {
        size_t left = count - i < core->promote ? count - i : core->promote;

        addend =
            attest_in_double_add(addend, sum_chain(0, a + i, b + i, left, core), &core->result);
    }
    return addend;
}
