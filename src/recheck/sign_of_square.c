/* sign_of_square.c -- how separations and norms compare with numbers, on the second route.
 *
 * Hardmax is compared in rational arithmetic, softmax in balls, and if balls do not separate
 * the numbers, by leading exponents (proofs-notes/zero_test.md, "The sign"): over the common
 * denominator of its fractions, |F_a - F_b|^2 - x^2 is a sum of exponentials. It is computed
 * down to a depth, with a bound of the omitted terms; if these hide the sign, or all terms
 * cancel, the depth grows. If nothing is omitted and no term is left, the sum is 0, because
 * exponentials of different rationals are linearly independent. */
#include "number/scope.h"
#include "recheck/exp_sum.h"
#include "recheck/recheck.h"

enum { FIRST_BITS = 64, FIRST_DEPTH = 4, FEW_PRODUCTS = 64 };

/* One expansion: total / (scale below)^2 = |F_a - F_b|^2 - x^2, times the square of the
 * denominator of x; or, for x = 0, weight total^2 / (scale below)^2, which has far fewer terms.
 */
typedef struct expansion {
    attest_recheck_sum total, below;
    attest_recheck_cut cut;
    bool is_root;
    fmpz_t weight;
} expansion;

static void set_constant(attest_recheck_sum *sum, const fmpz_t value, attest_recheck_cut *cut)
{
    FMPZ(none);

    attest_recheck_sum_clear(sum);
    if (!fmpz_is_zero(value))
        attest_recheck_sum_push(sum, none, value, cut);
}

/* above / below += n / z, above first. */
static void add_fraction(attest_recheck_sum *above, const attest_recheck_sum *below,
                         const attest_recheck_sum *n, const attest_recheck_sum *z,
                         attest_recheck_cut *cut)
{
    attest_recheck_sum sum;

    attest_recheck_sum_init(&sum);
    attest_recheck_sum_addmul(&sum, above, z, cut);
    attest_recheck_sum_addmul(&sum, below, n, cut);
    attest_recheck_sum_clear(above);
    *above = sum;
}

/* copy = the sum, cut off at the depth. */
static void copy_cut(attest_recheck_sum *copy, const attest_recheck_sum *sum,
                     attest_recheck_cut *cut)
{
    FMPZ(one);

    fmpz_one(one);
    attest_recheck_sum_clear(copy);
    attest_recheck_sum_add(copy, sum, one, cut);
}

/* above = scale times entry c, over below = the product of all denominators. */
static void expand_entry(attest_recheck_sum *above, attest_recheck_sum *below,
                         const attest_recheck_fractions *f, size_t c, attest_recheck_cut *cut)
{
    attest_recheck_sum product;
    ATTEST_SCOPED(attest_recheck_sum, n);
    ATTEST_SCOPED(attest_recheck_sum, z);
    FMPZ(one);

    fmpz_one(one);
    set_constant(above, f->constant + c, cut);
    set_constant(below, one, cut);
    for (size_t i = 0; i < f->count && !cut->failed; i++) {
        copy_cut(&n, &f->fraction[i].above[c], cut);
        copy_cut(&z, &f->fraction[i].below, cut);
        add_fraction(above, below, &n, &z, cut);
        attest_recheck_sum_init(&product);
        attest_recheck_sum_addmul(&product, below, &z, cut);
        attest_recheck_sum_clear(below);
        *below = product;
    }
}

/* content = the greatest common divisor of all numbers of entry c, with the sign of the
 * first. */
static void get_content(fmpz_t content, const attest_recheck_fractions *f, size_t c)
{
    const fmpz *first = f->constant + c;

    fmpz_abs(content, first);
    for (size_t i = 0; i < f->count; i++) {
        const attest_recheck_sum *above = &f->fraction[i].above[c];
        for (size_t t = 0; t < above->count; t++)
            fmpz_gcd(content, content, &above->term[t].factor);
        if (fmpz_is_zero(first) && above->count > 0)
            first = &above->term[0].factor;
    }
    if (fmpz_sgn(first) < 0)
        fmpz_neg(content, content);
}

/* True if entry c / content equals entry d / other. */
static bool are_alike(const attest_recheck_fractions *f, size_t c, const fmpz_t content,
                      size_t d, const fmpz_t other)
{
    bool alike;
    FMPZ(left, right);

    fmpz_mul(left, f->constant + c, other);
    fmpz_mul(right, f->constant + d, content);
    alike = fmpz_equal(left, right);
    for (size_t i = 0; i < f->count && alike; i++) {
        const attest_recheck_sum *a = &f->fraction[i].above[c], *b = &f->fraction[i].above[d];
        alike = a->count == b->count;
        for (size_t t = 0; t < a->count && alike; t++) {
            fmpz_mul(left, &a->term[t].factor, other);
            fmpz_mul(right, &b->term[t].factor, content);
            alike = fmpz_equal(&a->term[t].depth, &b->term[t].depth) && fmpz_equal(left, right);
        }
    }
    return alike;
}

/* Entries from c on, up to the returned index, are multiples of one entry (all are, for
 * values of rank 1): weight = the sum of the squares of the factors; the factor of entry c
 * is content. Domain: entry c is not 0, or all are. */
static size_t find_multiples(fmpz_t weight, fmpz_t content, const attest_recheck_fractions *f,
                             size_t c)
{
    size_t next = c + 1;
    FMPZ(own);

    get_content(content, f, c);
    fmpz_mul(weight, content, content);
    for (; next < f->dim; next++) {
        get_content(own, f, next);
        if (!fmpz_is_zero(own) && !are_alike(f, next, own, c, content))
            break;
        fmpz_addmul(weight, own, own);
    }
    return next;
}

/* Returns the first entry that is not 0, or 0 if all are. */
static size_t find_first(const attest_recheck_fractions *f)
{
    size_t first = 0;
    FMPZ(content);

    get_content(content, f, 0);
    while (fmpz_is_zero(content) && first + 1 < f->dim)
        get_content(content, f, ++first);
    if (fmpz_is_zero(content))
        first = 0;
    return first;
}

/* Divides a sum whose factors are multiples of divisor > 0. */
static void divide(attest_recheck_sum *sum, const fmpz_t divisor)
{
    for (size_t i = 0; i < sum->count; i++)
        fmpz_divexact(&sum->term[i].factor, &sum->term[i].factor, divisor);
    fmpz_cdiv_q(&sum->rest, &sum->rest, divisor);
}

/* total += weight sum^2. */
static void add_square(expansion *e, const attest_recheck_sum *sum, const fmpz_t weight)
{
    ATTEST_SCOPED(attest_recheck_sum, square);

    attest_recheck_sum_addmul(&square, sum, sum, &e->cut);
    attest_recheck_sum_add(&e->total, &square, weight, &e->cut);
}

static void expand(expansion *e, const attest_recheck_fractions *f, const fmpq_t x)
{
    size_t first = find_first(f);
    ATTEST_SCOPED(attest_recheck_sum, above);
    FMPZ(factor, content);

    attest_recheck_sum_clear(&e->total);
    fmpz_mul(factor, fmpq_denref(x), fmpq_denref(x));
    for (size_t c = first, next; c < f->dim && !e->cut.failed; c = next) {
        next = find_multiples(e->weight, content, f, c);
        expand_entry(&above, &e->below, f, c, &e->cut);
        fmpz_abs(content, content);
        if (!fmpz_is_zero(content))
            divide(&above, content);
        e->is_root = fmpq_is_zero(x) && c == first && next == f->dim;
        if (e->is_root) {
            e->total = above;
            attest_recheck_sum_init(&above);
        } else {
            fmpz_mul(e->weight, e->weight, factor);
            add_square(e, &above, e->weight);
        }
    }
    if (!fmpq_is_zero(x)) {
        fmpz_mul(factor, fmpq_numref(x), f->scale);
        fmpz_mul(factor, factor, factor);
        fmpz_neg(factor, factor);
        add_square(e, &e->below, factor);
    }
}

/* deepest = the largest depth of a product. */
static void get_deepest(fmpz_t deepest, const attest_recheck_fractions *f)
{
    fmpz_zero(deepest);
    for (size_t i = 0; i < f->count; i++) {
        const attest_recheck_sum *below = &f->fraction[i].below;
        fmpz_addmul_ui(deepest, &below->term[below->count - 1].depth, 2);
    }
}

/* An upper bound of the number of terms of the whole product, or more than FEW_PRODUCTS. */
static size_t count_products(const attest_recheck_fractions *f)
{
    size_t terms = 1;

    for (size_t i = 0; i < f->count && terms <= FEW_PRODUCTS; i++)
        terms *= f->fraction[i].below.count + 1;
    return terms;
}

typedef enum found { ZERO, NONZERO, TOO_SHALLOW, UNABLE } found;

/* total = e^{-lead / D} factor, factor != 0, known to accuracy bits. */
static found find_factor(arb_t factor, fmpz_t lead, const expansion *e,
                         const fmpz_t denominator, long accuracy, long max_bits)
{
    found result = UNABLE;
    MAG(tail);

    if (e->cut.failed)
        return UNABLE;
    if (e->total.count == 0)
        return fmpz_is_zero(&e->total.rest) ? ZERO : TOO_SHALLOW;
    fmpz_set(lead, &e->total.term[0].depth);
    for (long bits = FIRST_BITS + accuracy; result == UNABLE && bits <= max_bits; bits *= 2) {
        attest_recheck_sum_enclose(factor, tail, &e->total, lead, denominator, bits, &e->cut);
        mag_mul_2exp_si(tail, tail, 2);
        if (!arb_contains_zero(factor) && arb_rel_accuracy_bits(factor) >= accuracy)
            result = NONZERO;
        else if (!mag_is_zero(tail) && mag_cmp(tail, arb_radref(factor)) >= 0)
            result = TOO_SHALLOW;
    }
    return result;
}

/* Expands to growing depths, e^-16, e^-64 and so on, the exponents growing faster and
 * faster, until the factor is known. */
static found resolve(arb_t factor, fmpz_t lead, expansion *e, const attest_recheck_fractions *f,
                     const fmpq_t x, long accuracy, long max_bits)
{
    found result = TOO_SHALLOW;
    ulong power = FIRST_DEPTH;
    FMPZ(deepest);

    get_deepest(deepest, f);
    e->cut.whole = count_products(f) <= FEW_PRODUCTS;
    while (result == TOO_SHALLOW) {
        bool last = e->cut.whole;
        if (!last) {
            fmpz_mul_2exp(e->cut.depth, f->denominator, power);
            last = e->cut.whole = fmpz_cmp(e->cut.depth, deepest) >= 0;
            power += 2 + power / 4;
        }
        expand(e, f, x);
        result = find_factor(factor, lead, e, f->denominator, accuracy, max_bits);
        if (last && result == TOO_SHALLOW)
            result = UNABLE;
    }
    return result;
}

static void expansion_init(expansion *e, size_t max_terms)
{
    *e = (expansion){.cut = {.whole = true, .most = max_terms}};
    fmpz_init(e->cut.depth);
    fmpz_init(e->weight);
}

static void expansion_clear(expansion *e)
{
    attest_recheck_sum_clear(&e->total);
    attest_recheck_sum_clear(&e->below);
    fmpz_clear(e->cut.depth);
    fmpz_clear(e->weight);
}

int attest_recheck_order(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                         long max_bits)
{
    found result = UNABLE;
    expansion e;
    int order;
    ATTEST_SCOPED(attest_recheck_fractions, f, check, a, b);
    FMPZ(lead);
    ARB(factor);

    expansion_init(&e, check->max_terms);
    if (!f.failed)
        result = resolve(factor, lead, &e, &f, x, 0, max_bits);
    check->met_terms = check->met_terms || e.cut.failed;
    order = result == ZERO                         ? 0
            : result != NONZERO                    ? 2
            : e.is_root || arb_is_positive(factor) ? 1
                                                   : -1;
    expansion_clear(&e);
    return order;
}

bool attest_recheck_square(arb_t square, attest_recheck *check, size_t a, size_t b, long bits,
                           long max_bits)
{
    found result = UNABLE;
    expansion e;
    ATTEST_SCOPED(attest_recheck_fractions, f, check, a, b);
    FMPZ(lead, none);
    ARB(factor);
    MAG(tail);
    FMPQ(zero);

    expansion_init(&e, check->max_terms);
    if (!f.failed)
        result = resolve(factor, lead, &e, &f, zero, bits + 2, max_bits);
    check->met_terms = check->met_terms || e.cut.failed;
    if (result == NONZERO && e.is_root) { /* this step loses 2 more bits */
        fmpz_mul_2exp(lead, lead, 1);
        arb_sqr(factor, factor, 2 * bits);
        arb_mul_fmpz(factor, factor, e.weight, 2 * bits);
    }
    if (result == NONZERO) {
        attest_recheck_sum_enclose(square, tail, &e.below, none, f.denominator, 2 * bits,
                                   &e.cut);
        arb_mul_fmpz(square, square, f.scale, 2 * bits);
        arb_sqr(square, square, 2 * bits);
        arb_div(factor, factor, square, 2 * bits);
        attest_recheck_sum_power(square, lead, f.denominator, bits);
        arb_mul(square, square, factor, bits + 16);
    } else {
        arb_zero(square);
    }
    expansion_clear(&e);
    return (result == NONZERO && arb_is_finite(square)) || result == ZERO;
}

/* Balls are tried at these precisions before exact sums. Ends whose exponents are within
 * HANDY are compared as rationals at once, those within LARGEST as a last resort. */
enum { BALL_BITS = 160, LAST_BALL_BITS = 320, HANDY = 4096, LARGEST = 1 << 26 };

/* square = |F_a - F_b|^2, or |F_a|^2 for b = a. Domain: hardmax. */
static void get_square(fmpq_t square, attest_recheck *check, size_t a, size_t b)
{
    slong dim = (slong)check->dim;
    FMPQ_VEC(p, dim);
    FMPQ_VEC(q, dim);

    fmpq_zero(square);
    attest_recheck_exact(p, check, a);
    if (b != a)
        attest_recheck_exact(q, check, b);
    for (slong c = 0; c < dim; c++) {
        fmpq_sub(p + c, p + c, q + c);
        fmpq_addmul(square, p + c, p + c);
    }
}

static int compare_exact(attest_recheck *check, size_t a, size_t b, const fmpq_t x)
{
    int order;
    FMPQ(square, bound);

    get_square(square, check, a, b);
    fmpq_mul(bound, x, x);
    order = fmpq_cmp(square, bound);
    return (order > 0) - (order < 0);
}

/* Returns the sign of square - x^2, or 2 if the balls overlap. */
static int compare_balls(const arb_t square, const arb_t x, long bits)
{
    int order;
    ARB(difference);

    arb_sqr(difference, x, bits);
    arb_sub(difference, square, difference, bits);
    order = arb_is_positive(difference)   ? 1
            : arb_is_negative(difference) ? -1
            : arb_is_zero(difference)     ? 0 /* no rounding happened at all */
                                          : 2;
    return order;
}

/* The square of a distance or norm from the balls of outputs. */
static void enclose(arb_t square, attest_recheck *check, size_t a, size_t b, long bits)
{
    arb_srcptr p = attest_recheck_ball(check, a, bits);
    arb_srcptr q = attest_recheck_ball(check, b, bits);
    ARB(term);

    arb_zero(square);
    for (size_t c = 0; c < check->dim; c++) {
        if (b == a)
            arb_set(term, p + c);
        else
            arb_sub(term, p + c, q + c, bits);
        arb_addmul(square, term, term, bits);
    }
}

/* Charges the work of the two outputs, unless they are kept from earlier comparisons. */
static bool afford(attest_recheck *check, size_t a, size_t b)
{
    return (check->bits[a] >= LAST_BALL_BITS ||
            attest_recheck_afford(check, a, LAST_BALL_BITS)) &&
           (b == a || check->bits[b] >= LAST_BALL_BITS ||
            attest_recheck_afford(check, b, LAST_BALL_BITS));
}

int attest_recheck_compare(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                           long max_bits)
{
    int order = 2;
    ARB(square, bound);

    if (!afford(check, a, b))
        return 2;
    if (check->weights->activation == ATTEST_HARDMAX)
        return compare_exact(check, a, b, x);
    for (long bits = BALL_BITS; order == 2 && bits <= LAST_BALL_BITS; bits *= 2) {
        enclose(square, check, a, b, bits);
        arb_set_fmpq(bound, x, bits);
        order = compare_balls(square, bound, bits);
    }
    return order == 2 ? attest_recheck_order(check, a, b, x, max_bits) : order;
}

/* Returns whether 2^-size < |x| < 2^size. */
static bool is_within(const arf_t x, slong size)
{
    return arf_cmpabs_2exp_si(x, size) < 0 && arf_cmpabs_2exp_si(x, -size) > 0;
}

static int compare_rational(attest_recheck *check, size_t a, size_t b, const arf_t x,
                            long max_bits)
{
    FMPQ(exact);

    arf_get_fmpq(exact, x);
    return attest_recheck_compare(check, a, b, exact, max_bits);
}

/* Encloses the square with a small relative error at any magnitude. */
static bool enclose_closely(arb_t square, attest_recheck *check, size_t a, size_t b, long bits,
                            long max_bits)
{
    FMPQ(exact);

    if (check->weights->activation == ATTEST_SOFTMAX)
        return attest_recheck_square(square, check, a, b, bits, max_bits);
    get_square(exact, check, a, b);
    arb_set_fmpq(square, exact, bits);
    return true;
}

int attest_recheck_compare_end(attest_recheck *check, size_t a, size_t b, const arf_t x,
                               long max_bits)
{
    int order = 2;
    ARB(square, bound);

    if (arf_is_zero(x) || is_within(x, HANDY))
        return compare_rational(check, a, b, x, max_bits);
    if (!afford(check, a, b))
        return 2;
    arb_set_arf(bound, x);
    if (check->weights->activation == ATTEST_SOFTMAX) {
        enclose(square, check, a, b, BALL_BITS);
        order = compare_balls(square, bound, BALL_BITS);
    }
    for (long bits = BALL_BITS;
         order == 2 && bits <= max_bits &&
         enclose_closely(square, check, a, b, bits, max_bits > 2 * bits ? max_bits : 2 * bits);
         bits *= 2)
        order = compare_balls(square, bound, bits);
    /* Only a rational can equal the end. */
    if (order == 2 && is_within(x, LARGEST))
        order = compare_rational(check, a, b, x, max_bits);
    return order;
}
