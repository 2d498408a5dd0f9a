import { type ErrorDetails, RowcastError } from './errors.ts';

/** An error as passed between threads: structured cloning loses an error's class and its own members. */
export interface ThreadError {
  code: string;
  message: string;
  details: ErrorDetails;
}

/** Prepares an error for another thread. If it is not a RowcastError, it is a bug, and its stack is kept. */
export function toThreadError(error: unknown): ThreadError {
  if (isRowcastError(error)) {
    const { code, message, severity, location, hint, quote, needsRestart } = error;
    return {
      code,
      message,
      details: {
        severity,
        location,
        needsRestart,
        ...(hint === undefined ? {} : { hint }),
        ...(quote === undefined ? {} : { quote }),
      },
    };
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
