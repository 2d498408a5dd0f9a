import type { TrainingProfile } from '../../base/contract/profile.ts';
import type { Quality, Report, TrainedReport, Warning } from '../../base/contract/schemas.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { columnEncoderOf, type LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { compileModel } from '../../models/model/compiled-model.ts';
import { type ColumnNumbers, type EngineModel, engineOf, predictColumns } from '../../models/model/engine.ts';
import type { PredictorSpec } from '../../models/model/predictor-spec.ts';
import { accuracy, percent } from '../learn/evaluation.ts';
import type { Design, Labelled } from '../learn/features/design.ts';
import type { Loss } from '../learn/loss.ts';
import type { ValidationMetrics } from '../learn/selection/validate.ts';
import { predictRows } from '../learn/to-predictor-spec.ts';
import type { LearnedColumns } from '../rows/learn-columns.ts';
import type { RowSplit } from '../rows/split-rows.ts';
import { driversOf, impacts } from './drivers.ts';
import { qualityOf } from './quality.ts';
import { testingResultsCsv } from './testing-results.ts';
import { scoresOf } from './training-profile.ts';
import { warningsOf } from './warnings.ts';

/** A model that was trained on some of the rows. */
export interface LearnedModel {
  design: Design;
  predictor: PredictorSpec;
}

/** Labelled rows that a model was not trained on. */
export interface TestingRows {
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

/** The values of rows as a model reads them. */
export const encodedRows = (
  columns: readonly LearnedColumn[],
  { rows, indexes, singles = [] }: Pick<TestingRows, 'rows' | 'indexes' | 'singles'>,
): ColumnNumbers[] =>
  columns.map((column, i) => {
    const at = indexes[i] ?? 0;
    const encode = columnEncoderOf(column, singles[at]);
    return rows.map(row => encode(row[at] ?? ''));
  });

/** Computes all metrics of a model of classes; `columns` are those of the model. */
export function measureModel(
  model: EngineModel,
  columns: readonly LearnedColumn[],
  { rows, labels, classes, indexes, singles = [] }: TestingRows,
  { learned = labels, seed, onDrivers }: MeasureOptions,
): Measured {
  const encoded = encodedRows(columns, { rows, indexes, singles });
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

/** A model that was trained on some of the rows, and all that findings are made of. */
export interface Trained {
  model: LearnedModel;
  loss: Loss;
  algorithm: string;
  /** The results of the configuration on validation rows. */
  validation: ValidationMetrics;
  predict: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  labelled: Labelled;
  /** The columns that were found, and for each one of the model its index in a row. */
  learned: LearnedColumns;
  indexes: readonly number[];
  split: RowSplit;
  /** The rows that the model was trained on: those of the split that are not for testing. */
  learning: Int32Array;
  seed: number;
  onDrivers(): void;
}

/** What is found out about a model on the testing rows; nothing else uses these rows. */
export interface Findings<Own> {
  /** The members that only reports of classes, or of numbers, have. */
  own: Own;
  drivers: Report['drivers'];
  warnings: Warning[];
  profile: Pick<TrainingProfile, 'scores' | 'numbers'>;
  testingResults: string;
}

/** All that is found out about a model of classes. */
export function findingsOfClasses(
  trained: Trained,
  classes: readonly string[],
): Findings<Pick<TrainedReport, 'classes' | 'tech_specs' | 'quality'>> {
  const { model, loss, labelled, learned, rows, split, learning, indexes } = trained;
  const { design, predictor } = model;
  const engine = engineOf(compileModel(predictor, design.columns, { kind: 'distribution', classes }), {
    memory: BatchMemory.create(),
  });
  const labelOf = (index: number) => labelled.labels[index] ?? 0;
  const labels = split.testing.map(labelOf);
  const learnedLabels = Array.from(learning, labelOf);
  const testing = split.testing.map(row => rows[row] ?? []);
  const trainingAccuracy = accuracy({
    probabilities: predictRows(predictor, design, loss, learning),
    labels: learnedLabels,
    classes: classes.length,
  });
  const { probabilities, quality, testingAccuracy, shares } = measureModel(
    engine,
    design.columns,
    { rows: testing, labels, classes, indexes },
    { ...trained, learned: learnedLabels },
  );
  const drivers = driversOf(design.columns, shares);
  const all = { rows, labels: Array.from(labelled.labels), classes: classes.length };
  return {
    own: {
      classes: [...classes],
      tech_specs: {
        algorithm: trained.algorithm,
        testing_accuracy: percent(testingAccuracy),
        train_test_split: '80/20',
        training_accuracy: percent(trainingAccuracy),
        validation_accuracy: percent(trained.validation.merit),
      },
      quality,
    },
    drivers,
    warnings: warningsOf(learned, all, split, { quality, drivers }),
    profile: { scores: scoresOf(classes, probabilities) },
    testingResults: testingResultsCsv({
      header: trained.header,
      rows: testing,
      predicts: trained.predict,
      classes,
      labels,
      probabilities,
    }),
  };
}
