import type { EncodedColumn, EngineModel } from './engine.ts';
import { logLoss } from './measures.ts';
import { seededRandom, shuffled } from './random.ts';

/** Shuffles of each column; their mean is taken. */
const repeats = 3;
/** More rows than this would cost minutes on wide tables, and move no impact by a percent. */
const mostRows = 5000;

/**
 * Each column's impact, as a share of all: how much the log loss on rows that training did not see rises when
 * the column's values are shuffled among them (permutation importance). A column whose shuffling helps has
 * none. Where no column has any, all share alike, so that impacts always sum to 1.
 */
export function impacts(
  model: EngineModel,
  columns: readonly EncodedColumn[],
  labels: readonly number[],
  seed: number,
): number[] {
  const random = seededRandom(seed);
  const sample = columns.map(values => values.slice(0, mostRows));
  const sampleLabels = labels.slice(0, mostRows);
  const lossOf = (changed: readonly EncodedColumn[]) =>
    logLoss({ probabilities: model.predict(changed), labels: sampleLabels, classes: model.classCount });
  const before = lossOf(sample);
  const rises = sample.map((values, place) => {
    let rise = 0;
    for (let i = 0; i < repeats; i++) {
      rise += lossOf(sample.with(place, shuffled(values, random))) - before;
    }
    return Math.max(0, rise / repeats);
  });
  const total = rises.reduce((sum, rise) => sum + rise, 0);
  return rises.map(rise => (total > 0 ? rise / total : 1 / rises.length));
}
