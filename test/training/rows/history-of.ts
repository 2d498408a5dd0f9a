import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type HistoryOptions, readHistory } from '../../../src/training/rows/read-history.ts';
import { newFolder } from '../../support/folder.ts';

/** Reads training data in files with these contents, whose column to predict is y. */
export async function historyOf(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<HistoryOptions> = {},
) {
  const folder = await newFolder(t, files);
  const [historyFile = '', ...furtherFiles] = Object.keys(files).map(name => join(folder, name));
  const all = { historyFile, furtherFiles, predict: 'y', seed: 1, maxRecordBytes: 1 << 20, ...options };
  const history = await readHistory(all);
  return { ...history, notes: history.notes.map(note => note.replaceAll(`${folder}/`, '')) };
}
