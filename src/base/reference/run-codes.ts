import type { CommandErrorDocs } from './error-doc.ts';

/** Codes of errors in the files of a run, in resuming it, and in its result. */
export const runCodes = {
  output_exists: {
    exit: [2],
    cause: 'The output exists, and `--if-exists fail` was given.',
    fix: 'Move it away, or use `--if-exists replace` or `skip`.',
  },
  unwritable_output: {
    exit: [2, 3, 75],
    cause: 'A file that the command writes cannot be created or written; 75 if its disk cannot be reached.',
    fix: 'Check its folder, permissions and disk, then run the same command again: it resumes.',
  },
  disk_full: {
    exit: [75],
    cause: 'The disk, or the quota of the user, is full.',
    fix: 'Free space, then run the same command again: it resumes.',
  },
  unreadable_output: {
    exit: [2],
    cause: 'The output or its checkpoint cannot be read.',
    fix: 'Check permissions and the disk.',
  },
  foreign_file: {
    exit: [2, 3],
    cause: 'A file stands where the run would write, and rowcast did not create it.',
    fix: 'Move it away, or write to another path.',
  },
  bad_ledger: {
    exit: [],
    cause:
      'The record of finished runs, `.rowcast-runs.json` in the folder of the outputs, is damaged or cannot be read. This is a warning.',
    fix: 'Nothing is lost: all files are scored again, and the record is written anew.',
  },
  locked: {
    exit: [75],
    cause: 'Another run is writing the same file.',
    fix: 'Wait for it or stop it. If no run is active, remove the lock file that the message names.',
  },
  other_work: {
    exit: [2],
    cause: 'An unfinished run with another input, report, service or option is there.',
    fix: 'Run its command to resume it, or use `--restart` to start again from the first row. `--restart-if-changed` does so and keeps the files of the other run until the new one finishes.',
  },
  bad_checkpoint: {
    exit: [2, 3],
    cause: 'The checkpoint is damaged, or was written by an incompatible version.',
    fix: 'Finish the run with the version that started it, or use `--restart`.',
  },
  partial_too_short: {
    exit: [2, 3],
    cause:
      'A partial file is shorter than what was written to it, or gone, because another program changed it: while the run was writing (3), or before it was resumed (2).',
    fix: 'Make sure that nothing else writes to it. After 3, run the same command again if the message says so; otherwise use `--restart`.',
  },
  partial_damaged: {
    exit: [2, 3],
    cause:
      'The last bytes of a partial file are not those that were written: another program changed the file, or the disk lost data.',
    fix: 'Check what else writes to it, and the disk. After 3, run the same command again if the message says so; otherwise use `--restart`.',
  },
  output_lost: {
    exit: [2, 3],
    cause:
      'When a file was complete, it had another size, or it was gone: another program moved or changed it.',
    fix: 'Make sure that nothing else writes to it. Run the same command again if the message says so; otherwise use `--restart`.',
  },
  cancelled: {
    exit: [3],
    cause: '`rowcast cancel` has stopped the workers of a sharded run.',
    fix: 'Run the command that planned it again: what is finished is kept.',
  },
  shard_in_progress: {
    exit: [75],
    cause: '`rowcast work --shard` was given a shard that another worker is scoring; its heartbeat was seen.',
    fix: 'Wait for that worker. If it dies, its shard can be had ten seconds later, on the same machine at once.',
  },
  queue_unavailable: {
    exit: [75],
    cause: 'The Redis or PostgreSQL server of `--queue` cannot be reached, or does not answer.',
    fix: 'Check that it is running and can be reached, then run the same command again. While workers score, they wait for it, and nothing is lost.',
  },
  queue_refused: {
    exit: [2],
    cause:
      'The server of `--queue` refuses user, password or database, or has the tables of another version of BullMQ.',
    fix: 'Set `ROWCAST_QUEUE` to the URL with user and password. On PostgreSQL, the user must be allowed to create a schema.',
  },
  queue_evicts: {
    exit: [2],
    cause: 'The Redis server of `--queue` removes keys when its memory is full.',
    fix: 'Set `maxmemory-policy` to `noeviction`.',
  },
  missing_package: {
    exit: [2],
    cause: 'A package that only a queue needs is not installed.',
    fix: 'Run `npm install bullmq ioredis` for Redis, or `npm install bullmq pg` for PostgreSQL; with `-g` if rowcast was installed so.',
  },
  report_changed: {
    exit: [3],
    cause:
      'The report was trained again while its run was in progress, so the rest would be scored differently.',
    fix: 'Discard the run with `rowcast abort`, and plan it again.',
  },
  no_plan: {
    exit: [2],
    cause: 'The folder has no plan of a sharded run. `assemble` removes it when the outputs are complete.',
    fix: 'Check the path. If the output is there, the run is finished; otherwise make a plan with `rowcast plan --shards DIR`.',
  },
  bad_plan: {
    exit: [2, 3],
    cause: 'A file of a sharded run is damaged, or was written by an incompatible version.',
    fix: 'Finish the run with the version that planned it, or discard it with `rowcast abort DIR` and plan again.',
  },
  unfinished_shards: {
    exit: [75],
    cause:
      '`assemble` found shards that are not scored yet, a plan that is not finished, or a part that is gone or damaged.',
    fix: 'Wait for the workers, or run the command that the message names; then `rowcast assemble DIR` again.',
  },
  shards_failed: {
    exit: [3],
    cause:
      'A shard was given up after several attempts that came to nothing; the message has its last error.',
    fix: 'Remove the cause, run `rowcast work DIR --shard N`, then `rowcast assemble DIR` again.',
  },
  killed: {
    exit: [3],
    cause:
      'The processes that scored a shard ended five times before the first checkpoint, perhaps for want of memory.',
    fix: 'Look for what ended them, such as a limit on memory; then run `rowcast work DIR --shard N`.',
  },
  part_lost: {
    exit: [3],
    cause: 'The part of a shard was removed, cut or overwritten while `assemble` was copying it.',
    fix: 'Run `rowcast assemble DIR` again: it names the shard that must be scored again.',
  },
  no_output: {
    exit: [2],
    cause: '`status` found neither an output nor an unfinished run.',
    fix: 'Check the path.',
  },
  unfinished: {
    exit: [2],
    cause:
      'A command was given the output of a run that is not finished, or of a repair that was killed and cannot be finished.',
    fix: 'Resume the run first; `rowcast status OUTPUT` shows its progress. Of a repair, run `rowcast repair` again as a user who may write to the folder.',
  },
  no_rejects: {
    exit: [2],
    cause: '`repair` was given an output that has no rejects file and was not repaired before.',
    fix: 'If the run had `--rejects FILE`, give `repair` the same. Without rejects, nothing needs to be repaired.',
  },
  bad_corrections: {
    exit: [2],
    cause:
      'What `repair` is to put into the output is not its rejects file, scored: another header, other rows, rows in another order, or invalid probabilities.',
    fix: 'Correct the rejects file of the output, keep its first four columns, and score it with the same options.',
  },
  bad_classes: {
    exit: [2, 3],
    cause:
      '`--classes` does not list the classes of the report, each once, or `--probabilities` or `--threshold` names another class.',
    fix: 'Correct the list, or leave it out to use the order of the report.',
  },
  unknown_classes: {
    exit: [2, 3],
    cause: 'Neither the report nor any response has named the classes, so no header can be written.',
    fix: 'List them with `--classes` or in the definition.',
  },
  too_many_rejects: {
    exit: [3],
    cause: 'More rows were rejected than `--max-rejects` allows.',
    fix: 'Look at the rejects file. The same command with a larger limit resumes.',
  },
  too_many_mismatches: {
    exit: [3],
    cause:
      'More values of a column do not fit its type than `--max-mismatches` allows: by default half, in a column that matters.',
    fix: 'Look at the column; its source may have changed. The same command with a larger limit, or with `--max-mismatches none`, resumes.',
  },
  too_many_unseen: {
    exit: [3],
    cause:
      'More values of a column are categories that the model does not know than `--max-unseen` allows: by default half, in a column that matters.',
    fix: 'Look at the column; train again if its categories have changed. The same command with a larger limit, or with `--max-unseen none`, resumes.',
  },
  bad_summary: {
    exit: [2],
    cause:
      'The file of `--compare` is not the summary of a run, is one of another report or of a later version, or has no counts to compare with.',
    fix: 'Give it the file that `--summary` has written in a run of the same report.',
  },
  unbalanced: {
    exit: [4],
    cause: 'The numbers of rows read, scored and rejected do not add up. This is a bug.',
    fix: 'Do not use the output, and report the bug with the command.',
  },
  difference: {
    exit: [4],
    cause: '`verify` found a difference between the input and the output.',
    fix: 'The message names the line in each file. Score the input again.',
  },
  interrupted: {
    exit: [75, 129, 130, 143],
    cause: 'A signal or Ctrl-C ended the run; 75 if a program aborted it.',
    fix: 'Run the same command again, or make the same call: it resumes from the checkpoint.',
  },
  unexpected: {
    exit: [70],
    cause: 'An error that rowcast does not handle. This is a bug.',
    fix: 'Report it, with the stack trace.',
  },
  internal: {
    exit: [70],
    cause: 'A worker thread failed with an error that rowcast does not handle. This is a bug.',
    fix: 'Report it, with the stack trace.',
  },
} as const satisfies CommandErrorDocs;
