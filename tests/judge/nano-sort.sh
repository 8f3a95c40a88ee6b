#!/bin/sh
# What a trained network computed, judged: block 0 of gpt-nano-sort, 3 sequences of 11 tokens, 3
# heads. The recorded outputs are within, every fault is proved wrong, in binary32 and in bfloat16.
. "$srcdir/tests/cli/lib.sh"
p=${ATTEST_DATA:-none}/gpt-nano-sort/partials.safetensors
if [ ! -e "$p" ]; then
    echo "1..0 # SKIP ATTEST_DATA names no directory with gpt-nano-sort"
    exit 0
fi
need_python

run 0 "the recorded outputs" judge "$p" "$p:y" --kernel fp32-any --causal --json
json 'o["verdict"] == "within" and o["within"] == o["elements"] == 1584 and o["worst"]["ratio"] < 0.5'

# 11 keys in tiles of 4: the last tile has 3 of them, which rows 8 to 10 see
for type in F32 BF16; do
    f=$work/$type.safetensors
    if [ $type = F32 ]; then
        kernel=fp32-any
        python3 "$srcdir/tests/judge/faulty.py" "$p" "$f" 4
    else
        kernel=bf16-any
        python3 "$srcdir/tests/judge/faulty.py" "$p" "$f" bf16 4
    fi
    run 0 "$type, no fault" judge "$f" "$f:none" --kernel $kernel --causal --json
    json 'o["within"] == o["elements"] == 1584'
    for fault in dropped-tile mask-off-by-one missing-scale swapped-heads exp2-without-log2e zeros; do
        run 1 "$type, $fault" judge "$f" "$f:$fault" --kernel $kernel --causal --json
        json 'o["verdict"] == "wrong" and o["worst"]["verdict"] == "wrong" and o["undecided"] == 0'
        cp "$out" "$work/$type-$fault"
    done
    cp "$work/$type-dropped-tile" "$out"
    json 'all(8 <= r["rows"][0] and r["rows"][1] <= 10 for r in o["wrong_rows"]) and len(o["wrong_rows"]) >= 9'
    cp "$work/$type-swapped-heads" "$out"
    json '{r["head"] for r in o["wrong_rows"]} == {0, 1}'
done

# the recorded outputs in bfloat16 belong to other q, k, v: to those that were not rounded
python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
import qkv
x = qkv.read(sys.argv[2])
qkv.write(sys.argv[3], {"y": ("BF16", x["y"][1], [qkv.bfloat(y) for y in x["y"][2]])})' "$srcdir/tests/cli" "$p" "$work/y"
cat >"$work/rounded.json" <<'END'
{"format": "attest/kernel-model", "version": 1, "name": "fp32-any, rounded to bfloat16", "output": {"format": "bfloat16"}}
END
run 0 "the recorded outputs in bfloat16" judge "$p" "$work/y:y" --kernel "$work/rounded.json" --causal
finish
