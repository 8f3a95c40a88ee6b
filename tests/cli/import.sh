#!/bin/sh
# attest import: a head of the example's model, evaluated, is what plain Python computes from the
# tensors; every way to say it wrongly is refused.
. "$srcdir/tests/cli/lib.sh"

python3 "$srcdir/examples/make-model.py" --directory "$work" >"$out" 2>"$err"
result $? "the example makes a model"
model=$work/model.safetensors
set_qkv="--fused-qkv h.0.attn.c_attn.weight --bias-qkv h.0.attn.c_attn.bias --transpose"
set_o="--o h.0.attn.c_proj.weight --bias-o h.0.attn.c_proj.bias"

# Causal attention of head 1 of 2 in doubles, straight from the files.
cat >"$work/reference.py" <<'END'
import json, math, struct, sys
from fractions import Fraction

def load(path):
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    tensors = {}
    for name, t in json.loads(raw[8:8 + size]).items():
        begin, end = (8 + size + o for o in t["data_offsets"])
        tensors[name] = struct.unpack("<%df" % ((end - begin) // 4), raw[begin:end]), t["shape"]
    return tensors

model, (x, (N, n, d)) = load(sys.argv[1]), load(sys.argv[2])["x"]
A, B = model["h.0.attn.c_attn.weight"][0], model["h.0.attn.c_attn.bias"][0]
P, C = model["h.0.attn.c_proj.weight"][0], model["h.0.attn.c_proj.bias"][0]
head, s = 1, d // 2
outputs = json.load(open(sys.argv[3]))["outputs"]
assert len(outputs) == N and len(outputs[0]) == n and len(outputs[0][0]) == d + 1
worst = 0
for i in (0, N - 1):
    token = [x[(i * n + k) * d:(i * n + k + 1) * d] for k in range(n)]
    def part(p, k):
        first = p * d + head * s
        return [B[j] + sum(token[k][c] * A[c * 3 * d + j] for c in range(d))
                for j in range(first, first + s)]
    q, key, v = ([part(p, k) for k in range(n)] for p in range(3))
    for k in range(n):
        score = [sum(a * b for a, b in zip(key[j], q[k])) / math.sqrt(s) for j in range(k + 1)]
        e = [math.exp(a - max(score)) for a in score]
        mix = [sum(e[j] * v[j][r] for j in range(k + 1)) / sum(e) for r in range(s)]
        for c in range(d):
            y = token[k][c] + C[c] + sum(mix[r] * P[(head * s + r) * d + c] for r in range(s))
            worst = max(worst, abs(y - float(Fraction(outputs[i][k][c]))))
        assert Fraction(outputs[i][k][d]) == 1
print("largest difference", worst)
sys.exit(worst > 1e-12)
END

# shellcheck disable=SC2086
run 0 "a head with biases" import "$model" $set_qkv $set_o --head 1/2 --scale 1/4 --mask causal -o "$work/head.json"
shows 'tokens of 32 entries'
run 0 "evaluates" eval "$work/embeddings.safetensors" --homogeneous --weights "$work/head.json" \
    --number mpfr --bits 80 --json
python3 "$work/reference.py" "$model" "$work/embeddings.safetensors" "$out" >"$work/difference" 2>>"$err"
result $? "as the model computes it: $(cat "$work/difference")"
# A certificate remembers which tensor it is about, and that a coordinate was appended.
run 0 "certifies" certify "$work/embeddings.safetensors" --tensor x --homogeneous --weights "$work/head.json" -o "$work/claim.json"
python3 -c 'import json, sys; i = json.load(open(sys.argv[1]))["inputs"][0]; sys.exit((i["tensor"], i["homogeneous"]) != ("x", True))' "$work/claim.json"
result $? "the certificate records how the dataset was read"
run 0 "the certificate holds" check "$work/claim.json"
sed 's/"homogeneous": true/"homogeneous": false/' "$work/claim.json" >"$work/forged.json"
run 1 "without the coordinate it is another claim" check "$work/forged.json"
sed 's/"tensor": "x"/"tensor": "y"/' "$work/claim.json" >"$work/forged.json"
refused "another tensor" check "$work/forged.json"
# shellcheck disable=SC2086
run 0 "all heads as JSON" import "$model" $set_qkv --o h.0.attn.c_proj.weight --heads 2 --json
json 'o["heads"] == 2 and o["dim"] == 33 and o["homogeneous"] and len(o["weights"]["heads"]) == 2'
json 'len(o["weights"]["heads"][0]["WQ"]) == 16 and len(o["weights"]["heads"][0]["WO"]) == 33'
run 0 "without biases" import "$model" --q h.0.attn.c_proj.weight --k h.0.attn.c_proj.weight \
    --v h.0.attn.c_proj.weight --o h.0.attn.c_proj.weight --no-skip -o "$work/plain.json"
shows 'sqrt\(32\) is no rational'
run 0 "a real embedding table is one sequence" eval "$model" --tensor wte.weight \
    --weights "$work/plain.json" --number double

# Three heads that share one key and one value in a fused tensor, and a negative scale: what the
# same numbers give as tensors of their own, their scores turned around in the file.
python3 - "$work" <<'END'
import json, random, struct, sys
random.seed(3)
H, s, d = 3, 2, 4
def rows(n, m): return [[random.randint(-16, 16) / 8 for _ in range(m)] for _ in range(n)]
q, k, v, o = rows(H * s, d), rows(s, d), rows(s, d), rows(d, H * s)
tensors = {"q": q, "k": [[-x / 4 for x in r] for r in k], "v": v, "o": o, "qkv": q + k + v}
header, data = {}, b""
for name, m in tensors.items():
    raw = struct.pack("<%dd" % (len(m) * len(m[0])), *(x for r in m for x in r))
    header[name] = {"dtype": "F64", "shape": [len(m), len(m[0])], "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw
header = json.dumps(header).encode()
open(sys.argv[1] + "/shared.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + data)
END
run 0 "keys and values that are shared" import "$work/shared.safetensors" --q q --k k --v v --o o --heads 3 -o "$work/plain.json"
run 0 "fused, with a negative scale" import "$work/shared.safetensors" --fused-qkv qkv --o o --heads 3 --scale=-1/4 -o "$work/fused.json"
cmp -s "$work/plain.json" "$work/fused.json"
result $? "both are the same weights"
refused "rows that are no heads" import "$work/shared.safetensors" --fused-qkv qkv --o o --heads 2 -o "$work/no.json"

# shellcheck disable=SC2086
{
    refused "no product" import "$model" $set_qkv $set_o
    refused "no tensors" import "$model" -o "$work/no.json"
    refused "a tensor that is not there" import "$model" --fused-qkv x --o y -o "$work/no.json"
    complains "there is no tensor 'x'; there are 'h.0.attn.c_attn.bias'"
    refused "a layout the other way round" import "$model" --fused-qkv h.0.attn.c_attn.weight $set_o -o "$work/no.json"
    complains "has shape \(32, 96\)"
    refused "a number of heads that does not fit" import "$model" $set_qkv $set_o --head 0/5 -o "$work/no.json"
    refused "a head beyond the last" import "$model" $set_qkv $set_o --head 2/2 -o "$work/no.json"
    for head in x 1 /2 1/ 1/2x -1/2 " 1/2" 99999999999999999999/2 0/0; do
        refused "--head '$head'" import "$model" $set_qkv $set_o --head "$head" -o "$work/no.json"
    done
    refused "no heads" import "$model" $set_qkv $set_o --heads 0 -o "$work/no.json"
    refused "head and heads" import "$model" $set_qkv $set_o --head 0/2 --heads 2 -o "$work/no.json"
    refused "a bad scale" import "$model" $set_qkv $set_o --scale 1/0 -o "$work/no.json"
    refused "a scale that is no number" import "$model" $set_qkv $set_o --scale sqrt -o "$work/no.json"
}
# Known architectures: the same weights as by the tensors' names.
python3 - "$work" <<'END'
import json, random, struct, sys
random.seed(5)
H, s, d = 2, 8, 16
def rows(n, m): return [[random.randint(-64, 64) / 64 for _ in range(m)] for _ in range(n)]
def turned(m): return [list(c) for c in zip(*m)]
def column(n): return [random.randint(-64, 64) / 64 for _ in range(n)]
q, k, v, o = (rows(H * s, d) for _ in range(4))
b = [column(H * s) for _ in range(4)]
kv = rows(s, d), rows(s, d)
by_head = [r for h in range(H) for m in (q, k, v) for r in m[h * s:h * s + s]]
bias_by_head = [x for h in range(H) for m in b[:3] for x in m[h * s:h * s + s]]
files = {
    "plain": {"q": q, "k": k, "v": v, "o": o, "bq": b[0], "bk": b[1], "bv": b[2], "bo": b[3], "k1": kv[0], "v1": kv[1]},
    "gpt2": {"h.1.attn.c_attn.weight": turned(q + k + v), "h.1.attn.c_attn.bias": sum(b[:3], []),
             "h.1.attn.c_proj.weight": turned(o), "h.1.attn.c_proj.bias": b[3]},
    "nanogpt": {"transformer.h.1.attn.c_attn.weight": q + k + v, "transformer.h.1.attn.c_attn.bias": sum(b[:3], []),
                "transformer.h.1.attn.c_proj.weight": o, "transformer.h.1.attn.c_proj.bias": b[3]},
    "neox": {"gpt_neox.layers.1.attention.query_key_value.weight": by_head, "gpt_neox.layers.1.attention.query_key_value.bias": bias_by_head,
             "gpt_neox.layers.1.attention.dense.weight": o, "gpt_neox.layers.1.attention.dense.bias": b[3]},
    "bert": {f"bert.encoder.layer.1.attention.{n}.{p}": t for n, w, c in
             (("self.query", q, b[0]), ("self.key", k, b[1]), ("self.value", v, b[2]), ("output.dense", o, b[3])) for p, t in (("weight", w), ("bias", c))},
    "llama": {f"model.layers.1.self_attn.{n}_proj.weight": w for n, w in (("q", q), ("k", kv[0]), ("v", kv[1]), ("o", o))},
    "phi3": {"model.layers.1.self_attn.qkv_proj.weight": q + kv[0] + kv[1], "model.layers.1.self_attn.o_proj.weight": o},
}
for name, tensors in files.items():
    header, data = {}, b""
    for tensor, m in tensors.items():
        flat = [x for r in m for x in r] if isinstance(m[0], list) else m
        raw = struct.pack("<%df" % len(flat), *flat)
        header[tensor] = {"dtype": "F32", "shape": [len(m), len(m[0])] if isinstance(m[0], list) else [len(m)], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    header = json.dumps(header).encode()
    open(f"{sys.argv[1]}/{name}.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + data)
END
plain="$work/plain.safetensors --heads 2 --no-skip --q q --o o"
# shellcheck disable=SC2086
{
    run 0 "by names, with biases" import $plain --k k --v v --bias-q bq --bias-k bk --bias-v bv --bias-o bo --mask causal -o "$work/biased.json"
    run 0 "by names, shared keys" import $plain --k k1 --v v1 --mask causal -o "$work/grouped.json"
    run 0 "by names, no mask" import $plain --k k --v v --bias-q bq --bias-k bk --bias-v bv --bias-o bo -o "$work/seen.json"
}
for pair in gpt2:gpt2:biased nanogpt:gpt2:biased neox:neox:biased bert:bert:seen llama:llama:grouped phi3:phi3:grouped; do
    file=${pair%%:*} arch=${pair#*:}
    like=${arch#*:} arch=${arch%:*}
    skip=
    [ "$arch" != bert ] || skip=--no-skip
    run 0 "a layer of $file" import "$work/$file.safetensors" --arch "$arch" --layer 1 --heads 2 $skip -o "$work/arch.json"
    python3 - "$work/arch.json" "$work/$like.json" "$arch" <<'SAME'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:3])
dims = {"neox": 2, "llama": 8, "phi3": 8}.get(sys.argv[3])
assert a.pop("rotary", None) == (dims and {"dims": dims, "theta": "10000"}) and a == b
SAME
    result $? "$file has the same weights as by names, and its positions"
done
shows 'rotary positions of 8 entries, theta = 10000 .the default; --config FILE'
run 0 "one head takes no bias of the output" import "$work/gpt2.safetensors" --arch gpt2 --layer 1 --head 1/2 --json
json 'len(o["weights"]["heads"][0]["WQ"]) == 8 and o["homogeneous"]'
python3 - "$work" <<'END'
import json, struct, sys
def write(name, tensors):
    header, data = {}, b""
    for tensor, count in tensors.items():
        shape = [count, count] if count > 1 else [1]
        raw = bytes(4 * count * count)
        header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    header = json.dumps(header).encode()
    open(f"{sys.argv[1]}/{name}.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + data)
write("scaled", {"q.weight": 4, "k.weight": 4, "v.weight": 4, "o.weight": 4, "v.weight_scale_inv": 1})
END
refused "a quantised matrix" import "$work/scaled.safetensors" --q q.weight --k k.weight --v v.weight --o o.weight -o "$work/no.json"
complains "tensor 'v.weight' is quantised: its scales, 'v.weight_scale_inv', are not read"
refused "an architecture, and tensors of single heads" import "$work/llama.safetensors" --arch llama --layer 1 --heads 2 --q 'q.{}' --k 'k.{}' --v 'v.{}' --o 'o.{}' -o "$work/no.json"
complains "'q.\{\}' is of one head, and an architecture has tensors of all heads"
printf '{"model_type": "bert", "is_decoder": true}' >"$work/decoder.json"
refused "a decoder of an architecture without a mask" import "$work/bert.safetensors" --arch bert --layer 1 --heads 2 --no-skip --config "$work/decoder.json" -o "$work/no.json"
complains 'the config specifies a causal mask, but bert has none: name the tensors and the mask instead'
sed 's/true/false/' "$work/decoder.json" >"$work/encoder.json"
run 0 "an encoder" import "$work/bert.safetensors" --arch bert --layer 1 --heads 2 --no-skip --config "$work/encoder.json" -o "$work/yes.json"
refused "another layer" import "$work/gpt2.safetensors" --arch gpt2 --heads 2 -o "$work/no.json"
complains "no layer 0 of gpt2: there is no tensor 'h.0.attn.c_attn.weight'"
refused "an unknown architecture" import "$work/gpt2.safetensors" --arch gpt --heads 2 -o "$work/no.json"
complains "there are gpt2, llama, gemma2, phi3, bloom, neox, bert"
refused "a name with a letter missing" import "$work/gpt2.safetensors" --fused-qkv h.1.atn.c_attn.weight --o x -o "$work/no.json"
complains "is it 'h.1.attn.c_attn.weight'"
run 0 "a list of tensors" import "$work/gpt2.safetensors" --list
shows '^F32 +16 x 48 +h.1.attn.c_attn.weight$'
run 0 "the list as JSON" import "$work/gpt2.safetensors" --list --json
json '{t["name"]: t["shape"] for t in o["tensors"]}["h.1.attn.c_proj.bias"] == [16]'
# A search of all tensors for each of 60 000 takes a minute.
python3 - "$work" <<'END'
import json, struct, sys
names = ["model.layers.%d.self_attn.q_proj.weight" % i for i in range(60000)]
header = json.dumps({name: {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]} for i, name in enumerate(names)}).encode()
open(sys.argv[1] + "/many.safetensors", "wb").write(struct.pack("<Q", len(header)) + header + bytes(4 * len(names)))
json.dump({"weight_map": {"x": "many.safetensors"}}, open(sys.argv[1] + "/absent.json", "w"))
END
[ "$(timeout 20 "$ATTEST" import "$work/many.safetensors" --list | wc -l)" -eq 60000 ]
result $? "a list of 60 000 tensors takes seconds"
refused "an index of a tensor that its file does not have" import "$work/absent.json" --list
complains "many.safetensors: there is no tensor 'x'"
# 1/sqrt(8) in binary32 is 0x1.6a09e6p-2; 1/sqrt(4) is 1/2.
# shellcheck disable=SC2086
run 0 "a root that is no fraction" import $plain --k k --v v --scale rsqrt -o "$work/root.json"
# shellcheck disable=SC2086
run 0 "the same as a number" import $plain --k k --v v --scale 0x1.6a09e6p-2 -o "$work/number.json"
cmp -s "$work/root.json" "$work/number.json"
result $? "rsqrt is the binary32 number nearest to the root"
refused "no model" import "$work/head.json" --q a --k b --v c --o d -o "$work/no.json"
[ ! -e "$work/no.json" ]
result $? "nothing was written"

# The same tensors in an .npz archive, and in two files behind an index, make the same weights.
python3 - "$model" "$work" <<'END'
import json, os, struct, sys, zipfile
raw, directory = open(sys.argv[1], "rb").read(), sys.argv[2]
size = struct.unpack("<Q", raw[:8])[0]
tensors = {n: (t, raw[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]])
           for n, t in json.loads(raw[8:8 + size]).items() if n != "__metadata__"}
for archive, suffix, method in ("model", ".npy", zipfile.ZIP_DEFLATED), ("bare", "", zipfile.ZIP_DEFLATED), ("bzip", ".npy", zipfile.ZIP_BZIP2):
  with zipfile.ZipFile(directory + "/" + archive + ".npz", "w", method) as z:
    for name, (t, data) in tensors.items():
        shape = "(%s,)" % ", ".join(map(str, t["shape"]))
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % shape
        head += " " * (-(len(head) + 11) % 64) + "\n"
        z.writestr(name + suffix, b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data)
def save(path, names, metadata):
    header, data = dict(metadata), b""
    for n in names:
        t, block = tensors[n]
        header[n] = dict(t, data_offsets=[len(data), len(data) + len(block)])
        data += block
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)
names = sorted(tensors)
parts = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
save(directory + "/model-1.safetensors", names[::2], {"__metadata__": None})
save(directory + "/model-2.safetensors", names[1::2], {})
index = {"metadata": {}, "weight_map": {n: f for f, l in parts.items() for n in l}}
json.dump(index, open(directory + "/model.safetensors.index.json", "w"))
index["weight_map"][names[0]] = "../model-1.safetensors"
json.dump(index, open(directory + "/outside.json", "w"))
index["weight_map"][names[0]] = "missing.safetensors"
json.dump(index, open(directory + "/missing.json", "w"))
END
"$ATTEST" import "$model" --list >"$work/list"
for form in model.npz bare.npz model.safetensors.index.json; do
    # shellcheck disable=SC2086
    run 0 "$form: import" import "$work/$form" $set_qkv $set_o --head 1/2 --scale 1/4 --mask causal -o "$work/same.json"
    cmp -s "$work/head.json" "$work/same.json"
    result $? "$form: the same weights"
    run 0 "$form: --list" import "$work/$form" --list
    cmp -s "$out" "$work/list"
    result $? "$form: the same list"
    # shellcheck disable=SC2086
    refused "$form: a mistyped name" import "$work/$form" --fused-qkv h.0.attn.c_atn.weight --transpose $set_o --head 1/2 -o "$work/no.json"
    complains "is it 'h.0.attn.c_attn.weight'"
done
refused "an archive compressed by bzip2" import "$work/bzip.npz" --list
complains "entry 'wte.weight.npy' is compressed"
refused "an index that leaves its directory" import "$work/outside.json" --list
complains "not a file in the directory of the index"
refused "an index that names no file" import "$work/missing.json" --list
for map in '3|an object is expected' '["x.npz"]|an object is expected' '{}|there are no tensors' '{"x": 3}|a string is expected'; do
    printf '{"weight_map": %s}' "${map%|*}" >"$work/bad.json"
    refused "no map of tensors: ${map%|*}" import "$work/bad.json" --list
    complains "${map#*|}"
done
printf '{"map": {}}' >"$work/bad.json"
refused "no map" import "$work/bad.json" --list
complains '"weight_map" is missing'
# Tokens get the coordinate of the biases by themselves: all entries but that one are the same.
run 0 "without --homogeneous" eval "$work/embeddings.safetensors" --weights "$work/head.json" --number mpfr --bits 80 --json
cp "$out" "$work/short"
"$ATTEST" eval "$work/embeddings.safetensors" --homogeneous --weights "$work/head.json" --number mpfr --bits 80 --json >"$out"
json '(lambda s: all([Fraction(x) for x in a][:-1] == [Fraction(x) for x in b] or max(abs(Fraction(x) - Fraction(y)) for x, y in zip(a, b)) < Fraction(1, 2**70) for p, q in zip(o["outputs"], s) for a, b in zip(p, q)))(json.load(open("'"$work/short"'"))["outputs"])'
run 0 "certify, too" certify "$work/embeddings.safetensors" --weights "$work/head.json" -o "$work/claim.json"
run 0 "and check" check "$work/claim.json"

# One tensor per head: the layer of the trained example in pieces gives the same weights, with one output for all heads or one each.
python3 - "$srcdir/examples/devil/model.safetensors" "$work/pieces.safetensors" <<'PIECES'
import json, struct, sys
raw = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
header, pieces, data = json.loads(raw[8:8 + size]), {}, b""


def rows(name):
    first, last = (8 + size + x for x in header[name]["data_offsets"])
    shape = header[name]["shape"]
    width = 4 * (shape[1] if len(shape) == 2 else 1)
    return [raw[i:i + width] for i in range(first, last, width)]


at, d, s = "transformer.h.0.attn.", 64, 16
qkv, bias, o = rows(at + "c_attn.weight"), rows(at + "c_attn.bias"), rows(at + "c_proj.weight")
for i, part in enumerate(("query", "key", "value")):
    for h in range(4):
        first = i * d + h * s
        pieces[f"heads.{h}.{part}.weight"] = [s, d], b"".join(qkv[first:first + s])
        pieces[f"heads.{h}.{part}.bias"] = [s], b"".join(bias[first:first + s])
for h in range(4):
    pieces[f"heads.{h}.qkv"] = [3 * s, d], b"".join(pieces[f"heads.{h}.{part}.weight"][1] for part in ("query", "key", "value"))
    pieces[f"heads.{h}.out"] = [d, s], b"".join(row[4 * h * s:4 * (h + 1) * s] for row in o)
pieces["proj.weight"], pieces["proj.bias"] = ([d, d], b"".join(o)), ([d], b"".join(rows(at + "c_proj.bias")))
pieces["heads.9.query.weight"] = [s, 2], bytes(8 * s)
new = {}
for name, (shape, piece) in pieces.items():
    new[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
    data += piece
text = json.dumps(new).encode()
open(sys.argv[2], "wb").write(struct.pack("<Q", len(text)) + text + data)
PIECES
each="--q heads.{}.query.weight --k heads.{}.key.weight --v heads.{}.value.weight"
biases="--bias-q heads.{}.query.bias --bias-k heads.{}.key.bias --bias-v heads.{}.value.bias"
for head in '--heads 4' '--head 2/4'; do
    last= && [ "$head" = '--heads 4' ] && last='--bias-o proj.bias'
    # shellcheck disable=SC2086
    {
        run 0 "fused: $head" import "$srcdir/examples/devil/model.safetensors" --arch gpt2 $head --scale rsqrt -o "$work/fused.json"
        run 0 "in pieces: $head" import "$work/pieces.safetensors" $each $biases --o proj.weight $last $head --scale rsqrt --mask causal --no-skip -o "$work/each.json"
        cmp -s "$work/fused.json" "$work/each.json"
        result $? "the same weights"
        run 0 "with outputs of their own: $head" import "$work/pieces.safetensors" $each $biases --o 'heads.{}.out' $last $head --scale rsqrt --mask causal --no-skip \
            -o "$work/each.json"
        cmp -s "$work/fused.json" "$work/each.json"
        result $? "the same weights"
        run 0 "fused in pieces: $head" import "$work/pieces.safetensors" --fused-qkv 'heads.{}.qkv' --o proj.weight $head -o "$work/a.json"
        run 0 "not fused in pieces: $head" import "$work/pieces.safetensors" $each --o proj.weight $head -o "$work/b.json"
        cmp -s "$work/a.json" "$work/b.json"
        result $? "the same weights"
    }
done
# shellcheck disable=SC2086
{
    refused "a head that is not there" import "$work/pieces.safetensors" $each --o proj.weight --head 5/6 -o "$work/no.json"
    complains "no tensor 'heads.5.query.weight'"
    refused "another number of heads than in the output" import "$work/pieces.safetensors" $each --o proj.weight --heads 3 -o "$work/no.json"
    complains "'proj.weight' has shape .64, 64., but o would be 64x48 here"
    refused "a head of another size" import "$work/pieces.safetensors" $each --o proj.weight --head 9/10 -o "$work/no.json"
}
finish
