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
# checked CODES DESCRIPTION NAME: `attest check` ends with one of these exit codes.
checked() {
    "$ATTEST" check --max-bits 4096 "$3.json" >"$out" 2>"$err" </dev/null
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
finish
