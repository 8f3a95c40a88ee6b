#!/bin/sh
# attest check while its dataset changes. The certificate has the hash of one dataset and claims
# what is true of another one only: whatever is read when, it must not hold.
. "$srcdir/tests/cli/lib.sh"
cd "$work" || exit 1

# Tokens 0 and 2 against 0 and 8, under a layer that is the identity. Both files have one size;
# for the large ones, which are mapped, the name is padded.
dataset() { # file, token, characters of padding
    { printf '{"format": "attest/dataset", "version": 1, "sequences": [[[0], [%s]]], "name": "' "$2"
      head -c "$3" /dev/zero | tr '\0' x
      printf '"}\n'; } >"$1"
}
cat >weights.json <<'END'
{"format": "attest/weights", "version": 1, "activation": "softmax",
 "heads": [{"WQ": [[1]], "WK": [[1]], "WV": [[0]], "WO": [[1]]}]}
END
# prepare PADDING: a.json, b.json, and forged.json of dataset.json, with the hash of a.json and
# the claim of b.json.
prepare() {
    dataset a.json 2 "$1"
    dataset b.json 8 "$1"
    cp b.json dataset.json
    "$ATTEST" certify dataset.json --weights weights.json --delta 7 -o true.json >"$out" 2>"$err"
    sed "s/$(sha256sum <b.json | cut -d ' ' -f 1)/$(sha256sum <a.json | cut -d ' ' -f 1)/" true.json >forged.json
    "$ATTEST" check true.json >"$out" 2>"$err" && ! cmp -s true.json forged.json
    result $? "the certificate holds for its own dataset ($1 bytes of padding)"
    "$ATTEST" check forged.json >"$out" 2>"$err"
    [ $? -eq 1 ]
    result $? "not with another hash"
    cp a.json dataset.json
    "$ATTEST" check forged.json >"$out" 2>"$err"
    [ $? -eq 1 ]
    result $? "not for the dataset of that hash"
}

# swapped HOW MOMENT...: how many of the runs in which a becomes b at this moment hold.
swapped() {
    how=$1
    shift
    held=
    for at in "$@"; do
        cp a.json dataset.json
        cp b.json contents.json
        SWAP_FILE=dataset.json SWAP_CONTENTS=contents.json SWAP_HOW=$how SWAP_AT=$at \
            LD_PRELOAD=$work/shim.so "$ATTEST" check forged.json >"$out" 2>"$err"
        code=$?
        [ $code -eq 0 ] || [ $code -gt 3 ] && held="$held $at"
    done
    [ -z "$held" ]
    result $? "$how at each of $# moments: held or broke at${held:- none}"
}

prepare 0
# Where the C library or a sanitizer does not let itself be preloaded, the race has to do.
# The file must in fact have changed: at moment 0, that is before the second call, it does.
cp a.json dataset.json
cp b.json contents.json
if $CC -shared -fPIC -O1 -o shim.so "$srcdir/tests/forge/swap-shim.c" >"$out" 2>"$err" &&
    SWAP_FILE=dataset.json SWAP_CONTENTS=contents.json SWAP_HOW=rename SWAP_AT=0 \
        LD_PRELOAD=$work/shim.so "$ATTEST" check forged.json >"$out" 2>"$err"; [ $? -le 3 ] &&
    cmp -s dataset.json b.json; then
    moments="$(seq 0 40) 50 70 100 200 400"
    # shellcheck disable=SC2086
    swapped rename $moments
    # shellcheck disable=SC2086
    swapped overwrite $moments
    prepare 17000000
    swapped rename $(seq 0 3 15)
    swapped overwrite $(seq 0 15)
else
    count=$((count + 1))
    echo "ok $count - moments # SKIP nothing can be preloaded"
fi

# The same without looking: another process swaps the contents back and forth.
prepare 0
cp b.json other.json
"$builddir/tests/forge/flip" dataset.json other.json &
flipper=$!
held=0
runs=${SWAP_RUNS:-60}
for _ in $(seq "$runs"); do
    "$ATTEST" check forged.json >"$out" 2>"$err" && held=$((held + 1))
done
kill $flipper
result $? "the contents were swapped all the time"
wait $flipper 2>"$err"
[ $held -eq 0 ]
result $? "in a race: $held of $runs runs hold"
finish
