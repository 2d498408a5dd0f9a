import { type Location, RowcastError } from '../errors.ts';
import type { Origin } from './transport/response-origin.ts';

/**
 * What each kind of failure means and how it is handled. The client's rules and
 * the table in docs/exit-codes-and-errors.md come from here.
 * Statuses are those of RFC 9110 section 15 and RFC 6585 section 4.
 */
export const failureTable = {
  unavailable: {
    when: 'no connection or a broken one, no response in time',
    statuses: [408, 502, 504],
    does:
      'retried with growing waits until the service has been unavailable for --max-outage; then the run stops. ' +
      'While other requests succeed, a batch that failed three times is halved, and a single row that failed for the ' +
      'whole of --max-outage is rejected.',
  },
  busy: {
    when: 'the service is overloaded or limits the rate',
    statuses: [429, 503],
    does:
      'retried with growing waits, and no sooner than Retry-After says, until no batch has succeeded for --max-outage; ' +
      'then the run stops. A 503 without Retry-After counts against its batch only if at least ten other requests ' +
      'finished since the previous attempt and nine in ten of them succeeded: after three such, the batch is halved, ' +
      'or the single row rejected.',
  },
  rejected_request: {
    when: 'the service rejects this request',
    statuses: [400, 413, 422],
    does:
      'the batch is halved until the offending rows are isolated, and those are rejected. After a 413, later batches are ' +
      'smaller. If no row has been scored yet and a whole batch fails, or the first three single rows fail in the same ' +
      'way, the run stops with the service’s own message.',
  },
  server_error: {
    when: 'an internal error of the service, and every other 5xx',
    statuses: [500],
    does:
      'three attempts; then, if other requests succeed meanwhile, the batch is halved and a single row rejected; ' +
      'otherwise as if the service were unavailable.',
  },
  invalid_response: {
    when: 'an invalid response: wrong number of predictions, wrong shape or report, compressed without being asked, for another request, followed by surplus bytes, or without a single valid prediction',
    statuses: [],
    does:
      'three attempts, then the run stops. If only some personas have invalid probabilities or an error entry, ' +
      'those rows are rejected and the others are merged.',
  },
  fatal: {
    when: 'a wrong key, an unknown report, a redirect, an oversized response, every other status; classes that differ from the output header; an untrusted certificate; http sent to an https port or the reverse; a host name that never resolved',
    statuses: [401, 403, 404],
    does: 'the run stops at once.',
  },
} as const;

/** The kind of a failed request: it decides whether to retry, halve, reject or stop. */
export type FailureKind = keyof typeof failureTable;

export interface CallDetails {
  location: Location;
  hint?: string | undefined;
  cause?: unknown;
  status?: number | undefined;
  /** Seconds from the Retry-After header. */
  retryAfter?: number | undefined;
  /** The connection of the response, unless the response is known to belong to its request. */
  origin?: Origin | undefined;
}

/** A failed request. */
export class CallError extends RowcastError {
  readonly kind: FailureKind;
  /** HTTP status, if there was a response. */
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly origin: Origin | undefined;

  constructor(kind: FailureKind, code: string, message: string, details: CallDetails) {
    super(code, message, {
      // A wrong key or report refuses the run; an unavailable service stops it.
      severity: kind === 'fatal' ? 'refused' : 'stopped',
      location: details.location,
      cause: details.cause,
      ...(details.hint !== undefined && { hint: details.hint }),
    });
    this.kind = kind;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.origin = details.origin;
  }
}

/** The kind of failure for an HTTP status other than 200. */
export function kindOfStatus(status: number): FailureKind {
  const listed = (kind: FailureKind): boolean => failureTable[kind].statuses.some(known => known === status);
  if (listed('unavailable')) return 'unavailable';
  if (listed('busy')) return 'busy';
  if (listed('rejected_request')) return 'rejected_request';
  return status >= 500 ? 'server_error' : 'fatal';
}

/** A hint for the user, if there is one for this status and problem code. */
export function hintOfStatus(status: number, code?: string): string | undefined {
  if (status === 401 || status === 403) return 'Check the key in ROWCAST_API_KEY or --api-key-file.';
  if (status === 404) return 'Check --report and --url.';
  // A record or header that is too large does not depend on the batch size.
  if (code === 'record_too_long' || code === 'too_many_columns') return undefined;
  if (status === 413) return 'Use a smaller --batch-rows or --batch-bytes.';
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, to protect the key: give the final URL with --url.';
  return undefined;
}

/**
 * Parses a Retry-After header, a number of seconds or a date (RFC 9110 section 10.2.3).
 *
 * @returns seconds; undefined if the header is invalid
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
