#!/bin/sh
# The trained example: what its page says besides what it shows, which tests/cli/examples.sh runs.
. "$srcdir/tests/cli/lib.sh"
here=$PWD
cd "$srcdir" && srcdir=$PWD && cd "$here" || exit 1
cp "$srcdir/examples/devil/model.safetensors" "$srcdir/examples/devil/page.safetensors" "$work" && cd "$work" || exit 1
run 0 "hardmax" import model.safetensors --arch gpt2 --heads 4 --scale rsqrt --residual layers.0.x --activation hardmax -o hardmax.json

# The sentences that the page ends with.
run 0 "all heads" audit --qkv page.safetensors --q 'layers.{}.q' --k 'layers.{}.k' --v 'layers.{}.v' --causal --all --formats binary32,bfloat16,float8_e4m3fn -o heads.json
tail -n 3 "$out" >said
sed -n 's/^    \(binary32\|bfloat16\|float8_e4m3fn\): /\1: /p' "$srcdir/examples/devil/README.md" | cmp -s - said
result $? "its conclusions"

# The picture of the README.
mkdir records && mv heads.json records
run 0 "the report" report records --svg pictures
cmp pictures/heads-1-2.svg "$srcdir/doc/heads.svg" >"$out" 2>&1
result $? "doc/heads.svg is the map of bfloat16"

# What hardmax confuses, by exact evaluation: equal fractions, while the texts differ.
run 0 "hardmax, evaluated" eval page.safetensors --tensor ln1 --weights hardmax.json --json
json 'o["outputs"][0][14] == o["outputs"][3][14] and o["outputs"][0][13] != o["outputs"][3][13]'
python3 - page.safetensors <<'TEXT'
import json, struct, sys
with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
text = header["__metadata__"]["text"]
window = [text[32 * i:32 * i + 32] for i in range(16)]
ok = window[0][:15] == "LOGIC, n.  The " and window[3][:15] == "acities of the "
ok = ok and window[2][:26].endswith("the limitations and") and window[6][:26].endswith("premise and")
ok = ok and header["__metadata__"]["loss"] == "1.699 on the text, 1.933 on the page"
sys.exit(not ok)
TEXT
result $? "the places are those texts"
finish
