import type { LogEvents } from './log-events.ts';

/** Events of commands other than `serve`. */
export const commandEvents = {
  run_started: 'Scoring begins; with `report`, `service` and `output`.',
  run_resumed: 'It continues an unfinished run at `row`.',
  run_finished: 'It has finished; with the `summary`.',
  run_skipped: 'The output exists, and `--if-exists skip` was given.',
  run_set_aside:
    'An unfinished run of different work is kept under other names, and this one begins with the first row.',
  run_suspended:
    'It was stopped and can be resumed at `row` with `command`, if it is not one of several files.',
  files_started: 'Several files are scored; with their number as `files`.',
  files_suspended: 'Several files were stopped by a signal, and can be resumed with `command`.',
  files_finished: 'All are scored or not; with the `summary`.',
  file_failed: 'One of several files was not scored; with the members of `error`.',
  shard_started:
    'A worker scores a `shard` of the run in `folder`, from `row` on; with the number of its `attempt`.',
  shard_finished: 'A `shard` of the run in `folder` is done; with the numbers of `rows` and `rejected`.',
  shard_lost:
    'Another worker has finished a `shard` of the run in `folder`, or has taken it over, because this one was silent for too long.',
  shard_failed:
    'A `shard` of the run in `folder` cannot be scored because of its input; with `code`. It is tried five times.',
  work_finished: 'A worker finds no more to do; with the number of `shards` that it has scored.',
  queue_joined: 'A worker waits for shards from a `queue`.',
  queue_settings: 'A setting of the server of a queue is not good for it.',
  queue_lost:
    'A queue cannot be reached; with `code`. It is tried again and again, and nothing is lost. Workers with a request or row limit wait until it answers.',
  queue_found: 'It can be reached again.',
  run_joined: 'A worker of a queue scores shards of the run in `folder`.',
  run_refused:
    'A worker of a queue takes no shards of the run in `folder`, because it cannot see its folder, input or service; with `code`.',
  assembly_started:
    '`parts` of a sharded run are joined; with the disk space that this `needs`: by disk, `bytes` and what is `free`.',
  assembly_suspended: 'A signal has stopped `assemble`; `command` resumes it.',
  run_cancelled: '`rowcast cancel` has asked the workers of a sharded run to stop.',
  run_discarded: 'An unfinished run was discarded.',
  shards_removed: 'The outputs of a sharded run were complete, and only its folder was left to be removed.',
  ledger_unreadable: 'The record of finished files cannot be read, so all are scored.',
  ledger_not_written: 'The record of finished files cannot be written.',
  progress:
    'How far it is: `rows`, `percent`, `rows_per_second`, `eta_seconds`, `in_flight`, `retries`; for several files together, their number as `files`; for `batch-predict` bytes, for `train` the step.',
  reject: 'A row was rejected, and there is no rejects file; with `row`, `line` and `code`.',
  rejects_left:
    'Rows were rejected; they are in the file `rejects`, and the message has the commands to repair it.',
  rejects_not_listed: 'Further rejects are counted, but not logged.',
  retry: 'A request failed with `code` and is repeated after `wait_ms`. At most one line in five seconds.',
  unknown_values: 'Columns have values that the model does not know.',
  drift: 'What has changed most since the run of `--compare`; with its `psi`.',
  long_field: 'A quoted field is suspiciously long; with `line`, `row` and its size.',
  worker_not_started: 'The system cannot start one of the processes of `--workers`.',
  signal: 'A `signal` has come, and the command is about to stop.',
  lineage_not_sent: 'Lineage events cannot be sent; at most one line.',
  telemetry_not_sent: 'Traces or metrics cannot be sent; at most one line.',
  summary_not_written: 'The summary of a run that was stopped cannot be written.',
  input_from_terminal: 'The input is read from the terminal.',
  definition_started: 'A `definition` is run.',
  definition_valid: 'A `definition` was checked, and nothing is wrong with it.',
  next_step: 'What to do after a definition.',
  training_started: 'A training begins.',
  training_skipped:
    'The report exists, and `--if-exists skip` was given, or history and options are those it was trained with.',
  training_repeated: 'A report is trained again and replaced, because its history or options have changed.',
  training_note: 'What the training noticed about the data.',
  training_warning: 'A reason to doubt the report; with `code`.',
  report_trained: 'A definition has trained its `report`.',
  repaired: 'Corrected rows were put back; with the numbers of `rows`.',
  verified: 'The output matches its input; with the `tally`, and the rows that were `sampled`.',
  upload_started: 'A file is sent to the service in one request.',
  upload_finished: 'The file was scored; with the numbers of rows.',
  key_created: 'A `key` was created.',
  key_revoked: 'A `key` was revoked.',
  no_keys: 'There are no keys.',
  report_deleted: 'A `report` was deleted.',
  no_reports: 'There are no local reports.',
  local_reports_only: 'Only local reports are listed, although there is a service.',
  damaged_report: 'A local report is damaged; with `code`.',
  log_lines_dropped: 'Nobody read stderr, and `count` lines were dropped.',
  node_warning: 'A warning of Node.js; `code` is its name.',
  error:
    'The error that ended the command, the last line; with `code`, `exit_code`, `retryable`, `hint` and where it is.',
  other: 'A line of a library.',
} as const satisfies LogEvents;
