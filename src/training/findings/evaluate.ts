import type { Quality } from '../../base/contract/schemas.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { columnEncoderOf } from '../../formats/columns/column-encoder.ts';
import { compileModel } from '../../models/model/compiled-model.ts';
import { engineOf, predictColumns } from '../../models/model/engine.ts';
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

interface EvaluateOptions {
  /** For each column of `design`, its index in a row. */
  indexes: readonly number[];
  labelled: Labelled;
  classes: readonly string[];
  /** The rows that the model was trained on. */
  learning: Int32Array;
  /** The testing rows, and their indexes. */
  testing: { rows: readonly (readonly string[])[]; indexes: readonly number[] };
  seed: number;
  onDrivers(): void;
}

interface Evaluation {
  /** For each testing row, a probability per class. */
  probabilities: Float64Array;
  /** Each testing row's class. */
  labels: number[];
  quality: Quality;
  testingAccuracy: number;
  trainingAccuracy: number;
  /** For each column of the design, its share of the total impact. */
  shares: number[];
}

/** Computes all metrics of a model on the testing rows; nothing else uses these rows. */
export function evaluate(
  { design, predictor }: LearnedModel,
  { indexes, labelled, classes, learning, testing, seed, onDrivers }: EvaluateOptions,
): Evaluation {
  const model = engineOf(compileModel(predictor, design.columns, { kind: 'distribution', classes }), {
    memory: BatchMemory.create(),
  });
  const encoded = design.columns.map((column, i) => {
    const encode = columnEncoderOf(column);
    return testing.rows.map(row => encode(row[indexes[i] ?? 0] ?? ''));
  });
  const labelOf = (index: number) => labelled.labels[index] ?? 0;
  const labels = testing.indexes.map(labelOf);
  const probabilities = predictColumns(model, encoded);
  const learnedLabels = Array.from(learning, labelOf);
  const scored = { probabilities, labels, classes: classes.length };
  onDrivers();
  return {
    probabilities,
    labels,
    quality: qualityOf(scored, learnedLabels, classes),
    testingAccuracy: accuracy(scored),
    trainingAccuracy: accuracy({
      probabilities: predictRows(predictor, design, labelled, learning),
      labels: learnedLabels,
      classes: classes.length,
    }),
    shares: impacts(model, encoded, labels, seed),
  };
}
