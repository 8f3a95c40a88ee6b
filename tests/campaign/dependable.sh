#!/bin/sh
# What CI relies on: every property has its turn, every exit code its reason, and a campaign that is
# told to end can be gone on with.
. "$srcdir/tests/cli/lib.sh"

run 0 "all, in less time than they take" campaign all --time 0.2 --json
json 'all(p["trials"] > 0 for p in o["properties"])'
json 'all(p["verdict"] == "held" or (p["verdict"] == "violated" and p["expected"]) for p in o["properties"])'
json 'o["summary"] == dict(held=sum(p["verdict"] == "held" for p in o["properties"]), violated_as_expected=sum("expected" in p for p in o["properties"]), failed=0, flaky=0, undecided=0, not_run=0, confirmed=len(o["properties"]), tests=len(o["properties"]), trials=sum(p["trials"] for p in o["properties"]), exit=0)'

for property in theorem1-search separatedness-search; do
    run 0 "$property, cut short" campaign $property --trials 1 --junit "$work/j.xml"
    shows "^$property: violated, as expected, by the stored witness, replayed [(]1 trials were too few to find one[)]"
    shows '^0 held, 1 violated as expected, 0 failed; exit 0$'
    grep -q 'failures="0" errors="0"' "$work/j.xml"
    result $? "is no failure"
done
run 0 "a search that finds" campaign theorem1-search lemma1 --trials 64
shows '^theorem1-search: violated, as expected, after '
shows '^1 held, 1 violated as expected, 0 failed; exit 0$'
run 1 "a statement without a hypothesis" campaign theorem1 --without collinear --out "$work/without"
shows '^failed: theorem1: hypothesis collinear is needed: counterexample found: trial '
shows '^0 held, 0 violated as expected, 1 failed; exit 1$'
grep -q '^not ok 1 - theorem1: violated after ' "$work/without/report.tap"
result $? "is not ok, in TAP"
grep -q 'tests="1" failures="1" errors="0"' "$work/without/report.xml"
result $? "and a failure in JUnit"
cp "$work/without/report.json" "$out"
json '[(p["verdict"], p["as_expected"], p["needed"]) for p in o["properties"]] == [("violated", False, "collinear")] and o["summary"]["failed"] == 1 and o["summary"]["exit"] == 1'
"$ATTEST" report "$work/without" --tap >"$out" 2>"$err"
shows '^not ok 1 '
# The work of a trial is bounded by counts: this one took 16 s, and a slow machine left it undecided.
run 0 "a trial with many terms" campaign contextual --seed 0x34ce1325c844920d --trials 1 --timeout 5
shows '^contextual: held after 1 trials'
run 0 "labels" campaign contextual-relations --trials 256
awk '/^  labels:/ { on = 1 } on && /^ / && length($0) > 80 { bad = 1 } /^[^ ]/ { on = 0 } END { exit bad }' "$out"
result $? "stay within 80 columns"

run 0 "a shard without a chunk" campaign lemma1 theorem1 --trials 64 --shard 7/64 --out "$work/empty" --json
json 'all(p["verdict"] == "not-run" and p["reason"] for p in o["properties"]) and o["summary"]["not_run"] == 2'
grep -q '^ok 1 - lemma1 # SKIP not run' "$work/empty/report.tap"
result $? "is skipped, in TAP"
grep -q 'failures="0" errors="0" skipped="2"' "$work/empty/report.xml"
result $? "and in JUnit"

# SIGTERM and SIGINT: the message names the journal and the command, which, as it is printed, goes on.
told() { # signal, trials: as soon as the program catches the signal and its journal is there
    rm -rf "$work/told"
    python3 - "$1" "$work/told" "$ATTEST" campaign lemma1 tuned --trials "$2" --out "$work/told" >"$out" 2>"$err" <<'END'
import os, re, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
process = subprocess.Popen(sys.argv[3:], preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
def listens():
    here = "/proc/%d/" % process.pid
    caught = re.search("^SigCgt:(.*)$", open(here + "status").read(), re.M)
    return os.readlink(here + "exe").endswith("/attest") and int(caught[1], 16) >> (number - 1) & 1
while process.poll() is None and not (os.path.exists(sys.argv[2] + "/journal") and listens()):
    time.sleep(0.001)
process.send_signal(number)
sys.exit(process.wait())
END
}
for signal in TERM INT; do
    trials=4000
    code=0
    while [ $code -eq 0 ] && [ $trials -lt 1000000000 ]; do # a fast machine was done before it was told
        trials=$((4 * trials))
        told $signal $trials
        code=$?
    done
    [ $code -eq 5 ] && grep -q "^attest: interrupted after [0-9]* trials, which are in $work/told/journal$" "$err"
    result $? "SIG$signal ends with exit code 5 ($code) and names the journal"
    [ ! -s "$out" ]
    result $? "SIG$signal leaves no report"
    command=$(sed -n 's/^attest: to go on: attest //p' "$err")
    # shellcheck disable=SC2086
    run 0 "the command that it prints" $command
    rm -rf "$work/calm"
    run 0 "a campaign without an interruption" campaign lemma1 tuned --trials $trials --out "$work/calm"
    cmp -s "$work/calm/lemma1.tightest.json" "$work/told/lemma1.tightest.json"
    result $? "has the same tightest instance"
done
"$ATTEST" campaign tuned --time 60 >"$out" 2>"$err" &
process=$!
# until it is the program itself, not a shell on the way to it, that catches SIGTERM (bit 14 of the mask)
caught='^SigCgt:.*[4567cdef][0-9a-f][0-9a-f][0-9a-f]$'
while kill -0 $process && ! { readlink /proc/$process/exe | grep -q '/attest$' && grep -q "$caught" /proc/$process/status; }; do
    sleep 0.05
done
kill -TERM $process
wait $process
code=$?
[ $code -eq 5 ] && grep -q -e '--out DIR would keep' "$err"
result $? "without a directory it prints that --out would keep the trials ($code)"

# A violation that is expected is not a failure.
run 0 "the tour" demo -o "$work/tour"
"$ATTEST" report "$work/tour" --tap >"$out" 2>"$err"
grep -q 'hardmax-certificate.json: contextual-mapping refuted, as expected' "$out" && ! grep -q '^not ok' "$out"
result $? "its TAP is green"
"$ATTEST" report "$work/tour" --junit "$work/tour.xml" -o "$work/tour.html" >"$out" 2>"$err"
! grep -q '<failure\|<error' "$work/tour.xml"
result $? "and its JUnit"
sed -i 's/refuted/proved/' "$work/tour/expected.json"
"$ATTEST" report "$work/tour" --tap >"$out" 2>"$err"
grep -q '^not ok .*hardmax-certificate.json' "$out"
result $? "which another expectation would not be"
finish
