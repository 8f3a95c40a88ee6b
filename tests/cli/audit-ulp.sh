#!/bin/sh
# attest audit: errors in ulp where the exact output is 0 or nearly, against fractions.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1
oracle="$srcdir/tests/ref/audit_ulp.py"

for case in right tiny missed near huge beyond; do
    python3 "$oracle" make data.json weights.json $case
    run 0 "errors in ulp: $case" audit data.json --weights weights.json \
        --formats binary64,binary32,bfloat16,binary16,p=24,p=8 --quick --sweep 1..8 -o ulp.json --json
    python3 "$oracle" compare $case ulp.json
    result $? "errors in ulp: $case, compared"
    run 0 "not worse than itself: $case" audit data.json --weights weights.json \
        --formats binary64,binary32,bfloat16,binary16,p=24,p=8 --quick --sweep 1..8 --gate ulp.json
done
sed 's/"max_ulp": [-0-9.e+][-0-9.e+]*/"max_ulp": 1e-9/' ulp.json >better.json
python3 "$oracle" make data.json weights.json huge
run 1 "an error beyond all doubles is worse" audit data.json --weights weights.json \
    --formats binary64 --quick --sweep 1..8 --gate better.json --json
json 'any(x.startswith("binary64: max_ulp ") for x in o["gate"]["worse"])'
# A token and what its context adds to it cancel: 1 - 1, which all formats compute.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 3], [1, 5]]]}' >data.json
echo '{"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [{"WQ": [[1, 0], [0, 1]],
       "WK": [[1, 0], [0, 1]], "WV": [[1, 0], [0, 0]], "WO": [[-1, 0], [0, -1]]}]}' >weights.json
run 0 "0 beside the token" audit data.json --weights weights.json --formats binary64,p=24 --quick --sweep 1..8 --json
json '[(f["max_ulp"], f["mean_ulp"]) for f in o["formats"]] == [(0, 0), (0, 0)]'
# Outputs that are the tokens, rounded: 1 + 2^-9 and 1 + 2^-10 are off by a quarter and an eighth of a unit of p = 8;
# positions are measured 64 at a time.
for at in 3 90; do
    python3 - $at <<'FILE'
import json, sys
at = int(sys.argv[1])
tokens = [[str(i + 1)] for i in range(100)]
tokens[at], tokens[at + 2] = ["513/512"], ["1025/1024"]
json.dump({"format": "attest/dataset", "version": 1, "sequences": [[t] for t in tokens]}, open("data.json", "w"))
one = {name: [[1]] for name in ("WQ", "WK", "WV", "WO")}
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "skip": False, "heads": [one]}, open("weights.json", "w"))
FILE
    run 0 "errors at $at of 100" audit data.json --weights weights.json --formats p=8 --quick --sweep 1..8 --json
    json "abs(o['formats'][0]['max_ulp'] - 0.25) < 1e-9 and abs(o['formats'][0]['mean_ulp'] - 0.00375) < 1e-9"
done
# A pair with one output that is not finite counts as merged, in either order.
for tokens in '[[1]], [[2]]' '[[2]], [[1]]'; do
    echo '{"format": "attest/dataset", "version": 1, "sequences": ['"$tokens"']}' >data.json
    echo '{"format": "attest/weights", "version": 1, "activation": "softmax", "skip": false, "heads": [{"WQ": [[1]], "WK": [[1]],
           "WV": [[40000]], "WO": [["1/40000"]]}]}' >weights.json
    run 0 "one output overflows: $tokens" audit data.json --weights weights.json --formats binary16 --quick --sweep 1..8 --json
    json '[(f["nonfinite"], f["pairs"]["merged"], f["pairs"]["by_rounding"]) for f in o["formats"]] == [(1, 1, 0)]'
done
# Outputs that are the tokens: doubles take 1 and 1 + 2^-80 for the same, and the squares of 2^-600 for 0; 200 bits, and
# 24, tell them apart, 60 do not.
python3 - <<'FILE'
import json
for name, tokens in ("near", [1, f"{2**80 + 1}/{2**80}", 3]), ("small", [f"1/{3 * 2**600}", f"2/{3 * 2**600}"]):
    json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[str(t)]] for t in tokens]}, open(name + ".json", "w"))
FILE
run 0 "near each other" audit near.json --weights weights.json --formats p=200,p=60 --quick --sweep 1..8 --json
json '[[f["pairs"][k] for k in ("apart", "by_rounding", "merged")] for f in o["formats"]] == [[3, 0, 0], [2, 0, 1]]'
run 0 "near 0" audit small.json --weights weights.json --formats p=200,p=24 --quick --sweep 1..8 --json
json '[[f["pairs"][k] for k in ("apart", "by_rounding", "merged")] for f in o["formats"]] == [[1, 0, 0], [1, 0, 0]]'
finish
