import type { LogEvents } from './log-events.ts';

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
