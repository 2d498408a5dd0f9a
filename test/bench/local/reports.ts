import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import JSZip from 'jszip';
import { description, descriptionFile, saveModel } from '../../../src/models/model/model-format.ts';
import { readReport } from '../../../src/models/store/report-store.ts';
import { reportFolder } from '../../../src/models/store/report-version.ts';
import { writeReport } from '../../../src/models/store/write-report.ts';
import { columnValues, Designer } from '../../../src/training/learn/features/design.ts';
import { lossOfClasses } from '../../../src/training/learn/loss.ts';
import { defaultEncoding } from '../../../src/training/learn/selection/search.ts';
import { learn } from '../../../src/training/learn/selection/validate.ts';
import { learnColumns } from '../../../src/training/rows/learn-columns.ts';
import { readHistory } from '../../../src/training/rows/read-history.ts';
import { labelsOf } from '../../../src/training/rows/split-rows.ts';
import { rowcast } from '../../support/rowcast.ts';

/** The trees of a model: one per round for two classes, else one per class and round. */
export interface Trees {
  rounds: number;
  trees: number;
  /** The mean number of leaves of a tree. */
  leaves: number;
}

export interface Training {
  home: string;
  id: string;
  historyFile: string;
  predict: string;
}

const SEED = 1;

/** Trains a report with the command. */
export async function trainReport({ home, id, historyFile, predict }: Training): Promise<void> {
  const args = ['train', historyFile, '--predict', predict, '--report', id];
  const { code, stderr } = await rowcast(args, { env: { ROWCAST_HOME: home } });
  if (code !== 0) throw new Error(stderr);
}

/** Replaces the model of a trained report with one of a certain number of rounds and leaves. */
export async function replaceTrees(
  { home, id, historyFile, predict }: Training,
  { rounds, leaves }: { rounds: number; leaves: number },
): Promise<void> {
  const { header, column, rows, labels } = await readHistory({
    historyFile,
    predict,
    seed: SEED,
    maxRecordBytes: 1 << 20,
  });
  const { classes, labels: numbers } = labelsOf(labels, predict);
  const learned = learnColumns(header, rows, column, {});
  const all = Int32Array.from(rows, (_, row) => row);
  const labelled = { labels: Uint8Array.from(numbers), classes: classes.length };
  const columns = learned.columns.map((each, i) => {
    const at = learned.indexes[i] ?? 0;
    return columnValues(
      each,
      rows.map(row => row[at] ?? ''),
      all,
    );
  });
  const design = new Designer(columns, labelled, all, SEED).design(columns.map(defaultEncoding), all);
  const loss = lossOfClasses(classes.length);
  const settings = { leaves, leafRows: 5, l2: 1, rate: 0.1, featureShare: 1 };
  const candidate = { kind: 'trees', name: 'of the benchmark', loss, settings, maxRounds: rounds } as const;
  const predictor = learn(candidate, design, labelled, all, { rounds, seed: SEED });
  await writeReport(home, {
    report: await readReport(home, id),
    model: await saveModel({ columns: design.columns, classes, predictor }),
    testingResults: await buffer(createReadStream(join(reportFolder(home, id), 'testing-results.csv'))),
  });
}

/** The trees of a report's model; undefined if it has none. */
export async function treesOf(home: string, id: string): Promise<Trees | undefined> {
  const zip = await JSZip.loadAsync(await readFile(join(reportFolder(home, id), 'model.zip')));
  const model = description.parse(JSON.parse((await zip.file(descriptionFile)?.async('string')) ?? ''));
  if (model.predictor.kind !== 'trees') return undefined;
  const { roots, features } = model.predictor;
  const trees = roots.length;
  const leaves = features.filter(feature => feature === -1).length;
  return { rounds: trees / model.predictor.base.length, trees, leaves: leaves / trees };
}
