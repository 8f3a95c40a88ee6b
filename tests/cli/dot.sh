#!/bin/sh
# attest dot: every unit, format and result against rationals; results of real GPUs; bad input.
. "$srcdir/tests/cli/lib.sh"
need_python

python3 "$srcdir/tests/ref/dot.py" 1 20 "$work/oracle" >"$work/list"
while read -r unit format to promote directory; do
    option=
    [ "$promote" = 0 ] || option="--promote $promote"
    # shellcheck disable=SC2086
    "$ATTEST" dot "$unit" "$format" "$directory/a.txt" "$directory/b.txt" "$directory/c.txt" --out "$to" $option >"$out" 2>"$err"
    cmp -s "$out" "$directory/d.txt"
    result $? "$unit, $format to $to, $(head -n 1 "$directory/a.txt" | wc -w) products, promoted after $promote"
done <"$work/list"

# real GPUs: directory, name, unit, format, results, c or nothing
data=${ATTEST_DATA:-none}/tensor-core
recorded() {
    if [ ! -e "$data/$1/$2" ] || ! command -v xz >/dev/null 2>&1; then
        count=$((count + 1))
        echo "ok $count - $1 $2 to $5 # SKIP ATTEST_DATA names no directory with tensor-core/$1/$2, or there is no xz"
        return
    fi
    for f in a b; do xz -dc "$data/$1/$2/${f}_$1_$2.txt.xz" >"$work/$f"; done
    xz -dc "$data/$1/$2/c_$1_fp32.txt.xz" | python3 "$srcdir/tests/ref/dot.py" binary >"$work/c"
    xz -dc "$data/$1/$2/d_$1_$6.txt.xz" | python3 "$srcdir/tests/ref/dot.py" binary >"$work/d"
    "$ATTEST" dot "$3" "$4" "$work/a" "$work/b" ${7:+"$work/c"} --out "$5" >"$out" 2>"$err"
    [ "$(wc -l <"$work/d")" -eq 5000 ] && cmp -s "$out" "$work/d"
    result $? "$1 $2 to $5: 5000 results"
}
recorded V100 fp16 tc:volta binary16 binary32 fp32 c
recorded V100 fp16 tc:v100 fp16 binary16 fp16 c
recorded A100 fp16 tc:ampere binary16 binary32 fp32 c
recorded A100 fp16 tc:a100 binary16 binary16 fp16 c
recorded A100 tf32 tc:ampere tfloat32 binary32 fp32 c
recorded H100 fp16 tc:hopper binary16 binary32 fp32 c
recorded H100 fp16 tc:h100 binary16 binary16 fp16 c
recorded H100 E4M3 tc:hopper float8_e4m3fn binary32 fp32
recorded H100 E4M3 tc:hopper e4m3fn binary16 fp16 c

# 1 * 2 + 3 * 4, and what a user does
cd "$work" || exit 1
printf '3f800000 40400000\n' >a.txt
printf '40000000\t40800000 \r\n' >b.txt
printf '3F800000' >c.txt
run 0 "a dot product" dot tc:ampere bf16 a.txt b.txt
shows '^41600000$'
run 0 "with C" dot tc:ampere bf16 a.txt b.txt c.txt
shows '^41700000$'
run 0 "as JSON" dot tc:ampere bf16 a.txt b.txt c.txt --json
json 'o["model"] == "tc:ampere" and o["format"] == "bfloat16" and o["cases"] == 1 and o["products"] == 2 and o["results"] == ["41700000"]'
run 0 "into a file" dot tc:ampere bf16 a.txt b.txt c.txt -o d.txt --json
json 'o["cases"] == 1 and "results" not in o'
[ "$(cat d.txt)" = 41700000 ]
result $? "the file has the result"

# the least exponent of a block: 2^-149 - 2^-160, and the middle 2^-25 + 2^-45 of binary16
printf '1a000000 17800000\n' >a2.txt
printf '1a800000 97800000\n' >b2.txt
run 0 "tiny products" dot tc:ampere bf16 a2.txt b2.txt
shows '^00000001$'
printf '39800000 34000000\n' >a2.txt
printf '39000000 34800000\n' >b2.txt
run 0 "tiny products to binary16" dot tc:volta binary16 a2.txt b2.txt --result binary16
shows '^00000000$'

refused "no such unit" dot tc:turing binary16 a.txt b.txt
complains 'tc:volta, tc:ampere'
refused "fp8 is no format" dot tc:hopper fp8 a.txt b.txt
complains 'float8_e4m3fn or float8_e5m2'
refused "a unit without the format" dot tc:volta bfloat16 a.txt b.txt
complains 'tc:volta is not known to multiply bfloat16'
refused "no binary16 results" dot tc:hopper bfloat16 a.txt b.txt --result binary16
complains 'to binary32, not to binary16'
refused "no such result" dot tc:hopper binary16 a.txt b.txt --out bfloat16
refused "no multiple of a block" dot tc:hopper binary16 a.txt b.txt --promote 8
complains 'adds 16 products'
refused "a file is missing" dot tc:hopper binary16 a.txt none.txt
complains 'none.txt'
refused "two from standard input" dot tc:hopper binary16 - -
bad() { # pattern, description, text for a.txt
    printf "$3" >bad.txt
    refused "$2" dot tc:hopper "${4:-binary16}" bad.txt b.txt
    complains "$1"
}
bad 'bad.txt: the file is empty' "empty" ''
bad 'line 1 has no numbers' "a blank line" '\n'
bad 'line 2 has 1 numbers, and the first line 2' "ragged" '3f800000 3f800000\n3f800000\n'
bad "line 1: 8 hexadecimal digits.*'3f80000'" "seven digits" '3f80000 3f800000\n'
bad "line 1: 8 hexadecimal digits" "nine digits" '3f8000000 3f800000\n'
bad "line 1: 8 hexadecimal digits" "other digits" '3f80000g 3f800000\n'
bad "line 1: 8 hexadecimal digits" "binary digits" '00111111100000000000000000000000 3f800000\n'
bad "line 1: 8 hexadecimal digits" "control characters" '\033[31m 3f800000\n'
bad 'line 1: 3f800001 is 1, which is not a number of binary16' "not of the format" '3f800001 3f800000\n'
bad 'is inf, which is not a number of float8_e4m3fn' "no infinities in e4m3fn" '7f800000 3f800000\n' e4m3fn
bad 'there are 1 lines of 2 values, and in bad.txt 2 of 2' "more lines" '3f800000 3f800000\n3f800000 3f800000\n'
printf '3f800000 3f800000\n' >bad.txt
refused "C with two values" dot tc:hopper binary16 a.txt b.txt bad.txt
complains 'one for each line'

# Groups of two tiles in a kernel are those of dot: all weights are 1, the row sum is a power of two.
python3 - <<'PYTHON'
import json, random, struct
keys, columns, rng = 256, 5, random.Random(3)
v = [[rng.randrange(-15, 16) * 2.0 ** rng.randrange(-6, 4) for _ in range(columns)] for _ in range(keys)]
tensors = {"q": [0.0] * 2, "k": [1.0] * 2 * keys, "v": [x for row in v for x in row]}
shapes = {"q": [1, 2], "k": [keys, 2], "v": [keys, columns]}
header, data = {}, b""
for name, x in tensors.items():
    header[name] = {"dtype": "F32", "shape": shapes[name], "data_offsets": [len(data), len(data) + 4 * len(x)]}
    data += struct.pack("<%df" % len(x), *x)
text = json.dumps(header).encode()
open("flat.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
bits = lambda x: "%08x" % struct.unpack("<I", struct.pack("<f", x))[0]
open("ones.txt", "w").write((" ".join(["3f800000"] * keys) + "\n") * columns)
open("columns.txt", "w").write("".join(" ".join(bits(row[c]) for row in v) + "\n" for c in range(columns)))
json.dump({"format": "attest/kernel-model", "version": 1, "name": "two-tiles", "inputs": {"q": "binary32", "k": "binary32", "v": "float8_e4m3fn"},
           "p": {"format": "float8_e4m3fn"}, "pv": {"order": "tensor", "block": 32, "fraction": 13, "promote_tiles": 2},
           "max": {"kind": "online", "tile": 32, "direction": "forward"},
           "schedules": [{"scores": "sequential", "tile": 32, "direction": "forward", "lanes": 1, "rescale": 0,
                          "constant": "folded-binary32", "divide": "after"}]}, open("two-tiles.json", "w"))
PYTHON
run 0 "a kernel with groups of two tiles" simulate flat.safetensors --kernel two-tiles.json -o flat-out.safetensors
for promote in 64 32; do
    "$ATTEST" dot tc:hopper e4m3fn ones.txt columns.txt --promote $promote >promoted.$promote
done
python3 - <<'PYTHON'
import json, struct, sys
data = open("flat-out.safetensors", "rb").read()
size = struct.unpack("<Q", data[:8])[0]
first, last = json.loads(data[8:8 + size])["out"]["data_offsets"]
out = struct.unpack("<5f", data[8 + size + first:8 + size + last])
found = ["%08x" % struct.unpack("<I", struct.pack("<f", 256 * x))[0] for x in out]
sys.exit(not (found == open("promoted.64").read().split() != open("promoted.32").read().split()))
PYTHON
result $? "the kernel's sums are those of dot --promote 64, and not of 32"
finish
