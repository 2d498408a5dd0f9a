import { RowcastError } from '../../base/errors.ts';
import { backends, isPattern, namesMatching } from '../../storage/backends.ts';
import { fixedFolderOf, folderOf, nameFrom } from '../../storage/folders.ts';

/** One of several inputs. */
export interface InputFile {
  path: string;
  /** Its folder: below the fixed part of its pattern, or as given. */
  dir: string;
}

/**
 * Finds the inputs that paths and patterns name, in the given order; the files of a pattern are sorted.
 *
 * @param stop ends waiting for a store
 * @throws RowcastError `no_such_file` if a pattern matches nothing, `usage` for stdin
 * @throws Interrupted
 */
export async function findInputs(
  names: readonly string[],
  among = backends,
  stop?: AbortSignal,
): Promise<InputFile[]> {
  const found = new Map<string, InputFile>();
  const add = (path: string, dir: string): void => {
    if (!found.has(path)) found.set(path, { path, dir });
  };
  for (const name of names) {
    if (name === '-')
      throw new RowcastError(
        'usage',
        'stdin cannot be one of several inputs, or get its output by a pattern',
        {
          hint: 'Score it with a command of its own.',
        },
      );
    if (!(await isPattern(name, among, stop))) {
      add(name, folderOf(name));
      continue;
    }
    const paths = await namesMatching(name, among, stop);
    if (paths.length === 0)
      throw new RowcastError('no_such_file', 'no file matches the pattern', {
        location: { file: name },
        hint: 'Check the folder and the pattern; * does not match names that begin with a dot.',
      });
    const folder = fixedFolderOf(name);
    for (const path of paths) {
      const own = folderOf(path);
      add(path, own === folder ? '.' : nameFrom(folder, own) || '.');
    }
  }
  return [...found.values()];
}
