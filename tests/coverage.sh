#!/bin/sh
# coverage.sh BUILDDIR SRCDIR: line coverage of every directory of src/ after `make check` in a
# build with --enable-coverage; fails where it is below 90 %.
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd) least=90
command -v gcovr >/dev/null || { echo "coverage: gcovr not found (Debian: apt-get install gcovr)" >&2; exit 2; }
merge= # functions of src/kernel/vector.h are defined on a line of their own for each instruction set
gcovr --help | grep -q -e --merge-mode-functions && merge=--merge-mode-functions=separate
gcovr $merge --root "$source" --object-directory "$build" --filter "$source/src/" --filter "$source/props/" \
    --csv --output - "$build" 2>/dev/null |
    awk -F, -v least=$least '
        NR > 1 {
            n = split($1, part, "/"); directory = n > 2 ? part[1] "/" part[2] : part[1]
            lines[directory] += $2; covered[directory] += $3
        }
        END {
            for (d in lines) {
                share = lines[d] ? 100 * covered[d] / lines[d] : 100
                printf "%-16s %6d lines %6.1f %%%s\n", d, lines[d], share, share < least ? "  below " least : "" | "sort"
                if (share < least) low = 1
            }
            close("sort")
            exit low
        }'
