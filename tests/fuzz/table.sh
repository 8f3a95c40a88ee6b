#!/bin/sh
# table.sh BUILD [OPTION]...: every fuzz target of a build with --enable-fuzz, from its seeds, each with these
# options of libFuzzer (-max_total_time=60 if there are none; the kernels in time alone, KERNEL_SECONDS). Prints a
# table: runs, seconds, inputs that were kept, findings; what was found stands in BUILD/corpus-NAME. Fails if
# anything was found. TARGETS='journal merge' runs those only.
# What is freed is kept for a while, and who allocated it: enough of both to find an error, no more, is half of the time.
: "${ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=2}"
export ASAN_OPTIONS
build=$1
shift
options=${*:--max_total_time=60}
source=$(cd "$(dirname "$0")" && pwd)
cd "$build" || exit 1
found=0
echo '| target | runs | seconds | kept | findings |'
echo '|---|---|---|---|---|'
for target in tests/fuzz/fuzz-*; do
    name=${target##*/fuzz-}
    if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
    case " ${TARGETS:-$name} " in *" $name "*) ;; *) continue ;; esac
    mkdir -p "corpus-$name"
    seeds=
    [ ! -d "$source/seeds/$name" ] || seeds=$source/seeds/$name
    own=$options
    [ "$name" != kernel ] || [ -z "$KERNEL_SECONDS" ] || own=-max_total_time=$KERNEL_SECONDS
    case $name in certificate | counterexample | dataset | gate | json | journal | merge | model | network | record | weights)
        own="$own -dict=$source/json.dict" ;;
    esac
    began=$(date +%s)
    # shellcheck disable=SC2086
    "$target" $own -max_len=4096 -print_final_stats=1 -report_slow_units=600 -artifact_prefix="corpus-$name/found-" "corpus-$name" $seeds \
        >"corpus-$name.log" 2>&1 || found=$((found + 1))
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "corpus-$name.log")
    kept=$(sed -n 's/^stat::new_units_added: *//p' "corpus-$name.log")
    echo "| $name | ${runs:-?} | $(($(date +%s) - began)) | ${kept:-?} |" \
        "$(find "corpus-$name" -name 'found-*' | wc -l) |"
done
[ "$found" -eq 0 ]
