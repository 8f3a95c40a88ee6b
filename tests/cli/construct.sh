#!/bin/sh
# attest construct: three strategies, certified; hypotheses that fail; what is refused.
. "$srcdir/tests/cli/lib.sh"

cat >"$work/data.json" <<'END'
{"format": "attest/dataset", "version": 1,
 "sequences": [[[1, 2], [3, -1], [2, 2]], [[1, 2], [3, -1], [-4, 1]], [[2, 2], [-4, 1], [0, 3]], [[0, 3], [1, 2], [5, 0]]]}
END
for strategy in theorem gap tuned; do
    for mask in none causal; do
        run 0 "$strategy, $mask" construct "$work/data.json" --strategy $strategy --mask $mask -o "$work/$strategy.json" --json
        json 'o["certificate"]["verdict"] == "proved" and o["certificate"]["r"] == o["r"]'
        json 'sum(Fraction(x)**2 for x in o["direction"]) <= 1 and Fraction(o["kappa"]) > 0'
        json 'o["delta"] is None or (o["promise_certified"] and float(o["delta"]["log2"]) < float(o["certificate"]["min_separation"]["log2"]))'
        python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["certificate"], sys.stdout)' <"$out" >"$work/certificate.json"
        run 0 "$strategy, $mask: check verifies the certificate" check "$work/certificate.json"
        run 0 "$strategy, $mask: certify reads the written files" certify "$work/data.json" --weights "$work/$strategy.json"
    done
done
# The promise of gap, computed by other code, for tokens whose scores extend over 18, 2 2/3 and 1 gaps.
for tokens in '[[1], [2]], [[2], [3], [1]]' '[[-1], [2]], [[2]]' '[[-1], [1]], [[1]]'; do
    echo '{"format": "attest/dataset", "version": 1, "sequences": ['"$tokens"']}' >"$work/few.json"
    run 0 "gap for $tokens" construct "$work/few.json" --strategy gap --json
    python3 "$srcdir/tests/ref/gap_promise.py" "$work/few.json" "$out"
    result $? "gap for $tokens: the promised bound"
done
run 0 "gap in two dimensions" construct "$work/data.json" --strategy gap --json
python3 "$srcdir/tests/ref/gap_promise.py" "$work/data.json" "$out"
result $? "gap in two dimensions: the promised bound"
python3 "$srcdir/tests/ref/gap_promise.py" >"$out"
result $? "gap: no promise is less than that of Lemma F"
run 0 "tuned is the widest" construct "$work/data.json" --strategy tuned --json
json 'float(o["certificate"]["min_separation"]["log2"]) > -20'
run 0 "theorem: promise and formula agree" construct "$work/data.json" --json
json 'abs(float(o["delta"]["log2"]) / float(o["delta_formula"]["log2"]) - 1) < 1e-9'
json 'o["certificate"]["method"] == "first-difference" and o["bounds_from"]["eps"] == "data"'
run 0 "in words" construct "$work/data.json" --r-min 1 --r-max 6 --eps 1/2
shows '^proved: a contextual mapping'
run 1 "r_max met exactly" construct "$work/data.json" --r-max 5 --json
json 'o["hypothesis"] == "r-max" and "[3,2]" in o["explanation"]'
json 'o["counterexample"]["violates"] == {"definition": "hypothesis", "hypothesis": "r-max", "token": [0, 2]} and o["counterexample"]["dataset"]["sequences"][0][2] == ["5", "0"]'
json 'o["counterexample"]["parameters"] == {"strategy": "theorem", "r_max": "5"}'
python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["counterexample"], sys.stdout)' <"$out" >"$work/failed.json"
refused "a hypothesis has no outputs to replay" replay "$work/failed.json"
complains "a hypothesis of theorem2 that fails: 'attest construct' decides that"
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [2], [1]], [[2], [3]]]}' >"$work/twice.json"
run 1 "a repetition" construct "$work/twice.json"
shows 'no-duplicates: .*\[0,0\] and \[0,2\]'
run 0 "tuned takes it" construct "$work/twice.json" --strategy tuned
run 1 "tokens at distance eps" construct "$work/data.json" --eps 2
refused "no data" construct
refused "an unknown strategy" construct "$work/data.json" --strategy best
refused "a negative bound" construct "$work/data.json" --eps -1
finish
