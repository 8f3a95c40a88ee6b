#!/bin/sh
# From a checkpoint to a verdict: the nine heads of gpt-nano-sort (biases, pre-LN, causal). Block 0's
# against what PyTorch recorded, within a bound; all of them, and whole layers with their residual,
# against tests/ref/nano_gpt.py, which reproduces the recorded blocks.
. "$srcdir/tests/cli/lib.sh"
model=${ATTEST_DATA:-none}/gpt-nano-sort/gpt-nano-sort.safetensors
p=${ATTEST_DATA:-none}/gpt-nano-sort/partials.safetensors
if [ ! -e "$model" ]; then
    echo "1..0 # SKIP ATTEST_DATA names no directory with gpt-nano-sort"
    exit 0
fi
need_python

oracle() { # description, arguments of the oracle...
    description=$1
    shift
    python3 "$srcdir/tests/ref/nano_gpt.py" "$@" >"$work/said" 2>>"$err"
    result $? "$description: $(tail -n 1 "$work/said")"
}

oracle "the recorded blocks" tokens "$model" "$p" "$work"
for layer in 0 1 2; do
    data=$work/layer$layer.safetensors
    for head in 0 1 2; do
        name="layer $layer, head $head"
        w=$work/w$layer$head.json
        run 0 "$name: import" import "$model" --arch gpt2 --layer $layer --head $head/3 --scale rsqrt -o "$w"
        run 0 "$name: eval" eval "$data" --tensor ln1 --weights "$w" --json
        oracle "$name: as the oracle has it" compare "$model" "$data" $layer $head "$out"
        run 0 "$name: certify" certify "$data" --tensor ln1 --weights "$w" -o "$work/claim.json" --json
        json 'o["verdict"] == "proved"'
        run 0 "$name: check" check "$work/claim.json"
        run 0 "$name: audit" audit "$data" --tensor ln1 --weights "$w" --formats binary32,bfloat16 \
            --report "$work/r$layer$head.html" --json
        json 'o["formats"][0]["relative_error"]["max"] < 1e-6 and o["formats"][1]["relative_error"]["max"] < 0.05'
        json 'all(f["pairs"]["merged"] == 0 for f in o["formats"])'
        if [ $layer = 0 ]; then
            run 0 "$name: eval of the recorded tensors" eval "$p" --tensor ln1 --weights "$w" --json
            oracle "$name: against the recording" recorded "$model" "$p" $head "$out"
        fi
    done
    # The whole layer with its output's bias; the skip adds the stream, not what was normed.
    run 0 "layer $layer: import" import "$model" --arch gpt2 --layer $layer --heads 3 --scale rsqrt \
        --residual x -o "$work/layer.json"
    run 0 "layer $layer: eval" eval "$data" --tensor ln1 --weights "$work/layer.json" --json
    oracle "layer $layer: x + Attn(LN x)" compare "$model" "$data" $layer all "$out" x
    run 0 "layer $layer: certify" certify "$data" --tensor ln1 --weights "$work/layer.json" -o "$work/claim.json"
    run 0 "layer $layer: check" check "$work/claim.json"
    # The same from the stream itself: LayerNorm is part of the weights.
    run 0 "layer $layer: import with its norm" import "$model" --arch gpt2 --layer $layer --heads 3 --scale rsqrt \
        --norm layer -o "$work/normed.json"
    run 0 "layer $layer: eval" eval "$data" --tensor x --weights "$work/normed.json" --json
    oracle "layer $layer: x + Attn(LN x) from x" compare "$model" "$data" $layer all "$out" x
    run 0 "layer $layer: certify" certify "$data" --tensor x --weights "$work/normed.json" -o "$work/claim.json"
    run 0 "layer $layer: check" check "$work/claim.json"
done
grep -q '<svg' "$work/r22.html"
result $? "reports with plots"
refused "a file without the residual" eval "$work/layer0.safetensors" --tensor ln1 \
    --weights "$(sed 's/"residual": "x"/"residual": "h"/' "$work/layer.json" >"$work/other.json" && echo "$work/other.json")"
complains "no tensor 'h'"
finish
