#!/bin/sh
# The binary files of tests/data are equal to those that make-binary.py writes. The test fails on a
# changed copy.
if ! command -v python3 >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/tests/data/make-binary.py" "$directory"

differences() { # directory: files of ours that are not those of the directory, either way
    (cd "$1" && ls) | while read -r file; do
        cmp -s "$1/$file" "$srcdir/tests/data/$file" || echo "$file"
    done
    (cd "$srcdir/tests/data" && ls) | grep -E '\.(npy|npz|safetensors)$' | while read -r file; do
        [ -e "$1/$file" ] || echo "$file"
    done
}

found=$(differences "$directory")
if [ -z "$found" ]; then
    echo "ok 1 - the files are what the script makes"
else
    echo "not ok 1 - the files are what the script makes"
    echo "$found" | sed 's/^/# /'
fi

printf x >>"$directory/good-grid-f8-le.npy"
rm "$directory/good-grid-f4-le.npy"
if [ "$(differences "$directory" | wc -l)" -eq 2 ]; then
    echo "ok 2 - a changed and a missing file are found"
else
    echo "not ok 2 - a changed and a missing file are found"
fi
echo "1..2"
