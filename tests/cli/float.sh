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
finish
