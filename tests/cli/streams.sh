#!/bin/sh
# Standard streams: one thing on standard output, one line about a stream that does not take it,
# and closed streams that do not become files.
. "$srcdir/tests/cli/lib.sh"

# copied to where no blank can be in a path: commands are split at blanks below
cp "$srcdir/examples/hardmax.json" "$srcdir/examples/softmax.json" "$srcdir/examples/universal-pair.json" "$work"
hard=$work/hardmax.json
soft=$work/softmax.json
pair=$work/universal-pair.json
python3 - "$work" <<'END'
import json, sys
sequences = [[[i, 1], [i + 1, 1]] for i in range(1, 1500)]
data = {"format": "attest/dataset", "version": 1, "sequences": sequences}
json.dump(data, open(sys.argv[1] + "/large.json", "w"))
data["sequences"] = sequences[:4]
data["labels"] = [[[i], [0]] for i in range(4)]
json.dump(data, open(sys.argv[1] + "/labels.json", "w"))
END

# one_object COMMAND...: nothing but one JSON object on standard output.
one_object() {
    "$ATTEST" "$@" >"$out" 2>"$err" </dev/null
    python3 -c 'import json, sys; sys.exit(not isinstance(json.load(open(sys.argv[1])), dict))' "$out" 2>>"$err"
    result $? "one object: $*"
}
for command in "eval $pair --weights $hard" "certify $pair --weights $soft" \
    "construct $pair --strategy tuned" "counterexample --dim 2" "memorize $work/labels.json" \
    "approximate --function sum --grid 4"; do
    one_object $command -o -
    one_object $command --json
    refused "two on standard output" $command -o - --json
done
run 0 "a page" audit "$pair" --weights "$soft" --formats p=8 --quick --report -
head -n 1 "$out" | grep -q '^<!DOCTYPE html>' && tail -n 1 "$out" | grep -q '</html>$'
result $? "and nothing else"
refused "a page and JSON" audit "$pair" --weights "$soft" --report - --json
refused "TAP and JSON" campaign lemma1 --trials 1 --tap --json
refused "JUnit and TAP" campaign lemma1 --trials 1 --tap --junit -
run 0 "JUnit" campaign lemma1 --trials 1 --junit -
head -n 1 "$out" | grep -q '^<?xml' && tail -n 1 "$out" | grep -q '</testsuite>'
result $? "and nothing else"
for command in "demo" "merge $work" "audit $pair"; do
    refused "a directory is needed" $command -o -
done

# An output that cannot be written is an error before the work, not after it.
for command in "eval x --weights x -o" "certify x --weights x -o" "construct x -o" \
    "memorize x -o" "counterexample --weights x -o" "approximate --function sum -o" \
    "audit x -o" "audit x --report" "campaign x --junit" "import x -o" "report x -o"; do
    for target in "$work/none/file.json" "$work/large.json/file.json"; do
        run 4 "no such directory: $command" $command "$target"
        complains "^attest: $target: cannot create: "
    done
done
run 4 "a directory instead of a file" certify x --weights x -o "$work"
complains "^attest: $work: is a directory"
run 4 "a file instead of a directory" audit x -o "$work/stdout"
complains "^attest: $work/stdout: cannot create files in it: Not a directory"

# A progress line stands on a terminal, but not between lines of output.
cat >"$work/terminal.py" <<'END'
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
try:
    while part := os.read(terminal, 65536):
        shown += part
except OSError:  # the terminal is gone with its last user
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
if python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
    for bits in 12000 16000 24000 48000 192000; do # until it takes long enough to show any
        python3 "$work/terminal.py" "$ATTEST" eval "$work/large.json" --weights "$soft" --bits $bits \
            -o "$work/product.json" >"$out" 2>"$err"
        [ $? -eq 0 ] && grep -qE '[0-9]+ of 1499 sequences .*/s, .* left' "$out"
        shown=$?
        [ $shown -eq 0 ] && break
    done
    result $shown "progress is shown on a terminal"
    python3 "$work/terminal.py" "$ATTEST" eval "$work/large.json" --weights "$soft" --bits 3000 >"$out" 2>"$err"
    [ $? -eq 0 ] && ! grep -q 'of 1499 sequences' "$out"
    result $? "but not between outputs"
else
    count=$((count + 1))
    echo "ok $count - progress on a terminal # SKIP the system has no pseudo-terminals (/dev/pts)"
fi
"$ATTEST" eval "$work/large.json" --weights "$soft" --bits 3000 -o "$work/product.json" >"$out" 2>"$err"
[ $? -eq 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
result $? "nor where there is no terminal"

# Standard input can be read once.
for command in "eval - --weights -" "certify - --weights -" "audit - --weights -" \
    "audit - --gate -" "counterexample --weights - --vocabulary -" "check - -" "replay - x -"; do
    refused "standard input twice" $command
    complains 'standard input can be only one of the files'
done

# A stream that takes nothing: one line, also where the output is longer than a buffer.
full() { # and with the reason
    [ "$(wc -l <"$err")" -eq 1 ] &&
        grep -q '^attest: standard output: cannot write: No space left on device$' "$err"
}
for command in "eval $work/large.json --weights $hard -o -" "certify $pair --weights $soft -o -" \
    "audit $pair --weights $soft --formats p=8 --quick --report -" "campaign lemma1 --trials 1 --junit -"; do
    "$ATTEST" $command >/dev/full 2>"$err"
    [ $? -eq 4 ] && full
    result $? "a full disk for a product: $command"
done
for command in "audit $pair --weights $soft --quick" "eval $work/large.json --weights $hard" \
    "show" "certify $pair --weights $hard"; do
    "$ATTEST" $command --json >/dev/full 2>"$err"
    [ $? -eq 4 ] && full
    result $? "a full disk: $command"
    "$ATTEST" $command --json >&- 2>"$err"
    [ $? -eq 4 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q '^attest: standard output: ' "$err"
    result $? "no standard output: $command"
done

# The first file that is opened would take the place of a closed stream.
"$ATTEST" eval "$work/large.json" --weights "$hard" -o "$work/expected.json"
"$ATTEST" eval "$work/large.json" --weights "$hard" -o "$work/product.json" --json >&- 2>"$err"
[ $? -eq 4 ] && cmp -s "$work/expected.json" "$work/product.json"
result $? "a product without standard output is itself"
"$ATTEST" eval "$work/large.json" --weights "$hard" -o "$work/product.json" <&- >&- 2>&-
[ $? -eq 0 ] && cmp -s "$work/expected.json" "$work/product.json"
result $? "a product without any stream is itself"
"$ATTEST" separated - <&- >"$out" 2>"$err"
[ $? -eq 2 ] && grep -q '^attest: standard input: cannot read' "$err"
result $? "no standard input: $(cat "$err")"
finish
