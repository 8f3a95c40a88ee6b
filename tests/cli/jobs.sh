#!/bin/sh
# --jobs: what a command prints and writes does not depend on the number of processes, and every
# command that has the option names it. The data are large enough for processes to be started.
. "$srcdir/tests/cli/lib.sh"

cat >"$work/make.py" <<'END'
import json, random, sys
random.seed(7)
dim, directory = 16, sys.argv[1]
def sequences(count, length, entry):
    return [[[entry() for _ in range(dim)] for _ in range(length)] for _ in range(count)]
def matrix(rows, cols):
    return [[random.randint(-8, 8) / 16 for _ in range(cols)] for _ in range(rows)]
def write(name, data):
    json.dump(data, open(directory + "/" + name + ".json", "w"))
spread = sequences(300, 15, lambda: random.getrandbits(30) / 2**30)
# Ties: many pairs at the least distance, some of them refuting a claim.
ties = sequences(300, 15, lambda: random.randint(0, 3))
for name, data in ("spread", spread), ("ties", ties):
    write(name, {"format": "attest/dataset", "version": 1, "sequences": data})
labelled = [[x[:3] for x in s] for s in spread]
labels = [[[random.randint(0, 1)] for _ in s] for s in labelled]
write("labelled", {"format": "attest/dataset", "version": 1, "sequences": labelled, "labels": labels})
for name in "softmax", "hardmax":
    head = {"WQ": matrix(2, dim), "WK": matrix(2, dim), "WV": matrix(2, dim), "WO": matrix(dim, 2)}
    write(name, {"format": "attest/weights", "version": 1, "activation": name, "heads": [head]})
END
python3 "$work/make.py" "$work"

# same NAME: the files of 2 and 3 jobs are those of one.
same() {
    cmp "$work/$1.1" "$work/$1.2" >"$err" 2>&1 && cmp "$work/$1.1" "$work/$1.3" >"$err" 2>&1
    result $? "$1: to the byte for 1, 2 and 3 jobs"
}

for data in spread ties; do
    for weights in softmax hardmax; do
        name=$data-$weights
        for jobs in 1 2 3; do
            "$ATTEST" certify "$work/$data.json" -w "$work/$weights.json" --delta 1/8 --r 3 -j $jobs \
                --json -o "$work/certificate.json" >"$work/certify-$name.$jobs" 2>"$err" </dev/null
            mv "$work/certificate.json" "$work/certificate-$name.$jobs" 2>>"$err"
            "$ATTEST" check "$work/certificate-$name.1" --jobs $jobs \
                >"$work/check-$name.$jobs" 2>"$err" </dev/null
            # A lower end that is too high: the first pair that is too close is named.
            python3 - "$work/certificate-$name.1" "$work/forged.json" <<'END'
import json, sys
certificate = json.load(open(sys.argv[1]))
certificate["min_separation"] = {"mid": "0x1p+4", "rad": "0x1p+0"}
certificate["verdict"] = "proved"
json.dump(certificate, open(sys.argv[2], "w"))
END
            "$ATTEST" check "$work/forged.json" --jobs $jobs \
                >"$work/forged-$name.$jobs" 2>"$err" </dev/null
        done
        same "certify-$name"
        same "certificate-$name"
        same "check-$name"
        grep -q ': holds$' "$work/check-$name.3"
        result $? "$name: the certificate holds"
        same "forged-$name"
        grep -q ': fails' "$work/forged-$name.3"
        result $? "$name: a forged one fails"
    done
    for jobs in 1 2 3; do
        "$ATTEST" separated "$work/$data.json" --eps 1/2 --json --jobs $jobs \
            >"$work/separated-$data.$jobs" 2>"$err" </dev/null
    done
    same "separated-$data"
done
for jobs in 1 2 3; do
    "$ATTEST" memorize "$work/labelled.json" --json --jobs $jobs -o "$work/network-memorize.$jobs" \
        >"$work/memorize.$jobs" 2>"$err" </dev/null
    "$ATTEST" approximate --function variance --grid 64 --json --jobs $jobs \
        -o "$work/network-approximate.$jobs" >"$work/approximate.$jobs" 2>"$err" </dev/null
done
for name in memorize network-memorize approximate network-approximate; do
    same "$name"
    [ -s "$work/$name.3" ]
    result $? "$name: there is something"
done
for command in memorize approximate; do
    run 0 "$command: help" $command --help
    shows '-j, --jobs J '
done
for command in certify check separated; do
    refused "$command: no process at all" $command "$work/spread.json" --jobs 0
    run 0 "$command: help" $command --help
    shows '-j, --jobs J '
done
finish
