import type { ClassTally } from './class-tally.ts';
import type { EvaluationTally, TallySize } from './evaluation-tally.ts';
import type { NumberTally } from './number-tally.ts';

/** Values of a column that have figures of their own: the first ones that occur. */
export const MAX_SEGMENTS = 50;

/** A tally for each value of a column, and one for the rows of all values beyond the first 50. */
export class SegmentTallies<T extends ClassTally | NumberTally = ClassTally | NumberTally> {
  readonly by: string;
  readonly values = new Map<string, T>();
  others: T | undefined;
  readonly #make: (size: TallySize) => T;

  /** @param by the column */
  constructor(by: string, make: (size: TallySize) => T) {
    this.by = by;
    this.#make = make;
  }

  /** The tally to which a row with this value of the column is added. */
  of(value: string): EvaluationTally {
    const known = this.values.get(value);
    if (known !== undefined) return known;
    if (this.values.size === MAX_SEGMENTS) {
      this.others ??= this.#make('segment');
      return this.others;
    }
    const tally = this.#make('segment');
    this.values.set(value, tally);
    return tally;
  }
}
