#!/bin/sh
# debian/ is of this tree: the version of its changelog is configure's, the packages of the libraries
# are named by their sonames, and debian/*.symbols has what they export. Tarballs have no debian/.
# The test fails on planted violations.
. "$srcdir/tests/meta/rooms.sh"

version() { # tree: differences of the version
    ours=$(sed -n 's/^AC_INIT(\[attest\], \[\(.*\)\])$/\1/p' "$1/configure.ac")
    theirs=$(sed -n '1s/^attest (\(.*\)-[^-]*) .*/\1/p' "$1/debian/changelog")
    [ -n "$ours" ] && [ "$ours" = "$theirs" ] || echo "configure.ac has $ours, debian/changelog $theirs"
}

symbols_of() { # tree, library: differences of its exported names
    soname=$(objdump -p "$2" | sed -n 's/^ *SONAME *//p')
    package=$(echo "$soname" | sed 's/\.so\.//')
    list=$1/debian/$package.symbols
    grep -qx "Package: $package" "$1/debian/control" || echo "debian/control has no package $package"
    [ "$(sed 's/ .*//;q' "$list")" = "$soname" ] || echo "debian/$package.symbols is not of $soname"
    nm -D --defined-only "$2" | awk 'NF == 3 { print $3 }' | grep -E '^(attest|theft)_' | sort >"$directory/exported"
    sed -n 's/^ \([^@ ]*\)@Base .*/\1/p' "$list" | sort | comm -3 - "$directory/exported" | sed 's/^\t*\(.*\)/\1 is in one only/'
}

libraries() { # the names of debian's two packages are those of what was built
    for library in libattest libattest-engine; do
        [ ! -f "$builddir/.libs/$library.so" ] || symbols_of "$srcdir" "$builddir/.libs/$library.so"
    done
}

if [ ! -d "$srcdir/debian" ]; then
    echo "1..0 # SKIP a tarball has no debian/"
    exit 0
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
report 1 "debian/changelog has the version of configure.ac" "$(version "$srcdir")"
report 2 "debian/*.symbols have what the libraries export" "$(libraries)"

mkdir "$directory/debian"
echo 'AC_INIT([attest], [1.2])' >"$directory/configure.ac"
echo 'attest (1.2.0-1) UNRELEASED; urgency=medium' >"$directory/debian/changelog"
report 3 "another version is found" "$([ -n "$(version "$directory")" ] || echo no)"
printf 'Package: libplanted3\n' >"$directory/debian/control"
printf 'libplanted.so.3 libplanted3 #MINVER#\n attest_gone@Base 1.0\n attest_seen@Base 1.0\n' >"$directory/debian/libplanted3.symbols"
echo 'int attest_seen(void) { return 0; } int attest_new(void) { return 0; }' >"$directory/planted.c"
$CC -shared -fPIC -w -Wl,-soname,libplanted.so.3 -o "$directory/planted.so" "$directory/planted.c"
report 4 "planted differences are found" "$(printf '%s\n' 'attest_gone is in one only' 'attest_new is in one only' >"$directory/expected"
    symbols_of "$directory" "$directory/planted.so" | diff - "$directory/expected")"
echo "1..4"
