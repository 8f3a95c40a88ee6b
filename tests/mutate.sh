# mutate.sh -- planted bugs in a copy of the source. Sourced after tests/cli/lib.sh.
tree=$work/tree

# copy_source [BUILD OPTION...]: makes $tree, and a configured build of it in $work/build, or there.
copy_source() {
    directory=${1:-$work/build}
    [ $# -eq 0 ] || shift
    mkdir -p "$tree" "$directory"
    (cd "$srcdir" && tar -cf - --exclude=.git --exclude=build --exclude='*.o' --exclude='*.lo' \
        configure configure.ac config.h.in Makefile.in Makefile.am aclocal.m4 attest.pc.in attest-engine.pc.in build-aux \
        m4 src props include completion tests bench examples doc proofs-notes python README.md CHANGELOG.md LICENSE \
        CONTRIBUTING.md SECURITY.md quickstart) | tar -xf - -C "$tree" --no-same-owner -m
    # a relative path, so that a cache of the compiler knows the files again
    (cd "$directory" && "$(realpath --relative-to=. "$tree")/configure" "${@:---disable-shared}" CC="$CC" ${CFLAGS:+CFLAGS="$CFLAGS"} >"$work/log" 2>&1)
}

# plant NAME FILE TEXT REPLACEMENT...: a bug in the copy; each text must occur once and change.
plant() {
    cp "$tree/$2" "$work/original"
    planted_file=$tree/$2
    shift 2
    python3 "$srcdir/tests/plant.py" "$planted_file" "$@"
}

# plant_line FILE NUMBER LINE: the same, of a whole line.
plant_line() {
    cp "$tree/$1" "$work/original"
    awk -v number="$2" -v line="$(printf '%s' "$3" | sed 's/\\/\\\\/g')" 'NR == number { $0 = line } 1' \
        "$work/original" >"$tree/$1"
}

# unplant FILE: the file as it was.
unplant() { cp "$work/original" "$tree/$1"; }

# tests_of FILE: the tests that should notice a bug in it, by the table.
tests_of() {
    sed '/^#/d' "$srcdir/tests/tests_of.txt" | while read -r pattern tests; do
        # shellcheck disable=SC2254
        case $1 in
        $pattern)
            echo "$tests"
            break
            ;;
        esac
    done
}

# limited COMMAND...: runs it in $build, with $seconds of a processor and $memory kilobytes; its output goes to
# $out and $err. This is a function because dash 0.5.12 ignores the redirections of a subshell that ends a group in
# braces which has redirections itself.
limited() {
    # shellcheck disable=SC3045
    (
        cd "$build" && ulimit -v "$memory" && ulimit -t "$seconds" && export LD_LIBRARY_PATH &&
            ATTEST="$build/attest" builddir="$build" timeout $((20 * seconds)) "$@"
    ) >"$out" 2>"$err" </dev/null
}

# program TEST: what runs a test that is no script: the program itself, or the name of a room's test (tests/tap_main.c).
program() {
    case $1 in
    */t-*) echo "tests/$1" ;;
    *) echo "tests/${1%/*}/t-${1%/*}" ;;
    esac
}

# built LIBRARY TEST: the program of a test: the one beside the library, if there is one.
built() {
    own=$1/$(program "$2")
    [ -x "$own" ] || own=$build/$(program "$2")
    echo "$own"
}

# run_test LIBRARY SECONDS TEST: succeeds if the test passes with that library within this CPU time.
# $preload: the runtime of a library with sanitizers, which maps more memory than there is.
run_test() {
    LD_LIBRARY_PATH=$1 seconds=$2 memory=8000000
    [ -z "$preload" ] || memory=unlimited
    case $3 in
    *.sh) set -- sh "$srcdir/tests/$3" ;;
    */t-*) set -- env LD_PRELOAD="$preload" "$(built "$1" "$3")" ;;
    *) set -- env LD_PRELOAD="$preload" "$(built "$1" "$3")" "${3#*/}" ;;
    esac
    # the shell prints on stderr that something crashed
    { limited "$@"; } 2>/dev/null && ! grep -q '^not ok' "$out"
}

# build_tests TEST...: a copy of the source in which these tests are built (names as in tests_of.txt); what mutation
# runs.
build_tests() {
    tests=$* targets=attest build=$work/build
    for test in $tests; do
        case $test in *.sh) ;; *) targets="$targets $(program "$test")" ;; esac
    done
    copy_source
    # shellcheck disable=SC2086
    make -C "$build" -j2 $targets >>"$work/log" 2>&1
    result $? "a copy of the source builds"
}

# noticed: the first of the tests that fails, and what it prints.
noticed() {
    for test in $tests; do
        run_test "" 300 "$test" && continue
        echo "$test: $(grep -m 1 '^not ok' "$out" | sed 's/^not ok [0-9]* - //')"
        return 0
    done
    return 1
}

# mutation NAME FILE TEXT REPLACEMENT...: a planted bug, which one of the tests must notice; prints which. $prefix is
# what the names of files leave out; ATTEST_BUGS='a regular expression' plants those whose names match.
prefix=
mutation() {
    echo "$1" | grep -Eq -e "${ATTEST_BUGS:-.}" || return 0
    bug=$1 file=$prefix$2
    shift 2
    # shellcheck disable=SC2086
    if plant "$bug" "$file" "$@" 2>"$err" && make -C "$build" $targets >"$work/log" 2>&1; then
        report=$(noticed)
        result $? "$bug: noticed by $report"
    else
        result 1 "$bug: does not apply or does not build: $(cat "$err") $(tail -n 3 "$work/log")"
    fi
    unplant "$file"
}
