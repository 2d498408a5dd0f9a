import fc from 'fast-check';

/** The seed of every random test in this run. `npm test` chooses and prints it; TEST_SEED repeats an earlier one. */
export const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));

/** Whether the tests run in full, as in `npm run test:all`, or only a part of the long ones. */
export const isFull = process.env.TEST_FULL === '1';

/** The number of runs of a random test: all, or a tenth. */
export const runs = (full: number): number => (isFull ? full : Math.ceil(full / 10));

fc.configureGlobal({ seed, numRuns: runs(100) });
