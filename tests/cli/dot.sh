#!/bin/sh
# attest dot: every unit, format and result against rationals; results of real GPUs; bad input.
. "$srcdir/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi

python3 "$srcdir/tests/ref/dot.py" 1 20 "$work/oracle" >"$work/list"
while read -r unit format to promote folder; do
    option=
    [ "$promote" = 0 ] || option="--promote $promote"
    # shellcheck disable=SC2086
    "$ATTEST" dot "$unit" "$format" "$folder/a.txt" "$folder/b.txt" "$folder/c.txt" --out "$to" $option >"$out" 2>"$err"
    cmp -s "$out" "$folder/d.txt"
    result $? "$unit, $format to $to, $(head -n 1 "$folder/a.txt" | wc -w) products, promoted after $promote"
done <"$work/list"

# real GPUs: folder, name, unit, format, results, c or nothing
data=${ATTEST_DATA:-none}/tensor-core
recorded() {
    if [ ! -e "$data/$1/$2" ] || ! command -v xz >/dev/null 2>&1; then
        count=$((count + 1))
        echo "ok $count - $1 $2 to $5 # SKIP ATTEST_DATA names no folder with tensor-core/$1/$2, or there is no xz"
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

refused "no such unit" dot tc:turing binary16 a.txt b.txt
complains 'tc:volta, tc:ampere'
refused "fp8 is no format" dot tc:hopper fp8 a.txt b.txt
complains 'float8_e4m3fn or float8_e5m2'
refused "a unit without the format" dot tc:volta bfloat16 a.txt b.txt
complains 'tc:volta is not known to multiply bfloat16'
refused "no binary16 results" dot tc:hopper bfloat16 a.txt b.txt --out binary16
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
bad 'line 1: 3f800001 is 1, which is no number of binary16' "not of the format" '3f800001 3f800000\n'
bad 'is inf, which is no number of float8_e4m3fn' "no infinities in e4m3fn" '7f800000 3f800000\n' e4m3fn
bad 'there are 1 lines of 2 values, and in bad.txt 2 of 2' "more lines" '3f800000 3f800000\n3f800000 3f800000\n'
printf '3f800000 3f800000\n' >bad.txt
refused "C with two values" dot tc:hopper binary16 a.txt b.txt bad.txt
complains 'one for each line'
finish
