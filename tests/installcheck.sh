#!/bin/sh
# The installed library, as a stranger to the source tree uses it: the examples are compiled with
# the flags of pkg-config only, by every compiler there is, shared and static, and run.
# Run by `make installcheck`, with the directories of the installation in the environment:
#
#     libdir=DIR includedir=DIR bindir=DIR datadir=DIR mandir=DIR [DESTDIR=DIR] [engine=yes] srcdir=DIR tests/installcheck.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

PKG_CONFIG_PATH=$DESTDIR$libdir/pkgconfig
export PKG_CONFIG_PATH
flags() { # pkg-config's answer, with DESTDIR before the directories of the installation
    ${PKG_CONFIG:-pkg-config} "$@" || echo "-pkg-config-failed"
}
[ -z "$DESTDIR" ] || { PKG_CONFIG_SYSROOT_DIR=$DESTDIR; export PKG_CONFIG_SYSROOT_DIR; }

fail() {
    failures=$((failures + 1))
    echo "installcheck: $*" >&2
}

# try COMPILER LINKAGE EXAMPLE PACKAGES [ARGUMENT]...: compiles and runs one example.
try() {
    with=$1 linkage=$2 example=$3 packages=$4
    shift 4
    program=$work/example
    rm -f "$program"
    cflags=$(flags --cflags $packages)
    if [ "$linkage" = static ]; then
        # FLINT has no archive on many systems: what is static is what we install.
        libs=$(flags --static --libs $packages | sed 's/-lattest-engine/-l:libattest-engine.a/; s/-lattest\( \|$\)/-l:libattest.a\1/')
    else
        libs=$(flags --libs $packages)
    fi
    # what pkg-config says is quoted for a shell
    if ! eval "$with -Wall -Wextra -Werror -o \"\$program\" \"\$srcdir/examples/\$example\" $cflags $libs" 2>"$work/log"; then
        fail "$example, $with, $linkage: does not compile"
        sed 's/^/    /' "$work/log" >&2
    elif ! LD_LIBRARY_PATH=$DESTDIR$libdir "$program" "$@" >"$work/log" 2>&1; then
        fail "$example, $with, $linkage: fails"
        sed 's/^/    /' "$work/log" >&2
    elif [ "$linkage" = static ] && LD_LIBRARY_PATH= ldd "$program" 2>/dev/null | grep -q libattest; then
        fail "$example, $with, $linkage: is not static"
    else
        echo "installcheck: $example, $with, $linkage: $(sed -n '$p' "$work/log")"
    fi
}

for linkage in shared static; do
    case $linkage in shared) suffix=so ;; *) suffix=a ;; esac
    [ -f "$DESTDIR$libdir/libattest.$suffix" ] || { echo "installcheck: $linkage: not installed"; continue; }
    for compiler in gcc clang; do
        command -v $compiler >/dev/null 2>&1 || continue
        try "$compiler -std=c11" $linkage evaluate.c attest
        try "$compiler -std=c11" $linkage quantise.c attest
        try "$compiler -std=c11" $linkage certify-head.c attest \
            "$srcdir/examples/universal-pair.json" "$srcdir/examples/softmax.json" "$work/certificate.json"
        [ "$engine" != yes ] || try "$compiler -std=c11" $linkage engine-alone.c "attest attest-engine"
    done
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null 2>&1 || continue
        try "$compiler -std=c++17" $linkage use-from-c++.cc attest
    done
done

# The Python package finds the library and the program that were installed with it.
if [ -n "$pythondir" ] && [ -f "$DESTDIR$libdir/libattest.so" ]; then
    if ! (cd / && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$DESTDIR$pythondir PATH=/usr/bin:/bin "$PYTHON" -c 'import attest, importlib.metadata as m
assert attest.judge([[1.0]], [[1.0]], [[1.0]], [[1.0]], kernel="fp32-any").ok
assert attest.construct([[[1, 0], [0, 1]]])["certificate"]["verdict"] == "proved"
assert m.version("attest") == attest.__version__ == attest.version()' 2>"$work/log"); then
        fail "python: fails"
        sed 's/^/    /' "$work/log" >&2
    else
        echo "installcheck: python: $PYTHON"
    fi
fi

# What shells offer after TAB, as they find it, and a page of the manual for each command.
attest=$DESTDIR$bindir/attest
offered=$(PATH=$DESTDIR$bindir:$PATH bash -c '. "$1" && COMP_WORDS=(attest certify data.json --wei) COMP_CWORD=3 && _attest && echo "${COMPREPLY[@]}"' \
    bash "$DESTDIR$datadir/bash-completion/completions/attest" 2>&1)
[ "$offered" = --weights ] || fail "completion: bash offers '$offered' for --wei"
for file in zsh/site-functions/_attest fish/vendor_completions.d/attest.fish; do
    [ -s "$DESTDIR$datadir/$file" ] || fail "completion: no $file"
done
echo "installcheck: completion: $offered"
if ls "$DESTDIR$mandir"/man1/attest.1* >/dev/null 2>&1; then # a cross build has no pages
    for command in $("$attest" --complete '' | grep -v -e '^-' -e '^help$'); do
        ls "$DESTDIR$mandir/man1/attest-$command".1* >/dev/null 2>&1 || fail "manual: no attest-$command"
    done
    echo "installcheck: manual: $(ls "$DESTDIR$mandir"/man1/attest*.1* | wc -l) pages"
fi

# Properties of one's own: compiled with the installed headers, run by the installed program.
load() { # name, source, argument...: compiled, and run by a campaign
    name=$1 source=$2
    shift 2
    if ! eval "${CC:-cc} -std=c11 -Wall -Wextra -Werror -shared -fPIC \"\$source\" $(flags --cflags attest attest-engine) -o \"\$work/\$name.so\"" 2>"$work/log"; then
        fail "$name: does not compile"
    elif ! "$attest" campaign --load "$work/$name.so" --tap "$@" >"$work/log" 2>&1 || grep -q '^not ok' "$work/log"; then
        fail "$name: fails"
    else
        echo "installcheck: $name: $(grep -c '^ok' "$work/log") properties"
        return
    fi
    sed 's/^/    /' "$work/log" >&2
}

# The small project, as its users would: autoreconf, configure, make check: three properties, a corpus file.
project() {
    cp -r "$srcdir/examples/project" "$work/project" && chmod -R u+w "$work/project" && cd "$work/project" &&
        PATH=$DESTDIR$bindir:$PATH ACLOCAL_PATH=$DESTDIR$aclocaldir autoreconf -i >log 2>&1 &&
        PATH=$DESTDIR$bindir:$PATH ./configure >>log 2>&1 && make check >>log 2>&1 &&
        grep -q '^# PASS:  4' log && grep -q '^# FAIL:  0' log
}
if [ "$engine" = yes ]; then
    load own-property "$srcdir/examples/own-property.c"
    "$attest" new-property mine -o "$work/mine.c" >/dev/null || fail "new-property: fails"
    load mine "$work/mine.c"
    if ! command -v autoreconf >/dev/null; then
        echo "installcheck: project: there is no autoreconf"
    elif (project); then
        echo "installcheck: project: $(grep '^# PASS' "$work/project/log")"
    else
        fail "project: fails"
        tail -n 20 "$work/project/log" >&2
    fi
fi

# Nothing of another prefix is left in what was installed.
for file in attest ${engine:+attest-engine}; do
    grep -q "^prefix=$prefix\$" "$PKG_CONFIG_PATH/$file.pc" || fail "$file.pc: not of the prefix $prefix"
done
[ $failures -eq 0 ]
