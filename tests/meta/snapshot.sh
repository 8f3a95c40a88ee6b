#!/bin/sh
# tests/snapshot: repeating the steps finds no difference; a changed byte is reported; an intended difference is not.
. "$srcdir/tests/cli/lib.sh"
need_python
snapshot() { python3 "$srcdir/tests/snapshot" "$@" >"$out" 2>"$err"; }

snapshot record "$builddir" "$work/before" --cases '^(simulate|campaign/status|campaign/new)$'
result $? "three cases are recorded"
snapshot compare "$builddir" "$work/before" && grep -qx 'cases that differ: 0' "$out"
result $? "the same build does not differ"
sed -i 's/exists already/is there/' "$work/before/cases/campaign/new.txt"
snapshot compare "$builddir" "$work/before" --cases campaign/new
[ $? -eq 1 ] && grep -qx 'campaign/new differs:' "$out" && grep -q '^    -attest: mine.c: the file is there' "$out" && grep -qx 'cases that differ: 1' "$out"
result $? "a changed message is reported"
printf '# Plain words\nnew\t(file )is (the.*)$\t\\1exists already\n' >"$work/expected"
snapshot compare "$builddir" "$work/before" --cases campaign/new --expect "$work/expected" --keep "$work/now" &&
  grep -qx 'intended: Plain words: 2 places' "$out"
result $? "an intended difference is not"
line=$(grep '^attest: mine.c: ' "$work/before/cases/campaign/new.txt" | head -n 1)
printf '@@ new\n-%s\n+%s\n@@ .\n--\n+none\n' "$line" "$(echo "$line" | sed 's/is there/exists already/')" >"$work/expected"
snapshot compare "$work/now" "$work/before" --cases campaign/new --expect "$work/expected" && grep -qx 'intended, but nowhere: . -' "$out"
result $? "a hunk states an intended difference, and what was kept is compared again"
printf 'new\texists\n' >"$work/expected"
snapshot compare "$builddir" "$work/before" --cases campaign/new --expect "$work/expected"
[ $? -eq 1 ] && grep -q ':1: not CASES <tab> PATTERN <tab> REPLACEMENT, and in no hunk$' "$err"
result $? "a rule without a replacement is refused"
finish
