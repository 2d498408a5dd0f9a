import { Moments } from './estimates.ts';
import {
  type EvaluatedRow,
  type EvaluationTally,
  KeptRows,
  type TallySize,
  tallyLimits,
} from './evaluation-tally.ts';
import { groupsOf, ScoreBins, type ScoreGroups } from './score-bins.ts';

/** What is counted for each predicted number: rows, and sums over those with an actual number. */
export const [WITHOUT, WITH, PREDICTED, ACTUAL, ABSOLUTE, SQUARED] = [0, 1, 2, 3, 4, 5] as const;
const COLUMNS = 6;
/** Bins of predictions are for deciles only; those of errors are for the median. */
const COARSER = 3;

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
  readonly #kept: KeptRows;
  readonly #bits: number;
  #bins: { predictions: ScoreBins; errors: ScoreBins } | undefined;

  constructor({ size = 'whole' }: { size?: TallySize } = {}) {
    this.#kept = new KeptRows(2, size);
    this.#bits = tallyLimits[size].bits;
  }

  addUnlabelled({ values }: EvaluatedRow): void {
    const predicted = values[0] as number;
    if (!Number.isFinite(predicted)) {
      this.invalid++;
      return;
    }
    this.unlabelled++;
    this.#addScores(predicted, Number.NaN);
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
    this.#addScores(predicted, actual);
  }

  #addScores(predicted: number, actual: number): void {
    if (this.#bins === undefined) {
      const start = this.#kept.reserve();
      if (start >= 0) {
        this.#kept.data[start] = predicted;
        this.#kept.data[start + 1] = actual;
        return;
      }
      this.#bins = this.#binned();
    }
    addTo(this.#bins, predicted, actual);
  }

  #binned(): { predictions: ScoreBins; errors: ScoreBins } {
    const bins = {
      predictions: new ScoreBins({
        columns: COLUMNS,
        bits: this.#bits - COARSER,
        mean: { sum: PREDICTED, rows: [WITH] },
      }),
      errors: new ScoreBins({ columns: 2, bits: this.#bits, mean: { sum: 1, rows: [0] } }),
    };
    const { data, count } = this.#kept;
    for (let start = 0; start < 2 * count; start += 2)
      addTo(bins, data[start] as number, data[start + 1] as number);
    return bins;
  }

  /** Adds all rows of another tally of the same size. */
  merge(other: NumberTally): void {
    for (const name of ['predicted', 'actual', 'error', 'absolute', 'squared'] as const)
      this[name].merge(other[name]);
    this.unlabelled += other.unlabelled;
    this.invalid += other.invalid;
    if (this.#bins === undefined && other.#bins === undefined && this.#kept.append(other.#kept)) return;
    this.#bins ??= this.#binned();
    const { predictions, errors } = other.#bins ?? other.#binned();
    this.#bins.predictions.merge(predictions);
    this.#bins.errors.merge(errors);
  }

  /** Rows by prediction. */
  predictions(): ScoreGroups {
    if (this.#bins !== undefined) return this.#bins.predictions.groups();
    const { data } = this.#kept;
    return groupsOf(this.#kept, {
      columns: COLUMNS,
      score: start => data[start] as number,
      add: (sums, start) => addSums(sums, data[start] as number, data[start + 1] as number),
    });
  }

  /** Rows by the size of the error. */
  errors(): ScoreGroups {
    if (this.#bins !== undefined) return this.#bins.errors.groups();
    const { data } = this.#kept;
    return groupsOf(this.#kept, {
      columns: 1,
      // Rows without an actual number have no error: they come last, and are not counted.
      score: start => Math.abs((data[start] as number) - (data[start + 1] as number)),
      add: (sums, start) => {
        if (!Number.isNaN(data[start + 1])) sums[0] = 1;
      },
    });
  }

  /** Whether predictions and errors were rounded to bins. */
  get isBinned(): boolean {
    return this.#bins !== undefined;
  }
}

const sums = new Float64Array(COLUMNS);

function addTo(
  { predictions, errors }: { predictions: ScoreBins; errors: ScoreBins },
  predicted: number,
  actual: number,
): void {
  addSums(sums.fill(0), predicted, actual);
  predictions.select(predicted);
  for (let column = 0; column < COLUMNS; column++) predictions.add(column, sums[column] as number);
  if (Number.isNaN(actual)) return;
  errors.select(Math.abs(predicted - actual));
  errors.add(0, 1);
  errors.add(1, Math.abs(predicted - actual));
}

/** @param actual NaN without a label */
function addSums(to: Float64Array, predicted: number, actual: number): void {
  if (Number.isNaN(actual)) {
    to[WITHOUT] = 1;
    return;
  }
  const error = predicted - actual;
  to[WITH] = 1;
  to[PREDICTED] = predicted;
  to[ACTUAL] = actual;
  to[ABSOLUTE] = Math.abs(error);
  to[SQUARED] = error ** 2;
}
