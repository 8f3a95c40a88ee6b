#!/bin/sh
# A campaign whose environment fails at the k-th write, sync, rename, allocation or fork, for every k: it
# reports the failure with exit code 4, and continues when started again without a fault. Needs --enable-faults.
. "$srcdir/tests/cli/lib.sh"

campaign() { "$ATTEST" campaign lemma1 --trials 200 --jobs 1 --out "$1" --resume --json; }
strip() { grep -v '"seconds"\|"trials_per_second"' "$1"; }

campaign "$work/calm" >"$work/calm.json" 2>"$err"
strip "$work/calm.json" >"$work/expected"
for point in write fsync rename open fork; do
    k=1
    wrong=0
    code=4
    while [ $k -le 60 ] && [ $code -ne 0 ]; do
        rm -rf "$work/hurt"
        ATTEST_FAULT=$point:$k campaign "$work/hurt" >"$out" 2>"$err"
        code=$?
        if [ $code -ne 0 ]; then
            [ $code -eq 4 ] && [ "$(wc -l <"$err")" -eq 1 ] || wrong=$((wrong + 1))
        fi
        campaign "$work/hurt" >"$work/again.json" 2>>"$err"
        strip "$work/again.json" | cmp -s - "$work/expected" || wrong=$((wrong + 1))
        k=$((k + 1))
    done
    [ $wrong -eq 0 ] && [ $code -eq 0 ] && [ $k -gt 2 ]
    result $? "$point fails at every k < $k, and the campaign goes on ($wrong wrong)"
done
finish
