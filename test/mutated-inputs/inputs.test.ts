import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sharedFolder } from '../support/folder.ts';
import { runs } from '../support/random-tests.ts';
import { inputFormats, type MutatedFiles, openMutatedFiles } from './score-mutated.ts';

/** Changed files per format, the same ones each time; `npm run test:inputs` makes more. */
const COUNT = runs(100, 25);

describe('a file that is changed at random places', () => {
  let files: MutatedFiles | undefined;
  before(async () => {
    files = await openMutatedFiles(await sharedFolder());
  });
  after(() => files?.close());

  for (const format of inputFormats)
    it(`is scored or refused, and what comes out is read by others: ${format}`, async () => {
      const faults: string[] = [];
      for (let seed = 1; seed <= COUNT; seed++) {
        const { fault } = (await files?.score(format, seed)) ?? {};
        if (fault !== undefined) faults.push(`seed ${seed}: ${fault}`);
      }
      assert.deepEqual(faults, []);
    });
});
