import { classesOf, numbersPerRow, type PredictionType } from '../../base/contract/predictions.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { type CompiledLinear, compileLinear } from './compiled-linear.ts';
import { featureKinds, type OutputSpec, type PredictorSpec } from './predictor-spec.ts';
import { outputOfClasses } from './scores.ts';
import { type CompiledTrees, compileTrees } from './trees/compiled-trees.ts';

/** A model in typed arrays, which can be transferred between threads without copying. */
export interface CompiledModel {
  /** Predicted numbers per row: a probability for each class, or the numbers themselves. */
  width: number;
  /** Scores per row. */
  stride: number;
  output: OutputSpec;
  /** By column, the numbers of a target-encoded one, level by level. */
  targets: (Float64Array | undefined)[];
  predictor: CompiledTrees | CompiledLinear;
}

/**
 * @param output what is made of the scores; by default, that of a model that is trained here
 * @throws Error if the parts are inconsistent
 */
export function compileModel(
  spec: PredictorSpec,
  columns: readonly LearnedColumn[],
  prediction: PredictionType,
  output = outputOfClasses(classesOf(prediction).length),
): CompiledModel {
  const width = widthOf(prediction);
  const isOfTwo = prediction.kind === 'distribution' && width === 2 && output.link.kind !== 'softmax';
  const stride = isOfTwo ? 1 : width;
  if ((output.bias?.length ?? stride) !== stride) throw new Error(`its bias does not have ${stride} numbers`);
  const kinds = featureKinds(columns, stride);
  const targets = columns.map(column => targetsOf(column, stride));
  const predictor =
    spec.kind === 'trees' ? compileTrees(spec, kinds, stride) : compileLinear(spec, kinds, stride);
  return { width, stride, output, targets, predictor };
}

const widthOf = (prediction: PredictionType): number =>
  prediction.kind === 'numbers' ? numbersPerRow(prediction.names) : classesOf(prediction).length;

/** A target-encoded column's numbers, level by level; the last are for all other values. */
function targetsOf(column: LearnedColumn, stride: number): Float64Array | undefined {
  if (column.type !== 'categorical' || column.targets === undefined) return undefined;
  const { name, levels, targets } = column;
  if (targets.length !== levels.length + 1 || targets.some(own => own.length !== stride))
    throw new Error(
      `the targets of "${name}" do not have ${stride} numbers for each level and for all other values`,
    );
  return Float64Array.from(targets.flat());
}

/** The buffers of a compiled model's arrays, which they do not share. */
export function buffersOf({ predictor, targets }: CompiledModel): ArrayBuffer[] {
  return [...Object.values(predictor), ...targets].flatMap(part =>
    // No array uses shared memory.
    ArrayBuffer.isView(part) ? [part.buffer as ArrayBuffer] : [],
  );
}

/** A model that was read and validated, as plain data that can be passed to threads. */
export interface StoredModel {
  /** Target-encoded columns have their targets in `predictor`, and merged others here instead. */
  columns: readonly LearnedColumn[];
  prediction: PredictionType;
  predictor: CompiledModel;
}
