/** What a failure means for the run; `cli/exit-codes.ts` turns it into an exit code. */
export type Severity =
  /** Nothing was done: wrong usage or definition, missing input or report, wrong key. */
  | 'refused'
  /** Stopped before the end: service unavailable, malformed input, disk full. */
  | 'stopped'
  /** Finished, but the results are inconsistent. */
  | 'unbalanced';

/** Where an error occurred, in units that a user can look up. */
export interface Location {
  file?: string;
  /** 1-based line of the file, as `sed -n Np` counts them. */
  line?: number;
  /** 1-based number of the data row; the header and blank lines are not counted. */
  row?: number;
  /** The request that failed, for example `POST http://127.0.0.1:8080/user/persona`. */
  request?: string;
}

export interface ErrorDetails {
  severity?: Severity;
  location?: Location;
  /** What to do next, as a sentence. */
  hint?: string;
  cause?: unknown;
}

/** An error that the user can act on: a stable code, a message, a location and a hint. */
export class RowcastError extends Error {
  override readonly name = 'RowcastError';
  readonly code: string;
  severity: Severity;
  readonly location: Location;
  hint: string | undefined;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.severity = details.severity ?? 'refused';
    this.location = { ...details.location };
    this.hint = details.hint;
  }

  /** Marks an error that occurred after the run had begun: the error stops the run instead of refusing it. */
  duringRun(): this {
    if (this.severity === 'refused') this.severity = 'stopped';
    return this;
  }

  /** Adds what a caller knows about the location; existing members are kept. */
  addLocation(location: Location): this {
    Object.assign(this.location, { ...location, ...this.location });
    return this;
  }
}
