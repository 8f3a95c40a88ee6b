#!/bin/sh
# Small files, large work: it is estimated before it is begun, and refused by the name of the option.
. "$srcdir/tests/cli/lib.sh"

python3 - "$work" <<'END'
import json, os, sys
os.chdir(sys.argv[1])

def dataset(n):
    tokens = [[(7 * i) % 31 + 1, f"{i % 13}.{i + 1}"] for i in range(n)]
    return {"format": "attest/dataset", "version": 1, "sequences": [tokens]}

def weights(activation, scale, mask="none"):
    heads = [{"WQ": [[scale, 0], [1, 1]], "WK": [[1, 0], [0, 1]], "WV": [[1, 2], [0, 1]], "WO": [[1, 0], [0, 1]]}]
    return {"format": "attest/weights", "version": 1, "activation": activation, "mask": mask, "heads": heads}

for name, value in {"250": dataset(250), "20000": dataset(20000), "4": dataset(4)}.items():
    json.dump(value, open(f"{name}.json", "w"))
for activation in "softmax", "hardmax":
    json.dump(weights(activation, "1e100000"), open(f"{activation}.json", "w"))
json.dump(weights("softmax", "1e6"), open("steep.json", "w"))
labelled = dataset(250)
labelled["labels"] = [[[i] for i in range(250)]]
json.dump(labelled, open("labelled.json", "w"))
flat = weights("hardmax", 0) # equal scores: what is exchanged must have equal sums of large numbers
flat["heads"][0].update(WQ=[[0, 0], [0, 0]], WV=[["1e10000", "1e-10000"], ["7e9999", 1]])
json.dump(flat, open("flat.json", "w"))
found = dict(format="attest/counterexample", version=1, property="theorem1", parameters={}, seed="0x1", found_by="construction",
             violates={"definition": "contextual-mapping", "pair": [[0, 0], [0, 1]]}, shrink_steps=0, dataset=dataset(250))
for activation in "softmax", "hardmax":
    found["weights"] = weights(activation, "1e100000")
    json.dump(found, open(f"found-{activation}.json", "w"))
    json.dump({**found, "property": "masked", "found_by": "campaign"}, open(f"campaign-{activation}.json", "w"))
END
cd "$work" || exit 1

# open DESCRIPTION ARGUMENT...: undecided for the work that it would be, in one line, nothing else.
open() {
    description=$1
    shift
    run 3 "$description" "$@"
    complains '^attest: .*more work than is allowed \(--max-work raises the limit\)$'
    [ "$(wc -l <"$err")" -eq 1 ] && [ ! -s "$out" ]
    result $? "in one line"
}
for kind in softmax hardmax; do
    open "eval, $kind, of 20000 tokens and large numbers" eval 20000.json --weights $kind.json
    open "eval, $kind, of 250, with little work allowed" eval 250.json --weights $kind.json --max-work 1e9
    open "certify, $kind" certify 250.json --weights $kind.json --max-work 1e9
done
open "balls of many bits" eval 250.json --weights steep.json --bits 10000000
for strategy in tuned theorem; do
    open "memorize, $strategy" memorize labelled.json --strategy $strategy --max-work 1e6
    open "audit of weights by $strategy" audit 250.json --construct $strategy --max-work 1e8 --jobs 1
done
open "audit of large numbers" audit 250.json --weights softmax.json --max-work 1e9 --jobs 1
open "construct, all pairs" construct 250.json --strategy theorem --max-work 1e6
open "separated" separated 250.json --max-work 10
open "counterexample, scores" counterexample --weights hardmax.json --vocabulary 250.json --max-work 1e6
open "counterexample, sums" counterexample --weights flat.json --vocabulary 250.json --max-work 1e10
open "counterexample, a search" counterexample --weights flat.json --search --max-work 1e7
for kind in softmax hardmax; do
    open "replay, $kind" replay found-$kind.json --max-work 1e9
    open "replay of what a campaign found, $kind" replay campaign-$kind.json --max-work 1e9
done
run 3 "construct as JSON" construct 250.json --strategy theorem --max-work 1e6 --json
json 'o["verdict"] == "undecided" and "--max-work" in o["reason"]'
run 3 "memorize as JSON" memorize labelled.json --max-work 1e8 --json
json 'o["verdict"] == "undecided" and "--max-work" in o["reason"]'
run 3 "as JSON" certify 250.json --weights softmax.json --max-work 1e9 --json
json 'o["verdict"] == "undecided" and "--max-work" in o["reason"]'
run 3 "and of eval" eval 250.json --weights softmax.json --max-work 1e9 --json
json 'o["verdict"] == "undecided" and "--max-work" in o["reason"]'
[ ! -e product ] && "$ATTEST" eval 250.json --weights softmax.json --max-work 1e9 -o product 2>"$err"
[ $? -eq 3 ] && [ ! -e product ]
result $? "nothing is written"

# Products of long coefficients and exponents, which decide where balls do not, are work, too: about a second is allowed.
cat >long.json <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[["-1"], ["1e90000"], ["2"]], [["1e-60"], ["3"]]]}
END
cat >apart.json <<'END'
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [["1e60"]], "WK": [["1e-60"]], "WV": [["1e60"]], "WO": [["-1"]]},
           {"WQ": [["1e-60"]], "WK": [["1e300"]], "WV": [["1e300"]], "WO": [["-1"]]}]}
END
(ulimit -t 4 && exec "$ATTEST" certify long.json --weights apart.json --max-work 1e10 --jobs 1) >"$out" 2>"$err" </dev/null
[ $? -eq 3 ]
result $? "products of long numbers are limited"
complains 'max-work'

run 0 "work below the limit is done" eval 4.json --weights softmax.json
run 0 "steep scores" certify 250.json --weights steep.json
run 0 "certified" certify 4.json --weights softmax.json -o claim.json
run 0 "checked" check claim.json
run 3 "checked, with no work allowed" check claim.json --max-work 0
shows 'does not suffice \(see --max-work\)$'
for wrong in -1 1x nan ''; do
    refused "a limit that is not a number" eval 4.json --weights softmax.json --max-work "$wrong"
done
finish
