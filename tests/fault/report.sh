#!/bin/sh
# attest report when memory runs out or a file cannot be written: exit code 4, one line, no page that is
# not whole. Needs a build with --enable-faults.
. "$srcdir/tests/cli/lib.sh"

python3 "$srcdir/tests/report/make-records.py" "$work/records"
ATTEST_FAULT=alloc:1 "$ATTEST" report "$work/records" >"$out" 2>"$err"
if [ $? -ne 4 ]; then
    echo "1..0 # SKIP built without --enable-faults"
    exit 0
fi
"$ATTEST" report "$work/records" -o "$work/whole.html" >/dev/null 2>"$err"

# fails POINT K: the K-th pass of the point fails.
fails() {
    rm -f "$work/page.html"
    ATTEST_FAULT=$1:$2 "$ATTEST" report "$work/records" -o "$work/page.html" >"$out" 2>"$err"
    got=$?
    if [ $got -eq 0 ]; then
        cmp -s "$work/page.html" "$work/whole.html"
    else
        [ $got -eq "$3" ] && [ ! -e "$work/page.html" ] && [ "$(wc -l <"$err")" -eq 1 ]
    fi
    result $? "$1 fails at pass $2 (exit $got): $(head -n 1 "$err")"
}

for k in 2 3 5 8 13 21 34 55 89 144 233 377 610 987 100000; do
    fails alloc $k 4
done
fails open 1 2
fails read 1 2
for point in write fsync close rename; do
    fails $point 1 4
done
finish
