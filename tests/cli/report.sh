#!/bin/sh
# attest report: a page from records, the same bytes each time, whatever their names are.
. "$srcdir/tests/cli/lib.sh"
SOURCE_DATE_EPOCH=1700000000
export SOURCE_DATE_EPOCH

check() { # page, drawings...: the page is valid
    python3 "$srcdir/tests/report/check-html.py" "$@" >"$out" 2>"$err"
}

python3 "$srcdir/tests/report/make-records.py" "$work/records"
run 0 "a page" report "$work/records" -o "$work/page.html" --svg "$work/plots" --junit "$work/junit.xml"
shows '^audit +audit-tuned.json$'
shows '^campaign +night/report.json$'
shows '^ignored +notes.txt: not a JSON file$'
shows '^ignored +other.json: not a record that a report shows$'
shows '^ignored +other.csv: not a table that a report shows$'
shows '^approximate +table.csv$'
shows '^ignored +weights.json: data or weights, not a result$'
check "$work/page.html" "$work"/plots/*.svg
result $? "it is valid, and so are its plots"
for plot in collapse-curve-1 collision-curve-1 theory-bits collision-map errors-1 stages-3 algorithms-2 fast-path-2 \
    campaign-trials-1 campaign-margins-1 approximation-1 approximation-2 approximation-3; do
    [ -s "$work/plots/$plot.svg" ] && grep -q "id=\"$plot\"" "$work/page.html"
    result $? "the plot $plot"
done

# names from files are escaped everywhere
! grep -qiE '<(script|img)' "$work"/plots/*.svg "$work/junit.xml" && ! grep -qi '<img' "$work/page.html" &&
    [ "$(grep -ci '<script' "$work/page.html")" = 1 ]
result $? "no name became markup"
grep -q 'dataset &lt;/title&gt;&lt;/svg&gt;&lt;script&gt;alert(&#39;x&#39;)' "$work/page.html"
result $? "the hostile name of the dataset is shown"
! LC_ALL=C grep -q "$(printf '[\001-\010\013\014\016-\037]\|\342\200\256')" "$work/page.html"
result $? "no control character is left, and none that turns text"
grep -q '2023-11-14' "$work/page.html"
result $? "the date is that of SOURCE_DATE_EPOCH"
grep -q '642' "$work/plots/theory-bits.svg" && ! grep -qE '[0-9]{40}' "$work"/plots/*.svg
result $? "large exponents are drawn and never expanded"

grep -q '<th scope="row">side gap</th>' "$work/page.html" && grep -q '<th scope="row">audit-tuned</th>' "$work/page.html"
result $? "constructions side by side are told apart"

[ "$(wc -c <"$work/page.html")" -lt 800000 ] && grep -q '7\.\.\. (100000 bytes)' "$work/page.html"
result $? "a number of 100 000 digits is shown by its beginning"

# nothing is left out in silence
mkdir -p "$work/empty" "$work/deep/1/2/3/4/5/6/7/8"
run 0 "no records" report "$work/empty"
shows '^no page without -o OUT.html: 0 records, 0 plots$'
run 0 "eight directories deep" report "$work/deep"
mkdir "$work/deep/1/2/3/4/5/6/7/8/9"
refused "nine directories deep" report "$work/deep"
complains "^attest: $work/deep: 1/2/3/4/5/6/7/8/9: directories more than 8 deep"

# an unbounded bin has no end; a record without a pair has no marked pair
grep -q 'error in ulp: 1 below 2^−7<' "$work/plots/fast-path-1.svg" &&
    grep -q 'bound / error: 1 from 2^13 on<' "$work/plots/fast-path-1.svg" &&
    grep -q '<td class="number">∞</td>' "$work/page.html"
result $? "open bins of a histogram are open"
grep -q '>error in ulp</text>' "$work/plots/fast-path-1.svg" && grep -q '>bound / error</text>' "$work/plots/fast-path-1.svg"
result $? "and their names are whole"
"$ATTEST" report "$srcdir/tests/corpus" -o "$work/corpus.html" >/dev/null 2>"$err"
grep -q '<caption>The tokens</caption>' "$work/corpus.html" && grep -q 'The tokens; .* marks the pair' "$work/corpus.html" &&
    ! grep -q 'seed <' "$work/corpus.html"
result $? "a pair is spoken of where there is one, and a seed"

# the same bytes, wherever the records are
cp -R "$work/records" "$work/again"
(cd "$work/again" && "$ATTEST" report . -o ../again.html) >/dev/null 2>"$err"
cmp -s "$work/page.html" "$work/again.html"
result $? "the same records make the same bytes"
for i in 1 2; do
    "$ATTEST" report "$work/again" -o "$work/again/page.htm" --svg "$work/again/night/svg" --junit "$work/again/junit.json" >/dev/null 2>"$err"
    mv "$work/again/page.htm" "$work/again$i.html"
    : >"$work/again/page.htm"
done
cmp -s "$work/page.html" "$work/again1.html" && cmp -s "$work/page.html" "$work/again2.html"
result $? "also where earlier products lie among them"
"$ATTEST" report "$work/records" -o - >"$work/stdout.html" 2>"$err"
cmp -s "$work/page.html" "$work/stdout.html"
result $? "and so on standard output"

run 0 "as JSON" report "$work/records" --json
json 'len(o["records"]) == 15 and len(o["ignored"]) == 4 and o["page"] is None'
json '{r["kind"] for r in o["records"]} == {"audit", "campaign", "certificate", "construct", "counterexample", "judge", "memorize", "approximate"}'
json 'any(r["path"] == "a <b> & '"\\'c\\'"' \".json" for r in o["records"])'
run 0 "as TAP" report "$work/records" --tap
[ "$(grep -c '^ok' "$out")" -eq 6 ] && [ "$(grep -c '^not ok' "$out")" -eq 3 ] && [ "$(head -n 1 "$out")" = 1..9 ]
result $? "six pass; a violation, an undecided property and a wrong output do not"
shows '^not ok .*lemma1 undecided$'
shows '^not ok .*masked violated, replay masked.1.json$'
python3 -c '
import sys, xml.etree.ElementTree as t
r = t.parse(sys.argv[1]).getroot()
c = list(r.iter("testcase"))
sys.exit(not (len(c) == 9 and sum(x.find("failure") is not None for x in c) == 3 and any("onerror" in x.get("name") for x in c)))' "$work/junit.xml" 2>"$err"
result $? "JUnit contains the same"

# records of attest 0.2.0: a summary without "tests", or no summary
mkdir "$work/earlier"
property='"as_expected": true, "trials": 10, "passed": 9, "failed": 1'
echo '{"format": "attest/campaign-report", "version": 1, "without": "gap", "properties": [{"name": "a", "verdict": "violated", '"$property"'},
    {"name": "b", "verdict": "held", "as_expected": true, "trials": 10}],
    "summary": {"held": 1, "violated_as_expected": 1, "failed": 0, "undecided": 0, "not_run": 0}}' >"$work/earlier/without.json"
echo '{"format": "attest/campaign-report", "version": 1, "properties": [{"name": "a", "verdict": "violated", '"$property"'},
    {"name": "b", "verdict": "held", "as_expected": false, "trials": 10}, {"name": "c", "verdict": "undecided", "trials": 10}]}' >"$work/earlier/stated.json"
run 0 "records of an earlier version" report "$work/earlier" -o "$work/earlier.html"
grep -q '>2<.*properties were tested without gap' "$work/earlier.html" && grep -q '>3<.*properties were tested' "$work/earlier.html" &&
    ! grep -qE '>[0-9]+ of [0-9]+<|as stated' "$work/earlier.html"
result $? "their cards show the number of properties alone"

# directories without records, and with other files
mkdir "$work/empty"
run 0 "an empty directory" report "$work/empty" -o "$work/empty.html"
check "$work/empty.html"
result $? "its page is valid"
refused "no such directory" report "$work/nowhere" -o "$work/none.html"
refused "a file" report "$work/page.html" -o "$work/none.html"
mkdir "$work/bad"
echo '{"format": "attest/audit", "version": 1,' >"$work/bad/cut.json"
refused "bad JSON" report "$work/bad" -o "$work/none.html"
complains 'cut\.json: '
echo 'function,d,n,grid,l1_low,l1_high,l1_bound,l2_low,l2_high,l2_bound,units' >"$work/bad/cut.csv"
echo 'sum,1,2,3' >>"$work/bad/cut.csv"
mv "$work/bad/cut.json" "$work/cut.json"
refused "a table that is cut" report "$work/bad" -o "$work/none.html"
complains 'cut\.csv: line 2: '
rm "$work/bad/cut.csv"
echo '{"format": "attest/audit", "version": 2, "formats": []}' >"$work/bad/cut.json"
refused "an unknown version" report "$work/bad" -o "$work/none.html"
[ ! -e "$work/none.html" ]
result $? "nothing was written"
refused "TAP and JSON at once" report "$work/records" --tap --json
"$ATTEST" report "$work/records" -o "$work/nowhere/page.html" >"$out" 2>"$err"
[ $? -eq 4 ]
result $? "a page that cannot be written: $(cat "$err")"

# records that hold something else than they should: shown as far as they go
mkdir "$work/odd"
for value in null '[]' '{}' '"x"' 1e400 -3 '[[[]]]' '{"log2": "nan"}' '[{"bits": 3}]' '[null, 7]'; do
    i=$((i + 1))
    for key in formats collapse certified theory kernel algorithms constructions collapse_bits theory_bits; do
        echo "{\"format\": \"attest/audit\", \"version\": 1, \"formats\": [{\"name\": \"p=3\"}, 5], \"x\": 1, \"$key \": 0, \"$key\": $value}" |
            sed "s/\"formats\": \[{\"name\": \"p=3\"}, 5\], \(.*\"formats\":\)/\1/" >"$work/odd/audit-$key-$i.json"
    done
    echo "{\"seed\": $value, \"properties\": [$value, {\"name\": \"a\", \"tightest\": $value, \"labels\": $value, \"counterexamples\": $value, \"trials\": $value}]}" >"$work/odd/campaign-$i.json"
    echo "{\"property\": $value, \"violates\": {\"pair\": $value}, \"dataset\": {\"sequences\": $value}, \"parameters\": $value}" >"$work/odd/counterexample-$i.json"
    echo "{\"claim\": 1, \"verdict\": $value, \"min_separation\": $value, \"pair\": $value, \"inputs\": $value}" >"$work/odd/certificate-$i.json"
    echo "{\"function\": \"f\", \"grid\": $value, \"l1\": $value, \"l2\": 0}" >"$work/odd/approximate-$i.json"
done
run 0 "odd values" report "$work/odd" -o "$work/odd.html" --svg "$work/odd-plots"
check "$work/odd.html" "$work"/odd-plots/*.svg
result $? "their page is valid: $(head -n 3 "$out" | tr '\n' ' ')"

# the checker of HTML finds planted errors
breaks() { # description, sed script
    sed "$2" "$work/page.html" >"$work/broken.html"
    ! cmp -s "$work/page.html" "$work/broken.html" && ! check "$work/broken.html"
    result $? "the checker sees $1"
}
breaks "an open tag" '0,/<\/p>/s/<\/p>//'
breaks "text that is not escaped" '0,/&lt;/s/&lt;/</'
breaks "an id twice" 's/id="theory"/id="summary"/'
breaks "an element that a report does not have" '0,/<main /s//<script>1<\/script><main /'
breaks "an attribute that a report does not have" '0,/<main /s//<main onclick="x" /'
breaks "a changed style" 's/margin:0;/margin:1px;/'
breaks "a lost description" '0,/<desc /s/<desc [^<]*<\/desc>//'
breaks "a row of other length" '0,/<td class="number">/s/<td class="number">[^<]*<\/td>//'
finish
