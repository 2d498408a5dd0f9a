import { RowcastError } from '../base/errors.ts';
import { findInputs } from '../runs/several/input-files.ts';
import { backendsOf, type StoreValues } from '../storage/backends.ts';

/** The files of training data, as `train` takes them. */
export interface HistoryFiles {
  historyFile: string;
  furtherFiles: readonly string[];
}

/**
 * Finds the files that paths and patterns name, in the given order; the files of a pattern are sorted.
 *
 * @param names at least one; `-` for stdin is the only one
 * @throws RowcastError `no_such_file` if a pattern matches nothing, `usage`
 */
export async function findHistory(names: readonly string[], stores: StoreValues): Promise<HistoryFiles> {
  const [only = ''] = names;
  if (names.length > 1 && names.includes('-'))
    throw new RowcastError('usage', 'stdin cannot be one of several files of training data', {
      hint: 'Save it to a file.',
    });
  const found = only === '-' ? [only] : (await findInputs(names, backendsOf(stores))).map(({ path }) => path);
  const [historyFile = only, ...furtherFiles] = found;
  return { historyFile, furtherFiles };
}
