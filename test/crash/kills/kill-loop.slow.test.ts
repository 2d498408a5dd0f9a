import assert from 'node:assert/strict';
import { it } from 'node:test';
import { random } from '../../../fixtures/random.ts';
import { seed } from '../../support/random-tests.ts';
import { variants } from '../variants.ts';
import { describeKills, killRuns } from './kills.ts';

/** The first with a checkpoint to resume from, the second at the end. */
const KILLS = 2;

/** One variant; random-kills.slow.test.ts has them all. */
it('a run that is killed at random moments gives the same bytes, and leaves no files behind', async t => {
  const variant = variants[seed % variants.length];
  assert.ok(variant);
  const tally = await killRuns(variant, { kills: KILLS, random: random(seed) });
  t.diagnostic(describeKills(tally));
  assert.deepEqual(tally.failures, [], variant.name);
  assert.equal(tally.kills, KILLS);
});
