#!/bin/sh
# Planted bugs keep up with the source: what tests/*/mutations.sh replaces occurs in its file, once,
# and the file is changed by it. Nothing is built here; those scripts, which take
# long, test that the bugs are found. The test fails on planted violations.
. "$srcdir/tests/cli/lib.sh"

# bugs SCRIPT: the calls of mutation, which follow build_tests or the script's own definition of mutation.
bugs() {
    awk 'found { print } /^build_tests/ { found = 1 }
        /^mutation\(\)/ { inside = 1 } inside && /^}/ { found = 1; inside = 0 }' "$1"
}

prefix= # what the script's names of files leave out
mutation() { # name, file, text, replacement...
    planted=$((planted + 1))
    bug=$1 file=$prefix$2
    shift 2
    printf '%s\0' $(($# + 2)) "$bug" "$file" "$@" >>"$work/bugs"
}
stale() { python3 "$srcdir/tests/plant.py" --try "$srcdir" <"$work/bugs"; }

for script in tests/props/mutations.sh tests/kernel/mutations.sh tests/forge/mutations.sh tests/judge/mutations.sh; do
    planted=0 prefix=
    : >"$work/bugs"
    eval "$(bugs "$srcdir/$script" | sed '/^finish$/d')"
    stale >"$out" 2>"$err" && [ "$planted" -gt 0 ] && [ ! -s "$out" ]
    result $? "$planted bugs of $script apply"
done

# What tests/mutants_explained.txt explains is a change of a line that is there.
python3 - "$srcdir" >"$out" <<'END' && [ ! -s "$out" ]
import re
import sys

source = sys.argv[1]
for entry in open(f"{source}/tests/mutants_explained.txt"):
    if not entry.startswith("src/"):
        continue
    file, change = entry.rstrip("\n").split(": ", 1)
    lines = {line.strip() for line in open(f"{source}/{file}")}
    if not any(change[:arrow.start()] in lines for arrow in re.finditer(" -> ", change)):
        print(entry)
END
result $? "explained changes are of existing lines"

planted=0 prefix=
: >"$work/bugs"
mutation "text that is nowhere" src/base/text.c 'no such text' ''
mutation "text that occurs twice" src/base/text.c 'attest_text' ''
mutation "nothing new" src/base/text.c '#include "base/text.h"' '#include "base/text.h"'
mutation "a bug that applies" src/base/text.c '#include "base/text.h"' ''
[ "$(stale | paste -sd ,)" = "text that is nowhere,text that occurs twice,nothing new" ]
result $? "stale bugs are found"
finish
