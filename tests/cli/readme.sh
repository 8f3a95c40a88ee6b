#!/bin/sh
# What the README shows is what the program prints. An indented block that begins with
# "$ build/attest" is a command and its output; a line "..." stands for any further lines.
. "$srcdir/tests/cli/lib.sh"

awk -v folder="$work" '
    /^    \$ build\/attest / { n++; file = folder "/block" n; inside = 1; sub(/^    \$ build\/attest /, ""); print >file; next }
    inside && /^    / { sub(/^    /, ""); print >file; next }
    { inside = 0 }' "$srcdir/README.md"

cd "$srcdir" || exit 1
for block in "$work"/block*; do
    command=$(head -n 1 "$block")
    tail -n +2 "$block" >"$work/expected"
    # shellcheck disable=SC2086 -- the command is split as a shell would
    "$ATTEST" $command >"$out" 2>"$err" </dev/null
    if grep -qx ' *\.\.\.' "$work/expected"; then
        sed '/^ *\.\.\.$/,$d' "$work/expected" >"$work/begin"
        head -n "$(wc -l <"$work/begin")" "$out" | cmp -s - "$work/begin"
    else
        cmp -s "$out" "$work/expected"
    fi
    result $? "attest $command"
done
[ $count -gt 0 ]
result $? "the README has examples"
finish
