import type { CommandErrorDocs } from './error-doc.ts';
import { reuseCodes } from './reuse/reuse-docs.ts';

/** Codes of errors in the files of a run, in resuming it, and in its result. */
export const runCodes = {
  output_exists: { exit: [2], cause: 'The output exists, with `--if-exists fail`.' },
  unwritable_output: {
    exit: [2, 3, 75],
    cause: 'A file cannot be created or written; 75: its disk is unreachable.',
    fix: 'Check folder, permissions and disk.',
  },
  disk_full: { exit: [75], cause: 'The disk or the user’s quota is full.', fix: 'Free space.' },
  unreadable_output: { exit: [2], cause: 'The output or its checkpoint cannot be read.' },
  foreign_file: {
    exit: [2, 3],
    cause: 'The run would overwrite a file that rowcast did not create.',
    fix: 'Move it away, or choose another path.',
  },
  bad_ledger: {
    exit: [],
    cause: '`.rowcast-runs.json` is unreadable: all files are scored again, and it is rewritten.',
  },
  locked: {
    exit: [75],
    cause: 'Another run is writing this file.',
    fix: 'If none is, remove the lock file named.',
  },
  other_work: {
    exit: [2],
    cause: 'An unfinished run of different work exists.',
    fix: 'Resume it, or use `--restart`, or `--restart-if-changed`, which keeps its files.',
  },
  bad_checkpoint: {
    exit: [2, 3],
    cause: 'The checkpoint is damaged or of another version.',
    fix: 'Finish with the version that began, or use `--restart`.',
  },
  partial_too_short: {
    exit: [2, 3],
    cause: 'Another program cut or removed a partial file, before resuming (2) or while writing (3).',
    fix: 'Stop it; use `--restart`.',
  },
  partial_damaged: {
    exit: [2, 3],
    cause: 'Another program changed the end of a partial file, or the disk lost data.',
    fix: 'Stop it; use `--restart`.',
  },
  output_lost: {
    exit: [2, 3],
    cause: 'Another program moved or changed a file before it was complete.',
    fix: 'Stop it; use `--restart`.',
  },
  cancelled: {
    exit: [3],
    cause: '`rowcast cancel` stopped the workers.',
    fix: 'The command that planned the run resumes it.',
  },
  shard_in_progress: {
    exit: [75],
    cause: 'Another worker has this shard; if it dies, the shard is free after ten seconds.',
  },
  queue_unavailable: {
    exit: [75],
    cause: 'The server of `--queue` cannot be reached; workers wait, and lose nothing.',
  },
  queue_refused: {
    exit: [2],
    cause:
      'The server of `--queue` refuses user, password or database (PostgreSQL: the user must be allowed to create ' +
      'a schema), or has tables of another BullMQ version.',
  },
  queue_evicts: {
    exit: [2],
    cause: 'Redis drops keys when its memory is full.',
    fix: 'Set `maxmemory-policy` to `noeviction`.',
  },
  missing_package: {
    exit: [2],
    cause: 'A package for queues is missing.',
    fix: 'Run `npm install bullmq ioredis`, or `bullmq pg`, with `-g` as for rowcast.',
  },
  ...reuseCodes,
  report_changed: {
    exit: [3],
    cause: 'The report was trained again during the run.',
    fix: '`rowcast abort` it, and plan again.',
  },
  no_plan: {
    exit: [2],
    cause: 'The folder has no plan; `assemble` removes it at the end.',
    fix: 'Make one with `plan --shards`.',
  },
  bad_plan: {
    exit: [2, 3],
    cause: 'A file of a sharded run is damaged or of another version.',
    fix: '`abort`, and plan again.',
  },
  unfinished_shards: {
    exit: [75],
    cause: 'Shards are not scored or planned, or a part is damaged.',
    fix: 'Wait, or run the command named, then `assemble`.',
  },
  shards_failed: {
    exit: [3],
    cause: 'A shard failed several times.',
    fix: 'Remove the cause, then `work --shard N` and `assemble`.',
  },
  killed: {
    exit: [3],
    cause: 'A shard’s processes ended five times, perhaps out of memory.',
    fix: 'Find the cause, then `work --shard N`.',
  },
  part_lost: {
    exit: [3],
    cause: 'A part was removed or overwritten during `assemble`.',
    fix: 'Run it again: it names the shard.',
  },
  no_output: { exit: [2], cause: '`status` found neither an output nor an unfinished run.' },
  not_an_output: {
    exit: [2],
    cause: 'Nothing tells that a run wrote this file.',
    fix: 'Give the path of the output.',
  },
  unfinished: {
    exit: [2],
    cause: 'The run is unfinished, or a killed repair cannot be finished.',
    fix: 'Resume it; `repair` needs to write to the folder.',
  },
  no_rejects: {
    exit: [2],
    cause: 'There is no rejects file, and never was.',
    fix: 'Give `repair` the run’s `--rejects`.',
  },
  bad_corrections: {
    exit: [2],
    cause: 'Corrections have another header, rows or order, or invalid predictions.',
    fix: 'Keep the first four columns, and score with the same options.',
  },
  bad_classes: {
    exit: [2, 3],
    cause: '`--classes` does not list each class once, or `--probabilities` or `--threshold` names another.',
  },
  unknown_classes: {
    exit: [2, 3],
    cause: 'Neither report nor responses say what is predicted.',
    fix: 'For probabilities, give `--classes`.',
  },
  too_many_rejects: {
    exit: [3],
    cause: 'More rejects than `--max-rejects`.',
    fix: 'Look at them; a larger limit resumes.',
  },
  beyond_limit: {
    exit: [3],
    cause:
      'A figure of `rowcast evaluate` is beyond `--min-auc`, `--max-log-loss` or `--max-calibration-error`.',
    fix: 'See [evaluations](evaluate.md#limits).',
  },
  too_many_mismatches: {
    exit: [3],
    cause: 'More values than `--max-mismatches` do not fit their column.',
    fix: 'A larger limit, or `none`, resumes.',
  },
  too_many_unseen: {
    exit: [3],
    cause: 'More values of a column than `--max-unseen` are unknown.',
    fix: 'Train again, or resume with a larger limit or `none`.',
  },
  too_many_missing: {
    exit: [3],
    cause: 'More values of a column than `--max-missing` are missing, as after a join that matched nothing.',
    fix: 'A larger limit, or `none`, resumes.',
  },
  under_min_rows: {
    exit: [3],
    cause: 'Fewer rows than `--min-rows`.',
    fix: 'Complete the input, or lower it.',
  },
  same_as_last: {
    exit: [3],
    cause:
      'The input has the bytes of the last good run (an error with `--if-same-as-last fail`, else a warning).',
    fix: 'Check that the new rows have arrived.',
  },
  too_much_drift: {
    exit: [3],
    cause: 'A column or the predictions changed by more than `--max-drift`.',
    fix: 'A larger limit, or none, resumes.',
  },
  unbalanced: {
    exit: [4],
    cause: 'Rows read, scored and rejected do not add up: a bug.',
    fix: 'Do not use the output; report it.',
  },
  difference: {
    exit: [4],
    cause: '`verify` found a difference, at the lines named.',
    fix: 'Score the input again.',
  },
  interrupted: {
    exit: [75, 129, 130, 143],
    cause: 'A signal or Ctrl-C ended the run; 75 if a program aborted it.',
  },
  unexpected: {
    exit: [70],
    cause: 'An error that rowcast does not handle: a bug.',
    fix: 'Report it with the stack trace.',
  },
  internal: {
    exit: [70],
    cause: 'A thread failed with an unexpected error: a bug.',
    fix: 'Report it with the stack trace.',
  },
} as const satisfies CommandErrorDocs;
