#!/bin/sh
# constants.sh FILE.in: writes the Gappa or Sollya script FILE.in to standard output, with @NAME@
# replaced by the constant ATTEST_EXP_NAME of src/kernel/exp_constants.h.
#     sh constants.sh kernel-exp-polynomial.gappa.in | gappa
[ $# -eq 1 ] || { echo "usage: constants.sh FILE.in" >&2; exit 2; }
constants=$(dirname "$0")/../../src/kernel/exp_constants.h
script=$(sed -n 's/^#define ATTEST_EXP_\([A-Z0-9_]*\) \(-\{0,1\}0x[^ ]*\)$/s|@\1@|\2|g/p' "$constants")
[ -n "$script" ] || { echo "constants.sh: no constants in $constants" >&2; exit 1; }
sed -e "$script" "$1"
