#!/bin/sh
# attest range, and inputs that a kernel quantises: safe thresholds, witnesses, the smallest scheme, what is
# refused. What is expected is computed by tests/ref/range.py.
. "$srcdir/tests/cli/lib.sh"
need_python
ref() { python3 "$srcdir/tests/ref/range.py" "$@"; }
d=$work/range
mkdir "$d"
ref make "$d"
ln2x4=2.7725887222397812376689284858327

# model NAME EPS THRESHOLD FORMAT: P = 2^8 e^x, keys one by one from the first.
model() {
    cat >"$d/$1.json" <<EOF
{"format": "attest/kernel-model", "version": 1, "name": "$1", "exp": {"relative": "$2"}, "scale": {"where": "folded"},
 "max": {"kind": "lazy", "tile": 1, "direction": "forward", "threshold": "$3"},
 "p": {"format": "$4", "offset": 8}, "final": {"place": "after"},
 "schedules": [{"scores": "sequential", "tile": 1, "direction": "forward", "lanes": 1, "rescale": "$3",
                "constant": "folded-binary32", "divide": "after"}]}
EOF
}

for eps in 0 0x1p-8; do
    set -- $(ref threshold "$(python3 -c "print(float.fromhex('$eps'))")")
    model m$eps $eps 4 float8_e4m3fn:saturating
    run 1 "a threshold of 4, exp with error $eps" range "$d/two.safetensors" --kernel "$d/m$eps.json" --scale $ln2x4 --json
    json "abs(float.fromhex(o['threshold']['largest_safe']['mid']) - $1) < 1e-12 and abs(float.fromhex(o['threshold']['largest_safe_never_above']['mid']) - $2) < 1e-12"
    json "0 < $1 - o['threshold']['proved'] < 0.013 and o['threshold']['limit'] == 464 and o['threshold']['largest'] == 448 and o['threshold']['limit_included']"
done
# 256 e^0.594 = 463.6..., with an exp that is off by 2^-8 of it
run 3 "a weight that may be over 464, but is not in a run" range "$d/two.safetensors" --kernel "$d/m0x1p-8.json" --scale 0.594 --json
json 'o["verdict"] == "undecided" and [e["event"] for e in o["events"] if e["answer"] == "undecided"] == ["weight-overflow"]'
# 2000 additions that each may lose 2^-8: the row sum may be 0
echo '{"format": "attest/kernel-model", "version": 1, "name": "low", "sum": {"accumulate": "bfloat16"}}' >"$d/low.json"
run 0 "a sum that may vanish" tolerance "$d/many.safetensors" --kernel "$d/low.json" --json
json 'o["finite"] == 0 and o["max_bound"] is None and "uncertain" in o["reason"]'
model exact 0 4 float8_e4m3fn:saturating
run 1 "the witness" range "$d/two.safetensors" --kernel "$d/exact.json" --scale $ln2x4 --json
json 'o["verdict"] == "unsafe" and [e["witness"]["value"] for e in o["events"] if e["answer"] == "yes"] == [4096]'
json '[e["event"] for e in o["events"] if e["answer"] != "no"] == ["weight-overflow"] and o["offset"]["largest_safe"] == 4'
run 1 "for people" range "$d/two.safetensors" --kernel "$d/exact.json" --scale $ln2x4
shows '^  P up to 464 +0\.857980995'
shows '^  P up to 448 +0\.807354922'
shows '^weight-overflow +yes .*4096 at batch 0, head 0, row 0, key 1, schedule 0$'
run 0 "the output of the saturating kernel" simulate "$d/two.safetensors" --kernel "$d/exact.json" --scale $ln2x4 -o "$d/out"
python3 -c "
import struct, sys
data = open('$d/out', 'rb').read()
first = 8 + struct.unpack('<Q', data[:8])[0]
sys.exit(struct.unpack('<f', data[first:first + 4])[0] != struct.unpack('<f', struct.pack('<f', 448 / 4352))[0])"
result $? "is 448/4352"
model safe 0 0.84375 float8_e4m3fn
run 0 "a threshold below the safe one" range "$d/two.safetensors" --kernel "$d/safe.json" --scale $ln2x4 --json
json 'o["verdict"] == "safe" and all(e["answer"] == "no" for e in o["events"])'
run 0 "scores that are close: any threshold is safe" range "$d/two.safetensors" --kernel "$d/exact.json" --scale 0.5 --json
json 'o["threshold"]["any_is_safe_here"] and o["verdict"] == "safe"'
run 0 "weights that vanish" range "$d/spread.safetensors" --kernel "$d/safe.json" --scale none --json
json '[e["event"] for e in o["events"] if e["answer"] == "yes"] == ["exp-flush", "weight-vanishes"]'
json 'o["offset"]["smallest_safe"] == 279 and o["offset"]["largest_safe"] == 8'
run 1 "scores that overflow" range "$d/large.safetensors" --kernel fp32-any --scale none --json
json 'o["events"][0]["event"] == "score-overflow" and o["events"][0]["answer"] == "yes" and "seed" in o["events"][0]["witness"]'
run 0 "a shipped model" range "$d/random.safetensors" --kernel fp32-any
shows '^weight-overflow +no '

# quantised inputs
model any 0x1p-22 0 binary32
sed -i 's/"offset": 8/"offset": 0/; s/"lazy"/"online"/' "$d/any.json"
f=$d/random.safetensors
run 0 "a kernel that quantises" simulate "$f" --kernel "$d/any.json" --quantise kv=int8:per-token -o "$d/one"
shows '^quantised inputs: k int8:per-token v int8:per-token; exact values are those of the inputs as they are given$'
run 0 "the same kernel on quantised inputs" simulate "$d/quantised.safetensors" --kernel "$d/any.json" -o "$d/other"
ref same "$d/one" "$d/other"
result $? "return the same bits"
run 0 "its output is one of its own" judge "$f" --kernel "$d/any.json" --quantise kv=int8:per-token "$d/one"
run 1 "and no output of the kernel that does not quantise" judge "$f" --kernel "$d/any.json" "$d/one"
run 0 "exact values of the quantised inputs" tolerance "$f" --kernel "$d/any.json" --quantise kv=int8:per-token,exact=quantised --json
json 'o["max_bound"] < 1e-5 and o["model"]["quantise"] == {"q": None, "k": "int8:per-token", "v": "int8:per-token", "p": None, "exact": "quantised", "descale": "inputs"}'
run 0 "of the given ones" tolerance "$f" --kernel "$d/any.json" --quantise kv=int8:per-token --json
json 'o["max_bound"] > 1e-3'
run 0 "the smallest scheme" range "$f" --kernel "$d/any.json" --max-error 0.02 --json
json 'len(o["schemes"]["heads"]) == 1 and o["schemes"]["heads"][0]["relative_error"] <= 0.02 and o["schemes"]["heads"][0]["pairs_apart"] == 66'
best=$(python3 -c "import json; print(json.load(open('$out'))['schemes']['heads'][0]['scheme'])")
run 0 "in that scheme, $best" simulate "$f" --kernel "$d/any.json" --quantise kv=$best -o "$d/best"
ref within "$d/best" "$f" 0.02
result $? "outputs are within the proved error"
run 0 "another list" range "$f" --kernel "$d/any.json" --max-error 0.02 --schemes mxfp4:mx,q4_0
shows 'none of those tried'
# scores of the first row that doubles do not know, then a row that is known
python3 - "$d/unknown.safetensors" <<'END'
import json, struct, sys
values = {"q": [1e30] * 32 + [0.01] * 32, "k": [i * 37 % 64 / 32 - 1 for i in range(128)], "v": [i * 29 % 64 / 32 + 1 for i in range(128)]}
head, data = {}, b""
for name, x in values.items():
    head[name] = {"dtype": "F32", "shape": [len(x) // 32, 32], "data_offsets": [len(data), len(data) + 4 * len(x)]}
    data += struct.pack("<%df" % len(x), *x)
text = json.dumps(head).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data)
END
run 1 "a row whose exact values are not known" range "$d/unknown.safetensors" --kernel fp32-any --max-error 0.5 --json
json 'o["schemes"]["heads"][0]["scheme"] is None'
sed 's/"exp"/"quantise": {"k": "q8_0", "exact": "quantised"}, "exp"/' "$d/any.json" >"$d/member.json"
run 0 "as a member of the model" tolerance "$f" --kernel "$d/member.json"
shows '^quantised inputs: k q8_0; exact values are those of the quantised inputs$'

python3 - "$d" <<'END'
import json, struct, sys
head, data = {}, b""
for name, x in {"q": [1] * 3 + [float("nan")], "k": [1] * 4, "v": [1] * 4}.items():
    head[name] = {"dtype": "F32", "shape": [2, 2, 1], "data_offsets": [len(data), len(data) + 16]}
    data += struct.pack("<4f", *x)
text = json.dumps(head).encode()
open(sys.argv[1] + "/nan.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
END
for jobs in 1 2; do
    refused "a head that has no numbers, $jobs processes" range "$d/nan.safetensors" --kernel fp32-any --jobs $jobs
    complains 'q\[0\]\[1\]\[1\]\[0\] is not finite'
done
sed 's/"lanes": 1/"lanes": 300/; s/"tile": 1/"tile": 512/g' "$d/any.json" >"$d/lanes.json"
for jobs in 1 2; do
    refused "a schedule that is not simulated, $jobs processes" range "$f" --kernel "$d/lanes.json" --jobs $jobs
    complains '300 lanes are not simulated'
done
python3 - "$d" <<'END'
import json, struct, sys
head, data = {}, b""
for name in "qkv":
    x = [1.0] * 24
    if name == "k":
        x[((1 * 2 + 0) * 3 + 2) * 2 + 1] = 1000
    head[name] = {"dtype": "F32", "shape": [2, 2, 3, 2], "data_offsets": [len(data), len(data) + 96]}
    data += struct.pack("<24f", *x)
text = json.dumps(head).encode()
open(sys.argv[1] + "/beyond.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
END
refused "quantised to a format whose numbers the kernel cannot read" tolerance "$d/beyond.safetensors" --kernel fp8-flash3-hopper \
    --quantise q=e4m3:scale=1,v=e4m3:scale=1,k=e4m3:scale=4
complains 'k\[1\]\[0\]\[2\]\[1\], quantised by e4m3:scale=4, is not a number of float8_e4m3fn'
refused "no such scheme" range "$f" --kernel fp32-any --quantise k=int9
refused "a vague scheme" range "$f" --kernel fp32-any --quantise k=mxfp4
refused "no such stage" range "$f" --kernel fp32-any --quantise o=q8_0
refused "quantised weights without a format" tolerance "$f" --kernel fp32-any --quantise p=q8_0
complains 'p\.format is null'
refused "the range of quantised weights" range "$f" --kernel bf16-flash2 --quantise p=q8_0
refused "weights by a scale of all rows" tolerance "$f" --kernel bf16-flash2 --quantise p=int8:per-head
complains 'quantise\.p: int8:per-head: weights are quantised row by row'
sed 's/"exp"/"quantise": {"p": "q8_0"}, "exp"/' "$d/any.json" >"$d/weights.json"
run 0 "quantised weights" simulate "$f" --kernel "$d/weights.json" -o "$d/weights"
run 0 "are returned by their kernel" judge "$f" --kernel "$d/weights.json" "$d/weights"
run 1 "and by no other" judge "$f" --kernel "$d/any.json" "$d/weights"
run 0 "in plain words" tolerance "$f" --kernel "$d/weights.json" --json
json 'o["model"]["quantise"]["p"] == "q8_0" and o["finite"] == o["elements"]'
refused "their range" range "$f" --kernel "$d/weights.json"
for jobs in 1 3; do
    "$ATTEST" range "$d/random.safetensors" --kernel fp8-flash3-hopper --quantise q=e4m3:scale=1,kv=e4m3:scale=1 --jobs $jobs --json >"$d/jobs$jobs" 2>&1
done
cmp -s "$d/jobs1" "$d/jobs3"
result $? "the same with three processes"
refused "no scheme" range "$f" --kernel fp32-any --quantise kv
refused "nothing" range "$f" --kernel fp32-any --quantise exact=inputs
refused "schemes without an error" range "$f" --kernel fp32-any --schemes q8_0
refused "no such scheme in the list" range "$f" --kernel fp32-any --max-error 0.1 --schemes q9
refused "a negative error" range "$f" --kernel fp32-any --max-error -1
refused "no model" range "$f"
refused "no file" range "$d/nothing.safetensors" --kernel fp32-any
sed 's/"exp"/"quantise": {"x": "q8_0"}, "exp"/' "$d/any.json" >"$d/bad.json"
refused "a member that is no input" range "$f" --kernel "$d/bad.json"
for bad in '"polynomial": [1, 1]' '"polynomial": [1, "0x1.6p-1"]' '"polynomial": [1, -1]' '"polynomial": "x"' '"emulated": -1' \
    '"quotient": "x"' '"polynomial": [1, 0.1, 0, 0, 0, 0, 0, 0, 0]'; do
    sed "s/\"divide\"/$bad, \"divide\"/" "$d/any.json" >"$d/bad.json"
    refused "$bad" range "$f" --kernel "$d/bad.json"
done
sed 's/"final"/"pv": {"promote": 8}, "final"/' "$d/any.json" >"$d/bad.json"
refused "a promoted sum without a matrix unit" range "$f" --kernel "$d/bad.json"

mkdir "$d/records"
run 1 "a record" range "$d/two.safetensors" --kernel "$d/exact.json" --scale $ln2x4 -o "$d/records/unsafe.json"
run 0 "with schemes" range "$f" --kernel "$d/any.json" --max-error 0.02 -o "$d/records/schemes.json"
run 0 "a page of them" report "$d/records" -o "$d/page.html"
python3 - "$d" <<'PAGE'
import json, sys, xml.etree.ElementTree as tree
page = tree.parse(sys.argv[1] + "/page.html")
tables = {t.findtext("caption"): [["".join(c.itertext()) for c in row] for row in t.find("tbody")] for t in page.iter("table")}
schemes = json.load(open(sys.argv[1] + "/records/schemes.json"))["schemes"]["heads"]
ranges, events = {r[0]: r for r in tables["Ranges"]}, {r[0]: r for r in tables["Events of \u2018unsafe\u2019"]}
ok = ("unsafe" in ranges["unsafe"][1] and ranges["unsafe"][4:6] == ["464", "4"] and "safe" in ranges["schemes"][1] and
      "yes" in events["weight-overflow"][1] and events["weight-overflow"][3:] == ["4096", "layer 0, batch 0, head 0, row 0, key 1"] and
      "no" in events["sum-overflow"][1] and [r[3] for r in tables["The smallest scheme of every head"]] == [h["scheme"] for h in schemes])
sys.exit(not ok)
PAGE
result $? "has the answers, the witness and the schemes"
run 0 "as tests" report "$d/records" --tap
shows '^not ok [12] - unsafe.json: range unsafe'
finish
