import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exits } from '../../support/rowcast.ts';
import { header } from '../../support/service/uploads.ts';
import { planShards, run, workOn } from '../../support/shards/sharded.ts';

it('the first shard of an input stops when most values mean nothing to the model, as a single process would', async t => {
  const note = 'x'.repeat(100);
  const sharded = await planShards(t, [`${header},note\n${`much,x90,y,${note}\n`.repeat(12_000)}`], '.csv');
  await assert.rejects(workOn(sharded, [0]), { code: 'too_many_mismatches', quote: /^the most common is / });
  // What is before the second shard is not known to its worker.
  await workOn(sharded, [1]);
  await workOn(sharded, [0], { values: { maxMismatches: 'none', maxUnseen: 'none' } });
});

it('joining the shards quotes values of the input if all shards together have too many that mean nothing', async t => {
  const note = 'x'.repeat(100);
  const sharded = await planShards(t, [`${header},note\n${`much,x90,y,${note}\n`.repeat(12_000)}`], '.csv', {
    'max-mismatches': '11000',
    'max-unseen': 'none',
  });
  await workOn(sharded);
  await exits(
    run(sharded, 'assemble', sharded.shards.path),
    3,
    /do not fit its type; the most common is "much" \[too_many_mismatches\]/,
  );
});
