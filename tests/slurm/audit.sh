#!/usr/bin/env bash
# An audit of a whole model as an array of Slurm jobs, against a real Slurm that is started here and
# stopped: tasks are told to end and requeued on the way, and the record is that of one run.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/slurm/cluster.sh"

why=$(cluster_missing)
[ -z "$why" ] || { echo "1..0 # SKIP no Slurm: $why"; exit 0; }
trap 'cluster_stop; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/cluster"
cluster_start "$work/cluster" || { result 1 "a cluster of one node"; finish; exit; }
cd "$work" || exit 1
python3 "$srcdir/tests/ref/audit_heads.py" make model.safetensors 5
audit='heads model.safetensors --q layers.{}.q --k layers.{}.k --v layers.{}.v --all --causal --formats bfloat16,p=6'
run 0 "one run" $audit -o one.json
run 0 "five tasks are submitted" $audit --parts array --slurm 5 -o whole.json
shows '^tasks: job [0-9]*; merge: job [0-9]*, into .*/array/slurm/report.txt$'
disturbed=0
began=$(date +%s)
while [ ! -e array/slurm/exit ] && [ $(($(date +%s) - began)) -lt "${ATTEST_PATIENCE:-900}" ]; do
    for job in $(squeue -h -t R,PD -n attest -o %A | head -n 1); do
        [ $disturbed -lt 3 ] || break
        case $disturbed in
        0) timeout 2 scontrol requeue "$job" ;;
        *) timeout 2 scancel --signal=TERM --full "$job" ;;
        esac >>"$err" 2>&1
        disturbed=$((disturbed + 1))
    done
    sleep 0.2
done
[ "$(cat array/slurm/exit)" = 0 ]
result $? "the parts are joined after $(($(date +%s) - began)) s; $disturbed tasks were disturbed"
cmp one.json whole.json >>"$err" 2>&1
result $? "the record is that of one run, byte for byte"
grep -q 'outputs differ by up to' array/slurm/report.txt
result $? "and its text is kept"
finish
