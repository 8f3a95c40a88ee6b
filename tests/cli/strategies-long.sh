#!/bin/sh
# All strategies of attest construct on 60 random datasets.
export ATTEST_DATASETS=60
. "$srcdir/tests/cli/strategies.sh"
