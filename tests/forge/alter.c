/* alter.c -- the ways in which certificates are altered. */
#include "tests/forge/alter.h"

#include "tests/forge/instance.h"

enum { LEAST_EXPONENT = -20000 };

static const ref_square *random_separation(size_t *a, size_t *b, const forge_context *context)
{
    const ref_truth *truth = context->truth;

    do {
        *a = (size_t)forge_below(context->state, (long)truth->positions);
        *b = (size_t)forge_below(context->state, (long)truth->positions);
    } while (!truth->required[*a * truth->positions + *b]);
    return ref_truth_separation(truth, *a, *b);
}

/* root encloses the root of the square; returns false if the midpoint is below
 * 2^LEAST_EXPONENT. */
static bool get_root(arb_t root, const ref_square *square)
{
    arb_sqrt(root, square->ball, 192);
    return arf_cmpabs_2exp_si(arb_midref(root), LEAST_EXPONENT) > 0;
}

/* x = a random power of 2, from 2^-10 to 2^-19000. */
static void set_small(arf_t x, uint64_t *state)
{
    static const long k[] = {10, 60, 1000, 4090, 4100, 4200, 19000};

    arf_set_si_2exp_si(x, 1, -k[forge_below(state, (long)(sizeof k / sizeof k[0]))]);
}

/* x = the simplest rational at a relative distance of at most 2^-100 from the root. For large
 * scores this is the distance under hardmax, and no ball separates the root from it. Returns
 * false if the root is too small. */
static bool get_simplest(fmpq_t x, const ref_square *square)
{
    fmpq_t low, high;
    arb_t root;
    bool ok;

    fmpq_init(low), fmpq_init(high), arb_init(root);
    ok = get_root(root, square) && !arb_is_zero(root);
    if (ok) {
        arf_get_fmpq(low, arb_midref(root));
        fmpq_div_2exp(high, low, 100);
        fmpq_sub(low, low, high);
        fmpq_mul_2exp(high, high, 1);
        fmpq_add(high, high, low);
        fmpq_simplest_between(x, low, high);
    }
    fmpq_clear(low), fmpq_clear(high), arb_clear(root);
    return ok;
}

void forge_near(fmpq_t x, const ref_square *square, int side, uint64_t *state)
{
    static const long bits[] = {1, 3, 10, 50, 100, 125};
    long near = bits[forge_below(state, (long)(sizeof bits / sizeof bits[0]))];
    fmpq_t factor;
    arb_t root;
    arf_t end;

    if (side == 0 && (ref_square_root(x, square) || get_simplest(x, square)))
        return;
    fmpq_init(factor), arb_init(root), arf_init(end);
    fmpq_one(factor);
    if (!get_root(root, square)) {
        if (side > 0)
            set_small(end, state);
    } else if (side > 0) {
        arb_get_ubound_arf(end, root, 192);
        fmpq_div_2exp(factor, factor, (flint_bitcnt_t)near);
        fmpq_add_si(factor, factor, 1);
    } else {
        arb_get_lbound_arf(end, root, 192);
        fmpq_div_2exp(factor, factor, (flint_bitcnt_t)near);
        fmpq_neg(factor, factor);
        fmpq_add_si(factor, factor, 1);
    }
    arf_get_fmpq(x, end);
    if (near < 125)
        fmpq_mul(x, x, factor);
    fmpq_clear(factor), arb_clear(root), arf_clear(end);
}

/* ball = a correct enclosure of the root, of random width. */
static void enclose(forge_ball *ball, const ref_square *square, uint64_t *state)
{
    static const slong bits[] = {2, 30, 53, 100, 128};
    arb_t root;
    arf_t end;

    arb_init(root), arf_init(end);
    if (!get_root(root, square)) {
        set_small(ball->mid, state);
        arf_set(ball->rad, ball->mid);
        if (arb_is_zero(square->ball) && forge_below(state, 2)) {
            arf_zero(ball->mid);
            arf_zero(ball->rad);
        }
    } else {
        arf_set_round(ball->mid, arb_midref(root), bits[forge_below(state, 5)], ARF_RND_NEAR);
        arb_sub_arf(root, root, ball->mid, ARF_PREC_EXACT);
        arb_get_abs_ubound_arf(end, root, MAG_BITS);
        arf_set(ball->rad, end);
        if (!arf_is_zero(end) && arf_cmpabs_2exp_si(end, LEAST_EXPONENT) < 0)
            arf_set_si_2exp_si(ball->rad, 1, LEAST_EXPONENT);
    }
    ball->remark = FORGE_REMARK_RIGHT;
    arb_clear(root), arf_clear(end);
}

/* Changes a correct enclosure, mostly such that it no longer contains the truth: moves the
 * midpoint by the radius, by a unit in the last place or by a factor, or removes or scales the
 * radius. */
static void spoil(forge_ball *ball, const ref_square *square, uint64_t *state)
{
    arf_t unit;

    arf_init(unit);
    switch (forge_below(state, 8)) {
    case 0: /* by the radius: one end is now the old midpoint */
        arf_add(ball->mid, ball->mid, ball->rad, ARF_PREC_EXACT, ARF_RND_DOWN);
        break;
    case 1:
        arf_sub(ball->mid, ball->mid, ball->rad, ARF_PREC_EXACT, ARF_RND_DOWN);
        break;
    case 2:
        arf_zero(ball->rad);
        break;
    case 3: /* one unit in the last place of 128 bits */
        arf_mul_2exp_si(unit, ball->mid, -128);
        arf_add(ball->mid, ball->mid, unit, ARF_PREC_EXACT, ARF_RND_DOWN);
        break;
    case 4:
        arf_mul_2exp_si(ball->rad, ball->rad, -1 - forge_below(state, 40));
        break;
    case 5:
        arf_mul_2exp_si(ball->mid, ball->mid, forge_below(state, 2) ? 1 : -1);
        break;
    case 6: /* wider than it was: claims less */
        arf_mul_2exp_si(ball->rad, ball->rad, 1 + forge_below(state, 60));
        break;
    default:
        enclose(ball, square, state);
    }
    arf_clear(unit);
}

static void change_verdict(forge_claim *claim, const forge_context *context)
{
    static const attest_verdict verdict[] = {ATTEST_PROVED, ATTEST_REFUTED, ATTEST_UNDECIDED};
    attest_verdict other;

    do
        other = verdict[forge_below(context->state, 3)];
    while (other == claim->verdict);
    claim->verdict = other;
}

/* bound = 0, a random decimal, an end of the ball, or a number near the root. */
static void change_bound(fmpq_t bound, const ref_square *square, const forge_ball *ball,
                         uint64_t *state)
{
    fmpq_t rad;

    fmpq_init(rad);
    switch (forge_below(state, 6)) {
    case 0:
        fmpq_zero(bound);
        break;
    case 1:
        forge_decimal(bound, 1 + forge_below(state, 9), forge_below(state, 700) - 350);
        break;
    case 2: /* an end of the ball */
        arf_get_fmpq(bound, ball->mid);
        arf_get_fmpq(rad, ball->rad);
        if (forge_below(state, 2))
            fmpq_add(bound, bound, rad);
        else
            fmpq_sub(bound, bound, rad);
        fmpq_abs(bound, bound);
        break;
    default:
        forge_near(bound, square, (int)forge_below(state, 3) - 1, state);
    }
    fmpq_clear(rad);
}

static const ref_square *least(const forge_context *context)
{
    return ref_truth_separation(context->truth, context->least[0], context->least[1]);
}

static void change_delta(forge_claim *claim, const forge_context *context)
{
    size_t a, b;

    if (context->truth->required_pairs == 0)
        forge_decimal(claim->delta, 1, forge_below(context->state, 20) - 10);
    else
        change_bound(claim->delta,
                     forge_below(context->state, 3) ? least(context)
                                                    : random_separation(&a, &b, context),
                     &claim->separation, context->state);
}

static void change_r(forge_claim *claim, const forge_context *context)
{
    const ref_truth *truth = context->truth;
    size_t at = forge_below(context->state, 3)
                    ? context->largest
                    : (size_t)forge_below(context->state, (long)truth->positions);

    claim->has_r = forge_below(context->state, 8) > 0;
    if (claim->has_r)
        change_bound(claim->r, &truth->norm[at], &claim->norm, context->state);
}

static attest_place random_place(const forge_context *context)
{
    size_t total = context->truth->positions;
    attest_place place =
        attest_place_get(context->dataset, (size_t)forge_below(context->state, (long)total));

    if (forge_below(context->state, 20) == 0) /* just outside, or far */
        place.position +=
            forge_below(context->state, 2) ? context->dataset->longest : (size_t)-1 / 4;
    if (forge_below(context->state, 20) == 0)
        place.sequence = context->dataset->count;
    return place;
}

static void change_pair(forge_claim *claim, const forge_context *context)
{
    attest_place first = claim->pair[0];
    size_t a, b;

    switch (forge_below(context->state, 5)) {
    case 0:
        claim->pair[0] = claim->pair[1];
        claim->pair[1] = first;
        break;
    case 1:
        claim->has_pair = !claim->has_pair;
        break;
    case 2:
        claim->pair[0] = random_place(context);
        claim->pair[1] = random_place(context);
        claim->has_pair = true;
        break;
    default:
        if (context->truth->required_pairs == 0)
            break;
        random_separation(&a, &b, context);
        claim->pair[0] = attest_place_get(context->dataset, a < b ? a : b);
        claim->pair[1] = attest_place_get(context->dataset, a < b ? b : a);
        claim->has_pair = true;
    }
}

static void change_separation(forge_claim *claim, const forge_context *context)
{
    if (context->truth->required_pairs == 0)
        return;
    spoil(&claim->separation, least(context), context->state);
}

static void change_norm(forge_claim *claim, const forge_context *context)
{
    spoil(&claim->norm, &context->truth->norm[context->largest], context->state);
}

static void change_place(forge_claim *claim, const forge_context *context)
{
    claim->has_largest = forge_below(context->state, 5) > 0;
    claim->largest = random_place(context);
}

static void take_other_pair(forge_claim *claim, const forge_context *context)
{
    const ref_square *square;
    size_t a, b;

    if (context->truth->required_pairs == 0)
        return;
    square = random_separation(&a, &b, context);
    claim->pair[0] = attest_place_get(context->dataset, a < b ? a : b);
    claim->pair[1] = attest_place_get(context->dataset, a < b ? b : a);
    claim->has_pair = true;
    enclose(&claim->separation, square, context->state);
    forge_near(claim->delta, square, -1, context->state);
    if (forge_below(context->state, 3) == 0)
        fmpq_zero(claim->delta);
    claim->has_r = claim->has_r && forge_below(context->state, 2);
    claim->verdict = ATTEST_PROVED;
}

static void take_other_norm(forge_claim *claim, const forge_context *context)
{
    size_t at = (size_t)forge_below(context->state, (long)context->truth->positions);

    claim->largest = attest_place_get(context->dataset, at);
    enclose(&claim->norm, &context->truth->norm[at], context->state);
    claim->has_r = forge_below(context->state, 4) > 0;
    if (claim->has_r)
        forge_near(claim->r, &context->truth->norm[at], 1, context->state);
    if (context->truth->required_pairs && forge_below(context->state, 2))
        forge_near(claim->delta, least(context), -1, context->state);
    claim->verdict = ATTEST_PROVED;
}

/* Sets bounds just below, at or just above the extremes, with correct enclosures and this
 * verdict. */
static void take_tight(forge_claim *claim, const forge_context *context, attest_verdict verdict)
{
    uint64_t *state = context->state;

    if (context->truth->required_pairs) {
        claim->pair[0] = attest_place_get(context->dataset, context->least[0]);
        claim->pair[1] = attest_place_get(context->dataset, context->least[1]);
        claim->has_pair = true;
        enclose(&claim->separation, least(context), state);
        forge_near(claim->delta, least(context), (int)forge_below(state, 3) - 1, state);
    }
    enclose(&claim->norm, &context->truth->norm[context->largest], state);
    claim->largest = attest_place_get(context->dataset, context->largest);
    claim->has_r = forge_below(state, 2);
    if (claim->has_r)
        forge_near(claim->r, &context->truth->norm[context->largest],
                   (int)forge_below(state, 3) - 1, state);
    claim->verdict = verdict;
}

static void change_method(forge_claim *claim, const forge_context *context)
{
    static const char *const name[] = {"exact", "ball",         "filter", "first-difference",
                                       "auto",  "by inspection"};
    static const long bits[] = {0, 53, 128, 1L << 40, -1};

    claim->method = name[forge_below(context->state, sizeof name / sizeof name[0])];
    claim->precision_bits = bits[forge_below(context->state, 5)];
}

static void change_remark(forge_claim *claim, const forge_context *context)
{
    forge_ball *ball =
        claim->has_pair && forge_below(context->state, 2) ? &claim->separation : &claim->norm;

    ball->remark = (forge_remark)(1 + forge_below(context->state, FORGE_REMARKS - 1));
}

static void change_required(forge_claim *claim, const forge_context *context)
{
    claim->required_pairs =
        (long)context->truth->required_pairs + forge_below(context->state, 3);
}

static void change_hash(forge_claim *claim, const forge_context *context)
{
    char *digit =
        &claim->sha256[forge_below(context->state, 2)][forge_below(context->state, 64)];

    *digit = *digit == '0' ? '1' : '0';
    claim->wrong_hash = true;
}

static void change_several(forge_claim *claim, const forge_context *context)
{
    for (long n = 2 + forge_below(context->state, 2); n > 0; n--)
        forge_alter(claim, (forge_kind)(1 + forge_below(context->state, FORGE_TIGHT_REFUTED)),
                    context);
}

const char *forge_kind_name(forge_kind kind)
{
    static const char *const name[FORGE_KINDS] = {"unaltered",
                                                  "verdict",
                                                  "delta",
                                                  "r",
                                                  "pair",
                                                  "enclosure of the separation",
                                                  "enclosure of the norm",
                                                  "place of the norm",
                                                  "another pair",
                                                  "another norm",
                                                  "proved, tight",
                                                  "refuted, tight",
                                                  "method, precision",
                                                  "log2, text",
                                                  "required pairs",
                                                  "hash",
                                                  "several"};

    return name[kind];
}

void forge_alter(forge_claim *claim, forge_kind kind, const forge_context *context)
{
    static void (*const change[FORGE_KINDS])(forge_claim *, const forge_context *) = {
        [FORGE_VERDICT] = change_verdict,
        [FORGE_DELTA] = change_delta,
        [FORGE_R] = change_r,
        [FORGE_PAIR] = change_pair,
        [FORGE_SEPARATION] = change_separation,
        [FORGE_NORM] = change_norm,
        [FORGE_PLACE] = change_place,
        [FORGE_OTHER_PAIR] = take_other_pair,
        [FORGE_OTHER_NORM] = take_other_norm,
        [FORGE_METHOD] = change_method,
        [FORGE_REMARK] = change_remark,
        [FORGE_REQUIRED] = change_required,
        [FORGE_HASH] = change_hash,
        [FORGE_SEVERAL] = change_several,
    };

    if (kind == FORGE_TIGHT_PROVED || kind == FORGE_TIGHT_REFUTED)
        take_tight(claim, context, kind == FORGE_TIGHT_PROVED ? ATTEST_PROVED : ATTEST_REFUTED);
    else if (change[kind])
        change[kind](claim, context);
}
