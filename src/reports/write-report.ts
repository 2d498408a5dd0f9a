import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../contract/schemas.ts';
import { RowcastError } from '../errors.ts';
import { syncFolder, writeDurably } from '../storage/local/atomic-write.ts';
import { makeFolder, unwritableHome } from './data-directory.ts';
import {
  absentReport,
  checkReadable,
  type ReportFile,
  reportFiles,
  reportFolder,
  reportsFolder,
  sumsFile,
} from './report-store.ts';

export interface ReportContents {
  report: Report;
  model: Uint8Array;
  testingResults: Uint8Array;
}

/** Writing a report takes seconds: a version that nothing points to for this long is what a killed training left. */
const ABANDONED_MS = 10 * 60_000;

/**
 * Writes a version of a report into a folder of its own, then points `<id>`, a symbolic link, to it in one
 * rename: a reader finds the old version or the new one, whoever else writes the same id, and the last one
 * stays. Only the owner can read it (0700, 0600): it holds rows of the history.
 */
export async function writeReport(home: string, contents: ReportContents): Promise<void> {
  const { report, model, testingResults } = contents;
  const pointer = reportFolder(home, report.id);
  const reports = reportsFolder(home);
  await makeFolder(reports);
  // A leading dot is no report id, so that none of these is ever taken for a report; nor is a plus, for a version.
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
    await syncFolder(folder);
    await symlink(version, link);
    const before = await targetOf(pointer);
    // A folder that is no link was copied here by hand; a link cannot be renamed over it.
    if (before === 'folder') await rename(pointer, replaced).catch(unlessMissing);
    await rename(link, pointer);
    isPlaced = true;
    await syncFolder(reports);
    if (before !== undefined && made.test(before)) await remove(join(reports, before));
  } finally {
    await remove(link);
    await remove(replaced);
    if (!isPlaced) await remove(join(reports, version));
  }
  await sweep(reports);
}

/**
 * Deletes a report, a damaged one too: it is gone in one rename, whoever reads it, and then its files are removed.
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
    await syncFolder(reports);
    await remove(deleted);
    if (made.test(version)) await remove(join(reports, version));
  } catch (cause) {
    if (cause instanceof RowcastError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw await absentReport(home, id, cause);
    throw unwritableHome(home, 'reports', cause);
  }
}

/** What this file makes beside the reports; group 1 is a version's id. */
const made = /^\.(?:([\w-]+)|\+link|\+replaced|\+trial|\+deleted)\.[0-9a-f]{12}$/;

/** What is at a report's place: a link, by what it says; a folder; or nothing. */
async function targetOf(pointer: string): Promise<string | undefined> {
  const found = await lstat(pointer).catch(unlessMissing);
  if (found === undefined) return undefined;
  return found.isSymbolicLink() ? await readlink(pointer) : 'folder';
}

/** Removes what killed trainings have left, and versions that were replaced by two trainings at once. */
async function sweep(reports: string): Promise<void> {
  for (const name of await readdir(reports)) {
    const [whole, id] = made.exec(name) ?? [];
    if (whole === undefined || (id !== undefined && (await targetOf(join(reports, id))) === name)) continue;
    const path = join(reports, name);
    const found = await lstat(path).catch(unlessMissing);
    if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS) await remove(path);
  }
}

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

function unlessMissing(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause;
}
