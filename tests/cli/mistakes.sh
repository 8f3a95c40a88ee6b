#!/bin/sh
# Typical mistakes: each answer is one line that names the remedy.
. "$srcdir/tests/cli/lib.sh"

cd "$work" || exit 1
echo '{}' >empty.json
echo '[1, 2' >cut.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[["1", "0"]], [["2", "x"]]]}' >word.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 0], [2, 1]]]}' >data.json
printf '{"format": "attest/weights", "version": 1, "activation": "softmax", "heads": []}' >headless.json
mkdir directory
: >nothing.json
echo 'hello' >text.txt
echo "{'format': 'attest/dataset'}" >single.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 2],]]}' >comma.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1.5, "2,5"]]]}' >locale.json
echo '{"format": "attest/dataset", "version": 2, "sequences": [[[1]]]}' >later.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[1, 2]]}' >flat.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 2], [3]]]}' >ragged.json
echo '[[[1, 2]]]' >bare.json
weights() { # weights ACTIVATION WO
    printf '{"format": "attest/weights", "version": 1, "activation": "%s", "heads": [{"WQ": [[1, 0]], "WK": [[1, 0]], "WV": [[1, 0]]%s}]}' "$1" "$2"
}
weights softmax ', "WO": [[1], [0]]' >softmax.json
weights hardmax ', "WO": [[1], [0]]' >hardmax.json
weights sofmax ', "WO": [[1], [0]]' >sofmax.json
weights softmax '' >no-output.json
weights softmax ', "WO": [[1, 0]]' >turned.json
echo '{"format": "attest/kernel-model", "version": 1, "max": {"tiles": 64}}' >tiles.json
cp "$srcdir/examples/attention.safetensors" qkv.safetensors
head -c 100 qkv.safetensors >cut.safetensors

# A mistake, and a pattern that the answer has.
while read -r line; do
    [ -n "$line" ] || continue
    remedy=${line#*| }
    # shellcheck disable=SC2086
    refused "${line%% |*}" ${line%% |*}
    complains "$remedy"
done <<'END'
certfy data.json | did you mean 'certify'\?
sepparated data.json | did you mean 'separated'\?
--versoin | did you mean '--version'\?
-v | see 'attest --help'
certify data.json --weigths w.json | did you mean '--weights'\?
eval data.json --wieghts=w.json | did you mean '--weights'\?
audit data.json --format binary32,bf61 | unknown format "bf61": expected binary64
construct data.json --strategy gapp | 'gapp' is not theorem, gap or tuned: did you mean 'gap'\?
audit data.json --softmax onlin | did you mean 'online'\?
show therem1 | did you mean 'theorem1'\?
show seperation | did you mean 'separation'\?
show required_pair | did you mean 'required-pair'\?
show kernel bf16-flsh2 | did you mean 'bf16-flash2'\?
tolerance data.json --kernel fp32any | did you mean 'fp32-any'\?
campaign lema1 | did you mean 'lemma1'\?
campaign --without colinear | did you mean 'collinear'\?
campaign lemma1 --without gab | there is gap, no-duplicates
campaign lemma1 --trials many | --trials: 'many' is not a whole number
campaign lemma1 --time 3x | is not a time such as 90, 10m or 2h
campaign lemma1 --shard 3 | is not K/N with 1 <= K <= N
eval data.json --max-memory 3X | is not a size such as 500M or 4G
certify | DATA is missing: attest certify DATA --weights W
check | CERT is missing: attest check CERT
report | DIR is missing: attest report DIR
campaign merge | DIR is missing: attest campaign merge DIR
import | MODEL is missing: attest import MODEL.safetensors
certify data.json | use --weights W
range | use --kernel MODEL
simulate data.json --kernel fp32-flash2 | use -o OUT
approximate | use --function NAME
certify empty.json --weights headless.json | "format": "attest/dataset", "version": 1 is expected here
certify data.json --weights empty.json | "format": "attest/weights", "version": 1 is expected here
certify data.json --weights data.json | "attest/weights" is expected, this is "attest/dataset"
certify cut.json --weights headless.json | line 2, column 1: the text ends too early
separated word.json | sequences\[1\]\[0\]\[1\]
separated none.json | none.json: cannot open: No such file or directory
separated directory | directory: .*
report nowhere | nowhere: cannot open the directory
dot tc:hoper fp16 1 2 | tc:volta, tc:ampere, tc:ada, tc:hopper or tc:blackwell is expected
help certfy | did you mean
certify hardmax.json --weights data.json | "attest/dataset" is expected, this is "attest/weights"
certify data.json hardmax.json | unexpected operand 'hardmax.json': attest certify DATA --weights W
certify qkv.safetensors --weights hardmax.json | it has 5 tensors; choose one with --tensor NAME
certify nothing.json --weights hardmax.json | nothing.json: line 1, column 1: there is no JSON text
certify text.txt --weights hardmax.json | unexpected character 'h': this is not JSON text
certify single.json --weights hardmax.json | strings stand in double quotes
certify comma.json --weights hardmax.json | the comma before it is one too many
certify locale.json --weights hardmax.json | a point, not a comma, begins the decimals
certify later.json --weights hardmax.json | version 1 is expected, this is version 2
certify flat.json --weights hardmax.json | sequences\[0\]\[0\]: an array is expected, this is a number
certify ragged.json --weights hardmax.json | sequences\[0\]\[1\]: the token has 1 numbers, the first one has 2
certify bare.json --weights hardmax.json | not a JSON object \(files.md
certify data.json --weights sofmax.json | "softmax" or "hardmax" is expected, this is "sofmax"
certify data.json --weights no-output.json | heads\[0\]: "WO" is missing
certify data.json --weights turned.json | heads\[0\].WO is 1x2, but 2x1 is expected
certify data.json --weights softmax.json --method exact | softmax is not rational; use ball
certify data.json --weights softmax.json --method fast | filter, exact, ball, first-difference or auto is expected
certify data.json --weights softmax.json --delta abc | is not a number \(3/7, 0.1 and 0x1.8p-3 are\)
eval data.json --weights softmax.json --number exact | softmax is not rational; use --number ball
eval data.json --weights softmax.json --number fp8 | may be float8_e4m3fn or float8_e5m2
check data.json | "attest/certificate" is expected, this is "attest/dataset"
replay softmax.json | "attest/counterexample" is expected, this is "attest/weights"
counterexample --weights softmax.json | "activation": "hardmax"
memorize data.json | the dataset has no "labels": add them in the shape of "sequences", with an array of numbers
approximate --function sum --grid 4 --dim 9 | choose other values of --dim and --length
judge qkv.safetensors qkv.safetensors --kernel fp32-any | there is no tensor 'out'; there are 'dropped', 'k', 'q', 'v', 'y'
judge qkv.safetensors qkv.safetensors:y | use --kernel MODEL
judge qkv.safetensors qkv.safetensors:y --kernel tiles.json | max.tiles: there is no such member; there is kind, tile, direction
judge qkv.safetensors qkv.safetensors:y --kernel fp32-any --causal top-left | write --causal=top-left
judge qkv.safetensors qkv.safetensors:y --kernel fp32-any --scale sqrt | is not p/q, rsqrt or none
judge qkv.safetensors qkv.safetensors:y --kernel fp32-any --window 3 | is not LEFT,RIGHT
judge cut.safetensors qkv.safetensors:y --kernel fp32-any | neither a safetensors file nor an .npz archive, or its header is cut short
judge data.json qkv.safetensors:y --kernel fp32-any | neither a safetensors file nor an .npz archive
simulate qkv.safetensors --kernel fp32-any -o o.safetensors | has no schedule and cannot be simulated; use hopper-bf16-64
tolerance qkv.safetensors --kernel fp32-any --check 1e-2 | is not ATOL,RTOL, two numbers
range qkv.safetensors --kernel fp32-any --max-error 0.1 --schemes int9 | int8:per-token
audit data.json --stage kw=bf16 | there is no stage 'kw': in, q, k, v, kv
audit data.json --gate data.json | "attest/audit" is expected, this is "attest/dataset"
heads qkv.safetensors --head 3 | there is no head 3: the layer has heads 0 to 1
import data.json --list | this is not an index of model files
import qkv.safetensors --arch gpt2 -o w.json | 'attest import FILE --list' prints all names
dot tc:volta bfloat16 text.txt text.txt | formats.md has a table
END

# Colour: only with --color, or on a terminal.
run 0 "no colour in a pipe" campaign lemma1 --trials 10
! grep -q "$(printf '\033')" "$out"
result $? "no colour in a pipe: no escapes"
run 0 "colour" campaign lemma1 --trials 10 --color always
grep -q "lemma1: $(printf '\033')\[32mheld" "$out"
result $? "--color always prints colour"
terminal() { # the bytes that a terminal gets
    python3 -c '
import os, pty, sys
os.environ["TERM"] = "xterm"
pieces = []
def keep(fd):
    data = os.read(fd, 65536)
    pieces.append(data)
    return data
pty.spawn(sys.argv[1:], keep, lambda fd: b"")' "$@" 2>"$err" </dev/null
}
terminal "$ATTEST" separated data.json --eps 1/2 >"$out"
grep -q "$(printf '\033')\[32mholds" "$out"
result $? "and on a terminal"
NO_COLOR=1 terminal "$ATTEST" separated data.json --eps 1/2 >"$out"
grep -q '^holds' "$out"
result $? "but not under NO_COLOR"
terminal "$ATTEST" separated data.json --eps 1/2 --color never >"$out"
grep -q '^holds' "$out"
result $? "nor with --color never"

# What to try next: for people, so on a terminal only, and not beside JSON.
terminal "$ATTEST" separated data.json >"$out"
shows "^next: 'attest construct DATA'"
COLUMNS=40 terminal "$ATTEST" separated data.json >"$out"
[ "$(sed -n '/^next:/,$p' "$out" | tr -d '\r' | awk '{ if (length > m) m = length } END { print m + 0 }')" -le 40 ] && shows '^next:'
result $? "in lines that are as wide as the terminal"
terminal "$ATTEST" separated data.json --json >"$out"
! grep -q next: "$out"
result $? "not beside JSON"
run 0 "separated" separated data.json
! grep -q next: "$out"
result $? "nor in a pipe"

# An output file never replaces an input, under any name of it.
ln -s data.json other-name.json
cp data.json untouched.json
refused "a certificate in the place of the data" certify data.json --weights softmax.json -o data.json
complains '-o data.json would replace a file that is read'
refused "by another name" certify data.json --weights softmax.json -o other-name.json
refused "in the place of the weights" certify data.json --weights softmax.json -o softmax.json
refused "outputs in the place of queries, keys and values" simulate qkv.safetensors --kernel hopper-bf16-64 -o qkv.safetensors
cmp -s data.json untouched.json
result $? "the data are unchanged"
run 0 "a record" audit data.json --weights softmax.json --formats bfloat16 --quick -o record.json
run 0 "a gate that is brought up to date" audit data.json --weights softmax.json --formats bfloat16 --quick --gate record.json -o record.json

# The glossary.
run 0 "a word" show delta
shows 'outputs of a required pair'
run 0 "the same by help" help delta
run 0 "and as JSON" show delta --json
json 'o["name"] == "delta" and o["text"] and o["see"]'
for word in $("$ATTEST" show --json | python3 -c 'import json, sys; print(*(term["name"] for term in json.load(sys.stdin)["glossary"]))'); do
    "$ATTEST" show "$word" >"$out" 2>"$err" && [ "$(awk '{ if (length > m) m = length } END { print m }' "$out")" -le 80 ]
    result $? "show $word"
done
finish
