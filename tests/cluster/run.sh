#!/usr/bin/env bash
# Plays the match of engine/recipes on a real Slurm cluster (munged, slurmctld and two slurmd on this machine, loopback only) and
# with GNU parallel: one task of the array is cancelled, one requeued, only the missing shard is sent again. The results must be
# those of a single run, byte for byte, times apart. Stops everything it starts.
#
#   tests/cluster/run.sh PATH-OF-CANOPY-ENGINE
#
# Installs what is missing with apt-get. Needs root, or the packages, and a user that has a name.
set -euo pipefail
engine=$(realpath "$1")
recipes=$(realpath "$(dirname "$0")/../../engine/recipes")
export PATH="$PATH:/usr/sbin:/sbin"
work=$(mktemp -d /tmp/canopy-cluster.XXXXXX)
shards=8
began=$SECONDS

say() { printf '%4d s  %s\n' $((SECONDS - began)) "$*"; }
die() {
    echo "cluster: $*" >&2
    for log in "$work"/*.out "$work"/match/*.log; do
        [ -s "$log" ] && { echo "--- $log"; tail -n 20 "$log"; } >&2
    done
    exit 1
}
# wait_until SECONDS WHAT COMMAND...: repeats a command until it succeeds
wait_until() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt "$deadline" ] || die "$what: not in time"
        sleep 0.1
    done
}

install_packages() {
    local missing=0
    for program in munged slurmctld slurmd sbatch parallel; do command -v $program >/dev/null || missing=1; done
    [ $missing = 1 ] || return 0
    # The packages would start services of their own.
    local policy=/usr/sbin/policy-rc.d made=0
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy
        made=1
    fi
    local packages=(slurmctld slurmd slurm-client munge parallel) status=0
    apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null 2>&1 \
        || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; } || status=$?
    [ $made = 0 ] || rm -f $policy
    [ $status = 0 ] || die 'the packages cannot be installed'
}

# --- the cluster --------------------------------------------------------------------------------------------------------------
daemons=()
# start NAME COMMAND...: a daemon in the background, by its process id
start() {
    local name=$1
    shift
    # The daemons listen at the address of the host's name; where that is not loopback they get another name.
    case $(getent ahostsv4 "$(hostname)" | head -n 1) in
        127.*) ;;
        *) set -- unshare --uts sh -c 'hostname localhost && exec "$@"' sh "$@" ;;
    esac
    "$@" </dev/null >"$work/$name.out" 2>&1 &
    daemons+=($!)
}
munge_works() { munge -S "$work/munge.sock" -n | unmunge -S "$work/munge.sock"; }
controller_is_up() { timeout 5 scontrol ping | grep -q UP; }
nodes_are_idle() { [ "$(timeout 5 sinfo -h -t idle -o %D)" = 2 ]; }
queue_is_empty() { [ -z "$(timeout 5 squeue -h)" ]; }
is_port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

start_cluster() {
    local port=17817
    while is_port_taken $port || is_port_taken $((port + 1)) || is_port_taken $((port + 2)); do port=$((port + 3)); done
    # The key is its owner's alone, the socket open to all.
    umask 022
    chmod 755 "$work"
    mkdir -p "$work/state" "$work/n1" "$work/n2"
    (umask 077 && head -c 128 /dev/urandom >"$work/munge.key")
    # cred_expire: a requeued job waits so long, 5 at least. The communication parameters keep the daemons off other addresses. No
    # cgroups, accounting and MPI. The nodes claim processors that this machine need not have.
    cat >"$work/slurm.conf" <<CONF
ClusterName=canopy
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge.sock,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
SlurmdTimeout=30
KillWait=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/%n.log
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=2 RealMemory=500
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF="$work/slurm.conf"
    start munged munged -F --key-file="$work/munge.key" --socket="$work/munge.sock" --pid-file="$work/munged.pid" \
        --log-file="$work/munged.log" --seed-file="$work/munged.seed"
    wait_until 20 munged munge_works
    start slurmctld slurmctld -D -f "$SLURM_CONF"
    wait_until 30 slurmctld controller_is_up
    start n1 slurmd -D -f "$SLURM_CONF" -N n1
    start n2 slurmd -D -f "$SLURM_CONF" -N n2
    wait_until 30 'two idle nodes' nodes_are_idle
}

stop_cluster() {
    if [ ${#daemons[@]} -gt 1 ]; then
        timeout 5 scancel -u "$(id -un)" >/dev/null 2>&1 || true
        for _ in $(seq 80); do
            queue_is_empty 2>/dev/null && break
            sleep 0.1
        done
    fi
    # The nodes first, munged last.
    local index
    for ((index = ${#daemons[@]} - 1; index >= 0; index--)); do
        kill "${daemons[index]}" 2>/dev/null || true
    done
    for index in "${!daemons[@]}"; do
        for _ in $(seq 100); do
            kill -0 "${daemons[index]}" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "${daemons[index]}" 2>/dev/null || true
    done
    # slurmstepd outlives slurmd: those with our configuration.
    local process
    for process in /proc/[0-9]*; do
        [ "$(cat "$process/comm" 2>/dev/null)" = slurmstepd ] || continue
        tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qxF "SLURM_CONF=$work/slurm.conf" \
            && kill -9 "${process#/proc/}" 2>/dev/null || true
    done
}
clean_up() {
    status=$?
    trap - EXIT
    stop_cluster
    [ $status = 0 ] && rm -rf "$work"
    exit $status
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# --- the match ----------------------------------------------------------------------------------------------------------------
# The engine under its own name. Tasks 3 and 5 play slowly the first time, so that they can be disturbed.
make_engine() {
    mkdir -p "$work/bin"
    cat >"$work/bin/canopy-engine" <<SCRIPT
#!/bin/sh
if [ "\$1" = match ] && [ -e "$work/slow-\${SLURM_ARRAY_TASK_ID:-none}" ]; then
    rm "$work/slow-\$SLURM_ARRAY_TASK_ID"
    exec "$engine" "\$@" --pace 40
fi
exec "$engine" "\$@"
SCRIPT
    chmod 755 "$work/bin/canopy-engine"
    export PATH="$work/bin:$PATH"
    touch "$work/slow-3" "$work/slow-5"
}
status() { canopy-engine status my-match --shards $shards "$@"; }
done_of() { status --json | awk -v shard="$1," '$1 == "\"shard\":" { found = $2 == shard } found && $1 == "\"done\":" { print $2 + 0; exit }'; }
has_game() { [ "$(done_of "$1")" -ge 1 ]; }
single_run() { (cd "$work/single" && bash -c "$(sed -n '/^exec/,$p' "$recipes/slurm.sh" | sed 's/ --shard.*//')" >/dev/null 2>&1); }
compare_with_single() {
    canopy-engine report my-match --no-times >report-no-times.txt
    for file in match.jsonl games.csv games.txt report.txt; do
        cmp "my-match/$file" "$work/single/my-match/$file" || die "$1: $file is not that of a single run"
    done
}

install_packages
say 'packages are there'
start_cluster
say "cluster is up: $(timeout 5 sinfo -h -o '%D nodes %t')"
make_engine
mkdir -p "$work/single" "$work/match" "$work/parallel"
single_run || die 'the single run failed'
(cd "$work/single" && canopy-engine report my-match --no-times >/dev/null)
say 'single run done'

cd "$work/match"
array=$(sbatch --parsable "$recipes/slurm.sh")
say "job $array sent: $shards tasks, of which 3 and 5 are slow"
wait_until 60 'task 3 has played a game' has_game 3
scancel "${array}_3"
say "task 3 cancelled after $(done_of 3) games"
wait_until 60 'task 5 has played a game' has_game 5
scontrol requeue "${array}_5"
say "task 5 requeued after $(done_of 5) games"
wait_until 120 'the queue is empty' queue_is_empty
[ "$(status --missing)" = 3 ] || die "missing shards are '$(status --missing)': expected 3"
if canopy-engine report my-match >/dev/null 2>&1; then die 'a report without shard 3 was made'; fi
canopy-engine report my-match --partial | head -n 1 | grep -q '^PARTIAL: ' || die 'a partial report does not say so'
again=$(sbatch --parsable --array="$(status --missing)" "$recipes/slurm.sh")
say "job $again sent for shard $(status --missing) alone"
wait_until 120 'the queue is empty' queue_is_empty
[ -z "$(status --missing)" ] || die "missing shards are '$(status --missing)': expected none"
attempts=$(find my-match/parts -name '*.jsonl' | wc -l)
[ "$attempts" -gt $shards ] || die "$attempts attempts: expected more than $shards"
compare_with_single slurm
say "Slurm: $attempts attempts at $shards shards, the same games as a single run"

cd "$work/parallel"
bash "$recipes/parallel.sh" >/dev/null 2>parallel.err || die "parallel failed: $(cat parallel.err)"
compare_with_single parallel
# Sent again, everything is done already.
bash "$recipes/parallel.sh" >/dev/null 2>&1 || die 'parallel failed the second time'
compare_with_single 'parallel again'
say 'GNU parallel: the same games as a single run'
canopy-engine merge "$work/match/my-match" "$work/parallel/my-match" --out joined >/dev/null || die 'the runs cannot be merged'
canopy-engine report joined --no-times >/dev/null
cmp joined/match.jsonl "$work/single/my-match/match.jsonl" || die 'the merged match is another'
say 'both merged: the same games once more'
