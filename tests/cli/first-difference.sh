#!/bin/sh
# attest certify --method first-difference where doubles or first differences alone do not decide:
# outputs of different tokens at a tiny distance, numbers beyond the range of doubles, near ties, and
# weights that do not meet the hypotheses.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1

data() { # file, sequences as a Python list of lists of tokens: a number, a fraction "p/q", or a tuple of these
    python3 -c '
import json, sys
S = eval(sys.argv[2])
json.dump({"format": "attest/dataset", "version": 1, "sequences":
           [[[str(x) for x in (t if isinstance(t, tuple) else (t,))] for t in s] for s in S]}, open(sys.argv[1], "w"))' "$1" "$2"
}
weights() { # file, then WQ, WK and WV as the row v of 1 v^T, then WO
    cat >"$1" <<END
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": {"u": [1], "v": [$2]}, "WK": {"u": [1], "v": [$3]}, "WV": {"u": [1], "v": [$4]}, "WO": [$5]}]}
END
}
by="--method first-difference --json"

# Two tokens whose outputs are 1.2e-61 apart, less than 128 bits resolve. No token has two contexts,
# so there is no first difference.
data meet.json '[[2, -1]]'
weights meet-w.json 1 '"3/2"' 1 '["-1011235163663451465635453404877950285330273262029960488578441e-60"]'
for method in first-difference auto; do
    run 0 "outputs of different tokens at a tiny distance, $method" certify meet.json --weights meet-w.json --method $method --json
    json 'o["verdict"] == "proved" and o["pair"] == [[0, 0], [0, 1]] and abs(float(o["min_separation"]["log2"]) + 202.353911432650) < 1e-9'
done
run 1 "a larger delta is refuted" certify meet.json --weights meet-w.json $by --delta 1.3e-61
# The closest outputs belong to different tokens: the program names the pair.
data other.json '[[(-6, -7), (-1, 0)], [(-7, 9)]]'
weights other-w.json '2, 5' '"3", "15/2"' '2, 5' '["12/5"], ["-16/5"]'
run 0 "different tokens that are closest" certify other.json --weights other-w.json $by -o other-cert.json
json 'o["method"] == "first-difference" and o["pair"] == [[0, 0], [0, 1]] and abs(float(o["min_separation"]["log2"]) - 3.10472668281447) < 1e-9'
run 0 "their certificate" check other-cert.json

# Contexts {1000}, {1000, 1}, ..., {1000, 700} of the token 1000, in units of s: the first two
# differ least, by w 999 s e^-(999000 k s^2), up to a factor that rounds to 1 in a double. There are
# more neighbouring pairs than the method keeps.
for scale in "40 10" "100 100"; do
    s=${scale% *} k=${scale#* }
    data huge.json "[[s * 1000, s * i] for s in [10**$s] for i in range(700, 0, -1)] + [[1000 * 10**$s]]"
    weights huge-w.json 1 "\"1e$k\"" 1 '["1e-9"]'
    run 0 "s = 1e$s, k = 1e$k" certify huge.json --weights huge-w.json $by
    json 'o["pair"] == [[699, 0], [700, 0]] and o["min_separation"]["log2"] == "-1.44125234584807e+'$((2 * s + k + 6))'"'
done
# Scores beyond the range of doubles, in random order: the bounds of all neighbouring pairs are unknown,
# there are more pairs than the method keeps, and a claim must not omit the closest pair. The depth of
# the deepest first difference, in units of k s^2, gives the least separation.
cat >beyond.py <<'END'
import json
state, pool, S = 1, [], []
def below(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % n
while len(pool) < 60:
    pool += [x for x in [1 + below(4000)] if x not in pool]
while len(S) < 600:
    s = [pool[below(60)] for _ in range(4)]
    S += [s] if len(set(s)) == 4 else []
deepest = 0
for i in range(600):
    for j in range(i):
        a, b = set(S[i]), set(S[j])
        if a != b and a & b and max(a) == max(b):
            deepest = max(deepest, max(a & b) * (max(a) - max(a ^ b)))
json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[str(x * 10**155)] for x in s] for s in S]},
          open("beyond.json", "w"))
print(deepest)
END
deepest=$(python3 beyond.py)
weights beyond-w.json '"1e10"' 1 1 '["1e-9"]'
run 0 "scores beyond the range of doubles" certify beyond.json --weights beyond-w.json $by
json '"log2" not in o["min_separation"] or abs(float(o["min_separation"]["log2"].split("e")[0]) + float(("%.9e" % ('$deepest' / 0.6931471805599453)).split("e")[0])) < 1e-5'
# Norms whose squares are beyond the range of doubles, and more positions than the method keeps. Every
# norm is 1 + 1e-9 times that of its token.
data square.json '[[(i + 1) * 10**160, (i + 101) * 10**160] for i in range(100)]'
weights square-w.json '"1e-260"' 1 1 '["1e-9"]'
run 1 "norms whose squares are beyond the range of doubles" certify square.json --weights square-w.json $by --r 1e155
json 'o["max_norm_at"] == [99, 1] and abs(float(o["max_norm"]["log2"]) - 539.1523517) < 1e-6'
run 0 "norms below r" certify square.json --weights square-w.json $by --r 2.0000000021e162

# Two first differences that agree in 38 digits: the program names the first pair, and the ball contains
# its distance.
data tie.json '[[(500, "3/100"), (1, "5/2")], [(500, "3/100"), (1, "5/2"), ("400." + "0" * 37 + "112", "3/100")],
    [(300, "3/100"), (1, "5/2")], [(300, "3/100"), (1, "5/2"), (200, "3/100")]]'
weights tie-w.json '0, 1' '1, 0' '1, 0' '["0"], ["1/1000"]'
run 0 "a near tie" certify tie.json --weights tie-w.json $by -o tie-cert.json
json 'o["pair"] == [[0, 1], [1, 1]]'
run 0 "its certificate" check tie-cert.json

# Where Lemma F does not apply, the verdict is undecided.
data close.json '[[1, 2], [1, 3]]'
weights close-w.json 1 1 1 '["1/9"]'
run 3 "scores too close" certify close.json --weights close-w.json $by
json 'o["min_separation"] is None and o["pair"] is None and o["max_norm"] is None and "1.3170" in o["reason"]'
json 'o["decided_by"] == {"filter": 0, "ball": 0, "exact": 0, "undecided": o["required_pairs"]}'
run 3 "scores too close, in words" certify close.json --weights close-w.json --method first-difference
shows '^least separation   not known$'
data one.json '[[3, 3], [3]]'
run 0 "no required pair" certify one.json --weights close-w.json $by --r 4
json 'o["min_separation"] is None and o["pair"] is None and abs(float(o["max_norm"]["log2"]) - 1.7369655941662061) < 1e-9'
finish
