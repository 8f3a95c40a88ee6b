#!/bin/sh
# A disk that fills while commands write, at MOST places spread over their files; at all in check-long.
. "$srcdir/tests/cli/lib.sh"
need_python
# shellcheck disable=SC2086
python3 "$srcdir/tests/fault/full.py" "$ATTEST" "$srcdir" "$work" ${MOST-4}
