#!/bin/sh
# What README and the manual show is what the program prints (tests/cli/examples.py says how they write it).
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi
python3 -B "$srcdir/tests/cli/examples.py" "$ATTEST" "$srcdir" "$srcdir/README.md" "$srcdir"/doc/*.md "$srcdir"/doc/tutorials/*.md "$srcdir"/doc/commands/*.md "$srcdir/examples/devil/README.md"
