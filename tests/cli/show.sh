#!/bin/sh
# attest show: what is said of a statement is what is tested and proved.
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
for name in $("$ATTEST" list | awk '{ print $1 }'); do
    ! "$ATTEST" show "$name" | grep -E "[a-z]- [a-z]|[a-z]-$|Theorem 3" >"$out"
    result $? "$name: no broken word: $(cat "$out")"
done
finish
