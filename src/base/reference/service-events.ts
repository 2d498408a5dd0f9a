import type { LogEvents } from './log-events.ts';

/** Events of `serve`. Trainings of the web platform have those of `train`, too. */
export const serviceEvents = {
  serving: 'The service listens at `url`.',
  admin_serving: 'Health and metrics are at `url`.',
  key_generated: 'There was no key; a temporary one is in `file`.',
  key_damaged: 'The stored `key` is damaged.',
  unencrypted: 'Other hosts can reach the service without TLS.',
  browser_not_opened: 'No browser could be opened.',
  reloaded: 'SIGHUP: certificate and keys were read again.',
  reload_failed: 'SIGHUP: the certificate was not replaced.',
  draining: 'A `signal` has come; requests in flight are finished.',
  connections_cut: '`count` connections were still busy at the deadline.',
  thread_died: 'A thread has ended unexpectedly.',
  request: 'A request has ended; with `method`, `route`, `status`, `ms`, `rows` and `reqId`.',
  request_failed: 'A request ended with 500; with `err`.',
  response_spilled: 'A client does not read its response, which is buffered on disk.',
  response_aborted: 'A response could not be finished.',
  connections_closed:
    'Connections were closed for a reason, counted by kind. At most one line in ten seconds.',
  requests_refused: 'Requests were refused before they were read, counted by kind.',
  handshakes_failed: 'TLS handshakes failed, counted by kind.',
  training_ended: 'A training of the web platform has ended; with `status`.',
  training_failed: 'A training of the web platform failed unexpectedly; with `err`.',
  training_state_not_written: 'The state of a training cannot be written.',
  testing_results_damaged: 'The testing results of a report cannot be evaluated.',
  uploads_removed: '`count` unfinished uploads of an earlier process were removed.',
  run_failed: 'A run of the web platform failed unexpectedly; with `err`.',
} as const satisfies LogEvents;
