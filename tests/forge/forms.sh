#!/bin/sh
# Forged certificates of real heads, given to the program: ATTEST_FORGERIES of them, drawn from
# ATTEST_SEED (forms.py).
. "$srcdir/tests/cli/lib.sh"
need_python
srcdir=$(cd "$srcdir" && pwd)
cd "$work" || exit 1
python3 "$srcdir/tests/forge/forms.py" "$ATTEST" "${ATTEST_FORGERIES:-500}" "${ATTEST_SEED:-1}" >"$out" 2>"$err"
status=$?
sed '/^#/!s/^/# /' "$out"
result $status "certificates of real heads"
finish
