import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { writeDurably } from '../../storage/local/atomic-write.ts';
import { makeFolder, removeAbandoned, unwritableHome } from '../../storage/local/home-folder.ts';
import { isMissing, unlessMissing } from '../../storage/local/missing.ts';
import {
  absentReport,
  checkReadable,
  type ReportFile,
  reportFiles,
  reportFolder,
  reportsFolder,
  sumsFile,
} from './report-version.ts';

interface ReportContents {
  report: Report;
  model: Uint8Array;
  testingResults: Uint8Array;
}

/**
 * Writes a version of a report to a new folder, then atomically switches the symbolic link `<id>` to it: readers see
 * either the old or the new version, and of concurrent writers the last one wins. Only the owner can read it (0700,
 * 0600), because it contains rows of the training data.
 */
export async function writeReport(home: string, contents: ReportContents): Promise<void> {
  const { report, model, testingResults } = contents;
  const pointer = reportFolder(home, report.id);
  const reports = reportsFolder(home);
  await makeFolder(reports);
  // A report id cannot start with a dot, so none of these is mistaken for a report, nor, with a plus, for a version.
  const mark = randomBytes(6).toString('hex');
  const version = `.${report.id}.${mark}`;
  const link = join(reports, `.+link.${mark}`);
  const replaced = join(reports, `.+replaced.${mark}`);
  const bytes: Record<ReportFile, Uint8Array> = {
    'report.json': Buffer.from(`${JSON.stringify(report, null, 2)}\n`),
    'model.zip': model,
    'testing-results.csv': testingResults,
  };
  let isPlaced = false;
  try {
    const folder = join(reports, version);
    await mkdir(folder, { mode: 0o700 });
    for (const file of reportFiles) await writeDurably(join(folder, file), bytes[file]);
    const sums = reportFiles.map(
      file => `${createHash('sha256').update(bytes[file]).digest('hex')}  ${file}\n`,
    );
    await writeDurably(join(folder, sumsFile), Buffer.from(sums.join('')));
    await diskFiles.syncFolder(folder);
    await symlink(version, link);
    const before = await targetOf(pointer);
    // A real folder was copied here by hand; a link cannot be renamed over it.
    if (before === 'folder') await rename(pointer, replaced).catch(unlessMissing);
    await rename(link, pointer);
    isPlaced = true;
    await diskFiles.syncFolder(reports);
    if (before !== undefined && made.test(before)) await remove(join(reports, before));
  } finally {
    await remove(link);
    await remove(replaced);
    if (!isPlaced) await remove(join(reports, version));
  }
  await sweep(reports);
}

/** Removes what killed trainings have left, also if no further report is written. */
export const removeAbandonedReports = (home: string): Promise<void> => sweep(reportsFolder(home));

/**
 * Deletes a report, even a damaged one: an atomic rename hides it from readers before its files are removed.
 *
 * @throws RowcastError `bad_report_id`, `no_such_report`, `unreadable_home`, `unwritable_home`
 */
export async function deleteReport(home: string, id: string): Promise<void> {
  const pointer = reportFolder(home, id);
  const reports = reportsFolder(home);
  await checkReadable(home);
  try {
    const version = await targetOf(pointer);
    if (version === undefined) throw await absentReport(home, id, undefined);
    const deleted = join(reports, `.+deleted.${randomBytes(6).toString('hex')}`);
    await rename(pointer, deleted);
    await diskFiles.syncFolder(reports);
    await remove(deleted);
    if (made.test(version)) await remove(join(reports, version));
  } catch (cause) {
    if (cause instanceof RowcastError) throw cause;
    if (isMissing(cause)) throw await absentReport(home, id, cause);
    throw unwritableHome(home, 'reports', cause);
  }
}

/** The names that this file creates next to reports; group 1 is the id of a version. */
const made = /^\.(?:([\w-]+)|\+link|\+replaced|\+trial|\+deleted)\.[0-9a-f]{12}$/;

/** What is at a report's path: the target of a link, `folder`, or nothing. */
async function targetOf(pointer: string): Promise<string | undefined> {
  const found = await lstat(pointer).catch(unlessMissing);
  if (found === undefined) return undefined;
  return found.isSymbolicLink() ? await readlink(pointer) : 'folder';
}

/** Removes leftovers of killed trainings, and versions that were replaced by concurrent trainings. */
async function sweep(reports: string): Promise<void> {
  await removeAbandoned(reports, async name => {
    const [whole, id] = made.exec(name) ?? [];
    return whole !== undefined && (id === undefined || (await targetOf(join(reports, id))) !== name);
  });
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
