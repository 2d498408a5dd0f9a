/** What a failure means for whoever started the command, and its exit code. */
export const exitCodes = {
  /** Nothing was done: wrong usage or definition, missing input or report, wrong key. */
  refused: 2,
  /** Stopped before the end, and would stop again: too many rejects, malformed input. */
  stopped: 3,
  /** Finished, but the results are inconsistent. */
  unbalanced: 4,
  /** A bug in rowcast. */
  bug: 70,
  /** May succeed later without a change: service unavailable, output locked, disk full. */
  temporary: 75,
} as const satisfies Record<string, number>;

export type Severity = keyof typeof exitCodes;

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
  hint?: string | undefined;
  /** What the data has there, as a sentence without its full stop; see `RowcastError.quote`. */
  quote?: string | undefined;
  /** Whether the same command cannot resume the run that this error stops: it needs another option, or starts over. */
  needsRestart?: boolean;
  /** Whether the input ends too early, perhaps because another program still writes it. */
  isUnfinished?: boolean;
  cause?: unknown;
}

/** An error that the user can act on: a stable code, a message, a location and a hint. */
export class RowcastError extends Error {
  override readonly name = 'RowcastError';
  readonly code: string;
  severity: Severity;
  readonly location: Location;
  hint: string | undefined;
  /**
   * Values of rows, for the person who started the command. They are in no message, because messages are logged and
   * kept.
   */
  readonly quote: string | undefined;
  /** Whether the same command cannot resume the run that this error stops. */
  readonly needsRestart: boolean;
  /** Whether the input ends too early, perhaps because another program still writes it. */
  readonly isUnfinished: boolean;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.severity = details.severity ?? 'refused';
    this.location = { ...details.location };
    this.hint = details.hint;
    this.quote = details.quote;
    this.needsRestart = details.needsRestart ?? false;
    this.isUnfinished = details.isUnfinished ?? false;
  }

  /** The exit code of a command that ends with this error. */
  get exitCode(): number {
    return exitCodes[this.severity];
  }

  /** Whether the same command may succeed later, although nobody changes anything. */
  get retryable(): boolean {
    return this.severity === 'temporary';
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

/** An error as passed between threads: structured cloning loses an error's class and its own members. */
export interface ThreadError {
  code: string;
  message: string;
  details: ErrorDetails;
}

/** Prepares an error for another thread. If it is not a RowcastError, it is a bug, and its stack is kept. */
export function toThreadError(error: unknown): ThreadError {
  if (isRowcastError(error)) {
    const { code, message, severity, location, hint, quote, needsRestart, isUnfinished } = error;
    return { code, message, details: { severity, location, hint, quote, needsRestart, isUnfinished } };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal', message, details: { severity: 'bug' } };
}

/** By its name: what a thread's bundle loads from another one has a class of its own. */
const isRowcastError = (error: unknown): error is RowcastError =>
  error instanceof Error && error.name === 'RowcastError';

export function fromThreadError({ code, message, details }: ThreadError): RowcastError {
  return new RowcastError(code, message, details);
}
