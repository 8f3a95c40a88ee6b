#!/bin/sh
# Every property, with its default budget where ATTEST_INSTANCES=all, and the files of tests/corpus; then every hypothesis without which a
# violation exists, dropped. `make check ATTEST_TRIALS=1000000 ATTEST_SEED=0x5eed` makes a campaign
# of it. A failure prints the command that replays it; its files stay in the build directory.
. "$srcdir/tests/cli/lib.sh"

directory=$builddir/tests/props/campaign
seed=${ATTEST_SEED:-1}
rm -rf "$directory"
mkdir -p "$directory"

# A trial that is slow on a busy machine is no other trial: ten minutes are for what hangs.
trials=${ATTEST_TRIALS:+--trials $ATTEST_TRIALS}

# The properties; and lines NAME HYPOTHESIS, for which a violation exists without the hypothesis.
"$ATTEST" show --json >"$work/list"
python3 - "$ATTEST" "$work/list" "$work/names" >"$work/drop" 2>"$err" <<'END'
import json, subprocess, sys
names = open(sys.argv[3], "w")
for p in json.load(open(sys.argv[2]))["properties"]:
    print(p["name"], file=names)
    shown = json.loads(subprocess.run([sys.argv[1], "show", "--json", p["name"]], check=True, capture_output=True).stdout)
    for t in shown["tested"]:
        if t["property"] == p["name"]:
            for hypothesis, carries in t["without"].items():
                if carries:
                    print(p["name"], hypothesis)
END

# try_properties DIR ARGUMENT...: a campaign; its results are numbered behind those that there are.
try_properties() {
    place=$directory/$1
    shift
    # shellcheck disable=SC2086
    "$ATTEST" campaign "$@" --tap --seed "$seed" $trials --timeout 10m --out "$place" >"$out" 2>"$err"
    code=$?
    sed -e '/^1\.\./d' -e "s|replay: attest |replay: $ATTEST |" "$out" |
        awk -v n="$count" '/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n) } { print }'
    sed 's/^/# stderr: /' "$err"
    found=$(grep -c '^[no]*t* *ok ' "$out")
    count=$((count + found))
    [ "$found" -gt 0 ] && [ $code -eq 0 ]
    result $? "all properties hold, and searches find what they look for: $* (seed $seed, exit $code)"
}

# A quarter of the trials of the properties that take most of the time, unless all are asked for, as in .ci.
if [ "$ATTEST_INSTANCES" = all ] || [ -n "$trials" ]; then
    try_properties all all --corpus "$srcdir/tests/corpus"
else
    cheap=$(cat "$work/names")
    for part in contextual-relations:1000 certificate:250 reference:1250 zero_test-outputs:375 memorize:125 parameters:125 positional:125 approximate:25; do
        name=${part%:*}
        try_properties "$name" "$name" --trials "${part#*:}"
        cheap=$(echo "$cheap" | grep -vx "$name")
    done
    # shellcheck disable=SC2086
    try_properties all $cheap --corpus "$srcdir/tests/corpus"
fi

dropped=0
while read -r name hypothesis; do
    "$ATTEST" campaign "$name" --without "$hypothesis" --seed "$seed" --timeout 10m >"$out" 2>"$err" </dev/null
    code=$?
    [ $code -eq 1 ] && grep -q "^$name: violated" "$out"
    result $? "$name fails without $hypothesis (exit $code)"
    dropped=$((dropped + 1))
done <"$work/drop"
[ $dropped -gt 0 ]
result $? "$dropped hypotheses were dropped"
finish
