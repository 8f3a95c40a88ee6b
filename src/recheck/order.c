/* order.c -- how separations and norms of softmax outputs compare with numbers, from their
 * leading exponents (proofs-notes/zero_test.md, "The sign").
 *
 * Over the common denominator of its fractions, |F_a - F_b|^2 - x^2 is a sum of exponentials.
 * It is computed down to a depth, with a bound on what is left out; where that hides the sign,
 * or all terms cancel, the depth grows. Where nothing is left out and no term is left the sum
 * is 0, because exponentials of different rationals are linearly independent. */
#include "recheck/fractions.h"

enum { FIRST_BITS = 64, FIRST_DEPTH = 4, FEW_PRODUCTS = 64 };

/* One expansion: total / (scale below)^2 = |F_a - F_b|^2 - x^2, times the square of the
 * denominator of x. */
typedef struct expansion {
    attest_recheck_sum total, below;
    attest_recheck_cut cut;
} expansion;

static void set_constant(attest_recheck_sum *sum, const fmpz_t value, attest_recheck_cut *cut)
{
    fmpz_t none;

    fmpz_init(none);
    attest_recheck_sum_clear(sum);
    if (!fmpz_is_zero(value))
        attest_recheck_sum_push(sum, none, value, cut);
    fmpz_clear(none);
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

/* Cuts copies of n or z at the depth. */
static void copy_cut(attest_recheck_sum *copy, const attest_recheck_sum *sum,
                     attest_recheck_cut *cut)
{
    fmpz_t one;

    fmpz_init_set_ui(one, 1);
    attest_recheck_sum_clear(copy);
    attest_recheck_sum_add(copy, sum, one, cut);
    fmpz_clear(one);
}

/* above = scale times entry c, over below = the product of all denominators. */
static void expand_entry(attest_recheck_sum *above, attest_recheck_sum *below,
                         const attest_recheck_fractions *f, size_t c, attest_recheck_cut *cut)
{
    attest_recheck_sum n, z, product;
    fmpz_t one;

    fmpz_init_set_ui(one, 1);
    attest_recheck_sum_init(&n), attest_recheck_sum_init(&z);
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
    attest_recheck_sum_clear(&n), attest_recheck_sum_clear(&z);
    fmpz_clear(one);
}

static void expand(expansion *e, const attest_recheck_fractions *f, const fmpq_t x)
{
    attest_recheck_sum above, square;
    fmpz_t factor;

    fmpz_init(factor);
    attest_recheck_sum_init(&above), attest_recheck_sum_init(&square);
    attest_recheck_sum_clear(&e->total);
    fmpz_mul(factor, fmpq_denref(x), fmpq_denref(x));
    for (size_t c = 0; c < f->dim && !e->cut.failed; c++) {
        expand_entry(&above, &e->below, f, c, &e->cut);
        attest_recheck_sum_clear(&square);
        attest_recheck_sum_addmul(&square, &above, &above, &e->cut);
        attest_recheck_sum_add(&e->total, &square, factor, &e->cut);
    }
    if (!fmpq_is_zero(x)) {
        fmpz_mul(factor, fmpq_numref(x), f->scale);
        fmpz_mul(factor, factor, factor);
        fmpz_neg(factor, factor);
        attest_recheck_sum_clear(&square);
        attest_recheck_sum_addmul(&square, &e->below, &e->below, &e->cut);
        attest_recheck_sum_add(&e->total, &square, factor, &e->cut);
    }
    attest_recheck_sum_clear(&above), attest_recheck_sum_clear(&square);
    fmpz_clear(factor);
}

/* The deepest depth that a product can reach. */
static void get_deepest(fmpz_t deepest, const attest_recheck_fractions *f)
{
    fmpz_zero(deepest);
    for (size_t i = 0; i < f->count; i++) {
        fmpz_t own;
        fmpz_init(own);
        for (size_t c = 0; c <= f->dim; c++) {
            const attest_recheck_sum *sum =
                c < f->dim ? &f->fraction[i].above[c] : &f->fraction[i].below;
            if (sum->count > 0 && fmpz_cmp(&sum->term[sum->count - 1].depth, own) > 0)
                fmpz_set(own, &sum->term[sum->count - 1].depth);
        }
        fmpz_addmul_ui(deepest, own, 2);
        fmpz_clear(own);
    }
}

/* How many terms the whole product has at most, or more than enough. */
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
    mag_t tail;

    if (e->cut.failed)
        return UNABLE;
    if (e->total.count == 0)
        return fmpz_is_zero(&e->total.rest) ? ZERO : TOO_SHALLOW;
    mag_init(tail);
    fmpz_set(lead, &e->total.term[0].depth);
    for (long bits = FIRST_BITS + accuracy; result == UNABLE && bits <= max_bits; bits *= 2) {
        attest_recheck_sum_enclose(factor, tail, &e->total, lead, denominator, bits, &e->cut);
        mag_mul_2exp_si(tail, tail, 2);
        if (!arb_contains_zero(factor) && arb_rel_accuracy_bits(factor) >= accuracy)
            result = NONZERO;
        else if (!mag_is_zero(tail) && mag_cmp(tail, arb_radref(factor)) >= 0)
            result = TOO_SHALLOW;
    }
    mag_clear(tail);
    return result;
}

/* Expands to greater and greater depths: e^-16, e^-64 and so on, the exponents growing faster
 * and faster, until the factor is known. */
static found resolve(arb_t factor, fmpz_t lead, expansion *e, const attest_recheck_fractions *f,
                     const fmpq_t x, long accuracy, long max_bits)
{
    found result = TOO_SHALLOW;
    ulong power = FIRST_DEPTH;
    fmpz_t deepest;

    fmpz_init(deepest);
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
    fmpz_clear(deepest);
    return result;
}

static void expansion_init(expansion *e, size_t max_terms)
{
    *e = (expansion){.cut = {.whole = true, .most = max_terms}};
    fmpz_init(e->cut.depth);
}

static void expansion_clear(expansion *e)
{
    attest_recheck_sum_clear(&e->total);
    attest_recheck_sum_clear(&e->below);
    fmpz_clear(e->cut.depth);
}

int attest_recheck_order(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                         long max_bits)
{
    attest_recheck_fractions f;
    found result = UNABLE;
    fmpz_t lead;
    arb_t factor;
    expansion e;
    int order;

    attest_recheck_fractions_init(&f, check, a, b);
    expansion_init(&e, check->max_terms);
    fmpz_init(lead);
    arb_init(factor);
    if (!f.failed)
        result = resolve(factor, lead, &e, &f, x, 0, max_bits);
    check->met_terms = check->met_terms || e.cut.failed;
    order = result == ZERO ? 0 : result != NONZERO ? 2 : arb_is_positive(factor) ? 1 : -1;
    arb_clear(factor);
    fmpz_clear(lead);
    expansion_clear(&e);
    attest_recheck_fractions_clear(&f);
    return order;
}

bool attest_recheck_square(arb_t square, attest_recheck *check, size_t a, size_t b, long bits,
                           long max_bits)
{
    attest_recheck_fractions f;
    found result = UNABLE;
    fmpz_t lead, none;
    arb_t factor;
    mag_t tail;
    expansion e;
    fmpq_t zero;

    attest_recheck_fractions_init(&f, check, a, b);
    expansion_init(&e, check->max_terms);
    fmpz_init(lead), fmpz_init(none), fmpq_init(zero), mag_init(tail);
    arb_init(factor);
    if (!f.failed)
        result = resolve(factor, lead, &e, &f, zero, bits, max_bits);
    check->met_terms = check->met_terms || e.cut.failed;
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
    fmpz_clear(lead), fmpz_clear(none), fmpq_clear(zero), mag_clear(tail);
    arb_clear(factor);
    expansion_clear(&e);
    attest_recheck_fractions_clear(&f);
    return (result == NONZERO && arb_is_finite(square)) || result == ZERO;
}
