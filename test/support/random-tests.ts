import fc from 'fast-check';

/** The seed of every random test in this run. `npm test` chooses and prints it; TEST_SEED repeats an earlier one. */
export const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));

/** Whether the tests run in full, as in `npm run test:all`, or only a part of the long ones. */
export const isFull = process.env.TEST_FULL === '1';

/** The number of runs of a random test: all, or a tenth, or fewer where a run takes long. */
export const runs = (full: number, quick = Math.ceil(full / 10)): number => (isFull ? full : quick);

fc.configureGlobal({ seed, numRuns: runs(100) });

/** Surrogates, which are no characters by themselves. */
const [FIRST_SURROGATE, SURROGATES] = [0xd800, 0x800];

/**
 * Any character of Unicode, as the unit of a string. fast-check's own unit `binary` is the same, but enters all million
 * of them into a map first, which takes longer than most tests.
 */
export const character = fc.nat(0x10ffff - SURROGATES).map(
  number => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  text => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('not a single character');
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
