#!/bin/sh
# attest audit: the collapse against attest eval, collisions counted by hand, strategies side by
# side, the record, the gate, what is refused.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1

# All 20 subsets of three of six tokens.
python3 - <<'END'
import itertools, json
tokens = [["1", "0"], ["0", "1"], ["1", "1"], ["-1", "1/2"], ["1/2", "-1"], ["2", "1/3"]]
json.dump({"format": "attest/dataset", "version": 1,
           "sequences": [list(c) for c in itertools.combinations(tokens, 3)]}, open("six.json", "w"))
json.dump({"format": "attest/dataset", "version": 1,
           "sequences": [[tokens[0], tokens[1], tokens[0]], [tokens[1], tokens[2]]]}, open("twice.json", "w"))
END

run 0 "all strategies" audit six.json --construct all -o out --json
hardware='["binary64", "binary32", "tfloat32", "bfloat16", "binary16", "float8_e4m3fn", "float8_e5m2"]'
json '[c["strategy"] for c in o["constructions"]] == ["theorem", "gap", "tuned"]'
json "[f['name'] for f in o['formats']] == $hardware"
json 'all(f["verdict"] == "collapses" and f["collisions"] > 0 for f in o["formats"])'
json '[f["verdict"] for f in o["constructions"][2]["formats"][:2]] == ["survives", "survives"]'
json 'o["collapse_bits"] is None and o["collapse"]["reason"] and o["certified_bits"] > 4096'
json 'all(c["theory_bits"] == o["theory_bits"] > o["certified_bits"] for c in o["constructions"])'
json 'all(abs(c["collapse_bits"] - c["separation_bits"]) <= 8 for c in o["constructions"][1:])'
json 'all(c["collapse_bits"] <= c["certified_bits"] <= c["collapse_bits"] + 20 for c in o["constructions"][1:])'
json 'all(c["separation_bits"] <= c["certified_bits"] for c in o["constructions"])'
json 'all((f["collisions"] > 0) == (f["min_separation"]["mid"] == "0x0p+0") for f in o["formats"])'
json 'all(f["max_ulp"] <= f["bound_ulp"] for c in o["constructions"] for f in c["formats"] if f["bound_ulp"] is not None)'
json 'all(f["bound_ulp"] for f in o["constructions"][2]["formats"][:3])'
json 'o["kernel"]["bounds_broken"] == 0 and o["kernel"]["rows"] == 60'
json '[sum(b["count"] for b in k["ulp"]) == k["entries"] and 0 < k["mean_ulp"] <= k["max_ulp"] and k["ulp"][-1]["from"] <= k["max_ulp"] < k["ulp"][-1]["to"] for k in [o["kernel"]]] == [True]'
json 'all(abs(w["log2_separation"] - float(c["certified"]["min_separation"]["log2"])) < 3 for c in o["constructions"][1:] for w in c["collapse"]["widths"] if w["collisions"] == 0)'
cp "$out" all.json
python3 -c 'import json; assert json.load(open("out/audit.json")) == json.load(open("all.json"))'
result $? "the record is equal to the output"
# The mean of 1 and 2^-53 under equal scores: 1 + 2^-53 rounds to 1, so 1/2 is returned for 1/2 + 2^-54, half an ulp away.
printf '%s' '{"format": "attest/dataset", "version": 1, "sequences": [[["1"], ["0x1p-53"]]]}' >half.json
printf '%s' '{"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [{"WQ": [[0]], "WK": [[1]], "WV": [[1]], "WO": [[1]]}]}' >half-w.json
run 0 "an error that is known" audit half.json --weights half-w.json --formats binary64 --json
json 'o["kernel"]["max_ulp"] == o["kernel"]["mean_ulp"] == 0.5 and o["kernel"]["entries"] == 2'
run 0 "certify alone" certify six.json --weights out/weights-tuned.json --json
json 'o["pair"] == json.load(open("all.json"))["constructions"][2]["certified"]["pair"]'

# By another route: outputs of attest eval, compared pair by pair.
cat >pairs.py <<'END'
import json, os, subprocess, sys
def collisions(data, weights, number):
    o = json.loads(subprocess.run([os.environ["ATTEST"], "eval", data, "--weights", weights, "--number", number,
                                   "--json"], capture_output=True, check=True).stdout)
    sequences = json.load(open(data))["sequences"]
    items = []
    for s, outs in zip(sequences, o["outputs"]):
        vocabulary = frozenset(map(tuple, s))
        for token, out in zip(s, outs):
            out = tuple(0 if str(x) in ("0", "-0") else x for x in out)
            finite = not any(str(x).strip("-") in ("nan", "inf", "NaN", "Infinity", "None") for x in out)
            items.append(((vocabulary, tuple(token)), out, finite))
    return sum(a[0] != b[0] and (a[1] == b[1] or not (a[2] and b[2]))
               for i, a in enumerate(items) for b in items[:i])
END
cat >compare.py <<'END'
import json, sys
from pairs import collisions
o = json.load(open("all.json"))
for c in o["constructions"]:
    weights = "out/weights-%s.json" % c["strategy"]
    for f in c["formats"]:
        n = collisions("six.json", weights, f["name"])
        print("#", c["strategy"], f["name"], f["collisions"], n)
        assert n == f["collisions"]
    if c["collapse_bits"]:
        p = c["collapse_bits"]
        below, at = collisions("six.json", weights, "p=%d" % (p - 1)), collisions("six.json", weights, "p=%d" % p)
        print("#", c["strategy"], "p =", p, at, "collisions; one bit less:", below)
        assert at == 0 and below > 0
        for q in range(p + 1, c["certified_bits"] + 2, 2):
            assert collisions("six.json", weights, "p=%d" % q) == 0
    else:
        assert collisions("six.json", weights, "p=%d" % c["collapse"]["cap"]) > 0
END
export ATTEST
python3 compare.py >"$out" 2>"$err"
result $? "collisions and collapse by attest eval: $(grep -c '^#' "$out") evaluations"

run 0 "the same in one process" audit six.json --construct all --jobs 1 --json
python3 -c '
import json
a, b = json.load(open("all.json")), json.load(open("'"$out"'"))
def strip(x):
    if isinstance(x, dict):
        return {k: strip(v) for k, v in x.items() if k not in ("file", "sha256")}
    return [strip(v) for v in x] if isinstance(x, list) else x
assert strip(a) == strip(b)'
result $? "the same for any number of jobs"

# A collision can be replayed: two sequences, the pair, the arithmetic.
python3 -c '
import json
from pairs import collisions
o = json.load(open("out/collision-tuned-float8_e4m3fn.json"))
assert o["format"] == "attest/counterexample" and o["violates"]["definition"] == "contextual-mapping"
assert o["parameters"]["format"] == "float8_e4m3fn" and len(o["dataset"]["sequences"]) == 2
json.dump(o["dataset"], open("d.json", "w")); json.dump(o["weights"], open("w.json", "w"))
assert collisions("d.json", "w.json", "float8_e4m3fn") >= 1' 2>"$err"
result $? "the first colliding pair is saved, and collides"

run 1 "attest replay confirms it" replay out/collision-tuned-float8_e4m3fn.json --json
json 'o["replays"][0]["verdict"] == "violated"'
sed 's/float8_e4m3fn/binary32/' out/collision-tuned-float8_e4m3fn.json >other.json
run 0 "in binary32 the pair does not collide" replay other.json
"$ATTEST" audit six.json --construct tuned --round stochastic --formats float8_e5m2 --softmax online -o random >/dev/null
run 1 "stochastic roundings are replayed" replay random/collision-tuned-float8_e5m2.json
sed 's/"stochastic"/"sideways"/' random/collision-tuned-float8_e5m2.json >other.json
refused "an unknown rounding" replay other.json

# Other arithmetics.
w=out/weights-tuned.json
for option in "--softmax naive" "--softmax online --block 2" "--sum pairwise" "--fma" "--round zero" \
    "--round stochastic --seed 7" "--accumulate binary32"; do
    run 0 "$option" audit six.json --weights $w $option --quick --json
    json 'all(f["max_ulp"] <= f["bound_ulp"] for f in o["formats"] if f["bound_ulp"] is not None) and o["formats"][0]["collisions"] == 0 and o["collapse_bits"] >= 5'
    cp "$out" first
    "$ATTEST" audit six.json --weights $w $option --quick --jobs 1 --json >"$out"
    cmp -s first "$out"
    result $? "$option: the same in one process"
done
run 0 "the collapse with an accumulator" audit six.json --weights $w --accumulate binary32 --formats p=6,p=7,p=8,p=9 --json
json '[f["collisions"] > 0 for f in o["formats"]] == [True, False, False, False]'
json 'o["collapse_bits"] == 7 and 9 <= o["certified_bits"] < 16'
run 0 "all algorithms" audit six.json --weights $w --compare --formats bfloat16 --json
json 'len(o["algorithms"]) == 12 and len({(a["softmax"], a["sum"], a["fma"]) for a in o["algorithms"]}) == 12'
json 'all([f["name"] for f in a["formats"]] == ["bfloat16"] for a in o["algorithms"])'
run 0 "a claim that fails without a collision" audit six.json --weights $w --delta 1/2 --formats binary64,p=40 --json
json '[f["verdict"] for f in o["formats"]] == ["fails", "fails"]'
run 0 "a cap that is too small" audit six.json --weights out/weights-gap.json --sweep 2..100 --json
json 'o["collapse_bits"] is None and o["collapse"]["cap"] == 100'
run 0 "a sweep that ends early" audit six.json --weights out/weights-gap.json --sweep 200..300 --json
json 'o["collapse_bits"] == 200'
run 0 "a table" audit six.json --construct all
shows '^tuned +[0-9]+ +[0-9]+ +[0-9]+$'
shows '^collapse +[0-9]+ bits; with one bit less: \[[0-9]+,[0-9]+\] and \['

# Hardmax adds its winners as every other sum is formed: 4 + 1/2 + 1/2 + 1/2 over 4 in three bits.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[4], [0.5], [0.5], [0.5]]]}' >four.json
echo '{"format": "attest/weights", "version": 1, "activation": "hardmax", "skip": false,
 "heads": [{"WQ": [[0]], "WK": [[1]], "WV": [[1]], "WO": [[1]]}]}' >tie.json
for sum in "0x1p+0 --sum sequential" "0x1.4p+0 --sum pairwise" "0x1.8p+0 --accumulate binary32"; do
    run 0 "hardmax, ${sum#* }" audit four.json --weights tie.json --formats p=3 ${sum#* } --quick --json
    json "o['formats'][0]['max_norm']['mid'] == '${sum%% *}'"
done

# 8 + 1 + 1 = 10 is a tie that three bits break, and none of 14 or more, where scores are exact:
# tokens of 4 bits, keys and queries of 4 + 1 + 2, scores of 7 + 7.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[8, 1, 1], [10, 0, 0]]]}' >tied.json
echo '{"format": "attest/weights", "version": 1, "activation": "hardmax", "skip": false,
 "heads": [{"WQ": [[1, 1, 1]], "WK": [[1, 1, 1]], "WV": [[0, 1, 0]], "WO": [[1], [0], [0]]}]}' >sums.json
run 0 "a tie that is lost" audit tied.json --weights sums.json --formats p=3,p=13,p=14 --quick --json
json '[f["max_ulp"] for f in o["formats"]] == [4, 0, 0]'
json 'o["formats"][0]["bound_ulp"] >= 4 and o["formats"][1]["bound_ulp"] > 4096 and o["formats"][2]["bound_ulp"] < 16'

# Errors at exact values: 0 in an unbounded format, and 1 = 1/3 + 2/3, which balls only enclose.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[0, 1], [0, 0], [0, 0]]]}' >exact.json
echo '{"format": "attest/weights", "version": 1, "activation": "softmax", "skip": false,
 "heads": [{"WQ": [[0, 0]], "WK": [[1, 1]], "WV": [[0, 1]], "WO": [[0], [1]]},
           {"WQ": [[0, 0]], "WK": [[1, 1]], "WV": [[0, 1]], "WO": [[0], [2]]}]}' >thirds.json
run 0 "an exact 0 is no error, an ulp at 1 is that of 1" audit exact.json --weights thirds.json \
    --formats p=11,binary16 --round zero --quick --json
json 'all(f["max_ulp"] == 0.5 and f["mean_ulp"] == 0.25 for f in o["formats"])'

# Bounds at the ends of the range: sums of exponentials that overflow, a difference of scores that
# does, and units beyond what doubles hold. An error above its bound is what must not be.
python3 - <<'END'
import json
def head(name, q, k, v, o):
    json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "skip": False,
               "heads": [{"WQ": [[q, 0]], "WK": [[k, 0]], "WV": [[0, v]], "WO": [[0], [o]]}]}, open(name, "w"))
def data(name, tokens):
    json.dump({"format": "attest/dataset", "version": 1, "sequences": [tokens]}, open(name, "w"))
data("level.json", [[3.15, 1], [3.15, 1.5], [3.15, 0.5], [3.15, 0.75]])
data("apart.json", [[2.9, 0], [-2.9, 1]])
data("beyond.json", [[0.5, 100], [-0.5, 90]])
head("small.json", 1, 1, 0.01, 1)
head("unit.json", 1, 1, 1, 1)
head("fine.json", 1, 1, "1/64", 1)
head("large.json", 1, 1, 1, 1048576)
END
bounded='o["formats"][0]["bound_ulp"] >= o["formats"][0]["max_ulp"]'
run 0 "naive, the sum overflows" audit level.json --weights small.json --softmax naive --formats binary16 --quick --json
json 'o["formats"][0]["bound_ulp"] is None and o["formats"][0]["max_ulp"] > 1000 and o["formats"][0]["nonfinite"] == 0'
run 0 "naive, it does not" audit level.json --weights small.json --softmax naive --formats binary32 --quick --json
json "$bounded"
run 0 "score minus maximum overflows" audit apart.json --weights unit.json --formats p=40:emin=-100:emax=3 --quick --json
json 'o["formats"][0]["bound_ulp"] is None and o["formats"][0]["max_ulp"] > 1e6'
run 0 "toward zero, an entry beyond the range" audit beyond.json --weights fine.json --round zero --formats p=9:emin=-20:emax=4 --quick --json
json 'o["formats"][0]["bound_ulp"] is None and o["formats"][0]["nonfinite"] == 0'
run 0 "underflow at 600 bits" audit apart.json --weights large.json --formats p=600:emin=-3:emax=30 --quick --json
json "$bounded and o['formats'][0]['max_ulp'] > 1e5"
run 0 "an accumulator of 520 bits" audit apart.json --weights unit.json --formats p=600 --accumulate p=520 --quick --json
json "$bounded and o['formats'][0]['max_ulp'] > 1e20"

# A weight of 2^-721 times a value of 2^-400 is 0 in the doubles that host formats of few bits, but no 0.
python3 - <<'END'
import json
tiny = "1/%d" % 2**400
json.dump({"format": "attest/dataset", "version": 1,
           "sequences": [[[1, 0], [-1, tiny]], [[1, 0], [2, 0]]]}, open("tiny.json", "w"))
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "skip": False,
           "heads": [{"WQ": [[250, 0]], "WK": [[1, 0]], "WV": [[0, 1]], "WO": [[0], [1]]}]}, open("steep.json", "w"))
END
for how in "--sum sequential" "--sum pairwise" --fma "--softmax online"; do
    run 0 "a product below all doubles, $how" audit tiny.json --weights steep.json --formats p=12 $how --json
    json '[(f["collisions"], f["max_ulp"] < 1) for f in o["formats"]] == [(1, True)]'
    json 'all(s["max_ulp"] < 1 for s in o["formats"][0]["stages"].values())'
done

# Numbers beyond the range of doubles: an exponential rounded at random, weights that are not shifted, and the norm of the bound, whose square is
# below them. A format without the number 1 cannot count winners. An error beyond MPFR's exponents is not known.
python3 - <<'END'
import json
def head(name, q, k, v, o, activation="softmax"):
    json.dump({"format": "attest/weights", "version": 1, "activation": activation, "skip": False,
               "heads": [{"WQ": q, "WK": k, "WV": v, "WO": o}]}, open(name, "w"))
def data(name, sequences):
    json.dump({"format": "attest/dataset", "version": 1, "sequences": sequences}, open(name, "w"))
one, tiny = [[1, 0], [0, 1]], "1/%d" % 2**700
data("wide.json", [[[1, 0], [-1, str(2**500)]], [[1, 0], [2, 0]]])
head("gap.json", [[400, 0]], [[1, 0]], [[0, 1]], [[0], [1]])
data("close.json", [[[1, 0], [0, 1]], [[1, 0], [1, 1]], [[1, 0], ["1/3", 1]], [[1, 0], ["1/3", "1000001/1000000"]]])
head("one.json", one, one, one, one)
head("shrunk.json", one, one, one, [[tiny, 0], [0, tiny]])
data("top.json", [[[1, 1], ["7097/7090", 2]]])
head("top-w.json", [[709, 0]], [[1, 0]], [[0, 1]], [[0], [1]])
data("even.json", [[[2**15]]])
head("even-w.json", [[4096]], [[4096]], [[4096]], [[4096]], "hardmax")
data("huge.json", [[[2**40]]])
head("huge-w.json", [[1]], [[1]], [[1]], [[1]])
data("lone.json", [[[3]]])
data("zero.json", [[[0]]])
data("first.json", [[[0]], [["1/3"]]])
data("second.json", [[[0], [0]], [[0], ["1/3"]]])
data("steep.json", [[[1], [2**33]], [[2], [2**33]]])
END
run 0 "an exponential below all doubles, at random" audit wide.json --weights gap.json --round stochastic --formats p=12 --json
json '[(f["collisions"], f["max_ulp"] < 2) for f in o["formats"]] == [(1, True)]'
run 0 "a layer" audit close.json --weights one.json --formats p=12 --quick --json
cp "$out" one-record.json
run 0 "the same layer times 2^-700" audit close.json --weights shrunk.json --formats p=12 --quick --json
json '[[x["collapse_bits"], x["certified_bits"]] for x in [o, json.load(open("one-record.json"))]] == [[20, 29], [20, 29]]'
run 0 "weights whose sum is no double" audit top.json --weights top-w.json --softmax naive --formats p=24,p=30 --quick --json
json 'all(f["argmax_changed"] == 0 and f["weights_error"]["rows"] == 2 and f["weights_error"]["max"] < 1e-5 for f in o["formats"])'
for seed in 1 2 3 4; do
    run 0 "a format without 1, seed $seed" audit even.json --weights even-w.json --formats p=10:emin=10:emax=80 --round stochastic --seed $seed --quick --json
    json 'o["formats"][0]["bound_ulp"] is None'
done
run 0 "an error beyond all exponents" audit huge.json --weights huge-w.json --formats p=30:emin=-12:emax=10 --round zero --softmax naive --json
json 'o["formats"][0]["stages"]["sum"]["max_ulp"] is None'
run 0 "errors at the last position alone" audit second.json --weights huge-w.json --formats bfloat16 --json
json 'o["formats"][0]["relative_error"]["at"] == o["formats"][0]["worst"] == [1, 1]'
run 0 "errors at the first position of the second sequence" audit first.json --weights huge-w.json --formats bfloat16 --json
json 'o["formats"][0]["relative_error"]["at"] == o["formats"][0]["worst"] == [1, 0]'
run 0 "no output with a relative error" audit zero.json --weights huge-w.json --json
json '[w["max"] for w in o["graded"]["widths"]] == 24 * [None]'
run 0 "one position" audit lone.json --weights huge-w.json --json
json '[w["max"] for w in o["graded"]["widths"]] == [0.333333] + 23 * [0]'
run 0 "outputs e^(2^34 - 2^66) apart" audit steep.json --weights huge-w.json --json
json 'isinstance(o["separation_bits"], str) and abs(int(o["separation_bits"]) - (2**66 - 2**34) / 0.6931471805599453) < 1e5'

# Outputs whose exact distance would take gigabytes.
python3 - <<'END'
import json
json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[-7], [0], [-7]], [[-7], [-7], [-7]]]}, open("far.json", "w"))
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "skip": False,
           "heads": [{"WQ": [[48], [3922868]], "WK": [[12], ["-248/3"]], "WV": [[2], ["1/24"]], "WO": [["3/2", 116]]}]},
          open("far-weights.json", "w"))
END
run 3 "outputs 2^20000000000 apart" audit far.json --weights far-weights.json --formats p=12 --quick
run 0 "and in a format that has none" audit far.json --weights far-weights.json --formats binary16 --quick

# The gate.
"$ATTEST" audit six.json --weights $w -o tuned.json >/dev/null && [ -f tuned-collision-float8_e5m2.json ]
result $? "a record by name, and its collisions beside it"
run 0 "not worse than itself" audit six.json --weights $w --gate tuned.json
run 1 "gap is worse than tuned" audit six.json --weights out/weights-gap.json --gate tuned.json --json
json 'not o["gate"]["passed"] and any(x.startswith("collapse_bits: ") for x in o["gate"]["worse"])'
json 'any(x.startswith("binary64: collapses, was survives") for x in o["gate"]["worse"])'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [2]], [[2], [3]], [[1], [3]]]}' >tiny.json
"$ATTEST" audit tiny.json --construct theorem --formats p=20000 --quick -o tiny-audit.json >/dev/null
sed 's/"mid": "0x1/"mid": "0x3/' tiny-audit.json >tinier.json
run 1 "a separation that no double holds" audit tiny.json --construct theorem --formats p=20000 --quick --gate tinier.json
shows '^worse: p=20000: least separation 2\^-[0-9]{4,}\.[0-9]+, was 2\^-[0-9]{4,}\.[0-9]+$'
# Outputs of about 2^-(1.4e15): no rational of that size is formed, for the claim or for the gate.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[["1", "1", "1"], ["2", "0", "1.000000000000001"]],
 [["1", "2", "1"], ["2", "0", "1.000000000000001"]]]}' >minute.json
echo '{"format": "attest/weights", "version": 1, "activation": "softmax", "skip": false, "heads": [{"WQ": [["0", "0", "1"]],
 "WK": [["1e15", "0", "0"]], "WV": [["0", "1", "0"]], "WO": [["1"], ["0"], ["0"]]}]}' >minute-w.json
run 0 "outputs that no rational holds" audit minute.json --weights minute-w.json --formats p=70,binary64 --quick --r 5 -o minute-audit.json --json
json '[f["verdict"] for f in o["formats"]] == ["survives", "collapses"] and o["formats"][0]["min_separation"] is not None'
json 'o["formats"][1]["max_ulp"] == 0'
[ "$(grep -c '"max_ulp": 1e-99999' minute-audit.json)" -ge 1 ]
result $? "a size that a file can hold"
run 0 "their record as a gate" audit minute.json --weights minute-w.json --formats p=70,binary64 --quick --r 5 --gate minute-audit.json
run 0 "a delta far above them" audit minute.json --weights minute-w.json --formats p=70 --quick --delta 1/3 --json
json 'o["formats"][0]["verdict"] == "fails"'
run 1 "a format less" audit six.json --weights $w --formats binary64 --gate tuned.json
shows '^worse: binary16: not audited any more$'

# The curve agrees with what was decided: collisions where and only where there is no separation,
# the formats' separations at their widths, none from the collapse on.
run 0 "the curve" audit six.json --weights $w --formats binary64,p=12 --json
json 'o["collapse"]["curve"][0]["bits"] == 1 and o["collapse"]["curve"][-1]["bits"] >= 53'
json 'all((c["collisions"] > 0) == (c["log2_separation"] is None) for c in o["collapse"]["curve"])'
json 'all(c["collisions"] == 0 for c in o["collapse"]["curve"] if c["bits"] >= o["collapse_bits"])'
json 'next(c for c in o["collapse"]["curve"] if c["bits"] == o["collapse_bits"] - 1)["collisions"] > 0'
json 'abs(next(c for c in o["collapse"]["curve"] if c["bits"] == 12)["log2_separation"] - float(o["formats"][1]["min_separation"]["log2"])) < 1e-4'
run 0 "without it" audit six.json --weights $w --formats binary64 --quick --json
json 'o["collapse"]["curve"] == [] and o["collapse_bits"] is not None'

run 0 "a page" audit six.json --construct tuned,gap --formats binary64,binary16 --report page.html
python3 "$srcdir/tests/report/check-html.py" page.html >"$out" 2>"$err"
result $? "it is valid"
grep -q '<th scope="row">gap</th>' page.html && grep -q "$(sha256sum six.json | cut -d ' ' -f 1)" page.html
result $? "it names the mappings and the data"
grep -q 'not saved' page.html && ! grep -q 'audit\.json' page.html
result $? "and no file that was not written"
! grep -qi 'share of attention' page.html
result $? "an error of weights is no share"
run 0 "a page beside a record" audit six.json --construct tuned --formats binary16 -o saved.json --report page.html
grep -q '<th scope="row">saved\.json</th>' page.html && ! grep -q 'not saved' page.html
result $? "it names the file of the record"

# Hypotheses, hardmax, data without required pairs.
run 1 "a repeated token" audit twice.json --construct theorem --json
json 'o["hypothesis"] == "no-duplicates" and o["counterexample"]["violates"]["definition"] == "hypothesis"'
run 0 "tuned allows it" audit twice.json --construct tuned --json
json 'o["theory_bits"] is None and "twice" in o["theory"]["reason"]'
run 0 "hardmax in words" audit "$srcdir/examples/universal-pair.json" --weights "$srcdir/examples/hardmax.json" --quick
shows '; nearest, hardmax, sequential sums$'
shows '^binary16 +[0-9.e+-]+ +[0-9.e+-]+ +- +- +- +[0-9]+ +[0-9]+ +[0-9]+$' # weights are not measured
run 0 "hardmax" audit "$srcdir/examples/universal-pair.json" --weights "$srcdir/examples/hardmax.json" --json
json 'o["collapse_bits"] is o["certified_bits"] is None and all(f["collisions"] > 0 for f in o["formats"])'
json 'all(f["max_ulp"] <= f["bound_ulp"] for f in o["formats"] if f["bound_ulp"] is not None)'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[40, 0], [41, 1]], [[40, 0], [42, 5]]]}' >few.json
echo '{"format": "attest/weights", "version": 1, "activation": "hardmax", "heads":
 [{"WQ": [[1, 0]], "WK": [[1, "1/3"]], "WV": [["1/3", 1]], "WO": [["1/7"], ["1/64"]]}]}' >hard.json
run 0 "hardmax with winners that are certain" audit few.json --weights hard.json --json
json '1 < o["collapse_bits"] <= o["certified_bits"] < 24 and o["formats"][0]["bound_ulp"] < 1000'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 2], [1, 2]], [[1, 2]]]}' >same.json
run 0 "no required pair" audit same.json --weights $w --json
json 'o["collapse_bits"] == 1 and o["formats"][0]["min_separation"] is None and o["certified_bits"] == 1'

# What errors mean, by another route.
for seed in 1 2 3; do
    python3 "$srcdir/tests/ref/audit_meaning.py" make drawn.json layer.json $seed
    run 0 "a drawn layer ($seed)" audit drawn.json --weights layer.json --formats binary32,bfloat16,binary16,float8_e5m2 --json
    python3 "$srcdir/tests/ref/audit_meaning.py" compare drawn.json layer.json "$out"
    result $? "relative errors, weights and pairs are those of Python's fractions ($seed)"
    json 'all(f["max_ulp"] <= f["bound_ulp"] for f in o["formats"])'
    json '[w["bits"] for w in o["graded"]["widths"]] == list(range(1, 25)) and o["graded"]["widths"][23]["max"] < 1e-5'
done
json 'o["formats"][3]["conclusion"].startswith("float8_e5m2: outputs differ by up to ")'
json 'all(sum(f["pairs"][k] for k in ("apart", "by_rounding", "merged")) == o["dataset"]["required_pairs"] for f in o["formats"])'

# 100 and 90 are beyond 31, the largest number of p=5:emin=-20:emax=4; one entry each saturates.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[0, 100]], [[0, 90]]]}' >large.json
echo '{"format": "attest/weights", "version": 1, "activation": "softmax", "skip": false,
 "heads": [{"WQ": [[0, 0]], "WK": [[0, 0]], "WV": [[0, 1]], "WO": [[0], [1]]}]}' >copy.json
run 0 "saturated entries" audit large.json --weights copy.json --round zero --formats p=5:emin=-20:emax=4,p=5,binary16 --quick -o saturated.json --json
json '[f["saturated"] for f in o["formats"]] == [2, 0, 0] and "2 entries are the largest number" in o["formats"][0]["conclusion"]'
sed 's/"saturated": 2/"saturated": 0/' saturated.json >unsaturated.json
run 1 "more saturated entries are worse" audit large.json --weights copy.json --round zero --formats p=5:emin=-20:emax=4,p=5,binary16 --quick --gate unsaturated.json

python3 - <<'END'
import json, random
random.seed(7)
entry = lambda: "%d/64" % random.randint(-99, 99)
json.dump({"format": "attest/dataset", "version": 1,
           "sequences": [[[entry(), entry()] for _ in range(300)] for _ in range(2)]}, open("long.json", "w"))
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax",
           "heads": [{"WQ": [["1/2", 0]], "WK": [[1, "1/4"]], "WV": [[1, 1]], "WO": [[1], ["1/2"]]}]}, open("long-layer.json", "w"))
END
run 0 "sums longer than 1/u" audit long.json --weights long-layer.json --formats bfloat16,float8_e5m2 --quick --json
json 'all(f["max_ulp"] <= f["bound_ulp"] < 1e9 for f in o["formats"])'
# Exponents beyond 10^10 are printed whole.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1],[100000000000]],[[1],[200000000000]]]}' >steep.json
run 0 "steep scores" audit steep.json --construct theorem --formats binary64 --quick
grep -Eq 'for a separation of 2\^-[0-9.]+e\+[0-9]+$' "$out"
result $? "a large exponent of a separation is whole"

refused "an unknown format" audit six.json --weights $w --formats binary63
refused "a format twice" audit six.json --weights $w --formats binary64,binary64
refused "an empty list" audit six.json --weights $w --formats ""
refused "an unknown strategy" audit six.json --construct best
refused "weights and a construction" audit six.json --weights $w --construct gap
refused "a sweep upside down" audit six.json --weights $w --sweep 30..20
refused "a sweep of words" audit six.json --weights $w --sweep few..many
refused "no block" audit six.json --weights $w --block 0
refused "a missing record" audit six.json --weights $w --gate nowhere.json
refused "a record of another kind" audit six.json --weights $w --gate six.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1]]]}' >line.json
refused "other dimensions" audit line.json --weights $w
# Outputs that are not finite are not below any r, though no pair is required.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[60000]]]}' >one.json
echo '{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [[0]], "WK": [[0]], "WV": [[1]], "WO": [[1]]}]}' >double.json
run 0 "an output that overflows" audit one.json --weights double.json --formats binary16,binary32 --r 1000000 --quick --json
json '[(f["verdict"], f["nonfinite"]) for f in o["formats"]] == [("fails", 1), ("survives", 0)]'
# The necessary, observed and sufficient bits: the test counts the classes again.
run 0 "bits by counting" audit "$srcdir/examples/universal-pair.json" --weights "$srcdir/examples/softmax.json" --formats bfloat16 --json
python3 - "$srcdir/examples/universal-pair.json" "$out" <<'END'
import json, sys
sequences = json.load(open(sys.argv[1]))["sequences"]
o = json.load(open(sys.argv[2]))
classes = {(frozenset(map(tuple, s)), tuple(t)) for s in sequences for t in s}
d = len(sequences[0][0])
least = next(b for b in range(64) if 2 ** (b * d) >= len(classes))
sys.exit(not (o["classes"] == len(classes) and o["necessary_bits"] == least <= o["collapse_bits"] <= o["certified_bits"]))
END
result $? "classes and the bits that are necessary"
python3 -c 'import json
json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[i], [i + 1]] for i in range(1, 9)]}, open("'"$work"'/many.json", "w"))'
echo '{"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [{"WQ": [[1]], "WK": [[1]], "WV": [[1]], "WO": [[1]]}]}' >"$work/one.json"
"$ATTEST" audit "$work/many.json" --weights "$work/one.json" --formats p=1:emin=-1:emax=1,p=2:emin=-2:emax=2 >"$out" 2>"$err"
shows '^bits per entry     at least 4 in any code, to distinguish 16 classes; significand: [0-9]+ observed, [0-9]+ proved sufficient$'
shows '^p=1:emin=-1:emax=1 has too few values for 16 classes: it collapses by counting$'
! grep -q '^p=2.*by counting' "$out"
result $? "23 values are enough"
finish
