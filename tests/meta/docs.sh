#!/bin/sh
# Every path, file name, function, type and constant that README, CONTRIBUTING, SECURITY, doc/ and proofs-notes/
# name exists, and every note that the source names; doc/install.md lists the packages that quickstart
# installs. Placeholders in capitals (props/NAME.c) and patterns (src/recheck/lemma*.c) are left out; a test may
# be named without its .c, and a test program as tests/ROOM/t-ROOM or as in tests.am. Planted errors are found.
. "$srcdir/tests/meta/rooms.sh"

documents() { # tree: its documents
    (cd "$1" && ls README.md CONTRIBUTING.md SECURITY.md doc/*.md doc/architecture.svg proofs-notes/*.md 2>/dev/null)
}

paths() { # tree: "DOCUMENT: PATH" for every path that is not there
    documents "$1" | while read -r document; do
        grep -oE '(^|[^A-Za-z0-9_./-])(src|props|include|tests|bench|examples|proofs-notes|doc|m4)/[A-Za-z0-9_./-]*[A-Za-z0-9_](-?[$*])?' "$1/$document" |
            sed 's/^[^a-z]//' | sort -u | grep -v '[A-Z$*]' | while read -r path; do
            [ -e "$1/$path" ] || [ -e "$1/$path.c" ] || [ "$path" = "tests/${path##*/t-}/t-${path##*/t-}" ] ||
                grep -qsE "^	$path( |\$)" "$1/tests/tests.am" || echo "$document: $path"
        done
    done
}

files() { # tree: "DOCUMENT: FILE" for every file of source, named without its directory, that is not there
    (cd "$1" && find src props include tests bench examples python proofs-notes -type f 2>/dev/null | sed 's|.*/||' | sort -u) >"$directory/files"
    documents "$1" | while read -r document; do
        grep -oE '`[a-z][A-Za-z0-9_-]*\.(c|h|inc|v|py|sh)`' "$1/$document" | tr -d '`' | sort -u | grep -vxFf "$directory/files" | sed "s|^|$document: |"
    done
}

names() { # tree: "DOCUMENT: NAME" for every attest_... that no source file has
    (cd "$1" && cat $(find src props include tests -name '*.[ch]' -o -name '*.inc') /dev/null | grep -oE 'attest_[a-z0-9_]+' | sort -u) >"$directory/known"
    documents "$1" | while read -r document; do
        grep -oE '(^|[^A-Za-z0-9_/])attest_[a-z0-9_]*[a-z0-9]\b' "$1/$document" | sed 's/^[^a]//' | sort -u | grep -vxFf "$directory/known" | sed "s|^|$document: |"
    done
}

packages() { # quickstart, document: the packages of the one to build and test that the other lacks
    sed -n '/^packages="/,/"$/p; /^check_packages="/p' "$1" | sed 's/.*="//' | tr -d '"?' | tr -s ' ' '\n' | sort -u |
        while read -r package; do
            [ -z "$package" ] || grep -qE "(^|[ \`])$(echo "$package" | sed 's/+/[+]/g')(\$|[ \`])" "$2" || echo "$package"
        done
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
report 1 "paths in documents" "$(paths "$srcdir")"
report 2 "names in documents" "$(names "$srcdir")"

mkdir -p "$directory/tree/doc" "$directory/tree/src/base" "$directory/tree/props" "$directory/tree/include" "$directory/tree/tests"
echo 'int attest_here(void);' >"$directory/tree/src/base/here.h"
echo 'See `src/base/here.h`, src/base/gone.h, `here.h`, `lost.h`. (`props/NAME.c`, src/base/h*.h)' >"$directory/tree/README.md"
echo '`attest_here`, `attest_gone`(x) and attest_<module>_<verb>' >"$directory/tree/doc/a.md"
report 3 "a path that is gone is found" "$(echo 'README.md: src/base/gone.h' >"$directory/expected"; paths "$directory/tree" | diff - "$directory/expected")"
report 4 "a name that is gone is found" "$(echo 'doc/a.md: attest_gone' >"$directory/expected"; names "$directory/tree" | diff - "$directory/expected")"
report 5 "packages of quickstart in doc/install.md" "$(packages "$srcdir/quickstart" "$srcdir/doc/install.md")"
printf '%s\n' 'packages="' '    gcc libgone-dev? make"' 'check_packages="g++"' >"$directory/quickstart"
echo 'packages: `gcc make g++`' >"$directory/install.md"
report 6 "a package that is gone is found" "$(echo libgone-dev >"$directory/expected"; packages "$directory/quickstart" "$directory/install.md" | diff - "$directory/expected")"

versions() { # tree: files that have another version than configure.ac
    version=$(sed -n 's/^AC_INIT(\[attest\], \[\(.*\)\])$/\1/p' "$1/configure.ac")
    grep -qx "version: $version" "$1/CITATION.cff" || echo CITATION.cff
    grep -q "version = {$version}" "$1/doc/cite.md" || echo doc/cite.md
    grep -q "^## $version\(,\|\$\)" "$1/CHANGELOG.md" || echo CHANGELOG.md
    grep -q "^# What is new in $version\$" "$1/doc/news.md" || echo doc/news.md
    grep -qx "version = \"$version\"" "$1/python/pyproject.toml" || echo python/pyproject.toml
    [ "$(sed -n 's/^#define ATTEST_VERSION_[A-Z]* //p' "$1/include/attest/version.h" | paste -sd.)" = "$version" ] || echo include/attest/version.h
}
report 7 "one version in all documents" "$(versions "$srcdir")"
mkdir -p "$directory/tree/python" "$directory/tree/include/attest"
echo 'AC_INIT([attest], [1.2.3])' >"$directory/tree/configure.ac"
report 8 "another version is found" "$([ "$(versions "$directory/tree" 2>/dev/null | wc -l)" -eq 6 ] || echo no)"
report 9 "files in documents" "$(files "$srcdir")"
report 10 "a file that is gone is found" "$(echo 'README.md: lost.h' >"$directory/expected"; files "$directory/tree" | diff - "$directory/expected")"

notes() { # tree: "FILE: NOTE" for every note that a source file names and that is not there
    (cd "$1" && grep -roE 'proofs-notes/[A-Za-z0-9_./-]*\.[a-z]+' src props include tests bench 2>/dev/null | grep -v '/NAME\.' |
        sort -u | while IFS=: read -r file note; do [ -e "$note" ] || echo "$file: $note"; done)
}
report 11 "notes in the source" "$(notes "$srcdir")"
lost=gone.md
echo "/* proofs-notes/$lost */" >>"$directory/tree/src/base/here.h"
report 12 "a note that is gone is found" "$([ "$(notes "$directory/tree")" = "src/base/here.h: proofs-notes/$lost" ] || echo no)"
echo "1..12"
