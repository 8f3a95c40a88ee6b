#!/bin/sh
# What floating point breaks: the least examples, format by format, replayed.
. "$srcdir/tests/cli/lib.sh"

for format in binary32 bfloat16 binary16 float8_e4m3fn float8_e5m2; do
    for kind in order merge length; do
        run 1 "$kind in $format" replay --json "$srcdir/examples/float/$kind-$format.json"
        json 'o["replays"][0]["verdict"] == "violated" and o["replays"][0]["reproduced"]'
    done
    "$ATTEST" show float_equivariance | grep -q "^  $format  *n = 3"
    result $? "show: three tokens in $format"
    length=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["parameters"]["n"])' \
        "$srcdir/examples/float/length-$format.json")
    "$ATTEST" show float_length | grep -q "^  $format  *n = $length,"
    result $? "show: $length tokens in $format"
done
# One token fewer is noticed: the same file with n - 1.
python3 - "$srcdir/examples/float/length-bfloat16.json" >"$work/shorter.json" <<'PY'
import json, sys
o = json.load(open(sys.argv[1]))
o["parameters"]["n"] = str(int(o["parameters"]["n"]) - 1)
json.dump(o, sys.stdout)
PY
run 0 "one token fewer" replay "$work/shorter.json"
run 0 "with a hyphen" show float-equivariance
shows '^Floating point: attention of three tokens'
refused "but not any name" show float-equivarianc

# On a user's own data: what the audit says of order and length, counted again from outputs of eval, which is other code.
cat >"$work/laws.py" <<'PY'
import json, random, subprocess, sys
from fractions import Fraction
work, attest = sys.argv[1:]
r = random.Random(3)
draw = lambda n, size: [f"{r.randint(-size, size)}/8" for _ in range(n)]
token = [draw(3, 30) for _ in range(9)]
data = [[token[r.randrange(9)] for _ in range(n)] for n in (5, 1, 7, 2, 6)]
def write(name, value):
    json.dump({"version": 1} | value, open(f"{work}/{name}.json", "w"))
def run(*words):
    return json.loads(subprocess.run([attest, *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)
def outputs(sequences, number):
    write("these", {"format": "attest/dataset", "sequences": sequences})
    found = run("eval", f"{work}/these.json", "--weights", f"{work}/layer.json", "--number", number)["outputs"]
    return [[[tuple(Fraction(x) for x in o)] if number != "ball" else o for o in s] for s in found]
def exact_of(text):
    digits, power = text.lstrip("-")[2:].split("p")
    whole, _, part = digits.partition(".")
    return (-1 if text[0] == "-" else 1) * Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** int(power)
def apart(a, b):
    return any(abs(exact_of(x["mid"]) - exact_of(y["mid"])) > exact_of(x["rad"]) + exact_of(y["rad"]) for x, y in zip(a, b))
broken = 0
for mask in ("none", "causal"):
    write("layer", {"format": "attest/weights", "activation": "softmax", "mask": mask, "skip": False, "heads":
          [{n: [draw(3, 20) for _ in range(2)] for n in ("WQ", "WK", "WV")} | {"WO": [draw(2, 20) for _ in range(3)]} for _ in range(2)]})
    write("data", {"format": "attest/dataset", "sequences": data})
    long = [s for s in data if len(s) > 1]
    causal = mask == "causal"
    turned = [s[-2::-1] + s[-1:] if causal else s[::-1] for s in long]
    place = [i for i, s in enumerate(data) if len(s) > 1]
    first = lambda found: [place[found[0][0]], found[0][1]] if found else None
    exact, less = outputs(long, "ball"), outputs([s[1:] for s in long], "ball")
    for f in run("audit", f"{work}/data.json", "--weights", f"{work}/layer.json", "--formats", "binary32,bfloat16,float8_e4m3fn")["formats"]:
        given, other, shorter = (outputs(s, f["name"]) for s in (long, turned, [s[1:] for s in long]))
        pairs = [(given[i][k], other[i][k if causal else len(s) - 1 - k], (i, k)) for i, s in enumerate(long) for k in (range(len(s) - 1, len(s)) if causal else range(len(s)))]
        same = [(i, k) for i, s in enumerate(long) for k in range(1, len(s)) if given[i][k] == shorter[i][k - 1] and apart(exact[i][k], less[i][k - 1])]
        want = (len(pairs), sum(a != b for a, b, _ in pairs), sum(len(s) - 1 for s in long), len(same))
        laws = f["laws"]
        assert want == tuple(laws[n] for n in ("reordered", "changed", "shortened", "unnoticed")), (mask, f["name"], want, laws)
        where = [first([at for a, b, at in pairs if a != b]), first(same)]
        assert where == [laws["changed_at"], laws["unnoticed_at"]], (mask, f["name"], where, laws)
        broken += (laws["changed"] > 0) + (laws["unnoticed"] > 0)
assert broken > 6, broken
layer = json.load(open(f"{work}/layer.json"))
write("hard", layer | {"activation": "hardmax"})
for f in run("audit", f"{work}/data.json", "--weights", f"{work}/hard.json", "--quick", "--formats", "bfloat16")["formats"]:
    assert f["laws"] is None, f["laws"]
PY
python3 "$work/laws.py" "$work" "$ATTEST" >"$out" 2>"$err"
result $? "laws that formats break on a user's data"
finish
