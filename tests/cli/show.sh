#!/bin/sh
# attest show: statements are shown as they are tested and proved.
. "$srcdir/tests/cli/lib.sh"

said() { # what, NAME, words: attest show NAME says them, wherever its lines are broken
    "$ATTEST" show "$2" | tr '\n' ' ' | tr -s ' ' >"$out"
    grep -qF -e "$3" "$out"
    result $? "$1: $2"
}

said "the paper's number" approximate "Proposition 1"
said "the reduction from a compact domain" approximate "extended to it (Tietze) and symmetrised"
# The hypotheses of Theorem 1 are those of a statement about sequences in any order; in the order
# written, leftmost ties merge them as well, which is said beside it and tried here.
said "the order of the tokens" theorem1 "each in any order"
said "one word" theorem1 "one-layer hardmax"
for ties in uniform leftmost; do
    python3 - "$ties" "$srcdir/examples/hardmax.json" >"$work/w.json" <<'PY'
import json, sys
w = json.load(open(sys.argv[2]))
w["ties"] = sys.argv[1]
json.dump(w, sys.stdout)
PY
    run 0 "$ties ties" eval "$srcdir/examples/universal-pair.json" --weights "$work/w.json" --json
    json 'all(o["outputs"][0][k] == o["outputs"][1][k] for k in (0, 3))'
done
said "r" masked "r r_max + eps/4"
said "delta'" masked "delta' |w| (log n)^2 exp(-2 kappa r_max^2) / (kappa r_max)"
said "the longest" theorem2 "the longest sequence has n >= 2 tokens; lengths may differ"
said "rational weights" theorem2 "stored weights, which are rational"
said "what is not needed" theorem2 "--without length: it is not needed, and none is"
said "what is not needed" memorize "--without no-duplicates: it is not needed, and none is"
said "what is needed" theorem2 "--without eps: a violation is found"
said "whose theorem" zero_test "Hermite"
"$ATTEST" show sharp_gap --json >"$out"
python3 - "$out" <<'PY'
import json, re, sys
from decimal import Decimal as D, getcontext
getcontext().prec = 40
def gap(n): # bisects 1 = r + (1 + q) d
    low, high = D("0.25"), D("0.5")
    for _ in range(110):
        q = (low + high) / 2
        r, d = sum(q ** k for k in range(1, n)), sum(k * q ** k for k in range(1, n))
        low, high = (q, high) if r + (1 + q) * d < 1 else (low, q)
    return -low.ln()
constants = json.load(open(sys.argv[1]))["constants"]
want = {f"n = {n}": gap(n) for n in (2, 3, 4, 5, 8, 16)}
want["any size"] = (2 + D(3).sqrt()).ln()
for name, value in want.items():
    digits = re.match(r"([0-9.]+)\.\.\.", constants[name]).group(1)
    assert digits == str(value)[:len(digits)] and len(digits) == 22, (name, value)
assert set(want) == set(constants)
PY
result $? "sharp_gap: its digits"
for name in $("$ATTEST" show | awk '{ print $1 }'); do
    ! "$ATTEST" show "$name" | grep -E "[a-z]- [a-z]|[a-z]-$|Theorem 3" >"$out"
    result $? "$name: no broken word: $(cat "$out")"
done
finish
