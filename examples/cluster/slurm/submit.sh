#!/bin/sh
# Plans a run, submits its shards as a job array and then a job that joins them, whose number it prints. Its arguments
# are those of `rowcast plan`. Submit the same again to resume a run.
#   ./submit.sh personas.csv --report churn -o scored.csv --shards scored.csv.shards
set -eu
here=$(dirname "$0")

plan=$(rowcast plan "$@" --json)
member() { printf '%s' "$plan" | node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
dir=$(member folder)
shards=$(member shards)

# An array has at most MaxArraySize tasks (1001 by default), so a task of a longer plan has several shards.
tasks=$(scontrol show config | awk '$1 == "MaxArraySize" { print $3 }')
per_task=$(((shards + tasks - 1) / tasks))
last=$(((shards + per_task - 1) / per_task - 1))

array=$(sbatch --parsable --requeue --open-mode=append --output="$dir.%a.log" \
  --array="0-$last%${TASKS_AT_ONCE:-8}" "$here/work.sbatch" "$dir" "$per_task")
# Not afterok: a task that failed once blocks it, even if it was requeued and succeeded. If a shard is missing, joining
# fails and names it.
sbatch --parsable --output="$dir.log" --dependency="afterany:$array" "$here/assemble.sbatch" "$dir"
