import { type Location, RowcastError } from '../../base/errors.ts';

const HINT = 'One of the files was modified, or they do not belong together.';
/** The end of a hint that names another cause first. */
export const OTHERWISE = 'Otherwise one of the files was modified, or they do not belong together.';

/** The error of `verify`: OUTPUT does not match INPUT. */
export function mismatch(message: string, location: Location, hint = HINT): RowcastError {
  return new RowcastError('difference', message, { severity: 'unbalanced', location, hint });
}
