import { createHash } from 'node:crypto';
import type { Dirent, ReadStream } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Report, reportId, report as reportShape } from '../contract/schemas.ts';
import { RowcastError } from '../errors.ts';
import { formatList, sanitize } from '../sanitize.ts';
import { isMissing } from '../storage/local/missing.ts';
import { unreadableHome } from './data-directory.ts';
import { loadModel, type Model } from './model/model-file.ts';

/**
 * Local reports: `<home>/reports/<id>/` with report.json (as in the service's response), model.zip, testing-results.csv,
 * and SHA256SUMS (in the format of sha256sum), which reveals damage. `<id>` is a symbolic link to the latest version, a
 * folder next to it; a real folder instead of the link works too.
 */
export const reportFiles = ['report.json', 'model.zip', 'testing-results.csv'] as const;
export type ReportFile = (typeof reportFiles)[number];
export const sumsFile = 'SHA256SUMS';

export interface ListedReport {
  id: string;
  /** Undefined if the report is damaged. */
  report: Report | undefined;
  /** Why the report cannot be served. */
  damage: RowcastError | undefined;
}

/** All reports in a data directory, sorted by id, including damaged ones; none if the directory does not exist. */
export async function listReports(home: string): Promise<ListedReport[]> {
  const ids = (await entries(reportsFolder(home)))
    .filter(
      entry => (entry.isDirectory() || entry.isSymbolicLink()) && reportId.safeParse(entry.name).success,
    )
    .map(entry => entry.name)
    .sort();
  return Promise.all(
    ids.map(async id => {
      try {
        return { id, report: await ofOneVersion(home, id, checkWhole), damage: undefined };
      } catch (error) {
        if (!(error instanceof RowcastError)) throw error;
        return { id, report: undefined, damage: error };
      }
    }),
  );
}

/** Reads a report and verifies the checksums of all its files. */
async function checkWhole(version: Version): Promise<Report> {
  const report = await readReportOf(version);
  for (const file of reportFiles) await readIntact(version, file);
  return report;
}

/** A report as in the service's response: with a digest that changes when it is trained again. */
export function readReportResponse(home: string, id: string): Promise<Report & { model_sha256: string }> {
  return ofOneVersion(home, id, async version => ({
    ...(await readReportOf(version)),
    model_sha256: await sumOf(version, 'model.zip'),
  }));
}

/** @throws RowcastError `bad_report_id`, `no_such_report` or `damaged_report`, as all functions here do */
export function readReport(home: string, id: string): Promise<Report> {
  return ofOneVersion(home, id, readReportOf);
}

/** Whether there is a report with that id, damaged or not. */
export async function hasReport(home: string, id: string): Promise<boolean> {
  return (await lstat(reportFolder(home, id)).catch(() => undefined)) !== undefined;
}

async function readReportOf(version: Version): Promise<Report> {
  const { id } = version;
  const bytes = await readIntact(version, 'report.json');
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch (cause) {
    throw damaged(version, 'report.json is not JSON', cause);
  }
  const report = reportShape.safeParse(parsed);
  if (!report.success) throw damaged(version, 'report.json is not a report', report.error);
  if (report.data.id !== id)
    throw damaged(version, `report.json belongs to the report "${sanitize(report.data.id)}"`);
  return report.data;
}

/** A report's testing results, verified. The stream stays readable when the report is replaced. */
export function testingResults(home: string, id: string): Promise<ReadStream> {
  const name = 'testing-results.csv';
  return ofOneVersion(home, id, async version => {
    const expected = await sumOf(version, name);
    let file: FileHandle | undefined;
    try {
      file = await open(join(version.folder, name));
      const hash = createHash('sha256');
      await pipeline(file.createReadStream({ autoClose: false }), hash);
      if (hash.digest('hex') === expected) return file.createReadStream({ start: 0 });
    } catch (cause) {
      await file?.close();
      throw damaged(version, `${name} cannot be read`, cause);
    }
    await file.close();
    throw damaged(version, `${name} has changed`);
  });
}

/** Loads a report's model. */
export function loadReportModel(home: string, id: string): Promise<Model> {
  return ofOneVersion(home, id, async version => {
    const report = await readReportOf(version);
    try {
      const model = await loadModel(await readIntact(version, 'model.zip'));
      if (model.classes.join('\n') === report.classes.join('\n')) return model;
      model.engine.unload();
      throw new Error('its classes differ from the report’s');
    } catch (cause) {
      if (cause instanceof RowcastError && cause.code === 'damaged_report') throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw damaged(version, `its model does not load: ${reason}`, cause);
    }
  });
}

/**
 * Changes whenever the report is written again. Called for every prediction, so an intact report costs only one stat;
 * errors are explained by `ofOneVersion`.
 */
export async function reportVersion(home: string, id: string): Promise<string> {
  const versionOf = async (folder: string): Promise<string> => {
    const { ino, mtimeMs, size } = await stat(join(folder, sumsFile));
    return `${ino} ${mtimeMs} ${size}`;
  };
  const folder = reportFolder(home, id);
  return versionOf(folder).catch(() =>
    ofOneVersion(home, id, version =>
      versionOf(version.folder).catch(cause => {
        throw damaged(version, `${sumsFile} cannot be read`, cause);
      }),
    ),
  );
}

/** A report as one training wrote it. */
interface Version {
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
async function ofOneVersion<T>(home: string, id: string, read: (version: Version) => Promise<T>): Promise<T> {
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

async function readIntact(version: Version, file: ReportFile): Promise<Buffer> {
  const expected = await sumOf(version, file);
  let bytes: Buffer;
  try {
    bytes = await readFile(join(version.folder, file));
  } catch (cause) {
    throw damaged(version, `${file} cannot be read`, cause);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected) {
    throw damaged(version, `${file} has changed`);
  }
  return bytes;
}

async function sumOf(version: Version, file: ReportFile): Promise<string> {
  let sums: string;
  try {
    sums = await readFile(join(version.folder, sumsFile), 'utf8');
  } catch (cause) {
    throw damaged(version, `${sumsFile} cannot be read`, cause);
  }
  const sum = sums.split('\n').find(line => line.endsWith(`  ${file}`));
  if (sum === undefined) throw damaged(version, `${sumsFile} does not list ${file}`);
  return sum.slice(0, 64);
}

/** The error for a missing report folder: a dangling link is damage; without a link there is no such report. */
export async function absentReport(home: string, id: string, cause: unknown): Promise<RowcastError> {
  const siblings = await entries(reportsFolder(home));
  if (siblings.some(entry => entry.name === id)) {
    return damaged({ id, folder: reportFolder(home, id) }, 'its folder is missing', cause);
  }
  const ids = siblings.map(entry => entry.name).filter(name => reportId.safeParse(name).success);
  return new RowcastError('no_such_report', `there is no report "${id}"`, {
    location: { file: reportsFolder(home) },
    hint:
      ids.length === 0
        ? 'Train one first: rowcast train HISTORY.csv --predict COLUMN.'
        : `Existing reports: ${formatList(ids.sort())}.`,
    cause,
  });
}

/**
 * Checks that the reports folder can be read, if it exists.
 *
 * @throws RowcastError `unreadable_home`
 */
export async function checkReadable(home: string): Promise<void> {
  await entries(reportsFolder(home));
}

/** @throws RowcastError `unreadable_home` */
async function entries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw unreadableHome(folder, 'reports', cause);
  }
}

function damaged({ id, folder }: Version, what: string, cause?: unknown): RowcastError {
  return new RowcastError('damaged_report', `the report "${id}" is damaged: ${what}`, {
    location: { file: folder },
    hint: 'Train it again with --if-exists replace.',
    cause,
  });
}
