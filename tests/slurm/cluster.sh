# cluster.sh -- a Slurm of one node on this machine, for a test. Sourced by bash scripts; root only.
#
#     cluster_start DIR   munged, slurmctld and slurmd, all of whose files are in the directory
#     cluster_kill_node      ends slurmd; cluster_start_node starts it again
#     cluster_stop           ends all of it
#
# Everything listens on 127.0.0.1. Where it cannot work: cluster_missing says why.
cluster_missing() {
    [ "$(id -u)" -eq 0 ] || { echo "it takes root"; return; }
    for tool in munged mungekey slurmctld slurmd sbatch; do
        PATH=$PATH:/usr/sbin command -v $tool >/dev/null || { echo "there is no $tool"; return; }
    done
}

cluster_start_node() {
    /usr/sbin/slurmd -D -f "$cluster/slurm.conf" >"$cluster/slurmd.out" 2>&1 &
    cluster_node=$!
}

cluster_kill_node() {
    kill -KILL "$cluster_node"
    wait "$cluster_node" 2>/dev/null
}

cluster_start() {
    local host port
    cluster=$1
    host=$(hostname -s)
    port=$((20000 + $$ % 20000))
    chmod 755 "$cluster"
    mkdir -p "$cluster/state" "$cluster/spool"
    mungekey -c -k "$cluster/munge.key"
    SLURM_CONF=$cluster/slurm.conf
    export SLURM_CONF
    cat >"$cluster/slurm.conf" <<END
ClusterName=attest
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
SlurmdTimeout=30
MinJobAge=600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    /usr/sbin/munged -F -f --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
        --pid-file="$cluster/munged.pid" --log-file="$cluster/munged.log" --seed-file="$cluster/munged.seed" \
        >/dev/null 2>&1 &
    cluster_munge=$!
    while [ ! -S "$cluster/munge.socket" ]; do sleep 0.1; done
    /usr/sbin/slurmctld -D -f "$cluster/slurm.conf" >"$cluster/slurmctld.out" 2>&1 &
    cluster_controller=$!
    cluster_start_node
    for _ in $(seq 100); do
        sinfo -h -o %t 2>/dev/null | grep -q '^idle$' && return
        sleep 0.3
    done
    echo "the cluster did not come up" >&2
    tail -n 5 "$cluster"/*.out "$cluster"/*.log >&2
    return 1
}

cluster_stop() {
    if [ -n "${cluster_controller:-}" ]; then # jobs first: nobody else ends them
        timeout 10 scancel --quiet --user=root --state=PENDING 2>/dev/null
        timeout 10 scancel --quiet --user=root 2>/dev/null
        for _ in $(seq 30); do
            [ -n "$(timeout 5 squeue -h 2>/dev/null)" ] || break
            sleep 0.5
        done
    fi
    for process in "${cluster_node:-}" "${cluster_controller:-}" "${cluster_munge:-}"; do
        [ -z "$process" ] || kill "$process" 2>/dev/null
    done
    # no other process of this shell: what evaluates JSON for lib.sh ends after it
    for process in "${cluster_node:-}" "${cluster_controller:-}" "${cluster_munge:-}"; do
        [ -z "$process" ] || wait "$process" 2>/dev/null
    done
}
