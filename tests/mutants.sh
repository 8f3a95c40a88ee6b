#!/bin/sh
# `make check-mutants N=200 SEED=1`: random small changes in a copy of the source, each of which a test must
# notice: by failing, by crashing, or by taking far longer than without the change. The tests that the changed
# file names (tests/tests_of.txt) come first, then those of make check in which the line runs, by gcov; programs
# that pass run once more with the changed file under the sanitizers, as all of it does in .ci/run. A change that
# the compiler refuses, or that leaves the object file as it was, or that tests/mutants_explained.txt explains,
# does not count. Lists what survives, and the share of killed ones by room; fails below 90 %. FIRST=K begins with
# the K-th. AGAIN=LOG tries only what survived in the output of an earlier run. ATTEST_MUTANTS=DIR keeps copy and
# builds there, for the next run.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"
srcdir=$(cd "$srcdir" && pwd)
export srcdir ATTEST_INSTANCES=all

[ -z "$ATTEST_MUTANTS" ] || tree=$ATTEST_MUTANTS/tree
build=$tree/build # as developers build, so that a cache of the compiler serves both
times=$build/times
coverage=$tree/coverage # a build for gcov, and the counts of every test
sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=all'
made() { make -C "$build" -j"${JOBS:-2}" "$@" >"$work/log" 2>&1; }
# shellcheck disable=SC2016
variable() { printf 'include Makefile\nshow:\n\t@echo $(%s)\n' "$1" | make -s --no-print-directory -C "$build" -f - show | tail -n 1; }

# must COMMAND...: what has to work before there can be a mutant.
must() {
    "$@" && return
    echo "$*: $(tail -n 3 "$work/log")" >&2
    exit 99
}

# library DIR [OBJECT...]: all that programs link with, as one shared object there; the objects stand
# first, and of two definitions the first is taken. So a mutant is one compilation and one link, whatever
# programs run it.
library() {
    directory=$1
    shift
    mkdir -p "$directory"
    # shellcheck disable=SC2086
    $CC -shared -o "$directory/libmutant.so" -Wl,-soname,libmutant.so -Wl,-z,muldefs "$@" -Wl,--whole-archive \
        "$build/.libs/libattest_tool.a" "$build/.libs/libattest_core.a" -Wl,--no-whole-archive $libs >>"$work/log" 2>&1
}

# prepared: the copy as the source is, built; the programs that $work/mutants needs, with the library of no mutant.
prepared() {
    [ -e "$build/Makefile" ] || CFLAGS='-O2 -fPIC -fvisibility=default' must copy_source "$build" --disable-static --enable-faults
    # a copy that was kept may be older, or have a bug in it that a run left behind
    for directory in src props include tests examples; do
        diff -rqN "$srcdir/$directory" "$tree/$directory" | while read -r _ from _ to _; do
            if [ -e "$from" ]; then cp "$from" "$to"; else rm "$to"; fi
            rm -rf "$coverage/of"
        done
    done
    compile=$(variable COMPILE)
    libs=$(variable LIBS)
    asan=$($CC -print-file-name=libasan.so)
    must made libattest_tool.la libattest_core.la
    must library "$work/sound"
    programs=$({ cut -f 1 "$work/mutants" | sort -u | while read -r file; do tests_of "$file"; done && others; } |
        tr ' ' '\n' | sed '/\.sh$/d' | while read -r test; do program "$test"; done | sort -u)
    # shellcheck disable=SC2086
    must made LDADD="$work/sound/libmutant.so" attest $programs \
        tests/format/quantise-echo tests/load/bad-properties.la tests/load/own-property.la
}

# others: the tests of make check that do not look at the source itself, without those that take long; they have
# the programs that the table names, too.
others() {
    make -s --no-print-directory -C "$build" print-tests | sed 's|^tests/||' |
        grep -vE '^(meta|python|fuzz|theft|load)/|^(props/properties|fault/allocations|cli/examples|forge/swap)\.sh'
}

# covered TEST: runs it in the build for gcov, unless that was done; its counts are in $coverage/of/TEST.
covered() {
    [ ! -e "$coverage/of/$1" ] || return 0
    mkdir -p "$coverage/of/$1"
    (
        build=$coverage preload='' GCOV_PREFIX=$coverage/of/$1 GCOV_PREFIX_STRIP=$(echo "$coverage" | tr -cd / | wc -c)
        export GCOV_PREFIX GCOV_PREFIX_STRIP
        run_test "" 3000 "$1"
    )
}

# measured: the build for gcov. Workers leave by _exit, which does not write counts, so that programs get one that does.
measured() {
    [ ! -e "$coverage/of" ] || return 0
    CFLAGS='-O1 --coverage' must copy_source "$coverage" --disable-shared --enable-faults
    cat >"$coverage/exit.c" <<'END'
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status)
{
    __gcov_dump();
    __real__exit(status);
}
END
    # shellcheck disable=SC2086
    must $CC -c "$coverage/exit.c" -o "$coverage/exit.o" && must ar -rcs "$coverage/libexit.a" "$coverage/exit.o"
    must make -C "$coverage" -j"${JOBS:-2}" LDFLAGS="--coverage -Wl,--wrap=_exit" LIBS="$libs -L$coverage -lexit" \
        check TESTS= attest >"$work/log" 2>&1
    mkdir "$coverage/of"
}

# runs_in FILE LINE TEST: whether the test runs one of the lines around that line of the file: a statement of several
# lines has its count at one of them.
runs_in() {
    covered "$3"
    for source in $(sources "$1"); do
        counts=$coverage/of/$3/$source.gcda
        [ -e "$counts" ] || counts=$coverage/of/$3/$(dirname "$source")/.libs/$(basename "$source").gcda
        [ -e "$counts" ] || continue
        rm -rf "$work/gcov" && mkdir "$work/gcov" && cp "$counts" "$work/gcov/"
        find "$coverage/$(dirname "$source")" -name "$(basename "$source").gcno" -exec cp {} "$work/gcov/" ';'
        (cd "$coverage" && gcov -t -o "$work/gcov" "$work/gcov/$(basename "$counts")" 2>/dev/null) |
            awk -F: -v file="/$1" -v line="$2" '
                $2 + 0 == 0 && $3 == "Source" { here = substr($4, length($4) - length(file) + 1) == file }
                here && $1 + 0 > 0 && $2 >= line - 6 && $2 <= line + 6 { found = 1; exit }
                END { exit !found }' && return 0
    done
    return 1
}

# reaching FILE LINE: the tests of others in which it runs.
reaching() {
    for test in $(others); do
        ! runs_in "$1" "$2" "$test" || echo "$test"
    done
}

# The seconds of a processor that what has ended took, into $spent.
spend() {
    times >"$work/spent"
    spent=$(awk -F '[ms ]+' 'NR == 2 { print int(60 * ($1 + $3) + $2 + $4) }' "$work/spent")
}

# patience TEST: sets $seconds of a processor that it may take: five times as long as without a mutant; 0 if it does
# not pass there, which only tests that the table does not name and sanitizers may do.
patience() {
    key=${preload:+sanitized/}$1
    if ! grep -q "^$key " "$times" 2>/dev/null; then
        spend
        begin=$spent factor=5
        run_test "$work/sound" 600 "$1" || factor=0
        if [ $factor -eq 0 ] && [ -z "$preload$untold" ]; then
            echo "$1 fails without a change: $(grep -m 1 '^not ok' "$out")" >&2
            exit 99
        fi
        ! grep -q '^1\.\.0' "$out" || echo "$1 is skipped here" >&2
        spend
        echo "$key $((factor * (spent - begin + 1)))" >>"$times"
    fi
    seconds=$(sed -n "s|^$key ||p" "$times")
}

# sources FILE: what is compiled when it changes, without the ending.
sources() {
    case $1 in
    *.c) echo "${1%.c}" ;;
    *) (cd "$build" && grep -l "$1" src/*/.deps/*.Plo | sed 's|/\.deps/|/|; s|\.Plo$||') ;;
    esac
}

# mutated FILE LINE NEW [FLAGS]: the library with that line, in $work/mutant; the copy stays as it was. Status
# 1: not C; 2: the objects are the same.
mutated() {
    objects='' same=2 status=0
    rm -rf "$work/mutant/tests"
    touch -r "$tree/$1" "$work/stamp"
    plant_line "$1" "$2" "$3"
    # shellcheck disable=SC2086
    for source in $(sources "$1"); do
        object=$work/$(basename "$source").o
        (cd "$build" && $compile $4 -c "../$source.c" -o "$object" >"$work/log" 2>&1) || status=1
        cmp -s "$object" "$build/$(dirname "$source")/.libs/$(basename "$source").o" || same=0
        objects="$objects $object"
    done
    unplant "$1"
    touch -r "$work/stamp" "$tree/$1" # make has nothing to do again
    [ $status -eq 0 ] || return 1
    [ $same -eq 0 ] || return 2
    # shellcheck disable=SC2086
    must library "$work/mutant" $4 $objects
}

# copies FILE: the objects of tests that contain the file: as a source of theirs (tests/bounds/bounds.am), or included.
copies() {
    (cd "$build" && find src tests -name '*.Po' -exec grep -l "/$1" {} + | sed 's|/\.deps/|/|; s|\.Po$|.o|' |
        while read -r object; do [ ! -e "$object" ] || echo "$object"; done)
}

# linked_with OBJECT...: their programs.
linked_with() {
    for object; do
        case $object in
        */*t_*-*.o) echo "$object" | sed 's|-.*||; s|.*/||; s|^tests_bounds_||; y|_|-|; s|^|tests/bounds/|' ;;
        *) dirname "$object" | sed 's|\([^/]*\)$|\1/t-\1|' ;;
        esac
    done | sort -u
}

# relinked FILE LINE NEW: puts the programs of tests that contain the file into $work/mutant, with that line; the
# build stays as it was.
relinked() {
    rm -rf "$work/mutant/tests" "$work/kept"
    objects=$(copies "$1")
    [ -n "$objects" ] || return 0
    # shellcheck disable=SC2086
    containing=$(linked_with $objects)
    mkdir "$work/kept"
    # shellcheck disable=SC2086
    (cd "$build" && cp -p --parents $objects $containing "$work/kept")
    touch -r "$tree/$1" "$work/stamp"
    plant_line "$1" "$2" "$3"
    # shellcheck disable=SC2086
    made LDADD="$work/sound/libmutant.so" $containing && (cd "$build" && cp --parents $containing "$work/mutant")
    unplant "$1"
    touch -r "$work/stamp" "$tree/$1"
    cp -pr "$work/kept/." "$build" # make has nothing to do again
}

# known FILE LINE NEW: whether tests/mutants_explained.txt says why no test can notice it.
known() {
    sed 's/^ *//' "$tree/$1" >"$work/lines"
    old=$(sed -n "$2p" "$work/lines") which=''
    [ "$(grep -cxFe "$old" "$work/lines")" -eq 1 ] || which=" ($(head -n "$2" "$work/lines" | grep -cxFe "$old"))"
    grep -qxF "$1: $old -> $(printf '%s\n' "$3" | sed 's/^ *//')$which" "$srcdir/tests/mutants_explained.txt"
}

# noticed PRELOAD TEST...: whether one of the tests does not pass, and $killer, the first of them; $untold: the table
# does not name them.
noticed() {
    preload=$1
    shift
    for killer; do
        patience "$killer"
        [ "$seconds" -eq 0 ] || run_test "$work/mutant" "$seconds" "$killer" || return 0
    done
    return 1
}

# sanitized FILE LINE NEW: whether a program notices it under the sanitizers, and not the file as it is.
sanitized() {
    # shellcheck disable=SC2086
    mutated "$@" "$sanitizers" && noticed "$asan" $programs &&
        mutated "$1" "$2" "$(sed -n "$2p" "$tree/$1")" "$sanitizers" && run_test "$work/mutant" "$seconds" "$killer"
}

# try FILE LINE NEW: sets $verdict.
try() {
    tests=$(tests_of "$1") programs=''
    for test in $tests; do
        case $test in *.sh) ;; *) programs="$programs $test" ;; esac
    done
    if known "$@"; then
        verdict=explained
        return
    fi
    mutated "$@"
    # shellcheck disable=SC2086
    case $? in
    0)
        relinked "$@"
        if { untold='' && noticed "" $tests; } || { untold=1 && noticed "" $(reaching "$1" "$2"); } || sanitized "$@"; then
            verdict="killed by ${preload:+sanitized }$killer"
        else
            verdict=SURVIVED
        fi
        ;;
    1) verdict="not C" ;;
    2) verdict=equivalent ;;
    esac
}

python3 "$srcdir/tests/mutants.py" "$srcdir" "${SEED:-1}" "$((${N:-200} + ${FIRST:-1} - 1))" |
    tail -n "+${FIRST:-1}" >"$work/mutants"
prepared
measured
while IFS='	' read -r file line kind new; do
    what="$file:$line ($kind): $(printf '%s\n' "$new" | sed 's/^ *//')"
    [ -z "$AGAIN" ] || grep -qxF "SURVIVED: $what" "$AGAIN" || continue
    try "$file" "$line" "$new"
    printf '%s: %s\n' "$verdict" "$what" | tee -a "$work/verdicts"
done <"$work/mutants"

awk -F: '
    {
        split($2, part, "/"); room = part[2]
        rooms[room]
        if (/^killed/) { killed[room]++; dead++ }
        if (/^killed|^SURVIVED/) { total[room]++; all++ }
        else other[room, $1]++
    }
    END {
        for (room in rooms)
            printf "%s: %d of %d killed; %d explained, %d equivalent, %d not C\n", room, killed[room], total[room],
                other[room, "explained"], other[room, "equivalent"], other[room, "not C"]
        printf "all: %d of %d killed\n", dead, all
        exit !all || dead < 0.9 * all
    }' "$work/verdicts"
