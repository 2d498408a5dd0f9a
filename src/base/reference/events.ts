import { reuseEvents } from './reuse/reuse-docs.ts';

/** Events of commands other than `serve`. */
export const commandEvents = {
  run_started: 'With `report`, `service` and `output`.',
  run_resumed: 'At `row`.',
  run_finished: '(`summary`).',
  run_skipped: 'With `--if-exists skip`.',
  run_set_aside: 'An unfinished run of different work is kept under other names.',
  run_suspended: '`command` resumes it at `row`.',
  files_started: 'With their number, `files`.',
  files_suspended: '`command` resumes them.',
  files_finished: '(`summary`).',
  files_verified: '(`files`, `rows`, `seconds`).',
  files_repaired: '(`files`).',
  file_failed: 'With the members of `error`.',
  shard_started: '(`folder`, `shard`, `row`, `attempt`).',
  shard_finished: '(`folder`, `shard`, `rows`, `rejected`).',
  shard_lost: 'Another worker has finished or taken over a `shard` in `folder`.',
  shard_failed: 'A `shard` in `folder` cannot be scored; with `code`. It is tried five times.',
  work_finished: 'With the number of `shards` scored.',
  queue_joined: 'A worker waits for shards from a `queue`.',
  queue_settings: 'A setting of its server is bad for it.',
  queue_ignored: '`ROWCAST_QUEUE` is no URL of a queue, so a run that asks for none does without.',
  queue_lost: 'It cannot be reached; with `code`. It is tried without end.',
  queue_found: 'It can be reached again.',
  run_joined: 'A worker of a queue scores shards in `folder`.',
  run_refused: 'It cannot see `folder`, input or service; with `code`.',
  assembly_started: 'With `parts`, and the space that it `needs`: `bytes` and `free` by disk.',
  assembly_suspended: '`command` resumes it.',
  run_cancelled: 'By `cancel`.',
  run_discarded: '',
  shards_removed: 'Only the folder of shards was left.',
  ledger_unreadable: 'All files are scored.',
  ledger_not_written: '',
  progress:
    'With `rows`, `percent`, `rows_per_second`, `eta_seconds`, `in_flight`, `retries`, `files`; of `batch-predict` ' +
    'bytes, of `train` the step.',
  reject: 'Without a rejects file, or the first with a hint; with `row`, `line`, `code`.',
  rejects_left: 'In the file `rejects`; the message has the commands.',
  rejects_not_listed: 'Further ones are only counted.',
  retry: 'After `wait_ms`, because of `code`; at most every five seconds.',
  unknown_values: 'Values that the model does not know, or far more missing ones.',
  drift: 'Since the run of `--compare`; with `psi`.',
  ...reuseEvents,
  no_comparison: 'There is no run for `--compare` or `--min-rows`.',
  same_as_last: 'See `--if-same-as-last`.',
  last_run_not_kept: 'The next run will not know this one.',
  scored_before: 'A line of JSON; with `line` and `row`. Once a run.',
  no_rows: 'A header only.',
  unended_record: 'The only row, at `line`, may be cut off.',
  long_field: 'With `line`, `row` and size.',
  worker_not_started: 'A process of `--workers`.',
  signal: 'The command is about to stop.',
  lineage_not_sent: 'At most one line.',
  telemetry_not_sent: 'Likewise.',
  not_notified: 'The URL of `--notify-env`.',
  on_end_failed: 'The command of `--on-end`.',
  on_end_output: 'A line that it wrote.',
  summary_not_written: 'Of a stopped run.',
  input_from_terminal: '',
  waiting_for_input: 'For `file`, because of `why`; every ten minutes.',
  definition_started: '(`definition`).',
  definition_valid: '(`definition`).',
  next_step: 'After a definition.',
  training_started: '',
  training_skipped: 'The report exists, or is from the same history and options.',
  training_repeated: 'History or options have changed.',
  training_note: 'About the data.',
  training_warning: 'A reason to doubt the report; with `code`.',
  report_trained: '(`report`).',
  evaluated: 'With `rows` and `labelled`.',
  evaluation_warning: 'A reason to doubt the figures; with `code`.',
  evaluation_note: 'Labels that were not used.',
  import_skipped: 'The report exists.',
  import_note: 'What was assumed.',
  import_warning: 'A reason to doubt the report; with `code`.',
  import_compared: 'With the predictions of `--expect`.',
  repaired: '(`rows`).',
  verified: '(`tally`, `sampled`).',
  upload_started: '',
  upload_finished: 'With the numbers of rows.',
  key_created: '(`key`).',
  key_revoked: '(`key`).',
  no_keys: '',
  report_deleted: '(`report`).',
  no_reports: '',
  local_reports_only: 'There is a service, but only local reports are listed.',
  damaged_report: '(`code`).',
  home_writable_by_all: 'Everybody on the machine can replace what is in `folder`.',
  log_lines_dropped: 'Nobody read stderr; `count` lines.',
  node_warning: '`code` is its name.',
  error: 'The last line; with `code`, `exit_code`, `retryable`, `hint` and where it is.',
  other: 'A line of a library.',
} as const satisfies LogEvents;

/** Event of a log line → what its name does not say: its occasion and members. Names are stable; messages are not. */
export type LogEvents = Readonly<Record<string, string>>;

/** Events of `serve`. Trainings of the web platform have those of `train`, too. */
export const serviceEvents = {
  serving: '(`url`).',
  admin_serving: 'At `url`.',
  key_generated: 'Temporary, in `file`.',
  key_damaged: '(`key`).',
  unencrypted: 'Other hosts can reach the service without TLS.',
  browser_not_opened: '',
  reloaded: 'By SIGHUP.',
  reload_failed: 'The certificate was not replaced.',
  draining: 'After a `signal`.',
  connections_cut: 'At the deadline, `count`.',
  thread_died: '',
  request: '(`method`, `route`, `status`, `ms`, `rows`, `reqId`).',
  request_failed: 'With 500 and `err`.',
  response_spilled: 'Buffered on disk, because it is not read.',
  response_aborted: '',
  connections_closed: 'By kind of reason; at most every ten seconds, as the next two.',
  requests_refused: 'Before they were read.',
  handshakes_failed: 'Of TLS.',
  training_ended: '(`status`).',
  training_failed: 'With `err`.',
  training_state_not_written: '',
  testing_results_damaged: '',
  uploads_removed: 'Unfinished, of an earlier process; `count`.',
  run_failed: 'With `err`.',
} as const satisfies LogEvents;

/** The name of a documented event. */
export type LoggedEvent = keyof typeof commandEvents | keyof typeof serviceEvents;

/**
 * The compiler checks every object that is given to a logger, also to those of Fastify's requests, which are pino's.
 */
declare module 'pino' {
  namespace pino {
    interface LogFnFields {
      event: LoggedEvent;
    }
  }
}
