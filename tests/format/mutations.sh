#!/bin/sh
# Planted errors in formats, block formats and matrix units: each must be noticed by the comparison with
# rationals. Prints which one noticed which.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"
need_python

copy_source
make -C "$work/build" -j2 attest tests/format/quantise-echo >>"$work/log" 2>&1
result $? "a copy of the source builds"

noticed() { # the first comparison that fails
    (cd "$work/build" && python3 "$tree/tests/ref/quantise.py" tests/format/quantise-echo) >"$out" 2>"$err" ||
        { echo "$(grep -m 1 '^not ok' "$out" | cut -c 1-70)"; return 0; }
    (cd "$work/build" && srcdir=$tree ATTEST=$work/build/attest ATTEST_DATA=none sh "$tree/tests/cli/dot.sh") \
        >"$out" 2>"$err"
    grep -m 1 '^not ok' "$out"
}

mutation() { # name, file of src, text, replacement
    if plant "$1" "src/$2" "$3" "$4" 2>"$err" &&
        make -C "$work/build" attest tests/format/quantise-echo >"$work/log" 2>&1; then
        report=$(noticed)
        result $? "$1: noticed by $report"
    else
        result 1 "$1: does not apply or does not build: $(cat "$err") $(tail -n 3 "$work/log")"
    fi
    unplant "src/$2"
}

mutation "a largest number too many" format/format.c '"float8_e4m3fn", 4, true, -6, 8, 8, .finite_only = true, .top_is_nan = true' '"float8_e4m3fn", 4, true, -6, 8, 8, .finite_only = true, .top_is_nan = false'
mutation "an exponent of fnuz" format/format.c '-15,' '-14,'
mutation "ties of powers of two" format/format.c 'significand < 0.75' 'significand <= 0.75'
mutation "halves of MX" format/block.c 'floor(fabs(x) / unit + 0.5)' 'nearbyint(fabs(x) / unit)'
mutation "the scale of TransformerEngine" format/block.c 'scaled > ldexpf(1, exponent)' 'scaled >= ldexpf(1, exponent)'
mutation "the scale of vLLM" format/block.c '(uint32_t)1 << 21' '(uint32_t)1 << 22'
mutation "log2f of llama.cpp" format/block.c 'floorf((float)log2((double)amax))' '(float)floor(log2((double)amax))'
mutation "NVFP4 without the tensor's scale" format/block.c 'fminf(2688 / g->tensor_amax, FLT_MAX)' '1'
mutation "NVFP4 of llama.cpp, large scales" format/block.c 'if (x >= 248)' 'if (x >= 448)'
mutation "elements of q8_0 from the stored scale" format/block.c 'inverse = d == 0 ? 0 : 1 / d;
    *g->scale = (attest_block_scale){attest_in_double_nearest(d, &g->half), 1, 0};
    for (size_t i = 0; i < g->count; i++) {' 'inverse = d == 0 ? 0 : 1 / (float)attest_in_double_nearest(d, &g->half);
    *g->scale = (attest_block_scale){attest_in_double_nearest(d, &g->half), 1, 0};
    for (size_t i = 0; i < g->count; i++) {'
mutation "halves of q8_0" format/block.c 'roundf(product) :' 'nearbyintf(product) :'
mutation "q8_0 of x86" format/block.c 'inverse = amax == 0 ? 0 : 127 / amax;' 'inverse = d == 0 ? 0 : 1 / d;'
mutation "the first of equals in q4_0" format/block.c 'fabsf(g->x[i]) > fabsf(extreme)' 'fabsf(g->x[i]) >= fabsf(extreme)'
mutation "int8 by the scale's reciprocal" format/block.c 'factor = amax == 0 ? 0 : 127 / amax;' 'factor = amax == 0 ? 0 : 1 / (amax / 127);'
mutation "KIVI in binary32" format/block.c 'x = attest_in_double_nearest(x / scale, &g->half);' 'x = (float)(x / scale);'
mutation "groups of one size" format/block.c 'channel / q->group_channels;' '0;'
mutation "a bit less of Ampere" judge/matrix_unit.c '{"tc:ampere", "binary16", BOTH, 8, 24, false}' '{"tc:ampere", "binary16", BOTH, 8, 23, false}'
mutation "half a block of Hopper" judge/matrix_unit.c '{"tc:hopper", "bfloat16", SINGLE, 16, 25, false}' '{"tc:hopper", "bfloat16", SINGLE, 8, 25, false}'
mutation "halves of 8-bit products" judge/matrix_unit.c 'i % 4 / 2' 'i % 2'
mutation "the addend among 8-bit products" judge/matrix_unit.c 'y[2][HALVES_STEP], sum = 0;' 'y[2][HALVES_STEP], sum = addend;'
mutation "results of binary32 to nearest" judge/matrix_unit.c 'u >> drop << drop' '(u + ((uint64_t)1 << drop >> 1)) >> drop << drop'
mutation "the least exponent of a block" judge/matrix_unit.c 'core->unit.least = core->gpu.least;' ';'
mutation "infinities" judge/matrix_unit.c 'return sum_in_double(addend, a, b, count);' 'return addend;'
finish
