#!/bin/sh
# attest bench: every race is run, and nothing but measurements depends on the machine.
. "$srcdir/tests/cli/lib.sh"

run 0 "bench" bench --time 0
shows '^kernel '
shows '^exp, 1024 doubles .* C library .*x$'
shows '^certify, .* first-difference .* ball .*x$'
run 0 "bench --json" bench --time 0 --json
json 'len(o["races"]) == 12'
json 'all(r["seconds"] > 0 and r["baseline_seconds"] > 0 and r["ratio"] > 0 for r in o["races"])'
json 'abs(o["races"][0]["ratio"] * o["races"][0]["seconds"] / o["races"][0]["baseline_seconds"] - 1) < 1e-4'
json '[r["baseline"] for r in o["races"] if r["fast"] == "first-difference"] == ["ball"]'
refused "an operand" bench data.json
refused "a time that is none" bench --time soon
finish
