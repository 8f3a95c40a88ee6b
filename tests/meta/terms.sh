#!/bin/sh
# The terms of bounds that the source names (ATTEST_TERM) and the rows of the tables in tests/bounds: each
# term is named once and has a row, and each row names a term of the source.
. "$srcdir/tests/cli/lib.sh"

cd "$srcdir" || exit 99
find src -name '*.[ch]' -o -name '*.inc' | xargs cat | tr '\n' ' ' | grep -oE 'ATTEST_TERM(_MAG|_ARF)?\( *[a-z0-9_]+' | sed 's/.*( *//' | grep -vx name | sort >"$work/named"
grep -rhoE '^ *\{"[a-z0-9_]+", ' tests/bounds | sed 's/.*{"//; s/".*//' | sort -u >"$work/rows"

nothing() { # words, description: there are no such words
    [ -z "$1" ]
    result $? "$2${1:+: }$(echo "$1" | tr '\n' ' ')"
}
nothing "$(uniq -d "$work/named")" "each term is named once"
nothing "$(uniq "$work/named" | comm -23 - "$work/rows")" "each term has a row in tests/bounds"
nothing "$(uniq "$work/named" | comm -13 - "$work/rows")" "each row names a term of the source"
finish
