#!/bin/sh
# attest replay shows what it decides: a pair is found anew or verified, and what a file names that
# is not so is an error.
. "$srcdir/tests/cli/lib.sh"

"$ATTEST" campaign theorem1-search --seed 1 --out "$work/found" >"$out" 2>"$err"
file=$work/found/theorem1-search.1.json
run 1 "a violation is confirmed" replay "$file"
shows '^ *outputs at \['

# edited CODE DESCRIPTION PYTHON: the file with a change o -> o.
edited() {
    python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(o, open(sys.argv[2], "w"))' "$file" "$work/edited.json" "$3"
    if [ "$1" -eq 2 ]; then
        refused "$2" replay "$work/edited.json"
    else
        run "$1" "$2" replay "$work/edited.json" --json
    fi
}

edited 1 "without a pair it is found" 'del o["violates"]["pair"]'
json '"pair" in o["replays"][0]'
edited 1 "a pair the other way round" 'o["violates"]["pair"].reverse()'
edited 2 "an innocent pair" 'o["violates"]["pair"] = [[0, 0], [0, 1]]'
edited 2 "a pair outside the dataset" 'o["violates"]["pair"] = [[0, 0], [7, 0]]'
edited 2 "a norm" 'o["weights"]["norm"] = {"kind": "rms", "eps": "1"}'
edited 2 "a residual that is not in the file" 'o["weights"]["residual"] = "x"'
# Nor is a norm left out where first differences would decide without evaluating anything.
printf '%s' '{"format": "attest/dataset", "version": 1, "sequences": [[[1, 2], [3, 1]], [[1, 2], [5, 7]], [[5, 7], [3, 1], [1, 2]]]}' >"$work/gap.json"
run 0 "weights of rank 1" construct "$work/gap.json" --strategy gap -o "$work/rank-one.json"
rank_one='o["dataset"] = json.load(open("'$work/gap.json'")); o["weights"] = json.load(open("'$work/rank-one.json'"))
o["found_by"] = "hand"; o["violates"] = {"definition": "contextual-mapping"}'
edited 0 "they tell all apart" "$rank_one"
json '"first-difference" in o["replays"][0]["decided_by"]'
edited 2 "with a norm" "$rank_one; o['weights']['norm'] = {'kind': 'rms', 'eps': '0'}"
edited 2 "an unknown definition" 'o["violates"]["definition"] = "something"'
edited 2 "the definition of another property" 'o["violates"]["definition"] = "separated"'
edited 2 "no weights" 'del o["weights"]'
complains 'no weights$'
edited 2 "no dataset" 'del o["dataset"], o["violates"]["pair"]'
edited 2 "an unknown property" 'o["property"] = "something"'
edited 2 "another property, of other instances" 'o["property"] = "lemma1"'
edited 2 "another property, of another definition" 'o["property"] = "equivariance"; o["parameters"]["shift"] = "1"'
edited 0 "another property of that definition, which holds" 'o["property"] = "contextual"'
json 'o["replays"][0]["verdict"] == "held" and "comparison of all pairs" in o["replays"][0]["reason"]'

# The other members of a file.
edited 2 "fewer steps than none" 'o["shrink_steps"] = -1'
complains 'shrink_steps.*is negative'
edited 2 "steps that are no number" 'o["shrink_steps"] = "1"'
edited 1 "no steps" 'o["shrink_steps"] = 0'
edited 1 "neither seed nor steps" 'del o["seed"], o["shrink_steps"]'
for seed in x 0x12x ''; do
    edited 2 "no seed: '$seed'" "o['seed'] = '$seed'"
    complains 'is not a seed'
done
edited 2 "a pair of three" 'o["violates"]["pair"] += [[0, 0]]'
edited 2 "a place of one number" 'o["violates"]["pair"][1] = [0]'
edited 2 "a sequence that is not there" 'o["violates"]["pair"][1] = [len(o["dataset"]["sequences"]), 0]'
edited 2 "a position that is not there" 'o["violates"]["pair"][1] = [1, len(o["dataset"]["sequences"][1])]'
edited 2 "a position below 0" 'o["violates"]["pair"][1] = [1, -1]'

# The fewest bits that a format has.
theirs=$file file=$srcdir/tests/corpus/contextual-11-bits.json
edited 1 "a format of one bit" 'o["parameters"]["bits"] = "1"'
json 'any(s["name"] == "mpfr, p=1, RNDN" and s["equal"] for s in o["replays"][0]["systems"])'
edited 2 "none of no bits" 'o["parameters"]["bits"] = "0"'
file=$theirs

# By the definition alone, whoever found it.
edited 1 "another finder" 'o["found_by"] = "hand"; o["property"] = "something"'
edited 2 "an innocent pair of another finder" \
    'o["found_by"] = "hand"; o["property"] = "something"; o["violates"]["pair"] = [[0, 0], [0, 1]]'
edited 2 "an unknown definition of another finder" \
    'o["found_by"] = "hand"; o["property"] = "something"; o["violates"]["definition"] = "x"'
# All sequences repeated: there are more pairs that collide, and each of them will do.
edited 1 "another pair that collides as well" '
o["found_by"] = "hand"
n = len(o["dataset"]["sequences"])
o["dataset"]["sequences"] *= 2
o["violates"]["pair"] = [[s + n, p] for s, p in o["violates"]["pair"]]'

# Definition 1.
cat >"$work/separated.json" <<'END'
{"format": "attest/counterexample", "version": 1, "property": "separated",
 "dataset": {"format": "attest/dataset", "version": 1, "sequences": [[["1"], ["2"], ["4"], ["5"], ["9"]]]},
 "parameters": {"eps": "1"}, "found_by": "hand",
 "violates": {"definition": "separated", "pair": [[0, 2], [0, 3]]}}
END
file=$work/separated.json
edited 1 "tokens that are too close, not the first such pair" 'pass'
edited 2 "tokens that are not" 'o["violates"]["pair"] = [[0, 3], [0, 4]]'
edited 1 "tokens of two sequences, at other places than the first such pair" \
    'o["dataset"]["sequences"].append([["20"], ["30"], ["60"], ["70"], ["5.5"]]); o["violates"]["pair"] = [[0, 3], [1, 4]]'
edited 2 "others of them" \
    'o["dataset"]["sequences"].append([["20"], ["30"], ["60"], ["70"], ["5.5"]]); o["violates"]["pair"] = [[0, 4], [1, 3]]'
edited 0 "a bound that holds" 'o["parameters"]["eps"] = "1/2"'
json 'o["replays"][0]["reason"] == "the bounds hold" and "log2_margin" not in o["replays"][0]'
edited 1 "a norm that is r_min" 'o["parameters"] = {"r_min": "1"}; o["violates"]["pair"] = [[0, 0], [0, 0]]'
json 'o["replays"][0]["reason"] == "a norm is not above r_min" and o["replays"][0]["pair"] == [[0, 0], [0, 0]]'
edited 0 "one that is above it" 'o["parameters"] = {"r_min": "9/10"}'
edited 1 "a norm that is r_max" 'o["parameters"] = {"r_min": "1/2", "r_max": "9", "eps": "1/3"}; del o["violates"]["pair"]'
json 'o["replays"][0]["reason"] == "a norm is not below r_max" and o["replays"][0]["pair"] == [[0, 4], [0, 4]]'
edited 0 "one that is below it" 'o["parameters"] = {"r_max": "10"}'
edited 2 "no dataset to be separated" 'del o["dataset"], o["violates"]["pair"]'

# Heads that add nothing: outputs are tokens, the same in all contexts, in any arithmetic.
cat >"$work/same.json" <<'END'
{"format": "attest/counterexample", "version": 1, "property": "contextual",
 "dataset": {"format": "attest/dataset", "version": 1,
  "sequences": [[["3"], ["1"]], [["5"]], [["2"], ["4"], ["6"], ["1"]]]},
 "weights": {"format": "attest/weights", "version": 1, "activation": "softmax",
  "heads": [{"WQ": [["1"]], "WK": [["0"]], "WV": [["0"]], "WO": [["1"]]}]},
 "parameters": {"format": "binary16"}, "found_by": "audit",
 "violates": {"definition": "contextual-mapping", "pair": [[0, 1], [2, 3]]}}
END
file=$work/same.json
edited 1 "outputs that collide in a simulated arithmetic" 'pass'
json 'o["replays"][0]["reason"] == "the outputs at [0,1] and [2,3] collide" and o["replays"][0]["pair"] == [[0, 1], [2, 3]]'
json 'o["replays"][0]["decided_by"] == "the arithmetic binary16" and "log2_margin" not in o["replays"][0]'
json 'any(s["name"].startswith("mpfr, binary16") for s in o["replays"][0]["systems"])'
edited 0 "outputs that do not" 'o["violates"]["pair"] = [[0, 0], [2, 1]]'
json 'o["replays"][0]["reason"].startswith("the outputs at [0,0] and [2,1] differ")'
edited 1 "by the definition" 'o["parameters"] = {}; o["found_by"] = "hand"; del o["violates"]["pair"]'
json 'o["replays"][0]["reason"].startswith("the outputs at [0,1] and [2,3] are not more") and o["replays"][0]["pair"] == [[0, 1], [2, 3]]'
apart='o["dataset"]["sequences"] = [[["3"], ["1"]], [["2"], ["5"]]]; o["found_by"] = "hand"; del o["violates"]["pair"]'
edited 0 "tokens that are different" "$apart; o['parameters'] = {'r': '6', 'delta': '1/2'}"
edited 1 "a norm that is r" "$apart; o['parameters'] = {'r': '5', 'delta': '1/2'}"
json '"at [1,1] is not below r" in o["replays"][0]["reason"] and o["replays"][0]["pair"] == [[1, 1], [1, 1]]'
edited 1 "outputs that are delta apart" "$apart; o['parameters'] = {'r': '6', 'delta': '1'}"
edited 2 "no weights to be a mapping" 'o["parameters"] = {}; o["found_by"] = "hand"; del o["weights"], o["violates"]["pair"]'
finish
