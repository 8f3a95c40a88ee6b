#!/bin/sh
# What the library must not do: print, end the process, read the environment, look for a
# terminal; and its texts name no option of the program. Read from the symbols that its objects
# use, and from its strings. The test fails on planted violations.
. "$srcdir/tests/meta/rooms.sh"

# Who may all the same, and why.
allowed='
src/base/fault.c getenv
src/base/file.c stdout
src/base/workers.c _exit
src/kernel/kernel.c abort
src/kernel/kernel.c stderr
'
# fault: in builds with --enable-faults alone. file: a path "-" is standard output, by the
# caller's wish. workers: the end of a forked child. kernel: in builds with --enable-debug alone.

forbidden='abort|exit|_exit|_Exit|quick_exit|getenv|secure_getenv|isatty|tcgetattr|ioctl|stdout|stderr|printf|vprintf|puts|putchar|perror|psignal|__printf_chk|__vprintf_chk'

library_rooms=$(echo "$rooms" | awk '/^audit/ { exit } { sub(/:.*/, ""); print }')

calls() { # lines of symbols: "FILE SYMBOL" for what the library's files may not use
    awk -v rooms="$library_rooms" -v forbidden="^($forbidden)$" '
        BEGIN { n = split(rooms, word, /[ \n]+/); for (i = 1; i <= n; i++) library["src/" word[i]] }
        { room = $1; sub(/\/[^\/]*$/, "", room) }
        room in library && $2 == "U" && $3 ~ forbidden { print $1, $3 }' | sort -u
}

options() { # tree: places in the library's rooms where a string names an option
    (cd "$1" && for room in $library_rooms; do
        grep -nE '^[^/*]*"[^"]*--[a-z]' src/"$room"/*.[ch] src/"$room"/*.inc 2>/dev/null
    done)
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
echo "$allowed" | grep . | sort >"$directory/allowed"
symbols "$srcdir" "$builddir" >"$directory/symbols"
calls <"$directory/symbols" >"$directory/calls"
report 1 "the library's $(grep -c . "$directory/symbols") uses of symbols" "$(comm -23 "$directory/calls" "$directory/allowed")"
report 2 "its texts name no option" "$(options "$srcdir")"
report 3 "planted calls are found" "$(printf '%s\n' 'src/base/a.c getenv' 'src/recheck/b.c printf' >"$directory/expected"
    printf '%s\n' 'src/base/a.c U getenv' 'src/base/a.c U snprintf' 'src/recheck/b.c U printf' 'src/cli/c.c U printf' |
        calls | diff - "$directory/expected")"
mkdir -p "$directory/src/io"
printf '/* see "--x" */\nfail("give --tensor");\n' >"$directory/src/io/a.c"
report 4 "a planted option is found" "$([ "$(options "$directory" | wc -l)" -eq 1 ] || echo no)"

# Every end of a message to which the program adds an option (src/base/hint.h) is used by a message
# of the library and by the program.
unused() { # tree
    (cd "$1" && sed -n 's/^#define \(ATTEST_HINT_[A-Z_]*\) .*/\1/p' src/base/hint.h | while read -r hint; do
        grep -qw "$hint" src/cli/fail.c || echo "src/cli/fail.c: $hint"
        for room in $library_rooms; do find src/"$room" -name '*.[ch]' ! -name hint.h; done | xargs grep -qw "$hint" || echo "no message: $hint"
    done)
}
report 5 "hints belong to messages of the library" "$(unused "$srcdir")"
mkdir -p "$directory/src/base" "$directory/src/cli"
echo '#define ATTEST_HINT_LOST "words"' >"$directory/src/base/hint.h"
echo '{ATTEST_HINT_LOST, "x"}' >"$directory/src/cli/fail.c"
report 6 "a hint without a message is found" "$([ "$(library_rooms='base io'; unused "$directory")" = "no message: ATTEST_HINT_LOST" ] || echo no)"
echo "1..6"
