import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { random } from '../../../fixtures/random.ts';
import { LEASE_MS } from '../../../src/shards/folder/next-attempt.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { type Running, startRowcast } from '../../support/rowcast.ts';
import { compareSingle } from '../../support/shards/compare-single.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { planShards, run, type Sharded } from '../../support/shards/sharded.ts';

/** WORKER_KILLS=200 makes more. */
const KILLS = Number(process.env.WORKER_KILLS ?? (isFull ? 8 : 4));
const WORKERS = 3;

/**
 * Together slow enough to be killed in the middle of a shard, with a checkpoint now and then: of gzip, after each MiB.
 */
const startWorker = ({ cwd, env, shards }: Sharded, rows: number): Running =>
  startRowcast(
    ['work', shards.path, '--threads', '1', '--max-rows-per-second', `${rows}`, '--batch-rows', '500'],
    {
      cwd,
      env,
    },
  );

for (const suffix of ['.csv', '.csv.gz'])
  it(`workers that are killed, stopped and suspended leave ${suffix} as one process writes it`, async t => {
    const { unit, pick } = random(seed);
    const rows = WORKERS * (suffix === '.csv' ? 5_000 : 20_000);
    const sharded = await planShards(t, [hardCsv(3_300_000), hardCsv(500_000)], suffix);
    const workers = new Set(Array.from({ length: WORKERS }, () => startWorker(sharded, rows)));
    const replace = (worker: Running): void => {
      workers.delete(worker);
      workers.add(startWorker(sharded, rows));
    };
    const counts = { SIGKILL: 0, SIGTERM: 0, SIGSTOP: 0 };
    const suspended: Running[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await delay(700 + 1500 * unit());
      const worker = pick([...workers]);
      if (worker.child.exitCode !== null) break;
      // Suspending one takes longer than its lease.
      const signal = kill === 1 ? 'SIGSTOP' : unit() < 0.7 ? 'SIGKILL' : 'SIGTERM';
      counts[signal]++;
      worker.child.kill(signal);
      if (signal === 'SIGSTOP') {
        suspended.push(worker);
        setTimeout(() => worker.child.kill('SIGCONT'), LEASE_MS + 4_000);
      } else await once(worker.child, 'exit');
      replace(worker);
    }
    for (const { finished } of [...workers, ...suspended]) {
      const { code, stderr } = await finished;
      assert.equal(code, 0, stderr);
    }
    t.diagnostic(JSON.stringify(counts));
    await compareSingle(sharded, suffix, 1);
    const left = await run(sharded, 'assemble', sharded.shards.path);
    assert.match(left.stderr, /there is no plan/);
  });
