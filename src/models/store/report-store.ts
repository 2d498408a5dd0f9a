import { createHash } from 'node:crypto';
import type { ReadStream } from 'node:fs';
import { type FileHandle, lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Report, reportId, report as reportShape } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { openRegular } from '../../storage/local/read-files.ts';
import {
  checksumOf,
  damaged,
  listFolder,
  type ReportFile,
  type ReportVersion,
  readIntact,
  reportFiles,
  reportFolder,
  reportsFolder,
  sumsFile,
  withReportVersion,
} from './report-version.ts';

export interface ListedReport {
  id: string;
  /** Undefined if the report is damaged. */
  report: Report | undefined;
  /** Why the report cannot be served. */
  damage: RowcastError | undefined;
  /** When it was trained; undefined if it is damaged. */
  created: Date | undefined;
}

/**
 * Reports in a data directory, sorted by id, including damaged ones; none if the directory does not exist. They are
 * read one after the other, because each takes the memory of its largest file.
 *
 * @param ids of all reports by default
 * @param files whose checksums are verified; those of many models take a while
 */
export async function listReports(
  home: string,
  { ids, files = reportFiles }: { ids?: readonly string[]; files?: readonly ReportFile[] } = {},
): Promise<ListedReport[]> {
  const listed: ListedReport[] = [];
  for (const id of ids ?? (await reportIds(home))) {
    try {
      const read = (version: ReportVersion) => readWhole(version, files);
      listed.push({ id, ...(await withReportVersion(home, id, read)), damage: undefined });
    } catch (error) {
      if (!(error instanceof RowcastError)) throw error;
      listed.push({ id, report: undefined, damage: error, created: undefined });
    }
  }
  return listed;
}

/** The ids of all reports in a data directory, sorted. */
export async function reportIds(home: string): Promise<string[]> {
  return (await listFolder(reportsFolder(home)))
    .filter(
      entry => (entry.isDirectory() || entry.isSymbolicLink()) && reportId.safeParse(entry.name).success,
    )
    .map(entry => entry.name)
    .sort();
}

/** The ids of all reports, those that were trained last first. Reads no report, so damaged ones have a place too. */
export async function newestReportIds(home: string): Promise<string[]> {
  const found = await Promise.all(
    (await reportIds(home)).map(async id => {
      const info = await stat(join(reportFolder(home, id), sumsFile)).catch(() => undefined);
      return { id, trained: info?.mtimeMs ?? 0 };
    }),
  );
  return found.sort((a, b) => b.trained - a.trained).map(({ id }) => id);
}

/** Reads a report and verifies the checksums of files. */
async function readWhole(
  version: ReportVersion,
  files: readonly ReportFile[],
): Promise<{ report: Report; created: Date }> {
  const report = await readReportOf(version);
  for (const file of files) await readIntact(version, file);
  // Written by every training.
  const { mtime } = await stat(join(version.folder, sumsFile));
  return { report, created: mtime };
}

/** A report as in the service's response: with a digest that changes when it is trained again. */
export function readReportResponse(home: string, id: string): Promise<Report & { model_sha256: string }> {
  return withReportVersion(home, id, async version => ({
    ...(await readReportOf(version)),
    model_sha256: await checksumOf(version, 'model.zip'),
  }));
}

/** @throws RowcastError `bad_report_id`, `no_such_report` or `damaged_report`, as all functions here do */
export function readReport(home: string, id: string): Promise<Report> {
  return withReportVersion(home, id, readReportOf);
}

/** Whether there is a report with that id, damaged or not. */
export async function hasReport(home: string, id: string): Promise<boolean> {
  return (await lstat(reportFolder(home, id)).catch(() => undefined)) !== undefined;
}

/** The report of a version. */
export async function readReportOf(version: ReportVersion): Promise<Report> {
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

/**
 * A report's testing results, verified. The stream stays readable when the report is replaced.
 *
 * @throws RowcastError also `no_testing_results` for a model that was imported without labelled rows
 */
export function testingResults(home: string, id: string): Promise<ReadStream> {
  const name = 'testing-results.csv';
  return withReportVersion(home, id, async version => {
    const expected = await checksumOf(version, name);
    let file: FileHandle | undefined;
    try {
      file = await openRegular(join(version.folder, name));
      if (file === undefined) throw new Error('it is not a regular file');
      const hash = createHash('sha256');
      await pipeline(file.createReadStream({ autoClose: false }), hash);
      if (hash.digest('hex') === expected) {
        if ((await file.stat()).size === 0) throw noTestingResults(id);
        return file.createReadStream({ start: 0 });
      }
    } catch (cause) {
      await file?.close();
      if (cause instanceof RowcastError) throw cause;
      throw damaged(version, `${name} cannot be read`, cause);
    }
    await file.close();
    throw damaged(version, `${name} has changed`);
  });
}

const noTestingResults = (id: string): RowcastError =>
  new RowcastError('no_testing_results', `the report "${id}" was imported, so it has no testing results`, {
    hint: 'Import it again with labelled rows: rowcast import … --test FILE --predict COLUMN.',
  });

/**
 * Changes whenever the report is written again. Called for every prediction, so an intact report costs only one stat;
 * errors are explained by `withReportVersion`.
 */
export async function reportVersion(home: string, id: string): Promise<string> {
  const versionOf = async (folder: string): Promise<string> => {
    const { ino, mtimeMs, size } = await stat(join(folder, sumsFile));
    return `${ino} ${mtimeMs} ${size}`;
  };
  const folder = reportFolder(home, id);
  return versionOf(folder).catch(() =>
    withReportVersion(home, id, version =>
      versionOf(version.folder).catch(cause => {
        throw damaged(version, `${sumsFile} cannot be read`, cause);
      }),
    ),
  );
}
