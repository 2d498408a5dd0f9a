import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ShardsReport } from '../../../src/shards/status/shards-report.ts';
import { thisProcess } from '../../../src/storage/local/locks/lock-holder.ts';
import { exits } from '../../support/rowcast.ts';
import { assembleHere } from '../../support/shards/assemble-here.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run, type Sharded, workOn } from '../../support/shards/sharded.ts';
import { slow } from '../../support/slow.ts';

const text = hardCsv(2_200_000);

async function statusOf(sharded: Sharded, of: string, code: number): Promise<ShardsReport> {
  const ended = await run(sharded, 'status', of, '--json');
  assert.equal(ended.code, code, ended.stderr);
  return JSON.parse(ended.stdout.toString());
}

/** A worker that has taken a shard: this process, or another one. */
async function takeShard({ shards }: Sharded, shard: number, pid: number): Promise<void> {
  const name = `${String(shard).padStart(6, '0')}.1.json`;
  const holder = { worker: 'w', ...thisProcess(), pid, row: 1 };
  await shards.create(`leases/${name}`, JSON.stringify(holder));
  const beat = { beat: 1, state: 'running', row: 10, read: 9, rejected: 1, error: null };
  await shards.replace(`beats/${name}`, JSON.stringify(beat));
}

describe('rowcast status of a sharded run', () => {
  it('counts shards, rows and workers, by the folder or the output', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded, [0]);
    const stopped = await statusOf(sharded, sharded.shards.path, 3);
    assert.equal(stopped.state, 'stopped');
    const { waiting } = stopped.shards;
    assert.ok(waiting > 0);
    assert.deepEqual(stopped.shards, { waiting, running: 0, done: 1, failed: 0 });
    assert.equal(stopped.workers, 0);

    await takeShard(sharded, 1, process.pid);
    const running = await statusOf(sharded, 'out-0.csv', 75);
    assert.equal(running.state, 'running');
    assert.deepEqual(running.shards, { waiting: waiting - 1, running: 1, done: 1, failed: 0 });
    assert.equal(running.workers, 1);
    assert.equal(running.rows?.read, (stopped.rows?.read ?? 0) + 9);
    const { stdout } = await run(sharded, 'status', 'out-0.csv');
    assert.match(
      stdout.toString(),
      /shards: running, 1 worker\n\n {2}shards +\d waiting, 1 running, 1 done\n/,
    );
  });

  slow('names the shards that were given up, and what to do when all are done', async t => {
    const sharded = await planShards(t, [text], '.csv');
    const failure = { shard: 1, attempts: 5, error: { code: 'http_500', message: 'the service failed' } };
    await sharded.shards.create('failed/000001.json', JSON.stringify(failure));
    const { stdout } = await exits(run(sharded, 'status', sharded.shards.path), 3);
    assert.match(stdout.toString(), /given up +shard 1: the service failed \[http_500\]/);
    await sharded.shards.remove('failed/000001.json');
    await workOn(sharded);
    const done = await run(sharded, 'status', sharded.shards.path);
    assert.match(done.stdout.toString(), /all shards are done[\s\S]*next +rowcast assemble /);
  });
});

describe('rowcast cancel', () => {
  it('leaves what is finished, and says how to go on', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded, [0]);
    await exits(
      run(sharded, 'cancel', 'out-0.csv'),
      0,
      /cancelled; .* run the rowcast plan or score command of this run again/,
    );
    await assert.rejects(workOn(sharded), { code: 'cancelled' });
    const { is_cancelled: isCancelled, shards } = await statusOf(sharded, sharded.shards.path, 3);
    assert.ok(isCancelled);
    assert.equal(shards.done, 1);
  });
});

describe('rowcast abort', () => {
  slow('removes a sharded run, unless a worker is alive', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await takeShard(sharded, 1, process.pid);
    await exits(
      run(sharded, 'abort', 'out-0.csv'),
      75,
      /a worker is scoring shard 1, process \d+ \[locked\]/,
    );
    assert.ok(existsSync(sharded.shards.path));
    await sharded.shards.remove('leases/000001.1.json');
    await takeShard(sharded, 1, 2 ** 30);
    await exits(run(sharded, 'abort', sharded.shards.path), 0);
    assert.equal(existsSync(sharded.shards.path), false);
  });

  slow('removes an output that is half joined', async t => {
    const sharded = await planShards(t, [text], '.csv');
    await workOn(sharded);
    await assert.rejects(
      assembleHere(sharded.shards.path, {
        ...(await import('../../../src/storage/durable-files.ts')).diskFiles,
        async readAt() {
          throw new Error('the disk fails');
        },
      }),
    );
    await exits(run(sharded, 'abort', sharded.shards.path), 0);
    for (const left of ['out-0.csv', 'out-0.csv.partial', 'out-0.csv.checkpoint', 'out-0.csv.shards'])
      assert.equal(existsSync(join(sharded.cwd, left)), false, left);
  });
});
