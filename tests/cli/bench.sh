#!/bin/sh
# `attest bench`, which runs bench/bench-baselines: all races run, with output as text and as
# JSON; and the messages for wrong arguments.
. "$srcdir/tests/cli/lib.sh"

run 0 "bench" bench --time 0
shows '^kernel '
shows '^exp, 1024 doubles .* C library .*x$'
shows '^certify, .* first-difference .* ball .*x$'
"$builddir/bench/bench-baselines" --time 0 --json >"$out" 2>"$err"
result $? "bench-baselines --json"
json 'o["format"] == "attest/bench" and o["version"] == 1 and len(o["races"]) == 12'
json 'all(r["seconds"] > 0 and r["baseline_seconds"] > 0 and r["ratio"] > 0 for r in o["races"])'
json 'abs(o["races"][0]["ratio"] * o["races"][0]["seconds"] / o["races"][0]["baseline_seconds"] - 1) < 1e-4'
json '[r["baseline"] for r in o["races"] if r["fast"] == "first-difference"] == ["ball"]'
run 2 "bench refuses an operand" bench data.json
run 2 "bench refuses a time that is not a number" bench --time soon
complains '^usage: '
cp "$ATTEST" "$work/attest"
"$work/attest" bench >"$out" 2>"$err"
[ $? -eq 2 ] && grep -q '^attest: bench is no longer a command: run bench/bench-baselines' "$err"
result $? "a message where bench/bench-baselines does not exist"
finish
