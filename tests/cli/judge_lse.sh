#!/bin/sh
# attest judge --lse and --merge: log-sum-exps and merged parts, beside values that lse.py computes.
. "$srcdir/tests/cli/lib.sh"
need_python
d=$work/lse
mkdir "$d"
python3 "$srcdir/tests/cli/qkv.py" make "$d"
PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/tests/cli/lse.py" make "$d"
f=$d/F32.safetensors
o=$d/out.safetensors
l=$d/lse.safetensors

run 0 "a log-sum-exp" judge "$f" "$o" --kernel fp32-any --causal --lse "$l"
shows '^log-sum-exp within: all 32 rows are within what a kernel of fp32-any can return$'
shows '^worst row        head [01], row [0-9]+$'
run 0 "as JSON" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:lse" --json
json 'o["verdict"] == o["lse"]["verdict"] == "within" and o["lse"]["rows"] == o["lse"]["within"] == 32 and o["lse"]["wrong"] == 0'
json 'o["lse"]["base"] == "e" and o["lse"]["alternatives"] == [] and 0 <= o["lse"]["worst"]["ratio"] <= 1'
json 'o["lse"]["worst"]["lo"] <= o["lse"]["worst"]["output"] <= o["lse"]["worst"]["hi"] and o["lse"]["worst"]["bound"] < 1e-4'
run 0 "without it there is no such member" judge "$f" "$o" --kernel fp32-any --causal --json
json '"lse" not in o'
for jobs in 1 2 5; do
    "$ATTEST" judge "$f" "$o" --kernel fp32-any --causal --lse "$l" --json --jobs $jobs >"$work/jobs-$jobs" 2>"$err"
done
cmp -s "$work/jobs-1" "$work/jobs-2" && cmp -s "$work/jobs-1" "$work/jobs-5"
result $? "the result does not depend on --jobs"
run 0 "without the batch" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:flat"
run 0 "with a last axis of 1" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:last"
run 0 "in the file of the output" judge "$l" "$o" --kernel fp32-any --causal --lse "$l:lse"
run 1 "numbers that are not of binary32" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:double"
shows '^  returned .*, not a number of the format of the log-sum-exp$'
for kernel in fp32-flash2 fp32-math fp32-torch-cpu; do
    run 0 "of $kernel" judge "$f" "$o" --kernel $kernel --causal --lse "$l"
done

for kernel in bf16-flash4-blackwell bf16-torch-cpu; do
    run 0 "of $kernel" judge "$d/BF16.safetensors" "$o:bf16" --kernel $kernel --causal --lse "$l"
done
for kernel in bf16-flash2 bf16-flash3-hopper bf16-memory-efficient; do
    run 1 "of $kernel, whose P is cast, beside an output of weights that are not" judge "$d/BF16.safetensors" "$o:bf16" --kernel $kernel --causal --lse "$l" --json
    json 'o["verdict"] == "wrong" and o["lse"]["verdict"] == "within" and o["lse"]["worst"]["bound"] < 1e-5'
done
run 3 "of parts that are joined as sums" judge "$f" "$o" --kernel fp32-llama-cpu --causal --lse "$l"
shows 'the log-sum-exp of parts has a bound only where splits.join is quotients or logs'
run 3 "of parts that are joined in any way" judge "$d/BF16.safetensors" "$o:bf16" --kernel bf16-any --causal --lse "$l" --json
json 'o["verdict"] == "within" and o["lse"]["verdict"] == "undecided"'

# bases
run 1 "base 2 beside base e" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:other"
shows '^within: all 256 elements'
shows '^log-sum-exp proved wrong: 3[0-2] of 32 rows are outside what any kernel of fp32-any can return$'
shows '^within in the other base: is --lse-base e right\?$'
run 1 "as JSON" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:other" --json
json 'o["verdict"] == "within" and o["lse"]["verdict"] == "wrong" and [a["name"] for a in o["lse"]["alternatives"]] == ["lse-other-base"]'
json 'o["lse"]["alternatives"][0]["verdict"] == "within" and "base e right" in o["lse"]["alternatives"][0]["sentence"]'
run 0 "base 2" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:other" --lse-base 2
run 1 "base e beside base 2" judge "$f" "$o" --kernel fp32-any --causal --lse "$l" --lse-base 2
shows '^within in the other base: is --lse-base 2 right\?$'
printf '{"format": "attest/kernel-model", "version": 1, "name": "two", "lse": {"base": "2"}}' >"$work/two.json"
run 0 "the base of a model" judge "$f" "$o" --kernel "$work/two.json" --causal --lse "$l:other"
run 0 "another base than that of the model" judge "$f" "$o" --kernel "$work/two.json" --causal --lse "$l" --lse-base e

# what the bound depends on
run 0 "a softcap" judge "$f" "$o" --kernel fp32-any --causal --softcap 1e9 --lse "$l"
run 1 "a softcap of 2" judge "$f" "$o" --kernel fp32-any --causal --softcap 2 --lse "$l:softcap" --json
json 'o["lse"]["verdict"] == "within"'
run 1 "no mask" judge "$f" "$o" --kernel fp32-any --lse "$l:none" --json
json 'o["lse"]["verdict"] == "within"'
run 1 "another scale" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:scale"
! grep -q "within in the other base" "$out"
result $? "no other base"
run 1 "one row" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:wrong"
shows '^log-sum-exp proved wrong: 1 of 32 rows'
shows '^worst row        head 1, row 5$'
run 0 "a sink" judge "$l" "$l:sunk-out" --kernel fp32-any --causal --sink logit --lse "$l:sink"
run 1 "a sink that the log-sum-exp leaves out" judge "$l" "$l:sunk-out" --kernel fp32-any --causal --sink logit --lse "$l"
printf '{"format": "attest/kernel-model", "version": 1, "name": "out", "lse": {"sink": "excluded"}}' >"$work/excluded.json"
run 0 "a model whose log-sum-exp leaves it out" judge "$l" "$l:sunk-out" --kernel "$work/excluded.json" --causal --sink logit --lse "$l"

# rows without keys
h="$l $l:holes-out --kernel fp32-any --mask holes-mask"
run 0 "a row without keys: any value" judge $h --lse "$l:holes-nan"
run 0 "-inf" judge $h --lse "$l:holes" --empty-lse neg-inf
run 0 "+inf" judge $h --lse "$l:holes-pos" --empty-lse pos-inf
run 0 "0" judge $h --lse "$l:holes-zero" --empty-lse zero
run 0 "NaN" judge $h --lse "$l:holes-nan" --empty-lse nan
run 0 "any" judge $h --lse "$l:holes-zero" --empty-lse any
run 1 "+inf in the place of -inf" judge $h --lse "$l:holes-pos" --empty-lse neg-inf
shows '^2 of them see no key: is --empty-lse right\?$'
run 1 "a number in the place of NaN" judge $h --lse "$l:holes-zero" --empty-lse nan
run 1 "NaN in the place of 0" judge $h --lse "$l:holes-nan" --empty-lse zero
run 1 "a value of a model" judge "$l" "$l:holes-out" --kernel fp32-torch-cpu --mask holes-mask --lse "$l:holes"

# layers
run 0 "layers" judge "$d/layers.safetensors" "$d/layers-out.safetensors" --q 'l.{}.q' --k 'l.{}.k' --v 'l.{}.v' --kernel fp32-any --causal
refused "one tensor for many layers" judge "$d/layers.safetensors" "$d/layers-out.safetensors" --q 'l.{}.q' --k 'l.{}.k' --v 'l.{}.v' --kernel fp32-any --causal --lse "$l:lse"
complains 'is one tensor, but there are many layers'

# refused
refused "another shape" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:short"
complains 'lse.safetensors: short: shape \(1, 2, 15\) does not fit q: \(1, 2, 16\), one number for every batch entry, head and query, is expected'
refused "no such tensor" judge "$f" "$o" --kernel fp32-any --causal --lse "$l:nothing"
refused "a base without a log-sum-exp" judge "$f" "$o" --kernel fp32-any --lse-base 2
complains '.-lse-base needs a log-sum-exp: --lse FILE:NAME'
refused "a value of empty rows without one" judge "$f" "$o" --kernel fp32-any --empty-lse zero
refused "a base that is none" judge "$f" "$o" --kernel fp32-any --lse "$l" --lse-base 10
printf '{"format": "attest/kernel-model", "version": 1, "name": "x", "lse": {"base": "10"}}' >"$work/ten.json"
refused "nor in a model" judge "$f" "$o" --kernel "$work/ten.json" --lse "$l"

PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/tests/cli/sequences.py" make "$d"
refused "packed sequences" judge "$d/packed.safetensors" "$d/packed.safetensors" --kernel fp32-any --causal --cu-seqlens-q cu_q --cu-seqlens-k cu_k --lse "$l"

# parts that are merged
p=$d/parts.safetensors
run 0 "merged parts" judge --merge "$p" "$p" --kernel fp32-any --lse "$p"
shows '^4 parts$'
shows '^within: all 256 elements are within what a kernel of fp32-any can return$'
shows '^log-sum-exp within: all 32 rows'
run 0 "as JSON" judge --merge "$p" "$p" --kernel fp32-any --lse "$p" --json
json 'o["format"] == "attest/judgement" and o["parts"] == 4 and o["elements"] == 256 and o["verdict"] == o["lse"]["verdict"] == "within"'
run 1 "a mean in the place of a merge" judge --merge "$p" "$p:mean" --kernel fp32-any
run 1 "the whole row beside its parts in another base" judge --merge "$p" "$p" --kernel fp32-any --lse-base 2
run 0 "parts in base 2" judge --merge "$d/binary-parts.safetensors" "$d/binary-parts.safetensors" --kernel fp32-any --lse-base 2 --lse "$d/binary-parts.safetensors"
refused "a part that is NaN" judge --merge "$d/bad-parts.safetensors" "$p" --kernel fp32-any
complains 'bad-parts.safetensors: lse_parts: part 0, row 0: NaN is not the log-sum-exp of a part'
refused "other numbers of parts" judge --merge "$d/short-parts.safetensors" "$p" --kernel fp32-any
complains 'out_parts has shape \(4, 1, 2, 16, 8\) and lse_parts \(3, 1, 2, 16\)'
refused "no parts" judge --merge "$f" "$o" --kernel fp32-any
refused "one operand" judge --merge "$p" --kernel fp32-any
refused "an option of q and k" judge --merge "$p" "$p" --kernel fp32-any --causal
complains 'judges parts that were recorded'
refused "a sample of rows" judge --merge "$p" "$p" --kernel fp32-any --rows 3
refused "no model" judge --merge "$p" "$p"
finish
