#!/bin/sh
# Planted bugs in what decides by leading exponents, on both routes, and in Lemma F on the second
# one: each is put into a copy of the source, and a test must fail. Prints which one noticed which.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"
srcdir=$(cd "$srcdir" && pwd)
export srcdir

build_tests certify/zero_test forge/decide forge/forge forge/directed.sh forge/forms.sh

# certify
series=src/certify/softmax_sign.c
sign=src/certify/softmax_sign.c
mutation "terms that are cut off and forgotten" $series \
    'fmpz_add(s->rest, s->rest, c);' ';'
mutation "a bound that is added" $series \
    'fmpz_neg(factor, factor);' ';'
mutation "a bound without its denominator" $series \
    'series_scale(&square, fmpq_denref(target), f);' ';'
mutation "a bound without the denominators of the sum" $series \
    'fmpz_mul(factor, clear, clear);' 'fmpz_set(factor, clear);'
mutation "a sum that is 0 as far as it goes" $sign \
    '&& fmpz_is_zero(total.rest);' ';'
mutation "a square without its leading power" $sign \
    'arb_mul(factor, factor, power, bits + 16);' ';'
mutation "a square over one denominator" $sign \
    'arb_sqr(square, square, 2 * bits + 64);' ';'
mutation "a fraction that lost its sign" src/certify/softmax_sum.c \
    'fmpq_set_si(share, sign * (slong)keys[j].times, 1);' 'fmpq_set_si(share, (slong)keys[j].times, 1);'
mutation "the order turned round" src/certify/extreme_candidates.c \
    ': candidate->order > 0 ? ATTEST_COMPARISON_ABOVE
                                      : ATTEST_COMPARISON_BELOW;' ': candidate->order < 0 ? ATTEST_COMPARISON_ABOVE
                                      : ATTEST_COMPARISON_BELOW;'

# the checker
mutation "products beyond the depth, forgotten" src/recheck/exp_sum.c \
    'fmpz_addmul(&product->rest, factor, right + j);' ';'
mutation "a checker that adds the bound" src/recheck/sign_of_square.c \
    'fmpz_neg(factor, factor);' ';'
mutation "a checker's sum that is 0 as far as it goes" src/recheck/sign_of_square.c \
    'return fmpz_is_zero(&e->total.rest) ? ZERO : TOO_SHALLOW;' 'return ZERO;'
mutation "the checker's depths below the least score" src/recheck/exp_sum.c \
    'fmpz_cmp(s->depth + j, largest) > 0' 'fmpz_cmp(s->depth + j, largest) < 0'
mutation "contents that the checker drops" src/recheck/exp_sum.c \
    'multiply_scale(f, content);' ';'
mutation "outputs that the checker adds" src/recheck/exp_sum.c \
    'if (sign < 0)
        fmpz_neg(factor, factor);' ';'
mutation "depths that the checker divides by a stride of the denominator" src/recheck/exp_sum.c \
    's < 2; s++' 's < 1; s++' 'fmpz_divexact(degree, &sum->term[i].depth, stride);' 'fmpz_fdiv_q(degree, &sum->term[i].depth, stride);'
mutation "constants that the checker loses" src/recheck/exp_sum.c \
    'fmpz_add(f->constant + c, f->constant + c, ratio);' ';'
mutation "a bound of the lemma without its exponential" src/recheck/lemma_order.c \
    'arb_mul(bound, bound, t, bits + 32);' ';'
mutation "a witness of any first difference" src/recheck/lemma_order.c \
    'else if (witness->common != q.event.common)' 'else if (false)'
mutation "a witness of any gap" src/recheck/lemma_order.c \
    'else if (!fmpq_equal(witness->gap, gap))' 'else if (false)'
mutation "a witness of any bound" src/recheck/lemma_order.c \
    'else if (!is_bound_inside(&q))' 'else if (false)'

# the slack
check=src/recheck/check.c
mutation "a claim that fails within the slack" $check \
    'low = compare_side(v, a, b, x, LOW);' ';'
mutation "a delta without the slack" $check \
    'fmpq_add(x->bound[HIGH], x->bound[HIGH], slack);' ';'
mutation "ends without the slack" $check \
    'arf_add(x->end[HIGH], end, w, bits, ARF_RND_CEIL);' ';'
mutation "ends without the slack, from above" $check \
    'arf_sub(x->end[LOW], end, w, bits, ARF_RND_FLOOR);' ';'
mutation "a separation of one output's slack" $check \
    'set_ball(&v->least, &v->most, c->min_separation, slack, 2);' \
    'set_ball(&v->least, &v->most, c->min_separation, slack, 1);'
mutation "a midpoint far below the slack" src/certify/decide.c \
    'arf_zero(arb_midref(ball));' ';'
finish
