#!/bin/sh
# A thousand kills: tests/campaign/kills.py. ATTEST_KILLS says how many.
. "$srcdir/tests/cli/lib.sh"
python3 "$srcdir/tests/campaign/kills.py" "$ATTEST" "$srcdir" "$work" "${ATTEST_KILLS:-1000}"
