import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readRun } from '../../../src/shards/folder/read-run.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, workOn } from '../../support/shards/sharded.ts';

it('--max-rejects counts each rejected row of all shards once', async t => {
  const text = hardCsv(1_100_000);
  const first = await planShards(t, [text], '.csv');
  await workOn(first);
  const { results } = await readRun(first.shards);
  const rejected = [...results.values()].reduce((sum, { accounts }) => sum + accounts.rejected, 0);
  assert.ok(results.size === 2 && rejected > 50, `${results.size} shards, ${rejected} rejects`);
  const just = await planShards(t, [text], '.csv', { 'max-rejects': `${rejected}` });
  await workOn(just);
  const less = await planShards(t, [text], '.csv', { 'max-rejects': `${rejected - 1}` });
  await assert.rejects(workOn(less), { code: 'too_many_rejects' });
});
