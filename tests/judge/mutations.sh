#!/bin/sh
# Bugs in the judge's bound, planted in a copy of the source: a test of the bound must fail. Prints
# the test that noticed each bug. Weakened terms that have a name are in tests/bounds/t-judge.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"

ATTEST_ROWS=60000
export ATTEST_ROWS
build_tests bounds/t-judge judge/terms judge/exact judge/bound judge/lse judge/merge judge/entries judge/parallel_rows judge/printed judge/tiles
prefix=src/judge/

keys=loops_keys.inc       # loops over keys
columns=loops.inc         # loops over columns

# (1), (2): scores
mutation "pairs of terms" model.c 'return order == ATTEST_JUDGE_ORDER_TENSOR ||' \
    'return order >= ATTEST_JUDGE_ORDER_TENSOR ||'
mutation "the largest partial sum" $keys 'vector_mul(vector_add(size, s), vector_set(0.5))' \
    'vector_mul(vector_add(size, s), vector_set(0.25))'
mutation "partial sums no larger than the sum" $keys 'vector_mul(vector_add(size, s), vector_set(0.5))' 's'
mutation "log2 e in a query" row_scores.c 'rule->power_of_two && !rule->folded;' 'rule->power_of_two;'
mutation "a scaled query that overflows" row_scores.c '(rule->queried && !(scaled' '(false && !(scaled'
mutation "subnormal scaled queries" row_scores.c 'x->raised_scaled, 0);' '0, 0);'
mutation "subnormal inputs of a matrix unit" $keys 'vector_max(reached, vector_set(r->raised))' 'reached'
mutation "terms that a matrix unit cuts" $keys 'vector_set(r->blocks), block, lost)' \
    'vector_set(r->blocks), block, vector_mul(lost, vector_set(0.5)))'
mutation "results that a matrix unit cuts" $keys 'vector_set(r->kept)' 'vector_set(0)'
mutation "slope of the softcap" row_scores.c \
    'return 4 * e / ((1 + e) * (1 + e))' 'return 2 * e / ((1 + e) * (1 + e))'
mutation "additive mask" row_scores.c '(fabs(t) + fabs(bias) + fabs(sum)' '(fabs(bias)'
# (3): weights
mutation "factors in the scale" arithmetic.c 'attest_judge_head_get_scale(ball, head, 128)' \
    'attest_judge_problem_get_scale(ball, head->problem, 128)'
mutation "tiles that may raise the maximum" row_scores.c 'x->tile_high[i] > low && !first' \
    'x->tile_low[i] > low && !first'
mutation "parts that begin with any tile" row_scores.c 'x->tile_raises[TILE(at)] + 1 : 0' '1 : 0'
mutation "the largest sum in a part" row_scores.c 'run += x->tile_high[k];' 'run = x->tile_high[k];'
mutation "flushed exponentials" $keys 'kept = vector_at_most(limit, a);' 'kept = vector_at_most(zero, a);'
# (4): casts
mutation "the offset of a cast" row_weights.c '-1 - (int)v->offset)' '-1 - 2 * (int)v->offset)'
mutation "divided weights are cast" row_weights.c 'half *= x->divisor;' 'half *= 1;'
mutation "casts in the row sum" row_weights.c '.widens = sums_casts(rule)' '.widens = false'
mutation "casts with a known reference" $keys 'vector_fma(vector_sub(high, low), vector_set(0.5)' \
    'vector_fma(vector_sub(high, low), vector_set(0.25)'
mutation "the reference of a known cast" $keys 'vector_sub(one, vector_add(r, range))' \
    'vector_sub(one, r)'
mutation "exponentials flushed before a cast" $keys '0x1p-125 * (known->two_b > 1 ? known->two_b : 1)' \
    '0x1p-125'
mutation "casts that the row sum adds, whose spreads" $keys 'none = width;' 'none = zero;'
mutation "quotients on the scale of the smallest row sum" row_weights.c 'known.up = 1 / high;' 'known.up = 1 / low;'
mutation "products of divided weights" row_output.c 'x->sum_high / x->divided_low' '0.5 * x->sum_low / x->sum_high'
mutation "sums that overflow when rounded" row_weights.c 'x->value_most * products;' 'x->value_most;'
mutation "sums of weights without the offset" row_weights.c 'added = v->offset > 0 ?' 'added = true ?'
mutation "references of parts" row_weights.c 'rule->rescaled || rule->quotients > 1' 'rule->rescaled'
mutation "parts that overflow" row_weights.c 'joined < rule->work.limit' 'true'
mutation "a reciprocal that is subnormal" row_weights.c '!(1 / x->most_sum >= rule->least_reciprocal)' 'false'
mutation "references whose difference overflows" row_weights.c 'return rule->rescaled && rule->folded &&' 'return false && rule->folded &&'
mutation "constants that are no normal numbers" row_scores.c 'if (rule->constants_leave)' 'if (false)'
mutation "accumulators wider than the working format" arithmetic.c 'if (unit->limit > rule->work.limit)' 'if (false)'
# (5), (6): sums, quotient, output
mutation "rescales of the product with V" row_output.c \
    'raised_product(x, rule), rule->after ? x->raises : 0' 'raised_product(x, rule), 0'
mutation "partial sums of the product with V" row_output.c 'most[c] / 2 * ATTEST_JUDGE_UP' 'most[c] / 4 * ATTEST_JUDGE_UP'
mutation "lanes" row_output.c 'double steps = tiles * lane' 'double steps = tiles * lane / 2'
mutation "division" $columns 'final = vector_set(rule->final)' 'final = vector_set(rule->final / 2)'
mutation "the factor of the output" $columns 'u = vector_set(rule->u)' 'u = zero'
mutation "a factor over the row sum" row_weights.c '!keeps_factor(x, rule)' '!keeps_factor(x, rule) && false'
mutation "flushed results" arithmetic.c 'whole ? 1 : (double)rule->quotients + 1' '1'
mutation "output to either side" $columns 'vector_select(vector_at_most(x, r), r, round_output(next, f))' \
    'vector_select(vector_at_most(x, r), r, r)'
mutation "a row sum that is flushed" row_output.c 'if (!(x->ratio_low > 0))' 'if (0)'
# the exact value
mutation "scores that overflow doubles" row_scores.c 'x->unknown = (wild & 1) != 0;' 'x->unknown = false;'
mutation "where a window ends" problem.c 'keys + (ptrdiff_t)x->queries' 'keys'
# entries, selected rows, printed outputs
mutation "the page of a key" problem.c '*token / here->shape[2]' '*token / (here->shape[2] + 1)'
mutation "tokens after the past" problem.c '*token -= past->shape[2];' '*token -= past->shape[2] - 1;'
mutation "keys of a packed sequence" rows.c 'qkv->cu_seqlens_k ? (size_t)qkv->cu_seqlens_k[b] : 0' '0'
mutation "queries of a packed sequence" rows.c 'cut(&x->q, 2, (size_t)qkv->cu_seqlens_q[b]' 'cut(&x->q, 2, (size_t)qkv->cu_seqlens_q[0]'
mutation "valid keys" rows.c 'qkv->lengths ? (size_t)qkv->lengths[b] : get_capacity' 'false ? 0 : get_capacity'
mutation "pages of other entries" rows.c 'qkv->block_table + b * qkv->blocks' 'qkv->block_table'
mutation "the head of a selected row" parallel_rows.c 'get_number(list, i) / list->rows.queries' 'i / list->rows.queries'
mutation "half a unit of the last decimal" printed.c '0.5 / power * (1' '0.4999999 / power * (1'
mutation "a decimal that was rounded when it was stored" printed.c 'fmin(y, decimal) - half' 'y - half'
mutation "numbers of an interval" printed.c 'low > 0 ? attest' 'low > 0 || high < 0 ? attest'
# the log-sum-exp, and merged parts
mutation "a sink that the sum leaves out" lse.c 'if (x->sink && !s->rule->variant->lse.without_sink)' 'if (x->sink)'
mutation "the way of a sink above the keys" lse.c 'maximum(below, z - lowest)' 'below'
mutation "the base of a log-sum-exp" lse.c 'bool binary = v->lse.base == ATTEST_JUDGE_LSE_BINARY;' 'bool binary = false;'
mutation "rescales of a tile" lse.c 's->exps + raises * s->rescale_exp' 's->exps'
mutation "the log of a long sum" lse.c 'maximum(high - (x->bottom - s->lag), x->top - low)' '0'
mutation "logs of parts" lse.c 's->part_fixed + s->part_size * size' 's->part_size * size'
mutation "the error of the log of the sum" merge.c 'common + m->log_exp' 'm->log_exp'
mutation "parts without keys" merge.c 'm->count += l > (double)-INFINITY;' 'm->count += 1;'
finish
