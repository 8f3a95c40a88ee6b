/* Universal approximation: the functions and their bounds, the stairs, the values of the whole
 * network, and errors against lower and upper sums made here. */
#include <math.h>
#include <string.h>

#include "theory/approximate.h"

#include "attention/network.h"
#include "tests/tap.h"

enum { UNIT = 60 };

/* The function of this name. */
static const attest_equivariant *find_function(const char *name)
{
    const attest_equivariant *f = attest_equivariants;

    while (strcmp(f->name, name) != 0)
        f++;
    return f;
}

static void gen_point(int64_t *x, size_t entries, uint64_t *state)
{
    for (size_t e = 0; e < entries; e++)
        x[e] = (int64_t)(tap_random(state) % (UNIT + 1));
}

/* The bound of the case of entry e of token j, for token 0 and entry 0. */
static long pick(const attest_partial_bounds *b, size_t j, size_t e)
{
    if (j == 0)
        return e == 0 ? b->own : b->own_other;
    return e == 0 ? b->token : b->token_other;
}

/* Differences along every axis stay within the bounds of the derivatives, and so do second
 * differences; f stays within its range. Exact. tight: the largest first difference found,
 * relative to its bound, over all axes. */
static bool bounds_hold(const attest_equivariant *f, size_t d, size_t n, uint64_t *state,
                        double *tight)
{
    attest_partial_bounds first, second;
    int64_t x[16], power = 1, low = INT64_MAX, high = INT64_MIN;
    long range;
    bool ok = true;

    for (size_t i = 0; i < f->get_degree(n); i++)
        power *= UNIT;
    f->bound(&first, &second, &range, d, n);
    for (int trial = 0; trial < 300; trial++) {
        size_t axis = tap_random(state) % (d * n), j = axis / d, e = axis % d;
        int64_t value, up, down, here, step;

        gen_point(x, n * d, state);
        if (trial % 3 == 0)
            for (size_t i = 0; i < n * d; i++)
                x[i] = tap_random(state) % 4 ? UNIT : 0;
        value = f->get(x, d, n);
        low = value < low ? value : low;
        high = value > high ? value : high;
        here = x[axis];
        step = 1 + (int64_t)(tap_random(state) % (UNIT / 2));
        if (here < step || here + step > UNIT)
            here = step;
        x[axis] = here;
        value = f->get(x, d, n);
        x[axis] = here + step;
        up = f->get(x, d, n);
        x[axis] = here - step;
        down = f->get(x, d, n);
        /* f / scale: |up - value| <= bound step / UNIT power */
        ok = ok && llabs(up - value) * UNIT <= pick(&first, j, e) * step * power &&
             llabs(value - down) * UNIT <= pick(&first, j, e) * step * power &&
             llabs(up - 2 * value + down) * UNIT * UNIT <=
                 pick(&second, j, e) * step * step * power;
        if (pick(&first, j, e) > 0)
            *tight = fmax(*tight, (double)llabs(up - value) * UNIT /
                                      ((double)pick(&first, j, e) * (double)(step * power)));
    }
    return ok && (high - low) <= range * power;
}

/* Inside a cube, differences along every axis stay within the slopes bounded there. */
static bool slopes_hold(const attest_equivariant *f, size_t d, size_t n, uint64_t *state,
                        double *tight)
{
    double centre[16], slope[16], unit = pow(UNIT, (double)f->get_degree(n));
    int64_t x[16], base[16];
    bool ok = true;

    for (int trial = 0; trial < 200; trial++) {
        int64_t half = 1 + (int64_t)(tap_random(state) % (UNIT / 4)), before, step;
        size_t axis = tap_random(state) % (d * n);
        double change;

        for (size_t i = 0; i < d * n; i++) {
            base[i] = (int64_t)(tap_random(state) % (uint64_t)(UNIT - 2 * half + 1));
            centre[i] = (double)(base[i] + half) / UNIT;
            x[i] = base[i] + (int64_t)(tap_random(state) % (uint64_t)(2 * half + 1));
            if (trial % 2)
                x[i] = base[i] + 2 * half * (int64_t)(tap_random(state) % 2);
            slope[i] = 0;
        }
        f->bound_slopes(slope, centre, (double)half / UNIT, d, n);
        step = 1 + (int64_t)(tap_random(state) % (uint64_t)half);
        if (x[axis] + step > base[axis] + 2 * half)
            x[axis] -= step;
        before = f->get(x, d, n);
        x[axis] += step;
        change = fabs((double)(f->get(x, d, n) - before)) / unit / (double)f->get_scale(d, n) *
                 UNIT / (double)step;
        ok = ok && change <= slope[axis] * (1 + 0x1p-20);
        if (slope[axis] > 0)
            *tight = fmax(*tight, change / slope[axis]);
    }
    return ok;
}

/* x = the corners of a cube one after another, moved inwards by 1. */
static void set_corner(int64_t *x, const int64_t *low, int64_t side, size_t axes, size_t corner)
{
    for (size_t i = 0; i < axes; i++)
        x[i] = low[i] + (corner >> i & 1 ? side - 1 : 1);
}

/* value is at most bound, and at least 97 % of it. */
static bool is_reached(double value, double bound)
{
    return value <= bound * (1 + 0x1p-20) && value >= 0.97 * bound;
}

/* Derivatives of these polynomials are largest at a corner: differences there reach the slopes
 * bounded in a cube, and in the cube of all points the bounds of first and second derivatives
 * and of the range. */
static bool corners_reach(const attest_equivariant *f, size_t d, size_t n, int64_t low,
                          int64_t side)
{
    enum { FINE = 1 << 12 };
    double centre[16], slope[16] = {0}, scale = (double)f->get_scale(d, n);
    double unit = pow(FINE, (double)f->get_degree(n)), least = INFINITY, most = -INFINITY;
    int64_t x[16], from[16];
    attest_partial_bounds first, second;
    long range;
    bool ok = true;

    for (size_t i = 0; i < d * n; i++) {
        from[i] = low + (side < FINE ? (int64_t)(i * i % 7) * 8 : 0);
        centre[i] = ((double)from[i] + (double)side / 2) / FINE;
    }
    f->bound(&first, &second, &range, d, n);
    f->bound_slopes(slope, centre, (double)side / 2 / FINE, d, n);
    for (size_t axis = 0; axis < d * n; axis++) {
        double once = 0, twice = 0;

        for (size_t corner = 0; corner < (size_t)1 << d * n; corner++) {
            double at[3];

            set_corner(x, from, side, d * n, corner);
            x[axis]--;
            for (int k = 0; k < 3; k++, x[axis]++)
                at[k] = (double)f->get(x, d, n) / unit;
            once = fmax(once, fabs(at[2] - at[0]) / 2 * FINE);
            twice = fmax(twice, fabs(at[2] - 2 * at[1] + at[0]) * FINE * FINE);
            least = fmin(least, at[1]);
            most = fmax(most, at[1]);
        }
        ok = ok && is_reached(once, slope[axis] * scale);
        if (side == FINE)
            ok = ok && is_reached(once, (double)pick(&first, axis / d, axis % d)) &&
                 is_reached(twice, (double)pick(&second, axis / d, axis % d));
    }
    return ok && (side < FINE || is_reached(most - least, (double)range));
}

static bool all_corners_reach(const attest_equivariant *f)
{
    bool ok = true;

    for (size_t d = 1; d <= 3; d++)
        for (size_t n = 2; n <= 4 && d * n <= 8; n++)
            ok = ok && corners_reach(f, d, n, 0, 1 << 12) &&
                 corners_reach(f, d, n, 1 << 10, 1 << 9) &&
                 corners_reach(f, d, n, 3 << 9, 1 << 8);
    return ok;
}

/* Permuting tokens permutes values, and every token matters. */
static bool is_equivariant(const attest_equivariant *f, size_t d, size_t n, uint64_t *state)
{
    int64_t x[16], y[16];
    fmpq_t one, other;
    bool ok = true, matters = false;

    fmpq_init(one);
    fmpq_init(other);
    for (int trial = 0; trial < 30; trial++) {
        gen_point(x, n * d, state);
        for (size_t k = 0; k < n; k++)
            memcpy(y + (k + 1) % n * d, x + k * d, d * sizeof *x);
        for (size_t k = 0; k < n; k++)
            for (size_t c = 0; c < d; c++) {
                attest_equivariant_value(one, f, x, UNIT, d, n, k, c);
                attest_equivariant_value(other, f, y, UNIT, d, n, (k + 1) % n, c);
                ok = ok && fmpq_equal(one, other);
            }
        attest_equivariant_value(one, f, x, UNIT, d, n, 0, 0);
        x[(n - 1) * d] = UNIT - x[(n - 1) * d];
        attest_equivariant_value(other, f, x, UNIT, d, n, 0, 0);
        matters = matters || !fmpq_equal(one, other);
    }
    fmpq_clear(one);
    fmpq_clear(other);
    return ok && matters;
}

static void test_functions(uint64_t *state)
{
    for (const attest_equivariant *f = attest_equivariants; f->name; f++) {
        bool holds = true, equivariant = true, slopes = true;
        double tight = 1, inside = 0;

        for (size_t d = 1; d <= 3; d++)
            for (size_t n = 2; n <= 4; n++) {
                double here = 0;

                holds = holds && bounds_hold(f, d, n, state, &here);
                tight = fmin(tight, here);
                slopes = slopes && slopes_hold(f, d, n, state, &inside);
                equivariant = equivariant && is_equivariant(f, d, n, state);
            }
        TAP_OK(holds && tight > 0.5, "%s: derivatives within bounds, up to at least %.0f%%",
               f->name, 100 * tight);
        TAP_OK(slopes && inside > 0.7, "%s: slopes in cubes within bounds, up to %.0f%%",
               f->name, 100 * inside);
        TAP_OK(all_corners_reach(f), "%s: corners of cubes reach all bounds", f->name);
        TAP_OK(equivariant, "%s: equivariant, and needs its context", f->name);
    }
}

static bool stairs_flat(const attest_feed_forward *stairs, size_t grid, const fmpq_t ramp)
{
    char reason[200] = "";
    bool flat;

    if (attest_stairs_check(&flat, reason, sizeof reason, stairs, grid, ramp, NULL))
        abort();
    return flat;
}

/* The units and one more, which begins at the end of the last cell less half a ramp. */
static void add_unit(attest_units *more, const attest_units *units, size_t axis,
                     const fmpq_t ramp)
{
    fmpq_t begin;

    fmpq_init(begin);
    attest_units_init(more);
    if (attest_units_resize(more, units->dim, units->count + 1) != ATTEST_OK)
        abort();
    _fmpz_vec_set(more->direction, units->direction, (slong)units->dim);
    _fmpz_vec_set(more->bias, units->bias, (slong)units->count);
    _fmpz_vec_set(more->output, units->output, (slong)(units->count * units->dim));
    fmpz_set(more->direction_denominator, units->direction_denominator);
    fmpz_set(more->bias_denominator, units->bias_denominator);
    fmpz_set(more->output_denominator, units->output_denominator);
    fmpq_div_2exp(begin, ramp, 1);
    fmpq_sub_si(begin, begin, 1);
    fmpq_mul_fmpz(begin, begin, more->bias_denominator);
    fmpz_set(more->bias + units->count, fmpq_numref(begin));
    fmpz_one(more->output + units->count * units->dim + axis);
    fmpq_clear(begin);
}

/* The units and three more: a bump inside cell 1 of 5, from 11/40 to 13/40, that neither of the
 * cell's ends sees. */
static void add_bump(attest_units *more, const attest_units *units, size_t axis)
{
    static const slong height[] = {1, -2, 1};

    attest_units_init(more);
    if (attest_units_resize(more, units->dim, units->count + 3) != ATTEST_OK)
        abort();
    _fmpz_vec_set(more->direction, units->direction, (slong)units->dim);
    _fmpz_vec_scalar_mul_si(more->bias, units->bias, (slong)units->count, 40);
    _fmpz_vec_set(more->output, units->output, (slong)(units->count * units->dim));
    fmpz_set(more->direction_denominator, units->direction_denominator);
    fmpz_mul_si(more->bias_denominator, units->bias_denominator, 40);
    fmpz_set(more->output_denominator, units->output_denominator);
    for (size_t k = 0; k < 3; k++) {
        fmpz_mul_si(more->bias + units->count + k, units->bias_denominator, -11 - (slong)k);
        fmpz_set_si(more->output + (units->count + k) * units->dim + axis, height[k]);
    }
}

/* Every number of a stair, moved by a little, is noticed. */
static void test_stairs(void)
{
    enum { GRID = 5, DIM = 2 };
    attest_feed_forward stairs;
    int caught = 0, total = 0;
    fmpq_t ramp;

    fmpq_init(ramp);
    fmpq_set_si(ramp, 1, 1000);
    attest_feed_forward_init(&stairs);
    if (attest_stairs_build(&stairs, DIM, GRID, ramp, NULL))
        abort();
    TAP_OK(stairs_flat(&stairs, GRID, ramp), "stairs of %d cells", GRID);
    TAP_OK(attest_feed_forward_units(&stairs) == DIM * (2 * (GRID - 1) + 1), "their units");
    for (size_t g = 0; g < DIM; g++) {
        attest_units *units = &stairs.group[g];
        for (size_t h = 0; h < units->count; h++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                fmpz_add_si(units->bias + h, units->bias + h, sign);
                caught += !stairs_flat(&stairs, GRID, ramp);
                fmpz_sub_si(units->bias + h, units->bias + h, sign);
                fmpz_add_si(units->output + h * DIM + g, units->output + h * DIM + g, sign);
                caught += !stairs_flat(&stairs, GRID, ramp);
                fmpz_sub_si(units->output + h * DIM + g, units->output + h * DIM + g, sign);
                total += 2;
            }
            fmpz_set_si(units->output + h * DIM + (1 - g), 1);
            caught += !stairs_flat(&stairs, GRID, ramp);
            fmpz_zero(units->output + h * DIM + (1 - g));
            total++;
        }
    }
    TAP_OK(caught == total, "%d of %d small changes are noticed", caught, total);
    for (size_t g = 0; g < DIM; g++) {
        attest_units units = stairs.group[g];

        add_unit(&stairs.group[g], &units, g, ramp);
        TAP_OK(!stairs_flat(&stairs, GRID, ramp), "axis %zu: the last cell goes up to 1", g);
        attest_units_clear(&stairs.group[g]);
        add_bump(&stairs.group[g], &units, g);
        TAP_OK(!stairs_flat(&stairs, GRID, ramp), "axis %zu: a bump inside a cell", g);
        attest_units_clear(&stairs.group[g]);
        stairs.group[g] = units;
    }
    attest_feed_forward_clear(&stairs);
    fmpq_clear(ramp);
}

/* The whole network at all unordered sequences of cells, and at points of the ramps. */
static void test_network(const char *name, size_t d, size_t n, size_t grid, uint64_t *state)
{
    attest_approximation a;
    attest_network_runner runner;
    attest_sequence sequence;
    int64_t centre[16];
    size_t entries = d * n;
    arb_ptr out = _arb_vec_init((slong)entries);
    int right = 0, inside = 0, total = 300;
    attest_error error = {ATTEST_OK, ""};
    attest_partial_bounds first, second;
    long range;
    fmpq_t value;

    fmpq_init(value);
    attest_approximation_init(&a);
    a.function = find_function(name);
    a.dim = d;
    a.length = n;
    a.grid = grid;
    if (attest_approximation_build(&a, &error) != ATTEST_OK || a.proved != ATTEST_PROVED ||
        attest_network_runner_init(&runner, &a.network, &error) != ATTEST_OK) {
        printf("# %s %s\n", error.text, a.reason);
        abort();
    }
    a.function->bound(&first, &second, &range, d, n);
    attest_sequence_init(&sequence);
    attest_sequence_resize(&sequence, n, d);
    for (int i = 0; i < total; i++) {
        bool equal = true, within = true;
        /* over 2^30 G: ramps are 2^-20/G^2 wide, that is at least 2^10/G units */
        fmpz_set_ui(sequence.denominator, ((ulong)1 << 30) * grid);
        for (size_t e = 0; e < entries; e++) {
            size_t cell = tap_random(state) % grid;
            centre[e] = 2 * (int64_t)cell + 1;
            fmpz_set_ui(sequence.entry + e,
                        ((ulong)cell << 30) + (1 << 20) +
                            tap_random(state) % (((ulong)1 << 30) - (2 << 20)));
        }
        if (attest_network_ball(out, &runner, &sequence, 128, NULL))
            abort();
        for (size_t k = 0; k < n; k++)
            for (size_t c = 0; c < d; c++) {
                attest_equivariant_value(value, a.function, centre, 2 * (int64_t)grid, d, n, k,
                                         c);
                equal = equal && arb_contains_fmpq(out + k * d + c, value) &&
                        (arb_is_zero(out + k * d + c) ||
                         arb_rel_accuracy_bits(out + k * d + c) > 120);
            }
        right += equal;
        /* one entry into the ramp at a border */
        fmpz_set_ui(sequence.entry, ((ulong)(1 + tap_random(state) % (grid - 1)) << 30));
        fmpz_add_si(sequence.entry, sequence.entry, (slong)(tap_random(state) % 300) - 150);
        if (attest_network_ball(out, &runner, &sequence, 256, NULL))
            abort();
        for (size_t e = 0; e < entries; e++) {
            arb_mul_si(out + e, out + e, (slong)a.function->get_scale(d, n), 128);
            within = within && arb_is_nonnegative(out + e);
            arb_sub_si(out + e, out + e, range, 128);
            within = within && arb_is_nonpositive(out + e);
        }
        inside += within;
    }
    TAP_OK(right == total, "%s d %zu n %zu G %zu: %d of %d points", name, d, n, grid, right,
           total);
    TAP_OK(inside == total, "in ramps it stays within the range: %d of %d", inside, total);
    attest_sequence_clear(&sequence);
    attest_network_runner_clear(&runner);
    attest_approximation_clear(&a);
    _arb_vec_clear(out, (slong)entries);
    fmpq_clear(value);
}

static double value_of(const attest_equivariant *f, int64_t x, int64_t y, double unit)
{
    int64_t point[2] = {x, y};

    return (double)f->get(point, 1, 2) / pow(unit, (double)f->get_degree(2));
}

/* Lower and upper sums of |f - f(centre)|^p for d = 1, n = 2 and f increasing in both entries:
 * extremes of f over a box are at its corners. */
static void corner_sums(double low[2], double high[2], const attest_equivariant *f,
                        int64_t grid, int64_t q)
{
    double unit = 2.0 * (double)(grid * q);

    low[0] = low[1] = high[0] = high[1] = 0;
    for (int64_t i = 0; i < grid * q; i++)
        for (int64_t j = 0; j < grid * q; j++) {
            double centre = value_of(f, (2 * (i / q) + 1) * q, (2 * (j / q) + 1) * q, unit);
            double least = value_of(f, 2 * i, 2 * j, unit) - centre;
            double most = value_of(f, 2 * i + 2, 2 * j + 2, unit) - centre;
            double near = least > 0 ? least : most < 0 ? -most : 0;
            double far = fmax(fabs(least), fabs(most));

            low[0] += near;
            low[1] += near * near;
            high[0] += far;
            high[1] += far * far;
        }
    for (int p = 0; p < 2; p++) {
        /* two entries */
        low[p] *= 2 / (double)(grid * q * grid * q);
        high[p] *= 2 / (double)(grid * q * grid * q);
    }
    low[1] = sqrt(low[1]);
    high[1] = sqrt(high[1]);
}

/* One token of one entry: the function sum is x^2, and with h = 1/(2G) and x = c + t on the
 * cell around c the error is |2 c t + t^2|, so that L^1 = sum of 2 c h^2 = 1/(4G), and the
 * square of L^2 = sum of 8 c^2 h^3/3 + 2 h^5/5. Ramps, of measure 10^-7, are within the
 * enclosures. */
static void test_closed_form(size_t grid)
{
    attest_approximation a;
    fmpq_t l1, l2, h, c, term;
    arb_t square;

    fmpq_init(l1), fmpq_init(l2), fmpq_init(h), fmpq_init(c), fmpq_init(term);
    arb_init(square);
    fmpq_set_si(h, 1, 2 * grid);
    for (size_t i = 0; i < grid; i++) {
        fmpq_set_si(c, (slong)(2 * i + 1), 2 * grid);
        fmpq_mul(term, h, h); /* 2 c h^2 */
        fmpq_mul(term, term, c);
        fmpq_add(l1, l1, term);
        fmpq_add(l1, l1, term);
        fmpq_mul(term, term, c); /* 8 c^2 h^3 / 3 */
        fmpq_mul(term, term, h);
        fmpq_mul_si(term, term, 8);
        fmpq_div_fmpz(term, term, (fmpz_t){3});
        fmpq_add(l2, l2, term);
        fmpq_pow_si(term, h, 5); /* 2 h^5 / 5 */
        fmpq_mul_si(term, term, 2);
        fmpq_div_fmpz(term, term, (fmpz_t){5});
        fmpq_add(l2, l2, term);
    }
    attest_approximation_init(&a);
    a.function = find_function("sum");
    a.grid = grid;
    a.dim = a.length = 1;
    if (attest_approximation_build(&a, NULL) || a.proved != ATTEST_PROVED)
        abort();
    arb_sqr(square, a.l2, 128);
    TAP_OK(arb_contains_fmpq(a.l1, l1) && arb_contains_fmpq(square, l2),
           "%zu cells: enclosures contain the closed form", grid);
    TAP_OK(arb_rel_accuracy_bits(a.l1) >= 8 && arb_rel_accuracy_bits(square) >= 8,
           "enclosures are narrow");
    attest_approximation_clear(&a);
    fmpq_clear(l1), fmpq_clear(l2), fmpq_clear(h), fmpq_clear(c), fmpq_clear(term);
    arb_clear(square);
}

static void test_errors(const char *name)
{
    double previous = 0, low[2], high[2], width = 0;
    bool below = true, halves = true, meets = true;

    for (size_t grid = 4; grid <= 16; grid *= 2) {
        attest_approximation a;
        double error, radius;

        attest_approximation_init(&a);
        a.function = find_function(name);
        a.grid = grid;
        if (attest_approximation_build(&a, NULL) || a.proved != ATTEST_PROVED)
            abort();
        error = arf_get_d(arb_midref(a.l1), ARF_RND_NEAR);
        radius = mag_get_d(arb_radref(a.l1));
        corner_sums(low, high, a.function, (int64_t)grid, 256 / (int64_t)grid);
        meets = meets && error - radius <= high[0] && error + radius >= low[0] &&
                arf_cmpabs_d(arb_midref(a.l2), high[1] + mag_get_d(arb_radref(a.l2))) <= 0 &&
                arf_cmpabs_d(arb_midref(a.l2), low[1] - mag_get_d(arb_radref(a.l2))) >= 0;
        width = fmax(width, (high[0] - low[0]) / error * (double)grid / 256);
        below = below && arb_lt(a.l1, a.l1_bound) && arb_lt(a.l2, a.l2_bound);
        halves =
            halves && (previous == 0 || (previous / error > 1.9 && previous / error < 2.1));
        previous = error;
        attest_approximation_clear(&a);
    }
    TAP_OK(below, "%s: errors below their bounds", name);
    TAP_OK(halves, "%s: twice the cells, half the error", name);
    TAP_OK(meets && width < 1, "%s: enclosures meet lower and upper sums", name);
}

/* A function planted for the quadrature alone: jump at every midpoint of a box, which are odd,
 * and 0 at every centre, which are even, with bounds of derivatives that are told. */
static struct {
    attest_partial_bounds first, second;
    long range;
    double slope;
    int64_t jump, scale;
} planted;

static int64_t get_planted(const int64_t *x, size_t d, size_t n)
{
    (void)d, (void)n;
    return x[0] % 2 ? planted.jump : 0;
}

static int64_t scale_planted(size_t d, size_t n)
{
    (void)d, (void)n;
    return planted.scale;
}

static size_t degree_planted(size_t n)
{
    (void)n;
    return 2;
}

static void bound_planted(attest_partial_bounds *first, attest_partial_bounds *second,
                          long *range, size_t d, size_t n)
{
    (void)d, (void)n;
    *first = planted.first;
    *second = planted.second;
    *range = planted.range;
}

/* Of entry i: i + 1 times the slope times the cell's upper end. */
static void slopes_planted(double *slope, const double *centre, double half, size_t d, size_t n)
{
    for (size_t i = 0; i < d * n; i++)
        slope[i] = planted.slope * (double)(i + 1) * (centre[i] + half);
}

/* The sum of a bound over all entries, one after another. */
static double sum_of(const attest_partial_bounds *b, size_t d, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < d * n; i++)
        sum += (double)pick(b, i / d, i % d);
    return sum;
}

/* end[p][0], end[p][1] = the least and the largest mean of the p-th power of the error, p = 1,
 * 2, by the inequalities (2) to (4) of the note, from g, and K, L and S of every cell. */
static void mean_errors(double end[3][2], double g, double k, size_t m, size_t grid, double h)
{
    double low = fmax(g - k, 0), cells = pow((double)grid, (double)m);

    memset(end, 0, 3 * sizeof *end);
    end[1][0] = low;
    end[2][0] = low * low;
    for (size_t cell = 0; cell < (size_t)cells; cell++) {
        double flat = 0, variance = 0, square;

        for (size_t i = 0, left = cell; i < m; i++, left /= grid) {
            double l =
                planted.slope * (double)(i + 1) * (double)(left % grid + 1) / (double)grid;

            flat += l * h / 2;
            variance += l * l * h * h / 12;
        }
        square = (g + k) * (g + k) + variance;
        end[1][1] += (g > flat ? g + k : sqrt(square)) / cells;
        end[2][1] += square / cells;
    }
}

/* The ball's ends are those, or outside of them by at most 10^-5. */
static bool has_ends(const arb_t ball, double low, double high)
{
    arf_t a, b;
    double least, most;

    arf_init(a);
    arf_init(b);
    arb_get_interval_arf(a, b, ball, 53);
    least = arf_get_d(a, ARF_RND_NEAR);
    most = arf_get_d(b, ARF_RND_NEAR);
    arf_clear(a);
    arf_clear(b);
    return least <= low * (1 + 1e-12) && least >= low - high * 1e-5 &&
           most >= high * (1 - 1e-12) && most <= high * (1 + 1e-5);
}

/* The enclosures and bounds of the planted function, its jump that many times what sum L_i h/2
 * is on the last cell, with ramps of measure 1/share, 0 for none. */
static void test_quadrature(size_t d, size_t n, size_t grid, double times, long share)
{
    size_t m = d * n;
    double h, g, k, omega, measure = share ? 1 / (double)share : 0, end[3][2], entries, range;
    attest_equivariant function = {
        "planted",     "", get_planted, scale_planted, degree_planted, bound_planted,
        slopes_planted};
    attest_approximation a;

    attest_approximation_init(&a);
    a.function = &function;
    a.dim = d;
    a.length = n;
    a.grid = grid;
    if (share)
        fmpq_set_si(a.measure, 1, (ulong)share);
    h = 1 / (double)(32 * grid);
    planted.jump = (int64_t)round(times * planted.slope * (double)(m * (m + 1) / 2) * h / 2 *
                                  (double)planted.scale * 4 / (h * h));
    g = (double)planted.jump * h * h / 4 / (double)planted.scale;
    k = sum_of(&planted.second, d, n) / (double)planted.scale * h * h / 24;
    omega = sum_of(&planted.first, d, n) / (double)planted.scale / (double)(2 * grid);
    range = (double)planted.range / (double)planted.scale;
    entries = (double)m;
    if (attest_approximation_bound(&a, NULL))
        abort();
    mean_errors(end, g, k, m, grid, h);
    TAP_OK(a.subdivisions == 32 &&
               has_ends(a.l1, entries * fmax(end[1][0] - omega * measure, 0),
                        entries * (end[1][1] + range * measure)) &&
               has_ends(a.l2, sqrt(entries * fmax(end[2][0] - omega * omega * measure, 0)),
                        sqrt(entries * (end[2][1] + range * range * measure))),
           "d %zu n %zu G %zu, %g flats: enclosures by the note's inequalities", d, n, grid,
           times);
    TAP_OK(has_ends(a.l1_bound, entries * (omega + range * measure),
                    entries * (omega + range * measure)) &&
               has_ends(a.l2_bound, sqrt(entries) * (omega + range * sqrt(measure)),
                        sqrt(entries) * (omega + range * sqrt(measure))),
           "the same case: the proved bounds");
    attest_approximation_clear(&a);
}

/* K alone, S alone, and jumps that are beyond every box's change, or not. */
static void test_quadratures(void)
{
    planted.first =
        (attest_partial_bounds){.own = 5, .own_other = 3, .token = 2, .token_other = 1};
    planted.second =
        (attest_partial_bounds){.own = 700, .own_other = 400, .token = 30, .token_other = 500};
    planted.range = 11;
    planted.scale = 3;
    for (int steep = 0; steep < 2; steep++) {
        planted.slope = steep * 7;
        test_quadrature(1, 1, 3, 0, 0);
        test_quadrature(1, 2, 2, 0, 0);
        test_quadrature(2, 1, 2, 0, 50);
        test_quadrature(2, 2, 1, 0, 0);
    }
    planted.second = (attest_partial_bounds){.own = 70, .token = 30};
    test_quadrature(1, 1, 3, 0.98, 0);
    test_quadrature(1, 1, 3, 1.02, 0);
    test_quadrature(1, 2, 2, 0.7, 0);
    test_quadrature(1, 2, 2, 1.02, 200);
    test_quadrature(2, 2, 1, 0.98, 0);
    test_quadrature(2, 2, 1, 1.02, 0);
}

/* Cells are cut into as many boxes as 4 10^6 of them, or 1024 a cell, allow: into q^(d n), q
 * from 2 to 32, and numbers below 2^62. 0: 2^32 boxes, or one of 2^20 cells whose cube of
 * numerators takes more. */
static void test_subdivisions(void)
{
    static const struct {
        const char *function;
        size_t d, n, grid, q;
    } shape[] = {
        {"sum", 1, 2, 16, 32},  {"sum", 1, 3, 16, 10},       {"sum", 1, 4, 4, 11},
        {"sum", 2, 2, 2, 22},   {"sum", 2, 3, 2, 6},         {"sum", 2, 4, 2, 3},
        {"sum", 3, 3, 2, 2},    {"sum", 4, 4, 2, 0},         {"sum", 1, 1, 64, 32},
        {"inner", 1, 1, 4, 32}, {"inner", 1, 1, 1 << 18, 3}, {"inner", 1, 1, 1 << 19, 0}};

    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        attest_approximation a;
        attest_status status;

        attest_approximation_init(&a);
        a.function = find_function(shape[i].function);
        a.dim = shape[i].d;
        a.length = shape[i].n;
        a.grid = shape[i].grid;
        status = attest_approximation_bound(&a, NULL);
        TAP_OK(shape[i].q ? status == ATTEST_OK && a.subdivisions == shape[i].q
                          : status == ATTEST_USAGE,
               "%s, d %zu, n %zu: %zu cells an axis are cut into %zu", shape[i].function, a.dim,
               a.length, a.grid, shape[i].q);
        attest_approximation_clear(&a);
    }
}

/* The default is seed 1; another one makes another network. */
static void test_seed(void)
{
    static const uint64_t seed[] = {0, 1, 5}; /* 0: the default */
    attest_approximation a[3];
    const fmpz *projection[3];

    for (int i = 0; i < 3; i++) {
        attest_approximation_init(&a[i]);
        a[i].function = find_function("sum");
        a[i].dim = 2;
        a[i].length = 1;
        a[i].grid = 2;
        a[i].seed = seed[i] ? seed[i] : a[i].seed;
        if (attest_approximation_build(&a[i], NULL) || a[i].proved != ATTEST_PROVED)
            abort();
        projection[i] = a[i].network.after.group[0].direction;
    }
    TAP_OK(_fmpz_vec_equal(projection[0], projection[1], 2) &&
               !_fmpz_vec_equal(projection[0], projection[2], 2),
           "seeds 1 and 5, and 1 unless told");
    for (int i = 0; i < 3; i++)
        attest_approximation_clear(&a[i]);
}

static void test_limits(void)
{
    static const size_t bad[][3] = {{5, 2, 2}, {1, 5, 2},  {0, 2, 2},   {1, 0, 4},
                                    {1, 2, 1}, {2, 2, 33}, {1, 2, 1025}};
    int refused = 0, total = (int)(sizeof bad / sizeof *bad);

    for (int i = 0; i < total; i++) {
        attest_approximation a;

        attest_approximation_init(&a);
        a.function = attest_equivariants;
        a.dim = bad[i][0];
        a.length = bad[i][1];
        a.grid = bad[i][2];
        refused += attest_approximation_build(&a, NULL) == ATTEST_USAGE;
        attest_approximation_clear(&a);
    }
    TAP_OK(refused == total, "%d of %d refused", refused, total);
}

TEST(approximate)
{
    uint64_t state = tap_seed(0xa99);

    test_functions(&state);
    test_stairs();
    test_network("sum", 1, 2, 7, &state);
    test_network("product", 1, 3, 4, &state);
    test_network("inner", 2, 2, 3, &state);
    test_network("variance", 1, 3, 5, &state);
    test_network("distance", 2, 3, 2, &state);
    test_closed_form(4);
    test_closed_form(16);
    test_errors("sum");
    test_errors("product");
    test_quadratures();
    test_subdivisions();
    test_seed();
    test_limits();
    flint_cleanup();
    return 0;
}
