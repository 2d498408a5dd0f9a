import * as z from 'zod';
import type { CountedColumn, UnknownKind } from './counted-column.ts';
import { PredictedLabels, PredictedNumbers } from './numbers/counted-predictions.ts';
import { NO_SCORE, SCORE_BINS, type Tally, type TallyLayout } from './tally.ts';

const numbers = z.array(z.number());

/** What a run has counted up to a point, as a checkpoint stores it. */
export const tallyShape = z.strictObject({
  /** See `Counting`. */
  isDetailed: z.boolean(),
  counts: numbers,
  sums: numbers,
  scoreSums: numbers,
  /** By class, pairs of a bin and its rows. */
  scores: z.array(numbers),
  /** See `StoredNumbers`; only if numbers are predicted. */
  numbers: z.object({ sums: numbers, bins: z.array(numbers) }).optional(),
  /** See `StoredLabels`; only if labels are predicted. */
  labels: z.object({ names: z.array(z.string()), rows: numbers, others: z.number() }).optional(),
});
export type StoredTally = z.infer<typeof tallyShape>;

/** What a run has counted; copies are cheap, because there is one for each part of the output. */
export class RunTally {
  readonly isDetailed: boolean;
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  /** By class. */
  scoreSums: Float64Array;
  /** By class, the rows of each bin. */
  scores: Float64Array;
  numbers: PredictedNumbers | undefined;
  labels: PredictedLabels | undefined;

  private constructor(
    isDetailed: boolean,
    counts: Float64Array,
    sums: Float64Array,
    scoreSums = new Float64Array(),
    scores = new Float64Array(),
  ) {
    this.isDetailed = isDetailed;
    this.counts = counts;
    this.sums = sums;
    this.scoreSums = scoreSums;
    this.scores = scores;
  }

  static empty(layout: TallyLayout): RunTally {
    const { counts, sums } = layout.newTally();
    return new RunTally(layout.isDetailed, Float64Array.from(counts), sums);
  }

  /** @returns undefined if it belongs to a report that has other columns or categories */
  static from(
    { counts, sums, scoreSums, scores, ...stored }: StoredTally,
    layout: TallyLayout,
  ): RunTally | undefined {
    const empty = layout.newTally();
    if (counts.length !== empty.counts.length || sums.length !== empty.sums.length) return undefined;
    const dense = new Float64Array(scoreSums.length * SCORE_BINS);
    for (const [index, pairs] of scores.entries())
      for (let i = 0; i < pairs.length; i += 2)
        dense[index * SCORE_BINS + (pairs[i] ?? 0)] = pairs[i + 1] ?? 0;
    const arrayOf = (list: readonly number[]) => Float64Array.from(list);
    const tally = new RunTally(layout.isDetailed, arrayOf(counts), arrayOf(sums), arrayOf(scoreSums), dense);
    tally.numbers = stored.numbers && PredictedNumbers.from(stored.numbers);
    tally.labels = stored.labels && new PredictedLabels(stored.labels);
    return tally;
  }

  add({ counts, sums, scoreBins, scoreSums, predicted }: Tally): void {
    addTo(this.counts, counts);
    addTo(this.sums, sums);
    if (predicted?.kind === 'numbers') this.#numbersOf(predicted.sums.length).add(predicted);
    else if (predicted?.kind === 'label') this.#labels().add(predicted);
    if (!this.#hasScores(scoreSums.length)) return;
    addTo(this.scoreSums, scoreSums);
    const { scores } = this;
    for (let at = 0; at < scoreBins.length; )
      for (let first = 0; first < scores.length; first += SCORE_BINS, at++) {
        const bin = scoreBins[at] as number;
        if (bin !== NO_SCORE) scores[first + bin] = (scores[first + bin] as number) + 1;
      }
  }

  /** Adds what another run with the same layout has counted. */
  addRun({ counts, sums, scoreSums, scores, numbers, labels }: RunTally): void {
    addTo(this.counts, counts);
    addTo(this.sums, sums);
    if (numbers !== undefined) this.#numbersOf(numbers.perRow).addRun(numbers);
    if (labels !== undefined) this.#labels().addRun(labels);
    if (!this.#hasScores(scoreSums.length)) return;
    addTo(this.scoreSums, scoreSums);
    addTo(this.scores, scores);
  }

  #numbersOf(perRow: number): PredictedNumbers {
    this.numbers ??= new PredictedNumbers(new Float64Array(perRow));
    return this.numbers;
  }

  #labels(): PredictedLabels {
    this.labels ??= new PredictedLabels();
    return this.labels;
  }

  /** Adds space for probabilities, if there are any to add. */
  #hasScores(classes: number): boolean {
    if (classes > 0 && this.scoreSums.length === 0) {
      this.scoreSums = new Float64Array(classes);
      this.scores = new Float64Array(classes * SCORE_BINS);
    }
    return classes > 0;
  }

  /** The rows of each bin of a class's probability. */
  scoresOf(index: number): Float64Array {
    return this.scores.subarray(index * SCORE_BINS, (index + 1) * SCORE_BINS);
  }

  copy(): RunTally {
    const { isDetailed, counts, sums, scoreSums, scores } = this;
    const copy = new RunTally(isDetailed, counts.slice(), sums.slice(), scoreSums.slice(), scores.slice());
    copy.numbers = this.numbers?.copy();
    copy.labels = this.labels?.copy();
    return copy;
  }

  toJSON(): StoredTally {
    return {
      isDetailed: this.isDetailed,
      counts: [...this.counts],
      sums: [...this.sums],
      scoreSums: [...this.scoreSums],
      scores: Array.from(this.scoreSums, (_, index) =>
        [...this.scoresOf(index).entries()].flatMap(([bin, rows]) => (rows === 0 ? [] : [bin, rows])),
      ),
      ...(this.numbers && { numbers: this.numbers.toJSON() }),
      ...(this.labels && { labels: this.labels.toJSON() }),
    };
  }
}

function addTo(sums: Float64Array, more: Uint32Array | Float64Array): void {
  for (let i = 0; i < more.length; i++) sums[i] = (sums[i] as number) + (more[i] as number);
}

/** Where a kind is counted, after `TallyLayout.unrecognizedAt`. */
export const placeOf: Readonly<Record<UnknownKind, number>> = {
  missing: 0,
  mismatched: 1,
  unseen: 2,
};

/** Whether it is known which values of a column are of this kind. */
export const isKnown = ({ learned, hasLevels }: CountedColumn, kind: UnknownKind): boolean =>
  kind === 'missing' || (kind === 'unseen' ? hasLevels : learned !== undefined);

/** How many values of all columns the model does not recognize, as far as it is known which it does. */
export function countUnrecognized(
  { counts }: Pick<RunTally, 'counts'>,
  layout: Pick<TallyLayout, 'columns' | 'unrecognizedAt'>,
): Record<'mismatched' | 'unseen', number> {
  const total = (kind: UnknownKind): number =>
    layout.columns
      .map((column, i) =>
        isKnown(column, kind) ? (counts[layout.unrecognizedAt(i) + placeOf[kind]] ?? 0) : 0,
      )
      .reduce((sum, count) => sum + count, 0);
  return { mismatched: total('mismatched'), unseen: total('unseen') };
}
