#!/bin/sh
# Binary files as a user meets them: exit codes, --tensor, and the value of an .npy dataset under
# .npz weights.
. "$srcdir/tests/cli/lib.sh"
data=$srcdir/tests/data

# Every bad file: exit 2, one line that begins with the file's name.
wrong=0
for file in "$data"/bad-*.npy "$data"/bad-*.npz "$data"/bad-*.safetensors; do
    case $file in
    *.npz) set -- eval "$data/good-grid-f8-le.npy" --weights "$file" ;;
    *) set -- separated "$file" ;;
    esac
    "$ATTEST" "$@" >"$out" 2>"$err" </dev/null
    if [ $? -ne 2 ] || [ "$(wc -l <"$err")" -ne 1 ] || [ -s "$out" ] ||
        ! grep -qF "attest: $file: " "$err"; then
        wrong=$((wrong + 1))
        echo "# $(cat "$err")"
    fi
done
[ $wrong -eq 0 ]
result $? "every bad file is refused in one line"

for file in good-grid-f8-le.npy good-grid-i2-be-fortran.npy good-grid-bf16.safetensors; do
    run 0 "$file" separated "$data/$file" --json
    json 'o["no_duplicates"] and o["r_min"]["mid"] == "0x1p+0"'
done
run 0 "--tensor" separated "$data/good-grid-unaligned.safetensors" --tensor x --json
json 'o["r_min"]["mid"] == "0x1p+0"'
refused "no --tensor where there are several" separated "$data/good-grid-unaligned.safetensors"
refused "an unknown tensor" separated "$data/good-grid-unaligned.safetensors" --tensor y
refused "--tensor for .npy" separated "$data/good-grid-f8-le.npy" --tensor x
refused "weights as data" separated "$data/good-weights-stored.npz"
refused "data as weights" eval "$data/good-grid-f8-le.npy" --weights "$data/good-grid-f8-le.npy"
refused "more memory than allowed" separated "$data/good-grid-f8-le.npy" --max-memory 50
refused "weights of more memory than allowed" eval "$data/good-grid-f8-le.npy" \
    --weights "$data/good-weights-stored.npz" --max-memory 500
"$ATTEST" separated - --json <"$data/good-grid-f8-le.npy" >"$out" 2>"$err"
result $? "an .npy file from standard input"
finish
