import { type ErrorDetails, RowcastError } from './errors.ts';

/** A failure as it crosses from a worker thread: structured cloning keeps no class and no own fields of an error. */
export interface Failure {
  code: string;
  message: string;
  details: ErrorDetails;
}

/** What a worker posts of an error. One that is no RowcastError keeps its stack, because it is a defect. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RowcastError) {
    const { code, message, consequence, location: place, hint } = error;
    return {
      code,
      message,
      details: { consequence, location: place, ...(hint === undefined ? {} : { hint }) },
    };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal', message, details: { consequence: 'stopped' } };
}

export function fromFailure({ code, message, details }: Failure): RowcastError {
  return new RowcastError(code, message, details);
}
