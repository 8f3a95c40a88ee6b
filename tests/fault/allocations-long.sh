#!/bin/sh
# Of every command, every allocation that other calls lead to fails, once and from then on.
MOST=stacks exec sh "$srcdir/tests/fault/allocations.sh"
