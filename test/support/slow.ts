import { it, type TestContext } from 'node:test';
import { isFull } from './random-tests.ts';

/**
 * A case that only `npm run test:all` runs, as it runs `*.slow.test.ts`: one that takes long, next to quick ones with
 * the same setup.
 */
export const slow: (name: string, run: (t: TestContext) => Promise<void> | void) => void = isFull
  ? it
  : () => {};
