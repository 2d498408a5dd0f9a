import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the files of a run, in resuming it, and in its result. */
export const runCodes = {
  output_exists: { exit: [2], cause: 'The output exists, and `--if-exists fail` was given.' },
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
    cause: 'The record of finished runs, `.rowcast-runs.json` beside the outputs, is unreadable.',
    fix: 'All files are scored again, and it is rewritten.',
  },
  locked: {
    exit: [75],
    cause: 'Another run is writing this file.',
    fix: 'If none is active, remove the lock file named.',
  },
  other_work: {
    exit: [2],
    cause: 'An unfinished run of another input, report, service or options exists.',
    fix: 'Resume it by its command, or use `--restart`, or `--restart-if-changed`, which keeps its files until the new run finishes.',
  },
  bad_checkpoint: {
    exit: [2, 3],
    cause: 'The checkpoint is damaged or of an incompatible version.',
    fix: 'Finish with the version that began, or use `--restart`.',
  },
  partial_too_short: {
    exit: [2, 3],
    cause: 'Another program cut or removed a partial file, before resuming (2) or while writing (3).',
    fix: 'Stop it. Unless the message says otherwise, use `--restart`.',
  },
  partial_damaged: {
    exit: [2, 3],
    cause: 'Another program changed the end of a partial file, or the disk lost data.',
    fix: 'As for `partial_too_short`.',
  },
  output_lost: {
    exit: [2, 3],
    cause: 'Another program moved or changed a file before it was complete.',
    fix: 'As for `partial_too_short`.',
  },
  cancelled: {
    exit: [3],
    cause: '`rowcast cancel` stopped the workers.',
    fix: 'The command that planned the run resumes it.',
  },
  shard_in_progress: {
    exit: [75],
    cause: 'Another worker is scoring the shard of `work --shard`.',
    fix: 'If that worker dies, its shard is free after ten seconds, on its machine at once.',
  },
  queue_unavailable: {
    exit: [75],
    cause: 'The server of `--queue` cannot be reached or does not answer.',
    fix: 'Workers wait for it, and lose nothing.',
  },
  queue_refused: {
    exit: [2],
    cause:
      'The server of `--queue` refuses the user, password or database in `ROWCAST_QUEUE`, or has tables of another BullMQ version.',
    fix: 'A PostgreSQL user must be allowed to create a schema.',
  },
  queue_evicts: {
    exit: [2],
    cause: 'The Redis server of `--queue` drops keys when its memory is full.',
    fix: 'Set `maxmemory-policy` to `noeviction`.',
  },
  missing_package: {
    exit: [2],
    cause: 'A package that only queues need is missing.',
    fix: 'Run `npm install bullmq ioredis`, or `bullmq pg` for PostgreSQL, with `-g` as for rowcast.',
  },
  report_changed: {
    exit: [3],
    cause: 'The report was retrained during the run.',
    fix: 'Discard the run with `rowcast abort`, and plan it again.',
  },
  no_plan: {
    exit: [2],
    cause: 'The folder has no plan; `assemble` removes it when the outputs are complete.',
    fix: 'Make one with `plan --shards`.',
  },
  bad_plan: {
    exit: [2, 3],
    cause: 'A file of a sharded run is damaged or of an incompatible version.',
    fix: 'Finish with the version that planned it, or `abort` and plan again.',
  },
  unfinished_shards: {
    exit: [75],
    cause: 'Shards are not scored, planning is unfinished, or a part is missing or damaged.',
    fix: 'Wait, or run the command named, then `assemble`.',
  },
  shards_failed: {
    exit: [3],
    cause: 'A shard failed several times; the message has its last error.',
    fix: 'Remove its cause, then `work --shard N` and `assemble`.',
  },
  killed: {
    exit: [3],
    cause: 'A shard’s processes ended five times before a checkpoint, perhaps out of memory.',
    fix: 'Find the cause, then `work --shard N`.',
  },
  part_lost: {
    exit: [3],
    cause: 'A part was removed, cut or overwritten during `assemble`.',
    fix: 'Run `assemble` again: it names the shard to score again.',
  },
  no_output: { exit: [2], cause: '`status` found neither an output nor an unfinished run.' },
  not_an_output: {
    exit: [2],
    cause:
      '`status` found a file that no run is known to have written: no run is at it, no ledger or rejects file tells of it, and its columns are not predictions.',
    fix: 'Give the path of the output, as `-o` did.',
  },
  unfinished: {
    exit: [2],
    cause: 'The output’s run is unfinished, or its killed repair cannot be finished.',
    fix: 'Resume it; run `repair` as a user who may write to the folder.',
  },
  no_rejects: {
    exit: [2],
    cause: 'The output has no rejects file and was never repaired.',
    fix: 'Give `repair` the run’s `--rejects`, if it had any.',
  },
  bad_corrections: {
    exit: [2],
    cause: 'The corrections have another header, other rows or order, or invalid predictions.',
    fix: 'Keep the first four columns of the rejects file, and score it with the same options.',
  },
  bad_classes: {
    exit: [2, 3],
    cause:
      '`--classes` does not list each class of the report once, or `--probabilities` or `--threshold` names another.',
    fix: 'Without it, the report’s order is used.',
  },
  unknown_classes: {
    exit: [2, 3],
    cause: 'Neither report nor responses say what is predicted, such as the classes.',
    fix: 'If these are probabilities, use `--classes`, also in a definition.',
  },
  too_many_rejects: {
    exit: [3],
    cause: 'More rows were rejected than `--max-rejects` allows.',
    fix: 'Look at the rejects; a larger limit resumes.',
  },
  too_many_mismatches: {
    exit: [3],
    cause: 'More values of a column do not fit its type than `--max-mismatches` allows.',
    fix: 'A larger limit, or `none`, resumes.',
  },
  too_many_unseen: {
    exit: [3],
    cause: 'More values of a column are unknown categories than `--max-unseen` allows.',
    fix: 'Train again, or resume with a larger limit or `none`.',
  },
  too_many_missing: {
    exit: [3],
    cause:
      'More values of a column are missing than `--max-missing` allows: a join matched nothing, or a column is empty.',
    fix: 'Look at the column; a larger limit, or `none`, resumes.',
  },
  under_min_rows: {
    exit: [3],
    cause: 'The input has fewer rows than `--min-rows` asks for.',
    fix: 'Complete the input, or run again with a lower `--min-rows`.',
  },
  same_as_last: {
    exit: [3],
    cause:
      'The input has the same bytes as one of the last good run: an error with `--if-same-as-last fail`, otherwise a warning.',
    fix: 'Check that the new rows have arrived.',
  },
  too_much_drift: {
    exit: [3],
    cause:
      'A column or the predictions have changed by more than `--max-drift` since the run of `--compare`.',
    fix: 'Look at what has changed; a larger limit, or none, resumes.',
  },
  unbalanced: {
    exit: [4],
    cause: 'Rows read, scored and rejected do not add up: a bug.',
    fix: 'Do not use the output; report the command.',
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
