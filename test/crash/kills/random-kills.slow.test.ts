import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seed } from '../../support/random-tests.ts';
import { variants } from '../variants.ts';
import { killAll } from './all-variants.ts';
import { describeKills, sumOf } from './kills.ts';

/** A third of the variants, another one for each seed; `npm run test:crash`, which CI runs at night, has them all. */
const only = variants.filter((_, index) => index % 3 === seed % 3);

/** One of each, with a checkpoint to resume from. */
const KILLS = only.length;

describe('a run that is killed at random moments', () => {
  it('gives the same bytes as an undisturbed one, and leaves no files behind', async t => {
    const tallies = await killAll({ kills: KILLS, seed, only });
    for (const tally of tallies) {
      const { variant, resumes, failures } = tally;
      t.diagnostic(describeKills(tally));
      assert.deepEqual(failures, [], variant);
      assert.ok(resumes > 0, `${variant}: nothing was resumed, so nothing was tested`);
    }
    assert.equal(tallies.length, only.length);
    assert.equal(sumOf('all', tallies).kills, KILLS);
  });
});
