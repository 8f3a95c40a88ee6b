#!/bin/sh
# Where things end: which memorisations are refused for their size, which widths a collapse curve has, what is
# beyond the format of a kernel's outputs.
. "$srcdir/tests/cli/lib.sh"

python3 - "$work" <<'END'
import json, os, sys
os.chdir(sys.argv[1])

def save(name, tokens):
    json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[token] for token in tokens]],
               "labels": [[[i] for i in range(len(tokens))]]}, open(name + ".json", "w"))

save("far", [1, 20])
save("near", ["1/1000", 20])
save("many", range(1, 121))
save("close", [1, "0x1.0000000001p+0"])
save("beyond", [1, 2])
save("opposite", [1, -1])
head = {name: [[1]] for name in ("WQ", "WK", "WV", "WO")}
none = {"format": "attest/weights", "version": 1, "activation": "hardmax", "heads": [{name: [[0]] for name in head}]}
json.dump(none, open("none.json", "w"))
large = {**head, "WV": [[40000]], "WO": [["1/40000"]]}
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [large]}, open("large.json", "w"))
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [head]}, open("weights.json", "w"))
END
cd "$work" || exit 1

# The theorem's kappa, by its formula, makes a range of 4000 bits of the first, and of 2^22 of the second; the
# gap's of 2^14 for the third, each of whose 14400 exponentials takes that precision.
run 0 "few bits" memorize far.json --strategy theorem
run 3 "too many bits" memorize near.json --strategy theorem
complains 'range of 2\^2[12]\.[0-9] bits.* 4 exponentials: the limits are 2\^20 bits and 2\^28 bits in all'
run 3 "too many bits in all" memorize many.json --strategy gap
complains 'range of 2\^1[0-9]\.[0-9] bits.* 14400 exponentials: the limits are'
run 0 "tuned has no such limit" memorize many.json

# curve DATA LAST [OPTION]...: widths by one up to 16, then by a fifth, to LAST.
curve() {
    data=$1
    last=$2
    shift 2
    run 0 "curve of $data to $last" audit "$data" --weights weights.json --formats p=4 --json --jobs 1 "$@"
    json "[w['bits'] for w in o['collapse']['curve']] == [b for b in [*range(1, 17), 20, 24, 29, 35, 42, 51, 62, 75] if b <= $last]"
}
curve far.json 64
curve far.json 20 --sweep 1..20
curve close.json 82
json 'o["collapse_bits"] == 41'
json "all((w['collisions'] > 0) == (w['bits'] < 41) for w in o['collapse']['curve'])"
# Outputs that are the tokens 1 and -1: a rounding by a quarter, of each sum with 0, too, leaves them apart.
run 0 "two bits suffice" audit opposite.json --weights none.json --quick --formats p=3 --accumulate binary32 --json --jobs 1
json '(o["collapse_bits"], o["certified_bits"]) == (1, 2)'
# Averages of 40000 and 80000 of which the second has the weight 0.73 or more are above 65504.
run 0 "an output beyond binary16" audit beyond.json --weights large.json --quick --formats p=11 --stage in=binary32,out=binary16 --json
json '[o["kernel_model"]["results"][0][k] for k in ("verdict", "collisions", "nonfinite")] == ["collapses", 1, 2]'
finish
