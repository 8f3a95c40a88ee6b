#!/bin/sh
# The JSON object of every command begins with its format and its version; doc/files.md lists the formats.
. "$srcdir/tests/cli/lib.sh"
need_python
pair=$srcdir/examples/universal-pair.json
soft=$srcdir/examples/softmax.json
hard=$srcdir/examples/hardmax.json
qkv=$srcdir/examples/attention.safetensors

# begins FORMAT CODE COMMAND...
begins() {
    format=$1
    code=$2
    shift 2
    echo "$1 $2 " >>"$work/commands"
    echo "attest/$format" >>"$work/formats"
    run "$code" "$*" "$@" --json
    case $format in
    dot | eval) json "list(o.items())[:2] == [('record', 'attest/$format'), ('version', 1)]" ;; # format: of the numbers
    *) json "list(o.items())[:2] == [('format', 'attest/$format'), ('version', 1)]" ;;
    esac
}

echo 3f800000 >"$work/number"
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [2]]], "labels": [[[1], [2]]]}' >"$work/labels.json"
begins approximate 0 approximate --function sum --grid 4
begins audit 0 audit "$pair" --weights "$soft" --formats bfloat16 --quick
begins campaign-report 0 campaign lemma1 --trials 3 --out "$work/shard"
begins campaign-report 0 campaign merge "$work/shard" -o "$work/whole"
begins campaign-status 0 campaign status "$work/shard"
begins campaign-new 0 campaign new mine -o "$work/mine.c"
begins certify 0 certify "$pair" --weights "$soft" -o "$work/certificate.json"
begins certify 1 certify "$pair" --weights "$hard"
begins undecided 3 eval "$pair" --weights "$soft" --max-work 1
begins check 0 check "$work/certificate.json"
begins construct 0 construct "$pair" --strategy gap
begins counterexample 0 counterexample -o "$work/counterexample.json"
begins gallery 0 counterexample --list
begins demo 0 demo -o "$work/tour"
begins dot 0 dot tc:hopper fp16 "$work/number" "$work/number"
begins eval 0 eval "$pair" --weights "$soft"
begins eval 0 eval "$pair" --weights "$soft" --number bfloat16
begins audit 0 heads "$qkv" --formats bfloat16
begins import 0 import "$srcdir/examples/devil/block.safetensors" --q heads.0.WQ --k heads.0.WK --v heads.0.WV --o heads.0.WO
begins tensors 0 import "$qkv" --list
begins memorize 0 memorize "$work/labels.json"
begins range 0 range "$qkv" --kernel bf16-any
begins replay 1 replay "$work/counterexample.json"
begins report 0 report "$work/shard" -o "$work/page.html"
begins separated 0 separated "$pair"
begins registry 0 show
begins registry 0 show kernels
begins kernel-model 0 show kernel bf16-any
begins statement 0 show theorem2
begins statement 0 show contextual
begins term 0 show delta
begins simulate 0 simulate "$qkv" --kernel hopper-bf16-64 -o "$work/out.safetensors"
begins judgement 0 judge "$qkv" "$work/out.safetensors" --kernel bf16-any
begins tolerance 0 tolerance "$qkv" --kernel bf16-any

"$ATTEST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p' >"$work/names"
missing=$(while read -r name; do
    grep -q "^$name " "$work/commands" || echo "$name"
done <"$work/names")
echo "$missing" >"$err"
[ -s "$work/names" ] && [ -z "$missing" ]
result $? "every command is tried"
missing=$(sort -u "$work/formats" | while read -r format; do
    grep -q "\"$format\"" "$srcdir/doc/files.md" || echo "$format"
done)
echo "$missing" >"$err"
[ -z "$missing" ]
result $? "doc/files.md has every format"
finish
