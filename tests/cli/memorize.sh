#!/bin/sh
# attest memorize: labels learnt exactly, and checked by another program; hypotheses that fail.
. "$srcdir/tests/cli/lib.sh"

# oracle NETWORK DATA [DIGITS]: the network, run in Python from its definition, gives the labels.
oracle() {
    python3 "$srcdir/tests/ref/network.py" "$@" >"$out" 2>"$err"
    result $? "another program finds the labels: $(cat "$out")"
}

cat >"$work/data.json" <<'END'
{"format": "attest/dataset", "version": 1,
 "sequences": [[[1, 2], [3, -1], [2, 2]], [[1, 2], [3, -1], [-4, 1]], [[2, 2], [-4, 1], [0, 3]], [[0, 3], [1, 2], [5, 0]]],
 "labels": [[["1/3", 0], [2, 1], [3, 5]], [[1, 1], [1, 2], [1, 3]], [[7, 7], [8, 8], [9, 9]], [[0, 0], ["22/7", "-1e-3"], [-5, -5]]]}
END
run 0 "tuned by default" memorize "$work/data.json" -o "$work/net.json" --json
json '[o[k] for k in ("verdict", "classes", "hidden_units", "parameters", "parameters_dense", "paper_parameters")] == ["proved", 12, 24, 60, 130, 64]'
json 'o["network"]["format"] == "attest/network" and o["strategy"] == "tuned"'
json 'sum(len(g["bias"]) for g in o["network"]["layers"][1]["groups"]) == o["hidden_units"]'
oracle "$work/net.json" "$work/data.json"
run 0 "eval runs the network" eval "$work/data.json" --weights "$work/net.json" --json
json 'o["outputs"][1][2][1]["rad"] == "0x0p+0" and o["outputs"][1][2][1]["mid"] == "0x1.8p+1" and len(o["outputs"][0][0]) == 2'
run 0 "in double, too" eval "$work/data.json" --weights "$work/net.json" --number double --json
json 'abs(float(Fraction(o["outputs"][3][1][0])) - 22 / 7) < 1e-9'
run 0 "gap" memorize "$work/data.json" --strategy gap -o "$work/net.json"
shows '^proved: every output is the label'
oracle "$work/net.json" "$work/data.json"
run 0 "theorem: 2^62857 fits" memorize "$work/data.json" --strategy theorem --json
json 'o["verdict"] == "proved" and float(o["gap"]["log2"]) < -10000 and float(o["steepest"]["log2"]) > 10000'
run 0 "positional" memorize "$work/data.json" --positional -o "$work/net.json" --json
json 'Fraction(o["positional"]["step"]) == 2 * Fraction(o["positional"]["r_max"]) + Fraction(o["positional"]["eps"])'
oracle "$work/net.json" "$work/data.json"

# Under a causal mask the first tokens of sequences 0 and 1 see the same.
run 1 "labels that a mask makes inconsistent" memorize "$work/data.json" --mask causal --json
json 'o["hypothesis"] == "consistent" and "[0,0] and [1,0]" in o["explanation"]'
json 'o["counterexample"]["violates"]["pair"] == [[0, 0], [1, 0]] and o["counterexample"]["violates"]["labels"] == [["1/3", "0"], ["1", "1"]]'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [2]], [[2], [1]], [[1], [2]]], "labels": [[[0], [1]], [[1], [0]], [[0], [5]]]}' >"$work/equal.json"
run 1 "equal sequences with different labels" memorize "$work/equal.json" --positional
shows 'consistent: .*\[0,1\] and \[2,1\]'
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [2], [1]], [[2], [3], [0.5]]], "labels": [[[0, 1, 2], [1, 0, 0], [0, 1, 2]], [[5, 5, 5], [6, 6, 6], ["1/7", 0, 0]]]}' >"$work/wide.json"
run 0 "repetitions, and labels wider than tokens" memorize "$work/wide.json" -o "$work/net.json" --json
json 'o["network"]["dim"] == 3 and o["network"]["input_dim"] == 1 and o["hidden_units"] <= 2 * 3 * 2 + 3'
oracle "$work/net.json" "$work/wide.json"
run 1 "theorem takes no repetitions" memorize "$work/wide.json" --strategy theorem
shows '^fails: no-duplicates'
run 0 "theorem takes them with positions" memorize "$work/wide.json" --strategy gap --positional
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[0], [2]], [[1], [0]]], "labels": [[[0], [1]], [[1], [0]]]}' >"$work/zero.json"
run 1 "a zero token" memorize "$work/zero.json"
shows '^fails: r-min'
run 0 "which positions cure" memorize "$work/zero.json" --positional --mask causal -o "$work/net.json"
oracle "$work/net.json" "$work/zero.json"
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[0]], [[0], [0]]], "labels": [[[7]], [[7], [7]]]}' >"$work/one.json"
run 0 "one class" memorize "$work/one.json" --json -o "$work/net.json"
json 'o["classes"] == 1 and o["hidden_units"] == 1 and o["gap"] is None'
oracle "$work/net.json" "$work/one.json"

# Tokens that agree in 53 bits: doubles search in vain, exact directions serve.
cat >"$work/close.json" <<'END'
{"format": "attest/dataset", "version": 1,
 "sequences": [[[1, 1], ["0x1.0000000000000000000000000001p0", 1]], [[1, 1], ["0x1.0000000000000000000000000003p0", 1]], [[1, 1], [1, "0x1.0000000000000000000000000003p0"]]],
 "labels": [[[1], [2]], [[3], [4]], [[5], [6]]]}
END
run 0 "tokens that doubles cannot tell apart" memorize "$work/close.json" -o "$work/net.json" --json
json 'o["verdict"] == "proved" and o["proof_bits"] == 256'
oracle "$work/net.json" "$work/close.json" 200

python3 - >"$work/large.json" <<'END'
import json, random
random.seed(4)
s = [[[random.randint(1, 10**6)] for _ in range(6)] for _ in range(16)]
print(json.dumps({"format": "attest/dataset", "version": 1, "sequences": s, "labels": [[[t[0] % 9] for t in x] for x in s]}))
END
for strategy in theorem gap; do
    run 3 "$strategy refused above its size" memorize "$work/large.json" --strategy $strategy --json
    json 'o["verdict"] == "undecided" and "bits" in o["reason"]'
    complains 'the limits are 2\^20 bits and 2\^28 bits in all; use --strategy tuned'
done
run 0 "tuned takes it" memorize "$work/large.json" -o "$work/net.json"
oracle "$work/net.json" "$work/large.json"

cat >"$work/words.conll" <<'END'
-DOCSTART- -X- O O

EU NNP B-NP B-ORG
rejects VBZ B-VP O
the DT B-NP O
call NN I-NP O
of IN B-PP O
the DT B-NP O
EU NNP B-NP I-ORG

the DT B-NP B-MISC
call NN I-NP O

the DT B-NP O
END
run 0 "words and tags" memorize "$work/words.conll" --embed hash:3 -o "$work/words.json" --json
json 'o["verdict"] == "proved" and o["words"] == 5 and o["tags"] == 4 and o["network"]["tags"] == ["B-ORG", "O", "I-ORG", "B-MISC"]'
json 'o["network"]["embed"] == "hash:3" and Fraction(o["positional"]["step"]) > 0 and o["classes"] == 10'
oracle "$work/words.json" "$work/words.conll"
run 0 "eval takes the words, too" eval "$work/words.conll" --weights "$work/words.json" --json
json '[[int(float.fromhex(t[0]["mid"])) for t in s] for s in o["outputs"]] == [[0, 1, 1, 1, 1, 1, 2], [3, 1], [1]]'
run 0 "in words" memorize "$work/words.conll" --embed hash:1
shows '^words  *5 different ones, by hash:1; 4 tags'
printf 'a X\nb Y\n\na X\nb Z\n' >"$work/twice.conll"
run 1 "one sentence, two taggings" memorize "$work/twice.conll" --embed hash:8
shows 'consistent: .*\[0,1\] and \[1,1\]'
printf 'a X\nb\n' >"$work/bad.conll"
refused "a line of one column" memorize "$work/bad.conll" --embed hash:8
refused "an unknown embedding" memorize "$work/words.conll" --embed one-hot
refused "no dimension" memorize "$work/words.conll" --embed hash:0
refused "words without an embedding" memorize "$work/words.conll"
refused "a tensor of words" memorize "$work/words.conll" --embed hash:8 --tensor x
refused "no labels" memorize "$srcdir/examples/universal-pair.json"
refused "an unknown strategy" memorize "$work/data.json" --strategy best
refused "a network of another dimension" eval "$work/data.json" --weights "$work/net.json"
refused "a network is no dataset" memorize "$work/net.json"
finish
