#!/bin/sh
# Old spellings of commands and options: each one prints, writes and exits like the new one, and no help shows it.
. "$srcdir/tests/cli/lib.sh"

cd "$work" || exit 1
cp "$srcdir/examples/attention.safetensors" qkv.safetensors
cp "$srcdir/examples/devil/model.safetensors" "$srcdir/examples/devil/page.safetensors" .
echo '3f800000 40000000' >a.txt
for k in 1 2; do
    "$ATTEST" campaign lemma1 --trials 20 --seed 3 --jobs 1 --shard $k/2 --out part$k >"$out" 2>"$err" || exit 1
done
judge="judge qkv.safetensors qkv.safetensors:y --kernel fp32-any --causal"

# OLD | NEW; the file made, if any, is compared, too. Rates and times of day differ from run to run.
while read -r line; do
    [ -n "$line" ] || continue
    old=${line%% |*} new=${line#*| }
    for spelling in old new; do
        eval "words=\$$spelling"
        rm -rf made
        # shellcheck disable=SC2086
        "$ATTEST" $words >$spelling.out 2>$spelling.err </dev/null
        echo $? >$spelling.code
        [ ! -d made ] || mv made/report.json made-report
        [ ! -e made-report ] || { rm -rf made && mv made-report made; }
        { [ ! -e made ] && : || cat made; } | sed 's/"seconds": .*//; s/"trials_per_second": .*//' >$spelling.made
        sed -i 's/[0-9.e+]*\/s\b//g; s/"seconds.*//; s/"trials_per_second.*//' $spelling.out
    done
    cat new.out new.err >"$out"
    diff old.code new.code >"$err" && diff old.out new.out >>"$err" && diff old.err new.err >>"$err" && diff old.made new.made >>"$err"
    result $? "$old: as $new (exit $(cat new.code))"
done <<END
list | show
list --json | show --json
list --help | show --help
merge part1 part2 -o made | campaign merge part1 part2 -o made
merge part1 -o made | campaign merge part1 -o made
merge --help | campaign merge --help
status part1 part2 | campaign status part1 part2
status --help | campaign status --help
new-property mine -o - | campaign new mine -o -
new-property | campaign new
help status | help campaign status
audit --qkv qkv.safetensors --causal --formats bfloat16 -o made.json | heads qkv.safetensors --causal --formats bfloat16 -o made.json
audit --qkv=qkv.safetensors --all --formats bfloat16 --json --quick --max-work 1e9 | heads qkv.safetensors --all --formats bfloat16 --json
audit --formats bfloat16 --qk qkv.safetensors | heads qkv.safetensors --formats bfloat16
audit --arch gpt2 --model model.safetensors --activations page.safetensors --heads 4 --formats bfloat16 | heads --arch gpt2 --model model.safetensors --activations page.safetensors --heads 4 --formats bfloat16
audit --model model.safetensors --formats bfloat16 | heads --model model.safetensors --formats bfloat16
audit --qkv qkv.safetensors --weights w.json | heads qkv.safetensors --weights w.json
audit --qkv qkv.safetensors --help | heads --help
dot tc:hopper binary16 a.txt a.txt --out binary16 | dot tc:hopper binary16 a.txt a.txt --result binary16
dot tc:volta binary16 a.txt a.txt --out=binary16 | dot tc:volta binary16 a.txt a.txt --result=binary16
judge qkv.safetensors --output qkv.safetensors:y --kernel fp32-any --causal | $judge
judge qkv.safetensors --output=qkv.safetensors:y --kernel fp32-any --causal --json | $judge --json
judge --output qkv.safetensors:y qkv.safetensors --kernel fp32-any --causal | $judge
judge --kernel fp32-any --causal --out qkv.safetensors:dropped -- qkv.safetensors | judge qkv.safetensors qkv.safetensors:dropped --kernel fp32-any --causal
judge --output qkv.safetensors:y --kernel fp32-any | judge qkv.safetensors:y --kernel fp32-any
judge qkv.safetensors qkv.safetensors:y --output qkv.safetensors:y --kernel fp32-any | judge qkv.safetensors qkv.safetensors:y qkv.safetensors:y --kernel fp32-any
$judge --record made | $judge -o made
range qkv.safetensors --kernel fp32-any --record made | range qkv.safetensors --kernel fp32-any --output made
range qkv.safetensors --kernel fp32-any --causal --within 0.1 --json | range qkv.safetensors --kernel fp32-any --causal --max-error 0.1 --json
range qkv.safetensors --kernel fp32-any --within x | range qkv.safetensors --kernel fp32-any --max-error x
tolerance qkv.safetensors --kernel fp32-any --given 1e-2,1e-2 | tolerance qkv.safetensors --kernel fp32-any --check 1e-2,1e-2
tolerance qkv.safetensors --kernel fp32-any --json --given=1e-2,0 | tolerance qkv.safetensors --kernel fp32-any --json --check=1e-2,0
END

for name in list merge status new-property bench; do
    "$ATTEST" --help | grep -q "^  $name " || "$ATTEST" --complete '' | grep -qx -e "$name"
    [ $? -eq 1 ]
    result $? "$name is not listed"
done
for option in "audit --qkv" "audit --model" "heads --qkv" "heads --quick" "heads --max-work" "dot --out" "judge --output" "judge --record" "range --record" "range --within" "tolerance --given"; do
    command=${option% *}
    "$ATTEST" "$command" --help | grep -qE -e "${option#* }( |$)" || "$ATTEST" --complete "$command" -- | grep -qx -e "${option#* }"
    [ $? -eq 1 ]
    result $? "$option is not shown"
done
finish
