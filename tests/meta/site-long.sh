#!/bin/sh
# The site that Sphinx makes, without a warning: no dead link, nothing loaded from elsewhere, and in a browser, light and dark, wide
# and narrow, nothing beyond the window's edge. ATTEST_SCREENSHOTS=DIR keeps pictures. Skipped without Sphinx and MyST.
. "$srcdir/tests/meta/rooms.sh"
if ! "${SPHINX_BUILD:-sphinx-build}" --version >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no sphinx-build"
    exit 0
fi
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
sh "$srcdir/doc/pages" "$ATTEST" "$directory/manual" &&
    python3 -B "$srcdir/doc/site/collect.py" "$srcdir" "$ATTEST" "$directory/manual" "$directory/site" || exit 1
report 1 "Sphinx has no warning" "$(ATTEST_VERSION=0 "${SPHINX_BUILD:-sphinx-build}" -q -W --keep-going -E -c "$srcdir/doc/site" -d "$directory/trees" "$directory/site" "$directory/html" 2>&1)"
report 2 "no dead link, nothing from elsewhere" "$(python3 "$srcdir/tests/meta/site-links.py" "$directory/html")"
mkdir "$directory/planted"
printf '<a id="a" href="gone.html"></a><a href="#b"></a><img src="https://example.org/x.png">' >"$directory/planted/index.html"
report 3 "planted ones are found" "$([ "$(python3 "$srcdir/tests/meta/site-links.py" "$directory/planted" | wc -l)" -eq 3 ] || echo no)"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
    report 4 "in a browser" "$(python3 "$srcdir/tests/meta/site-browser.py" "$browser" "$directory/html" "${ATTEST_SCREENSHOTS-}" 2>&1)"
else
    echo "ok 4 - in a browser # SKIP there is no chromium"
fi
echo "1..4"
