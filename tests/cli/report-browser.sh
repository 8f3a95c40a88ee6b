#!/bin/sh
# A report in headless Chromium: nothing fetched, nothing complained of, legible everywhere.
# Without a browser it is skipped. ATTEST_SHOTS=DIR keeps the screenshots.
for browser in chromium chromium-browser google-chrome; do
    command -v "$browser" >/dev/null 2>&1 && break
    browser=
done
if [ -z "$browser" ]; then
    echo "1..0 # SKIP no chromium"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$srcdir/tests/report/make-records.py" "$work/records" &&
    SOURCE_DATE_EPOCH=1700000000 "$ATTEST" report "$work/records" -o "$work/page.html" >/dev/null || exit 1
[ -z "$ATTEST_SHOTS" ] || mkdir -p "$ATTEST_SHOTS"
python3 "$srcdir/tests/report/browser.py" "$browser" "$work/page.html" "$ATTEST_SHOTS" \
    "dataset </title></svg><script>alert('x')</script><img src=x onerror=alert(1)>"
