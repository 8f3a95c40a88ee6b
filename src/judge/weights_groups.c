/* weights_groups.c -- (4): what quantising the weights in groups of keys adds to a cast. */
#include "judge/weights.h"

/* The key after the last one that may be in a group with key j, where groups begin with tiles
 * of a known size. */
static size_t group_end(const attest_judge_work *x, const attest_judge_rule *rule, size_t j)
{
    size_t tile = rule->variant->tile, place = (x->first + j) % tile;
    size_t size = rule->variant->p_scheme.channels, end = tile;

    if (size > 0 && (place / size + 1) * size < tile)
        end = (place / size + 1) * size;
    end = j + (end - place);
    return end < x->count ? end : x->count;
}

/* extra of the keys first .. last-1, of groups whose largest weights are at most the largest of
 * theirs: the scheme's error of what the divided weights are, then the cast's of that. */
static void set_extra(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                      size_t last, double largest, const struct judge_loops_cast *cast,
                      double unit)
{
    const attest_block_error *e = &rule->scheme;
    double up = (1 + cast->u) * ATTEST_JUDGE_UP, grow = 1 + cast->divided;
    double fixed = ATTEST_TERM(scheme_largest, e->of_largest * (largest * grow + cast->rest)) +
                   ATTEST_TERM(scheme_tiny, e->tiny * unit);

    for (size_t j = first; j < last; j++)
        x->extra[j] =
            (ATTEST_TERM(scheme_relative, e->relative) * (x->high[j] * grow + cast->rest) +
             fixed) *
            up;
    x->extra_most =
        maximum(x->extra_most, (e->relative * (largest * grow + cast->rest) + fixed) * up);
}

static double largest_of(const double *x, size_t first, size_t last)
{
    double largest = 0;

    for (size_t j = first; j < last; j++)
        largest = maximum(largest, x[j]);
    return largest;
}

/* Whether the weights of a group may be too small for the scheme; one that has no key at all is
 * not. unit: a weight that is 1 in P. */
static bool may_vanish(const attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                       size_t last, double unit)
{
    return largest_of(x->high, first, last) > 0 &&
           !(largest_of(x->low, first, last) >= 2 * rule->scheme.least * unit);
}

void attest_judge_weights_set_groups(attest_judge_work *x, const attest_judge_rule *rule,
                                     const struct judge_loops_cast *cast, double unit)
{
    const attest_judge_variant *v = rule->variant;
    bool known = v->tile > 0 && v->direction != ATTEST_JUDGE_DIRECTION_ANY;

    x->extra_most = 0;
    for (size_t j = 0, end; j < x->count; j = end) {
        end = known ? group_end(x, rule, j) : x->count;
        set_extra(x, rule, j, end, largest_of(x->high, j, end), cast, unit);
        /* a group of any one key */
        for (size_t i = j, next; rule->scheme.least > 0 && i < end; i = next) {
            next = known ? end : i + 1;
            if (may_vanish(x, rule, i, next, unit))
                x->weight_reason = ATTEST_JUDGE_GROUPS_VANISH;
        }
    }
}
