import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reportFolder } from '../../models/store/report-folder.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';

/**
 * Checks that the training data is not a file of the report that the training will replace and delete.
 *
 * @param files paths, or `-` for stdin
 * @throws RowcastError `output_is_input`, `bad_report_id`
 */
export async function checkHistoryApart(files: readonly string[], home: string, id: string): Promise<void> {
  const folder = reportFolder(home, id);
  const names = await readdir(folder, { recursive: true }).catch(() => []); // there is no such report
  const read = files.map(file => ({
    at: file === '-' ? 0 : file,
    what: 'the training data',
    option: '--report',
  }));
  const replaced = names.map(name => ({
    at: join(folder, name),
    what: `a file of report ${id}, which would be replaced,`,
    option: '--report',
  }));
  await checkApart(read, replaced);
}
