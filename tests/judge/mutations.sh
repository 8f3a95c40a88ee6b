#!/bin/sh
# Bugs in the judge's bound, planted in a copy of the source: a test of the bound must fail. Prints
# which one noticed which. Weakened terms that have a name are in tests/bounds/t-judge.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"

ATTEST_ROWS=60000
export ATTEST_ROWS
build_tests bounds/t-judge judge/terms judge/exact judge/bound
prefix=src/judge/

keys=loops_keys.inc       # what is done key by key,
columns=loops_columns.inc # column by column

# (1), (2): scores
mutation "pairs of terms" sum_error.c 'return order == ATTEST_JUDGE_ORDER_TENSOR ||' \
    'return order >= ATTEST_JUDGE_ORDER_TENSOR ||'
mutation "the largest partial sum" $keys 'vector_mul(vector_add(size, s), vector_set(0.5))' \
    'vector_mul(vector_add(size, s), vector_set(0.25))'
mutation "partial sums no larger than the sum" $keys 'vector_mul(vector_add(size, s), vector_set(0.5))' 's'
mutation "log2 e in a query" scores.c 'rule->power_of_two && !rule->folded;' 'rule->power_of_two;'
mutation "a scaled query that overflows" scores.c '(rule->queried && !(scaled' '(false && !(scaled'
mutation "subnormal scaled queries" scores.c 'x->raised_scaled, 0);' '0, 0);'
mutation "subnormal inputs of a matrix unit" $keys 'vector_max(reached, vector_set(r->raised))' 'reached'
mutation "terms that a matrix unit cuts" $keys 'vector_set(r->blocks), block, lost)' \
    'vector_set(r->blocks), block, vector_mul(lost, vector_set(0.5)))'
mutation "results that a matrix unit cuts" $keys 'vector_set(r->kept)' 'vector_set(0)'
mutation "slope of the softcap" scores.c \
    'return 4 * e / ((1 + e) * (1 + e))' 'return 2 * e / ((1 + e) * (1 + e))'
mutation "additive mask" scores.c '(fabs(t) + fabs(bias) + fabs(sum)' '(fabs(bias)'
# (3): weights
mutation "factors in the scale" rule.c 'attest_judge_head_get_scale(ball, head, 128)' \
    'attest_judge_problem_get_scale(ball, head->problem, 128)'
mutation "tiles that may raise the maximum" tiles.c 'x->tile_high[i] > low && !first' \
    'x->tile_low[i] > low && !first'
mutation "flushed exponentials" $keys 'kept = vector_at_most(limit, a);' 'kept = vector_at_most(zero, a);'
# (4): casts
mutation "the offset of a cast" casts.c '-1 - (int)v->offset)' '-1 - 2 * (int)v->offset)'
mutation "divided weights are cast" casts.c 'half *= x->divisor;' 'half *= 1;'
mutation "casts in the row sum" casts.c '.widens = v->cast &&' '.widens = false &&'
mutation "casts with a known reference" $keys 'vector_fma(vector_sub(high, low), vector_set(0.5)' \
    'vector_fma(vector_sub(high, low), vector_set(0.25)'
mutation "the reference of a known cast" $keys 'vector_sub(one, vector_add(r, range))' \
    'vector_sub(one, r)'
mutation "exponentials flushed before a cast" $keys '0x1p-125 * (known->two_b > 1 ? known->two_b : 1)' \
    '0x1p-125'
mutation "sums that overflow when rounded" weights.c 'x->value_most * products;' 'x->value_most;'
mutation "sums of weights without the offset" weights.c 'added = v->offset > 0 ?' 'added = true ?'
mutation "references of parts" weights.c 'rule->rescaled || rule->variant->splits > 1' 'rule->rescaled'
mutation "parts that overflow" weights.c 'joined < rule->work.limit' 'true'
mutation "a reciprocal that is subnormal" weights.c '!(1 / x->most_sum >= rule->least_reciprocal)' 'false'
mutation "references whose difference overflows" weights.c 'return rule->rescaled && rule->folded &&' 'return false && rule->folded &&'
mutation "constants that are no normal numbers" scores.c 'if (rule->constants_leave)' 'if (false)'
mutation "accumulators wider than the working format" rule.c 'if (unit->limit > rule->work.limit)' 'if (false)'
# (5), (6): sums, quotient, output
mutation "rescales of the product with V" quotient.c \
    'raised_product(x, rule), rule->after ? x->raises : 0' 'raised_product(x, rule), 0'
mutation "partial sums of the product with V" quotient.c 'most[c] / 2 * up' 'most[c] / 4 * up'
mutation "lanes" quotient.c 'double steps = tiles * lane' 'double steps = tiles * lane / 2'
mutation "division" $columns 'final = vector_set(rule->final)' 'final = vector_set(rule->final / 2)'
mutation "the factor of the output" $columns 'u = vector_set(rule->u)' 'u = zero'
mutation "a factor over the row sum" weights.c '!keeps_factor(x, rule)' '!keeps_factor(x, rule) && false'
mutation "flushed results" rule.c 'whole ? 1 : (double)v->splits + 1' '1'
mutation "output to either side" $columns 'vector_select(vector_at_most(x, r), r, round_output(next, f))' \
    'vector_select(vector_at_most(x, r), r, r)'
mutation "a row sum that is flushed" quotient.c 'if (!(x->ratio_low > 0))' 'if (0)'
# the exact value
mutation "scores that overflow doubles" scores.c 'x->unknown = (wild & 1) != 0;' 'x->unknown = false;'
mutation "where a window ends" head.c 'keys + (ptrdiff_t)x->queries' 'keys'
finish
