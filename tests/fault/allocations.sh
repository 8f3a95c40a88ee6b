#!/bin/sh
# Allocations of every command fail, at MOST places spread over the run; at all of them in check-long.
. "$srcdir/tests/cli/lib.sh"
need_python

if ! (ulimit -v 200000 && "$ATTEST" --version) >"$out" 2>&1; then
    echo "1..0 # SKIP a sanitizer has an allocator of its own"
    exit 0
fi
if ! $CC -shared -fPIC -O1 -o "$work/preload.so" "$srcdir/tests/fault/preload.c" >"$out" 2>"$err"; then
    echo "1..0 # SKIP the C library does not let itself be preloaded"
    exit 0
fi
python3 "$srcdir/tests/fault/allocations.py" "$ATTEST" "$work/preload.so" "$srcdir" "${MOST-3}"
