#!/bin/sh
# Every allocation of every command fails, once and from then on.
MOST= exec sh "$srcdir/tests/fault/allocations.sh"
