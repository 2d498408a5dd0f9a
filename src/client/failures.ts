import { type Location, RowcastError } from '../errors.ts';
import type { Origin } from './transport/response-origin.ts';

/**
 * What each failure means, and what is done about it: the code's rules and the README's table are made from this.
 * Statuses are those of RFC 9110 section 15 and RFC 6585 section 4.
 */
export const failureTable = {
  unavailable: {
    when: 'no connection or a broken one, no response in time',
    statuses: [408, 502, 504],
    does:
      'retried with growing waits until the service has been unavailable for --patience; then the run stops. ' +
      'While other requests succeed, a batch that failed three times is halved, and a single row that failed for the ' +
      'whole of --patience is rejected.',
  },
  busy: {
    when: 'the service has too much to do',
    statuses: [429, 503],
    does:
      'retried with growing waits, and no sooner than Retry-After says, until no batch has succeeded for --patience; ' +
      'then the run stops. A 503 without Retry-After counts against its batch only if at least ten other requests ' +
      'finished since the previous attempt and nine in ten of them succeeded: after three such, the batch is halved, ' +
      'or the single row rejected.',
  },
  rejected_request: {
    when: 'the service rejects this request',
    statuses: [400, 413, 422],
    does:
      'the batch is halved until the refused rows stand alone, and these are rejected. After a 413 later batches are ' +
      'smaller. If no row was ever scored and a whole batch fails, or the first three single rows fail in the same way, ' +
      'whatever it is, the run stops with the service’s own message.',
  },
  server_error: {
    when: 'the service failed over this request, and every other 5xx',
    statuses: [500],
    does:
      'three attempts; then, if other requests succeed meanwhile, the batch is halved and a single row rejected; ' +
      'otherwise as if the service were unavailable.',
  },
  invalid_response: {
    when: 'a response with another count, shape or report, compressed unasked, to another request, followed by more bytes, or without one prediction that makes sense',
    statuses: [],
    does:
      'three tries, then the run stops. One persona’s bad probabilities, or its own error entry, reject that row; ' +
      'the others are merged.',
  },
  fatal: {
    when: 'a wrong key, no such report, a redirect, a response larger than any valid one, every other status; other classes than the header’s; a certificate that is not trusted; http spoken to an https port or the reverse; a host name that is unknown from the start',
    statuses: [401, 403, 404],
    does: 'the run stops at once.',
  },
} as const;

/** What a failed call means for the run. */
export type FailureKind = keyof typeof failureTable;

export interface CallDetails {
  location: Location;
  hint?: string | undefined;
  cause?: unknown;
  status?: number | undefined;
  /** Seconds that the service asked to be left alone for. */
  retryAfter?: number | undefined;
  /** The connection that the response came on, where nothing else says that it answers its own request. */
  origin?: Origin | undefined;
}

/** A call that failed, and what that means. */
export class CallError extends RowcastError {
  readonly kind: FailureKind;
  /** HTTP status, where there was an answer. */
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly origin: Origin | undefined;

  constructor(kind: FailureKind, code: string, message: string, details: CallDetails) {
    super(code, message, {
      // A key or report that is wrong before anything was sent refuses the run; an absent service stops it.
      consequence: kind === 'fatal' ? 'refused' : 'stopped',
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

/** What an HTTP status other than 200 means. */
export function kindOfStatus(status: number): FailureKind {
  const listed = (kind: FailureKind): boolean => failureTable[kind].statuses.some(known => known === status);
  if (listed('unavailable')) return 'unavailable';
  if (listed('busy')) return 'busy';
  if (listed('rejected_request')) return 'rejected_request';
  return status >= 500 ? 'server_error' : 'fatal';
}

/** What to do about a status and its problem's code, as a sentence, where there is something. */
export function hintOfStatus(status: number, code?: string): string | undefined {
  if (status === 401 || status === 403) return 'Check the key in ROWCAST_API_KEY or --api-key-file.';
  if (status === 404) return 'Check --report and --url.';
  // What is too large of a file is no matter of batches.
  if (code === 'record_too_long' || code === 'too_many_columns') return undefined;
  if (status === 413) return 'Use a smaller --batch-rows or --batch-bytes.';
  if (status >= 300 && status < 400)
    return 'Redirects are not followed, to protect the key: give the final URL with --url.';
  return undefined;
}

/**
 * Seconds that a Retry-After header asks for: a number, or a date (RFC 9110 section 10.2.3).
 *
 * @returns undefined for what is neither
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
