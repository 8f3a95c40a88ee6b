#!/bin/sh
# Campaigns as a user runs them: the same for any number of jobs and shards, resumed after kills,
# refused where they must be.
. "$srcdir/tests/cli/lib.sh"

# same A B: two reports are equal except for the two fields that may change.
same() {
    python3 - "$1" "$2" <<'END' 2>>"$err"
import json, sys
def load(path):
    report = json.load(open(path))
    for p in report["properties"]:
        del p["seconds"], p["trials_per_second"]
    return report
sys.exit(load(sys.argv[1]) != load(sys.argv[2]))
END
}

set="theorem1 theorem1-search lemma1 lemma_f"
# shellcheck disable=SC2086
{
    run 0 "one job" campaign $set --trials 600 --jobs 1 --out "$work/one" --json
    json 'o["seed"] == "0x1" and [p["verdict"] for p in o["properties"]] == ["held", "violated", "held", "held"]'
    json 'all(p["trials"] == p["passed"] + p["failed"] + p["discarded"] + p["undecided"] for p in o["properties"])'
    json 'o["properties"][1]["counterexamples"] == ["theorem1-search.1.json"] and o["counterexample"]["format"] == "attest/counterexample"'
    json 'o["properties"][2]["tightest"]["file"] == "lemma1.tightest.json"'
    cmp -s "$out" "$work/one/report.json"
    result $? "report.json is equal to the output of --json"
    run 0 "three jobs" campaign $set --trials 600 --jobs 3 --out "$work/three"
    same "$work/one/report.json" "$work/three/report.json"
    result $? "give the same report"
    for file in theorem1-search.1.json lemma1.tightest.json lemma_f.tightest.json; do
        cmp -s "$work/one/$file" "$work/three/$file"
        result $? "and the same $file"
    done
    for k in 1 2 3; do
        "$ATTEST" campaign $set --trials 600 --shard $k/3 --out "$work/shard$k" >"$out" 2>"$err"
    done
}
run 0 "merge" campaign merge "$work/shard2" "$work/shard3" "$work/shard1" -o "$work/whole" --json
cmp -s "$out" "$work/whole/report.json"
result $? "prints the report"
same "$work/one/report.json" "$work/whole/report.json"
result $? "which is that of one campaign"
cmp -s "$work/one/theorem1-search.1.json" "$work/whole/theorem1-search.1.json"
result $? "with its counterexample"
refused "a shard is missing" campaign merge "$work/shard1" "$work/shard3" -o "$work/no"
refused "a shard twice" campaign merge "$work/shard1" "$work/shard1" "$work/shard2" "$work/shard3" -o "$work/no"
refused "another campaign" campaign merge "$work/shard1" "$work/one" -o "$work/no"
refused "a directory that is taken" campaign merge "$work/shard1" "$work/shard2" "$work/shard3" -o "$work/one"
refused "no directory" campaign merge "$work/nothing" -o "$work/no"
[ ! -e "$work/no" ]
result $? "nothing is left of that"

run 1 "replay" replay "$work/one/theorem1-search.1.json"
shows 'the violation is confirmed'
shows '^  exact$'
run 0 "replay of a value that holds" replay "$work/one/lemma1.tightest.json"
run 1 "replay, JSON" replay "$work/one/theorem1-search.1.json" --json
json 'o["replays"][0]["reproduced"] and [s["name"].split(",")[0] for s in o["replays"][0]["systems"]] == ["exact", "ball", "mpfr", "double"]'
json 'all(s["equal"] for s in o["replays"][0]["systems"])'
json 'o["replays"][0]["systems"][2]["outputs"] == o["replays"][0]["systems"][3]["outputs"]'
"$ATTEST" counterexample --heads 2 --dim 3 -o "$work/c.json" >"$out" 2>"$err"
run 1 "replay of a construction" replay "$work/c.json"
refused "replay of something else" replay "$srcdir/examples/softmax.json"

refused "a directory that contains a campaign" campaign theorem1 --out "$work/one"
# shellcheck disable=SC2086
refused "resume with another seed" campaign $set --trials 600 --seed 2 --out "$work/one" --resume
refused "resume with other properties" campaign lemma1 --trials 600 --out "$work/one" --resume
# shellcheck disable=SC2086
refused "resume with another setting" campaign theorem1 --without collinear --out "$work/one" --resume
refused "an unknown property" campaign nonsense
refused "a property twice" campaign lemma1 lemma1
refused "an unknown hypothesis" campaign theorem1 --without nonsense
complains 'no-mask, uniform-ties, collinear'
refused "an unknown arithmetic" campaign contextual --number decimal
refused "no bits" campaign contextual --number mpfr
refused "a property without arithmetic" campaign theorem1 --number double
refused "shard 0" campaign theorem1 --shard 0/3
refused "shard 4/3" campaign theorem1 --shard 4/3
refused "resume nothing" campaign theorem1 --resume
refused "a bad time" campaign theorem1 --time soon
run 1 "without a hypothesis" campaign theorem1 --without collinear --json
json 'o["properties"][0]["verdict"] == "violated" and o["without"] == "collinear"'
run 1 "against 11 bits" campaign contextual --number mpfr --bits 11 --out "$work/bits"
run 1 "replay against 11 bits" replay "$work/bits/contextual.1.json" --json
json 'o["replays"][0]["systems"][1]["name"] == "mpfr, p=11, RNDN" and o["replays"][0]["systems"][1]["equal"] and not o["replays"][0]["systems"][0]["equal"]'
run 0 "TAP" campaign lemma1 --tap
shows '^ok 1 - lemma1: held'
run 0 "JUnit" campaign lemma1 --junit "$work/junit.xml"
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1]).getElementsByTagName("testcase")[0]' "$work/junit.xml" 2>>"$err"
result $? "JUnit XML is XML"
run 0 "observed" campaign lemma1 theorem1-search --trials 100 --observe --out "$work/seen"
python3 - "$work/seen/observations.jsonl" <<'END' 2>>"$err"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
fields = {"type", "status", "status_reason", "representation", "arguments", "how_generated",
          "features", "coverage", "timing", "metadata", "property", "run_start"}
assert all(set(line) == fields and line["type"] == "test_case" for line in lines)
assert sum(line["property"] == "lemma1" for line in lines) == 100
assert [line["status"] for line in lines if line["property"] == "theorem1-search"][-1] == "failed"
END
result $? "every trial is observed"
# the same lines, in the same order, from a campaign that was cut short and went on
mkdir "$work/cut"
size=$(wc -c <"$work/seen/journal")
for part in 2 3; do
    head -c $((size * part / 4)) "$work/seen/journal" >"$work/cut/journal"
    "$ATTEST" campaign lemma1 theorem1-search --trials 100 --observe --out "$work/cut" --resume >"$out" 2>"$err"
    for directory in seen cut; do
        sed 's/"timing": {[^}]*}//; s/"run_start": [0-9]*//' "$work/$directory/observations.jsonl" >"$work/$directory.lines"
    done
    [ -s "$work/cut.lines" ] && cmp -s "$work/seen.lines" "$work/cut.lines"
    result $? "observations of a resumed campaign stand where they did"
    find "$work/cut" -name 'observations.*' | grep -qv 'jsonl$'
    [ $? -ne 0 ]
    result $? "and nothing is left beside them"
    rm "$work/cut"/*
done
ln -s ../elsewhere "$work/cut/lock"
run 4 "a lock that leads elsewhere" campaign lemma1 --trials 10 --out "$work/cut"
complains 'its file lock is a symbolic link: remove it$'
[ ! -e "$work/elsewhere" ]
result $? "which nothing is made of"
refused "nowhere to observe to" campaign lemma1 --observe
mkdir "$work/corpus"
cp "$srcdir/tests/corpus/theorem1-search-least.json" "$work/corpus"
run 0 "a corpus that is as expected" campaign lemma1 --trials 10 --corpus "$work/corpus"
sed -i 's/"expect": "violated"/"expect": "held"/' "$work/corpus/theorem1-search-least.json"
run 1 "a corpus that is not" campaign lemma1 --trials 10 --corpus "$work/corpus" --out "$work/tested" --junit "$work/tested.xml"
shows '^lemma1: held after 10 trials'
shows '^failed: .*/corpus/theorem1-search-least.json: violated, held is expected: '
shows '^1 held, 0 violated as expected, 1 failed; exit 1$'
grep -q '^1\.\.2$' "$work/tested/report.tap" && grep -q '^not ok 2 - .*/theorem1-search-least.json: violated, held is expected$' "$work/tested/report.tap"
result $? "is a test, in TAP"
grep -q 'tests="2" failures="1" errors="0"' "$work/tested.xml" && cmp -s "$work/tested.xml" "$work/tested/report.xml"
result $? "and in JUnit"
cp "$work/tested/report.json" "$out"
json '[(c["property"], c["expect"], c["verdict"], c["as_expected"]) for c in o["corpus"]] == [("theorem1-search", "held", "violated", False)] and o["summary"]["failed"] == 1 and o["summary"]["held"] == 1'
"$ATTEST" report "$work/tested" --tap -o "$work/tested.html" >"$out" 2>"$err"
shows '^not ok 2 - .*theorem1-search-least.json violated$'
grep -q 'theorem1-search-least.json' "$work/tested.html"
result $? "and on the page"
run 1 "and beside merged shards" campaign merge "$work/shard1" "$work/shard2" "$work/shard3" -o "$work/with" --corpus "$work/corpus" --json
json '[c["as_expected"] for c in o["corpus"]] == [False] and o["summary"]["failed"] == 1'
sed -i 's/"expect": "held"/"expect": "neither"/' "$work/corpus/theorem1-search-least.json"
refused "a corpus that expects an unknown verdict" campaign lemma1 --trials 10 --corpus "$work/corpus"
complains 'expect: "held" or "violated" is expected, this is "neither"$'
run 0 "by time" campaign lemma1 --time 0.3 --json
json 'o["properties"][0]["trials"] >= 64 and o["properties"][0]["trials"] % 64 == 0'
run 4 "a disk that is full" campaign lemma1 --out /dev/full/campaign

# Kills at random moments: what was acknowledged stays, and the report is that of a campaign that was
# never interrupted. ATTEST_KILLS is their number.
kills=${ATTEST_KILLS:-12}
"$ATTEST" campaign lemma1 theorem1 --trials 6000 --out "$work/calm" >"$out" 2>"$err"
python3 - "$ATTEST" "$work/hunted" "$kills" >"$out" 2>"$err" <<'END'
import os, random, signal, subprocess, sys, time
attest, directory, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(1)
command = [attest, "campaign", "lemma1", "theorem1", "--trials", "6000", "--out", directory, "--resume"]
journal, before, done, restarts = directory + "/journal", b"", 0, 0
while done < kills:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(random.uniform(0.0, 0.06))
    process.send_signal(signal.SIGKILL)
    message = process.communicate()[1]
    if process.returncode == 0:  # it had finished: begin anew
        restarts += 1
        for name in os.listdir(directory):
            os.remove(directory + "/" + name)
        before = b""
        continue
    assert process.returncode == -9, (process.returncode, message)
    done += 1
    now = open(journal, "rb").read() if os.path.exists(journal) else b""
    # A record that was whole before is there still, in its place.
    assert now.startswith(before), "a record was lost"
    whole = now.rfind(b"\nattest-record ")
    before = now[:whole + 1] if whole >= 0 else b""
print(done, "kills,", restarts, "campaigns finished meanwhile")
END
result $? "killed again and again: $(cat "$out")"
run 0 "and resumed" campaign lemma1 theorem1 --trials 6000 --out "$work/hunted" --resume
same "$work/calm/report.json" "$work/hunted/report.json"
result $? "gives the report of one that was not"
finish
