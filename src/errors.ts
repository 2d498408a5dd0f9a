/** What a failure means for the run; `cli/exit-codes.ts` turns it into an exit code. */
export type Consequence =
  /** Nothing was done: usage, definition, missing input or report, wrong key at the start. */
  | 'refused'
  /** Stopped before the end: service gone, malformed input, disk full. */
  | 'stopped'
  /** Finished, but something does not add up. */
  | 'unbalanced';

/** Where a failure was found, in units that a person can look up. */
export interface Location {
  file?: string;
  /** 1-based line of the file, as `sed -n Np` counts them. */
  line?: number;
  /** 1-based number of the data row; the header and blank lines are not counted. */
  row?: number;
  /** What was asked of which service, for example `POST http://127.0.0.1:8080/user/persona`. */
  request?: string;
}

export interface ErrorDetails {
  consequence?: Consequence;
  location?: Location;
  /** What to do next, as a sentence. */
  hint?: string;
  cause?: unknown;
}

/** A failure that the user can act on: a stable code, a sentence, a place and a next step. */
export class RowcastError extends Error {
  override readonly name = 'RowcastError';
  readonly code: string;
  consequence: Consequence;
  readonly location: Location;
  hint: string | undefined;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.consequence = details.consequence ?? 'refused';
    this.location = { ...details.location };
    this.hint = details.hint;
  }

  /** The run had begun: what would have refused it now stops it. */
  duringRun(): this {
    if (this.consequence === 'refused') this.consequence = 'stopped';
    return this;
  }

  /** Adds what a caller further out knows of the place; what was said first stays. */
  addLocation(place: Location): this {
    Object.assign(this.location, { ...place, ...this.location });
    return this;
  }
}
