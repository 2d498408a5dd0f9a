#!/bin/sh
# Scores each in/NAME.csv to scored/NAME.csv, two at a time. Exits with 0, with 75 if running it again later may help,
# or else with 3.
set -u
mkdir -p scored

# Each file is skipped if it is finished and unchanged, so the job log of an earlier run is not needed.
parallel --will-cite --jobs 2 --retries 3 --joblog scored/joblog.tsv \
  rowcast score {} -o scored/{/} --report churn --if-exists skip-unchanged --restart-if-changed \
  --rejects-ok 1% --max-rejects 5% --threads 1 --quiet ::: in/*.csv && exit 0

# The exit code of parallel is the number of failed jobs. Theirs are in column 7 of the log, signals in column 8.
awk -F '\t' '
  NR > 1 && $7 + $8 > 0 { print "exit code " $7 ", signal " $8 ": " $9 > "/dev/stderr"; failed = 1 }
  NR > 1 && $7 > 0 && $7 != 75 { final = 1 }
  END { exit final ? 3 : failed ? 75 : 0 }
' scored/joblog.tsv
