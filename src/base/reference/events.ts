/** Events of commands other than `serve`. */
export const commandEvents = {
  run_started: 'Scoring begins; with `report`, `service` and `output`.',
  run_resumed: 'An unfinished run continues at `row`.',
  run_finished: '(`summary`).',
  run_skipped: 'The output exists, with `--if-exists skip`.',
  run_set_aside:
    'An unfinished run of different work is kept under other names; this one begins at the first row.',
  run_suspended: 'A run was stopped; unless it is one of several files, `command` resumes it at `row`.',
  files_started: 'With the number of `files`.',
  files_suspended: 'A signal has stopped several files; `command` resumes them.',
  files_finished: '(`summary`).',
  files_verified: 'By one `verify`: the number of `files`, with their `rows` and `seconds`.',
  files_repaired: 'By one `repair`: the number of `files`.',
  file_failed:
    'One of several files was not scored, verified, repaired or discarded; with the members of `error`.',
  shard_started: '(`folder`, `shard`, `row`, `attempt`).',
  shard_finished: '(`folder`, `shard`, `rows`, `rejected`).',
  shard_lost:
    'Another worker has finished or taken over a `shard` in `folder`, because this one was silent for too long.',
  shard_failed: 'The input of a `shard` in `folder` cannot be scored; with `code`. It is tried five times.',
  work_finished: 'A worker finds no more to do; with the number of `shards` that it has scored.',
  queue_ignored: '`ROWCAST_QUEUE` is no URL of a queue, so a run that asks for none does without.',
  queue_joined: 'A worker waits for shards from a `queue`.',
  queue_settings: 'A setting of a queue’s server is bad for it.',
  queue_lost: 'A queue cannot be reached; with `code`. It is tried again without end, and nothing is lost.',
  queue_found: 'It can be reached again.',
  run_joined: 'A worker of a queue scores shards in `folder`.',
  run_refused: 'A worker of a queue cannot see `folder`, its input or service; with `code`.',
  assembly_started:
    'Joining of `parts` begins; with the disk space that it `needs`: by disk, `bytes` and `free`.',
  assembly_suspended: 'A signal has stopped `assemble`; `command` resumes it.',
  run_cancelled: '`cancel` has asked the workers to stop.',
  run_discarded: '',
  shards_removed: 'The outputs were complete, and only the folder of shards was left.',
  ledger_unreadable: 'The record of finished files cannot be read, so all are scored.',
  ledger_not_written: 'The same cannot be written.',
  progress:
    'With `rows`, `percent`, `rows_per_second`, `eta_seconds`, `in_flight`, `retries`; for several files their number as `files`, for `batch-predict` bytes, for `train` the step.',
  reject:
    'A row was rejected without a rejects file, or is the first one with a hint; with `row`, `line` and `code`.',
  rejects_left: 'Rejects are in the file `rejects`; the message has the commands to repair them.',
  rejects_not_listed: 'Further rejects are only counted.',
  retry: 'A request failed with `code` and is repeated after `wait_ms`. At most one line in five seconds.',
  unknown_values:
    'Columns have values that the model does not know, or far more missing ones than in training.',
  drift: 'What has changed most since the run of `--compare`; with its `psi`.',
  no_comparison:
    'There is no run to compare with, or of whose rows `--min-rows` could be a part: `--compare`, the day before, is not there or has no counts.',
  same_as_last:
    'An input has the same bytes as one of the last good run, or as when it was scored: see `--if-same-as-last`.',
  last_run_not_kept: 'The next run will not know this one as the last good one.',
  scored_before: 'A line of JSON seems to have been scored before; with `line` and `row`. Once per run.',
  no_rows: 'The input has a header only.',
  unended_record: 'The only row of the input, at `line`, has no line ending, so it may be cut off.',
  long_field: 'A quoted field is suspiciously long; with `line`, `row` and size.',
  worker_not_started: 'The system cannot start a process of `--workers`.',
  signal: 'The command is about to stop; with `signal`.',
  lineage_not_sent: 'At most one line.',
  telemetry_not_sent: 'The same for traces and metrics.',
  not_notified: 'The URL of `--notify-env` cannot be told how the command has ended.',
  on_end_failed: 'The command of `--on-end` has failed, or took too long.',
  on_end_output: 'A line that the command of `--on-end` has written.',
  summary_not_written: 'The summary of a stopped run cannot be written.',
  input_from_terminal: '',
  waiting_for_input: 'A run waits for `file`, because of `why`; at once, then every ten minutes.',
  definition_started: '(`definition`).',
  definition_valid: '(`definition`).',
  next_step: 'What to do after a definition.',
  training_started: '',
  training_skipped: 'The report exists, with `--if-exists skip` or from the same history and options.',
  training_repeated: 'History or options have changed, so the report is trained again.',
  training_note: 'What the training noticed about the data.',
  training_warning: 'A reason to doubt the report; with `code`.',
  report_trained: '(`report`).',
  repaired: 'With the numbers of `rows`.',
  verified: 'The output matches; with `tally` and the rows `sampled`.',
  upload_started: '',
  upload_finished: 'With the numbers of rows.',
  key_created: '(`key`).',
  key_revoked: '(`key`).',
  no_keys: '',
  report_deleted: '(`report`).',
  no_reports: '',
  local_reports_only: 'There is a service, but only local reports are listed.',
  damaged_report: '(`code`).',
  home_writable_by_all: 'Everybody on the machine can replace the reports and keys in `folder`.',
  log_lines_dropped: 'Nobody read stderr, and `count` lines were dropped.',
  node_warning: 'A warning of Node.js; `code` is its name.',
  error: 'The last line; with `code`, `exit_code`, `retryable`, `hint` and where it is.',
  other: 'A line of a library.',
} as const satisfies LogEvents;

/** Event of a log line → what its name does not say: its occasion and members. Names are stable; messages are not. */
export type LogEvents = Readonly<Record<string, string>>;

/** Events of `serve`. Trainings of the web platform have those of `train`, too. */
export const serviceEvents = {
  serving: '(`url`).',
  admin_serving: 'Health and metrics are at `url`.',
  key_generated: 'There was no key; a temporary one is in `file`.',
  key_damaged: '(`key`).',
  unencrypted: 'Other hosts can reach the service without TLS.',
  browser_not_opened: '',
  reloaded: 'SIGHUP: certificate and keys were read again.',
  reload_failed: 'SIGHUP: the certificate was not replaced.',
  draining: 'A `signal` has come; requests in flight are finished.',
  connections_cut: 'At the deadline, `count` connections were still busy.',
  thread_died: '',
  request: '(`method`, `route`, `status`, `ms`, `rows`, `reqId`).',
  request_failed: 'A request ended with 500; with `err`.',
  response_spilled: 'A response that its client does not read is buffered on disk.',
  response_aborted: '',
  connections_closed: 'By kind of reason, with counts; at most one line in ten seconds, as for the next two.',
  requests_refused: 'Before they were read.',
  handshakes_failed: 'Of TLS.',
  training_ended: 'On the web platform; with `status`.',
  training_failed: 'Unexpectedly; with `err`.',
  training_state_not_written: '',
  testing_results_damaged: '',
  uploads_removed: 'Of an earlier process, `count` unfinished uploads were removed.',
  run_failed: 'On the web platform, unexpectedly; with `err`.',
} as const satisfies LogEvents;

/** The name of a documented event. */
export type LoggedEvent = keyof typeof commandEvents | keyof typeof serviceEvents;

/** The compiler checks every object that is given to a logger, also to those of Fastify's requests, which are pino's. */
declare module 'pino' {
  namespace pino {
    interface LogFnFields {
      event: LoggedEvent;
    }
  }
}
