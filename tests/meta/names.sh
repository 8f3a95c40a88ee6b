#!/bin/sh
# Names. Every global symbol of the library has the project's prefix. A type is defined once. The
# symbols attest_<module>_... of a module are defined in one room. The module is the longest of
# the prefixes registered below that begins the symbol, else its first word after attest_.
# The test fails on planted violations.
. "$srcdir/tests/meta/rooms.sh"

# Prefixes of several words whose first word belongs to another room, with the room they are in:
# what is held is in data, how it is read and written in io, how it is evaluated in attention.
registered='
audit_iter report
boltz_difference theory
certificate_parse io
certificate_read io
certificate_shows io
certificate_write io
counterexample_parse io
counterexample_read io
counterexample_set_json io
counterexample_write io
context_place theory
dataset_parse io
dataset_read io
dataset_set_array io
dataset_set_json io
dataset_set_npy io
dataset_set_safetensors io
dataset_write io
double_enclosure certify
double_layer certify
double_points certify
feed_forward_ball attention
feed_forward_exact attention
feed_forward_plan attention
judge_draw props
linear_tokens model
matrix_set_slice io
network_attend attention
network_ball attention
network_encode attention
network_exact attention
network_in_double attention
network_in_mpfr attention
network_read io
network_runner attention
network_set_json io
network_write io
weights_parse io
weights_read io
weights_set_json io
weights_set_npz io
weights_write io
'

strangers() { # object or archive: global definitions without the prefix
    nm -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }' |
        grep -Ev '^(attest_|theft_|__odr_asan|_*asan_|__gcov|__sanitizer|___asan|_edata|_end|__bss_start|_init|_fini|__start_|__stop_|__llvm)' | sort -u
}

types() { # tree: "tag NAME" and "typedef NAME" for every definition of a type
    (cd "$1" && find src props include \( -name '*.[ch]' -o -name '*.inc' \) | sort | xargs awk '
        { sub(/\/\/.*|\/\*.*/, "") }
        FNR == 1 { open = 0 }
        /^typedef / { open = 1 }
        match($0, /(struct|enum|union) +attest_[a-z0-9_]+ *\{/) {
            name = substr($0, RSTART, RLENGTH - 1); sub(/^[a-z]+/, "tag", name); print name
        }
        open && match($0, /[ *(]attest_[a-z0-9_]+(\)? *\([^*]|;)/) && (/^typedef/ || /^}/) {
            name = substr($0, RSTART + 1, RLENGTH - 1); sub(/[^a-z0-9_].*/, "", name); print "typedef " name
        }
        /;/ && !/^ / { open = 0 }') | sed 's/  */ /g; s/ $//' | sort
}

repeated() { # sorted lines: those that come more than once, with their number
    uniq -c | awk '$1 > 1 { print $2, $3, "is defined", $1, "times" }'
}

shared() { # lines of symbols: "WORD: ROOM ROOM..." for every module in several rooms
    awk -v registered="$registered" "$may_use"'
        BEGIN {
            n = split(registered, line, "\n")
            for (i = 1; i <= n; i++)
                if (split(line[i], word, " ") == 2) place[word[1]] = word[2]
        }
        $2 ~ /^[Uwv]$/ || $3 !~ /^attest_/ { next }
        {
            name = substr($3, 8)
            module = name; sub(/_.*/, "", module)
            for (prefix in place)
                if (index(name "_", prefix "_") == 1 && length(prefix) > length(module)) module = prefix
            if (!((module, room_of($1)) in seen)) { seen[module, room_of($1)]; rooms[module] = rooms[module] " " room_of($1); count[module]++ }
        }
        END {
            for (module in count) {
                if (count[module] > 1) print module ":" rooms[module]
                if (module in place && rooms[module] != " " place[module]) print module " is registered for " place[module] ", but defined in" rooms[module]
            }
            for (prefix in place) if (!(prefix in count)) print prefix " is registered, but no symbol begins with it"
        }' | sort
}

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

report 1 "the archives' global symbols" "$(strangers "$builddir/.libs/libattest_core.a"; strangers "$builddir/.libs/libattest_tool.a")"
twice=$(types "$srcdir" | repeated)
several=$(symbols "$srcdir" "$builddir" | shared)
report 2 "a type is defined once" "$twice"
report 3 "a module is in one room" "$several"
echo "# $(types "$srcdir" | grep -c typedef) types, $(echo "$twice" | grep -c typedef) defined more than once;" \
    "$(symbols "$srcdir" "$builddir" | grep -c ' [A-TV-Z] attest_') symbols, $(echo "$several" | grep -c :) modules in several rooms"

echo 'int helper(void); int helper(void) { return 0; }' >"$directory/planted.c"
$CC -c -o "$directory/planted.o" "$directory/planted.c"
report 4 "a planted stranger is found" "$(echo helper >"$directory/expected"; strangers "$directory/planted.o" | diff - "$directory/expected")"

mkdir "$directory/src" "$directory/props" "$directory/include"
printf 'typedef struct {\n    int a;\n} attest_pair;\ntypedef enum attest_kind { A, B } attest_kind;\nstruct attest_part;\ntypedef struct attest_part attest_part;\n' >"$directory/src/a.h"
printf 'typedef struct attest_pair {\n    attest_kind kind;\n} attest_pair;\nenum attest_kind { C };\ntypedef int attest_test(void *);\n' >"$directory/include/b.h"
printf 'typedef int (*attest_test)(void);\nstruct attest_part {\n    int a;\n};\n' >"$directory/props/c.h"
report 5 "types that are defined twice are found" "$(printf '%s is defined 2 times\n' 'tag attest_kind' 'typedef attest_pair' 'typedef attest_test' >"$directory/expected"; types "$directory" | repeated | diff - "$directory/expected")"

registered='
plan_read data
gone cli
'
report 6 "a module in two rooms is found" "$(printf 'gone is registered, but no symbol begins with it\nplan: campaign theory\n' >"$directory/expected"
    printf '%s\n' 'src/campaign/a.c T attest_plan_init' 'src/theory/b.c R attest_plan' 'src/data/c.c T attest_plan_read_all' 'src/cli/d.c U attest_plan_init' |
        shared | diff - "$directory/expected")"
echo "1..6"
