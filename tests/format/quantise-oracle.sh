#!/bin/sh
# Formats of few bits and block formats against rationals in Python.
if ! command -v python3 >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi
exec python3 "$srcdir/tests/ref/quantise.py" tests/format/quantise-echo
