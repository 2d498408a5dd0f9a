import { type Location, RowcastError, type Severity } from '../../base/errors.ts';
import type { FailureKind } from './failure-rule.ts';

/**
 * A CallError as plain data: what a scorer returns, perhaps from another thread, and what the failure table decides on.
 */
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
  /** Whether the key is wrong, or no longer right: another one may do. */
  readonly refusesKey?: boolean | undefined;
  /** Seconds from the Retry-After header. */
  readonly retryAfter?: number | undefined;
  /** The rows at fault, if the service names them. */
  readonly rows?: readonly RowFault[] | undefined;
  /** The largest number of rows of a request, if it had more. */
  readonly maxRows?: number | undefined;
  /** The id of the response's origin, unless the response is known to belong to its request. */
  readonly origin?: number | undefined;
}

/** A row at fault. */
export interface RowFault {
  /** Its index among the well-formed records of the batch. */
  readonly row: number;
  /** What the service says about it. */
  readonly message: string;
}

export type CallDetails = Omit<Failure, 'kind' | 'code' | 'message'> & { cause?: unknown };

/**
 * What a failure means once it ends a command: a wrong key or report refuses it, an unavailable service may come back.
 */
export const severities: Readonly<Record<FailureKind, Severity>> = {
  unavailable: 'temporary',
  busy: 'temporary',
  server_error: 'temporary',
  model_error: 'temporary',
  too_slow: 'temporary',
  rejected_request: 'stopped',
  model_rejected: 'stopped',
  invalid_response: 'stopped',
  fatal: 'refused',
};

/** A failed request or call. Whoever implements a scorer makes it from whatever went wrong. */
export class CallError extends RowcastError {
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly refusesKey: boolean;
  readonly retryAfter: number | undefined;
  readonly rows: readonly RowFault[] | undefined;
  readonly maxRows: number | undefined;
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
    this.refusesKey = details.refusesKey ?? false;
    this.retryAfter = details.retryAfter;
    this.rows = details.rows;
    this.maxRows = details.maxRows;
    this.origin = details.origin;
  }

  static from(failure: Failure): CallError {
    return new CallError(failure.kind, failure.code, failure.message, failure);
  }

  toFailure(): Failure {
    const { kind, code, message, location, hint, needsRestart, status, retryAfter, rows, maxRows, origin } =
      this;
    return { kind, code, message, location, hint, needsRestart, status, retryAfter, rows, maxRows, origin };
  }
}
