#!/bin/sh
# What `attest show` says of a proof is true: the note exists, and the Coq files exist, and every
# theorem it names is in the list that the proof checker goes through. And the C code that this list
# names is there, which the proof checker asks, too, where there is one.
. "$srcdir/tests/cli/lib.sh"

for name in $("$ATTEST" list | awk '{ print $1 }'); do
    "$ATTEST" show --json "$name" >"$out" 2>"$err"
    python3 - "$out" "$srcdir/proofs-notes" <<'END' 2>>"$err"
import json, os, re, sys
statement, notes = json.load(open(sys.argv[1])), sys.argv[2]
if statement["note"]:
    assert os.path.exists(os.path.join(notes, "..", statement["note"])), statement["note"]
checked = {tuple(f.strip() for f in line.split("|")[1:3])
           for line in open(os.path.join(notes, "statements.txt")) if line.count("|") >= 3}
machine = statement["machine"] or ""
files = re.findall(r"(\w+)\.v\b", machine)
for file in files:
    assert os.path.exists(os.path.join(notes, "coq", file + ".v")), file
for name in re.findall(r"\b[A-Za-z0-9]+_\w+\b(?!\.v)", machine):
    assert name in files or any((file, name) in checked for file in files), name
END
    result $? "$name"
done
[ $count -gt 10 ]
result $? "there are statements"

code_gone() { # folder of the notes: what the list names and the C code does not have
    bash -c 'here=$1 && . "$here/check-table.sh" && . "$here/check-code.sh"
        statements coq | while IFS="|" read -r _ name _ code _; do
            gone=$(code_gone "$code" "$2") || echo "$name: $gone"
        done' bash "$1" "$srcdir" 2>&1
}
code_gone "$srcdir/proofs-notes" >"$out"
[ ! -s "$out" ]
result $? "the C code of every row is there"
mkdir "$work/proofs-notes"
cp "$srcdir"/proofs-notes/check-*.sh "$srcdir/proofs-notes/c-source" "$work/proofs-notes/"
echo 'coq | planted | planted | - | src/theory/lemma1.c:attest_lemma1_gone | planted' >"$work/proofs-notes/statements.txt"
[ "$(code_gone "$work/proofs-notes")" = "planted: src/theory/lemma1.c: attest_lemma1_gone" ]
result $? "a planted row without code is found"
finish
