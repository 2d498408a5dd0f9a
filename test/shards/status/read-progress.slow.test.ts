import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { exits } from '../../support/rowcast.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run } from '../../support/shards/sharded.ts';

it('rowcast abort asks whether a worker of another machine is alive, and believes no clock', async t => {
  const sharded = await planShards(t, [hardCsv(1_100_000)], '.csv');
  const { shards } = sharded;
  const holder = { worker: 'w', pid: 1, started: '1', realm: 'another machine', row: 1 };
  await shards.create('leases/000001.1.json', JSON.stringify(holder));
  let beat = 0;
  const send = () =>
    shards.replace(
      'beats/000001.1.json',
      JSON.stringify({ beat: ++beat, state: 'running', row: 10, read: 9, rejected: 1, error: null }),
    );
  await send();
  const heart = setInterval(send, 1_000);
  await exits(
    run(sharded, 'abort', shards.path).finally(() => clearInterval(heart)),
    75,
    /a worker is scoring shard 1/,
  );
  // Its last heartbeat is from just now.
  await exits(run(sharded, 'abort', shards.path), 0);
  assert.equal(existsSync(shards.path), false);
});
