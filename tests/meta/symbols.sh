#!/bin/sh
# Every global symbol of the library has the project's prefix. Shown to bite on a planted object.
strangers() { # object or archive: global definitions without the prefix
    nm -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' |
        grep -Ev '^(attest_|theft_|__odr_asan|_*asan_|__gcov|__sanitizer|___asan|_edata|_end|__bss_start|_init|_fini|__start_|__stop_|__llvm)' | sort -u
}

check() { # number, description, strangers
    if [ -z "$3" ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        echo "$3" | sed 's/^/# /'
    fi
}

check 1 "the archive's global symbols" "$(strangers "$builddir/.libs/libattest_core.a")"
shared=$builddir/.libs/libattest.so
if [ -f "$shared" ]; then
    check 2 "the shared library's symbols" "$(nm -D --defined-only "$shared" | awk 'NF == 3 { print $3 }' |
        grep -Ev '^(attest_|__odr_asan|_*asan_|__gcov|__llvm|_init|_fini|_edata|_end|__bss_start)' | sort -u)"
else
    echo "ok 2 - the shared library's symbols # SKIP built without shared libraries"
fi

folder=$(mktemp -d)
echo 'int helper(void); int helper(void) { return 0; }' >"$folder/planted.c"
$CC -c -o "$folder/planted.o" "$folder/planted.c"
if [ "$(strangers "$folder/planted.o")" = helper ]; then
    echo "ok 3 - a planted stranger is found"
else
    echo "not ok 3 - a planted stranger is found"
fi
rm -rf "$folder"
echo "1..3"
