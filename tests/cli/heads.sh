#!/bin/sh
# attest heads: recorded activations, head by head, against fractions; the gate; what is refused.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1
oracle="$srcdir/tests/ref/audit_heads.py"
python3 "$oracle" make model.safetensors 5
layers='--q layers.{}.q --k layers.{}.k --v layers.{}.v'
formats='--formats binary32,bfloat16,binary16,float8_e5m2,p=6'

run 0 "all heads" heads model.safetensors $layers --all --causal $formats -o heads.json --json
python3 "$oracle" compare model.safetensors heads.json causal
result $? "every figure of every head is that of fractions"
json 'o["qkv"]["of_heads"] == o["qkv"]["audited"] == 8 and o["qkv"]["key_heads"] == 2'
run 0 "all see all, with a softcap" heads model.safetensors $layers --all --softcap 2 $formats -o cap.json
python3 "$oracle" compare model.safetensors cap.json softcap=2
result $? "softcap"
run 0 "a mask that is added" heads model.safetensors $layers --all --mask 'layers.{}.mask' $formats -o mask.json
python3 "$oracle" compare model.safetensors mask.json mask
result $? "mask"
run 0 "a window" heads model.safetensors $layers --all --window 1,0 $formats -o window.json
python3 "$oracle" compare model.safetensors window.json window=1,0
result $? "window"

# No error is beyond its bound, and the bound of one key does not explode.
good='all(f["bound_ulp"] is None if f["name"] in none else f["max_ulp"] <= f["bound_ulp"] for h in o["heads"] + [o] for f in h["formats"])'
sum='all(f["bound_ulp"] == max(h["formats"][i]["bound_ulp"] for h in o["heads"]) for i, f in enumerate(o["formats"]) if f["name"] not in none)'
python3 - <<'FILE'
import json, random, struct
random.seed(9)
for name, tokens in (("one", 1), ("many", 9)):
    header, data = {}, b""
    for part, shape, size in (("q", (2, 3, tokens, 4), 1), ("k", (2, 3, tokens, 4), 1), ("v", (2, 3, tokens, 4), 1), ("s", (3,), 1), ("m", (tokens, tokens), 1)):
        count = 1
        for n in shape:
            count *= n
        header[part] = {"dtype": "F64", "shape": list(shape), "data_offsets": [len(data), len(data) + 8 * count]}
        data += struct.pack("<%dd" % count, *(random.choice((-1, 1)) * random.uniform(0.3, 2) for _ in range(count)))
    text = json.dumps(header).encode()
    open(name + ".safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
FILE
for more in '' '--causal' '--mask m --sink s' '--sink s --scale 7/3' '--mask m --sum pairwise --fma' '--softmax online --block 2 --sink s' '--softmax naive' \
    '--accumulate binary32 --mask m' '--round zero --sink s' '--round stochastic'; do
    formats_here='binary64,binary32,bfloat16,binary16,float8_e5m2,p=6'
    none='()'
    case $more in
    *accumulate*) formats_here=bfloat16,float8_e5m2 ;;
    *round*) formats_here=binary32,bfloat16,p=9 ;;
    *pairwise* | *online* | *naive*) none='("float8_e5m2", "p=6")' ;; # sums as long as 1/u, in other orders than the first to the last
    esac
    run 0 "bounds $more" heads many.safetensors --all --formats $formats_here $more --json
    json "(lambda none: $good and $sum)($none)"
done
run 0 "one key" heads one.safetensors --all --scale none --formats binary64,binary32,bfloat16,p=6 --json
json "(lambda none: $good and $sum)(())"
json 'all(0 < f["bound_ulp"] < 160 for f in o["formats"])'
run 0 "a softcap has none" heads many.safetensors --all --softcap 3 --formats binary32 --json
json 'o["formats"][0]["bound_ulp"] is None'

for jobs in 1 3; do
    "$ATTEST" heads model.safetensors $layers --all --causal $formats --jobs $jobs -o jobs.json >/dev/null &&
        cmp -s heads.json jobs.json
    result $? "the same with $jobs processes"
done
while read -r options names; do
    run 0 "an algorithm: $names" heads model.safetensors $layers --all --formats bfloat16 $(echo "$options" | tr ';' ' ') -o way.json
    python3 "$oracle" compare model.safetensors way.json $names
    result $? "$names"
done <<'WAYS'
--sum;pairwise;--fma;--sink;layers.{}.sink pairwise fma sink
--softmax;online;--block;2;--sink;layers.{}.sink online=2 sink
--softmax;naive naive
--accumulate;binary32;--sum;pairwise accumulate=binary32 pairwise
--round;zero;--fma;--accumulate;binary16 zero fma accumulate=binary16
WAYS
run 0 "stochastic rounding" heads model.safetensors $layers --all --formats bfloat16 --round stochastic --seed 3 --json
json '0 < o["formats"][0]["relative_error"]["max"] < 0.2'
# In parts, with another division on the way: the same record.
parts="heads model.safetensors $layers --all --causal $formats --parts parts"
for shard in 2/3 1/8 3/8 1/3 3/3; do
    run 0 "group $shard" $parts --shard $shard
done
run 0 "joined" $parts -o joined.json
cmp -s heads.json joined.json
result $? "the same in parts"
touch -d '2001-01-01' parts/*
run 0 "again" $parts --shard 2/3
[ -z "$(find parts -type f -newer model.safetensors)" ]
result $? "finished parts are not computed again"
rm parts/layer-3-head-2
refused "a part is missing" $parts
complains 'parts: the results of 1 of 8 heads are missing: --shard K/N computes them'
refused "parts of another audit" $parts --shard 1/1 --positions 3
complains 'belongs to another audit'
printf x >>parts/layer-3-head-1
refused "a damaged part" $parts --shard 1/1
complains 'parts/layer-3-head-1: is damaged: remove it'
refused "no directory for a shard" heads model.safetensors $layers --all --shard 1/2
refused "a shard alone has no record" $parts --shard 1/2 -o x.json
refused "no such shard" $parts --shard 3/2
refused "parts of one head" heads model.safetensors $layers --parts parts
run 0 "for Slurm" $parts --slurm 4 -o whole.json --json --dry-run
shows '"[$]attest" heads --shard "[$]k/4" --parts "[$]dir/heads" --jobs "[$][{]SLURM_CPUS_PER_TASK:-1[}]" --q .*p=6 model.safetensors &$'
shows '"[$]attest" heads --parts "[$]dir/heads" --q .* -o whole.json --json model.safetensors >'

ln -s model.safetensors m=
run 0 "a file whose name ends in =" heads m= $layers --all --parts parts --slurm 4 --dry-run
shows ' --jobs [^ ]* --q .* m= &$'
run 0 "by its old name" audit --qkv m= $layers --all --parts parts --formats p=6 --slurm 4 --dry-run
shows ' --jobs [^ ]* --qkv m= --q .* --formats p=6 &$'

run 0 "one head" heads model.safetensors $layers --causal $formats --layer 3 --head 2 --json
json '[(h["layer"], h["head"]) for h in o["heads"]] == [(3, 2)]'
json 'o["heads"][0]["formats"] == next(h for h in json.load(open("heads.json"))["heads"] if (h["layer"], h["head"]) == (3, 2))["formats"]'
run 0 "some positions" heads model.safetensors $layers --all --positions 3 --formats bfloat16 --json
json 'o["qkv"]["positions"] == 3 and o["formats"][0]["pairs"]["positions"] == 24'
for positions in 1 2; do
    run 0 "totals of heads with as many positions, $positions" heads model.safetensors $layers --all --positions $positions $formats --json
    python3 - "$out" <<'TOTALS'
import json, sys
o = json.load(open(sys.argv[1]))
for i, total in enumerate(o["formats"]):
    heads = [h["formats"][i] for h in o["heads"]]
    for kind in ("relative_error", "weights_error"):
        means = [h[kind]["mean"] for h in heads]
        assert total[kind]["max"] == max(h[kind]["max"] for h in heads), (kind, total)
        assert abs(total[kind]["mean"] - sum(means) / len(means)) <= 1e-5 * max(means), (kind, total) # six digits
    assert len(set(h[kind]["mean"] for h in heads)) > 1
    for count in ("argmax_changed", "nonfinite", "saturated"):
        assert total[count] == sum(h[count] for h in heads), (count, total)
    for count in ("positions", "apart", "by_rounding", "merged"):
        assert total["pairs"][count] == sum(h["pairs"][count] for h in heads), (count, total)
    assert total["max_ulp"] == max(h["max_ulp"] for h in heads)
TOTALS
    result $? "means are those of all positions, maxima those of all heads"
done

run 0 "not worse than itself" heads model.safetensors $layers --all --causal $formats --gate heads.json
run 1 "worse without a mask" heads model.safetensors $layers --all $formats --gate heads.json --json
json 'not o["gate"]["passed"] and any(x.startswith("layer ") and ": relative_error " in x for x in o["gate"]["worse"])'
run 1 "a head that is missing" heads model.safetensors $layers --causal $formats --gate heads.json --json
json '"layer 3, head 3: not audited any more" in o["gate"]["worse"]'
run 0 "a page" heads model.safetensors $layers --all --causal $formats --report heads.html
python3 - <<'PAGE'
import json, sys, xml.etree.ElementTree as tree
record, page = json.load(open("heads.json")), tree.parse("heads.html")
SVG = "{http://www.w3.org/2000/svg}"


def share(x):
    return "%.2e" % x if x and abs(x) < 1e-4 else "%.3g %%" % (100 * x)


def cells(f):
    r, w, p = f["relative_error"], f["weights_error"], f["pairs"]
    return [share(x) for x in (r["max"], r["mean"], w["max"], w["mean"])] + [
        str(x) for x in (f["argmax_changed"], p["apart"], p["by_rounding"], p["merged"], f["nonfinite"], f["saturated"])]


def table(caption):
    found = next(t for t in page.iter("table") if t.findtext("caption") == caption)
    return [["".join(c.itertext()).replace("\u2009", "").replace("\u202f", "").strip() for c in row] for row in found.find("tbody")]


want = [[str(h["layer"]), str(h["head"]), f["name"], *cells(f)] for h in record["heads"] for f in h["formats"]]
maps = [s for s in page.iter(SVG + "svg") if (s.get("id") or "").startswith("heads-")]
rows = {row.get("id") for row in page.iter("tr")}
links = [[a.get("href")[1:] for a in m.iter(SVG + "a")] for m in maps]
ok = (table("Every head in every format") == want and table("What each format does") == [[f["name"], *cells(f)] for f in record["formats"]]
      and len(maps) == len(record["formats"]) and all(len(set(m)) == len(record["heads"]) and set(m) <= rows for m in links)
      and [li.text for li in page.iter("li") if li.text] [-len(record["formats"]):] == [f["conclusion"] for f in record["formats"]])
sys.exit(not ok)
PAGE
result $? "the page has every number of the record, a map for each format, and cells that lead to rows"

stages='in=binary32,score=binary32,p=int8:per-token,pv=binary32,out=bfloat16,tile=2'
run 0 "a kernel beside the formats" heads model.safetensors $layers --all --causal --formats bfloat16 --stage $stages -o staged.json
run 1 "a kernel that is not audited any more" heads model.safetensors $layers --all --causal --formats bfloat16 --gate staged.json
cat >stages.json <<'MODEL'
{"format": "attest/kernel-model", "version": 1, "name": "stages", "p": {"format": "binary32"}, "quantise": {"p": "int8:per-token"},
 "max": {"kind": "online", "tile": 2, "direction": "forward"}, "output": {"format": "bfloat16"},
 "schedules": [{"scores": "sequential", "tile": 2, "direction": "forward", "lanes": 1, "rescale": 0, "constant": "folded-binary32", "divide": "after"}]}
MODEL
run 0 "the same kernel simulated" simulate model.safetensors $layers --causal --kernel stages.json -o out.safetensors
python3 - "$oracle" <<'KERNEL'
# the largest |simulated - exact| / |exact| of every head, from the output of simulate
import importlib.util, json, math, struct, sys
spec = importlib.util.spec_from_file_location("oracle", sys.argv[1])
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)
x, record = oracle.read("model.safetensors"), json.load(open("staged.json"))
data = open("out.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:8 + size])
Q, K, D, V, H, G, B = oracle.QUERIES, oracle.KEYS, oracle.DIM, oracle.VALUES, oracle.HEADS, oracle.KEY_HEADS, oracle.BATCH


def output(layer):
    name = "layers.%d.out" % layer
    first, last = header[name]["data_offsets"]
    raw, unit = data[8 + size + first:8 + size + last], header[name]["dtype"]
    if unit == "BF16":
        return [struct.unpack("<f", b"\0\0" + raw[i:i + 2])[0] for i in range(0, len(raw), 2)]
    return struct.unpack("<%d%s" % (len(raw) // (8 if unit == "F64" else 4), "d" if unit == "F64" else "f"), raw)


ok = True
for h in record["heads"]:
    q, k, v = (x["layers.%d.%s" % (h["layer"], n)][1] for n in "qkv")
    out, worst, kh = output(h["layer"]), 0, h["head"] * G // H
    for b in range(B):
        for i in range(Q):
            w = []
            for j in range(min(K, i + K - Q + 1)):
                a, c = ((b * H + h["head"]) * Q + i) * D, ((b * G + kh) * K + j) * D
                w.append(math.exp(sum(q[a + e] * k[c + e] for e in range(D)) / math.sqrt(D)))
            exact = [sum(y * v[((b * G + kh) * K + j) * V + e] for j, y in enumerate(w)) / sum(w) for e in range(V)]
            row = ((b * H + h["head"]) * Q + i) * V
            worst = max(worst, math.dist(out[row:row + V], exact) / math.hypot(*exact))
    found = h["formats"][-1]
    ok = ok and found["name"] == "stages" and abs(found["relative_error"]["max"] - worst) <= 1e-5 * worst and found["weights_error"]["max"] is None
sys.exit(not ok)
KERNEL
result $? "the errors of the kernel are those of the output of simulate"

refused "a kernel without a schedule" heads model.safetensors $layers --all --kernel bf16-flash2
refused "a format that doubles do not contain" heads model.safetensors $layers --all --formats p=100
refused "one beside a kernel" heads model.safetensors $layers --all --formats p=30 --stage $stages
complains 'p=30 or its accumulator is neither'
refused "no such layer" heads model.safetensors $layers --layer 1
refused "no such head" heads model.safetensors $layers --head 4
refused "two files" heads data.json model.safetensors $layers
refused "an option of data" heads model.safetensors $layers --delta 1
refused "an option of recordings" audit model.safetensors --all
refused "no data" audit
refused "neither a file nor a model" heads
refused "no such tensor" heads model.safetensors --all
! grep -q 'model.safetensors: model.safetensors' "$err"
result $? "the file is named once"
refused "all and one" heads model.safetensors $layers --all --head 1
refused "a record of other work" heads model.safetensors $layers --gate model.safetensors
finish
