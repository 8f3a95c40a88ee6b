# stages.sh -- stages, their minutes and the totals of their tests. Sourced in the top directory.
passed=0
failed=0
failures= # what the last lines repeat, for those who see no others
# Data too large for the tree; tests that want them are skipped without.
[ -d ../shared/data ] && ATTEST_DATA=$(cd ../shared/data && pwd) && export ATTEST_DATA

count() { # adds up the test totals in a log of `make check`
    local p f
    p=$(awk '/^# (PASS|XFAIL): /{n += $3} END {print n + 0}' "$1")
    f=$(awk '/^# (FAIL|XPASS|ERROR): /{n += $3} END {print n + 0}' "$1")
    passed=$((passed + p))
    failed=$((failed + f))
}

stage() { # name, command...: runs one stage, shows what went wrong
    local name=$1 log status start=$SECONDS
    shift
    log=$(mktemp)
    ("$@") >"$log" 2>&1
    status=$?
    count "$log"
    if [ $status -eq 77 ]; then # as in automake: it cannot be tried here
        echo "== $name: skipped: $(tail -n 1 "$log")"
        rm -f "$log"
        return
    fi
    awk -v name="$name" -v status=$status -v s=$((SECONDS - start)) \
        'BEGIN { printf "== %s: exit %d after %.1f min\n", name, status, s / 60 }'
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=$(echo "$name: exit $status" && grep -E '^(FAIL|ERROR|XPASS): |^not ok' "$log" | sort -u | head -n 20)$'\n'
        grep -v '^PASS' "$log" | grep -nE 'rror:|warning:' | head -n 40
        tail -n 60 "$log"
    fi
    rm -f "$log"
}

finish() { # the last line, and the exit code
    printf '%s' "$failures"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
