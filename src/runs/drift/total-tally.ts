import { isDeepStrictEqual } from 'node:util';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RunTally } from '../../scoring/counting/run-tally.ts';
import { type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import type { DataTally } from './data-tally.ts';
import type { DataFigures } from './figures.ts';

/** What several runs of one command have counted together. */
export class TotalTally {
  #total:
    | { sum: RunTally; counts: DataTally; predictionType: PredictionType | undefined; rowCounts: RowCounts }
    | undefined;
  /** Whether all runs have counted the same columns and predictions; otherwise there is no total. */
  #isWhole = true;

  /**
   * Adds a finished run.
   *
   * @param counts undefined if they are not known
   */
  add(counts: DataTally | undefined, predictionType: PredictionType | undefined, rowCounts: RowCounts): void {
    const total = this.#total;
    if (counts === undefined) this.#isWhole = false;
    else if (total === undefined)
      this.#total = { sum: counts.tally.copy(), counts, predictionType, rowCounts };
    else if (
      !isDeepStrictEqual(identityOf(counts, predictionType), identityOf(total.counts, total.predictionType))
    )
      this.#isWhole = false;
    else {
      total.sum.addRun(counts.tally);
      total.rowCounts = sumOf([total.rowCounts, rowCounts]);
    }
  }

  /** Undefined if there is no run, or no total of them. */
  figures(): DataFigures | undefined {
    if (!this.#isWhole || this.#total === undefined) return undefined;
    const { counts, predictionType, rowCounts, sum } = this.#total;
    return counts.figures(predictionType, rowCounts, sum);
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
