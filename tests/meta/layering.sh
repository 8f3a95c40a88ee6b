#!/bin/sh
# A layer may include only what stands above it in this list (and itself). Reads the #include
# lines of src/ and props/. The rule is shown to bite: a planted violation must be found.
layers="base kernel number data attention theory certify audit theft campaign props report cli"
# What is checked must not depend on what checks it.
only_base="kernel theft"

rank() { # the place of a layer in the list, or nothing
    n=0
    for l in $layers; do
        n=$((n + 1))
        [ "$l" = "$1" ] && echo $n && return
    done
}

# Prints "FILE includes X" for every line that looks down the list.
violations() { # tree
    find "$1/src" "$1/props" -name '*.[ch]' -o -name '*.inc' 2>/dev/null | sort | while read -r file; do
        case $file in
        "$1"/props/*) layer=props ;;
        *) layer=${file#"$1"/src/} && layer=${layer%%/*} ;;
        esac
        mine=$(rank "$layer")
        if [ -z "$mine" ]; then
            echo "$file is in no layer"
            continue
        fi
        sed -n 's|^# *include *"\([a-z_]*\)/[^"]*".*|\1|p' "$file" | sort -u | while read -r seen; do
            theirs=$(rank "$seen")
            case " $only_base " in
            *" $layer "*) [ "$seen" = base ] || [ "$seen" = "$layer" ] || echo "$file includes $seen" ;;
            *) [ -n "$theirs" ] && [ "$theirs" -le "$mine" ] || echo "$file includes $seen" ;;
            esac
        done
    done
}

found=$(violations "$srcdir")
if [ -z "$found" ]; then
    echo "ok 1 - no layer looks down"
else
    echo "not ok 1 - no layer looks down"
    echo "$found" | sed 's/^/# /'
fi

broken=$(mktemp -d)
mkdir -p "$broken/src/data" "$broken/src/kernel" "$broken/src/odd"
echo '#include "theory/theorem2.h"' >"$broken/src/data/upward.c"
echo '#include "number/exact.h"' >"$broken/src/kernel/upward.c"
echo 'int x;' >"$broken/src/odd/stray.c"
found=$(violations "$broken" | wc -l)
rm -rf "$broken"
if [ "$found" -eq 3 ]; then
    echo "ok 2 - planted violations are found"
else
    echo "not ok 2 - planted violations are found ($found of 3)"
fi
echo "1..2"
