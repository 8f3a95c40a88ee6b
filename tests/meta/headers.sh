#!/bin/sh
# Every public header compiles without a warning on its own, included twice, as C99 and (where there is a
# compiler) C++17; all together compile as C11 and C17. A planted header that lacks an include is found.
count=0
result() { # status, description
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

cxx=
for word in ${CXX:-g++ clang++ c++}; do
    [ -n "$cxx" ] || ! command -v "$word" >/dev/null 2>&1 || cxx=$word
done

# The engine's headers as they are installed, all in one directory.
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cp "$srcdir"/src/theft/api/*.h "$srcdir"/src/theft/theft_extensions.h "$srcdir"/src/theft/theft_floats.h "$directory"

compiles() { # language, standard, include directory, header
    case $1 in c) compiler=$CC ;; *) compiler=$cxx ;; esac
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$4" "$4" |
        $compiler -std="$2" -Wall -Wextra -pedantic -Werror -I"$3" -x "$1" -fsyntax-only - >/dev/null 2>&1
}

alone() { # include directory, header: the standards as which it does not compile
    compiles c c99 "$@" || echo c99
    [ -z "$cxx" ] || compiles c++ c++17 "$@" || echo c++17
}

for standard in c11 c17; do
    compiles c $standard "$srcdir/include" attest/attest.h
    result $? "attest.h compiles as $standard"
done
echo "# C++ by ${cxx:-nobody: there is no compiler}"
for header in "$srcdir"/include/attest/*.h; do
    name=attest/${header##*/}
    found=$(alone "$srcdir/include" "$name")
    [ -z "$found" ]
    result $? "$name stands alone${found:+, but not as }$(echo $found)"
    case $name in attest/attest.h | attest/flint.h | attest/export.h) continue ;; esac
    grep -q 'extern "C" {' "$header"
    result $? "$name is for C++, too"
done

for header in "$srcdir"/include/attest/*.h; do
    name=attest/${header##*/}
    [ "$name" = attest/attest.h ] && continue
    grep -q "#include <$name>" "$srcdir/include/attest/attest.h"
    result $? "attest.h includes $name"
    grep -q "include/$name" "$srcdir/include/include.am"
    result $? "$name is installed"
done

for name in theft.h theft_extensions.h; do
    found=$(CC="$CC -DATTEST_THEFT_BUILTIN=1" cxx="${cxx:+$cxx -DATTEST_THEFT_BUILTIN=1}"; alone "$directory" $name)
    [ -z "$found" ]
    result $? "$name stands alone${found:+, but not as }$(echo $found)"
done

mkdir "$directory/attest"
echo 'size_t attest_broken(void);' >"$directory/attest/broken.h"
[ "$(alone "$directory" attest/broken.h | head -n 1)" = c99 ]
result $? "a planted broken header is found"
! compiles c c11 "$directory" attest/broken.h && ! compiles c c17 "$directory" attest/broken.h
result $? "in C11 and C17, too"
echo "1..$count"
