import type { Quality } from '../../base/contract/schemas.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { columnEncoderOf, type LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { compileModel } from '../../models/model/compiled-model.ts';
import { type EngineModel, engineOf, predictColumns } from '../../models/model/engine.ts';
import type { PredictorSpec } from '../../models/model/predictor-spec.ts';
import { accuracy } from '../learn/evaluation.ts';
import type { Design, Labelled } from '../learn/features/design.ts';
import { predictRows } from '../learn/to-predictor-spec.ts';
import { impacts } from './drivers.ts';
import { qualityOf } from './quality.ts';

/** A model that was trained on some of the rows. */
export interface LearnedModel {
  design: Design;
  predictor: PredictorSpec;
}

/** Labelled rows that a model was not trained on. */
interface TestingRows {
  rows: readonly (readonly string[])[];
  /** Each row's class. */
  labels: readonly number[];
  classes: readonly string[];
  /** For each column of the model, its index in a row. */
  indexes: readonly number[];
  /** By index in a row, whether the file has singles. */
  singles?: readonly boolean[] | undefined;
}

/** What rows that a model was not trained on show of it. */
interface Measured {
  /** For each testing row, a probability per class. */
  probabilities: Float64Array;
  quality: Quality;
  testingAccuracy: number;
  /** For each column of the model, its share of the total impact. */
  shares: number[];
}

interface MeasureOptions {
  /** The classes of the rows that the model was trained on; if they are not known, those of the testing rows. */
  learned?: readonly number[];
  seed: number;
  onDrivers?(): void;
}

/** Computes all metrics of a model of classes; `columns` are those of the model. */
export function measure(
  model: EngineModel,
  columns: readonly LearnedColumn[],
  { rows, labels, classes, indexes, singles = [] }: TestingRows,
  { learned = labels, seed, onDrivers }: MeasureOptions,
): Measured {
  const encoded = columns.map((column, i) => {
    const at = indexes[i] ?? 0;
    const encode = columnEncoderOf(column, singles[at]);
    return rows.map(row => encode(row[at] ?? ''));
  });
  const probabilities = predictColumns(model, encoded);
  const scored = { probabilities, labels, classes: classes.length };
  onDrivers?.();
  return {
    probabilities,
    quality: qualityOf(scored, learned, classes),
    testingAccuracy: accuracy(scored),
    shares: impacts(model, encoded, labels, seed),
  };
}

interface EvaluateOptions extends Omit<TestingRows, 'labels' | 'rows'>, Omit<MeasureOptions, 'learned'> {
  labelled: Labelled;
  /** The rows that the model was trained on. */
  learning: Int32Array;
  /** The testing rows, and their indexes. */
  testing: { rows: readonly (readonly string[])[]; indexes: readonly number[] };
}

interface Evaluation extends Measured {
  /** Each testing row's class. */
  labels: number[];
  trainingAccuracy: number;
}

/** Computes all metrics of a model on the testing rows; nothing else uses these rows. */
export function measureModel(
  { design, predictor }: LearnedModel,
  { indexes, labelled, classes, learning, testing, ...options }: EvaluateOptions,
): Evaluation {
  const model = engineOf(compileModel(predictor, design.columns, { kind: 'distribution', classes }), {
    memory: BatchMemory.create(),
  });
  const labelOf = (index: number) => labelled.labels[index] ?? 0;
  const labels = testing.indexes.map(labelOf);
  const learned = Array.from(learning, labelOf);
  return {
    labels,
    trainingAccuracy: accuracy({
      probabilities: predictRows(predictor, design, labelled, learning),
      labels: learned,
      classes: classes.length,
    }),
    ...measure(
      model,
      design.columns,
      { rows: testing.rows, labels, classes, indexes },
      { learned, ...options },
    ),
  };
}
