#!/bin/sh
# constants.sh FILE.in: writes the Gappa or Sollya script FILE.in to standard output, with @NAME@
# replaced by the constant ATTEST_EXP_NAME of src/kernel/exp_constants.h, and @BOUND_NAME@ by
# ATTEST_BOUND_NAME of src/kernel/bound_constants.h.
#     sh constants.sh kernel-exp-polynomial.gappa.in | gappa
[ $# -eq 1 ] || { echo "usage: constants.sh FILE.in" >&2; exit 2; }
kernel=$(dirname "$0")/../../src/kernel
script=$(sed -n -e 's/^#define ATTEST_EXP_\([A-Z0-9_]*\) \(-\{0,1\}0x[^ ]*\)$/s|@\1@|\2|g/p' \
    -e 's/^#define ATTEST_\(BOUND_[A-Z0-9_]*\) \(-\{0,1\}0x[^ ]*\)$/s|@\1@|\2|g/p' \
    "$kernel/exp_constants.h" "$kernel/bound_constants.h")
[ -n "$script" ] || { echo "constants.sh: no constants in $kernel" >&2; exit 1; }
sed -e "$script" "$1"
