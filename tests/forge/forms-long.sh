#!/bin/sh
# 10^5 forged certificates of real heads.
ATTEST_FORGERIES=${ATTEST_FORGERIES:-100000}
. "$srcdir/tests/forge/forms.sh"
