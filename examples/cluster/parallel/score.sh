#!/bin/sh
# Plans a run, scores its shards, several at a time, and joins them. Its arguments are those of `rowcast plan`. Run the
# same again to resume a run; the exit code is that of `rowcast assemble`.
#   ./score.sh personas.csv --report churn -o scored.csv --shards scored.csv.shards
set -u

plan=$(rowcast plan "$@" --json) || exit
member() { printf '%s' "$plan" | node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
dir=$(member folder)
last=$(($(member shards) - 1))
export dir

# parallel retries every failure, at once. 75 means that it helps to wait first: the service is down, or a worker that a
# killed parallel left behind still has the shard.
# shellcheck disable=SC2016 # expanded by the shell of each job
seq 0 "$last" | parallel --will-cite --jobs "${JOBS:-2}" --retries 5 --joblog "$dir/joblog.tsv" --resume-failed '
  rowcast work "$dir" --shard {} --threads 1 '"${WORK_OPTIONS:-}"'
  code=$?
  if [ "$code" -eq 75 ]; then sleep "${RETRY_SECONDS:-30}"; fi
  exit "$code"'

# Whatever became of them: this names what is missing, and otherwise removes the folder with the job log.
rowcast assemble "$dir"
