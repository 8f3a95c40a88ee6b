#!/bin/sh
# `make check-mutants N=200 SEED=1`: random small changes in a copy of the source, each of which the tests
# that the changed file names (tests/tests_of.txt) must notice. A change that the compiler refuses, or that
# leaves the machine code as it was, or that tests/mutants_explained.txt explains, does not count. Lists what survives, and the share of killed ones by
# room; fails below 90 %. FIRST=K begins with the K-th. ATTEST_MUTANTS=DIR keeps copy and build there, for
# the next run.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"
srcdir=$(cd "$srcdir" && pwd)
export srcdir

[ -z "$ATTEST_MUTANTS" ] || tree=$ATTEST_MUTANTS/tree
build=$tree/build # as developers build, so that a cache of the compiler serves both
made() { make -C "$build" -j"${JOBS:-2}" "$@" >"$work/log" 2>&1; }
code() { for object in "$@"; do objdump -d "$object" | sed 1,3d; done | cksum; }

# objects FILE: what is compiled from it, without the ending.
objects() {
    case $1 in
    *.c) echo "$build/${1%.c}" ;;
    *) grep -l "$1" "$build"/src/*/.deps/*.Plo | sed 's|/\.deps/|/|; s|\.Plo$||' ;;
    esac
}

# mutated FILE LINE NEW: compiles FILE with that line, into $mutant; the copy stays as it was, so that
# nothing but that is compiled. Status 1: not C; 2: the machine code is the same.
mutated() {
    planted=$(objects "$1")
    mutant= before=
    touch -r "$tree/$1" "$work/stamp"
    for object in $planted; do
        cp -p "$object.o" "$work/$(basename "$object").o.kept"
        cp -p "$object.lo" "$work/$(basename "$object").lo.kept"
        before="$before $object.o"
    done
    # shellcheck disable=SC2086
    before=$(code $before)
    plant_line "$1" "$2" "$3"
    # shellcheck disable=SC2046
    made $(for object in $planted; do echo "${object#"$build/"}.lo"; done)
    is_c=$?
    unplant "$1"
    touch -r "$work/stamp" "$tree/$1"
    for object in $planted; do
        stem=$work/$(basename "$object")
        [ $is_c -ne 0 ] || cp "$object.o" "$stem.o"
        mutant="$mutant $stem.o"
        mv "$stem.o.kept" "$object.o"
        mv "$stem.lo.kept" "$object.lo"
    done
    [ $is_c -eq 0 ] || return 1
    # shellcheck disable=SC2086
    [ "$before" != "$(code $mutant)" ] || return 2
}

# known FILE LINE NEW: whether tests/mutants_explained.txt says why no test can notice it.
known() {
    grep -qxF "$1: $(sed -n "$2p" "$tree/$1" | sed 's/^ *//') -> $(echo "$3" | sed 's/^ *//')" \
        "$srcdir/tests/mutants_explained.txt"
}

# linked TEST: what runs it, with the mutant before the library, whose own object is not taken then.
linked() {
    case $1 in
    *.sh) program=attest ;;
    *) program=tests/$1 ;;
    esac
    case " $have " in *" $program "*) return ;; esac
    have="$have $program"
    rm -f "$build/$program"
    made "$program" LDFLAGS="$mutant" && return
    echo "$program does not build: $(tail -n 3 "$work/log")" >&2
    exit 99
}

noticed() { # the first test that fails
    for test; do
        linked "$test"
        case $test in
        *.sh) set -- sh "$srcdir/tests/$test" ;;
        *) set -- "$build/tests/$test" ;;
        esac
        (cd "$work" && ulimit -v 8000000 && ulimit -t 120 && ATTEST="$build/attest" builddir="$build" timeout 900 "$@") >"$out" 2>"$err" </dev/null &&
            ! grep -q '^not ok' "$out" && continue
        echo "$test"
        return 0
    done
    return 1
}

if [ ! -e "$build/Makefile" ]; then
    copy_source "$build" || exit 99
fi
# a copy that was kept may be older, or have a bug in it that a run left behind
for folder in src props include tests; do
    (cd "$srcdir" && find $folder -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.sh' -o -name '*.py' \)) |
        while read -r file; do
            cmp -s "$srcdir/$file" "$tree/$file" || cp "$srcdir/$file" "$tree/$file"
        done
done
python3 "$srcdir/tests/mutants.py" "$tree" "${SEED:-1}" "$((${N:-200} + ${FIRST:-1} - 1))" |
    tail -n "+${FIRST:-1}" >"$work/mutants"
made || {
    echo "the copy does not build: $(tail -n 3 "$work/log")"
    exit 99
}
while IFS='	' read -r file line kind new; do
    what="$file:$line ($kind): $(echo "$new" | sed 's/^ *//')"
    have=
    if known "$file" "$line" "$new"; then
        echo "explained: $what" | tee -a "$work/verdicts"
        continue
    fi
    mutated "$file" "$line" "$new"
    case $? in
    0)
        # shellcheck disable=SC2046
        if noticed $(tests_of "$file") >"$work/test"; then
            verdict="killed by $(cat "$work/test")"
        else
            verdict=SURVIVED
        fi
        ;;
    1) verdict="not C" ;;
    2) verdict=equivalent ;;
    esac
    # shellcheck disable=SC2086
    (cd "$build" && rm -f $have)
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
