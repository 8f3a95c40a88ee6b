#!/bin/sh
# Forged certificates that once held, or that a reader would try first.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1

weights() { # file, key weight
    cat >"$1" <<END
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [[1]], "WK": [[$2]], "WV": [[1]], "WO": [[1]]}]}
END
}
# alter: from standard input lines NAME: PYTHON STATEMENTS on the object o, which make NAME.json
# of true.json.
alter() {
    python3 -c '
import json, sys
for line in sys.stdin:
    name, change = line.split(":", 1)
    o = json.load(open("true.json"))
    exec(change.strip())
    json.dump(o, open(name + ".json", "w"))'
}
# checked CODES DESCRIPTION NAME: `attest check` with $bits bits ends with one of these exit codes.
bits=4096
checked() {
    "$ATTEST" check --max-bits "$bits" "$3.json" >"$out" 2>"$err" </dev/null
    got=$?
    case " $1 " in *" $got "*) true ;; *) false ;; esac
    result $? "$2 (exit $got)"
}

# Two outputs at [0,0] and [1,0] that are e^-(size) apart. Those at [0,1] and [1,1] are
# 1/(e + 1) = 0.2689... apart, which is what the forger shows.
weights w.json -1
for size in 1e40 1e60 1e100 1e150 1e300; do
    echo '{"format": "attest/dataset", "version": 1,
 "sequences": [[["'$size'"], [1]], [["'$size'"], [1], [2]]]}' >data.json
    "$ATTEST" certify data.json --weights w.json --max-bits 4096 -o true.json >"$out" 2>"$err"
    result $? "certified at $size"
    alter <<'END'
other: o.update(pair=[[0, 1], [1, 1]], delta="1/4", min_separation={"mid": "0x1.136561454ba86p-2", "rad": "0x1p-50"})
delta: o["delta"] = "1/4"
small: o["delta"] = "1e-1000"
undecided: o["verdict"] = "undecided"
r: o["r"] = "1/2"
END
    checked 0 "its certificate holds" true
    checked 1 "another pair than the closest" other
    checked 1 "a delta above the separation of the pair that is named" delta
    checked 1 "even a small one" small
    checked 3 "an undecided verdict" undecided
    checked 1 "an r below the largest norm" r
done

# The proved separation is 0.00026 and the forged delta 9e31: scores of 1e100 left no pair to
# compare it with.
cat >data.json <<'END'
{"format": "attest/dataset", "version": 1,
 "sequences": [[["5/7", -5], ["-2/7", -6]], [["5/7", -5], ["-2/7", -6]], [["5/7", -5]]]}
END
cat >w.json <<'END'
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [["7e40", 0]], "WK": [["-1e60", 0]], "WV": [["-1/50000", "-9/700000"]], "WO": [[4], [7]]}]}
END
"$ATTEST" certify data.json --weights w.json --max-bits 4096 -o true.json >"$out" 2>"$err"
echo 'delta: o["delta"] = "9e31"' | alter
checked 0 "scores of 1e100" true
checked 1 "a delta far above all separations" delta

# Values of 0: outputs are the tokens, and the closest ones are equal.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[["1e100"]], [["1e100"], ["-5e100"]]]}' >data.json
weights w.json -1
sed 's/"WV": \[\[1\]\]/"WV": [[0]]/' w.json >zero.json
"$ATTEST" certify data.json --weights zero.json --max-bits 4096 -o true.json >"$out" 2>"$err"
alter <<'END'
proved: o["verdict"] = "proved"
norm: o.update(max_norm_at=[0, 0], max_norm={"mid": "0x1.249ad2594c37dp+332", "rad": "0x1p+290"})
END
checked 0 "equal outputs, refuted" true
checked 1 "equal outputs, proved" proved
checked 1 "a norm that is not the largest" norm

# Bounds that balls never decide: delta and r are met up to e^-(4 size), and are not met.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [5]]]}' >data.json
for size in 1e4 1e6 1e40 1e300; do
    sed "s/\"WK\": \[\[-1\]\]/\"WK\": [[\"$size\"]]/; s/\"WO\": \[\[1\]\]/\"WO\": [[\"1\/10\"]]/" w.json >large.json
    "$ATTEST" certify data.json --weights large.json --delta 4 --r 11/2 -o true.json >"$out" 2>"$err"
    result $? "more than 4 apart and below 11/2 at $size"
    checked 0 "its certificate holds" true
done

# 64 heads that average to the same, for a reason: (1 + y)/((1 + y)(1 + y^2)) = 1/(1 + y^2).
python3 - <<'END'
import json
primes = [1] + [p for p in range(2, 400) if all(p % q for q in range(2, p))]
token = lambda s, v: [s, v, 1]
json.dump({"format": "attest/dataset", "version": 1, "sequences": [
    [token(0, 1), token(1, 1), token(2, 0), token(3, 0)], [token(0, 1), token(2, 0)]]}, open("data.json", "w"))
for name, sign in (("heads", [1] * 64), ("swapped", [1, -1] * 32)):
    scale = primes[:64] if name == "heads" else [p for q in primes[:32] for p in (q, q)]
    json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "heads": [
        {"WQ": [[0, 0, 1]], "WK": [[k, 0, 0]], "WV": [[0, s, 0]], "WO": [[0], [1], [0]]}
        for k, s in zip(scale, sign)]}, open(name + "-w.json", "w"))
END
for name in heads swapped; do
    "$ATTEST" certify data.json --weights $name-w.json -o true.json >"$out" 2>"$err"
    [ $? = 1 ]
    result $? "64 heads, $name: refuted"
    checked 0 "its certificate holds" true
    echo 'proved: o["verdict"] = "proved"' | alter
    checked 1 "and not the other verdict" proved
done

# The separation to 80 digits by other means, rounded at 40: up is more than is true, down is not.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [3]], [[1], [2]]]}' >data.json
weights w.json 1
"$ATTEST" certify data.json --weights w.json -o true.json >"$out" 2>"$err"
python3 - <<'END'
import json
from decimal import *
getcontext().prec = 80
def output(x, keys):
    e = [Decimal(x * k).exp() for k in keys]
    return x + sum(k * w for k, w in zip(keys, e)) / sum(e)
f = [(x, keys, output(x, keys)) for keys in ((1, 3), (1, 2)) for x in keys]
least = min(abs(p[2] - q[2]) for i, p in enumerate(f) for q in f[:i])
for name, way in (("up", ROUND_CEILING), ("down", ROUND_FLOOR)):
    o = json.load(open("true.json"))
    o["delta"] = str(least.quantize(Decimal(1).scaleb(least.adjusted() - 39), rounding=way))
    json.dump(o, open(name + ".json", "w"))
END
checked 1 "the separation rounded up at 40 digits" up
checked 0 "the separation rounded down at 40 digits" down

# Theorem 2's own certificates, and their witness.
cat >data.json <<'END'
{"format": "attest/dataset", "version": 1, "sequences": [[[1, 2], [3, -1], [-4, 2]], [[1, 2], [3, -1]],
 [[5, 5], [1, 2], [-4, 2]], [[5, 5], [-4, 2], [3, -1]]]}
END
for strategy in theorem gap tuned; do
    "$ATTEST" construct data.json --strategy $strategy -o w.json >"$out" 2>"$err" &&
        "$ATTEST" certify data.json --weights w.json -o true.json >"$out" 2>"$err"
    result $? "$strategy: certified"
    checked 0 "and checked" true
    [ $strategy = theorem ] || continue
    alter <<'END'
swapped: o["witness"]["neighbours"].reverse()
others: o["witness"]["neighbours"] = [[0, 0], [0, 1]]
outside: o["witness"]["neighbours"][0] = [9, 9]
common: o["witness"]["common"] += 1
order: o["witness"]["order"] *= -1
gap: o["witness"]["gap"] = o["witness"]["gap"] + "1"
bound: [o["witness"]["bound"].pop(k) for k in ("log2", "text")]; o["witness"]["bound"]["mid"] = o["min_separation"]["mid"][:-1] + "9"
none: del o["witness"]
END
    for name in swapped others outside common order gap bound; do
        checked 1 "witness: $name" $name
    done
    checked 0 "no witness claims nothing" none
    for order in -2 0 2; do
        echo "order: o['witness']['order'] = $order" | alter
        run 2 "witness: the order $order" check order.json
        grep -q 'witness.order: neither 1 nor -1' "$err"
        result $? "is refused: $(cat "$err")"
    done
done

# What else a certificate says.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [3]], [[3], [2]]]}' >data.json
weights w.json 1
"$ATTEST" certify data.json --weights w.json --delta 1/1000 --r 9 -o true.json >"$out" 2>"$err"
alter <<'END'
undecided: o["verdict"] = "undecided"
separation-log2: o["min_separation"]["log2"] = "40.000000000"
separation-text: o["min_separation"]["text"] = "[77.000 +/- 1e-9]"
norm-log2: o["max_norm"]["log2"] = "40.000000000"
norm-text: o["max_norm"]["text"] = "[77.000 +/- 1e-9]"
bare: [o[ball].pop(key) for ball in ("min_separation", "max_norm") for key in ("log2", "text")]
nowhere: del o["max_norm_at"]
twice: o["inputs"][1] = o["inputs"][0]
homogeneous: o["inputs"][0]["homogeneous"] = True
tensors: import hashlib, struct; h = json.dumps({n: {"dtype": "F32", "shape": [2, 1], "data_offsets": [8 * i, 8 * i + 8]} for i, n in enumerate("ab")}).encode(); b = struct.pack("<Q", len(h)) + h + bytes(16); open("two.safetensors", "wb").write(b); o["inputs"][0].update(path="two.safetensors", sha256=hashlib.sha256(b).hexdigest(), size=len(b))
END
checked 0 "a true certificate" true
checked 3 "an undecided verdict" undecided
checked "1 2" "a wrong log2 of min_separation" separation-log2
checked "1 2" "a wrong text of min_separation" separation-text
checked "1 2" "a wrong log2 of max_norm" norm-log2
checked "1 2" "a wrong text of max_norm" norm-text
checked 0 "balls without them" bare
checked 2 "no place of the largest norm" nowhere
checked 2 "the dataset twice, and no weights" twice
checked 2 "a coordinate that was not there" homogeneous
checked 2 "two tensors, and none is named" tensors
complains 'tensors.json: two.safetensors has several tensors; .* needs a "tensor"'

# Rotary: outputs e^-(size^2) apart, beside a slack that is far larger.
sed 's/"heads"/"rotary": {"dims": 2, "theta": 1}, "heads"/; s/\[\[1\]\], "WO": \[\[1\]\]/[[1], [0]], "WO": [[1, 0]]/
s/\[\[1\]\]/[[1], [0]]/g' w.json >rotary.json
for size in e6 e9; do
    echo '{"format": "attest/dataset", "version": 1,
 "sequences": [[[1], ["-1'$size'"]], [[1], ["-2'$size'"]]]}' >data.json
    "$ATTEST" certify data.json --weights rotary.json --delta 1/10 -o true.json >"$out" 2>"$err"
    [ $? = 1 ]
    result $? "rotary, tokens of 1$size: refuted"
    checked 0 "its certificate holds" true
done

# An RMSNorm without scores: the separation is 1, exactly, and the slack hides what is nearer. The
# slack is between 2^-128 and 2^-127, and that of a separation twice as large.
echo '{"format": "attest/dataset", "version": 1, "sequences": [[[1], [2]]]}' >data.json
weights w.json 0
sed 's/"WQ": \[\[1\]\]/"WQ": [[0]]/; s/"heads"/"norm": {"kind": "rms", "eps": "1e-5"}, "heads"/' w.json >rms.json
"$ATTEST" certify data.json --weights rms.json --r 4 -o true.json >"$out" 2>"$err"
checked 0 "after an RMSNorm" true
alter <<'END'
delta: o["delta"] = "%d/%d" % (2**141 - 1, 2**141)
exact: o["min_separation"] = {"mid": "0x1p+0", "rad": "0x0p+0"}
refuted: o.update(verdict="refuted", delta="1")
above: o["delta"] = "%d/%d" % (2**141 + 1, 2**141)
refuted-below: o.update(verdict="refuted", delta="%d/%d" % (2**141 - 1, 2**141))
norm: o["max_norm"]["rad"] = "0x0p+0"; o["max_norm"].pop("text")
once: o["min_separation"] = {"mid": "0x1p+0", "rad": "0x1p-127"}
END
for name in delta exact refuted above refuted-below norm once; do
    checked 3 "within the slack: $name" $name
    shows "closer than the error of the weights"
done
alter <<'END'
delta: o["delta"] = "%d/%d" % (2**120 + 1, 2**120)
low: o["min_separation"] = {"mid": "0x1.8p+0", "rad": "0x1.fp-2"}
high: o["min_separation"] = {"mid": "0x1p-1", "rad": "0x1.fp-2"}
tiny: o["min_separation"] = {"mid": "0x1p-%d" % 10**30, "rad": "0x0p+0"}
negative: o["max_norm"] = {"mid": "-0x1p+0", "rad": "0x1p-1"}
norm: o["max_norm"] = {"mid": "0x1p+2", "rad": "0x1p-1"}
r: o["r"] = "2"
refuted: o["verdict"] = "refuted"
text: o.update(delta="1"); o["min_separation"]["text"] = "[2 +/- 0.5]"
END
for name in delta low high tiny negative norm r refuted text; do
    checked 1 "beyond the slack: $name" $name
done

# Two means that are 2^-7216.3 apart, whose quotients keep odd depths over even ones when they are reduced
# (tests/recheck/sign_of_square.c, test_stride), and two that are 2^-6493.9 apart, which the forger shows.
first='[1,0,1],[1,-1,1],[1,-2,0],[1,-2,0],[1,-2,0],[1,-3,1],[1,-3,0],[1,-3,0],[1,-4,1],[1,-4,0],[1,-5,0],[1,-5,0]'
second='[1,0,2],[1,-1,1],[1,-2,0],[1,-3,1],[1,-4,0]'
echo '{"format": "attest/dataset", "version": 1,
 "sequences": [['$first'], ['$first',[1,-5000,1]], ['$second'], ['$second',[1,-4500,2]]]}' >data.json
cat >w.json <<'END'
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [[1, 0, 0]], "WK": [[0, 1, 0]], "WV": [[0, 0, 1]], "WO": [[0], [0], [1]]}]}
END
"$ATTEST" certify data.json --weights w.json -o true.json >"$out" 2>"$err"
result $? "certified: quotients whose numerator alone has odd depths"
alter <<'END'
shown: o.update(delta="1/%d" % 2**7000, pair=[[2, 0], [3, 0]], min_separation={"mid": "0x1.13342c97dc130aa78173cdc0cf691a64p-6494", "rad": "0x1.3b88f3c8p-6621"})
below: o["delta"] = "1/%d" % 2**7217
above: o["delta"] = "1/%d" % 2**7216
END
bits=32768
checked 0 "its certificate holds" true
checked 0 "a delta below the separation" below
checked 1 "a delta above the separation" above
checked 1 "a delta above the separation, and another pair" shown
finish
