#!/bin/sh
# attest separated: extremes known by hand, verdicts at the boundary, what is refused.
. "$srcdir/tests/cli/lib.sh"

cat >"$work/data.json" <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[[3, 4], [1, 0]], [["1/2", 0], [3, 4]]]}
END
run 0 "extremes" separated "$work/data.json" --json
json 'o["verdict"] is None and o["no_duplicates"] is True'
json 'o["pairs"] == {"r_min": [1, 0], "r_max": [0, 0], "eps": [[0, 1], [1, 0]]}'
json 'float.fromhex(o["r_max"]["mid"]) == 5 and float.fromhex(o["eps"]["mid"]) == 0.5'
run 0 "in words" separated "$work/data.json"
shows 'least distance .*at \[0,1\] and \[1,0\]'
run 0 "bounds that hold" separated "$work/data.json" --r-min 0.4999 --r-max 5.01 --eps 1/3 --json
json 'o["verdict"] == "holds" and "counterexample" not in o'
run 1 "r_max met exactly" separated "$work/data.json" --r-max 5 --json
json 'o["verdict"] == "fails" and o["counterexample"]["violates"] == {"definition": "separated", "bound": "r_max", "token": [0, 0]}'
run 1 "eps met exactly" separated "$work/data.json" --eps 1/2 --json
json 'o["counterexample"]["violates"]["pair"] == [[0, 1], [1, 0]] and len(o["counterexample"]["dataset"]["sequences"]) == 2'
for bound in "--r-max 5" "--eps 1/2" "--r-min 1/2"; do
    run 1 "$bound" separated "$work/data.json" $bound --json
    python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["counterexample"], open(sys.argv[2], "w"))' "$out" "$work/again.json"
    run 1 "and replayed" replay "$work/again.json"
    shows 'the violation is confirmed'
done
just() { python3 -c 'import sys; n = 10 ** 3000; p, q = map(int, sys.argv[1].split("/")); print("%d/%d" % (p * n + int(sys.argv[2]) * q, q * n))' "$@"; }
run 0 "r_max above by 10^-3000" separated "$work/data.json" --r-max "$(just 5/1 1)"
run 0 "r_min below by 10^-3000" separated "$work/data.json" --r-min "$(just 1/2 -1)"
run 0 "eps below by 10^-3000" separated "$work/data.json" --eps "$(just 1/2 -1)"
run 1 "r_min met exactly" separated "$work/data.json" --r-min 1/2
shows '^fails: '
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[0]], [[0], [0]]]}' >"$work/one.json"
run 0 "one token only" separated "$work/one.json" --eps 100 --json
json 'o["eps"] is None and o["pairs"]["eps"] is None and o["no_duplicates"] is False and o["duplicate"] == [[1, 0], [1, 1]]'
json 'o["verdict"] == "holds"'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[["1e-100000"], ["2e-100000"], ["1e100000"]]]}' >"$work/wide.json"
run 0 "numbers far outside doubles" separated "$work/wide.json" --json
json 'o["pairs"]["eps"] == [[0, 0], [0, 1]] and abs(float(o["eps"]["log2"]) + 332192.809) < 0.01'
refused "a negative bound" separated "$work/data.json" --eps -1
refused "a bound that is no number" separated "$work/data.json" --eps nan
refused "no data" separated
refused "a missing file" separated "$work/none.json"
finish
