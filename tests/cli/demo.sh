#!/bin/sh
# attest demo: the tour runs, writes its files, and its report shows every step.
. "$srcdir/tests/cli/lib.sh"

run 0 "the tour" demo -o "$work/tour"
shows '^\$ attest eval .*universal-pair.json --weights .*hardmax.json$'
shows '^verdict +refuted'
shows '^verdict +proved'
shows '^float8_e4m3fn +collapses'
shows '^tuned +8 +11 '
shows '^theorem1: violated'
shows '^float8_e4m3fn: outputs differ by up to .* of 496 pairs can no longer be told apart'
shows '^within: all 512 elements'
shows '^within if scores are not scaled: is the scale given to the kernel. .scale-missing.$'
shows '^page +.*tour/report.html, [0-9]+ records, [0-9]+ plots$'
[ -f "$work/tour/universal-pair.json" ] && [ -f "$work/tour/hardmax.json" ]
result $? "the files are in the directory it names"
python3 "$srcdir/tests/report/check-html.py" "$work/tour/report.html" >"$out" 2>"$err"
result $? "the report is valid"
for plot in collapse-curve-1 collision-curve-1 theory-bits collision-map errors-3 stages-3 fast-path-3 \
    campaign-trials-1 campaign-margins-1 approximation-1; do
    grep -q "<svg .*id=\"$plot\"" "$work/tour/report.html"
    result $? "it has the plot $plot"
done
grep -q 'id="words"' "$work/tour/report.html" && grep -q 'How far apart the outputs of a required pair must be' "$work/tour/report.html"
result $? "it explains its words"
run 0 "hardmax once more" eval "$work/tour/universal-pair.json" --weights "$work/tour/hardmax.json" --json
json 'o["outputs"][0][0] == o["outputs"][1][0] and o["outputs"][0][3] == o["outputs"][1][3]'
json 'o["outputs"][0][1] != o["outputs"][1][1]'
run 0 "the tour as JSON" demo -o "$work/tour" --json
json '[s["exit"] for s in o["steps"]] == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0] and o["folder"].endswith("tour")'
json 'o["report"].endswith("tour/report.html")'
run 0 "its certificate holds" check "$work/tour/softmax-certificate.json"
run 0 "its records as tests" report "$work/tour" --tap
[ "$(grep -c '^ok' "$out")" -ge 9 ] && ! grep -q '^not ok' "$out"
result $? "all are green"
python3 "$srcdir/examples/devil/line.py" "$srcdir/examples/devil/page.safetensors" 2>"$err" | cmp - "$srcdir/src/cli/demo_head.inc" >"$out" 2>&1
result $? "its head is that of the trained model"
run 0 "a second tour into the same directory" demo -o "$work/tour"
"$ATTEST" demo -o "$work/tour/hardmax.json/x" >"$out" 2>"$err"
[ $? -eq 4 ]
result $? "a directory that cannot be made: $(cat "$err")"
finish
