#!/bin/sh
# attest audit on a trained head at d = 48: the relative errors, and the order of formats by them.
. "$srcdir/tests/cli/lib.sh"
[ -f "$ATTEST_DATA/gpt-nano-sort/partials.safetensors" ] || {
    echo '1..0 # SKIP ATTEST_DATA names no directory with gpt-nano-sort'
    exit
}
oracle="$(cd "$srcdir" && pwd)/tests/ref/audit_real.py"
data=$(cd "$ATTEST_DATA" && pwd)/gpt-nano-sort
cd "$work" || exit 1
for head in 0 1 2; do
    python3 "$oracle" make "$data" data.json head.json $head
    run 0 "head $head of block 0" audit data.json --weights head.json --quick --sweep 1..8 \
        --formats binary32,bfloat16,binary16,float8_e4m3fn,float8_e5m2 --json -o real.json
    python3 "$oracle" compare data.json head.json real.json
    result $? "head $head: the errors and their order are those of another computation"
done
finish
