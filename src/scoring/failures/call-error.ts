import { type Location, RowcastError, type Severity } from '../../base/errors.ts';
import type { FailureKind } from './failure-rule.ts';

/** A CallError as plain data: what a scorer returns, perhaps from another thread, and what the failure table decides on. */
export interface Failure {
  readonly kind: FailureKind;
  /** Shown to the user, as are message, location and hint. */
  readonly code: string;
  readonly message: string;
  readonly location: Location;
  readonly hint?: string | undefined;
  /** Whether the same command cannot resume the run that this failure stops. */
  readonly needsRestart?: boolean | undefined;
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined;
  /** Seconds from the Retry-After header. */
  readonly retryAfter?: number | undefined;
  /** The id of the response's origin, unless the response is known to belong to its request. */
  readonly origin?: number | undefined;
}

export type CallDetails = Pick<
  Failure,
  'location' | 'hint' | 'needsRestart' | 'status' | 'retryAfter' | 'origin'
> & {
  cause?: unknown;
};

/** What a failure means once it ends a command: a wrong key or report refuses it, an unavailable service may come back. */
export const severities: Readonly<Record<FailureKind, Severity>> = {
  unavailable: 'temporary',
  busy: 'temporary',
  server_error: 'temporary',
  rejected_request: 'stopped',
  invalid_response: 'stopped',
  fatal: 'refused',
};

/** A failed request or call. Whoever implements a scorer makes it from whatever went wrong. */
export class CallError extends RowcastError {
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly origin: number | undefined;

  constructor(kind: FailureKind, code: string, message: string, details: CallDetails) {
    super(code, message, {
      severity: severities[kind],
      location: details.location,
      cause: details.cause,
      ...(details.hint !== undefined && { hint: details.hint }),
      needsRestart: details.needsRestart ?? false,
    });
    this.kind = kind;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.origin = details.origin;
  }

  static from(failure: Failure): CallError {
    return new CallError(failure.kind, failure.code, failure.message, failure);
  }

  toFailure(): Failure {
    const { kind, code, message, location, hint, needsRestart, status, retryAfter, origin } = this;
    return { kind, code, message, location, hint, needsRestart, status, retryAfter, origin };
  }
}
