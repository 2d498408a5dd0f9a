import { isDeepStrictEqual } from 'node:util';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RunTally } from '../../scoring/counting/run-tally.ts';
import type { DataTally } from './data-tally.ts';
import type { DataFigures } from './figures.ts';

/** What several runs of one command have counted together. */
export class TotalTally {
  #total: { sum: RunTally; counts: DataTally; predictionType: PredictionType | undefined } | undefined;
  /** Whether all runs have counted the same columns and predictions; otherwise there is no total. */
  #isWhole = true;

  /**
   * Adds a finished run.
   *
   * @param counts undefined if they are not known
   */
  add(counts: DataTally | undefined, predictionType: PredictionType | undefined): void {
    const total = this.#total;
    if (counts === undefined) this.#isWhole = false;
    else if (total === undefined) this.#total = { sum: counts.tally.copy(), counts, predictionType };
    else if (
      !isDeepStrictEqual(identityOf(counts, predictionType), identityOf(total.counts, total.predictionType))
    )
      this.#isWhole = false;
    else total.sum.addRun(counts.tally);
  }

  /** Undefined if there is no run, or no total of them. */
  figures(): DataFigures | undefined {
    return this.#isWhole
      ? this.#total?.counts.figures(this.#total.predictionType, this.#total.sum)
      : undefined;
  }
}

/** What must be the same to be added; where a column is in the input may differ. */
const identityOf = (
  { counting: { columns, isDetailed } }: DataTally,
  predictionType: PredictionType | undefined,
) => ({
  isDetailed,
  predictionType,
  columns: columns.map(({ name, learned, edges, levels }) => ({ name, learned, edges, levels })),
});
