import type { LogEvents } from './log-events.ts';

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
