#!/bin/sh
# A disk that fills at every byte that commands write.
MOST= exec sh "$srcdir/tests/fault/full.sh"
