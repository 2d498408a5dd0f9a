import type { NumberQuality, NumbersReport, Report, Warning } from '../../../base/contract/schemas.ts';
import { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { Z_95 } from '../../../base/wilson.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { compileModel } from '../../../models/model/compiled-model.ts';
import { type EngineModel, engineOf, predictColumns } from '../../../models/model/engine.ts';
import { errorsOf, meanOf } from '../../learn/numbers/errors.ts';
import { predictRows } from '../../learn/to-predictor-spec.ts';
import { driversOf, impacts } from '../drivers.ts';
import { encodedRows, type Findings, type TestingRows, type Trained } from '../measure-model.ts';
import { extendedCsv } from '../testing-results.ts';
import { dominantDrivers, rowWarnings } from '../warnings.ts';
import { numberQualityOf, numbersProfileOf } from './number-quality.ts';

/** Rows that a model was not trained on. */
interface NumberedRows extends Pick<TestingRows, 'rows' | 'indexes' | 'singles'> {
  /** Each row's actual number. */
  numbers: readonly number[];
}

interface MeasureOptions {
  /** The numbers of the rows that the model was trained on; if they are not known, those of the testing rows. */
  learned?: readonly number[];
  seed: number;
  onDrivers?(): void;
}

interface MeasuredNumbers {
  predictions: Float64Array;
  quality: NumberQuality;
  /** For each column of the model, its share of the total impact: how much the squared error rises. */
  shares: number[];
}

/** Computes all metrics of a model of one number; `columns` are those of the model. */
export function measureNumbers(
  model: EngineModel,
  columns: readonly LearnedColumn[],
  { numbers, ...testing }: NumberedRows,
  { learned = numbers, seed, onDrivers }: MeasureOptions,
): MeasuredNumbers {
  const encoded = encodedRows(columns, testing);
  const predictions = predictColumns(model, encoded);
  onDrivers?.();
  const lossOf = (predicted: Float64Array, own: readonly number[]) => errorsOf(predicted, own).rmse ** 2;
  return {
    predictions,
    quality: numberQualityOf(predictions, numbers, learned),
    shares: impacts(model, encoded, numbers, seed, lossOf),
  };
}

/** All that is found out about a model of numbers. */
export function findingsOfNumbers(
  trained: Trained,
): Findings<Pick<NumbersReport, 'numbers' | 'tech_specs' | 'quality'>> {
  const { model, loss, labelled, learned, rows, split, learning, validation, algorithm } = trained;
  const { design, predictor } = model;
  const numberOf = (row: number) => labelled.labels[row] ?? 0;
  const numbers = split.testing.map(numberOf);
  const learnedNumbers = Array.from(learning, numberOf);
  const engine = engineOf(
    compileModel(predictor, design.columns, { kind: 'numbers', names: [] }, loss.output),
    { memory: BatchMemory.create() },
  );
  const testing = split.testing.map(row => rows[row] ?? []);
  const { predictions, quality, shares } = measureNumbers(
    engine,
    design.columns,
    { rows: testing, numbers, indexes: trained.indexes },
    { ...trained, learned: learnedNumbers },
  );
  const { r2 } = errorsOf(predictRows(predictor, design, loss, learning), learnedNumbers);
  const drivers = driversOf(design.columns, shares);
  return {
    own: {
      numbers: [],
      tech_specs: {
        algorithm,
        objective: loss.objective ?? '',
        testing_r2: r2Text(quality.r2),
        train_test_split: '80/20',
        training_r2: r2Text(r2),
        validation_r2: r2Text(validation.merit),
      },
      quality,
    },
    drivers,
    warnings: [
      ...rowWarnings(learned, { rows, labels: Array.from(labelled.labels), classes: 1 }, split, leaks =>
        dominance(drivers, quality, leaks),
      ),
      ...baselineWarnings(predictions, numbers, quality),
    ],
    profile: { scores: [], numbers: numbersProfileOf(predictions) },
    testingResults: extendedCsv(
      { header: trained.header, rows: testing },
      {
        added: [`actual_${trained.predict}`, `predicted_${trained.predict}`],
        valuesOf: row => [String(numbers[row]), String(predictions[row])],
      },
    ),
  };
}

export const r2Text = (r2: number | null): string => r2?.toFixed(3) ?? 'undefined';

/** A column that tells the number leaves hardly any error. */
const LEFT_ERRORS = 0.05;

const dominance = (drivers: Report['drivers'], { r2 }: NumberQuality, leaks: readonly string[]): Warning[] =>
  r2 === null || 1 - r2 > LEFT_ERRORS ? [] : dominantDrivers(drivers, leaks);

/** Warns if neither squared nor absolute errors are clearly smaller than those of the median. */
export function baselineWarnings(
  predictions: Float64Array,
  numbers: readonly number[],
  { rmse, mae, baseline }: NumberQuality,
): Warning[] {
  const isBetter = (errorOf: (error: number) => number): boolean => {
    const gains = numbers.map(
      (number, row) => errorOf(number - baseline.value) - errorOf(number - (predictions[row] ?? 0)),
    );
    const mean = meanOf(gains);
    const variance = meanOf(gains.map(gain => (gain - mean) ** 2));
    return mean > Z_95 * Math.sqrt(variance / gains.length);
  };
  if (isBetter(Math.abs) || isBetter(error => error * error)) return [];
  const text = (value: number) => Number(value.toPrecision(4));
  return [
    {
      code: 'no_better_than_baseline',
      message:
        `The RMSE of ${text(rmse)} and the MAE of ${text(mae)} on the testing rows are not clearly better than those of ` +
        `always predicting the median, ${sanitize(String(baseline.value))}: ${text(baseline.rmse)} and ${text(baseline.mae)}.`,
    },
  ];
}
