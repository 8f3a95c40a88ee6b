#!/bin/sh
# `make check-mutants N=200 SEED=1`: random small changes in a copy of the source, each of which the tests
# that the changed file names (tests/tests_of.txt) must notice. A change that the compiler refuses, or that
# leaves the machine code as it was, does not count. Lists what survives, and the share of killed ones by
# room; fails below 90 %. FIRST=K begins with the K-th. ATTEST_MUTANTS=DIR keeps copy and build there, for
# the next run.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"
srcdir=$(cd "$srcdir" && pwd)
export srcdir

build=$work/build
if [ -n "$ATTEST_MUTANTS" ]; then
    tree=$ATTEST_MUTANTS/tree
    build=$ATTEST_MUTANTS/build
fi
made() { make -C "$build" -j"${JOBS:-2}" "$@" >"$work/log" 2>&1; }
programs() { for test; do case $test in *.sh) echo attest ;; *) echo "tests/$test" ;; esac; done | sort -u; }

# object FILE: a sum of the machine code that is made of it; what is included is taken for new each time.
object() {
    case $1 in *.inc)
        date +%N
        return
        ;;
    esac
    stem=$(basename "${1%.*}")
    find "$build/$(dirname "$1")" -name "*$stem*.o" ! -path '*/.libs/*' -exec sh -c 'objdump -d "$1" | sed 1,3d' sh {} \; 2>/dev/null | cksum
}

noticed() { # the first test that fails
    for test; do
        case $test in
        *.sh) set -- sh "$srcdir/tests/$test" ;;
        *) set -- "$build/tests/$test" ;;
        esac
        (cd "$work" && ulimit -v 8000000 && ATTEST="$build/attest" builddir="$build" timeout 120 "$@") >"$out" 2>"$err" &&
            ! grep -q '^not ok' "$out" && continue
        echo "$test"
        return 0
    done
    return 1
}

if [ ! -e "$build/Makefile" ]; then
    CFLAGS='-O1' copy_source "$build" || exit 99
fi
# a copy that was kept may be older, or have a bug in it that a run left behind
for folder in src props include tests; do
    (cd "$srcdir" && find $folder -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.sh' -o -name '*.py' \)) |
        while read -r file; do
            cmp -s "$srcdir/$file" "$tree/$file" || cp "$srcdir/$file" "$tree/$file"
        done
done
python3 "$srcdir/tests/mutants.py" "$tree" "${SEED:-1}" "$((${N:-200} + ${FIRST:-1} - 1))" |
    sed 1,$((${FIRST:-1} - 1))d >"$work/mutants"
while IFS='	' read -r file line kind new; do
    tests=$(tests_of "$file")
    what="$file:$line ($kind): $(echo "$new" | sed 's/^ *//')"
    # shellcheck disable=SC2046,SC2086
    if ! made $(programs $tests); then
        echo "the copy does not build: $(tail -n 3 "$work/log")"
        exit 99
    fi
    before=$(object "$file")
    plant_line "$file" "$line" "$new"
    # shellcheck disable=SC2046,SC2086
    if ! made $(programs $tests); then
        verdict="not C"
    elif [ "$before" = "$(object "$file")" ]; then
        verdict=equivalent
    elif test=$(noticed $tests); then
        verdict="killed by $test"
    else
        verdict=SURVIVED
    fi
    unplant "$file"
    echo "$verdict: $what" | tee -a "$work/verdicts"
done <"$work/mutants"

awk -F: '
    /^killed|^SURVIVED/ {
        split($2, part, "/"); room = part[2]
        total[room]++; all++
        if (/^killed/) { killed[room]++; dead++ }
    }
    END {
        for (room in total)
            printf "%s: %d of %d killed\n", room, killed[room], total[room]
        printf "all: %d of %d killed\n", dead, all
        exit dead < 0.9 * all
    }' "$work/verdicts"
