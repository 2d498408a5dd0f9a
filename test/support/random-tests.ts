import fc from 'fast-check';

/** Of every random test in this run. `npm test` chooses it anew and prints it; TEST_SEED repeats an earlier one. */
export const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1_000_000));

/** Whether the tests run in full, as in `npm run test:all`, or only a share of those that take long. */
export const isFull = process.env.TEST_FULL === '1';

/** How often a random test runs: in full, or a tenth of it. */
export const runs = (full: number): number => (isFull ? full : Math.ceil(full / 10));

fc.configureGlobal({ seed, numRuns: runs(100) });
