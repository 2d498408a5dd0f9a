import { rm } from 'node:fs/promises';
import { classesOf } from '../../../src/base/contract/predictions.ts';
import { columnEncoderOf } from '../../../src/formats/columns/column-encoder.ts';
import { predictColumns } from '../../../src/models/model/engine.ts';
import { loadModel, type Model } from '../../../src/models/model/model-file.ts';
import { loadReportModel } from '../../../src/models/store/report-model.ts';
import { areaUnderCurve } from '../../../src/training/findings/roc.ts';
import { fit } from '../../../src/training/fit.ts';
import { accuracy } from '../../../src/training/learn/evaluation.ts';
import { bin } from '../../support/rowcast.ts';
import { run } from '../runs.ts';

/** A split, or a table in a file, and the results of scikit-learn's HGB for it: the output of models.py. */
export interface Table {
  name: string;
  train: string[][];
  labels: string[];
  /** Instead of those: training data that is used completely. */
  file?: string;
  test: string[][];
  truth: string[];
  classes: string[];
  probabilities: number[][];
  /** CPU seconds of HGB's fit. */
  seconds: number;
}

export interface Scores {
  accuracy: number;
  area: number;
}

export interface Ours extends Scores {
  /** CPU seconds from rows of text to the report: selection, evaluated model, drivers and served model. */
  seconds: number;
  /** Per predicted row. */
  microseconds: number;
  algorithm: string;
  /** Of the process, if it has its own. */
  process?: { seconds: number; megabytes: number };
}

const predict = 'y';

/** Trains on the rows of a split, in this process. */
export async function ofRows({ train, labels, test, truth }: Table): Promise<Ours> {
  const width = train[0]?.length ?? 0;
  const header = [...Array.from({ length: width }, (_, i) => `x${i}`), predict];
  const begun = process.cpuUsage();
  const { report, model } = await fit(
    { header, column: width, rows: train.map((row, i) => [...row, labels[i] ?? '']), labels, notes: [] },
    { id: 'bench', predict, seed: 1 },
  );
  const { user, system } = process.cpuUsage(begun);
  const algorithm = report.tech_specs.algorithm;
  return { seconds: (user + system) / 1e6, algorithm, ...served(await loadModel(model), test, truth) };
}

/** Trains on a file with the command, in its own process. */
export async function ofFile(file: string, { test, truth }: Table): Promise<Ours> {
  const home = `${file}.home`;
  const args = [bin, 'train', file, '--predict', predict, '--report', 'bench'];
  const taken = await run({ file: process.execPath, args, env: { ROWCAST_HOME: home } });
  if (taken?.cpu === undefined || taken.rss === undefined)
    throw new Error(`rowcast ${args.join(' ')} failed`);
  const scores = served(await loadReportModel(home, 'bench'), test, truth);
  await rm(home, { recursive: true });
  const { seconds, cpu, rss } = taken;
  return { seconds: cpu, algorithm: '', ...scores, process: { seconds, megabytes: rss / 1e6 } };
}

const PREDICTIONS = 5;

/** The served model on unseen rows. */
function served({ engine, columns, prediction }: Model, test: string[][], truth: string[]) {
  const encoded = columns.map(learned => {
    const encode = columnEncoderOf(learned);
    const place = Number(learned.name.slice(1));
    return test.map(row => encode(row[place] ?? ''));
  });
  let probabilities: Float64Array = new Float64Array();
  let best = Infinity;
  for (let i = 0; i < PREDICTIONS; i++) {
    const begun = performance.now();
    probabilities = predictColumns(engine, encoded);
    best = Math.min(best, performance.now() - begun);
  }
  return {
    ...scoresOf(probabilities, truth, classesOf(prediction)),
    microseconds: (1000 * best) / test.length,
  };
}

/** The same metrics for HGB's probabilities. */
export function scoredBy({ probabilities, truth, classes }: Table): Scores {
  return scoresOf(Float64Array.from(probabilities.flat()), truth, classes);
}

function scoresOf(probabilities: Float64Array, truth: string[], classes: readonly string[]): Scores {
  const scored = { probabilities, labels: truth.map(name => classes.indexOf(name)), classes: classes.length };
  return { accuracy: accuracy(scored), area: areaUnderCurve(scored) ?? Number.NaN };
}
