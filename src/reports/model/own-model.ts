import type { CompiledModel } from './compiled-model.ts';
import type { EncodedColumn, EngineModel } from './engine.ts';
import { linearScores } from './linear-scores.ts';
import { probabilitiesOf, scoresOf } from './scores.ts';
import { allToSinglePrecision } from './single-precision.ts';
import { type AddScores, treeScores } from './tree-scores.ts';

/** Rows scored at once: with 100 features, their values take 200 KiB of the core's cache. */
const BLOCK_ROWS = 256;

/** A model in our own format, ready to predict. */
export function localModel({ classCount, targets, predictor }: CompiledModel): EngineModel {
  const stride = scoresOf(classCount);
  const widths = targets.map(table => (table === undefined ? 1 : stride));
  const width = widths.reduce((sum, each) => sum + each, 0);
  const shape =
    predictor.kind === 'trees'
      ? { trees: predictor.roots.length, depth: predictor.depth }
      : { trees: 0, depth: 0 };
  let addScores: AddScores | undefined =
    predictor.kind === 'trees'
      ? treeScores(predictor, width, stride)
      : linearScores(predictor, width, stride);
  const { base } = predictor;
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
      return allToSinglePrecision(probabilitiesOf(scores, classCount));
    },
    shape: () => shape,
    unload: () => {
      addScores = undefined;
    },
  };
}

interface BlockPosition {
  from: number;
  count: number;
  width: number;
  feature: number;
  table: Float64Array | undefined;
  stride: number;
}

/** Writes a column's values into a block of rows: NaN for missing ones, and targets instead of levels. */
function fill(
  values: Float64Array,
  column: EncodedColumn,
  { from, count, width, feature, table, stride }: BlockPosition,
): void {
  for (let row = 0; row < count; row++) {
    const value = column[from + row] ?? Number.NaN;
    const at = row * width + feature;
    if (table === undefined) values[at] = value;
    else for (let i = 0; i < stride; i++) values[at + i] = table[(value - 1) * stride + i] ?? Number.NaN;
  }
}
