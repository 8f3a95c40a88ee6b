#!/bin/sh
# attest certify, attest check: the universal pair, equalities, bounds met exactly, certificates
# that say too much, what is refused.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1

cat >pair.json <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[[1], [3], [4], [6]], [[1], [2], [5], [6]]]}
END
weights() { # file activation skip WK WV WO [more heads]
    cat >"$1" <<END
{"format": "attest/weights", "version": 1, "activation": "$2", "skip": $3,
 "heads": [{"WQ": [[1]], "WK": [[$4]], "WV": [[$5]], "WO": [[$6]]}$7]}
END
}
weights hard.json hardmax true 1 '"1/3"' 1
weights soft.json softmax true 1 '"1/3"' 1
weights zero.json softmax true 1 0 1
weights mean.json softmax false 0 1 1
weights cancel.json softmax true 1 2 1 ', {"WQ": [[1]], "WK": [[1]], "WV": [[-1]], "WO": [[2]]}'

run 1 "hardmax on the universal pair" certify pair.json --weights hard.json --json
json 'o["verdict"] == "refuted" and o["method"] == "exact" and o["pair"] == [[0, 0], [1, 0]]'
json 'o["required_pairs"] == 28 and o["min_separation"]["mid"] == "0x0p+0"'
json 'o["counterexample"]["violates"]["pair"] == [[0, 0], [1, 0]] and o["decided_by"]["exact"] == 2 and o["decided_by"]["filter"] == 26'
run 0 "softmax on the same" certify pair.json --weights soft.json --json
json 'o["verdict"] == "proved" and o["method"] == "filter" and o["r"] is None and o["delta"] == "0"'
json 'o["pair"] == [[0, 3], [1, 3]] and abs(float(o["min_separation"]["log2"]) + 10.25191883498) < 1e-9'
for method in filter ball; do
    run 0 "softmax by $method" certify pair.json --weights soft.json --method $method --json
    json 'o["method"] == "'$method'" and o["decided_by"]["'$method'"] == 28 and o["pair"] == [[0, 3], [1, 3]]'
done
for method in filter exact; do
    run 1 "hardmax by $method" certify pair.json --weights hard.json --method $method --json
    json 'o["method"] == "'$method'" and o["pair"] == [[0, 0], [1, 0]] and o["min_separation"]["mid"] == "0x0p+0"'
done
run 1 "values of zero" certify pair.json --weights zero.json --json
json 'o["pair"] == [[0, 0], [1, 0]] and o["decided_by"]["exact"] == 1'
run 1 "two heads that cancel" certify pair.json --weights cancel.json --json
json 'o["verdict"] == "refuted" and o["min_separation"]["rad"] == "0x0p+0"'
run 1 "the mean without skip" certify pair.json --weights mean.json --json
json 'o["verdict"] == "refuted" and o["pair"] == [[0, 0], [0, 1]]'

# Different queries, one common token: zero.json is the identity, so separations are those of
# the tokens, and 1 is met exactly.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[2], [3]]]}' >two.json
run 1 "delta met exactly" certify two.json --weights zero.json --delta 1
run 0 "delta just below" certify two.json --weights zero.json --delta 99999999999999999999999999/100000000000000000000000000
run 1 "r met exactly" certify two.json --weights zero.json --r 3 --json
json 'o["counterexample"]["violates"] == {"definition": "contextual-mapping", "bound": "r", "token": [0, 1]}'
run 0 "r just above" certify two.json --weights zero.json --r 3.0000000000000000000000000000001
sed 's/softmax/hardmax/' zero.json >hard-zero.json
run 1 "hardmax: delta met exactly" certify two.json --weights hard-zero.json --delta 1
run 0 "hardmax: delta just below" certify two.json --weights hard-zero.json --delta 0.99999999999999999999999
run 1 "hardmax: r met exactly" certify two.json --weights hard-zero.json --r 3
run 0 "hardmax: r just above" certify two.json --weights hard-zero.json --r 3.00000000000000000000001
# All keys win: 1 beside 3 and beside 5 gets a hundredth of their means, 2 and 3, added.
printf '%s' '{"format": "attest/dataset", "version": 1, "sequences": [[["1"], ["3"]], [["1"], ["5"]]]}' >ties.json
weights ties-w.json hardmax true 0 '"1/100"' 1
run 1 "hardmax: means of winners" certify ties.json --weights ties-w.json --delta 0.015 -o ties-cert.json
run 0 "hardmax: the checker has the same means" check ties-cert.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[2], [2]], [[2]]]}' >same.json
run 0 "no required pair" certify same.json --weights soft.json --delta 100 --json
json 'o["required_pairs"] == 0 and o["pair"] is None and o["min_separation"] is None'

# A causal mask: (a, b, a) has a required pair of equal tokens.
sed 's/"skip"/"mask": "causal", "skip"/' zero.json >masked.json
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[2], [3], [2]]]}' >aba.json
run 1 "masked (a, b, a)" certify aba.json --weights masked.json --json
json 'o["pair"] == [[0, 0], [0, 2]] and o["required_pairs"] == 3'
run 0 "not masked: exempt" certify aba.json --weights zero.json --json
json 'o["required_pairs"] == 2'

for w in hard soft zero cancel mean; do
    "$ATTEST" certify pair.json --weights $w.json -o $w-cert.json >/dev/null 2>&1
    run 0 "the certificate of $w holds" check $w-cert.json
done
run 0 "several at once" check soft-cert.json hard-cert.json --json
json '[c["verdict"] for c in o["certificates"]] == ["holds", "holds"]'
mkdir sub && cp pair.json soft.json soft-cert.json sub && (cd / && "$ATTEST" check "$work/sub/soft-cert.json" >/dev/null)
result $? "inputs beside the certificate"
change() { # certificate, result, Python statements on the object o
    python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(o, open(sys.argv[2], "w"))' "$@"
}
# The ends of the ball, moved past the truth by one unit in the last place.
cat >ends.py <<'END'
from fractions import Fraction
def number(s):
    m, e = s.split("p")
    i, _, f = m[2:].partition(".")
    return Fraction(int(i + f, 16), 16 ** len(f)) * Fraction(2) ** int(e)
def hexfloat(x): # of a dyadic x > 0
    e = 0
    while x.denominator > 1:
        x, e = x * 2, e - 1
    return "0x%xp%+d" % (x.numerator, e)
END
change soft-cert.json high.json '
exec(open("ends.py").read())
b = o["min_separation"]; m, r = number(b["mid"]), number(b["rad"])
u = Fraction(1, 2 ** 160); b["mid"] = hexfloat(m + 2 * r + u)'
run 1 "an enclosure above the truth" check high.json
change soft-cert.json low.json '
exec(open("ends.py").read())
b = o["min_separation"]; m, r = number(b["mid"]), number(b["rad"])
b["mid"] = hexfloat(m - 2 * r - Fraction(1, 2 ** 160))'
run 1 "an enclosure below the truth" check low.json
change soft-cert.json pair-wrong.json 'o["pair"] = [[0, 0], [1, 0]]'
run 1 "another pair" check pair-wrong.json
change soft-cert.json norm-wrong.json 'o["max_norm"]["rad"] = "0x0p+0"'
run 1 "a norm without its radius" check norm-wrong.json
change hard-cert.json verdict-wrong.json 'o["verdict"] = "proved"'
run 1 "a verdict turned round" check verdict-wrong.json
change soft-cert.json delta-wrong.json 'o["delta"] = "1/1219"'
run 1 "a delta above the separation" check delta-wrong.json
shows '^delta-wrong.json: fails: the outputs at \[0,3\] and \[1,3\] are not more than delta apart$'
change soft-cert.json delta-right.json 'o["delta"] = "1/1220"'
run 0 "a delta below the separation" check delta-right.json
change soft-cert.json r-wrong.json 'o["r"] = "7.9999"'
run 1 "an r below the largest norm" check r-wrong.json
change hard-cert.json exact-wrong.json 'o["max_norm"] = {"mid": "0x1.0000000000000000000000000001p+3", "rad": "0x0p+0"}'
run 1 "an exact norm, one unit too large" check exact-wrong.json
# Bounds that are met exactly are decided on the second route, too.
for bound in "--delta 1" "--r 3" "--delta 1 --r 3"; do
    "$ATTEST" certify two.json --weights zero.json $bound -o met.json >/dev/null 2>&1
    run 0 "the certificate of $bound, met exactly" check met.json
    change met.json bad.json 'o["verdict"] = "proved"'
    run 1 "and not as proved" check bad.json
done
"$ATTEST" certify two.json --weights mean.json --delta 1/7 -o met.json >/dev/null 2>&1
change met.json bad.json 'o["delta"] = "0"; o["verdict"] = "proved"'
run 1 "equal outputs are not proved apart" check bad.json
# The first of two norms that no precision in use tells apart is named, and lies in the ball.
python3 -c '
print("{\"format\": \"attest/dataset\", \"version\": 1, \"sequences\": [[[\"%d/%d\"], [1]]]}"
      % (2 ** 500 - 1, 2 ** 500))' >near.json
run 0 "norms 2^-500 apart" certify near.json --weights zero.json --method ball --json -o near-cert.json
json 'o["max_norm_at"] in ([0, 0], [0, 1])'
run 0 "their certificate" check near-cert.json
# Separations of 4e-60 that differ by 7e-29 of their size: the least is named, not the first.
python3 -c '
import json
a, b = ("-5." + "9" * 29 + d for d in "89")
json.dump({"format": "attest/dataset", "version": 1, "sequences":
           [[[a], [b], [b]], [[b], [b], [b]], [[a], [a], [b]], [[a], [b], [a]], [[a], [0], [b]]]}, open("tie.json", "w"))'
weights tie-w.json softmax true 4 6 1
for method in auto filter ball; do
    run 0 "a near tie, $method" certify tie.json --weights tie-w.json --method $method --json
    json 'o["pair"] == [[2, 2], [4, 0]]'
done
# Heads so small that doubles see one point for all contexts of a token: F(a) = a + 1e-30 times
# the mean of a and i, so that neighbours are 1e-30/2 apart, exactly.
python3 -c '
import json
json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[1000], [i]] for i in range(1, 201)]},
          open("cluster.json", "w"))'
weights small.json softmax true 0 '"1e-30"' 1
sed 's/softmax/hardmax/' small.json >small-hard.json
for w in small small-hard; do
    run 0 "$w heads, 200 contexts" certify cluster.json --weights $w.json --delta 4.99999999e-31 --json
    json 'o["pair"] == [[0, 0], [1, 0]] and abs(float(o["min_separation"]["log2"]) + 100.65784284662087) < 1e-9'
    run 1 "and not more than that" certify cluster.json --weights $w.json --delta 5e-31
done
# What refutes a claim can be decided again from its own file.
extract() { python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["counterexample"], open(sys.argv[2], "w"))' "$out" again.json; }
for bound in "--delta 0" "--delta 9" "--r 1/9"; do
    run 1 "refuted by $bound" certify pair.json --weights hard.json $bound --json
    extract
    run 1 "and replayed" replay again.json
    shows 'the violation is confirmed'
done
cp pair.json keep.json && echo >>pair.json
run 1 "a changed input" check soft-cert.json
shows 'is not the file that was certified'
truncate -s 1T pair.json
run 1 "an input that is far too long, which is not read" check soft-cert.json
shows 'is not the file that was certified'
cp keep.json pair.json
change soft-cert.json bad.json 'o["inputs"][0]["size"] += 1'
run 1 "a size that is not the file's" check bad.json
shows 'is not the file that was certified'
change soft-cert.json bad.json 'del o["inputs"][0]["size"], o["inputs"][1]["size"]'
run 0 "no sizes" check bad.json
truncate -s 1T pair.json
run 3 "no sizes, and an input beyond all memory" check bad.json
shows 'pair.json: more than [0-9]+ bytes of input'
cp keep.json pair.json
change soft-cert.json bad.json 'o["inputs"][0]["size"] = -1'
refused "a negative size" check bad.json
complains '^attest: bad.json: inputs\[0\].size: is negative'
change soft-cert.json bad.json 'o["min_separation"]["rad"] = "x"'
refused "a radius that is no number" check bad.json
change soft-cert.json bad.json 'o["min_separation"]["mid"] = "0x1p-99999999999999"'
refused "a gigantic exponent" check bad.json
# What people read beside a ball must be true of it; all of it may be missing.
change soft-cert.json bad.json 'o["min_separation"]["log2"] = "-9.25191883498"'
run 1 "another log2" check bad.json
shows '^bad.json: fails: a "log2" is not that of the midpoint'
change soft-cert.json bad.json 'o["min_separation"]["log2"] = o["min_separation"]["log2"][:-4]'
run 1 "a log2 with four digits less" check bad.json
for text in '[3.0 +/- 0.1]' '7.9' '[+/- 7.9]' '[1 +/- 1] * 2^99999999999999' '[8 +/- 1e-90000]'; do
    change soft-cert.json bad.json "o['max_norm']['text'] = '$text'"
    run 1 "the text '$text'" check bad.json
done
for text in '[8 +/- 1' '8 +/- 1]' '[ +/- ]' '' '[1 +/- 1] * 3' '[nan +/- 1]' '[+/- 9] * 2^0 '; do
    change soft-cert.json bad.json "o['max_norm']['text'] = '$text'"
    refused "the text '$text'" check bad.json
    complains 'bad.json: max_norm.text: not an interval'
done
change soft-cert.json bad.json 'o["min_separation"]["log2"] += " "'
refused "a log2 with a blank" check bad.json
complains 'bad.json: min_separation.log2: not a decimal'
for text in '[+/- 9]' '[8.00 +/- 0.01]' '[1.00 +/- 0.01] * 2^3'; do
    change soft-cert.json good.json "o['max_norm']['text'] = '$text'"
    run 0 "the text $text" check good.json
done
change soft-cert.json good.json 'for b in "min_separation", "max_norm": del o[b]["log2"], o[b]["text"]'
run 0 "neither log2 nor text" check good.json
change hard-cert.json bad.json 'o["min_separation"]["log2"] = "0"'
run 1 "a log2 of 0" check bad.json
# An undecided certificate is true, or not, but never holds.
"$ATTEST" certify pair.json --weights soft.json --method first-difference -o open.json >/dev/null 2>&1
run 3 "undecided about everything" check open.json --json
json 'o["certificates"] == [{"path": "open.json", "verdict": "undecided", "reason": "as the certificate claims"}]'
change soft-cert.json open.json 'o["verdict"] = "undecided"'
run 3 "undecided, with true enclosures" check open.json
shows '^open.json: undecided, as the certificate claims$'
run 3 "beside one that holds" check soft-cert.json open.json
change open.json bad.json 'o["pair"] = [[0, 0], [1, 0]]'
run 1 "undecided, with another pair" check bad.json
change open.json bad.json 'o["inputs"][0]["sha256"] = "0" * 64'
run 1 "undecided, of other data" check bad.json
change soft-cert.json bad.json 'o["inputs"][1]["tensor"] = "w"'
refused "weights that are one tensor" check bad.json
# Figures do not stand alone.
change soft-cert.json bad.json 'o["pair"] = None'
refused "a separation without a pair" check bad.json
change soft-cert.json bad.json 'o["pair"] = o["min_separation"] = None'
run 1 "required pairs, but none is named" check bad.json
change soft-cert.json bad.json 'del o["max_norm_at"]'
refused "a norm without its place" check bad.json
change soft-cert.json bad.json 'o["max_norm"] = o["max_norm_at"] = None'
refused "proved, without a norm" check bad.json
change soft-cert.json bad.json 'o["version"] = 2'
refused "an unknown version" check bad.json
change soft-cert.json bad.json 'o["inputs"][0]["path"] = "nowhere.json"'
refused "a missing input" check bad.json
complains '^attest: bad.json: .*: cannot open: '
for path in /dev/zero - . "$work/pipe0"; do
    [ -p "$work/pipe0" ] || mkfifo "$work/pipe0"
    change soft-cert.json bad.json "o['inputs'][0]['path'] = '$path'"
    refused "an input that is no file, $path" check bad.json
    complains '^attest: bad.json: names an input that is not a regular file'
done
name=$(printf 'a\033[31m\nb.json')
cp soft-cert.json "$name"
"$ATTEST" check "$name" >"$out" 2>"$err"
shows '^a\\x1b\[31m\\x0ab.json: '
echo '{}' | "$ATTEST" check - >"$out" 2>"$err"
complains '^attest: standard input: "format" is missing'
refused "no certificate" check
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [3]]]}' >one-pair.json
mkfifo pipe && (cat pair.json >pipe &)
refused "a certificate of a pipe" certify pipe --weights soft.json -o pipe-cert.json
complains 'pipe: is not a regular file'
cat pipe >/dev/null
run 0 "one pair" certify one-pair.json --weights soft.json
shows '^claim +1 required pair is more than 0 apart'

refused "softmax in exact" certify pair.json --weights soft.json --method exact
refused "hardmax in balls" certify pair.json --weights hard.json --method ball
refused "an unknown method" certify pair.json --weights soft.json --method magic
refused "a negative delta" certify pair.json --weights soft.json --delta -1
refused "no weights" certify pair.json
refused "too few bits" certify pair.json --weights soft.json --max-bits 3
refused "no terms" certify pair.json --weights soft.json --max-terms 0

# The caps name what to raise.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [5]]]}' >far.json
echo '{"format": "attest/weights", "version": 1, "activation": "softmax",
    "heads": [{"WQ": [[1]], "WK": [["1e40"]], "WV": [[1]], "WO": [["1/10"]]}]}' >steep.json
run 3 "too few terms" certify far.json --weights steep.json --delta 4 --max-terms 1
shows ', and 1 terms do not suffice \(see --max-terms\)'
run 0 "enough of them" certify far.json --weights steep.json --delta 4 -o far-cert.json
run 3 "too few terms to check" check far-cert.json --max-terms 1
shows ', and 1 terms do not suffice \(see --max-terms\)'
run 0 "enough to check" check far-cert.json
refused "a certificate about standard input" certify - --weights soft.json -o x.json
finish
