#!/bin/sh
# Plans a run, submits its shards as an array job and then a job that joins them, whose number it prints. Its arguments
# are those of `rowcast plan`; it runs on a machine that has the same file system at /data.
#   QUEUE=scoring ./submit.sh /data/personas.csv --report churn -o /data/scored.csv --shards /data/scored.csv.shards
set -eu

plan=$(rowcast plan "$@" --json)
member() { printf '%s' "$plan" | node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
dir=$(member folder)
shards=$(member shards)

# An array has from 2 to 10,000 jobs, so a job of a longer plan has several shards. A number beyond the plan is no error.
per_task=$(((shards + 9999) / 10000))
size=$(((shards + per_task - 1) / per_task))
if [ "$size" -lt 2 ]; then size=2; fi

submit() { aws batch submit-job --job-queue "$QUEUE" --job-definition rowcast --query jobId --output text "$@"; }
array=$(submit --job-name rowcast-work --array-properties "size=$size" --parameters "dir=$dir,perTask=$per_task")
submit --job-name rowcast-assemble --depends-on "jobId=$array" \
  --container-overrides "{\"command\": [\"assemble\", \"$dir\", \"--log-format\", \"json\"]}"
