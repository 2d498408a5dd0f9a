import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '../api/shapes.ts';
import { type ReportFile, reportFiles, reportFolder, reportsFolder, sumsFile } from './reports.ts';

export interface ReportContents {
  report: Report;
  model: Uint8Array;
  testingResults: Uint8Array;
}

/**
 * Writes a report's folder beside the others and renames it into place, so that it is there whole or not at
 * all; one with the same id is replaced. Only the owner can read it (0700, 0600): it holds rows of the history.
 */
export async function writeReport(home: string, contents: ReportContents): Promise<void> {
  const { report, model, testingResults } = contents;
  const folder = reportFolder(home, report.id);
  await mkdir(reportsFolder(home), { recursive: true, mode: 0o700 });
  // A leading dot is no report id, so that neither is ever taken for a report.
  const mark = `${report.id}-${randomBytes(6).toString('hex')}`;
  const temporary = join(reportsFolder(home), `.new-${mark}`);
  const replaced = join(reportsFolder(home), `.old-${mark}`);
  const bytes: Record<ReportFile, Uint8Array> = {
    'report.json': Buffer.from(`${JSON.stringify(report, null, 2)}\n`),
    'model.zip': model,
    'testing-results.csv': testingResults,
  };
  try {
    await mkdir(temporary, { mode: 0o700 });
    for (const file of reportFiles) await writeDurably(join(temporary, file), bytes[file]);
    const sums = reportFiles.map(
      file => `${createHash('sha256').update(bytes[file]).digest('hex')}  ${file}\n`,
    );
    await writeDurably(join(temporary, sumsFile), Buffer.from(sums.join('')));
    await syncFolder(temporary);
    await moveAway(folder, replaced);
    await rename(temporary, folder);
    await syncFolder(reportsFolder(home));
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(replaced, { recursive: true, force: true });
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function moveAway(folder: string, to: string): Promise<void> {
  try {
    await rename(folder, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
