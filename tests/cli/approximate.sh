#!/bin/sh
# attest approximate: errors enclosed and below their bounds, the network as another program runs it.
. "$srcdir/tests/cli/lib.sh"

for function in sum product variance inner distance; do
    run 0 "$function" approximate --function $function --grid 6 --json
    json 'o["verdict"] == "proved" and o["below_bounds"] and o["grid"] == 6 and o["contexts"] == 36'
    json 'all(0 < float.fromhex(o[k]["mid"]) < float.fromhex(o[k + "_bound"]["mid"]) for k in ("l1", "l2"))'
done
run 0 "d = 2, in words" approximate --function inner --dim 2 --length 2 --grid 3 -o "$work/net.json"
shows '^proved: on every cell, except for ramps'
cat >"$work/points.json" <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[["1/6", "1/2"], ["5/6", "0.4"]], [[1, 0], [0, 1]]]}
END
run 0 "eval runs all three layers" eval "$work/points.json" --weights "$work/net.json" --json
# Centres: (1/6, 1/2), (5/6, 1/2); and (5/6, 1/6), (1/6, 5/6).
cat >"$work/check.py" <<'END'
import json, sys
from fractions import Fraction as F
o = json.load(open(sys.argv[1]))["outputs"]
def f(x, k, c):
    return x[k][c] * sum(x[k][e] * y[e] for y in x for e in range(2)) / 4
h = F(1, 6)
cells = [[[h, 3 * h], [5 * h, 3 * h]], [[5 * h, h], [h, 5 * h]]]
for i, x in enumerate(cells):
    for k in range(2):
        for c in range(2):
            got = float.fromhex(o[i][k][c]["mid"])
            assert abs(got - f(x, k, c)) < 1e-15, (i, k, c, got, f(x, k, c))
END
python3 "$work/check.py" "$out" 2>>"$err"
result $? "the values at the centres"
python3 "$srcdir/tests/ref/network.py" "$work/net.json" "$work/points.json" 50 values >"$work/values" 2>>"$err" &&
    python3 - "$out" "$work/values" <<'END' 2>>"$err"
import json, sys
o = json.load(open(sys.argv[1]))["outputs"]
for line in open(sys.argv[2]):
    i, k, *values = line.split()
    for c, v in enumerate(values):
        assert abs(float.fromhex(o[int(i)][int(k)][c]["mid"]) - float(v)) < 1e-15
END
result $? "another program computes the same"

run 0 "a table" approximate --function sum --grid 24 --csv
cat >"$work/table.py" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [int(r["grid"]) for r in rows] == [2, 4, 8, 16, 24]
for r in rows:
    assert 0 < float(r["l1_low"]) < float(r["l1_high"]) < float(r["l1_bound"])
    assert 0 < float(r["l2_low"]) < float(r["l2_high"]) < float(r["l2_bound"])
scaled = [float(r["l1_high"]) * int(r["grid"]) for r in rows]
assert max(scaled) < 1.05 * min(scaled), scaled
END
python3 "$work/table.py" "$out" 2>>"$err"
result $? "L^1 errors fall like 1/G, below their bounds"
cp "$out" "$work/first.csv"
run 0 "a table in a file" approximate --function sum --grid 24 --csv "$work/table.csv"
cmp -s "$work/first.csv" "$work/table.csv"
result $? "is the same table"

refused "no function" approximate --grid 4
refused "an unknown function" approximate --function max --grid 4
refused "a file without --csv" approximate --function sum "$work/x"
refused "too many cells" approximate --function sum --dim 2 --length 3 --grid 16
refused "a grid of one cell" approximate --function sum --grid 1
refused "--csv and --json" approximate --function sum --csv --json
finish
