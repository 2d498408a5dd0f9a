import { Moments } from './estimates.ts';
import {
  type EvaluatedRow,
  type EvaluationTally,
  TalliedRows,
  type TallySize,
  tallyLimits,
} from './evaluation-tally.ts';
import { ScoreBins, type ScoreGroups } from './score-bins.ts';

/**
 * What is counted for each probability of a class: rows without a label, of other classes, of the class; and the sum of
 * the probabilities of those with a label.
 */
export const [UNLABELLED, OTHERS, OF_CLASS, SUM] = [0, 1, 2, 3] as const;
const COLUMNS = 4;

/** Larger probabilities than 1 by less than this are a sum of rounded ones. */
const SLACK = 1e-6;
/** Probabilities are not smaller in the log loss, as in reports: one confident mistake would outweigh all rows. */
const SMALLEST = 1e-7;

/** Rows with a prediction of classes. */
export class ClassTally implements EvaluationTally {
  readonly classes: readonly string[];
  /** Rows by actual and predicted class: `confusion[actual * classes + predicted]`. */
  readonly confusion: Float64Array;
  /** Rows without a label, by predicted class. */
  readonly unlabelled: Float64Array;
  /** All rows with a label. */
  labelled = 0;
  readonly logLoss = new Moments();
  readonly brier = new Moments();
  /** Rows whose probabilities are no numbers from 0 to 1; they are in no other figure. */
  invalid = 0;
  /** The classes whose probability is a score: all, but of two only the second one. */
  readonly scored: readonly number[];
  readonly #rows: TalliedRows;

  /** @param hasProbabilities false if only labels are predicted: then there are no scores */
  constructor(
    classes: readonly string[],
    { hasProbabilities = true, size = 'whole' }: { hasProbabilities?: boolean; size?: TallySize } = {},
  ) {
    this.classes = classes;
    const all = classes.map((_, index) => index);
    this.scored = !hasProbabilities ? [] : classes.length === 2 ? [1] : all;
    this.confusion = new Float64Array(classes.length ** 2);
    this.unlabelled = new Float64Array(classes.length);
    const scores = this.scored.length;
    const most = tallyLimits[size].bits;
    // Many classes have coarser bins, so that all together are as large as those of four.
    const bits = Math.max(1, Math.min(most, most + 2 - Math.ceil(Math.log2(scores || 1))));
    this.#rows = new TalliedRows(
      {
        stride: scores + 1,
        scores,
        makeBins: () =>
          new ScoreBins({ columns: COLUMNS, bits, mean: { sum: SUM, rows: [OTHERS, OF_CLASS] } }),
        count: (sums, i, data, start) => {
          const actual = data[start + scores] as number;
          sums.select(data, start + i);
          sums.add(actual < 0 ? UNLABELLED : actual === this.scored[i] ? OF_CLASS : OTHERS, 1);
          if (actual >= 0) sums.add(SUM, data[start + i] as number);
        },
      },
      size,
    );
  }

  get hasProbabilities(): boolean {
    return this.scored.length > 0;
  }

  addUnlabelled(row: EvaluatedRow): void {
    const label = this.#labelOf(row);
    if (label < 0) return;
    this.unlabelled[label] = (this.unlabelled[label] as number) + 1;
    this.#addScores(row.values, -1);
  }

  addLabelled(row: EvaluatedRow, actual: number): void {
    const label = this.#labelOf(row);
    if (label < 0) return;
    this.labelled++;
    const { values } = row;
    const cell = actual * this.classes.length + label;
    this.confusion[cell] = (this.confusion[cell] as number) + 1;
    if (!this.hasProbabilities) return;
    this.logLoss.add(-Math.log(Math.max(SMALLEST, values[actual] as number)));
    let squares = 0;
    for (let i = 0; i < this.scored.length; i++) {
      const index = this.scored[i] as number;
      const value = values[index] as number;
      squares += (value - (index === actual ? 1 : 0)) ** 2;
    }
    this.brier.add(squares);
    this.#addScores(values, actual);
  }

  /** The predicted class, by default the most probable; -1 if the row has no valid prediction, which is counted. */
  #labelOf({ values, label }: EvaluatedRow): number {
    let best = 0;
    if (this.hasProbabilities)
      for (let i = 0; i < this.classes.length; i++) {
        const value = values[i] as number;
        if (!(value >= 0 && value <= 1 + SLACK)) best = -1;
        else if (best >= 0 && value > (values[best] as number)) best = i;
      }
    else if (label < 0) best = -1;
    if (best < 0) this.invalid++;
    return best >= 0 && label >= 0 ? label : best;
  }

  /** @param actual -1 without a label */
  #addScores(values: Float64Array, actual: number): void {
    if (!this.hasProbabilities) return;
    const { row } = this.#rows;
    for (let i = 0; i < this.scored.length; i++) row[i] = values[this.scored[i] as number] as number;
    row[this.scored.length] = actual;
    this.#rows.add();
  }

  /** Adds all rows of another tally of the same classes and size. */
  merge(other: ClassTally): void {
    addAll(this.confusion, other.confusion);
    addAll(this.unlabelled, other.unlabelled);
    this.logLoss.merge(other.logLoss);
    this.brier.merge(other.brier);
    this.invalid += other.invalid;
    this.labelled += other.labelled;
    this.#rows.merge(other.#rows);
  }

  /** Rows by the probability of a scored class. @param i its index in `scored` */
  groups(i: number): ScoreGroups {
    return this.#rows.groups(i);
  }
}

function addAll(to: Float64Array, from: Float64Array): void {
  for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) + (from[i] as number);
}
