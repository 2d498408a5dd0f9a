import { createHash } from 'node:crypto';
import { createReadStream, type Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Report, reportId, report as reportShape } from '../api/shapes.ts';
import { RowcastError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { loadModel, type Model } from './model.ts';

/**
 * Local reports: `<home>/reports/<id>/` with report.json (as the service answers it), model.zip,
 * testing-results.csv, and SHA256SUMS (as sha256sum writes it), by which damage is found.
 */
export const reportFiles = ['report.json', 'model.zip', 'testing-results.csv'] as const;
export type ReportFile = (typeof reportFiles)[number];
export const sumsFile = 'SHA256SUMS';

export interface ListedReport {
  id: string;
  /** Undefined where the folder is damaged. */
  report: Report | undefined;
  /** Why the report cannot be served. */
  damage: RowcastError | undefined;
}

/** All reports under a home, by id, damaged ones among them; none where the home does not exist. */
export async function listReports(home: string): Promise<ListedReport[]> {
  const ids = (await entries(reportsFolder(home)))
    .filter(entry => entry.isDirectory() && reportId.safeParse(entry.name).success)
    .map(entry => entry.name)
    .sort();
  return Promise.all(
    ids.map(async id => {
      try {
        return { id, report: await readReport(home, id), damage: undefined };
      } catch (error) {
        if (!(error instanceof RowcastError)) throw error;
        return { id, report: undefined, damage: error };
      }
    }),
  );
}

/** Throws RowcastError `bad_report_id`, `no_such_report` or `damaged_report`, as all functions here do. */
export async function readReport(home: string, id: string): Promise<Report> {
  const folder = reportFolder(home, id);
  const bytes = await readIntact(home, id, 'report.json');
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch (cause) {
    throw damaged(id, folder, 'report.json is not JSON', cause);
  }
  const report = reportShape.safeParse(parsed);
  if (!report.success) throw damaged(id, folder, 'report.json is not a report', report.error);
  if (report.data.id !== id) throw damaged(id, folder, `report.json is that of "${report.data.id}"`);
  return report.data;
}

/** The path of a report's testing results, which are undamaged. */
export async function testingResultsFile(home: string, id: string): Promise<string> {
  const file = 'testing-results.csv';
  const folder = reportFolder(home, id);
  const expected = await sumOf(home, id, file);
  const path = join(folder, file);
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (cause) {
    throw damaged(id, folder, `${file} cannot be read`, cause);
  }
  if (hash.digest('hex') !== expected) throw damaged(id, folder, `${file} has changed`);
  return path;
}

/** Loads a report's model into an engine. */
export async function loadReportModel(home: string, id: string, engine: Engine): Promise<Model> {
  const report = await readReport(home, id);
  try {
    const model = await loadModel(engine, await readIntact(home, id, 'model.zip'));
    if (model.classes.join('\n') === report.classes.join('\n')) return model;
    model.engine.unload();
    throw new Error('it is of other classes than the report');
  } catch (cause) {
    if (cause instanceof RowcastError && cause.code === 'damaged_report') throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw damaged(id, reportFolder(home, id), `its model does not load: ${reason}`, cause);
  }
}

/** Changes whenever the report is written anew. */
export async function reportVersion(home: string, id: string): Promise<string> {
  const folder = reportFolder(home, id);
  try {
    const { ino, mtimeMs, size } = await stat(join(folder, sumsFile));
    return `${ino} ${mtimeMs} ${size}`;
  } catch (cause) {
    throw await absent(home, id, cause);
  }
}

export function reportsFolder(home: string): string {
  return resolve(home, 'reports');
}

/** The folder of a report, whether it is there or not; the id is checked before it becomes a path. */
export function reportFolder(home: string, id: string): string {
  if (!reportId.safeParse(id).success) {
    throw new RowcastError('bad_report_id', 'A report id is 1 to 64 letters, digits, "-" and "_".');
  }
  return join(reportsFolder(home), id);
}

async function readIntact(home: string, id: string, file: ReportFile): Promise<Buffer> {
  const expected = await sumOf(home, id, file);
  const folder = reportFolder(home, id);
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, file));
  } catch (cause) {
    throw damaged(id, folder, `${file} cannot be read`, cause);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== expected) {
    throw damaged(id, folder, `${file} has changed`);
  }
  return bytes;
}

async function sumOf(home: string, id: string, file: ReportFile): Promise<string> {
  const folder = reportFolder(home, id);
  let sums: string;
  try {
    sums = await readFile(join(folder, sumsFile), 'utf8');
  } catch (cause) {
    throw await absent(home, id, cause);
  }
  const sum = sums.split('\n').find(line => line.endsWith(`  ${file}`));
  if (sum === undefined) throw damaged(id, folder, `${sumsFile} does not list ${file}`);
  return sum.slice(0, 64);
}

/** What it means that a report's sums cannot be read: no folder is no report, a folder without them is damaged. */
async function absent(home: string, id: string, cause: unknown): Promise<RowcastError> {
  const siblings = await entries(reportsFolder(home));
  if (siblings.some(entry => entry.name === id)) {
    return damaged(id, reportFolder(home, id), `${sumsFile} cannot be read`, cause);
  }
  const ids = siblings.map(entry => entry.name).filter(name => reportId.safeParse(name).success);
  return new RowcastError('no_such_report', `There is no report "${id}" in ${reportsFolder(home)}.`, {
    hint:
      ids.length === 0
        ? 'Train one first: rowcast train HISTORY.csv --predict COLUMN.'
        : `There are: ${ids.sort().join(', ')}.`,
    cause,
  });
}

async function entries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))) return [];
    throw error;
  }
}

function damaged(id: string, folder: string, what: string, cause?: unknown): RowcastError {
  return new RowcastError('damaged_report', `The report "${id}" is damaged: ${what}.`, {
    place: { file: folder },
    hint: 'Train it again.',
    cause,
  });
}
