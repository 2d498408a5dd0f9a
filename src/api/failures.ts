import { type Place, RowcastError } from '../errors.ts';

/** What a failed call means for the run. */
export type FailureKind =
  /** The service is away or busy: try again later. */
  | 'outage'
  /** The service failed over this request: try again a few times. */
  | 'fault'
  /** The service will not have this request: trying again changes nothing. */
  | 'refusal'
  /** The answer cannot be joined to the rows (G4): try again a few times. */
  | 'wrong_answer'
  /** Nothing that is sent will be taken: wrong key, no such report, a redirect. */
  | 'stop';

export interface CallDetails {
  place: Place;
  hint?: string | undefined;
  cause?: unknown;
  /** Seconds that the service asked to be left alone for. */
  retryAfter?: number | undefined;
}

/** A call that failed, and what that means. */
export class CallError extends RowcastError {
  readonly kind: FailureKind;
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, code: string, message: string, details: CallDetails) {
    super(code, message, {
      // A key or report that is wrong before anything was sent refuses the run; an absent service stops it.
      consequence: kind === 'stop' ? 'refused' : 'stopped',
      place: details.place,
      cause: details.cause,
      ...(details.hint !== undefined && { hint: details.hint }),
    });
    this.kind = kind;
    this.retryAfter = details.retryAfter;
  }
}

/** What an HTTP status other than 200 means (RFC 9110 section 15, RFC 6585 section 4). */
export function kindOfStatus(status: number): FailureKind {
  switch (status) {
    case 408:
    case 429:
    case 502:
    case 503:
    case 504:
      return 'outage';
    case 400:
    case 413:
    case 422:
      return 'refusal';
    default:
      return status >= 500 ? 'fault' : 'stop';
  }
}

/** What to do about a status, as a sentence, where there is something. */
export function hintOfStatus(status: number): string | undefined {
  if (status === 401 || status === 403) return 'Check the key in ROWCAST_API_KEY or --api-key-file.';
  if (status === 404) return 'Check --report and --url.';
  if (status === 413) return 'Give a smaller --batch-rows or --batch-bytes.';
  if (status >= 300 && status < 400) return 'Redirects are not followed with a key: give the final --url.';
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
