import { RowcastError } from '../base/errors.ts';
import { absolutePath } from '../base/scheme.ts';
import { findInputs } from '../runs/several/input-files.ts';
import { backendsOf, type StoreValues } from '../storage/backends.ts';

/** The files of training data, as `train` takes them. */
export interface HistoryFiles {
  historyFile: string;
  furtherFiles: readonly string[];
}

/**
 * Finds the files that paths and patterns name, each once, in the given order; the files of a pattern are sorted.
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
  if (only === '-') return { historyFile: only, furtherFiles: [] };
  const found = await findInputs(names, backendsOf(stores));
  // A row that is read twice would be learned and tested.
  const byPath = new Map(found.map(({ path }) => [absolutePath(path), path]));
  const [historyFile = only, ...furtherFiles] = byPath.values();
  return { historyFile, furtherFiles };
}
