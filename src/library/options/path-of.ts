import { fileURLToPath } from 'node:url';
import { RowcastError } from '../../base/errors.ts';

/**
 * A path or URL of an option as a name.
 *
 * @throws RowcastError `bad_option`
 */
export function pathOf(option: string, given: unknown): string {
  if (given instanceof URL) return given.protocol === 'file:' ? fileURLToPath(given) : given.href;
  if (typeof given === 'string' && given !== '') return given;
  throw new RowcastError('bad_option', `${option}: expected a path, a URL or a stream`);
}
