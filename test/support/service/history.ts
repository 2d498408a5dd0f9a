import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrainedReport } from '../../../src/base/contract/schemas.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { trainReport } from '../../../src/training/train.ts';
import type { TrainingOptions } from '../../../src/training/train-options.ts';
import { sharedFolder } from '../folder.ts';
import { root } from '../root.ts';

/**
 * A small labelled data set with a signal in an amount, a plan and a tenure; about a tenth of the cells are missing.
 */
export function history(options: { rows: number; seed?: number; classes?: readonly string[] }): string[][] {
  const { rows, seed = 7, classes = ['No', 'Yes'] } = options;
  const random = seededRandom(seed);
  const plans = ['Basic', 'Größe "L", 5G', 'プレミアム'];
  const table = [['customer', 'monthly amount', 'plan', '__proto__', 'outcome']];
  for (let i = 0; i < rows; i++) {
    const kind = Math.floor(random() * classes.length);
    const noisy = random() < 0.15 ? Math.floor(random() * classes.length) : kind;
    const maybe = (text: string) => (random() < 0.1 ? ' ' : text);
    table.push([
      `id-${(random() * 2 ** 32).toString(36)}-${i}`,
      maybe((20 + 30 * kind + 20 * random()).toFixed(2)),
      maybe(plans[(kind + Math.floor(random() * 2)) % plans.length] ?? ''),
      maybe(String(Math.floor(random() * 40))),
      classes[noisy] ?? '',
    ]);
  }
  return table;
}

export function csv(table: readonly (readonly string[])[]): string {
  const field = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return table.map(row => `${row.map(field).join(',')}\n`).join('');
}

/** A new data directory with a file of training data in it. */
export async function homeWith(
  table: readonly (readonly string[])[],
): Promise<{ home: string; historyFile: string }> {
  const home = await sharedFolder();
  const historyFile = join(home, 'history.csv');
  await writeFile(historyFile, csv(table));
  return { home, historyFile };
}

/** Copies a data directory into an empty folder. Its reports are links to their versions, which stay relative. */
export const copyHome = (home: string, folder: string): Promise<void> =>
  cp(home, folder, { recursive: true, verbatimSymlinks: true });

let trained: Promise<string> | undefined;

/** A data directory with the report `churn` of the fixtures, trained once. */
export function churnHome(): Promise<string> {
  trained ??= sharedFolder().then(async home => {
    const historyFile = join(root, 'fixtures/telecom-history.csv');
    await trainReport({ historyFile, predict: 'churned', id: 'churn', home });
    return home;
  });
  return trained;
}

/** Trains a report of classes. */
export async function trainClasses(options: TrainingOptions): Promise<TrainedReport> {
  const report = await trainReport(options);
  assert.ok(report.classes !== undefined, 'the report is one of numbers');
  return report;
}
