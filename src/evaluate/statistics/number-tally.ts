import { Moments } from './estimates.ts';
import {
  type EvaluatedRow,
  type EvaluationTally,
  TalliedRows,
  type TallySize,
  tallyLimits,
} from './evaluation-tally.ts';
import { ScoreBins, type ScoreGroups, type ScoreSums } from './score-bins.ts';

/** What is counted for each predicted number: rows, and sums over those with an actual number. */
export const [WITHOUT, WITH, PREDICTED, ACTUAL, ABSOLUTE, SQUARED] = [0, 1, 2, 3, 4, 5] as const;
const COLUMNS = 6;
/** Bins of predictions are for deciles only; those of errors are for the median. */
const COARSER = 3;

const errorSize = new Float64Array(1);

/** Rows with a prediction of a number. */
export class NumberTally implements EvaluationTally {
  readonly predicted = new Moments();
  readonly actual = new Moments();
  /** Prediction minus actual number; its absolute value; its square. */
  readonly error = new Moments();
  readonly absolute = new Moments();
  readonly squared = new Moments();
  unlabelled = 0;
  /** Rows whose prediction or actual number is not finite; they are in no other figure. */
  invalid = 0;
  readonly #rows: TalliedRows;

  constructor({ size = 'whole' }: { size?: TallySize } = {}) {
    const { bits } = tallyLimits[size];
    this.#rows = new TalliedRows(
      {
        stride: 2,
        scores: 2,
        makeBins: i =>
          i === 0
            ? new ScoreBins({
                columns: COLUMNS,
                bits: bits - COARSER,
                mean: { sum: PREDICTED, rows: [WITH] },
              })
            : new ScoreBins({ columns: 2, bits, mean: { sum: 1, rows: [0] } }),
        count: (sums, i, data, start) => (i === 0 ? countPrediction : countError)(sums, data, start),
      },
      size,
    );
  }

  addUnlabelled({ values }: EvaluatedRow): void {
    const predicted = values[0] as number;
    if (!Number.isFinite(predicted)) {
      this.invalid++;
      return;
    }
    this.unlabelled++;
    this.#add(predicted, Number.NaN);
  }

  addLabelled({ values }: EvaluatedRow, actual: number): void {
    const predicted = values[0] as number;
    const error = predicted - actual;
    if (!Number.isFinite(error)) {
      this.invalid++;
      return;
    }
    this.predicted.add(predicted);
    this.actual.add(actual);
    this.error.add(error);
    this.absolute.add(Math.abs(error));
    this.squared.add(error ** 2);
    this.#add(predicted, actual);
  }

  #add(predicted: number, actual: number): void {
    this.#rows.row[0] = predicted;
    this.#rows.row[1] = actual;
    this.#rows.add();
  }

  /** Adds all rows of another tally of the same size. */
  merge(other: NumberTally): void {
    for (const name of ['predicted', 'actual', 'error', 'absolute', 'squared'] as const)
      this[name].merge(other[name]);
    this.unlabelled += other.unlabelled;
    this.invalid += other.invalid;
    this.#rows.merge(other.#rows);
  }

  /** Rows by prediction. */
  predictions(): ScoreGroups {
    return this.#rows.groups(0);
  }

  /** Rows with an actual number by the size of the error: their count, and the sum of the sizes. */
  errors(): ScoreGroups {
    return this.#rows.groups(1);
  }
}

/** @param data at `start` the prediction, then the actual number, which is NaN without a label */
function countPrediction(sums: ScoreSums, data: Float64Array, start: number): void {
  sums.select(data, start);
  const predicted = data[start] as number;
  const actual = data[start + 1] as number;
  if (Number.isNaN(actual)) {
    sums.add(WITHOUT, 1);
    return;
  }
  const error = predicted - actual;
  sums.add(WITH, 1);
  sums.add(PREDICTED, predicted);
  sums.add(ACTUAL, actual);
  sums.add(ABSOLUTE, Math.abs(error));
  sums.add(SQUARED, error ** 2);
}

/** @param data as of `countPrediction` */
function countError(sums: ScoreSums, data: Float64Array, start: number): void {
  const actual = data[start + 1] as number;
  if (Number.isNaN(actual)) return;
  const size = Math.abs((data[start] as number) - actual);
  errorSize[0] = size;
  sums.select(errorSize, 0);
  sums.add(0, 1);
  sums.add(1, size);
}
