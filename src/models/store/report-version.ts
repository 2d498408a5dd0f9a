import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { reportId } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { formatList } from '../../base/sanitize.ts';
import { commandOf } from '../../base/shell-word.ts';
import { unreadableHome } from '../../storage/local/home-folder.ts';
import { isMissing } from '../../storage/local/missing.ts';
import { readRegular } from '../../storage/local/read-files.ts';

/**
 * Local reports: `<home>/reports/<id>/` with report.json (as in the service's response), model.zip,
 * testing-results.csv, and SHA256SUMS (in the format of sha256sum), which reveals damage. `<id>` is a symbolic link to
 * the latest version, a folder next to it; a real folder instead of the link works too.
 */
export const reportFiles = ['report.json', 'model.zip', 'testing-results.csv'] as const;
export type ReportFile = (typeof reportFiles)[number];
export const sumsFile = 'SHA256SUMS';

/** A report as one training wrote it. */
export interface ReportVersion {
  id: string;
  /** The folder of its files, with links resolved. */
  folder: string;
}

/** Maximum retries when the report is replaced during a read; then the error is reported. */
const MAX_TRIES = 10;

/**
 * Reads from a single version of a report. A training that replaces the report deletes the old version, so a read that
 * fails meanwhile is retried with the new one.
 */
export async function withReportVersion<T>(
  home: string,
  id: string,
  read: (version: ReportVersion) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const folder = await versionFolder(home, id);
    try {
      return await read({ id, folder });
    } catch (error) {
      const isReplaced = (await versionFolder(home, id)) !== folder;
      if (!isReplaced || tries === MAX_TRIES) throw error;
    }
  }
}

async function versionFolder(home: string, id: string): Promise<string> {
  const folder = reportFolder(home, id);
  try {
    return await realpath(folder);
  } catch (cause) {
    throw await absentReport(home, id, cause);
  }
}

/** Reads a file and verifies its checksum. */
export async function readIntact(version: ReportVersion, file: ReportFile): Promise<Buffer> {
  const expected = await checksumOf(version, file);
  let bytes: Buffer;
  try {
    bytes = await readRegular(join(version.folder, file));
  } catch (cause) {
    throw damaged(version, `${file} cannot be read`, cause);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected) {
    throw damaged(version, `${file} has changed`);
  }
  return bytes;
}

/** The checksum that was written with a file. */
export async function checksumOf(version: ReportVersion, file: ReportFile): Promise<string> {
  let sums: string;
  try {
    sums = (await readRegular(join(version.folder, sumsFile))).toString();
  } catch (cause) {
    throw damaged(version, `${sumsFile} cannot be read`, cause);
  }
  const sum = sums.split('\n').find(line => line.endsWith(`  ${file}`));
  if (sum === undefined) throw damaged(version, `${sumsFile} does not list ${file}`);
  return sum.slice(0, 64);
}

/** The error for a missing report folder: a dangling link is damage; without a link there is no such report. */
export async function absentReport(home: string, id: string, cause: unknown): Promise<RowcastError> {
  const siblings = await listFolder(reportsFolder(home));
  if (siblings.some(entry => entry.name === id)) {
    return damaged({ id, folder: reportFolder(home, id) }, 'its folder is missing', cause);
  }
  const ids = siblings.map(entry => entry.name).filter(name => reportId.safeParse(name).success);
  const question = await didYouMean(id, ids);
  return new RowcastError('no_such_report', `there is no report "${id}"`, {
    location: { file: reportsFolder(home) },
    hint:
      ids.length === 0
        ? `Train one first: ${commandOf('train', ['HISTORY.csv', '--predict', 'COLUMN', '--report', id, ...homeFlag(home)])}`
        : `${question}Existing reports: ${formatList(ids.sort())}.`,
    cause,
  });
}

/** The flag for a folder of reports that is not the default one. */
export const homeFlag = (home: string): string[] => (home === resolve('.rowcast') ? [] : ['--home', home]);

/** A question about similar ids, with a space after it; empty if no id is similar. */
async function didYouMean(id: string, ids: readonly string[]): Promise<string> {
  const { suggestNames } = await import('../../base/suggest-names.ts');
  const near = suggestNames(id, ids).map(name => `"${name}"`);
  return near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
}

/** A report whose files are not what a training wrote. */
export function damaged({ id, folder }: ReportVersion, what: string, cause?: unknown): RowcastError {
  return new RowcastError('damaged_report', `the report "${id}" is damaged: ${what}`, {
    location: { file: folder },
    hint: 'Train or import it again with --if-exists replace.',
    cause,
  });
}

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
