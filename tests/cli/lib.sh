# lib.sh -- TAP for tests of the program. Sourced; the caller ends with `finish`.
count=0
evaluator=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/stdout
err=$work/stderr

result() { # status, description...
    status=$1
    shift
    count=$((count + 1))
    if [ "$status" -eq 0 ]; then
        echo "ok $count - $*"
    else
        echo "not ok $count - $*"
        sed 's/^/# stdout: /' "$out" | head -5
        sed 's/^/# stderr: /' "$err" | head -5
    fi
}

# Skips the test where there is no python3, which leaves nothing in the source tree.
need_python() {
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONDONTWRITEBYTECODE
    command -v python3 >/dev/null 2>&1 && return
    echo "1..0 # SKIP there is no python3"
    exit 0
}

# run CODE DESCRIPTION ARGUMENT...: attest must end with this exit code.
run() {
    expected=$1
    description=$2
    shift 2
    "$ATTEST" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    [ $got -eq "$expected" ]
    result $? "$description (exit $got)"
}

# refused DESCRIPTION ARGUMENT...: exit 2, one line on stderr that begins with "attest: ", nothing
# on stdout.
refused() {
    description=$1
    shift
    "$ATTEST" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    [ $got -eq 2 ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q '^attest: ' "$err" && [ ! -s "$out" ]
    result $? "$description: $(head -n 1 "$err")"
}

# shows PATTERN: the last run's stdout has a line that matches; complains likewise for stderr.
shows() { grep -qE -e "$1" "$out"; result $? "shows $1"; }
complains() { grep -qE -e "$1" "$err"; result $? "complains $1"; }

# json EXPRESSION: the last run's stdout is one JSON object o for which the Python expression holds.
# One Python evaluates all of them: a question is a directory, a file of stdout, one of stderr and the
# expression, each with a NUL after it; the answer is a line, 0 or 1. It ends with this shell, which holds
# the other end of its standard input.
json() {
    if [ -z "$evaluator" ]; then
        mkfifo "$work/questions" "$work/answers"
        python3 -c '
import json, os, sys, traceback
from fractions import Fraction
part, parts = bytearray(), []
while byte := sys.stdin.buffer.read(1):
    part += byte
    if byte != b"\0":
        continue
    parts.append(os.fsdecode(bytes(part[:-1])))
    part.clear()
    if len(parts) < 4:
        continue
    directory, out, err, expression = parts
    parts.clear()
    good = False
    try:
        os.chdir(directory)
        with open(out) as file:
            known = {"json": json, "Fraction": Fraction, "o": json.load(file)}
        good = bool(eval(expression, known))
    except Exception:
        with open(err, "a") as file:
            traceback.print_exc(file=file)
    print(0 if good else 1, flush=True)' <"$work/questions" >"$work/answers" 2>/dev/null &
        evaluator=$!
        exec 8>"$work/questions" 9<"$work/answers"
    fi
    printf '%s\0' "$PWD" "$out" "$err" "$1" >&8
    read -r answer <&9
    result "${answer:-1}" "json $1"
}

finish() { echo "1..$count"; }
