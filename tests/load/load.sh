#!/bin/sh
# Properties in a shared object of the user: violations are found, shrunk and replayed, crashes survived,
# also with shards and --resume.
. "$srcdir/tests/cli/lib.sh"

own=$builddir/tests/load/.libs/own-property.so
bad=$builddir/tests/load/.libs/bad-properties.so
if [ ! -f "$own" ]; then
    echo "1..0 # SKIP shared objects are not built here"
    exit 0
fi
# Two reports are equal except for the fields that may change: on a machine that has other things to do a
# call may seem to hang, and its chunk is run again under guard.
same() {
    python3 - "$1" "$2" <<'END' 2>>"$err"
import json, sys
def load(path):
    report = json.load(open(path))
    for p in report["properties"]:
        del p["seconds"], p["trials_per_second"], p["deaths"]
    return report
sys.exit(load(sys.argv[1]) != load(sys.argv[2]))
END
}

run 0 "the example" campaign --load "$own" --json
json '[(p["name"], p["verdict"]) for p in o["properties"]] == [("own-order", "held"), ("own-search", "violated")]'
run 0 "one of its properties beside a built-in one" campaign lemma1 own-order --load "$own" --trials 100 --json
json 'len(o["properties"]) == 2 and o["summary"]["held"] == 2'
ATTEST_LOAD=$own
export ATTEST_LOAD
run 0 "named by the environment" campaign own-order --trials 100
unset ATTEST_LOAD

limits="--timeout 0.4 --trials 200 --load $bad"
# shellcheck disable=SC2086
{
    run 1 "properties that fail, crash and hang" campaign fails crashes hangs $limits --out "$work/one" --json
    json '[p["verdict"] for p in o["properties"]] == ["violated"] * 3 and o["summary"]["failed"] == 3'
    json '"signal 11" in o["properties"][1]["reason"] or "exit code" in o["properties"][1]["reason"]'
    json 'o["properties"][2]["reason"] == "no answer within 0.4 seconds"'
}
cat >"$work/values.py" <<'END'
import json, sys
file = json.load(open(sys.argv[1]))
assert file["property"] == sys.argv[2] and len(file["object"]) == 64, file
print(file["parameters"]["x"], file["violates"]["definition"])
END
# Every theft library shrinks violations; only the built-in engine shrinks crashes and hangs to the end.
least=9901
"$ATTEST" --version | grep -q '^theft: builtin' || least='99[0-9][0-9]'
for name in fails crashes hangs; do
    case $name in fails) expected='9101 at-most-9000' ;; crashes) expected="$least crash" ;; *) expected="$least hang" ;; esac
    python3 "$work/values.py" "$work/one/$name.1.json" $name 2>"$err" | grep -qx "$expected"
    result $? "$name: shrunk to $expected; the file names property and object"
    run 1 "$name: replayed" replay "$work/one/$name.1.json" --load "$bad" --timeout 0.5
    shows 'the violation is confirmed'
done
run 0 "something to replay" campaign own-search --load "$own" --out "$work/needed"
sed '/"heads"/,/parameters/ s/"WV": \[\["[^"]*"/"WV": [["0"/' "$work/needed/own-search.1.json" >"$work/mended.json"
run 0 "a value that no longer violates its definition" replay "$work/mended.json" --load "$own"
shows 'it holds that'
refused "a replay without the object" replay "$work/one/fails.1.json"
complains '--load FILE.so'
cp "$bad" "$work/changed.so"
printf x >>"$work/changed.so"
run 1 "a replay by a changed object" replay "$work/one/fails.1.json" --load "$work/changed.so"
complains 'found by another object'

# shellcheck disable=SC2086
{
    for k in 1 2 3; do
        "$ATTEST" campaign fails crashes hangs $limits --shard $k/3 --out "$work/shard$k" >"$out" 2>"$err"
    done
    run 1 "merged shards" campaign merge "$work/shard1" "$work/shard2" "$work/shard3" -o "$work/whole" --load "$bad"
    same "$work/one/report.json" "$work/whole/report.json"
    result $? "give the same report"
    refused "shards without their object" campaign merge "$work/shard1" "$work/shard2" "$work/shard3" -o "$work/no"
    "$ATTEST" campaign fails crashes hangs $limits --out "$work/killed" >"$out" 2>"$err" &
    process=$!
    sleep 0.5
    kill -KILL $process
    wait $process 2>/dev/null
    run 1 "killed and resumed" campaign fails crashes hangs $limits --out "$work/killed" --resume
    same "$work/one/report.json" "$work/killed/report.json"
    result $? "give the same report"
    refused "resumed with another object" campaign fails crashes hangs --timeout 0.4 --trials 200 --load "$work/changed.so" --out "$work/killed" --resume
}
# A property that is not violated a second time, and a search that finds nothing.
tap_and_junit() { # a line of TAP, numbers of JUnit
    grep -q "$1" "$work/told/report.tap" && grep -q "$2" "$work/told/report.xml"
    result $? "TAP has $1, JUnit $2"
    "$ATTEST" report "$work/told" --tap >"$out" 2>"$err"
    grep -q "${1%%:*}" "$out"
    result $? "and so has attest report"
}
run 1 "a flaky property" campaign flaky holds-default --load "$bad" --out "$work/told"
shows '^flaky: flaky after [0-9]* trials: violated, and not when decided again, 1 failed'
shows '^flaky: flaky: trial [0-9]*: x was 9[0-9]*$'
shows '^1 held, 0 violated as expected, 0 failed, 1 flaky; exit 1$'
tap_and_junit '^not ok 1 - .*flaky' 'tests="2" failures="1" errors="0"'
run 0 "on a page" report "$work/told" -o "$work/told.html"
grep -q '<span class="badge bad">[^<]*flaky</span>' "$work/told.html"
result $? "its verdict is marked as bad"
cp "$work/told/report.json" "$out"
json 'o["summary"] == dict(held=1, violated_as_expected=0, failed=0, flaky=1, undecided=0, not_run=0, confirmed=1, tests=2, trials=sum(p["trials"] for p in o["properties"]), exit=1)'
json '[(p["verdict"], p["as_expected"], p["failed"]) for p in o["properties"]] == [("flaky", False, 1), ("held", True, 0)]'
json 'o["properties"][0]["reason"].startswith("x was 9") and o["properties"][0]["findings"][0]["flaky"]'
python3 "$work/values.py" "$work/told/flaky.1.json" flaky >"$out" 2>"$err"
grep -q "^$(sed -n 's/.*"reason": "x was \([0-9]*\)".*/\1/p' "$work/told/report.json" | head -n 1) at-most-9000$" "$out"
result $? "the file contains the instance of the reason: $(cat "$out")"
run 1 "resumed, it is flaky still" campaign flaky holds-default --load "$bad" --out "$work/told" --resume --json
json 'o["properties"][0]["verdict"] == "flaky"'
for k in 1 2; do
    "$ATTEST" campaign flaky holds-default --load "$bad" --shard $k/2 --out "$work/flaky$k" >"$out" 2>"$err"
done
run 1 "and merged" campaign merge "$work/flaky1" "$work/flaky2" --load "$bad" -o "$work/flaky" --json
json 'o["properties"][0]["verdict"] == "flaky" and o["summary"]["flaky"] == 1'
rm -r "$work/told"
run 0 "too few trials for a search" campaign finds-nothing --trials 99 --load "$bad" --out "$work/told"
shows '^finds-nothing: skipped: no violation was found in 99 trials, which are too few for a search [(]100 by default[)]'
shows '^0 held, 0 violated as expected, 0 failed, 1 not run; exit 0$'
tap_and_junit '^ok 1 - .*finds-nothing.* # SKIP' 'failures="0" errors="0" skipped="1"'
rm -r "$work/told"
run 1 "enough trials for a search" campaign finds-nothing --load "$bad" --out "$work/told"
shows '^failed: finds-nothing: no violation was found, and one is expected$'
tap_and_junit '^not ok 1 - .*finds-nothing' 'failures="1" errors="0"'

run 0 "the number of trials of a property, or 1000" campaign holds-77 holds-default --load "$bad" --json
json '[p["passed"] for p in o["properties"]] == [77, 1000]'
run 3 "a generator that crashes" campaign generator-crashes --trials 300 --load "$bad" --json
json 'o["properties"][0]["undecided"] > 0 and o["properties"][0]["passed"] > 250'
case $("$ATTEST" --version)$CFLAGS in
*sanitize*) ;;
*)
    run 0 "a property that leaks" campaign leaks --trials 100 --worker-memory 300M --load "$bad" --json
    json 'o["properties"][0]["passed"] == 100 and len(o["properties"][0]["deaths"]) > 0'
    ;;
esac

refused "no such object" campaign --load "$work/none.so"
echo 'int x;' >"$work/empty.c"
$CC -shared -fPIC -o "$work/empty.so" "$work/empty.c"
refused "an object without properties" campaign --load "$work/empty.so"
complains 'ATTEST_LOAD'
echo 'int attest_nothing(void); int use(void); int use(void) { return attest_nothing(); }' >"$work/open.c"
$CC -shared -fPIC -o "$work/open.so" "$work/open.c"
refused "an object with an undefined symbol" campaign --load "$work/open.so"
complains 'attest_nothing'
echo 'struct { unsigned long a, b, c, d; void *p; } attest_loaded = {1, 8, 8, 8, 0};' >"$work/old.c"
$CC -shared -fPIC -o "$work/old.so" "$work/old.c"
refused "an object of another version" campaign --load "$work/old.so"
complains 'another version'
refused "data" campaign --load "$srcdir/examples/softmax.json"

run 0 "a file to begin with" campaign new mine -o "$work/mine.c"
refused "an existing file" campaign new mine -o "$work/mine.c"
refused "a bad name" campaign new 'a/b'
grep -q '\.name = "mine"' "$work/mine.c"
result $? "has the name"
finish
