import { type Location, RowcastError } from '../errors.ts';

const HINT = 'One of the files was changed since, or they do not belong together.';

/** What `verify` finds: OUTPUT does not match INPUT. */
export function mismatch(message: string, location: Location, hint = HINT): RowcastError {
  return new RowcastError('difference', message, { consequence: 'unbalanced', location, hint });
}
