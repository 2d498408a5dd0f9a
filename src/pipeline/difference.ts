import { type Place, RowcastError } from '../errors.ts';

/** What `verify` finds: OUTPUT is not what comes of INPUT. */
export function difference(message: string, place: Place): RowcastError {
  return new RowcastError('difference', message, {
    consequence: 'unbalanced',
    place,
    hint: 'One of the files was changed since, or they do not belong together.',
  });
}
