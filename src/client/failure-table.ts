import type {
  FailureCause,
  FailureKind,
  FailureRule,
  FailureTable,
} from '../scoring/failures/failure-rule.ts';

/**
 * What each kind of failure means and what is done about it. `scoring/failures/decide.ts` applies these rules; the table in
 * docs/exit-codes-and-errors.md is generated from here. Statuses are those of RFC 9110 section 15 and RFC 6585 section 4.
 */
export const failureTable: FailureTable = {
  unavailable: {
    when: 'no or a broken connection, no response in time',
    does:
      'retries with exponential backoff; stops when the service has been unavailable for `--max-outage`. ' +
      'While other requests succeed, a batch that failed three times is halved, and a single row that failed ' +
      'for all of `--max-outage` is rejected.',
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
      'retries with exponential backoff, not before `Retry-After`; stops when no batch has succeeded for `--max-outage`. ' +
      'A 503 without `Retry-After` counts against its batch only if at least ten other requests finished since the ' +
      'previous attempt, nine in ten of them successfully: after three such failures, the batch is halved, or a single ' +
      'row rejected.',
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
      'the batch is halved until the offending rows are isolated, and those are rejected; after a 413, later batches are ' +
      'smaller. Before any row has been scored, it stops with the service’s message if a whole batch, or each of the ' +
      'first three single rows, fails in the same way.',
    statuses: [400, 413, 422],
    causes: [],
    service: 'up',
    attempts: 1,
    action: 'isolate',
  },
  model_rejected: {
    when: 'with a model server, a rejected request',
    does:
      'the batch is halved until the offending rows are isolated, and those are rejected; rows that the response names are ' +
      'rejected at once. Before any row has been scored, it stops with the service’s message if three different rows, each ' +
      'sent alone, or all rows of a batch, fail in the same way.',
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
      'after three attempts, if other requests succeed meanwhile, halves the batch or rejects a single row; otherwise as ' +
      'if the service were unavailable.',
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
    when: 'with a model server, an error of the model, which overload or a single row may cause',
    does:
      'after three attempts, if other requests succeed meanwhile, halves the batch or rejects a single row; otherwise as ' +
      'if the service were unavailable. Before any row has been scored, it stops with the service’s message if the service ' +
      'is ready and three different rows, each sent alone, fail in the same way.',
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
    when: 'with a model server, no response of the model in time',
    does:
      'halves the batch after two attempts, and makes later batches smaller; retries a single row as if the service were ' +
      'unavailable, and rejects it after `--max-outage` if other requests succeed meanwhile.',
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
    when: 'an invalid response: wrong number of predictions, wrong shape or report, compressed unrequested, of another request, followed by surplus bytes, or without a valid prediction',
    does:
      'stops after three attempts. If only some personas have invalid probabilities or an error entry, rejects those rows ' +
      'and merges the others.',
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
    when: 'a wrong key, an unknown report, a redirect, an oversized response, any other status; other classes than the output header; an untrusted certificate; http to an https port or the reverse; a host name that never resolved',
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
