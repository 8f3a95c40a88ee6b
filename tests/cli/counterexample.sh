#!/bin/sh
# attest counterexample: for random and given weights, for own tokens; what is refused.
. "$srcdir/tests/cli/lib.sh"

for ties in uniform leftmost; do
    for mask in none causal; do
        run 0 "$ties, $mask" counterexample --heads 4 --dim 5 --size 2 --seed 0x5eed --ties $ties \
            --mask $mask --json -o "$work/c.json"
        json 'o["outputs_equal"] is True and o["outputs"][0] == o["outputs"][1]'
        json 'o["format"] == "attest/counterexample" and o["property"] == "theorem1" and o["seed"] == "0x5eed"'
        # Both parts of the file are what the other commands read; eval must give the same outputs.
        python3 - "$work" <<'END'
import json, sys
w = sys.argv[1]
o = json.load(open(w + "/c.json"))
json.dump(o["dataset"], open(w + "/d.json", "w"))
json.dump(o["weights"], open(w + "/w.json", "w"))
END
        "$ATTEST" eval "$work/d.json" --weights "$work/w.json" --number exact --json >"$work/e.json"
        python3 - "$work" <<'END'
import json, sys
w = sys.argv[1]
o = json.load(open(w + "/c.json"))
e = json.load(open(w + "/e.json"))["outputs"]
(i, k), (j, l) = o["violates"]["pair"]
s = o["dataset"]["sequences"]
causal = o["weights"]["mask"] == "causal"
seen = lambda i, k: {tuple(t) for t in (s[i][:k + 1] if causal else s[i])}
sys.exit(not (e[i][k] == e[j][l] == o["outputs"][0] and s[i][k] == s[j][l] and seen(i, k) != seen(j, l)))
END
        result $? "$ties, $mask: eval agrees, the token is the same, the contexts differ"
    done
done
cat >"$work/data.json" <<'END'
{"format": "attest/dataset", "version": 1,
 "sequences": [[[1, 7], [3, -2], [0, 5]], [[-4, 1], ["1/3", 2], [2, 2]], [[5, 5], [-1, -1], [6, 0]]]}
END
run 0 "own tokens" counterexample --vocabulary "$work/data.json" --weights "$srcdir/examples/hardmax.json" --json
json 'o["outputs_equal"] is True and o["universal"] is False'
json '{tuple(map(str, t)) for s in o["dataset"]["sequences"] for t in s} <= {("1","7"),("3","-2"),("0","5"),("-4","1"),("1/3","2"),("2","2"),("5","5"),("-1","-1"),("6","0")}'
run 0 "in words" counterexample --seed 3
shows 'equal, exactly'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 7], [3, -2]]]}' >"$work/few.json"
run 1 "too few tokens to exchange" counterexample --vocabulary "$work/few.json" --heads 2
refused "softmax weights" counterexample --weights "$srcdir/examples/softmax.json"
refused "tokens of another size" counterexample --vocabulary "$work/data.json" --dim 3
refused "weights and their shape" counterexample --weights "$srcdir/examples/hardmax.json" --heads 2
refused "bad ties" counterexample --ties rightmost
refused "absurd sizes" counterexample --heads 99999999999 --dim 3
# --search: at most 4 tokens, integers of at most 6 in absolute value.
for options in "" "--heads 3 --dim 2 --ties leftmost" "--heads 2 --dim 2 --mask causal" "--heads 4 --dim 3 --seed 9"; do
    # shellcheck disable=SC2086
    run 0 "--search $options" counterexample --search --json $options
    json 'o["outputs_equal"] and o["found_by"] == "search" and not o["universal"] and all(len(s) <= 4 and all(abs(int(x)) <= 6 for t in s for x in t) for s in o["dataset"]["sequences"])'
done
# The gallery: the entries are the shipped files, they replay, and hold for the weights that they name.
"$ATTEST" counterexample --list --json >"$work/list.json"
names=$(python3 -c 'import json, sys; print(*(e["name"] for e in json.load(open(sys.argv[1]))["gallery"]))' "$work/list.json")
for name in $names; do
    run 0 "the gallery: $name" counterexample --show "$name" -o "$work/shown.json"
    cmp -s "$work/shown.json" "$srcdir/examples/gallery/$name.json"
    result $? "$name: the file that is shipped"
    grep -q "examples/gallery/$name.json" "$srcdir/examples/examples.am"
    result $? "$name: is shipped"
done
set -- $names
[ $# -ge 27 ] && [ "$(ls "$srcdir"/examples/gallery | wc -l)" -eq $# ]
result $? "$# entries, and no other file"
run 1 "replays" replay --json "$srcdir"/examples/gallery/*.json
json 'len(o["replays"]) >= 27 and all(r["verdict"] == "violated" and r["reproduced"] for r in o["replays"])'
run 0 "with other weights" counterexample --show causal --heads 3 --dim 4 --seed 7 --json
json 'o["universal"] and o["gallery"]["least_of"]["shorter_sequences"] == 81 and o["weights"]["mask"] == "causal"'
run 1 "with weights that it does not defeat" counterexample --show smallest --weights "$srcdir/examples/hardmax.json"
shows 'not among those that it defeats'
run 0 "in words" counterexample --show one-sequence
shows 'the 1554 sequences of fewer than 5 tokens'
refused "another tie rule" counterexample --show leftmost --weights "$srcdir/examples/hardmax.json"
refused "not in the gallery" counterexample --show nothing
refused "--list and --show" counterexample --list --show pair
refused "--show and --ties" counterexample --show pair --ties leftmost
# --least: no shorter pair exists, and a search that is too large is refused.
run 0 "the least own tokens" counterexample --vocabulary "$work/data.json" --weights "$srcdir/examples/hardmax.json" --least --json
json 'o["outputs_equal"] and not o["universal"] and o["least_of"]["whole"] and o["least_of"]["length"] == max(map(len, o["dataset"]["sequences"]))'
run 1 "no least ones" counterexample --vocabulary "$work/few.json" --heads 2 --least
shows 'sequences over 2 tokens, each at a place where the data contain it: the 2'
shows '  sequences of up to 2 have no such pair'
refused "--least without tokens" counterexample --least
refused "--least and --search" counterexample --least --search --vocabulary "$work/data.json"
refused "a trained entry with other weights" counterexample --show trained --heads 2
# Biases need tokens with an entry 1, a residual another tensor; the sequences of this command have neither.
head='"WQ": [[1, 0], [0, 1]], "WK": [[1, 0], [0, 1]], "WV": [[1, 2], [3, 1]], "WO": [[1, 0], [0, 1]]'
printf '%s' '{"format": "attest/weights", "version": 1, "activation": "hardmax", "heads": [{'"$head"', "bQ": [1, 2]}]}' >"$work/biases.json"
printf '%s' '{"format": "attest/weights", "version": 1, "activation": "hardmax", "residual": "x", "heads": [{'"$head"'}]}' >"$work/residual.json"
for name in biases residual; do
    refused "$name" counterexample --weights "$work/$name.json"
    refused "$name, --search" counterexample --weights "$work/$name.json" --search
    refused "$name, --show" counterexample --weights "$work/$name.json" --show pair
done
refused "--search with --vocabulary" counterexample --search --vocabulary "$srcdir/examples/universal-pair.json"
finish
