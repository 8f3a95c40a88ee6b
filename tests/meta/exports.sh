#!/bin/sh
# The shared libraries export the functions that their installed headers declare and nothing
# else, either way. The test fails on a planted library and header.
. "$srcdir/tests/meta/rooms.sh"

exported() { # library: its symbols, except for those of the compiler's instrumentation
    nm -D --defined-only "$1" | awk 'NF == 3 { print $3 }' |
        grep -Ev '^(__odr_asan|_*asan_|__gcov|__llvm|__sanitizer|_init|_fini|_edata|_end|__bss_start)' | sort -u
}

# declared PREFIX COMPILER-FLAG... HEADER...: the functions with this prefix that the headers
# declare: after the preprocessor, without the bodies of static functions.
declared() {
    prefix=$1
    shift
    : >"$directory/all.c"
    for word in "$@"; do # which are to become the flags alone
        shift
        case $word in -*) set -- "$@" "$word" ;; *) printf '#include "%s"\n' "$word" >>"$directory/all.c" ;; esac
    done
    $CC "$@" -E -o "$directory/all.i" "$directory/all.c" || return
    awk -v prefix="$prefix" '
        /^#/ { next }
        { text = text " " $0 }
        END {
            while (match(text, /\{[^{}]*\}/)) text = substr(text, 1, RSTART - 1) ";" substr(text, RSTART + RLENGTH)
            n = split(text, part, ";")
            for (i = 1; i <= n; i++)
                if (part[i] !~ /(^| )(static|typedef) / && match(part[i], "[ *]" prefix "[a-z0-9_]+ *\\("))
                    print substr(part[i], RSTART + 1, RLENGTH - 1)
        }' "$directory/all.i" | sed 's/[ (]//g' | sort -u
}

compare() { # exported, declared: what is in one and not in the other
    comm -23 "$1" "$2" | sed 's/$/ is exported, but no header declares it/'
    comm -13 "$1" "$2" | sed 's/$/ is declared, but not exported/'
}

both_ways() { # library, prefix, flag or header...: the differences
    library=$1
    shift
    exported "$library" >"$directory/exported"
    declared "$@" >"$directory/declared"
    [ -s "$directory/declared" ] || echo "no declaration was read"
    compare "$directory/exported" "$directory/declared"
}

check() { # number, library, prefix, flag or header...
    number=$1 library=$builddir/.libs/$2.so
    shift 2
    if [ -f "$library" ]; then
        report "$number" "${library##*/}" "$(both_ways "$library" "$@")"
    else
        echo "ok $number - ${library##*/} # SKIP it was not built"
    fi
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

check 1 libattest attest_ "-I$srcdir/include" "$srcdir"/include/attest/*.h
check 2 libattest-engine theft_ "-I$srcdir/src/theft/api" "-I$srcdir/src/theft" -DATTEST_THEFT_BUILTIN=1 \
    "$srcdir/src/theft/api/theft.h" "$srcdir/src/theft/theft_extensions.h"

# The program exports what an object for 'attest campaign --load' is compiled with, by src/cli/load.list.
program() {
    declared attest_ "-I$srcdir/include" "-I$srcdir/src" "-I$srcdir/src/theft/api" "$srcdir"/include/attest/*.h \
        "$srcdir"/src/campaign/gen.h "$srcdir"/src/campaign/label.h \
        "$srcdir"/src/campaign/property.h >"$directory/one"
    declared theft_ "-I$srcdir/src/theft/api" "-I$srcdir/src/theft" -DATTEST_THEFT_BUILTIN=1 \
        "$srcdir/src/theft/api/theft.h" "$srcdir/src/theft/theft_extensions.h" >"$directory/other"
    sort -u "$directory/one" "$directory/other" >"$directory/declared"
    nm -D --defined-only "$builddir/attest" | awk '{ print $3 }' | grep -E '^(attest|theft)_' | sort -u >"$directory/exported"
    compare "$directory/exported" "$directory/declared"
}
if [ -f "$builddir/.libs/libattest-engine.so" ]; then
    report 3 "the program, for loaded objects" "$(program)"
else
    echo "ok 3 - the program, for loaded objects # SKIP its engine is another's, or there are no shared libraries"
fi

cat >"$directory/planted.h" <<'PLANTED'
typedef int (*attest_callback)(void);
static inline int attest_inside(void) { if (1) { return 0; } return 1; }
int attest_seen(attest_callback callback);
int *attest_missing(void);
PLANTED
echo 'int attest_seen(int (*callback)(void)) { return callback(); } int attest_extra(void) { return 0; }' >"$directory/planted.c"
$CC -shared -fPIC -w -o "$directory/planted.so" "$directory/planted.c"
report 4 "planted differences are found" "$(printf '%s\n' 'attest_extra is exported, but no header declares it' \
    'attest_missing is declared, but not exported' >"$directory/expected"
    both_ways "$directory/planted.so" attest_ "$directory/planted.h" | diff - "$directory/expected")"
echo "1..4"
