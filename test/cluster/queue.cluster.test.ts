import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openFolder } from '../../src/shards/folder/names.ts';
import { plannedShards, readShard } from '../../src/shards/folder/read-run.ts';
import { openQueue } from '../../src/shards/queue/bull-queue.ts';
import { chooseQueue } from '../../src/shards/queue/queue-address.ts';
import { exits } from '../support/rowcast.ts';
import { hardCsv } from '../support/shards/hard-csv.ts';
import { compareOne, type QueueRun, queueRun, until } from '../support/stores/queue-run.ts';
import { noRedis, startRedis } from '../support/stores/redis.ts';
import { stores } from '../support/stores/stores.ts';

const text = hardCsv(3_300_000);
const slow = ['--max-rows-per-second', '3000', '--batch-rows', '500'];

/** The runs that are in the queue. */
async function runsOf({ url }: QueueRun) {
  const address = chooseQueue(url, undefined);
  assert.ok(address);
  const queue = await openQueue(address, () => {});
  return queue.runs().finally(() => queue.close());
}

/** The modification time of the input, in whole seconds, so that it can be set again. */
const TIME = 1_000_000_000;

/** Makes a record too long, without a change of size and time. */
async function breakShard(input: string, offset: number): Promise<void> {
  const file = await open(input, 'r+');
  await file.write(Buffer.alloc(100 << 10, 'x'), 0, 100 << 10, offset);
  await file.close();
  await utimes(input, TIME, TIME);
}

for (const { name, skip, start } of stores)
  describe(`a run whose shards ${name} gives out`, { skip }, () => {
    it('is scored by the command itself, and leaves nothing in the queue', async t => {
      const own = await queueRun(t, await start(t), text);
      const { code, stderr } = await own.score('--workers', '2').finished;
      assert.equal(code, 1, stderr);
      assert.match(stderr, /with 2 workers; more of them, on any machine: rowcast work --queue /);
      await compareOne(own);
      assert.deepEqual(await runsOf(own), []);
    });

    it('is scored by workers that come and go, which then wait for others or end', async t => {
      const own = await queueRun(t, await start(t), text);
      const first = own.work(...slow);
      const planner = own.score('--workers', '0');
      await until('a shard is in progress', () => /shard \d: from row/.test(first.said));
      first.child.kill('SIGTERM');
      await once(first.child, 'exit');
      assert.equal(first.child.exitCode, 143, first.said);
      const [, work = ''] = /workers of any machine: (rowcast work .*)/.exec(planner.said) ?? [];
      const printed = own.shell(`${work || assert.fail(planner.said)} --stop-when-empty`);
      const [second, third] = [own.work(), own.work('--stop-when-empty')];
      const { code, stderr } = await planner.finished;
      assert.equal(code, 1, stderr);
      if (third.child.exitCode === null) await once(third.child, 'exit');
      assert.equal(third.child.exitCode, 0, third.said);
      assert.match(third.said, /\d shards? scored\n$/);
      await printed;
      assert.equal(second.child.exitCode, null);
      await compareOne(own);
    });

    it('stops when it is cancelled, and its jobs leave the queue; the same command resumes it', async t => {
      const own = await queueRun(t, await start(t), text);
      const worker = own.work(...slow);
      const planner = own.score('--workers', '0');
      await until('a shard is in progress', () => /shard \d: from row/.test(worker.said));
      const status = await own.run('status', 'out.csv', '--json');
      assert.equal(JSON.parse(status.stdout.toString()).workers, 1);
      assert.equal((await own.run('cancel', 'out.csv')).code, 0);
      const { code, stderr } = await planner.finished;
      assert.equal(code, 3, stderr);
      assert.match(stderr, /the run was cancelled \[cancelled\]/);
      assert.deepEqual(await runsOf(own), []);
      assert.equal((await own.score().finished).code, 1);
      await compareOne(own);
      assert.equal(worker.child.exitCode, null, worker.said);
    });

    it('can be discarded, and workers wait for the next one', async t => {
      const own = await queueRun(t, await start(t), text);
      const planner = own.score('--workers', '1', ...slow);
      const worker = own.work(...slow);
      await until('a shard is in progress', () => /shard \d: from row/.test(worker.said));
      assert.equal((await own.run('abort', 'out.csv')).code, 75);
      planner.child.kill('SIGTERM');
      assert.equal((await planner.finished).code, 143);
      const [, cancel = ''] =
        /Other workers go on; to stop them: (rowcast cancel .*)/.exec(planner.said) ?? [];
      await own.shell(cancel || assert.fail(planner.said));
      await until('nobody scores', async () => (await own.run('abort', 'out.csv')).code === 0);
      assert.equal(existsSync(join(own.cwd, 'out.csv.shards')), false);
      await until('its jobs have left', async () => (await runsOf(own)).length === 0);
      assert.equal((await own.score('--workers', '0').finished).code, 1, worker.said);
    });

    it('is finished but for a shard that cannot be scored, which is named with the command to try it again', async t => {
      const own = await queueRun(t, await start(t), text);
      await utimes(join(own.cwd, 'in.csv'), TIME, TIME);
      const planner = own.score('--workers', '0', '--max-record-bytes', '64KiB');
      await until('it is in the queue', async () => (await runsOf(own)).length === 1);
      const folder = openFolder(join(own.cwd, 'out.csv.shards'));
      await until('it is planned', async () => (await plannedShards(folder)) !== undefined);
      await breakShard(join(own.cwd, 'in.csv'), (await readShard(folder, 1))?.from?.offset ?? 0);
      const worker = own.work();
      const { code, stderr } = await planner.finished;
      assert.equal(code, 3, worker.said);
      assert.match(stderr, /shard 1 after 5 attempts.*\[shards_failed\]\n.*rowcast work \S+ --shard 1/);
      assert.match(worker.said, /shard 2: [\d,]+ rows/);
      assert.deepEqual(await runsOf(own), []);
    });

    it('is left alone by a worker that does not see its input, and says so', async t => {
      const own = await queueRun(t, await start(t), text);
      const planner = own.score('--workers', '0');
      await until('it is in the queue', async () => (await runsOf(own)).length === 1);
      const folder = openFolder(join(own.cwd, 'out.csv.shards'));
      await until('it is planned', async () => (await plannedShards(folder)) !== undefined);
      await rename(join(own.cwd, 'in.csv'), join(own.cwd, 'hidden.csv'));
      const blind = own.work();
      const other = own.work('--home', 'elsewhere');
      await until('both refuse', () =>
        [blind, other].every(({ said }) => /takes no shards of this run/.test(said)),
      );
      assert.match(
        blind.said,
        /out\.csv\.shards: this worker takes no shards of this run: .*in\.csv: no such file \[no_such_file\]\n/,
      );
      await rename(join(own.cwd, 'hidden.csv'), join(own.cwd, 'in.csv'));
      const good = own.work();
      assert.equal((await planner.finished).code, 1, good.said);
      assert.doesNotMatch(blind.said + other.said, /shard \d/);
      await compareOne(own);
    });
  });

describe('a queue in Redis that forgets everything', { skip: noRedis }, () => {
  it('is filled again, and no row is lost or scored twice', async t => {
    const store = await startRedis(t, ['--appendonly', 'no']);
    const own = await queueRun(t, store, text);
    const worker = own.work(...slow);
    const planner = own.score('--workers', '0');
    await until('a shard is done', () => /shard \d: [\d,]+ rows/.test(worker.said));
    assert.match(planner.said, /forgets its jobs when it is restarted/);
    await store.kill();
    await until('both miss it', () =>
      [worker, planner].every(({ said }) => /cannot reach the queue at redis:/.test(said)),
    );
    await store.start();
    const { code, stderr } = await planner.finished;
    assert.equal(code, 1, stderr);
    assert.match(stderr, /can be reached again/);
    await compareOne(own);
  });

  it('is refused if it may remove keys', async t => {
    const own = await queueRun(t, await startRedis(t, ['--maxmemory-policy', 'allkeys-lru']), 'id\n1\n');
    const { code, stderr } = await own.score().finished;
    assert.equal(code, 2);
    assert.match(stderr, /maxmemory-policy is allkeys-lru\) \[queue_evicts\]\n {2}Run redis-cli config set/);
  });

  it('needs its password, which only the variable may have', async t => {
    const { url } = await startRedis(t, ['--requirepass', 'swordfish']);
    const own = await queueRun(t, { url }, text);
    const refused = await own.score().finished;
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /refuses access: NOAUTH.*\[queue_refused\]/);
    own.env.ROWCAST_QUEUE = url.replace('redis://', 'redis://:swordfish@localhost');
    const secret = own.env.ROWCAST_QUEUE;
    await exits(
      own.run('work', '--queue', secret),
      2,
      /the URL has a password, which other users.*\[bad_option\]/,
    );
    const { code, stderr } = await own.score('--queue', secret.replace(':swordfish@', ''), '--workers', '2')
      .finished;
    assert.equal(code, 1, stderr);
    assert.doesNotMatch(stderr, /swordfish/);
    await compareOne(own);
  });
});
