#!/bin/sh
# Every command has --help with an example; unknown things are refused in one line.
. "$srcdir/tests/cli/lib.sh"

words() { tr -s ' ' '\n' | sort -u; }
sh "$srcdir/doc/pages" "$ATTEST" "$work/manual" >"$out" 2>"$err"
result $? "the pages of the manual are made"
[ "$(ls "$work/manual"/*.1 | wc -l)" -eq "$(ls "$srcdir/doc/commands" | wc -l)" ]
result $? "one for each command"
if command -v groff >"$work/groff"; then
    for page in "$work/manual"/*.1; do groff -man -Tascii -ww -z "$page" 2>&1; done >"$err"
    [ ! -s "$err" ]
    result $? "groff has no warning"
fi

run 0 "attest --help" --help
shows '^Usage: attest COMMAND'
[ "$(awk '{ if (length > m) m = length } END { print m }' "$out")" -le 80 ]
result $? "fits 80 columns"
commands=$(sed -n '/^Commands:/,/^$/s/^  //p' "$out" | cut -c 1-16 | sed 's/ *$//; s/ /-/')
for name in $commands; do
    command=$(echo "$name" | tr - ' ')
    # shellcheck disable=SC2086
    run 0 "$command --help" $command --help
    shows "^Usage: attest $command"
    shows '^Example:'
    [ "$(awk '{ if (length > m) m = length } END { print m }' "$out")" -le 80 ]
    result $? "fits 80 columns"
    # the page for man(1) says the same, word for word
    page=$work/manual/attest-$name.1
    sed 's/^ *//; s/\\/\\e/g' "$out" | sed '/^\(Usage: .*\|Options:\|Example:\|\)$/d; s/^ *//' | words >"$work/helped"
    sed '/^\.\(TH\|SH\|PP\|RS\|RE\|nf\|fi\|TP\)/d; s/\\f[BIR]//g; s/\\-/-/g; s/^\\&//' "$page" 2>"$err" | words >"$work/paged"
    missing=$(comm -23 "$work/helped" "$work/paged" | tr '\n' ' ')
    [ -s "$page" ] && [ -z "$missing" ]
    result $? "man attest-$name agrees with it $missing"
    grep -q "doc/manual/attest-$name.1" "$srcdir/doc/doc.am" && grep -q "doc/commands/$name.md" "$srcdir/doc/doc.am"
    result $? "and is installed"
done
COLUMNS=50 "$ATTEST" certify --help >"$out" 2>"$err"
[ "$(awk '/^Example:/ { exit } { if (length > m) m = length } END { print m }' "$out")" -le 50 ]
result $? "a narrow terminal is respected"
run 0 "attest --version" --version
shows '^attest [0-9]+\.[0-9]+\.[0-9]+$'
shows '^GMP .*, MPFR .*, FLINT .*, zlib '
shows '^kernel: (scalar|avx2|avx512)$'
shows '^theft: '
ATTEST_KERNEL=scalar "$ATTEST" --version >"$out" 2>"$err"
shows '^kernel: scalar$'
ATTEST_KERNEL=abacus "$ATTEST" show >"$out" 2>"$err"
[ $? -eq 2 ] && [ ! -s "$out" ]
result $? "a kernel that is not there: $(cat "$err")"

run 0 "attest help COMMAND" help eval
shows '^Usage: attest eval DATA'
run 0 "attest help with two words" help campaign merge
shows '^Usage: attest campaign merge DIR'
refused "attest help NONSENSE" help nonsense
refused "an unknown option" --nonsense
complains "^attest: unknown option '--nonsense'"
refused "an argument for a flag" show --json=1
complains "takes no argument: '--json=1'"
for epoch in x -1 1e3 99999999999999999999 253402300800; do
    SOURCE_DATE_EPOCH=$epoch "$ATTEST" show >"$out" 2>"$err"
    [ $? -eq 2 ] && [ ! -s "$out" ] && grep -q "^attest: SOURCE_DATE_EPOCH=$epoch: " "$err"
    result $? "no date: $epoch"
done
SOURCE_DATE_EPOCH=253402300799 "$ATTEST" show >"$out" 2>"$err" && SOURCE_DATE_EPOCH='' "$ATTEST" list >"$out" 2>"$err"
result $? "dates"

refused "no command"
refused "an unknown command" nonsense
refused "a hostile command" "$(printf 'a\033[31m\nb')"
complains 'a\\x1b\[31m\\x0ab'
refused "an unknown option" show --nonsense
refused "an unknown letter" show -Q
refused "a missing argument" eval --weights
refused "a surplus operand" separated x y
refused "a missing operand" separated
refused "an unknown statement" show nonsense
refused "a bad size" show --max-memory 12Q
refused "a huge size" show --max-memory 99999999999999T
refused "a choice" construct x --strategy best
complains "'best' is not theorem, gap or tuned "
refused "a number that does not fit" construct x --seed 18446744073709551616
complains 'is not below 2\^64'
refused "no number" construct x --seed -1
refused "a negative rational" separated x --eps -1/2
complains "^attest: --eps: '-1/2' is negative$"
for option in "eval x --bits" "counterexample --heads" "counterexample --dim" "counterexample --size" \
    "campaign theorem1 --trials" "campaign --number mpfr --bits" "import x --heads" \
    "approximate --function sum --grid" "approximate --function sum --dim" \
    "approximate --function sum --length" "audit x --block"; do
    refused "nothing of it" $option 0
    complains "'0' is not 1 or more"
done
refused "one cell" approximate --function sum --grid 1
complains 'at least 2 cells'
refused "too many cells" approximate --function sum --grid 1025
complains '1025\^\(1\*2\) = 1050625 are more'
run 0 "a leading zero" counterexample --dim 010 --json
json 'len(o["dataset"]["sequences"][0][0]) == 10'
run 0 "a hexadecimal number" counterexample --dim 0x10 --json
json 'len(o["dataset"]["sequences"][0][0]) == 16'
run 0 "abbreviated options, any order" show --js theorem1
json 'o["name"] == "theorem1" and "uniform-ties" in o["hypotheses"]'
run 0 "show" show
shows '^theorem2 +Theorem 2'
run 0 "show --json" show --json
json 'len(o["statements"]) > 10'
json '[k["name"] for k in o["kernels"]][0] == "fp32-any"'
run 0 "show kernels" show kernels
shows '^bf16-flash2 +FlashAttention-2'
run 0 "show kernels --json" show kernels --json
json 'len(o["kernels"]) > 10 and all(k["title"] for k in o["kernels"])'
run 0 "show kernel NAME" show kernel bf16-any
shows '^     or    format bfloat16, offset 0$'
run 0 "show kernel NAME --json" show kernel fp32-any --json
json 'o["format"] == "attest/kernel-model" and o["exp"] == {"relative": "0x1p-22"} and o["p"]["format"] is None'
cp "$out" "$work/kernel.json"
cp "$out" "$work/written.json"
run 0 "show kernel FILE" show kernel "$work/kernel.json" --json
cmp -s "$out" "$work/written.json"
result $? "a completed model is complete"
refused "an unknown kernel" show kernel fp32-some
complains '^attest: there is no kernel model "fp32-some"'
refused "two statements" show theorem1 theorem2
echo '{"format": "attest/kernel-model", "version": 1, "max": {"tile": -1}}' >"$work/kernel.json"
refused "a bad kernel model" show kernel "$work/kernel.json"
complains '^attest: .*/kernel.json: max.tile: a whole number from 1 '
for name in $("$ATTEST" show | awk '{print $1}'); do
    run 0 "show $name" show "$name"
    shows '^Decided by$'
    [ "$(awk '{ if (length > m) m = length } END { print m }' "$out")" -le 80 ]
    result $? "fits 80 columns"
done
"$ATTEST" show >/dev/full 2>"$err"
[ $? -eq 4 ]
result $? "standard output full: $(cat "$err")"
finish
