#!/bin/sh
# Every public header compiles alone in C11, also when it is included twice; attest.h includes it,
# and include.am installs it. Shown to bite on a planted header that lacks an include.
count=0
result() { # status, description
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

alone() { # include directory, header
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$2" "$2" |
        $CC -std=c11 -Wall -Wextra -Werror -I"$1" -x c -fsyntax-only - >/dev/null 2>&1
}

for header in "$srcdir"/include/attest/*.h; do
    name=attest/${header##*/}
    alone "$srcdir/include" "$name"
    result $? "$name stands alone"
done

for header in "$srcdir"/include/attest/*.h; do
    name=attest/${header##*/}
    [ "$name" = attest/attest.h ] && continue
    grep -q "#include <$name>" "$srcdir/include/attest/attest.h"
    result $? "attest.h includes $name"
    grep -q "include/$name" "$srcdir/include/include.am"
    result $? "$name is installed"
done

folder=$(mktemp -d)
mkdir "$folder/attest"
echo 'size_t attest_broken(void);' >"$folder/attest/broken.h"
if alone "$folder" attest/broken.h; then result 1 "a planted broken header is found"; else
    result 0 "a planted broken header is found"
fi
rm -rf "$folder"
echo "1..$count"
