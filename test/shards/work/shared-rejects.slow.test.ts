import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readRun } from '../../../src/shards/folder/read-run.ts';
import { exits } from '../../support/rowcast.ts';
import { assembleHere } from '../../support/shards/assemble-here.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run, workOn } from '../../support/shards/sharded.ts';

it('--max-rejects counts each rejected row of all shards once', async t => {
  const text = hardCsv(1_100_000);
  const first = await planShards(t, [text], '.csv');
  await workOn(first);
  const { results } = await readRun(first.shards);
  const rejected = [...results.values()].reduce((sum, { rowCounts }) => sum + rowCounts.rejected, 0);
  assert.ok(results.size === 2 && rejected > 50, `${results.size} shards, ${rejected} rejects`);
  const just = await planShards(t, [text], '.csv', { 'max-rejects': `${rejected}` });
  await workOn(just);
  const less = await planShards(t, [text], '.csv', { 'max-rejects': `${rejected - 1}` });
  await assert.rejects(workOn(less), { code: 'too_many_rejects' });
});

it('--max-rejects N% is a percentage of all rows, however many one of the inputs has', async t => {
  const header = 'id,monthly amount,plan\n';
  const bad =
    header + Array.from({ length: 2_000 }, (_, i) => (i % 10 === 0 ? `${i}\n` : `${i},2.5,Plus\n`)).join('');
  const good = header + Array.from({ length: 8_000 }, (_, i) => `${i},2.5,Plus\n`).join('');
  const enough = await planShards(t, [bad, good], '.csv', { 'max-rejects': '2%' });
  await workOn(enough, [1]);
  await workOn(enough, [0]);
  await assembleHere(enough.shards.path);
  const less = await planShards(t, [bad, good], '.csv', { 'max-rejects': '1.99%' });
  await workOn(less, [1]);
  await assert.rejects(workOn(less, [0]), {
    code: 'too_many_rejects',
    message: /^200 of 10,000 rows were rejected/,
  });
});

it('--max-rejects N% of fewer than 1,000 rows is checked when the parts are joined', async t => {
  const text = `id,monthly amount,plan\n${'1,2.5,Plus\n'.repeat(90)}${'1\n'.repeat(10)}`;
  const less = await planShards(t, [text], '.csv', { 'max-rejects': '9%' });
  await workOn(less);
  await assert.rejects(assembleHere(less.shards.path), { code: 'too_many_rejects' });
  await exits(run(less, 'assemble', less.shards.path, '--max-rejects', '10%'), 1);
});
