/** How a value may be spelled that is one of a column's levels. */
export interface OtherSpellings {
  /** How texts end that may be other spellings; undefined if any may be. */
  readonly ending: '.0' | undefined;
  /**
   * The number of the level that a text stands for, if none has this text.
   *
   * @param numbers of the levels, by their texts
   */
  find(text: string, numbers: ReadonlyMap<string, number>): number | undefined;
}

/** Pairs of texts that mean yes and no, in any case: as CSV, JSON, Parquet, databases and data frames write booleans. */
const PAIRS = [
  ['true', 'false'],
  ['t', 'f'],
  ['yes', 'no'],
  ['y', 'n'],
  ['1', '0'],
  ['1.0', '0.0'],
] as const;
const MEANINGS: ReadonlyMap<string, boolean> = new Map(
  PAIRS.flatMap(([yes, no]) => [
    [yes, true],
    [no, false],
  ]),
);
const WHOLE = /^-?\d+$/;
const WITH_ZERO = /^-?\d+\.0$/;

/**
 * Finds out whether the levels of a column have other spellings. Two levels may mean yes and no, and of whole numbers, data frames
 * write `1` as `1.0` where other values of the column are missing.
 *
 * @param levels numbered from 1
 */
export function spellingsOf(levels: readonly string[]): OtherSpellings | undefined {
  const meanings = levels.length === 2 ? levels.map(meaningOf) : [];
  const [first, second] = meanings;
  if (first !== undefined && second !== undefined && first !== second)
    return {
      ending: undefined,
      find(text) {
        const place = meanings.indexOf(meaningOf(text));
        return place === -1 ? undefined : place + 1;
      },
    };
  if (levels.length === 0) return undefined;
  if (levels.every(level => WHOLE.test(level)))
    return {
      ending: '.0',
      find: (text, numbers) => (WITH_ZERO.test(text) ? numbers.get(text.slice(0, -2)) : undefined),
    };
  if (levels.every(level => WITH_ZERO.test(level)))
    return {
      ending: undefined,
      find: (text, numbers) => (WHOLE.test(text) ? numbers.get(`${text}.0`) : undefined),
    };
  return undefined;
}

const meaningOf = (text: string): boolean | undefined => MEANINGS.get(text.trim().toLowerCase());
