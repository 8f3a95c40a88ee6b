#!/bin/sh
# What the README shows is what the program prints.
. "$srcdir/tests/cli/lib.sh"

cd "$srcdir" || exit 1
documented README.md build/attest
[ $count -gt 0 ]
result $? "the README has examples"
finish
