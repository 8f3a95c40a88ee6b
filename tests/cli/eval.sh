#!/bin/sh
# attest eval: values known by hand, in every number system; what is refused.
. "$srcdir/tests/cli/lib.sh"

cat >"$work/data.json" <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[[1], [3]], [["1/2"]]]}
END
cat >"$work/hard.json" <<'END'
{"format": "attest/weights", "version": 1, "activation": "hardmax",
 "heads": [{"WQ": [[1]], "WK": [[1]], "WV": [["1/3"]], "WO": [[1]]}]}
END
sed 's/hardmax/softmax/; s/\[\[1\]\], "WV"/[[0]], "WV"/' "$work/hard.json" >"$work/soft.json"

# The largest key is 3: every query of sequence 0 gets 3/3 on top of itself.
run 0 "hardmax, exact by default" eval "$work/data.json" --weights "$work/hard.json" --json
json 'o["outputs"] == [[["2"], ["4"]], [["2/3"]]] and o["number"] == "exact"'
run 0 "in words" eval "$work/data.json" --weights "$work/hard.json"
shows '\[0,1\] 4$'

# Zero scores: softmax is the mean of the values, (1 + 3)/2/3 = 2/3.
run 0 "softmax, balls by default" eval "$work/data.json" --weights "$work/soft.json" --json
cat >"$work/inside.py" <<'END'
import json, sys
from fractions import Fraction
def hexfloat(s):
    m, e = s.split("p")
    sign = -1 if m.startswith("-") else 1
    m = m.lstrip("-+")[2:]
    i, _, f = m.partition(".")
    return sign * Fraction(int(i + f, 16), 16 ** len(f)) * Fraction(2) ** int(e)
o = json.load(open(sys.argv[1]))
expected = [[["5/3"], ["11/3"]], [["2/3"]]]
for x, y in zip(o["outputs"], expected):
    for a, b in zip(x, y):
        ball, value = a[0], Fraction(b[0])
        assert abs(hexfloat(ball["mid"]) - value) <= hexfloat(ball["rad"]), (ball, value)
        assert hexfloat(ball["rad"]) < Fraction(1, 2 ** (int(sys.argv[2]) - 56)), ball
END
python3 "$work/inside.py" "$out" 128 2>>"$err"
result $? "the balls contain the values"
run 0 "20000 bits" eval "$work/data.json" --weights "$work/soft.json" --json --bits 20000
python3 "$work/inside.py" "$out" 20000 2>>"$err"
result $? "the balls contain the values"
run 0 "mpfr rounding up" eval "$work/data.json" --weights "$work/soft.json" --number mpfr --bits 10 --round up --json
json 'Fraction(5, 3) < Fraction(o["outputs"][0][0][0]) <= Fraction(5, 3) * (1 + Fraction(1, 100))'
run 0 "binary32" eval "$work/data.json" --weights "$work/soft.json" --number binary32 --json
json 'o["format"] == "binary32" and o["bits"] == 24 and abs(float(Fraction(o["outputs"][0][0][0])) - 5/3) < 1e-6'
run 0 "p=3:emin=-2:emax=1" eval "$work/data.json" --weights "$work/soft.json" --number p=3:emin=-2:emax=1 --json
json 'o["outputs"][0][1][0] == "7/2"'
run 0 "double" eval "$work/data.json" --weights "$work/soft.json" --number double --json
json 'abs(float(Fraction(o["outputs"][1][0][0])) - 2/3) < 1e-15'
run 0 "-o" eval "$work/data.json" --weights "$work/hard.json" -o "$work/product.json"
[ ! -s "$out" ] && python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/product.json"
result $? "writes JSON to the file and nothing else"
"$ATTEST" eval - --weights "$work/hard.json" --json <"$work/data.json" >"$out" 2>"$err"
result $? "a dataset from standard input"
json 'o["outputs"][0][0] == ["2"]'

# The average of the first entry is 0 within e^-10^15, so that the output is 1 within that: its ends as exact numbers do not fit
# into memory. The second unit stands at its kink.
cat >"$work/network.json" <<'END'
{"format": "attest/network", "version": 1, "dim": 3, "input_dim": 3, "output_dim": 1, "layers": [
 {"type": "attention", "weights": {"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [
  {"WQ": [[1, 0, 0]], "WK": [[0, "-1e15", 0]], "WV": [[0, 0, 1]], "WO": [[1], [0], [0]]}]}},
 {"type": "feed-forward", "groups": [{"direction": [3, -1, 0], "bias": ["-5/2", -3], "output": [[2, 0, 0], [-2, 0, 0]]}], "bias": ["1/3", 0, 0]}]}
END
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 0, 0], [1, 1, 1], [1, 1, -1]]]}' >"$work/three.json"
run 0 "a radius far below its midpoint" eval "$work/three.json" --weights "$work/network.json" --json
json 'all(abs(float.fromhex(o["outputs"][0][k][0]["mid"]) - x) < 1e-15 for k, x in enumerate((7/3, 4/3, 4/3)))'

refused "softmax in exact" eval "$work/data.json" --weights "$work/soft.json" --number exact
refused "no weights" eval "$work/data.json"
refused "a missing file" eval "$work/none.json" --weights "$work/hard.json"
refused "an unknown number system" eval "$work/data.json" --weights "$work/hard.json" --number decimal
complains '^attest: --number: unknown format "decimal": expected binary64, .*; or exact, ball, mpfr, double$'
refused "a precision that is too large" eval "$work/data.json" --weights "$work/soft.json" --number p=9999999999999
complains '^attest: --number: format "p=9999999999999": the precision must be between 1 and'
refused "bits for exact" eval "$work/data.json" --weights "$work/hard.json" --bits 10
refused "too few bits" eval "$work/data.json" --weights "$work/soft.json" --bits 1
refused "too many bits" eval "$work/data.json" --weights "$work/soft.json" --bits 99999999999
refused "an unknown rounding" eval "$work/data.json" --weights "$work/soft.json" --number mpfr --round sideways
refused "a rounding for balls" eval "$work/data.json" --weights "$work/soft.json" --round up
sed 's/\[1\], \[3\]/[1, 2], [3, 4]/; s/\["1\/2"\]/[1, 1]/' "$work/data.json" >"$work/two.json"
refused "dimensions that do not fit" eval "$work/two.json" --weights "$work/hard.json"
complains 'tokens have 2 entries, but the weights of .* take 1$'
sed 's/"WQ": \[\[1\]\], "WK": \[\[1\]\], "WV": \[\["1\/3"\]\], "WO": \[\[1\]\]/"WQ": [[1, 0]], "WK": [[1, 0]], "WV": [[1, 0]], "WO": [[1], [0]]/' \
    "$work/hard.json" >"$work/bias.json"
refused "a coordinate less" eval "$work/data.json" --weights "$work/bias.json"
complains 'take 2 \(--homogeneous appends a 1\)$'
run 0 "and with it" eval "$work/data.json" --weights "$work/bias.json" --homogeneous
refused "the dataset as weights" eval "$work/data.json" --weights "$work/data.json"
"$ATTEST" eval "$work/data.json" --weights "$work/hard.json" -o "$work/no/such" >"$out" 2>"$err"
[ $? -eq 4 ]
result $? "a product that cannot be written: $(cat "$err")"
finish
