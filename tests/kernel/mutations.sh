#!/bin/sh
# Planted faults in the kernels: each is put into a copy of the source, and some test of the
# kernels must fail. Prints which one noticed which fault.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"

ATTEST_TRIALS=
build_tests kernel/exp kernel/bound kernel/invariance geometry/near kernel/attention

kernel=src/kernel
# lanes and tails
mutation "a dropped last element of exp" $kernel/exp.c \
    'if (count)
        exp_few(y, x, count, table);' \
    'if (count > 1)
        exp_few(y, x, count - 1, table);'
mutation "a dropped last lane of exp, AVX-512" $kernel/vector.h \
    '_mm512_mask_storeu_pd(to, (__mmask8)(0xff >> (8 - count)), x)' \
    '_mm512_mask_storeu_pd(to, (__mmask8)((0xff >> (8 - count)) >> (count == 7)), x)'
mutation "a dropped tail of short sequences" $kernel/vector.h \
    'if (i < count)
        to[i] =' 'if (i + 1 < count)
        to[i] ='
mutation "a dropped tail of short sequences, AVX-512" $kernel/vector.h \
    'for (size_t l = 0; l < count; l++)
        to[l] = x[l];' 'for (size_t l = 0; l + 1 < count; l++)
        to[l] = x[l];'
mutation "two lanes exchanged" $kernel/vector.h \
    '_mm512_shuffle_f64x2(a, e, 0xdd)' '_mm512_shuffle_f64x2(e, a, 0xdd)'
mutation "a last batch entry that is taken for its neighbour" $kernel/short_group.inc \
    '(l < group->lanes ? l : group->lanes - 1) * apart' '(l + 1 < group->lanes ? l : 0) * apart'

# the exponential
mutation "a last bit of the table" $kernel/exp_constants.h \
    '0x1.4bfd37ed14cebp+0' '0x1.4bfd37ed14cecp+0'
mutation "a last digit of a coefficient" $kernel/exp_constants.h \
    '0x1.5555555555661p-3' '0x1.5555555535661p-3'
mutation "arguments outside the domain on the fast path" $kernel/exp.c \
    'vector_set(708.0)' 'vector_set(720.0)'

# the largest score
mutation "a maximum that misses the last key" $kernel/short_sequences.c \
    'group_largest(score + 1, score[0], m - 1)' 'group_largest(score + 1, score[0], m - 2)'
mutation "a maximum that misses half of a panel" $kernel/long_tiles.inc \
    'vector_max(low[r], vector_max(high[r], vector_load(most)))' \
    'vector_max(low[r], vector_load(most))'
mutation "a chain of scores that is left out" $kernel/long_tiles.inc \
    'for (size_t c = SCORE_CHAIN; c < d; c += SCORE_CHAIN) {' \
    'for (size_t c = SCORE_CHAIN; c + 1 < d; c += SCORE_CHAIN) {'
mutation "a chain of scores that overwrites those before" $kernel/long_tiles.inc \
    'VECTOR_LANES != 8 && d > SCORE_CHAIN' 'VECTOR_LANES != 8 && d > 2 * SCORE_CHAIN'
mutation "small weights that are not cut" $kernel/short_sequences.c \
    'vector_max(vector_set(KERNEL_LEAST_ARGUMENT), vector_sub(score, top))' \
    'vector_sub(score, top)'

# blocks
mutation "a block of values one key short" $kernel/long_tiles.inc \
    'keys - j < BLOCK_KEYS ? keys - j : BLOCK_KEYS' \
    'keys - j < BLOCK_KEYS ? keys - j : BLOCK_KEYS - 1'
mutation "a later block that overwrites the first" $kernel/long_tiles.inc \
    'values, count, j > 0, width == PANEL_KEYS' 'values, count, j > 128, width == PANEL_KEYS'
mutation "a mask that shows the next key" $kernel/kernel.h \
    'task->causal ? i + 1 : task->n' 'task->causal && i + 1 < task->n ? i + 2 : task->n'
mutation "a mask that shows the next key to short rows" $kernel/short_group.inc \
    'group->causal ? i + 1 : group->n' 'group->causal && i + 1 < group->n ? i + 2 : group->n'

# terms of the error bound
mutation "no logarithm in the bound" $kernel/bound.c '2.0 * log((double)m) + ' ''
mutation "no exponential in the bound" $kernel/bound.c '2.0 * EXP_ERROR + ' ''
mutation "no sum of weights in the bound" $kernel/bound.c '(double)sum_depth +' ''
mutation "no scores in the bound" $kernel/bound_vectors.h \
    'vector_fma(delta, peak, vector_set(terms.fixed))' 'vector_set(terms.fixed)'
mutation "a peak without its slack" $kernel/bound_constants.h \
    'PEAK_SLACK 0x1p-18' 'PEAK_SLACK -0x1p-3'
mutation "quick roots without their factor" $kernel/bound_constants.h \
    'ATTEST_BOUND_ROOT 0x1.0c8p+0' 'ATTEST_BOUND_ROOT 0x1.00p+0'
mutation "no weights in the bound by weights" $kernel/bound.c \
    '(1.0 + 1.0 / t) * weight * weight' '0.0'
mutation "no products in the bound by weights" $kernel/short_group.inc \
    'vector_mul(vector_set(g * g), value_square)' 'value_square'
mutation "a key that the bound of short rows misses" $kernel/short_group.inc \
    'EACH_OF_N(j, 1)' 'EACH_OF_N(j, 2)'
mutation "a chain of scores that is longer than the bound assumes" $kernel/long_panel.inc \
    'panel_roundings(c, d, SCORE_CHAIN)' 'panel_roundings(c, d, SCORE_CHAIN / 2)'
mutation "singular values without their deviation" $kernel/long_bound.inc \
    '(d - 1.0)) +' '0.0) +'
mutation "singular values of one half of a symmetric matrix" $kernel/long_bound.inc \
    '2.0 * twice' 'twice'
mutation "singular values without their mean" $kernel/long_bound.inc \
    'sqrt(middle + away + rounding)' 'sqrt(away + rounding)'
mutation "singular values of one half of the values' matrix" $kernel/long_bound.inc \
    '*spread_entry(panel, r, c) = *spread_entry(panel, c, r) =' '*spread_entry(panel, r, c) ='
mutation "no mean in the bound by singular values" $kernel/bound_vectors.h \
    'vector_mul(vector_sqrt(eta_square), away)' 'vector_set(0.0)'
mutation "no mean in the sums of the bound by singular values" $kernel/bound_vectors.h \
    'vector_fma(root, row->sigma, mean)' 'vector_mul(root, row->sigma)'

# near pairs
mutation "two halves of near columns exchanged" src/geometry/near_vectors.c \
    '(first | last << LANES) << column' '(last | first << LANES) << column'

# ties of hardmax
mutation "winners that lead by rounding" $kernel/bound_constants.h \
    'ATTEST_BOUND_MARGIN 0x1p+2' 'ATTEST_BOUND_MARGIN 0x1p-20'
mutation "a tie of rounded sums" $kernel/bound.c \
    '(sum - (next - part)) + (product - part) != 0.0' 'next != next'
mutation "a tie of rounded products" $kernel/bound.c \
    '|| fma(q[c], k[c], -product) != 0.0' ''
finish
