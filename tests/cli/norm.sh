#!/bin/sh
# A norm in front of the heads: outputs against sixty digits of Python's, verdicts that the square
# roots leave open, and certificates that say no more than is true.
. "$srcdir/tests/cli/lib.sh"
need_python

# Two sequences of which the second is the first times 3: RMSNorm without eps makes them equal.
cat >"$work/data.json" <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[[1, 2, "1/3"], [3, 1, 0]], [[3, 6, 1], [9, 3, 0]]]}
END
weights() { # kind, eps, skip, activation
    cat <<END
{"format": "attest/weights", "version": 1, "activation": "$4", "skip": $3, "norm": {"kind": "$1", "eps": "$2"},
 "heads": [{"WQ": [[1, "1/2", 0], [0, 1, 2]], "WK": [[1, 0, 1], ["1/3", 1, 0]], "WV": [[1, 0, 0], [0, 1, -1]], "WO": [[1, 0], [0, 2], ["1/5", 1]],
            "bQ": [1, 0], "bK": ["1/7", 2], "bV": [0, "1/2"], "bO": [1, "-1/2", 0]}]}
END
}

cat >"$work/oracle.py" <<'END'
import json, sys
from decimal import Decimal, getcontext
from fractions import Fraction
getcontext().prec = 90
D = lambda s: Decimal(Fraction(str(s)).numerator) / Decimal(Fraction(str(s)).denominator)
data, weights, out = (json.load(open(p)) for p in sys.argv[1:4])
head, norm = weights["heads"][0], weights["norm"]
M = {k: [[D(x) for x in r] for r in head[k]] for k in ("WQ", "WK", "WV", "WO")}
B = {k: [D(x) for x in head[k]] for k in ("bQ", "bK", "bV", "bO")}
def normed(x):
    if norm["kind"] == "layer":
        x = [a - sum(x) / len(x) for a in x]
    root = (sum(a * a for a in x) / len(x) + D(norm["eps"])).sqrt()
    return [a / root for a in x]
def affine(w, z): return [sum(a * b for a, b in zip(r, z)) + c for r, c in zip(M["W" + w], B["b" + w])]
for s, o in zip(data["sequences"], out["outputs"]):
    x = [[D(a) for a in t] for t in s]
    z = [normed(t) for t in x]
    q, k, v = ([affine(w, t) for t in z] for w in "QKV")
    for i in range(len(x)):
        e = [sum(a * b for a, b in zip(k[j], q[i])).exp() for j in range(len(x))]
        mean = [sum(e[j] * v[j][r] for j in range(len(x))) / sum(e) for r in range(2)]
        y = affine("O", mean)
        assert len(o[i]) == 3
        for c in range(3):
            truth = y[c] + (x[i][c] if weights["skip"] else 0)
            def exact(h):
                sign = -1 if h.startswith("-") else 1
                digits, power = h.lstrip("-")[2:].split("p")
                whole, _, part = digits.partition(".")
                return sign * Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** int(power)
            mid, rad = exact(o[i][c]["mid"]), exact(o[i][c]["rad"])
            assert abs(Fraction(truth) - mid) <= rad + Fraction(1, 10**80), (truth, o[i][c])
            assert rad < Fraction(1, 2**60)
END

for kind in layer rms; do
    for eps in 1e-5 0; do
        for skip in true false; do
            weights $kind $eps $skip softmax >"$work/w.json"
            run 0 "$kind, eps $eps, skip $skip: eval" eval "$work/data.json" --weights "$work/w.json" --json
            python3 "$work/oracle.py" "$work/data.json" "$work/w.json" "$out" 2>>"$err"
            result $? "$kind, eps $eps, skip $skip: the balls contain the true values"
        done
    done
done

weights rms 0 true softmax >"$work/w.json"
run 0 "the skip tells the sequences apart" certify "$work/data.json" --weights "$work/w.json" -o "$work/claim.json" --json
json 'o["verdict"] == "proved" and o["required_pairs"] == 6'
run 0 "check" check "$work/claim.json"
# Delta a little above the least separation: the ball, with room on both sides, refutes it.
run 1 "too large a delta is refuted" certify "$work/data.json" --weights "$work/w.json" --delta 1000 -o "$work/no.json"
run 0 "check of that" check "$work/no.json"
run 0 "with r" certify "$work/data.json" --weights "$work/w.json" --r 1000 -o "$work/r.json"
run 0 "check of that" check "$work/r.json"
# Without the room that the square roots need, a certificate is undecided.
python3 - "$work/claim.json" "$work/forged.json" <<'END'
import json, sys
c = json.load(open(sys.argv[1]))
for key in ("min_separation", "max_norm"):
    c[key]["rad"] = "0x1p-140"
    c[key].pop("log2"), c[key].pop("text")
json.dump(c, open(sys.argv[2], "w"))
END
run 3 "a ball that is too narrow is undecided" check "$work/forged.json"
# Nor is a claim proved or refuted within that room: of twice what the roots leave open, three quarters are not enough.
python3 - "$work" <<'END'
import json, sys
from fractions import Fraction
def exact(text):
    digits, power = text[2:].split("p")
    whole, _, part = digits.partition(".")
    return Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** int(power)
for claim, sign in ("claim", -1), ("no", 1):
    c = json.load(open(f"{sys.argv[1]}/{claim}.json"))
    middle, room = (exact(c["min_separation"][key]) for key in ("mid", "rad"))
    for name, part in ("within", Fraction(3, 4)), ("beyond", Fraction(3, 2)):
        json.dump(dict(c, delta=str(middle + sign * part * room)), open(f"{sys.argv[1]}/{claim}-{name}.json", "w"))
END
for claim in claim no; do
    run 3 "$claim: a delta within the room is undecided" check "$work/$claim-within.json"
    run 0 "$claim: one beyond it is" check "$work/$claim-beyond.json"
done

weights rms 0 false softmax >"$work/w.json"
run 3 "without a skip equality stays open" certify "$work/data.json" --weights "$work/w.json" --json
json 'o["verdict"] == "undecided" and "square roots" in o["reason"]'
run 0 "eps tells the sequences apart" certify "$work/data.json" --weights "$(weights rms 1e-5 false softmax >"$work/e.json" && echo "$work/e.json")" --json
json 'o["verdict"] == "proved"'
# Where the skip adds another tensor, tokens that the norm merges are still two: their outputs are equal.
printf '%s' '{"format": "attest/dataset", "version": 1, "sequences": [[[0, 1, 2]], [[5, 6, 7]], [[0, 1, 1]]],
 "stream": [[[1, 1, 1]], [[1, 1, 1]], [[2, 1, 1]]]}' >"$work/merged.json"
weights layer 1e-5 true softmax | sed 's/"skip": true/"residual": "stream"/' >"$work/m.json"
run 3 "merged tokens with one residual are told apart" certify "$work/merged.json" --weights "$work/m.json" -o "$work/merged-claim.json" --json
json 'o["verdict"] == "undecided" and o["required_pairs"] == 3 and o["pair"] == [[0, 0], [1, 0]]'
run 3 "check" check "$work/merged-claim.json"
weights rms 0 true hardmax >"$work/w.json"
run 3 "hardmax after a root that is not rational" certify "$work/data.json" --weights "$work/w.json"
complains "undecided"
printf '%s' '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 1, 5], [5, "-1", 1]], [[5, 1, 1]]]}' >"$work/square.json"
run 0 "hardmax after rational roots" certify "$work/square.json" --weights "$work/w.json" -o "$work/claim.json"
run 0 "check" check "$work/claim.json"
weights layer 0 true softmax >"$work/w.json"
printf '%s' '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 1, 1]]]}' >"$work/flat.json"
refused "nothing to divide by" certify "$work/flat.json" --weights "$work/w.json"
run 0 "audit" audit "$work/data.json" --weights "$(weights layer 1e-5 true softmax >"$work/a.json" && echo "$work/a.json")" --formats binary32 --json
json 'o["formats"][0]["relative_error"]["max"] < 1e-6'
finish
