#!/usr/bin/env bash
# A campaign as an array of Slurm jobs, against a real Slurm that is started here and stopped: tasks are
# told to end, killed and requeued on the way, the node is lost once, and the merged report is byte
# for byte that of one uninterrupted run. ATTEST_TASKS and ATTEST_TRIALS say how many.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/slurm/cluster.sh"

why=$(cluster_missing)
[ -z "$why" ] || { echo "1..0 # SKIP no Slurm: $why"; exit 0; }
tasks=${ATTEST_TASKS:-64}
trials=${ATTEST_TRIALS:-2048}
trap 'cluster_stop; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/cluster"
cluster_start "$work/cluster" || { result 1 "a cluster of one node"; finish; exit; }
result 0 "a cluster of one node: $(sinfo --version)"

# Seconds and rates apart, a report is a function of the plan.
strip() {
    sed -e '/"seconds":/d' -e '/"trials_per_second":/d' "$1/report.json" | sed -e 's/,$//' >"$1.stripped"
}

# A trial that is slow on a busy machine is no other trial: time does not end it.
began=$(date +%s)
"$ATTEST" campaign all --trials "$trials" --timeout 1h --out "$work/one" >"$out" 2>"$err"
code=$?
[ $code -le 3 ]
result $? "one run, uninterrupted, in $(($(date +%s) - began)) s (exit $code)"

began=$(date +%s)
run 0 "$tasks tasks are submitted" campaign all --trials "$trials" --timeout 1h --out "$work/array" --slurm "$tasks"
shows '^tasks: job [0-9]*; merge: job [0-9]*, into '

# A third of the tasks: told to end, killed, requeued.
disturbed=0
lost=0
while [ ! -e "$work/array/slurm/exit" ]; do
    for job in $(squeue -h -t R -n attest -o %A | head -n 2); do
        [ $disturbed -lt $((tasks / 3 + 1)) ] || break
        case $((disturbed % 4)) in
        # scancel waits long for a job that is just beginning or ending
        0) timeout 2 scancel --signal=TERM --batch "$job" ;;
        1) timeout 2 scontrol requeue "$job" ;;
        2) timeout 2 scancel --signal=KILL --full "$job" ;;
        3) timeout 2 scancel --signal=TERM --full "$job" ;;
        esac >>"$err" 2>&1 && disturbed=$((disturbed + 1))
    done
    if [ $disturbed -gt 3 ] && [ $lost -eq 0 ]; then
        cluster_kill_node
        sleep 1
        cluster_start_node
        lost=1
    fi
    [ $(($(date +%s) - began)) -lt "${ATTEST_PATIENCE:-900}" ] || break
    sleep 0.2
done
seconds=$(($(date +%s) - began))
[ -e "$work/array/slurm/exit" ] || { sinfo; squeue -a -o '%i %j %T %r %S'; tail -n 3 "$work/array/slurm/merge.log" "$work/cluster/slurmctld.log"; } 2>&1 | sed 's/^/# /'
[ -e "$work/array/slurm/exit" ]
result $? "the merge ends after $seconds s; $disturbed tasks were disturbed, the node was lost $lost times"
[ $disturbed -ge $((tasks / 3)) ] && [ $lost -eq 1 ]
result $? "a third of the tasks, and the node"
[ "$(cat "$work/array/slurm/exit" 2>>"$err")" = "$code" ]
result $? "its exit code is that of one run"
strip "$work/one" && strip "$work/array/whole" 2>>"$err"
cmp "$work/one.stripped" "$work/array/whole.stripped" >"$out" 2>>"$err"
result $? "the report is that of one run, byte for byte"
for file in "$work"/one/*.json; do
    [ "${file##*/}" = report.json ] || cmp "$file" "$work/array/whole/${file##*/}" 2>>"$err" || echo differs
done >"$out"
[ ! -s "$out" ]
result $? "and so are counterexamples and tightest cases"
"$ATTEST" campaign status "$work"/array/shard.* --json >"$out" 2>>"$err"
json "o['total']['folders'] == $tasks and o['total']['finished'] == $tasks"
finish
