import type { ColumnType } from '../api/shapes.ts';
import type { Algorithm, EncodedColumn, Engine, EngineModel, TreeShape } from './engine.ts';
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

/** With more, a model's trees would be the bottleneck of every run; those of a forest with many classes easily are. */
const mostMicroseconds = 50;
export const heaviestBytes = 20 * 1024 * 1024;

/**
 * Trains the contenders and keeps the best on validation that is light and fast enough to serve. Where none
 * is, the best is kept all the same, since a slow report is better than none; the notes say either.
 *
 * How fast a model is goes by the shape of its trees and not by the clock: the same data and seed give the same report.
 */
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
      microseconds: rowMicroseconds(candidate.algorithm, candidate.model.classCount, candidate.model.shape()),
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
  microseconds,
}: {
  bytes: number;
  microseconds: number;
}): string | undefined {
  if (bytes > heaviestBytes)
    return `it weighs ${mebibytes(bytes)}, over the limit of ${mebibytes(heaviestBytes)}`;
  if (microseconds > mostMicroseconds)
    return `its trees are reckoned to take over ${mostMicroseconds} microseconds a row`;
  return undefined;
}

export const mebibytes = (size: number): string => `${Math.round(size / 1024 / 1024)} MiB`;

/**
 * About what a model's trees take for a row, in microseconds of a core of 2020 or so. A step is from a node to the
 * next; its nanoseconds were fitted to trainings of 300 to 8,000 rows with 2 to 60 classes, and hold to a third.
 */
export function rowMicroseconds(algorithm: Algorithm, classes: number, { trees, depth }: TreeShape): number {
  switch (algorithm) {
    case 'gradient boosted trees':
      return (15 * trees * depth) / 1000;
    case 'random forest':
      // The engine has a faster way for two classes; with more, each tree adds up a number a class.
      return ((classes === 2 ? 6 * depth : 10 * (depth + classes)) * trees) / 1000;
  }
}
