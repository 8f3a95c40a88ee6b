#!/bin/sh
# Planted bugs keep up with the source: what tests/*/mutations.sh replaces occurs in its file, once,
# and the file is changed by it. Nothing is built here; that the bugs are found is for those
# scripts, which take long. Shown to bite.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"

mkdir "$tree" && cp -R "$srcdir/src" "$tree" && chmod -R u+w "$tree"
result $? "a copy of the source"

# bugs SCRIPT: the calls of mutation, which follow its definition.
bugs() { awk 'found { print } /^mutation\(\)/ { inside = 1 } inside && /^}/ { found = 1; inside = 0 }' "$1"; }

prefix= # what the script's names of files leave out
mutation() { # name, file, text, replacement
    planted=$((planted + 1))
    bug=$1 file=$prefix$2
    shift 2
    plant "$bug" "$file" "$@" 2>>"$err" || stale="$stale; $bug"
    unplant "$file"
}

for script in tests/props/mutations.sh tests/kernel/mutations.sh tests/forge/mutations.sh tests/judge/mutations.sh; do
    planted=0 stale= prefix=
    [ $script != tests/judge/mutations.sh ] || prefix=src/judge/
    : >"$out" >"$err"
    eval "$(bugs "$srcdir/$script" | sed '/^finish$/d')"
    [ "$planted" -gt 0 ] && [ -z "$stale" ]
    result $? "$planted bugs of $script apply${stale:+, but for $stale}"
done

planted=0 stale= prefix=
mutation "text that is nowhere" src/base/text.c 'no such text' ''
mutation "text that occurs twice" src/base/text.c 'attest_text' ''
mutation "nothing new" src/base/text.c '#include "base/text.h"' '#include "base/text.h"'
[ "$stale" = "; text that is nowhere; text that occurs twice; nothing new" ]
result $? "stale bugs are found"
finish
