#!/bin/sh
# A room uses only what the table in rooms.sh lets it: read twice, from the #include lines of its
# files and from the symbols of its object files, as a declaration can come from a public header,
# or be written by hand.
# The test fails on planted violations.
. "$srcdir/tests/meta/rooms.sh"

includes() { # tree: "FILE includes ROOM", and "FILE is in no room"
    (cd "$1" && find src props -name '*.[ch]' -o -name '*.inc' | sort |
        xargs awk -v rooms="$rooms" "$may_use"'
            BEGIN { read_rooms(rooms) }
            FNR == 1 && !(room_of(FILENAME) in known) { print FILENAME " is in no room" }
            /^# *include *"[a-z0-9_]*\// {
                split($0, part, /["\/]/)
                if (room_of(FILENAME) in known && !may_use(room_of(FILENAME), part[2]))
                    print FILENAME " includes " part[2]
            }') | sort -u
}

uses() { # tree, build: "FILE uses SYMBOL of ROOM"
    symbols "$1" "$2" | awk -v rooms="$rooms" "$may_use"'
        BEGIN { read_rooms(rooms) }
        $2 !~ /^[Uwv]$/ { owner[$3] = room_of($1); next }
        { user[++n] = $1; used[n] = $3 }
        END {
            for (i = 1; i <= n; i++)
                if (used[i] in owner && !may_use(room_of(user[i]), owner[used[i]]))
                    print user[i] " uses " used[i] " of " owner[used[i]]
        }' | sort
}

# Who may call what is not for everybody. Text for people is printed by src/report/print.h, which escapes
# what comes from files; the others write documents with an escape of their own, or escape whole lines.
printers='src/cli/demo.c src/cli/fail.c src/cli/campaign_new.c src/cli/slurm.c src/cli/terminal.c
    src/report/campaign.c src/report/print.c src/report/report.c src/report/tests.c'
# Input files are opened by base/file.h, which does not wait or read without end; the others open
# files for writing, locks, and files of the system.
openers='src/audit/head_audit.c src/base/file.c src/base/workers.c
    src/campaign/status.c src/campaign/worker.c src/cli/main.c src/campaign/journal.c'

calls() { # tree, build, files, symbols, those who may: "FILE calls SYMBOL"
    symbols "$1" "$2" | awk -v files="^($3)/" -v names="^(__)?($4)(64)?(_2|_chk)?(@.*)?$" -v may="$5" '
        BEGIN { n = split(may, word); for (i = 1; i <= n; i++) allowed[word[i]] = 1 }
        $2 == "U" && $1 ~ files && $3 ~ names && !($1 in allowed) { print $1 " calls " $3 }' | sort
}
prints='printf|fprintf|vprintf|vfprintf|puts|fputs|fwrite'
opens='open|openat|fopen|freopen'

found=$(includes "$srcdir"; uses "$srcdir" "$builddir")
report 1 "no room uses one below it" "$found"
number=$(symbols "$srcdir" "$builddir" | grep -c ' U ')
report 2 "$number uses of symbols were read" "$([ "$number" -gt 0 ] || echo none)"

# A tree of four files: data declares what theory defines, the kernel what number does.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for room in kernel number data theory; do mkdir -p "$tree/src/$room" "$tree/props"; done
echo 'int attest_up(void); int attest_low(void); int attest_low(void) { return attest_up(); }' >"$tree/src/data/low.c"
echo 'int attest_up(void); int attest_up(void) { return 0; }' >"$tree/src/theory/up.c"
echo 'extern int attest_number; int attest_kernel(void); int attest_kernel(void) { return attest_number; }' >"$tree/src/kernel/k.c"
echo 'int attest_low(void); int attest_number = 1; int attest_n(void); int attest_n(void) { return attest_number; }' >"$tree/src/number/n.c"
for file in kernel/k number/n data/low theory/up; do $CC -c -o "$tree/src/$file.o" "$tree/src/$file.c"; done
report 3 "planted uses are found" "$(echo 'src/data/low.c uses attest_up of theory
src/kernel/k.c uses attest_number of number' >"$tree/expected"; uses "$tree" "$tree" | diff - "$tree/expected")"

mkdir "$tree/src/odd"
echo '#include "theory/theorem2.h"' >"$tree/src/data/low.c"
echo '#include "number/exact.h"' >"$tree/src/kernel/k.c"
echo '#include "kernel/kernel.h"' >"$tree/src/number/n.c"
echo 'int x;' >"$tree/src/odd/stray.c"
report 4 "planted #include lines are found" "$(echo 'src/data/low.c includes theory
src/kernel/k.c includes number
src/odd/stray.c is in no room' >"$tree/expected"; includes "$tree" | diff - "$tree/expected")"

mkdir -p "$tree/src/cli"
echo '#include <stdio.h>
int main(int c, char **v) { return printf("%s", v[c - 1]) + !fopen(v[0], "r"); }' >"$tree/src/cli/c.c"
$CC -c -o "$tree/src/cli/c.o" "$tree/src/cli/c.c"
report 5 "text for people is printed by report/print.h" "$(calls "$srcdir" "$builddir" 'src/cli|src/report' "$prints" "$printers")"
report 6 "input files are opened by base/file.h" "$(calls "$srcdir" "$builddir" 'src|props' "$opens" "$openers")"
report 7 "planted calls are found" "$(echo 'src/cli/c.c calls fopen
src/cli/c.c calls printf' >"$tree/expected"; calls "$tree" "$tree" src "$prints|$opens" "" | sed 's/64//; s/__printf_chk/printf/' | sort | diff - "$tree/expected")"

echo "1..7"
