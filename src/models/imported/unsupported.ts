import { RowcastError } from '../../base/errors.ts';

/**
 * A model has something that cannot be predicted exactly.
 *
 * @param what as the message, which is no whole sentence
 * @param hint what to do, as a sentence
 */
export function unsupported(what: string, hint: string): RowcastError {
  return new RowcastError('unsupported_model', what, { hint });
}
