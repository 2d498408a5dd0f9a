import type {
  FailureCause,
  FailureKind,
  FailureRule,
  FailureTable,
} from '../scoring/failures/failure-rule.ts';

/**
 * What each kind of failure means and what is done about it. `scoring/failures/decide.ts` applies these rules; the
 * table in docs/exit-codes-and-errors.md is generated from here. Statuses are those of RFC 9110 section 15 and RFC 6585
 * section 4.
 */
export const failureTable: FailureTable = {
  unavailable: {
    when: 'no or a broken connection, no response in time',
    does:
      'retries with growing waits, and stops after `--max-outage`. While others succeed, a batch is halved after ' +
      'three attempts, and a single row rejected after `--max-outage`.',
    statuses: [408, 502, 504],
    causes: ['service_unreachable', 'service_timeout', 'connection_broken'],
    service: 'down',
    attempts: 3,
    action: 'isolate',
    evidence: { for: 'last', requests: 1, share: 0 },
    notByRows: { codes: ['service_unreachable'] },
    rowUsesMaxOutage: true,
    maxOutage: { without: 'response' },
  },
  busy: {
    when: 'overload or a rate limit',
    does:
      'retries, not before `Retry-After`, and stops when no batch has succeeded for `--max-outage`. A 503 without ' +
      'it counts against its batch if at least ten other requests finished meanwhile, nine in ten of them ' +
      'successfully: after three such failures, it is halved, or the row rejected.',
    statuses: [429, 503],
    causes: [],
    service: 'down',
    attempts: 3,
    action: 'isolate',
    evidence: { for: 'each', requests: 10, share: 0.9 },
    notByRows: { statuses: [429], withRetryAfter: true },
    maxOutage: { without: 'scored batch' },
  },
  rejected_request: {
    when: 'a rejected request',
    does:
      'the batch is halved until the offending rows are isolated and rejected; after a 413, later batches are ' +
      'smaller. Before any row is scored, stops if a whole batch, or the first three single rows, fail alike.',
    statuses: [400, 413, 422],
    causes: [],
    service: 'up',
    attempts: 1,
    action: 'isolate',
  },
  model_rejected: {
    when: 'of a model server, a rejected request',
    does:
      'the same; rows that the response names are rejected at once. Stops if three different rows, or all of a ' +
      'batch, fail alike first.',
    statuses: [],
    causes: [],
    service: 'up',
    attempts: 1,
    action: 'isolate',
    stopsIfFirstAlike: true,
  },
  server_error: {
    when: 'an internal error, or any other 5xx',
    does:
      'after three attempts, if others succeed, halves the batch or rejects a single row; else as if the service ' +
      'were unavailable.',
    statuses: [500],
    otherStatusesFrom: 500,
    causes: [],
    service: 'down',
    attempts: 3,
    action: 'isolate',
    evidence: { for: 'last', requests: 1, share: 0 },
    maxOutage: { without: 'response', afterFailures: 3 },
  },
  model_error: {
    when: 'of a model server, an error of the model',
    does:
      'the same after three attempts, or as if the service were unavailable. Stops if the service is ready and ' +
      'three different rows fail alike first.',
    statuses: [],
    causes: [],
    service: 'down',
    attempts: 3,
    action: 'isolate',
    evidence: { for: 'last', requests: 1, share: 0 },
    notByRows: { withRetryAfter: true },
    stopsIfFirstAlike: true,
    maxOutage: { without: 'response', afterFailures: 3 },
  },
  too_slow: {
    when: 'of a model server, no response of the model in time',
    does:
      'halves the batch after two attempts, later ones are smaller; a single row as if the service were ' +
      'unavailable.',
    statuses: [],
    causes: [],
    service: 'down',
    attempts: 2,
    action: 'isolate',
    evidence: { for: 'last', requests: 1, share: 0 },
    splitsWithoutEvidence: true,
    rowUsesMaxOutage: true,
    maxOutage: { without: 'response' },
  },
  invalid_response: {
    when:
      'an invalid response: count, shape, report, compression, another request, surplus bytes, or no valid ' +
      'prediction',
    does: 'stops after three attempts. If only some predictions are invalid, rejects these rows.',
    statuses: [],
    causes: [
      'invalid_body',
      'headers_too_large',
      'encoded_answer',
      'other_response',
      'surplus_bytes',
      'no_accounts',
    ],
    attempts: 3,
    action: 'stop',
    retryAllInvalid: true,
  },
  fatal: {
    when:
      'a wrong key, an unknown report, a redirect, an oversized response, any other status; other classes; an ' +
      'untrusted certificate; http for https; an unknown host',
    does: 'stops at once.',
    statuses: [401, 403, 404, 405, 415, 501],
    otherStatusesFrom: 0,
    causes: ['answer_too_large', 'classes_changed', 'permanent_error', 'client_closed'],
    attempts: 1,
    action: 'stop',
  },
};

/** A table in which some statuses mean another kind of failure. */
export function withStatuses(
  table: FailureTable,
  moved: Partial<Record<FailureKind, readonly number[]>> = {},
): FailureTable {
  const all = Object.values(moved).flat();
  const kinds = Object.entries(table).map(([kind, rule]) => {
    const own = rule.statuses.filter(status => !all.includes(status));
    return [kind, { ...rule, statuses: [...own, ...(moved[kind as FailureKind] ?? [])] }];
  });
  return Object.fromEntries(kinds) as FailureTable; // it has the same kinds
}

/** The kind of failure for an HTTP status other than 200. */
export function kindOfStatus(status: number, table = failureTable): FailureKind {
  return (
    kindWhere(table, ({ statuses }) => statuses.includes(status)) ??
    kindWhere(table, ({ otherStatusesFrom: first }) => first !== undefined && status >= first) ??
    'fatal'
  );
}

/** The kind of a failure without a usable response. */
export function kindOfCause(cause: FailureCause, table = failureTable): FailureKind {
  return kindWhere(table, ({ causes }) => causes.includes(cause)) ?? 'fatal';
}

/** The first kind whose row fits. */
function kindWhere(table: FailureTable, fits: (rule: FailureRule) => boolean): FailureKind | undefined {
  const kinds = Object.keys(table) as FailureKind[]; // its type says so
  return kinds.find(kind => fits(table[kind]));
}
