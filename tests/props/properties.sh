#!/bin/sh
# Every property with its default budget, and the files of tests/corpus; then every hypothesis of which it is said that a violation
# exists without it, dropped. `make check ATTEST_TRIALS=1000000 ATTEST_SEED=0x5eed` makes a campaign
# of it. A failure prints the command that replays it; its files stay in the build folder.
. "$srcdir/tests/cli/lib.sh"

folder=$builddir/tests/props/campaign
seed=${ATTEST_SEED:-1}
rm -rf "$folder"
mkdir -p "$folder"

# A trial that is slow on a busy machine is no other trial: ten minutes are for what hangs.
trials=${ATTEST_TRIALS:+--trials $ATTEST_TRIALS}

# shellcheck disable=SC2086
"$ATTEST" campaign all --corpus "$srcdir/tests/corpus" --tap --seed "$seed" $trials --timeout 10m --out "$folder/all" >"$out" 2>"$err"
code=$?
sed -e '/^1\.\./d' -e "s|replay: attest |replay: $ATTEST |" "$out"
sed 's/^/# stderr: /' "$err"
count=$(grep -c '^[no]*t* *ok ' "$out")
[ "$count" -gt 0 ] && [ $code -eq 0 ]
result $? "all properties hold, and searches find what they look for (seed $seed, exit $code)"

"$ATTEST" list --json >"$work/list"
names=$(python3 -c '
import json, sys
for p in json.load(open(sys.argv[1]))["properties"]: print(p["name"])' "$work/list")
dropped=0
for name in $names; do
    "$ATTEST" show --json "$name" >"$work/show"
    hypotheses=$(python3 -c '
import json, sys
for t in json.load(open(sys.argv[1]))["tested"]:
    if t["property"] == sys.argv[2]:
        for h, carries in t["without"].items():
            if carries: print(h)' "$work/show" "$name")
    for hypothesis in $hypotheses; do
        "$ATTEST" campaign "$name" --without "$hypothesis" --seed "$seed" --timeout 10m >"$out" 2>"$err"
        code=$?
        [ $code -eq 1 ] && grep -q "^$name: violated" "$out"
        result $? "$name fails without $hypothesis (exit $code)"
        dropped=$((dropped + 1))
    done
done
[ $dropped -gt 0 ]
result $? "$dropped hypotheses were dropped"
finish
