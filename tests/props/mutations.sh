#!/bin/sh
# Planted bugs: each is put into a copy of the source, and some property must find it within its
# default budget; the command that the campaign prints must find it again. Prints which property
# found which bug, after how many trials.
. "$srcdir/tests/cli/lib.sh"

. "$srcdir/tests/mutate.sh"

copy_source && make -C "$work/build" -j2 attest >>"$work/log" 2>&1
result $? "a copy of the source builds"

found() { # the properties that should hold and do not: NAME after N trials
    python3 - "$1" <<'END'
import json, sys
properties = json.load(open(sys.argv[1]))["properties"]
bad = [p for p in properties if p["verdict"] == "violated" and not p["name"].endswith("-search")]
print("; ".join("%s after %d trials" % (p["name"], p["trials"]) for p in bad))
sys.exit(not bad)
END
}

mutation() { # name, file, text, replacement
    if plant "$@" 2>"$err" && make -C "$work/build" attest >"$work/log" 2>&1; then
        "$work/build/attest" campaign all --seed 1 --json >"$out" 2>"$err"
        report=$(found "$out")
        result $? "$1: found by $report"
        name=${report%% *}
        if [ -n "$name" ]; then
            "$work/build/attest" campaign "$name" --seed 1 >"$out" 2>"$err"
            replay=$(sed -n 's/^ *replay: attest //p' "$out" | head -n 1)
            # shellcheck disable=SC2086
            [ -n "$replay" ] && "$work/build/attest" $replay >"$out" 2>"$err"
            [ $? -eq 1 ] && grep -q "^$name: violated" "$out"
            result $? "$1: 'attest $replay' finds it again"
        fi
    else
        result 1 "$1: does not apply or does not build: $(cat "$err") $(tail -n 3 "$work/log")"
    fi
    unplant "$2"
}

attention=src/attention/attention.inc
mutation "a dropped head" $attention \
    'ok && h < weights->heads; h++' \
    'ok && h < (weights->heads > 1 ? weights->heads - 1 : 1); h++'
mutation "maximum over the wrong axis" $attention \
    'l->key + j * l->score_width, l->query + k * l->score_width' \
    'l->key + k * l->score_width, l->query + j * l->score_width'
mutation "a tie broken by the first key" $attention \
    'count == 1 && l->weights->ties == ATTEST_TIES_LEFTMOST' 'count == 1'
mutation "a tie broken by the last key" $attention \
    'EQUAL(l->score + j, l->score + l->length))
            l->support[count++] = j;' \
    'EQUAL(l->score + (visible - 1 - j), l->score + l->length))
            l->support[count++] = visible - 1 - j;'
mutation "a mask that shows the next key" $attention \
    'ATTEST_MASK_CAUSAL ? k + 1 : l->length' \
    'ATTEST_MASK_CAUSAL ? (k + 2 < l->length ? k + 2 : l->length) : l->length'
mutation "a wrong norm of outputs" src/certify/settle_exact.c \
    'fmpq_addmul(square, difference, difference);' \
    'fmpq_mul(difference, difference, difference);
        if (fmpq_cmp(difference, square) > 0)
            fmpq_set(square, difference);'
mutation "a wrong norm of tokens" src/theory/separated.c \
    'fmpz_addmul(fmpq_numref(square), difference, difference);' \
    'fmpz_mul(difference, difference, difference);
        if (fmpz_cmp(difference, fmpq_numref(square)) > 0)
            fmpz_set(fmpq_numref(square), difference);'
mutation "an inequality that is not strict" src/certify/settle_exact.c \
    'fmpq_cmp(closest, bound) <= 0' 'fmpq_cmp(closest, bound) < 0'
mutation "a swapped inequality" src/certify/settle_exact.c \
    'fmpq_cmp(largest, bound) >= 0' 'fmpq_cmp(largest, bound) <= 0'
mutation "a bound of tokens that is not strict" src/theory/separated.c \
    'above = fmpq_cmp(square, wanted) > 0;' 'above = fmpq_cmp(square, wanted) >= 0;'
mutation "a factor lost in exp of balls" src/number/ball_exp.c \
    'arb_mul(x, x, inverse, wide);' 'arb_mul_2exp_si(inverse, inverse, 0);'
mutation "a factor lost in exp of powers" src/number/ball_exp.c \
    'arb_mul(power + i, power + i - 1, power + 1, precision);' \
    'arb_set(power + i, power + i - 1);'
mutation "a factor lost in exp of doubles" src/number/double.h \
    'exp(score[j] - *maximum)' 'exp((score[j] - *maximum) / 2)'
mutation "multiplicities lost in the difference of Boltzmann values" src/theory/boltzmann_difference.c \
    'arb_mul_fmpz(depth, depth, v->d, bits);' ';'
mutation "the share of the scores lost in a kernel's bound" src/kernel/bound.c \
    'bound = value_norm * (score + terms.fixed);' 'bound = value_norm * terms.fixed;'
mutation "a tie within rounding accepted by the kernels" src/kernel/bound.c \
    'found.exact = found.exact && dot_is_exact(q, k + j * d, d);' ';'
mutation "no margin between scores of the kernels" src/kernel/bound_constants.h \
    '#define ATTEST_BOUND_MARGIN 0x1p+2' '#define ATTEST_BOUND_MARGIN 0x0p+0'
mutation "an exponential that one kernel rounds otherwise" src/kernel/exp_scalar.h \
    '*p = fma(q * r, r, r);' '*p = q * r * r + r;'
mutation "a required pair that the filter forgets" src/certify/filter_judge.c \
    'return !sees_all(o, a, b) || !sees_all(o, b, a);' \
    'return !sees_all(o, a, b) && !sees_all(o, b, a);'
mutation "different outputs that the filter takes for equal" src/certify/filter_judge.c \
    ' || (o->shape->skip && !same_token(o, a->at, b->at)))' ')'
mutation "a distance below the bound, give or take the radii" src/certify/filter_judge.c \
    'double reach = (bound - radii) * LESS;' 'double reach = (bound + radii) * MORE;'
mutation "the weights of another instance of the batch" src/certify/filter_batch.c \
    '(attest_bounded_task){.layer = &work->layer[b],' '(attest_bounded_task){.layer = &work->layer[0],'
mutation "an error lost in the difference of two contexts" src/certify/filter_difference.c \
    '    most -= error * SLACK;' ''
finish
