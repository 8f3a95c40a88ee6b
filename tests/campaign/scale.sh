#!/bin/sh
# Shards in numbers: their state while they run, parts of them joined, one finding of many, recipes.
. "$srcdir/tests/cli/lib.sh"

part() { # shard, of: a part of the campaign, in the directory part$1
    "$ATTEST" campaign lemma1 theorem1-search --trials 256 --shard "$1/$2" --out "$work/part$1" --journal-only >"$out" 2>"$err"
}
part 1 4 && part 2 4 && part 4 4
result $? "three shards of four"
[ "$(ls "$work/part1" | tr '\n' ' ')" = "journal lock " ]
result $? "leave two files each"
refused "a shard is missing" campaign merge "$work"/part* -o "$work/no"
complains '--partial'
run 0 "the shards that are present" campaign merge "$work"/part* --partial -o "$work/some" --json
json 'o["partial"] and o["properties"][0]["trials"] == 192 and o["properties"][1]["trials"] < 64'
run 0 "goes on to the whole" campaign lemma1 theorem1-search --trials 256 --out "$work/some" --resume --json
json '"partial" not in o and o["properties"][0]["trials"] == 256'
part 3 4
run 0 "all of them" campaign merge "$work"/part* -o "$work/whole"
"$ATTEST" campaign lemma1 theorem1-search --trials 256 --out "$work/one" >"$out" 2>"$err"
for directory in some whole; do
    for file in lemma1.tightest.json theorem1-search.1.json; do
        cmp "$work/one/$file" "$work/$directory/$file" >"$out" 2>>"$err"
        result $? "$directory: $file is that of one run"
    done
done
cp -r "$work/part2" "$work/torn"
printf 'attest-record chunk 99' >>"$work/torn/journal"
run 4 "a record that is being written" campaign merge "$work/part1" "$work/torn" "$work/part3" "$work/part4" -o "$work/no"
run 0 "is left out of a part" campaign merge "$work/part1" "$work/torn" "$work/part3" "$work/part4" --partial -o "$work/torn-too"

run 0 "state of finished shards" campaign status "$work"/part1 "$work"/part2 "$work"/part3 "$work"/part4 --json
json 'o["total"]["folders"] == 4 and o["total"]["finished"] == 4 and o["total"]["running"] == 0'
json 'o["campaigns"][0]["properties"][0]["planned"] == 64 and o["total"]["trials"] == sum(c["trials"] for c in o["campaigns"])'
for k in 1 2; do
    "$ATTEST" campaign lemma1 --trials 100 --shard $k/2 --out "$work/uneven$k" --journal-only >"$out" 2>"$err"
done
run 0 "of shards of unequal size" campaign status "$work/uneven1" "$work/uneven2" --json
json '[p["planned"] - p["trials"] for c in o["campaigns"] for p in c["properties"]] == [0, 0] and o["total"]["trials"] == 100'
run 0 "of one that is there in part" campaign status "$work/torn"
shows 'finished, shard 2/4'
refused "of a directory without a campaign" campaign status "$work"
"$ATTEST" campaign tuned --time 60 --out "$work/long" >"$work/o" 2>"$work/e" &
process=$!
until [ "$({ wc -c <"$work/long/journal"; } 2>/dev/null || echo 0)" -gt 2000 ]; do sleep 0.1; done
run 0 "of a campaign that runs" campaign status "$work/long" --json
json "o['campaigns'][0]['state'] == 'running' and o['campaigns'][0]['process'] == $process and o['campaigns'][0]['trials'] > 0"
kill -TERM $process
wait $process
run 0 "and of one that was ended" campaign status "$work/long"
shows ': stopped, '

# One bug is one finding, whoever finds it and how often.
for k in 1 2; do
    "$ATTEST" campaign theorem1 --without collinear --keep-going --trials 1024 --shard $k/2 --out "$work/bug$k" --journal-only >"$out" 2>"$err"
done
run 1 "a bug in every shard" campaign merge "$work/bug1" "$work/bug2" -o "$work/bugs" --json
json 'sum(f["trials"] for f in o["properties"][0]["findings"]) == o["properties"][0]["failed"] and len(o["properties"][0]["findings"]) < o["properties"][0]["failed"]'
json 'len(o["properties"][0]["counterexamples"]) == len(o["properties"][0]["findings"])'
run 0 "the same findings" campaign status "$work/bug1" "$work/bug2" --json
json 'sum(f["trials"] for f in o["findings"]) == o["total"]["failed"] and len(set(f["reason"] for f in o["findings"])) >= 1'

refused "Slurm without a directory" campaign lemma1 --slurm 4
refused "a plan that no task could run" campaign nonsense --slurm 4 --out "$work/slurm"
refused "--dry-run without Slurm" campaign lemma1 --dry-run
run 0 "scripts for Slurm" campaign lemma1 --trials 100 --slurm 4 --sbatch '-p short' --out "$work/a b" --dry-run
shows '--shard "\$k/4" --out "\$dir/shard.\$k" --resume --journal-only .*--trials 100 lemma1 &$'
shows "^attest=.* dir='.*/a b'$"
[ ! -e "$work/a b" ]
result $? "and nothing is made"

run 0 "words of the command line" campaign lemma1 --trials 100 --slu 4 --corpus a= --ou "$work/a b" --dry
shows ' --journal-only --jobs "[^"]*" --trials 100 lemma1 &$'
shows ' merge --plan "[$]dir/slurm" -o "[$]dir/whole" --corpus a= "[$]dir"/shard'

# A stand-in for Slurm: tasks run at once, one after another, then the merge, once.
mkdir "$work/bin"
cat >"$work/bin/sbatch" <<'END'
#!/bin/sh
for word; do
    case $word in
    --array=*) last=${word##*-} ;;
    --dependency=*) last= ;;
    esac
done
[ ! -e "${word%/*}/exit" ] || echo 'an exit code of another run is there' >>"${word%/*}/stale"
k=1
while [ $k -le ${last:-0} ]; do
    SLURM_ARRAY_TASK_ID=$k bash "$word" # the script is the last word
    k=$((k + 1))
done
[ -n "$last" ] || ATTEST_ROUND=10 bash "$word"
echo 1
END
cat >"$work/bin/scontrol" <<'END'
#!/bin/sh
[ -z "$MOST" ] || echo "MaxArraySize            = $MOST"
END
chmod +x "$work/bin/sbatch" "$work/bin/scontrol"
PATH=$work/bin:$PATH
export PATH
run 0 "a campaign by a stand-in for Slurm" campaign lemma1 --trials 256 --out "$work/big" --slurm 4
[ "$(cat "$work/big/slurm/exit" 2>>"$err")" = 0 ]
result $? "ends with 0"
rm "$work/big/shard.2/journal"
run 0 "is submitted once more" campaign lemma1 --trials 256 --out "$work/big" --slurm 4
[ "$(cat "$work/big/slurm/exit" 2>>"$err")" = 0 ] && [ -e "$work/big/shard.2/journal" ]
result $? "and runs the missing shard"
[ ! -e "$work/big/slurm/stale" ]
result $? "without the exit code of the first time"
cp -r "$work/big" "$work/before"
for other in '--trials 256 --seed 2' '--trials 128' '--trials 256 --slurm 2'; do
    # shellcheck disable=SC2086
    refused "another campaign ($other) in its directory" campaign lemma1 --slurm 4 $other --out "$work/big"
    complains 'big/slurm/journal: .*the journal is that of another campaign: .*; use another directory$'
done
diff -r "$work/before" "$work/big" >"$out" 2>>"$err"
result $? "and nothing of the first is touched"
truncate -s 3M "$work/before/slurm/journal"
refused "a plan beyond --max-memory" campaign lemma1 --trials 256 --out "$work/before" --slurm 4 --max-memory 2M
complains 'before/slurm/journal: more than 2097152 bytes of input [(]--max-memory'
refused "in a merge, too" campaign merge --plan "$work/before/slurm" "$work"/part? -o "$work/no" --max-memory 2M
complains 'before/slurm/journal: more than 2097152 bytes of input [(]--max-memory'
cp "$work/big/slurm/journal" "$work/before/slurm/journal"
for most in 0 1 '(null)'; do
    MOST=$most timeout 20 "$ATTEST" campaign lemma1 --trials 256 --out "$work/none" --slurm 4 >"$out" 2>"$err"
    [ $? -eq 4 ] && ! ls -d "$work/none/"shard.* >>"$err" 2>&1 && grep -q '^attest: MaxArraySize of this cluster allows no job arrays' "$err"
    result $? "a cluster without job arrays (MaxArraySize = $most): $(head -n 1 "$err")"
done
MOST=3
export MOST
run 0 "a cluster with arrays of two tasks" campaign lemma1 --trials 256 --out "$work/none" --slurm 4
[ "$(cat "$work/none/slurm/exit" 2>>"$err")" = 0 ]
result $? "ends with 0"
unset MOST
rm "$work/none/slurm/exit" "$work/none/shard.2/journal"
MOST=1 ATTEST_ROUND=1 bash "$work/none/slurm/merge.sh" >"$out" 2>"$err"
[ "$(cat "$work/none/slurm/exit" 2>>"$err")" = 2 ]
result $? "a merge that cannot submit the missing tasks ends with an exit code"
mkdir -p "$work/kept/whole"
refused "a directory that contains a result" campaign lemma1 --trials 256 --out "$work/kept" --slurm 4
rm -r "$work/big/slurm"
refused "shards that nobody submitted" campaign lemma1 --trials 256 --out "$work/big" --slurm 4
complains 'big: contains a campaign already; use another directory$'
refused "a campaign in one piece" campaign lemma1 --trials 256 --out "$work/one" --slurm 4
refused "a merge of shards of another plan" campaign merge --plan "$work/before/slurm" "$work"/part? -o "$work/no"
complains 'before/slurm/journal: the journal is that of a campaign of other properties'

if command -v parallel >/dev/null; then
    (cd "$work" && parallel --will-cite "$ATTEST" campaign lemma1 theorem1-search --trials 256 --shard {}/4 --out p{} --resume --jobs 1 ::: 1 2 3 4) >"$out" 2>"$err"
    run 0 "GNU parallel" campaign merge "$work/p1" "$work/p2" "$work/p3" "$work/p4" -o "$work/p"
    cmp "$work/one/theorem1-search.1.json" "$work/p/theorem1-search.1.json" >"$out" 2>"$err"
    result $? "finds the same"
else
    result 0 "GNU parallel # SKIP it is not here"
fi
finish
