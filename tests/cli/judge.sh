#!/bin/sh
# attest judge, tolerance, simulate: every way to hand over q, k and v, the verdicts, faults that are
# named, what is refused. The values beside which they are judged are those of qkv.py.
. "$srcdir/tests/cli/lib.sh"
need_python
qkv() { python3 "$srcdir/tests/cli/qkv.py" "$@"; }
d=$work/qkv
mkdir "$d"
qkv make "$d"
o=$d/out.safetensors
f=$d/F32.safetensors

run 0 "an output of binary32" judge "$f" "$o" --kernel fp32-any --causal
shows '^within: all 256 elements are within what a kernel of fp32-any can return$'
shows '^worst element    head [01], row [0-9]+, column [0-7]$'
shows '^    .5. product +[0-9.e-]+ .[0-9]+ %.$'
run 0 "as JSON" judge "$f" "$o" --kernel fp32-any --causal --json
json 'o["verdict"] == "within" and o["elements"] == o["within"] == 256 and o["wrong"] == o["undecided"] == 0'
json 'o["kernel"] == "fp32-any" and o["layers"] == [{"layer": 0, "q": "q", "k": "k", "v": "v"}]'
json '[(h["layer"], h["batch"], h["head"], h["verdict"], h["wrong"]) for h in o["heads"]] == [(0, 0, 0, "within", 0), (0, 0, 1, "within", 0)]'
json 'o["worst"]["ratio"] == max(h["max_ratio"] for h in o["heads"]) <= 1 and o["worst"]["lo"] <= o["worst"]["output"] <= o["worst"]["hi"]'
json 'abs(o["worst"]["output"] - float.fromhex(o["worst"]["exact"]["mid"])) <= o["worst"]["bound"]'
json 'list(o["worst"]["terms"]) == "scores scaling weights casts product row_sum division output".split()'
json 'min(o["worst"]["terms"].values()) >= 0 and 0.9 <= sum(o["worst"]["terms"].values()) / o["worst"]["bound"] <= 1.1'
json 'sum(b["count"] for b in o["histogram"]) == 256 and o["wrong_rows"] == [] and o["returned_by_faults"] == []'
for jobs in 1 2 5; do
    "$ATTEST" judge "$f" "$o" --kernel fp32-any --causal --json --jobs $jobs >"$work/jobs-$jobs" 2>"$err"
done
cmp -s "$work/jobs-1" "$work/jobs-2" && cmp -s "$work/jobs-1" "$work/jobs-5"
result $? "the result does not depend on --jobs"
cp "$o" "$work/kernel.safetensors"
refused "a record in the place of the output" judge "$f" "$work/kernel.safetensors:side" --kernel fp32-any --causal -o "$work/kernel.safetensors"
complains 'would replace a file that is read'
run 0 "heads side by side" judge "$f" "$o:side" --kernel fp32-any --causal
run 0 "the lower triangle from the first key" judge "$f" "$o" --kernel fp32-any --causal=top-left
run 0 "a window" judge "$f" "$o:window" --kernel fp32-any --window 2,1
run 0 "a window that is open to the left" judge "$f" "$o" --kernel fp32-any --window ,0
run 0 "no mask" judge "$f" "$o:everything" --kernel fp32-any --window none,-1
run 0 "a scale" judge "$f" "$o:missing-scale" --kernel fp32-any --causal --scale none
run 0 "the same as a number" judge "$f" "$o:missing-scale" --kernel fp32-any --causal --scale 2/2
run 1 "another scale" judge "$f" "$o" --kernel fp32-any --causal --scale 0.3
run 1 "a softcap" judge "$f" "$o" --kernel fp32-any --causal --softcap 1
run 0 "a softcap that is far off" judge "$f" "$o" --kernel fp32-any --causal --softcap 1e9
for mask in seen bytes added; do
    run 0 "a mask, $mask" judge "$d/extra.safetensors" "$o:none" --kernel fp32-any --mask $mask
done
run 0 "a sink that weighs nothing" judge "$d/extra.safetensors" "$o" --kernel fp32-any --causal --sink sink
run 0 "outputs in bfloat16" judge "$d/BF16.safetensors" "$o:bf16" --kernel bf16-any --causal
shows '^  bound          mostly from (casts|output); to first order:$'
run 1 "outputs that a kernel on bfloat16 has not rounded to it" judge "$d/BF16.safetensors" "$o" --kernel bf16-any --causal
shows '^[0-9]+ of them are not numbers of bfloat16, the output format of the model: a final cast is missing$'
shows '^  output  .*, not a number of the output format$'
run 1 "as JSON" judge "$d/BF16.safetensors" "$o" --kernel bf16-any --causal --json
json '0 < o["uncast"] == o["wrong"] < 256 and o["worst"]["uncast"] and o["worst"]["lo"] <= o["worst"]["output"] <= o["worst"]["hi"]'

# the same question in every file
"$ATTEST" tolerance "$f" --kernel fp32-any --causal -o "$work/bound" >"$out" 2>"$err"
qkv inside "$work/bound" causal
result $? "exact values are between lo and hi"
qkv inside "$work/bound"
[ $? -eq 1 ]
result $? "and those of another question are not"
for file in F64 F16 BF16 F8_E4M3 F8_E5M2; do
    "$ATTEST" tolerance "$d/$file.safetensors" --kernel fp32-any --causal -o "$work/other" >"$out" 2>"$err" && cmp -s "$work/bound" "$work/other"
    result $? "$file"
done
for file in stored deflated; do
    "$ATTEST" tolerance "$d/$file.npz" --kernel fp32-any --causal -o "$work/other" >"$out" 2>"$err" && cmp -s "$work/bound" "$work/other"
    result $? "$file .npz"
done
for file in le be fortran; do
    "$ATTEST" tolerance --q "$d/$file-q.npy" --k "$d/$file-k.npy" --v "$d/$file-v.npy" --kernel fp32-any --causal -o "$work/other" >"$out" 2>"$err" &&
        cmp -s "$work/bound" "$work/other"
    result $? "$file .npy"
done
run 0 "without a batch" judge "$d/flat.safetensors" "$o" --kernel fp32-any --causal
"$ATTEST" tolerance - --kernel fp32-any --causal -o - <"$f" >"$work/other" 2>"$err" && cmp -s "$work/bound" "$work/other"
result $? "standard input and output"

# what is wrong, and where
for fault in dropped-tile mask-off-by-one swapped-heads missing-scale exp2-without-log2e zeros; do
    run 1 "$fault" judge "$f" "$o:$fault" --kernel fp32-any --causal --json
    json "o['verdict'] == 'wrong' and o['returned_by_faults'] == ['$fault'] and o['worst']['verdict'] == 'wrong'"
done
run 1 "a dropped tile" judge "$f" "$o:dropped-tile" --kernel fp32-any --causal --json
json '[(r["head"], r["rows"], r["columns"]) for r in o["wrong_rows"]] == [(0, [8, 15], [0, 7]), (1, [8, 15], [0, 7])]'
run 1 "in words" judge "$f" "$o:dropped-tile" --kernel fp32-any --causal
shows '^proved wrong: [0-9]+ of 256 elements are outside what any kernel of fp32-any can return$'
shows '^  the rows with wrong elements are exactly the rows from 8 on of all heads|^  wrong are exactly the rows from 8 on of all heads, all columns$'
shows '^within if the last tile of 8 keys is left out .dropped-tile.$'
run 1 "NaN" judge "$f" "$o:nan" --kernel fp32-any --causal --json
json 'o["wrong"] == 1 and o["worst"]["output"] == "nan" and o["worst"]["ratio"] == "inf" and (o["worst"]["head"], o["worst"]["row"], o["worst"]["column"]) == (0, 9, 5)'
run 1 "infinity" judge "$f" "$o:inf" --kernel fp32-any --causal
run 3 "scores that overflow" judge "$d/extra.safetensors" --q huge "$o" --kernel fp32-any --causal --json
json 'o["verdict"] == "undecided" and o["undecided"] > 0 and o["wrong"] == 0 and o["reason"]'
for output in zero nan; do
    for asked in zero nan; do
        [ $output = $asked ]
        run $? "an empty row is $output, $asked is asked for" judge "$d/extra.safetensors" --mask holes "$o:$output-row" --kernel fp32-any --empty-row $asked
        [ $output = $asked ] || shows "^  must be        $(echo $asked | sed s/zero/0/), the only value that such a kernel can return here\$"
    done
done

# a model whose bounds also contain the results of rounded inputs
python3 - "$work/thirds.safetensors" <<'THIRDS'
import json, struct, sys
q, k, v = ([[sign * (i + 1) / (3 * c + 7) for c in range(4)] for i in range(n)] for n, sign in ((2, 1), (6, 1), (6, -1)))
tensors = {"q": q, "k": k, "v": v, "out": [[sum(row[c] for row in v) / 6 for c in range(4)] for _ in q]}
head, data = {}, b""
for name, rows in tensors.items():
    part = b"".join(struct.pack("<4f", *row) for row in rows)
    head[name] = {"dtype": "F32", "shape": [len(rows), 4], "data_offsets": [len(data), len(data) + len(part)]}
    data += part
head = json.dumps(head).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(head)) + head + data)
THIRDS
echo '{"format": "attest/kernel-model", "version": 1, "exp": {"relative": "0x1p-4"}}' >"$work/loose.json"
run 0 "bounds that contain the results of tfloat32" judge "$work/thirds.safetensors" "$work/thirds.safetensors" --scale 1/64 --kernel "$work/loose.json"
shows '^this model cannot tell TF32 from binary32 here: its bounds also contain the exact results$'
run 0 "as JSON" judge "$work/thirds.safetensors" "$work/thirds.safetensors" --scale 1/64 --kernel "$work/loose.json" --json
json 'o["cannot_distinguish"] == ["tfloat32"]'
run 0 "bounds that do not, as rounding changes nothing" judge "$f" "$o" --kernel fp32-any --causal --json
json 'o["cannot_distinguish"] == []'

# two outputs
run 0 "the same output again" judge "$f" "$o" --against "$o" --kernel fp32-any --causal --json
json 'o["difference"]["differ"] == 0 and o["against"]["verdict"] == "within"'
run 0 "one in the last place" judge "$f" "$o" --against "$o:ulp" --kernel fp32-any --causal --json
json 'o["difference"]["differ"] == 1 and o["difference"]["beyond"] == 0 and 0 < o["difference"]["max_ratio"] <= 1 and o["difference"]["column"] == 5'
run 1 "against a fault" judge "$f" "$o" --against "$o:swapped-heads" --kernel fp32-any --causal --json
json 'o["verdict"] == "within" and o["against"]["verdict"] == "wrong" and o["difference"]["beyond"] > 0 and float(o["difference"]["max_ratio"]) > 1'
run 1 "in words" judge "$f" "$o" --against "$o:swapped-heads" --kernel fp32-any --causal
shows 'by more than two kernels of the model can: one of them is wrong$'

# layers
l="$d/layers.safetensors --q l.{}.q --k l.{}.k --v l.{}.v"
run 0 "two layers" judge $l "$d/layers-out.safetensors" --kernel fp32-any --causal --json
json 'o["elements"] == 512 and [x["layer"] for x in o["layers"]] == [0, 3] and o["layers"][1]["k"] == "l.3.k" and [h["layer"] for h in o["heads"]] == [0, 0, 3, 3]'
"$ATTEST" tolerance $l --kernel fp32-any --causal -o "$work/layers" >"$out" 2>"$err"
python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import qkv; x = qkv.read(sys.argv[2] + "/../layers"); sys.exit(sorted(x) != sorted("layers.%d.%s" % (i, n) for i in (0, 3) for n in ("bound", "lo", "hi")))' "$srcdir/tests/cli" "$d"
result $? "and their bounds"
refused "a layer without v" judge $l --v 'l.{}.w' "$o" --kernel fp32-any
refused "a layer whose number has a zero before it" tolerance "$d/padded.safetensors" --q l.{}.q --k l.{}.k --v l.{}.v --kernel fp32-any
complains "padded.safetensors: tensor 'l.00.[kqv]': the number of a layer has at most 9 digits and no leading zeros"
refused "one output for two layers" judge $l "$o:out" --kernel fp32-any
complains 'out.safetensors: .out. is one tensor, but there are many layers'

# a tolerance that somebody guessed
run 0 "exact values that are not known" tolerance "$f" --kernel fp32-any --scale 1e300 --check 100,0 --json
json 'o["finite"] == 0 and o["given"]["refuses"] == [] and "zeros" in o["given"]["undecided"] and o["given"]["refuses_correct"] is None'
run 0 "wide" tolerance "$f" --kernel fp32-any --causal --check 100,0 --json
json 'o["given"]["accepts"] == ["zeros", "dropped-tile", "mask-off-by-one", "swapped-heads", "missing-scale", "exp2-without-log2e", "truncated-output", "tf32-inputs", "p-in-bfloat16", "approximate-exp"]'
json 'o["given"]["refuses_correct"] is False and o["given"]["atol"] == "100" and o["given"]["rtol"] == "0" and o["finite"] == o["elements"] == 256'
json '0 < o["median_bound"] <= o["max_bound"] < 1e-4 and len(o["heads"]) == 2 and o["max_bound"] == max(h["max_bound"] for h in o["heads"])'
run 0 "narrow" tolerance "$f" --kernel fp32-any --causal --check 1e-3,1e-3 --json
json 'o["given"]["accepts"] == ["truncated-output"] and len(o["given"]["refuses"]) == 6 and len(o["given"]["undecided"]) == 3 and o["given"]["refuses_correct"] is False'
json 'all(abs(x["element"]["output"] - float.fromhex(x["element"]["exact"]["mid"])) > x["element"]["allowed"] for x in o["given"]["faults"] if x["answer"] == "refuses")'
run 0 "too narrow" tolerance "$f" --kernel fp32-any --causal --check 1e-30,0
shows 'exp2-without-log2e   refused at head'
shows '^a correct kernel fails it: one that was drawn with seed [0-9]+, at head'
run 0 "as JSON" tolerance "$f" --kernel fp32-any --causal --check 1e-30,0 --json
json 'o["given"]["refuses_correct"] is True and o["given"]["schedule"] is None and o["given"]["drawn"]["seed"] >= 0 and o["model"]["format"] == "attest/kernel-model"'
json 'abs(o["given"]["correct"]["output"] - float.fromhex(o["given"]["correct"]["exact"]["mid"])) > 1e-30'
bound=$(python3 -c 'import json, sys; print(0.9 * json.load(open(sys.argv[1]))["max_bound"])' "$out")
run 0 "a little below the bound" tolerance "$f" --kernel fp32-any --causal --check "$bound,0" --json
json 'o["given"]["refuses_correct"] is None and o["given"]["reason"].startswith("not decided: ") and o["given"]["correct"]["bound"] > o["given"]["correct"]["allowed"]'
run 0 "without a mask there is none to move" tolerance "$f" --kernel fp32-any --check 1,0 --json
json '"mask-off-by-one" not in [x["name"] for x in o["given"]["faults"]]'
run 0 "a scale of 1 that is missing changes nothing" tolerance "$f" --kernel fp32-any --causal --scale none --check 1,0 --json
json 'o["given"]["without_effect"] == ["missing-scale"] and "element" not in [x for x in o["given"]["faults"] if x["name"] == "missing-scale"][0]'
run 0 "and in words" tolerance "$f" --kernel fp32-any --causal --scale none --check 1,0
shows '^  missing-scale +without effect$'

# schedules: concrete kernels
b=$d/BF16.safetensors
run 0 "a kernel is simulated" simulate "$b" --kernel hopper-bf16-64 --causal -o "$work/kernel"
run 0 "and is within its own model" judge "$b" "$work/kernel" --kernel hopper-bf16-64 --causal --json
json 'o["schedules"] == 1'
run 0 "a tolerance that it fails" tolerance "$b" --kernel hopper-bf16-64 --causal --check 1e-30,0 --json
json 'o["given"]["refuses_correct"] is True and o["given"]["schedule"] == 0 and abs(o["given"]["correct"]["output"] - float.fromhex(o["given"]["correct"]["exact"]["mid"])) > 1e-30'
cat >"$work/two.json" <<'END'
{"format": "attest/kernel-model", "version": 1, "name": "two",
 "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
 "p": {"format": "bfloat16"}, "max": {"kind": "online"},
 "schedules": [{"scores": "sequential", "pv": "forward", "tile": 4, "direction": "forward", "lanes": 1, "rescale": 0, "constant": "folded-binary32", "divide": "after"},
               {"scores": "reversed", "pv": "backward", "tile": 2, "direction": "backward", "lanes": 1, "rescale": 0, "constant": "separate", "divide": "after"}]}
END
run 0 "the first of two" simulate "$b" --kernel "$work/two.json" --causal -o "$work/first"
run 0 "the second" simulate "$b" --kernel "$work/two.json" --causal --schedule 1 -o "$work/second"
run 0 "the second is one of them" judge "$b" "$work/second" --kernel "$work/two.json" --causal --json
json 'o["nearest_schedules"] == [{"layer": 0, "schedule": 1, "explains": True}]'
qkv mix "$work/first" "$work/second" "$work/mixed"
result $? "rows of both"
run 1 "are of neither" judge "$b" "$work/mixed" --kernel "$work/two.json" --causal --json
json 'o["nearest_schedules"][0]["explains"] is False and o["wrong"] > 0 and all(r["rows"][0] == r["rows"][1] for r in o["wrong_rows"])'
refused "no such schedule" simulate "$b" --kernel "$work/two.json" --schedule 2 -o "$work/third"
[ ! -e "$work/third" ]
result $? "and no file"
refused "no schedule at all" simulate "$f" --kernel fp32-any -o "$work/third"

# what is refused
refused "no kernel" judge "$f" "$o"
complains 'use --kernel MODEL'
refused "no output" judge "$f" --kernel fp32-any
refused "nothing to judge" judge "$o" --kernel fp32-any
refused "two of three .npy files" judge --q "$d/le-q.npy" --k "$d/le-k.npy" "$o" --kernel fp32-any
refused "an .npy file for all" judge "$d/le-q.npy" "$o" --kernel fp32-any
refused "no such kernel" judge "$f" "$o" --kernel nonsense
echo '{"format": "attest/kernel-model", "version": 1, "nonsense": 1}' >"$work/bad.json"
refused "a model with an unknown member" judge "$f" "$o" --kernel "$work/bad.json"
refused "no such file" judge "$work/none" "$o" --kernel fp32-any
refused "no such output" judge "$f" "$work/none" --kernel fp32-any
refused "no such tensor" judge "$f" "$o:nothing" --kernel fp32-any
complains "out.safetensors: there is no tensor 'nothing'"
refused "no queries of that name" judge "$f" --q nothing "$o" --kernel fp32-any
e=$d/extra.safetensors
refused "NaN in q" judge "$e" --q bad "$o" --kernel fp32-any
complains 'extra.safetensors: .*q\[0\]\[0\]\[5\]\[0\]'
refused "a value that binary32 does not have" judge "$e" --q wide "$o" --kernel fp32-any
complains 'extra.safetensors: .*q'
refused "keys that are not as many as values" judge "$e" --k short "$o" --kernel fp32-any
complains 'extra.safetensors: k has 2 heads of 8 tokens and v has 2 of 16'
refused "heads that do not divide" judge "$e" --k three --v three "$o" --kernel fp32-any
refused "a mask of another shape" judge "$e" --mask short "$o" --kernel fp32-any
refused "truth values for a sink" judge "$e" --sink seen "$o" --kernel fp32-any
refused "an output of another shape" judge "$e" "$e:three" --kernel fp32-any
complains 'extra.safetensors: three: shape \(1, 3, 1, 8\) does not fit q and v'
refused "truth values for an output" judge "$e" "$e:seen" --kernel fp32-any
for option in "--causal=sideways" "--window 3" "--window x,1" "--window 1,-2" "--scale 0" "--scale -1" "--scale x" \
    "--scale 1e-400" "--scale 1e400" "--softcap 1e-400" "--softcap 1e400" "--softcap 0" "--softcap nan" "--empty-row one" "--jobs 0" "--mask nothing"; do
    refused "$option" judge "$f" "$o" --kernel fp32-any $option
done
for given in 1 1, ,1 -1,0 1,-1 1,nan x,y; do
    refused "--check $given" tolerance "$f" --kernel fp32-any "--check=$given"
done
refused "standard input twice" judge - "$o" --kernel -
refused "standard output twice" tolerance "$f" --kernel fp32-any --json -o -
refused "no file for a simulation" simulate "$f" --kernel fp32-any
refused "more than memory" judge "$f" "$o" --kernel fp32-any --max-memory 2K
complains 'F32.safetensors: .*--max-memory raises the limit'
refused "results that are more than memory" judge "$f" "$o" --kernel fp32-any --max-memory 40K
complains 'F32.safetensors: .*--max-memory raises the limit'

# outputs of a network
if [ -e "${ATTEST_DATA:-none}/gpt-nano-sort/partials.safetensors" ]; then
    p=$ATTEST_DATA/gpt-nano-sort/partials.safetensors
    run 0 "a trained network" judge "$p" "$p:y" --kernel fp32-any --causal --json
    json 'o["within"] == 1584'
    run 1 "and without its mask" judge "$p" "$p:y" --kernel fp32-any
else
    echo "# ATTEST_DATA is not set: recorded outputs are not judged"
fi
cat >"$work/shallow.json" <<'EOF'
{"format": "attest/kernel-model", "version": 1, "score": {"depth": 1}}
EOF
run 2 "a depth that no sum of scores has" judge "$f" "$o" --kernel "$work/shallow.json" --causal
complains 'no kernel adds [0-9]+ products within a depth of 1: score.depth$'

finish
