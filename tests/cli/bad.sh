#!/bin/sh
# Bad JSON files as a user meets them: exit 2, one line on standard error that begins with the
# file's name, nothing on standard output. And files that are too large for their memory.
. "$srcdir/tests/cli/lib.sh"
data=$srcdir/tests/data

wrong=0
files=0
for file in "$data"/bad-dataset-*.json "$data"/bad-weights-*.json; do
    case $file in
    */bad-weights-*) set -- eval "$data/good-dataset-labels.json" --weights "$file" ;;
    *) set -- eval "$file" --weights "$data/good-weights-hardmax.json" ;;
    esac
    files=$((files + 1))
    "$ATTEST" "$@" >"$out" 2>"$err" </dev/null
    if [ $? -ne 2 ] || [ "$(wc -l <"$err")" -ne 1 ] || [ -s "$out" ] ||
        ! grep -qF "attest: $file: " "$err"; then
        wrong=$((wrong + 1))
        echo "# $(cat "$err")"
    fi
done
[ $wrong -eq 0 ] && [ $files -gt 100 ]
result $? "each of $files bad files is refused in one line"

# 10 MB of numbers that stand for 41 GB, in 200 MB of address space.
awk 'BEGIN {
    printf "{\"format\": \"attest/dataset\", \"version\": 1, \"sequences\": [["
    for (i = 0; i < 1000000; i++) printf "%s[1e99999]", i ? "," : ""
    print "]]}"
}' >"$work/large.json"
if (ulimit -v 200000 && "$ATTEST" --version) >"$out" 2>&1; then
    (
        ulimit -v 200000
        "$ATTEST" eval "$work/large.json" --weights "$data/good-weights-hardmax.json" \
            --max-memory 8G >"$out" 2>"$err"
    )
    [ $? -eq 2 ] && grep -qF -- '--max-memory' "$err" && [ "$(wc -l <"$err")" -eq 1 ]
    result $? "10 MB of 1e99999: $(cat "$err")"
else
    count=$((count + 1))
    echo "ok $count # SKIP a sanitizer needs more address space"
fi

# With the longest possible path the message still names the file and the reason.
long=$work/$(printf '%0200d/%0200d/%0200d/%0200d/%0200d' 0 0 0 0 0)
mkdir -p "$long" && echo '{"format": "attest/dataset", "version": 7}' >"$long/data.json"
refused "a long path" separated "$long/data.json"
complains "^attest: $work/00.*/data.json: version: version 1 is expected"
refused "a name that is too long" separated "$work/$(printf '%01000d' 0)"
complains "^attest: $work/00.*: cannot open: "
refused "a long argument" construct x --strategy "$(printf '%03000d' 0)"
complains "0' is not theorem, gap or tuned "
refused "a missing file" eval "$work/none" --weights "$data/good-weights-hardmax.json"
refused "a directory" eval "$data" --weights "$data/good-weights-hardmax.json"
"$ATTEST" eval - --weights "$data/good-weights-hardmax.json" <"$data/bad-dataset-ragged.json" \
    >"$out" 2>"$err"
[ $? -eq 2 ] && grep -q '^attest: standard input: sequences\[1\]\[1\]: ' "$err"
result $? "standard input is named: $(cat "$err")"
finish
