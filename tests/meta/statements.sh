#!/bin/sh
# `attest show` names notes, Coq files and theorems that exist, and every theorem is in the list that the
# proof checker goes through. The C code that this list names exists, and c-source finds the constants
# that the proofs use; this holds without a proof checker, too.
. "$srcdir/tests/cli/lib.sh"

for name in $("$ATTEST" show | awk '{ print $1 }'); do
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

code_gone() { # directory of the notes: what the list names and the C code does not have
    bash -c 'here=$1 && . "$here/check-table.sh" && . "$here/check-code.sh"
        statements coq | while IFS="|" read -r _ name _ code _; do
            gone=$(code_gone "$code" "$2") || echo "$name: $gone"
        done' bash "$1" "$srcdir" 2>&1
}
code_gone "$srcdir/proofs-notes" >"$out"
[ ! -s "$out" ]
result $? "the C code of every row is there"
bash "$srcdir/proofs-notes/c-source" "$srcdir" constants >"$out" 2>"$err"
result $? "the constants that the proofs take from the C code are there"
mkdir "$work/proofs-notes"
cp "$srcdir"/proofs-notes/check-*.sh "$srcdir/proofs-notes/c-source" "$work/proofs-notes/"
echo 'coq | planted | planted | - | src/theory/lemma1.c:attest_lemma1_gone | planted' >"$work/proofs-notes/statements.txt"
[ "$(code_gone "$work/proofs-notes")" = "planted: src/theory/lemma1.c: attest_lemma1_gone" ]
result $? "a planted row without code is found"

# Each function and constant that a row names, with another name: the row must notice.
bash -c 'here=$1 && . "$here/check-table.sh" && . "$here/check-code.sh"
    for tool in coq gappa sollya; do statements $tool; done | cut -d "|" -f 4 | tr ";" "\n" | grep -v "^-\$" | cut -d : -f 1,2 | sort -u |
        while IFS=: read -r file name; do
            mkdir -p "$3/$(dirname "$file")"
            sed "s/\\b$name\\b/${name}_gone/g" "$2/$file" >"$3/$file"
            ! code_gone "$file:$name" "$3" >/dev/null || echo "$file: $name"
            echo . >>"$3/tried"
        done' bash "$srcdir/proofs-notes" "$srcdir" "$work/renamed" >"$out" 2>&1
[ ! -s "$out" ] && [ "$(wc -l <"$work/renamed/tried")" -gt 80 ]
result $? "renamed code is noticed"

# The page of attacks has those that are made, each with what noticed it.
listed() { # directory of the notes
    bash -c 'here=$1 && for part in table coq mutate kernel; do . "$here/check-$part.sh"; done; attacks_listed' bash "$1"
}
sed -n 's/^| [0-9]* | [^|]* | \(.*\) | [^|]* |$/\1/p' "$srcdir/proofs-notes/attacks.md" >"$work/attacks"
listed "$srcdir/proofs-notes" | diff - "$work/attacks" >"$out" && [ "$(wc -l <"$work/attacks")" -gt 150 ]
result $? "attacks.md has all attacks"
! grep -qF '**nothing**' "$srcdir/proofs-notes/attacks.md"
result $? "every attack was noticed"

# The table of README.md: what it names exists, and it says of each statement what attest show says.
for name in $("$ATTEST" show | awk '!/property:/ { print $1 }'); do "$ATTEST" show --json "$name"; done >"$work/shown"
table() { # README
    python3 - "$1" "$srcdir/proofs-notes/statements.txt" "$work/shown" <<'END'
import json, re, sys
readme, listed, shown = (open(name).read() for name in sys.argv[1:4])
checked = {tuple(line.split(" | ")[1:3]) for line in listed.splitlines() if line.startswith("coq | ")}
rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in readme.splitlines() if re.match(r"\| .*\]\(\w[\w-]*\.md\)", line)]
for statement, note, _, machine, tested in rows:
    file = None
    for word in re.findall(r"`(\w[\w.]*)`", machine):
        if word.endswith(".v"):
            file = word[:-2]
            if not any(f == file for f, _ in checked) and file not in ("gstar_digits", "certificate"):
                print(f"{statement}: nothing of {word} is checked")
        elif file and not any(n == word for _, n in checked):
            print(f"{statement}: {word} is not checked")
at, decoder = 0, json.JSONDecoder()
while at < len(shown.rstrip()):
    statement, at = decoder.raw_decode(shown, at)
    at += len(shown[at:]) - len(shown[at:].lstrip())
    name, machine = statement["name"], statement["machine"] or ""
    own = [row for row in rows if name in re.split(r"[ ,]+", row[4])]
    if not own:
        print(f"{name}: no row has it as tested")
    said = set(re.findall(r"\b(\w+)\.v\b", machine))
    there = {word[:-2] for row in own for word in re.findall(r"`(\w+\.v)`", row[3])}
    if bool(said) != bool(there) or not said & there and said:
        print(f"{name}: attest show has {sorted(said)}, the table {sorted(there)}")
END
}
table "$srcdir/proofs-notes/README.md" >"$out" 2>&1
[ ! -s "$out" ]
result $? "the table of the proofs agrees with attest show"
sed 's/`memorize.v`: `positional_distance`, `positional_nonzero`/no/;s/`tuned_contextual`/`tuned_whole`/' "$srcdir/proofs-notes/README.md" >"$work/README.md"
[ "$(table "$work/README.md" | wc -l)" -ge 2 ]
result $? "planted changes of it are found"
finish
