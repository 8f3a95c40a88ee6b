#!/bin/sh
# attest audit --stage, --kernel: with projections that are the identity, the layer is its attention, so that
# attest simulate on the tokens as queries, keys and values returns what is audited.
. "$srcdir/tests/cli/lib.sh"
need_python
d=$work/stage
mkdir "$d"
python3 - "$d" <<'EOF'
import json, random, struct, sys
directory, dim, n = sys.argv[1], 16, 12
generator = random.Random(3)
tokens = [[generator.randrange(-64, 65) / 32 for _ in range(dim)] for _ in range(n)]
one = [[int(i == j) for j in range(dim)] for i in range(dim)]
json.dump({"format": "attest/dataset", "version": 1, "sequences": [tokens]}, open(directory + "/data.json", "w"))
for name in "softmax", "hardmax":
    json.dump({"format": "attest/weights", "version": 1, "activation": name, "skip": False,
               "heads": [{"WQ": one, "WK": one, "WV": one, "WO": one}]}, open(directory + "/" + name + ".json", "w"))
flat = [x for t in tokens for x in t]
piece = struct.pack("<%df" % len(flat), *flat)
header = {c: {"dtype": "F32", "shape": [n, dim], "data_offsets": [i * len(piece), (i + 1) * len(piece)]} for i, c in enumerate("qkv")}
text = json.dumps(header).encode()
open(directory + "/qkv.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + 3 * piece)
EOF
audit() { code=$1; shift; what=$1; shift; run "$code" "$what" audit "$d/data.json" --weights "$d/softmax.json" --quick --formats binary32 "$@"; }

# compared ARGUMENT...: the audit's separation and error are those of what simulate returns.
compared() {
    "$ATTEST" simulate "$d/qkv.safetensors" --scale none -o "$d/out" "$@" >/dev/null 2>"$err" && python3 - "$out" "$d" <<'EOF'
import json, math, struct, sys
n, dim = 12, 16
found = json.load(open(sys.argv[1]))["kernel_model"]["results"][0]
data = open(sys.argv[2] + "/out", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
entry = json.loads(data[8:8 + size])["out"]
piece = data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
if entry["dtype"] == "BF16":
    values = [struct.unpack("<f", b"\0\0" + piece[i:i + 2])[0] for i in range(0, len(piece), 2)]
else:
    values = struct.unpack("<%df" % (len(piece) // 4), piece)
rows = [values[i:i + dim] for i in range(0, n * dim, dim)]
tokens = json.load(open(sys.argv[2] + "/data.json"))["sequences"][0]
worst = 0
for i in range(n):
    s = [math.fsum(a * b for a, b in zip(tokens[i], tokens[j])) for j in range(n)]
    w = [math.exp(x - max(s)) for x in s]
    exact = [math.fsum(w[j] * tokens[j][c] for j in range(n)) / math.fsum(w) for c in range(dim)]
    worst = max(worst, math.dist(exact, rows[i]) / math.hypot(*exact))
apart = min(math.dist(rows[i], rows[j]) for i in range(n) for j in range(i))
ok = (abs(found["relative_error"]["max"] - worst) <= 1e-5 * worst + 1e-12 and
      abs(float.fromhex(found["min_separation"]["mid"]) - apart) <= 1e-9)
sys.exit(0 if ok else print("#", found["relative_error"], worst, apart) or 1)
EOF
    result $? "what is audited is what simulate returns: $*"
}

audit 0 "a shipped kernel" --kernel hopper-bf16-64 --json
json 'o["kernel_model"]["results"][0]["name"] == "bfloat16" and o["kernel_model"]["model"]["name"] == "hopper-bf16-64" and len(o["formats"]) == 1'
compared --kernel hopper-bf16-64
# Sequences do not see each other: of two, the errors are those of each.
python3 - "$d" <<'EOF'
import json, sys
data = json.load(open(sys.argv[1] + "/data.json"))
tokens = data["sequences"][0]
for name, sequences in ("first", [tokens[:7]]), ("second", [tokens[7:]]), ("both", [tokens[:7], tokens[7:]]):
    json.dump(data | {"sequences": sequences}, open(sys.argv[1] + "/" + name + ".json", "w"))
EOF
for name in first second both; do
    run 0 "sequences: $name" audit "$d/$name.json" --weights "$d/softmax.json" --quick --formats binary32 --kernel hopper-bf16-64 -o "$d/$name-record.json"
done
python3 - "$d" <<'EOF'
import json, sys
first, second, both = (json.load(open(sys.argv[1] + "/" + name + "-record.json"))["kernel_model"]["results"][0]["relative_error"]
                       for name in ("first", "second", "both"))
sys.exit(not (both["max"] == max(first["max"], second["max"]) and abs(both["mean"] * 12 - first["mean"] * 7 - second["mean"] * 5) < 1e-9))
EOF
result $? "the errors of two sequences are those of each"
audit 0 "formats per stage" --stage kv=e4m3fn:per-head,score=tc:hopper,softmax=binary32,p=bfloat16,pv=tc:hopper,out=bfloat16 --json
json 'o["kernel_model"]["model"]["quantise"]["k"] == "e4m3fn:per-head" and o["kernel_model"]["model"]["score"]["block"] == 16'
python3 -c "import json; json.dump(json.load(open('$out'))['kernel_model']['model'], open('$d/model.json', 'w'))"
compared --kernel "$d/model.json"
json 'o["kernel_model"]["results"][0]["relative_error"]["max"] > 0.01'
audit 0 "all in binary32" --stage in=binary32,out=binary32,tile=5 --json
json '0 < o["kernel_model"]["results"][0]["relative_error"]["max"] < 1e-6'
python3 -c "import json; json.dump(json.load(open('$out'))['kernel_model']['model'], open('$d/model.json', 'w'))"
compared --kernel "$d/model.json"
audit 0 "for people" --stage p=bfloat16
shows '^by the kernel stages, q, k, v and the sum of the heads rounded once$'
audit 0 "without a kernel" --json
json '"kernel_model" not in o'
audit 2 "a model without a schedule" --kernel fp32-any
complains 'has no schedule'
echo '{"format": "attest/kernel-model", "version": 1}' >"$d/unnamed.json"
audit 2 "a model without a schedule and a name" --kernel "$d/unnamed.json"
complains '^attest: --kernel: .*/unnamed.json has no schedule'
run 2 "hardmax" audit "$d/data.json" --weights "$d/hardmax.json" --quick --formats binary32 --kernel hopper-bf16-64
for list in kv score=tc:foo x=1 softmax=bfloat16 'p="' score=tc:hopper,in=binary32 tile=0 kv=int9; do
    refused "--stage $list" audit "$d/data.json" --weights "$d/softmax.json" --stage "$list"
done
refused "both" audit "$d/data.json" --weights "$d/softmax.json" --stage p=bfloat16 --kernel hopper-bf16-64
refused "no such kernel" audit "$d/data.json" --weights "$d/softmax.json" --kernel nothing

# Recorded heads: two batch entries, four heads that share two of keys; all numbers are bfloat16's.
python3 - "$d" <<'EOF'
import json, random, struct, sys
generator, header, data = random.Random(5), {}, b""
for name, shape in (("q", (2, 4, 9, 8)), ("k", (2, 2, 9, 8)), ("v", (2, 2, 9, 8)), ("mask", (2, 1, 9, 9))):
    size = shape[0] * shape[1] * shape[2] * shape[3]
    values = [generator.choice((0, 0.5, -1)) if name == "mask" else generator.randrange(-100, 101) / 32 for _ in range(size)]
    header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + 4 * size]}
    data += struct.pack("<%df" % size, *values)
text = json.dumps(header).encode()
open(sys.argv[1] + "/heads.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
EOF

# heads OPTION...: each head's error under a kernel is that of what simulate returns for the whole layer.
heads() {
    "$ATTEST" heads "$d/heads.safetensors" --all --formats binary32 --causal --mask mask --json "$@" >"$out" 2>"$err" &&
        kernel_options "$@" &&
        "$ATTEST" simulate "$d/heads.safetensors" --causal --mask mask $options -o "$d/out" >/dev/null 2>"$err" && python3 - "$out" "$d" <<'EOF'
import json, math, struct, sys
record, data = json.load(open(sys.argv[1])), {}
for file in ("heads.safetensors", "out"):
    raw = open(sys.argv[2] + "/" + file, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    for name, entry in json.loads(raw[8:8 + size]).items():
        piece = raw[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
        if entry["dtype"] == "BF16":
            data[name] = [struct.unpack("<f", b"\0\0" + piece[i:i + 2])[0] for i in range(0, len(piece), 2)]
        else:
            data[name] = struct.unpack("<%df" % (len(piece) // 4), piece)
n, dim, ok = 9, 8, len(record["heads"]) == 4
row = lambda name, heads, b, h, i: data[name][((b * heads + h) * n + i) * dim:][:dim]
for head in record["heads"]:
    errors, h = [], head["head"]
    for b in range(2):
        for i in range(n):
            q = row("q", 4, b, h, i)
            s = [math.fsum(x * y for x, y in zip(q, row("k", 2, b, h // 2, j))) / math.sqrt(dim) + data["mask"][(b * n + i) * n + j]
                 for j in range(i + 1)]
            w = [math.exp(x - max(s)) for x in s]
            exact = [math.fsum(w[j] * row("v", 2, b, h // 2, j)[c] for j in range(i + 1)) / math.fsum(w) for c in range(dim)]
            errors.append(math.dist(exact, row("out", 4, b, h, i)) / math.hypot(*exact))
    found = head["formats"][1]["relative_error"]
    ok = ok and len(head["formats"]) == 2 and head["formats"][1]["weights_error"]["max"] is None
    ok = ok and abs(found["max"] - max(errors)) <= 1e-5 * max(errors) and abs(found["mean"] - math.fsum(errors) / len(errors)) <= 1e-5 * max(errors)
sys.exit(0 if ok and found["max"] > 1e-4 else print("#", found, max(errors), math.fsum(errors) / len(errors)) or 1)
EOF
    result $? "heads: what is audited is what simulate returns: $*"
}
kernel_options() { # what simulate needs for the same kernel, in $options
    options="$*"
    if [ "$1" = --stage ]; then # the model is in the record
        python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["kernel_model"]["model"], open(sys.argv[2], "w"))' "$out" "$d/model.json"
        options="--kernel $d/model.json"
    fi
}
heads --kernel hopper-bf16-64
heads --stage kv=float8_e4m3fn:per-head,score=tc:hopper,p=bfloat16,pv=tc:hopper
heads --stage kv=int8:per-tensor,out=binary32
"$ATTEST" heads "$d/heads.safetensors" --all --causal --formats binary32 --kernel hopper-bf16-64 -o "$d/heads.json" --report "$d/heads.html" >/dev/null
grep -q 'hopper-bf16-64' "$d/heads.html"
result $? "the page names the kernel"
run 0 "a gate for kernels" heads "$d/heads.safetensors" --all --causal --formats binary32 --kernel hopper-bf16-64 --gate "$d/heads.json"
refused "a kernel without a name" simulate "$d/heads.safetensors" --kernel "$d/unnamed.json" -o "$d/o.safetensors"
complains '^attest: --kernel: .*/unnamed.json has no schedule'
refused "a kernel without a schedule" heads "$d/heads.safetensors" --all --kernel fp32-any
complains 'has no schedule'
finish
