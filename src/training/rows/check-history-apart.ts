import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reportFolder } from '../../reports/report-store.ts';
import { checkApart } from '../../storage/local/distinct-files.ts';

/**
 * Checks that a history is none of the files of the report that the training replaces, and removes.
 *
 * @param historyFile a path, or `-` for stdin
 * @throws RowcastError `output_is_input`, `bad_report_id`
 */
export async function checkHistoryApart(historyFile: string, home: string, id: string): Promise<void> {
  const folder = reportFolder(home, id);
  const names = await readdir(folder, { recursive: true }).catch(() => []); // there is no such report
  const history = { at: historyFile === '-' ? 0 : historyFile, what: 'the history', option: '--report' };
  const replaced = names.map(name => ({
    at: join(folder, name),
    what: `a file of report ${id}, which would be replaced,`,
    option: '--report',
  }));
  await checkApart([history], replaced);
}
