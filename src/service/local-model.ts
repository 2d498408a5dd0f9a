import type { LearnedColumn } from './columns.ts';
import type { EncodedColumn, EngineModel } from './engine.ts';
import { probabilitiesOf, scoresOf } from './learn/loss.ts';
import { linearScores } from './linear-scores.ts';
import type { PredictorSpec } from './predictor-spec.ts';
import { type AddScores, treeScores } from './tree-scores.ts';

/** Rows that are scored at once: with 100 features, their values fill 200 KiB of a core's cache. */
const BLOCK_ROWS = 256;

/**
 * A model that was learned here, ready to predict.
 *
 * @throws Error where the parts do not fit together
 */
export function localModel(
  spec: PredictorSpec,
  columns: readonly LearnedColumn[],
  classCount: number,
): EngineModel {
  const stride = scoresOf(classCount);
  const targets = columns.map(column => targetsOf(column, stride));
  const widths = targets.map(table => (table === undefined ? 1 : stride));
  const width = widths.reduce((sum, each) => sum + each, 0);
  const shape = shapeOf(spec);
  let addScores: AddScores | undefined =
    spec.kind === 'trees' ? treeScores(spec, width, stride) : linearScores(spec, width, stride);
  const base = Float64Array.from(spec.base);
  return {
    classCount,
    predict: encoded => {
      if (addScores === undefined) throw new Error('the model was unloaded');
      const rows = encoded[0]?.length ?? 0;
      const scores = new Float64Array(rows * stride);
      for (let at = 0; at < scores.length; at += stride) scores.set(base, at);
      const values = new Float64Array(Math.min(rows, BLOCK_ROWS) * width).fill(Number.NaN);
      for (let from = 0; from < rows; from += BLOCK_ROWS) {
        const count = Math.min(BLOCK_ROWS, rows - from);
        let feature = 0;
        encoded.forEach((column, i) => {
          fill(values, column, { from, count, width, feature, table: targets[i], stride });
          feature += widths[i] ?? 1;
        });
        addScores(values, count, scores.subarray(from * stride, (from + count) * stride));
      }
      return probabilitiesOf(scores, classCount);
    },
    shape: () => shape,
    unload: () => {
      addScores = undefined;
    },
  };
}

interface Place {
  from: number;
  count: number;
  width: number;
  feature: number;
  table: Float64Array | undefined;
  stride: number;
}

/** Puts a column's values into a block of rows, NaN for a missing one, and levels' targets in the place of levels. */
function fill(
  values: Float64Array,
  column: EncodedColumn,
  { from, count, width, feature, table, stride }: Place,
): void {
  for (let row = 0; row < count; row++) {
    const value = column[from + row] ?? Number.NaN;
    const at = row * width + feature;
    if (table === undefined) values[at] = value;
    else for (let i = 0; i < stride; i++) values[at + i] = table[(value - 1) * stride + i] ?? Number.NaN;
  }
}

/** A target-encoded column's numbers, level after level. */
function targetsOf(column: LearnedColumn, stride: number): Float64Array | undefined {
  if (column.type !== 'categorical' || column.targets === undefined) return undefined;
  const { levels, targets } = column;
  if (targets.length !== levels.length + 1 || targets.some(own => own.length !== stride))
    throw new Error('the targets of its levels are not whole');
  return Float64Array.from(targets.flat());
}

/** Trees, and the mean depth of their leaves. */
function shapeOf(spec: PredictorSpec): { trees: number; depth: number } {
  if (spec.kind === 'linear') return { trees: 0, depth: 0 };
  const { roots, features, right } = spec;
  const depths = new Int32Array(features.length);
  let [leaves, sum] = [0, 0];
  features.forEach((feature, node) => {
    const own = depths[node] ?? 0;
    if (feature === -1) {
      leaves++;
      sum += own;
      return;
    }
    depths[node + 1] = own + 1;
    depths[right[node] ?? 0] = own + 1;
  });
  return { trees: roots.length, depth: sum / leaves };
}
