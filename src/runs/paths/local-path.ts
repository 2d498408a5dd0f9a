import { RowcastError } from '../../base/errors.ts';
import type { Target } from '../../storage/target.ts';

/**
 * The path of an output, for what works with its files.
 *
 * @param needs what needs a local file, as the subject of a sentence
 * @throws RowcastError `usage` for any other output
 */
export function localPath({ name, path }: Pick<Target, 'name' | 'path'>, needs: string): string {
  if (path !== undefined) return path;
  throw new RowcastError('usage', `${needs} an output that is a local file`, {
    location: { file: name },
    hint: 'Give -o FILE. A finished file can be copied elsewhere.',
  });
}
