#!/bin/sh
# lint.sh SOURCE BUILD -- clang-tidy (.clang-tidy) and cppcheck (lint-suppressions.txt) over the
# files of src/ and props/, mypy over the Python package. Exits 1 if one of them prints a diagnostic.
cd "$1" || exit 2
BUILD=$2
export BUILD
jobs=$(nproc 2>/dev/null || echo 1)

# Runs clang-tidy on one file, with the compiler's options except for warnings.
one='
case $1 in
*avx2*) own="-DVECTOR_LANES=4 -mavx2 -mfma" ;;
*avx512* | src/geometry/near_vectors.c | src/kernel/exp.c | src/kernel/*_sequences.c)
    own="-DVECTOR_LANES=8 -mavx512f -mavx512dq -mavx512vl -mfma" ;;
src/theft/*) own="-D_GNU_SOURCE -DATTEST_THEFT_BUILTIN=1" ;;
*) own= ;;
esac
output=$(clang-tidy -quiet "$1" -- -std=gnu11 -DHAVE_CONFIG_H $own -I"$BUILD" -Iinclude -Isrc -I. -Isrc/theft/api 2>/dev/null) && [ -z "$output" ] && exit
echo "$output"
exit 1
'
find src props -name "*.c" | sort | xargs -n 1 -P "$jobs" sh -c "$one" lint
tidy=$?
cppcheck -q -j "$jobs" --enable=warning,portability,performance --std=c11 --error-exitcode=1 \
    --suppressions-list=tests/lint-suppressions.txt -DHAVE_CONFIG_H=1 -DVECTOR_LANES=8 -Iinclude -Isrc -I. -Isrc/theft/api src props
check=$?
types=0
for python in "$PYTHON" /usr/bin/python3; do # the first that has mypy
    "$python" -c 'import mypy' 2>/dev/null || continue
    (cd python && "$python" -m mypy --strict --cache-dir="$BUILD/mypy" attest) || types=1
    break
done
[ $check -eq 0 ] && [ $tidy -eq 0 ] && [ $types -eq 0 ]
