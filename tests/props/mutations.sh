#!/bin/sh
# Planted bugs: each is put into a copy of the source, and some property must find it within its
# default budget, which all together take less than a minute; the command that the campaign prints
# must find it again. Most are found within the first trials of that budget, which are tried first. Prints which property found which bug, after how many trials, and which of the
# tests of that room notices it. The lines that begin with "# |" are the table of doc/properties.md.
# ATTEST_BUGS='a regular expression' plants those whose names match.
. "$srcdir/tests/cli/lib.sh"

. "$srcdir/tests/mutate.sh"

copy_source && make -C "$work/build" -j2 attest >>"$work/log" 2>&1
result $? "a copy of the source builds"

found() { # the properties that should hold and do not: NAME TRIALS, the fewest trials first
    python3 - "$1" <<'END'
import json, sys
properties = json.load(open(sys.argv[1]))["properties"]
bad = [p for p in properties if p["verdict"] == "violated" and not p["name"].endswith("-search")]
bad.sort(key=lambda p: p["trials"])
if not bad:
    sys.exit(1)
print(", ".join("%s %d" % (p["name"], p["trials"]) for p in bad))
END
}

# A longer campaign with the same seed begins with the same trials. A bug may make trials endless.
search() { # option...
    "$work/build/attest" campaign all --seed 1 --timeout 10s --json "$@" >"$out" 2>"$err"
    found "$out"
}

noticed() { # the first test of the file's room that fails, or "none"
    for test in $(tests_of "$1"); do
        case $test in *.sh) continue ;; esac
        make -C "$work/build" "$(program "$test")" >"$work/log" 2>&1 || continue
        (build=$work/build srcdir=$tree out=$work/test err=$work/test.err ATTEST_TRIALS='' && run_test "" 120 "$test") && continue
        echo "$test"
        return
    done
    echo none
}

mutation() { # name, file, text, replacement...
    echo "$1" | grep -Eq -e "${ATTEST_BUGS:-.}" || return 0
    if plant "$@" 2>"$err" && make -C "$work/build" attest >"$work/log" 2>&1; then
        report=$(search --trials 64 || search --trials 256 || search)
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
        echo "# | $1 | ${2#src/} | ${report:-none} | $(noticed "$2") |"
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
    'l->key + j * l->score_width, query,' \
    'l->key + k * l->score_width, l->query + j * l->score_width,'
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
mutation "a wrong norm of outputs" src/certify/decide.c \
    'fmpq_addmul(square, difference, difference);' \
    'fmpq_mul(difference, difference, difference);
        if (fmpq_cmp(difference, square) > 0)
            fmpq_set(square, difference);'
mutation "a wrong distance of tokens" src/number/rationals.c \
    'fmpz_addmul(fmpq_numref(square), difference, difference);' \
    'fmpz_mul(difference, difference, difference);
        if (fmpz_cmp(difference, fmpq_numref(square)) > 0)
            fmpz_set(fmpq_numref(square), difference);'
mutation "an inequality that is not strict" src/certify/decide.c \
    'fmpq_cmp(closest, bound) <= 0' 'fmpq_cmp(closest, bound) < 0'
mutation "a swapped inequality" src/certify/decide.c \
    'fmpq_cmp(largest, bound) >= 0' 'fmpq_cmp(largest, bound) <= 0'
mutation "a bound of tokens that is not strict" src/theory/separated.c \
    'return fmpq_cmp(square, wanted) > 0;' 'return fmpq_cmp(square, wanted) >= 0;'
mutation "a factor lost in exp of balls" src/number/ball_exp.c \
    'arb_mul(x, x, inverse, wide);' 'arb_mul_2exp_si(inverse, inverse, 0);'
mutation "a factor lost in exp of powers" src/number/ball_exp.c \
    'arb_mul(power + i, power + i - 1, power + 1, precision);' \
    'arb_set(power + i, power + i - 1);'
mutation "a factor lost in exp of doubles" src/number/double.h \
    'exp(score[j] - *maximum)' 'exp((score[j] - *maximum) / 2)'
mutation "multiplicities lost in the difference of Boltzmann values" src/theory/lemma_f.c \
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
    'double reach = bound - radii;' 'double reach = bound + radii;'
mutation "the weights of another instance of the batch" src/certify/filter_batch.c \
    '(attest_double_task){.layer = &work->layer[b],' '(attest_double_task){.layer = &work->layer[0],'
mutation "an error lost in the difference of two contexts" src/certify/filter_difference.c \
    '    most -= ATTEST_TERM(difference_sum, error);' ''
mutation "exponentials of which the filter sees one entry" src/certify/filter_integers.c \
    'if (!is_zero(sum, n->shape->dim))' 'if (!is_zero(sum, 1))'
mutation "exponentials that the filter adds where they cancel" src/certify/filter_integers.c \
    'sum[c] += skip[c] + x[c] - y[c];' 'sum[c] += skip[c] + x[c] + y[c];'
mutation "the skip of the first token at every position" $attention \
    'l->token + l->wanted.begin * l->dim + (i - i % l->dim);' 'l->token + l->wanted.begin * l->dim;'
mutation "a total without its first weight, from three keys on" $attention \
    'for (size_t i = 0; i < count; i++)
        ADD(total' 'for (size_t i = count > 2; i < count; i++)
        ADD(total'
mutation "a second head that overwrites the first" $attention \
    'h == 0 && !l->weights->skip' '!l->weights->skip'
mutation "a maximum that misses the last key" $attention \
    'for (size_t j = 1; j < visible; j++)
        MAXIMUM' 'for (size_t j = 1; j + 1 < visible; j++)
        MAXIMUM'
mutation "an exp of balls that is 0 beyond 1024" src/number/ball_exp.c \
    'exp_each(value, numerator, l.least, denominator, count, precision);
    lattice_clear(&l);' \
    'exp_each(value, numerator, l.least, denominator, count, precision);
    for (size_t j = 0; j < count; j++)
        if (fmpz_bits(numerator + j) > fmpz_bits(denominator) + 10)
            arb_zero(value + j);
    lattice_clear(&l);'

# certify
mutation "a zero test of squares that forgets a factor" src/certify/softmax_sign.c \
    'fmpz_mul(factor, factor, fmpq_numref(target));' ';'
mutation "multiplicities lost in the zero test" src/certify/softmax_sum.c \
    'keys[count - 1].times++;' 'keys[count - 1].times = 1;'
mutation "denominators that are taken for equal" src/certify/softmax_sum.c \
    ' &&
           fmpz_equal(a->z + i, b->z + j)) {' ') {'
mutation "equal softmax outputs that are taken for different" src/certify/extreme_candidates.c \
    'return ATTEST_COMPARISON_MET;
    arb_set_fmpq' 'return ATTEST_COMPARISON_ABOVE;
    arb_set_fmpq'
mutation "norms that skip the first context" src/certify/decide.c \
    'for (size_t p = 0; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        if (!(' \
    'for (size_t p = cloud->count > 1; p < cloud->count; p++) {
        attest_cloud_norm(&lower, &upper, cloud, p);
        if (!('
mutation "the farthest pair for the closest" src/certify/decide.c \
    'fmpq_sgn(best) < 0 || fmpq_cmp(square, best) < 0' \
    'fmpq_sgn(best) < 0 || fmpq_cmp(square, best) > 0'
mutation "first differences without the tokens of negative scores" src/certify/first_difference_scan.c \
    'if (!has_sign(scan, -1))' 'if (true)'
mutation "a delta inside the enclosure of first differences" src/certify/first_difference.c \
    'attest_rationals_compare_arf(low, claim->delta) > 0' 'attest_rationals_compare_arf(high, claim->delta) > 0'
mutation "a radius without the error of the kernel" src/certify/double_layer.c \
    'double rho = error[k] + v * (eta + ATTEST_TERM(layer_values, part->projection)) * SLACK;' 'double rho = 0 * error[k] * eta;'
mutation "pairs across leaves that are lost" src/geometry/closest_pair.c \
    'if (worth_visiting(find, left, left + 1, node_square(find, left, left + 1)))
        visit_two(find, left, left + 1);' 'if (false)
        ;'
mutation "pairs that need not differ among the candidates" src/geometry/closest_pair.c \
    'if (tree->colour[a] == tree->colour[b])
        return;
    lower' 'lower'
mutation "an infinite radius that the filter forgets" src/certify/filter_judge.c \
    'outputs->radius[i] < INFINITY ? outputs->radius[i] : INFINITY;' \
    'outputs->radius[i] < INFINITY ? outputs->radius[i] : radius;'
mutation "norms of the filter that skip position 0" src/certify/filter_judge.c \
    'for (size_t at = 0; at < t->o->positions; at++) {' \
    'for (size_t at = 1; at < t->o->positions; at++) {'
mutation "neighbours that never meet in the filter" src/certify/filter_judge.c \
    's[lane] = first + lane > i && first' 's[lane] = first + lane > i + 1 && first'

# the checker
mutation "sets of three or more that ignore the last token" src/recheck/eval.c \
    'k < seen; k++)
        if (k == 0' 'k < seen - (seen >= 3); k++)
        if (k == 0'
mutation "norms of the checker that skip position 0" src/recheck/check.c \
    'for (size_t p = 0; p < v->check.positions && v->holds; p++) {' \
    'for (size_t p = 1; p < v->check.positions && v->holds; p++) {'
mutation "near pairs up to the enclosure, not up to delta" src/recheck/check.c \
    'arb_get_ubound_arf(reach, delta, 128);' 'arf_zero(reach);'
mutation "a delta that is met, accepted by the checker" src/recheck/check.c \
    'is_above(v, a, b, &v->delta, true)' 'is_above(v, a, b, &v->delta, false)'
mutation "a refutation that nothing shows" src/recheck/check.c \
    'FAIL_CHECK(v, "neither the pair nor the largest output refutes the claim");' ';'
mutation "ties that the checker gives to the first key" src/recheck/eval.c \
    '(order == 0 && check->weights->ties == ATTEST_TIES_LEFTMOST)' 'order == 0'
mutation "a sum for a mean in the checker" src/recheck/eval.c \
    'fmpz_mul_ui(denominator, denominator, winners);' ';'
mutation "a bound that the checker does not square" src/recheck/sign_of_square.c \
    'fmpq_mul(bound, x, x);' 'fmpq_set(bound, x);'
mutation "a grid of one axis" src/recheck/grid.c \
    'own[1] + n / 3 % 3 - 1, own[2] + n / 9 - 1}' 'own[1], own[2]}'
mutation "equalities that the checker sees in the first entry" src/recheck/sign_of_square.c \
    'size_t first = find_first(f);' 'size_t first = 0;' \
    'c < f->dim && !e->cut.failed; c = next' 'c < 1 && !e->cut.failed; c = next'

# the audit
mutation "positions that collide with their own class" src/audit/collisions.c \
    'fmpz_bin_uiui(pairs, j - i, 2);' 'fmpz_zero(pairs);'

mutation "a format counted without its subnormal numbers" src/audit/collapse.c \
    '/* Each exponent has 2^(p-1) numbers, and as many are below the least normal one, with 0. */
    fmpz_add_ui(values, values, 1);' ';'
mutation "a format counted as twice as large" src/audit/collapse.c \
    'fmpz_mul_ui(values, values, 2);' 'fmpz_mul_ui(values, values, 4);'
mutation "necessary bits of the vector for those of an entry" src/audit/collapse.c \
    '(needed + dim - 1) / dim' 'needed'
mutation "a sum of ones that stays too early" src/audit/invariance.c \
    'ldexp(1, (int)p); /*' 'ldexp(1, (int)p - 1); /*'

# theory
mutation "classes that forget the token" src/theory/contextual.c \
    '&s->classes, vocabulary, identity)' '&s->classes, vocabulary, 0)'
mutation "contexts without the mask" src/theory/contextual.c \
    'if (mask == ATTEST_MASK_CAUSAL) {' 'if (mask == ATTEST_MASK_CAUSAL && length > 3) {'
mutation "a difference of Boltzmann values with its sign turned" src/theory/lemma_f.c \
    'fmpz_submul(v->d, v->b, all->value[0].a);' \
    'fmpz_submul(v->d, v->b, all->value[0].a);
        fmpz_neg(v->d, v->d);'
mutation "a second layer that loses the first entry" src/theory/two_layers.c \
    'set_sequence(&between, out);' 'set_sequence(&between, out), fmpz_zero(between.entry);'
mutation "two layers: means that may differ" src/theory/two_layers.c \
    'if (!same_ratio(p->sum, p->count, q->sum, q->count) ||
        !same_ratio(n->sum, n->count, m->sum, m->count))' \
    'if (!same_ratio(p->sum, 1, p->sum, 1))'
mutation "two layers: one nearest token for both" src/theory/two_layers.c \
    'p->smallest != q->smallest || n->largest != m->largest' 'p->smallest != q->smallest'
mutation "two layers: the smallest tokens in any ratio" src/theory/two_layers.c \
    ' ||
        !same_ratio(p->smallest_times, n->smallest_times, q->smallest_times, m->smallest_times))' ')'
mutation "two layers: lengths that must agree" src/theory/two_layers.c \
    'if (!same_ratio(p->largest_times, n->largest_times, q->largest_times, m->largest_times) ||' \
    'if (p->count != q->count || n->count != m->count ||
        !same_ratio(p->largest_times, n->largest_times, q->largest_times, m->largest_times) ||'
mutation "two layers: pairs that one layer tells apart" src/theory/two_layers.c \
    'return a * d == c * b;' 'return a * d == c * b || a > 9;'
mutation "the sharp gap's bound without its tail" src/theory/sharp_gap.c \
    'arb_sub(bracket, bracket, mu, bits);' ';'
mutation "the sharp gap's mean depth of two elements for more" src/theory/sharp_gap.c \
    '!first_at_maximum && arb_lt(t, mean)' '!first_at_maximum'
mutation "first differences below the sharp gap" src/certify/first_difference_scan.c \
    'threshold_above = 1.3169578969249' 'threshold_above = 0.4'
mutation "the farthest tokens for the closest" src/theory/separated.c \
    'pair[0] == SIZE_MAX || fmpq_cmp(square, best) < 0' \
    'pair[0] == SIZE_MAX || fmpq_cmp(square, best) > 0'
mutation "a count of parameters without W_2's last unit" src/theory/memorize.c \
    'm->parameters = 4 * (s + d) + d * h;' 'm->parameters = 4 * (s + d) + d * (h - 1);'
mutation "a universal pair whose means differ" src/theory/theorem1.c \
    'uniform_b[] = {1, 2, 5, 6}' 'uniform_b[] = {1, 2, 4, 6}'
mutation "a pair for leftmost ties with another smallest token" src/theory/theorem1.c \
    'leftmost_b[] = {1, 3, 4}' 'leftmost_b[] = {2, 3, 4}'
mutation "a pair under the mask at a token that sees more" src/theory/theorem1.c \
    '{causal_a, causal_b}, {1, 2}}' '{causal_a, causal_b}, {2, 1}}'
mutation "positions that all move alike" src/theory/positional.c \
    'fmpq_add(move, move, step);' 'fmpq_set(move, step);'
mutation "ramps to the label before" src/theory/memorize.c \
    'label_of(points, label, label_dim, j), label_dim);' \
    'label_of(points, label, label_dim, j - (j > 2)), label_dim);'
finish
