import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the files of a run, in resuming it, and in its result. */
export const runCodes = {
  output_exists: { exit: [2], cause: 'The output exists, and `--if-exists fail` was given.' },
  unwritable_output: {
    exit: [2, 3, 75],
    cause: 'A file cannot be created or written; 75 if its disk is unreachable.',
    fix: 'Check folder, permissions and disk.',
  },
  disk_full: { exit: [75], cause: 'The disk or the user’s quota is full.', fix: 'Free space.' },
  unreadable_output: { exit: [2], cause: 'The output or its checkpoint cannot be read.' },
  foreign_file: {
    exit: [2, 3],
    cause: 'A file that rowcast did not create is where the run would write.',
    fix: 'Move it away, or choose another path.',
  },
  bad_ledger: {
    exit: [],
    cause: 'The record of finished runs, `.rowcast-runs.json` in the folder of the outputs, is unreadable.',
    fix: 'This warning costs only time: all files are scored again, and the record is rewritten.',
  },
  locked: {
    exit: [75],
    cause: 'Another run is writing this file.',
    fix: 'If none is active, remove the lock file named.',
  },
  other_work: {
    exit: [2],
    cause: 'An unfinished run of another input, report, service or options is there.',
    fix: 'Resume it with its own command, or use `--restart`, or `--restart-if-changed`, which keeps the old files until the new run finishes.',
  },
  bad_checkpoint: {
    exit: [2, 3],
    cause: 'The checkpoint is damaged or of an incompatible version.',
    fix: 'Finish with the version that began, or use `--restart`.',
  },
  partial_too_short: {
    exit: [2, 3],
    cause:
      'Another program cut or removed a partial file, before the run was resumed (2) or while it was writing (3).',
    fix: 'Stop that program. Run the command again if the message says so, otherwise with `--restart`.',
  },
  partial_damaged: {
    exit: [2, 3],
    cause:
      'The end of a partial file is not what was written: another program changed it, or the disk lost data.',
    fix: 'Check both; then as for `partial_too_short`.',
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
    fix: 'Wait. If that worker dies, its shard is free after ten seconds, on the same machine at once.',
  },
  queue_unavailable: {
    exit: [75],
    cause: 'The server of `--queue` cannot be reached or does not answer.',
    fix: 'Workers that are scoring wait for it, and lose nothing.',
  },
  queue_refused: {
    exit: [2],
    cause:
      'The server of `--queue` refuses user, password or database, or has tables of another BullMQ version.',
    fix: 'Put user and password into `ROWCAST_QUEUE`. On PostgreSQL, the user must be allowed to create a schema.',
  },
  queue_evicts: {
    exit: [2],
    cause: 'The Redis server of `--queue` drops keys when its memory is full.',
    fix: 'Set `maxmemory-policy` to `noeviction`.',
  },
  missing_package: {
    exit: [2],
    cause: 'A package that only queues need is missing.',
    fix: 'Run `npm install bullmq ioredis` (Redis) or `npm install bullmq pg` (PostgreSQL), with `-g` if rowcast was installed so.',
  },
  report_changed: {
    exit: [3],
    cause: 'The report was retrained during the run.',
    fix: 'Discard the run with `rowcast abort`, and plan it again.',
  },
  no_plan: {
    exit: [2],
    cause: 'The folder has no plan; `assemble` removes it when the outputs are complete.',
    fix: 'Without outputs, make one with `rowcast plan --shards DIR`.',
  },
  bad_plan: {
    exit: [2, 3],
    cause: 'A file of a sharded run is damaged or of an incompatible version.',
    fix: 'Finish with the version that planned it, or `rowcast abort DIR` and plan again.',
  },
  unfinished_shards: {
    exit: [75],
    cause: 'Shards are not scored, planning is unfinished, or a part is missing or damaged.',
    fix: 'Wait, or run the command named; then `assemble` again.',
  },
  shards_failed: {
    exit: [3],
    cause: 'A shard was given up after several attempts; the message has its last error.',
    fix: 'Remove the cause, then `rowcast work DIR --shard N` and `assemble`.',
  },
  killed: {
    exit: [3],
    cause: 'The processes scoring a shard ended five times before a checkpoint, perhaps out of memory.',
    fix: 'Find what ended them, then `rowcast work DIR --shard N`.',
  },
  part_lost: {
    exit: [3],
    cause: 'A part was removed, cut or overwritten during `assemble`.',
    fix: 'Run `assemble` again: it names the shard to score again.',
  },
  no_output: { exit: [2], cause: '`status` found neither an output nor an unfinished run.' },
  unfinished: {
    exit: [2],
    cause: 'The run of this output is unfinished, or a killed repair cannot be finished.',
    fix: 'Resume the run; for a repair, run `repair` as a user who may write to the folder.',
  },
  no_rejects: {
    exit: [2],
    cause: 'The output has no rejects file and was never repaired.',
    fix: 'Give `repair` the `--rejects` of the run; without rejects, nothing needs repair.',
  },
  bad_corrections: {
    exit: [2],
    cause:
      'The corrections are not the scored rejects file: another header, other rows or order, or invalid probabilities.',
    fix: 'Keep its first four columns, and score it with the same options.',
  },
  bad_classes: {
    exit: [2, 3],
    cause:
      '`--classes` does not list each class of the report once, or `--probabilities` or `--threshold` names another.',
    fix: 'Correct it, or leave it out for the report’s order.',
  },
  unknown_classes: {
    exit: [2, 3],
    cause: 'Neither report nor responses name the classes.',
    fix: 'Use `--classes`, also in a definition.',
  },
  too_many_rejects: {
    exit: [3],
    cause: 'More rows were rejected than `--max-rejects` allows.',
    fix: 'Look at the rejects; a larger limit resumes.',
  },
  too_many_mismatches: {
    exit: [3],
    cause:
      'More values of a column do not fit its type than `--max-mismatches` allows: by default half, in a column that matters.',
    fix: 'Its source may have changed. A larger limit, or `none`, resumes.',
  },
  too_many_unseen: {
    exit: [3],
    cause:
      'More values of a column are unknown categories than `--max-unseen` allows: by default half, in a column that matters.',
    fix: 'Train again if they have changed. A larger limit, or `none`, resumes.',
  },
  bad_summary: {
    exit: [2],
    cause:
      'The file of `--compare` is not a summary, has no counts, or is of another report or a later version.',
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
    cause: 'A worker thread failed with an error that rowcast does not handle: a bug.',
    fix: 'Report it likewise.',
  },
} as const satisfies CommandErrorDocs;
