# lib.sh -- TAP for tests of the program. Sourced; the caller ends with `finish`.
count=0
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
json() {
    python3 -c '
import json, sys
from fractions import Fraction
o = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$out" "$1" 2>>"$err"
    result $? "json $1"
}

finish() { echo "1..$count"; }

# Every indented block of a document that begins with "$ PROGRAM " is a command and its output: what is
# shown is what is printed, in this folder. A line "..." stands for any further lines.
documented() { # document, program as it is written there
    awk -v folder="$work" -v mark="    \$ $2 " '
        index($0, mark) == 1 { n++; file = sprintf("%s/block%03d", folder, n); inside = 1; print substr($0, length(mark) + 1) >file; next }
        inside && /^    / { sub(/^    /, ""); print >file; next }
        { inside = 0 }' "$1"
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
}
