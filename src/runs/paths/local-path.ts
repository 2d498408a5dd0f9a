import { RowcastError } from '../../base/errors.ts';
import { schemeOf } from '../../base/scheme.ts';
import type { Target } from '../../storage/target.ts';

/**
 * Checks that no name is a URL, for what works with files only.
 *
 * @param needs what needs local files, as the subject of a sentence
 * @throws RowcastError `usage`
 */
export function checkLocal(names: readonly string[], needs: string): void {
  const url = names.find(name => schemeOf(name) !== undefined);
  if (url === undefined) return;
  throw new RowcastError('usage', `${needs} local files`, {
    location: { file: url },
    hint: 'Score it in one process, or copy it to a folder that all machines see.',
  });
}

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
