import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { linearScores } from './compiled-linear.ts';
import type { CompiledModel } from './compiled-model.ts';
import { predictionsOf, toScores } from './scores.ts';
import { allToSinglePrecision, kernelRounding } from './single-precision.ts';
import { kernelScores, type PreparedTrees, preparedTrees } from './trees/kernel-scores.ts';
import { type AddScores, treeScores } from './trees/walk-trees.ts';

/** Rows scored at once: with 100 features, their values take 200 KiB of the core's cache. */
const BLOCK_ROWS = 256;

/**
 * A column as numbers, null for missing values. Numerical and date columns have finite values; a
 * categorical one has level numbers, from 1.
 */
export type ColumnNumbers = (number | null)[];

interface TreeShape {
  trees: number;
  /** The mean depth of all leaves. */
  depth: number;
}

export interface EngineModel {
  /** Predicted numbers per row. */
  readonly width: number;
  /**
   * For each row, a probability per class, in the order of the report's classes, or the predicted numbers.
   *
   * @param values a number per column and row, row after row: a level, a number or a date; NaN for a missing value
   */
  predict(values: Float64Array, rows: number): Float64Array;
  /** For each row its scores, from which the predictions are made; libraries call them raw. */
  scores(values: Float64Array, rows: number): Float64Array;
  /** The shape of the trees, which determines the cost of a row; a linear model has no trees. */
  shape(): TreeShape;
  /** Frees the memory; the model cannot be used afterwards. */
  unload(): void;
}

interface ModelUse {
  /** If many rows are to be scored: what a kernel reads is kept in it, which takes some milliseconds. */
  memory?: BatchMemory | undefined;
  /** What `preparedOf` has returned; otherwise it is computed. */
  prepared?: PreparedTrees | undefined;
}

/** What preparing a model for many rows comes to; undefined if it has no trees. */
export const preparedOf = ({ stride, predictor }: CompiledModel): PreparedTrees | undefined =>
  predictor.kind === 'trees' ? preparedTrees(predictor, stride) : undefined;

/** Prepares a model to predict. */
export function engineOf(
  { width: predicted, stride, output, targets, predictor }: CompiledModel,
  { memory, prepared }: ModelUse = {},
): EngineModel {
  const columns = targets.length;
  const expand = targets.every(table => table === undefined) ? undefined : targetReader(targets, stride);
  const width = targets.reduce((sum, table) => sum + (table === undefined ? 1 : stride), 0);
  const shape =
    predictor.kind === 'trees'
      ? { trees: predictor.roots.length, depth: predictor.depth }
      : { trees: 0, depth: 0 };
  let addScores: AddScores | undefined =
    predictor.kind === 'linear'
      ? linearScores(predictor, width, stride)
      : memory === undefined
        ? treeScores(predictor, width, stride)
        : kernelScores(predictor, width, stride, memory, prepared);
  const round = !output.isRounded
    ? (numbers: Float64Array) => numbers
    : memory === undefined
      ? allToSinglePrecision
      : kernelRounding(memory);
  const isSingle = predictor.kind === 'trees' && predictor.isSingle;
  const { base } = predictor;
  const scoresOf = (values: Float64Array, rows: number): Float64Array => {
    if (addScores === undefined) throw new Error('the model was unloaded');
    const scores = new Float64Array(rows * stride);
    fillWith(scores, base);
    for (let from = 0; from < rows; from += BLOCK_ROWS) {
      const to = Math.min(rows, from + BLOCK_ROWS);
      const block = values.subarray(from * columns, to * columns);
      const features = expand === undefined ? block : expand(block, to - from);
      addScores(features, to - from, scores.subarray(from * stride, to * stride));
    }
    toScores(scores, output, stride);
    return scores;
  };
  return {
    width: predicted,
    predict: (values, rows) =>
      round(predictionsOf(scoresOf(values, rows), output, { stride, width: predicted, isSingle })),
    scores: scoresOf,
    shape: () => shape,
    unload: () => {
      addScores = undefined;
    },
  };
}

/** Fills an array with repetitions of a shorter one. */
function fillWith(scores: Float64Array, base: Float64Array): void {
  const [only = 0] = base;
  if (base.length === 1) scores.fill(only);
  else for (let at = 0; at < scores.length; at += base.length) scores.set(base, at);
}

/** Returns a function that replaces the levels of target-encoded columns by their numbers. */
function targetReader(targets: CompiledModel['targets'], stride: number) {
  const columns = targets.length;
  const width = targets.reduce((sum, table) => sum + (table === undefined ? 1 : stride), 0);
  const features = new Float64Array(BLOCK_ROWS * width);
  return (values: Float64Array, rows: number): Float64Array => {
    let feature = 0;
    targets.forEach((table, column) => {
      for (let row = 0; row < rows; row++) {
        const value = values[row * columns + column] as number;
        const at = row * width + feature;
        if (table === undefined) features[at] = value;
        // A missing value has no numbers, so it is missing in each feature.
        else
          for (let i = 0; i < stride; i++) features[at + i] = table[(value - 1) * stride + i] ?? Number.NaN;
      }
      feature += table === undefined ? 1 : stride;
    });
    return features;
  };
}

/** Predicts rows whose values are given column by column. */
export function predictColumns(model: EngineModel, columns: readonly ColumnNumbers[]): Float64Array {
  const rows = columns[0]?.length ?? 0;
  const width = columns.length;
  const probabilities = new Float64Array(rows * model.width);
  const values = new Float64Array(Math.min(rows, BLOCK_ROWS) * width);
  for (let from = 0; from < rows; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, rows - from);
    columns.forEach((column, i) => {
      for (let row = 0; row < count; row++) values[row * width + i] = column[from + row] ?? Number.NaN;
    });
    probabilities.set(model.predict(values.subarray(0, count * width), count), from * model.width);
  }
  return probabilities;
}
