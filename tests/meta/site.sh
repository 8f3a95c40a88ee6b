#!/bin/sh
# The pages of the site can be put together: every link between documents, commands, headers and proofs has its page and its
# heading. `make html` does the rest, and tests/meta/site-long.sh checks the result. The test fails on
# planted violations.
. "$srcdir/tests/meta/rooms.sh"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
if ! command -v python3 >"$directory/python"; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi
collect() { python3 -B "$1/doc/site/collect.py" "$1" "$ATTEST" "$directory/manual" "$directory/site" 2>&1; }

report 1 "the manual" "$(sh "$srcdir/doc/pages" "$ATTEST" "$directory/manual" 2>&1)"
report 2 "the pages" "$(collect "$srcdir")"
unseen=$(for page in index.md commands/certify.md reference/judge.md proofs/theorem1.md glossary.md figures.md tutorials/engineer.md; do
    [ -s "$directory/site/$page" ] || echo "$page"
done)
report 3 "of documents, commands, headers, proofs, words and figures" "$unseen"
unlisted=$(cd "$srcdir" && for path in doc/*.md doc/tutorials/*.md; do
    name=${path#doc/}
    [ "$name" = index.md ] || grep -qx "${name%.md}" doc/index.md || echo "$path is not in doc/index.md"
    grep -q "$path" doc/doc.am || echo "$path is not in doc/doc.am"
done)
report 4 "every document is on the site and in the tarball" "$unlisted"

mkdir -p "$directory/tree/bench" && cp -r "$srcdir/doc" "$srcdir/include" "$srcdir/examples" "$srcdir/proofs-notes" "$srcdir"/*.md "$directory/tree" && chmod -R u+w "$directory/tree"
echo 'See [this](gone.md).' >>"$directory/tree/doc/audit.md"
report 5 "a link to no page is found" "$(echo 'doc/audit.md: no page gone.md' >"$directory/expected"; collect "$directory/tree" | diff - "$directory/expected")"
cp "$srcdir/doc/audit.md" "$directory/tree/doc/audit.md" && chmod u+w "$directory/tree/doc/audit.md"
echo 'See [this](judge.md#gone).' >>"$directory/tree/doc/audit.md"
report 6 "a link to no heading is found" "$(echo 'doc/audit.md: no heading judge.md#gone' >"$directory/expected"; collect "$directory/tree" | diff - "$directory/expected")"
echo "1..6"
