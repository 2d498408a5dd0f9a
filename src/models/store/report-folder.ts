import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { reportId } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { unreadableHome } from '../../storage/local/home-folder.ts';
import { isMissing } from '../../storage/local/missing.ts';

export function reportsFolder(home: string): string {
  return resolve(home, 'reports');
}

/** The folder of a report, which need not exist. The id is validated before it becomes part of a path. */
export function reportFolder(home: string, id: string): string {
  if (!reportId.safeParse(id).success) {
    throw new RowcastError('bad_report_id', 'a report id is 1 to 64 letters, digits, "-" and "_"');
  }
  return join(reportsFolder(home), id);
}

/**
 * Checks that the reports folder can be read, if it exists.
 *
 * @throws RowcastError `unreadable_home`
 */
export async function checkReadable(home: string): Promise<void> {
  await listFolder(reportsFolder(home));
}

/**
 * What a folder contains; nothing if it does not exist.
 *
 * @throws RowcastError `unreadable_home`
 */
export async function listFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw unreadableHome(folder, 'reports', cause);
  }
}
