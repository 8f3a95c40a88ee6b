#!/bin/sh
# Factors that kernels on 8-bit floats keep apart from q, k and v, and fold into the scale of the scores and
# into the output: what kernels return, bit for bit, and what is exact, against tests/ref/descale.py.
. "$srcdir/tests/cli/lib.sh"
need_python
ref() { python3 "$srcdir/tests/ref/descale.py" "$@"; }
d=$work/descale
mkdir "$d"
ref make "$d"
factors="--q-descale q_descale --k-descale k_descale --v-descale v_descale"

for kernel in folded capped separate; do
    set -- "$d/factors.safetensors" --kernel "$d/$kernel.json" --scale 1/3 $factors
    cap=
    [ $kernel = capped ] && cap="--softcap 5/2"
    run 0 "simulate $kernel" simulate "$@" $cap -o "$d/simulated"
    ref same "$d/$kernel.out" "$d/simulated"
    result $? "$kernel is the reference, bit for bit"
    run 0 "judge $kernel" judge "$@" $cap "$d/$kernel.out" --json
    json 'o["verdict"] == "within" and o["within"] == 36'
    run 0 "tolerance of $kernel" tolerance "$@" $cap -o "$d/bound"
    ref exact "$d/bound" $cap
    result $? "the exact values of $kernel"
    run 0 "the same kernel quantises" simulate "$d/plain.safetensors" --kernel "$d/$kernel.json" --scale 1/3 $cap \
        --quantise qkv=float8_e4m3fn:per-head,descale=folded -o "$d/quantised"
    ref same "$d/$kernel.out" "$d/quantised"
    result $? "and returns the same"
done
set -- "$d/factors.safetensors" --kernel "$d/folded.json" --scale 1/3 "$d/folded.out"
for name in q k v; do
    run 1 "${name}_descale left out" judge "$@" $(echo "$factors" | sed "s/--$name-descale ${name}_descale//")
done
run 0 "range" range "$d/factors.safetensors" --kernel "$d/folded.json" --scale 1/3 $factors
run 0 "quantised and judged" judge "$d/plain.safetensors" --kernel "$d/folded.json" --scale 1/3 "$d/folded.out" \
    --quantise qkv=float8_e4m3fn:per-head,descale=folded --json
json 'o["model"]["quantise"]["descale"] == "folded"'
run 0 "without a schedule" judge "$d/factors.safetensors" --kernel "$d/open.json" --scale 1/3 $factors "$d/folded.out"

set -- "$d/factors.safetensors" --kernel "$d/folded.json" "$d/folded.out"
refused "a factor of 0" judge "$@" --k-descale zero
refused "a factor that is too large" judge "$@" --v-descale large
refused "factors of three heads" judge "$@" --q-descale three
refused "factors of two batch entries" judge "$@" --q-descale batches
refused "factors of three axes" judge "$@" --q-descale deep
refused "a scale that is too small beside them" judge "$@" --q-descale one --scale 1e-13
refused "no such tensor" judge "$@" --q-descale none
refused "quantised, and with factors" judge "$@" --k-descale one --quantise k=float8_e4m3fn:per-head
refused "a scale for each token is not folded" judge "$@" --quantise k=float8_e4m3fn:per-token,descale=folded
refused "a value of descale that does not exist" judge "$@" --quantise k=float8_e4m3fn:per-head,descale=yes
finish
