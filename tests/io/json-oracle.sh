#!/bin/sh
# The JSON reader against Python's.
if ! command -v python3 >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi
exec python3 "$srcdir/tests/io/json-oracle.py" tests/io/json-echo 5000 1
