import type { ColumnType } from '../api/shapes.ts';
import type { Algorithm, EncodedColumn, Engine, EngineModel } from './engine.ts';
import { accuracy, logLoss, percent, type Scored } from './measures.ts';

/** Columns and labels of one part of the split. */
export interface Part {
  columns: EncodedColumn[];
  labels: number[];
}

export interface Candidate {
  algorithm: Algorithm;
  model: EngineModel;
  /** On the validation part. */
  loss: number;
  accuracy: number;
}

/** What candidates are learned from and compared on. */
export interface Parts {
  types: readonly ColumnType[];
  training: Part;
  validation: Part;
}

/** Slower than this, a model would be the bottleneck of every run; a forest on wide data easily is. */
const slowestRowsPerSecond = 20_000;
export const heaviestBytes = 20 * 1024 * 1024;

/**
 * Trains the contenders and keeps the best on validation that is light and fast enough to serve. Where none
 * is, the best is kept all the same, since a slow report is better than none; the notes say either.
 *
 * What the same data and seed do not settle is the speed: it is measured, as CPU time, so a busy machine does not
 * change it, but on a machine of another speed a model near the limit may be kept or not.
 **/
export async function chooseCandidate(
  engine: Engine,
  { types, training, validation }: Parts,
  contenders: readonly Algorithm[],
): Promise<{ kept: Candidate; notes: string[] }> {
  const trained = contenders.map(algorithm => {
    const model = engine.train(algorithm, { types, ...training });
    const scored = scoredOn(validation, model);
    return { algorithm, model, loss: logLoss(scored), accuracy: accuracy(scored) };
  });
  const notes = trained.map(
    ({ algorithm, loss, accuracy: share }) =>
      `Compared on validation: ${algorithm} with a log loss of ${loss.toFixed(4)} and an accuracy of ${percent(share)}.`,
  );
  const ranked = trained.sort(byMerit);
  for (const candidate of ranked) {
    const fault = unfitness({
      bytes: (await candidate.model.save('')).length,
      rowsPerSecond: measureSpeed(candidate.model, training.columns),
    });
    if (fault === undefined) return { kept: candidate, notes };
    notes.push(`Not kept, ${candidate.algorithm}: ${fault}.`);
  }
  const [best] = ranked;
  if (best === undefined) throw new Error('there are no contenders');
  notes.push(`Kept all the same, ${best.algorithm}: nothing lighter or faster was trained.`);
  return { kept: best, notes };
}

/** What a model says of a part. */
export function scoredOn({ columns, labels }: Part, model: EngineModel): Scored {
  return { probabilities: model.predict(columns), labels, classes: model.classCount };
}

/** The smaller log loss first; the better accuracy where that is equal. */
export function byMerit(
  a: Pick<Candidate, 'loss' | 'accuracy'>,
  b: Pick<Candidate, 'loss' | 'accuracy'>,
): number {
  return a.loss - b.loss || b.accuracy - a.accuracy;
}

/** Why a model is not fit to be served, as the notes say it; undefined where it is. */
export function unfitness({
  bytes,
  rowsPerSecond,
}: {
  bytes: number;
  rowsPerSecond: number;
}): string | undefined {
  if (bytes > heaviestBytes)
    return `it weighs ${mebibytes(bytes)}, over the limit of ${mebibytes(heaviestBytes)}`;
  // No figure of this run in the sentence: the same data is to give the same report.
  if (rowsPerSecond < slowestRowsPerSecond) return 'it predicts fewer than 20,000 rows a second';
  return undefined;
}

export const mebibytes = (size: number): string => `${Math.round(size / 1024 / 1024)} MiB`;

/** By CPU time and the best of five tries: only a model's own slowness counts, and not a machine that is busy. */
function measureSpeed(model: EngineModel, columns: readonly EncodedColumn[]): number {
  const sample = columns.map(values => values.slice(0, 1000));
  const rows = sample[0]?.length ?? 0;
  let best = 0;
  for (let i = 0; i < 5; i++) {
    const start = process.cpuUsage();
    model.predict(sample);
    const { user, system } = process.cpuUsage(start);
    best = Math.max(best, (rows / Math.max(1, user + system)) * 1e6);
  }
  return best;
}
