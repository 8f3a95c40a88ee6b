#!/bin/sh
# attest audit on larger data: all 4845 subsets of four of twenty tokens over six formats with the
# search for the collapse, and a head of a model, d = 768, s = 64, n = 128, on 64 sequences. Prints
# and limits the processor time, in units of two processors.
. "$srcdir/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work" || exit 1
formats=binary64,binary32,tfloat32,bfloat16,binary16,float8_e4m3fn

cat >timed.py <<'END'
import json, resource, subprocess, sys, time
limit = float(sys.argv[1])
began = time.time()
code = subprocess.call(sys.argv[3:], stdout=open(sys.argv[2], "w"))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
print("# %.1f s of processor time, %.1f s by the clock" % (seconds, time.time() - began))
sys.exit(code or (1 if seconds > 2 * limit else 0))
END
timed() { # limit description arguments...
    limit=$1
    description=$2
    shift 2
    python3 timed.py "$limit" "$out" "$ATTEST" "$@" 2>"$err"
    result $? "$description, within $limit s on two processors"
}

python3 - <<'END'
import itertools, json, random
random.seed(5)
tokens = [["%d/64" % random.randint(-128, 128) for _ in range(2)] for _ in range(20)]
json.dump({"format": "attest/dataset", "version": 1,
           "sequences": [list(c) for c in itertools.combinations(tokens, 4)]}, open("twenty.json", "w"))
END
for strategy in tuned gap; do
    timed 20 "N = 4845, |V| = 20, n = 4, $strategy" audit twenty.json --construct $strategy \
        --formats $formats --json
    json 'len(o["formats"]) == 6 and o["collapse_bits"] is not None and o["dataset"]["sequences"] == 4845'
    json 'abs(o["collapse_bits"] - o["separation_bits"]) <= 8 and o["collapse_bits"] <= o["certified_bits"]'
    json 'all(f["max_ulp"] <= f["bound_ulp"] for f in o["formats"] if f["bound_ulp"] is not None)'
done

mkdir model
python3 "$srcdir/examples/make-model.py" --directory model --dim 768 --heads 12 --vocabulary 500 --length 128 --sequences 64
"$ATTEST" import model/model.safetensors --fused-qkv h.0.attn.c_attn.weight --transpose \
    --o h.0.attn.c_proj.weight --head 0/12 --scale 1/8 -o head.json >"$out" 2>"$err"
result $? "a head of the model"
timed 120 "d = 768, s = 64, n = 128, 64 sequences" audit model/embeddings.safetensors --weights head.json \
    --formats $formats --json
json 'len(o["formats"]) == 6 and o["dataset"]["positions"] == 8192 and o["dataset"]["dim"] == 768'
json 'o["certified"]["verdict"] == "proved" and o["sample"]["sequences"] >= 1'
json 'all(f["max_ulp"] is not None for f in o["formats"] if f["nonfinite"] == 0)'
finish
