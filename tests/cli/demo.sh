#!/bin/sh
# attest demo: the tour runs, and its files are there.
. "$srcdir/tests/cli/lib.sh"

run 0 "the tour" demo -o "$work/tour"
shows '^\$ attest eval .*universal-pair.json --weights .*hardmax.json$'
[ -f "$work/tour/universal-pair.json" ] && [ -f "$work/tour/hardmax.json" ]
result $? "the files are in the folder it names"
run 0 "hardmax once more" eval "$work/tour/universal-pair.json" --weights "$work/tour/hardmax.json" --json
json 'o["outputs"][0][0] == o["outputs"][1][0] and o["outputs"][0][3] == o["outputs"][1][3]'
json 'o["outputs"][0][1] != o["outputs"][1][1]'
run 0 "the tour as JSON" demo -o "$work/tour" --json
json '[s["exit"] for s in o["steps"]] == [0, 1, 0, 0] and o["folder"].endswith("tour")'
run 0 "a second tour into the same folder" demo -o "$work/tour"
"$ATTEST" demo -o "$work/tour/hardmax.json/x" >"$out" 2>"$err"
[ $? -eq 4 ]
result $? "a folder that cannot be made: $(cat "$err")"
finish
