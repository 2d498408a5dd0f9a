import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { random } from '../../fixtures/random.ts';
import { LEASE_MS } from '../../src/shards/folder/next-attempt.ts';
import { seed } from '../support/random-tests.ts';
import { hardCsv } from '../support/shards/hard-csv.ts';
import { compareOne, queueRun, until, type Worker } from '../support/stores/queue-run.ts';
import { stores } from '../support/stores/stores.ts';

/** QUEUE_KILLS=200 makes more. */
const KILLS = Number(process.env.QUEUE_KILLS ?? 12);
const WORKERS = 3;
/** Slow enough to be killed in the middle of a shard. */
const slow = ['--max-rows-per-second', '2500', '--batch-rows', '500'];

for (const { name, skip, start } of stores)
  it(`kills of workers, planner and ${name} leave what one process writes`, { skip }, async t => {
    const { unit, pick } = random(seed);
    const store = await start(t);
    const own = await queueRun(t, store, hardCsv(700_000 * KILLS));
    const workers = new Set<Worker>(Array.from({ length: WORKERS }, () => own.work(...slow)));
    let planner = own.score('--workers', '0');
    const counts = { worker: 0, planner: 0, store: 0, suspended: 0 };
    for (let kill = 0; kill < KILLS && planner.child.exitCode === null; kill++) {
      await delay(1000 + 2000 * unit());
      const event =
        kill === 1 ? 'suspended' : pick(['worker', 'worker', 'worker', 'planner', 'store'] as const);
      counts[event]++;
      const worker = pick([...workers]);
      if (event === 'worker') {
        worker.child.kill('SIGKILL');
        await once(worker.child, 'exit');
        workers.delete(worker);
        workers.add(own.work(...slow));
      } else if (event === 'suspended') {
        worker.child.kill('SIGSTOP');
        setTimeout(() => worker.child.kill('SIGCONT'), LEASE_MS + 4_000);
      } else if (event === 'planner') {
        planner.child.kill('SIGKILL');
        await planner.finished;
        planner = own.score('--workers', '0');
      } else {
        // A command that starts without the store says so, and ends.
        await until('all have started', () => [planner, ...workers].every(({ said }) => /queue/.test(said)));
        await store.kill();
        // Longer than the lock of a job.
        await delay(6_000 * unit());
        await store.start();
      }
    }
    const { code, stderr } = await planner.finished;
    t.diagnostic(JSON.stringify(counts));
    assert.equal(code, 1, stderr);
    for (const worker of workers) {
      const { child } = worker;
      if (child.kill('SIGTERM')) await once(child, 'exit');
      // By the signal itself if it had not started yet.
      assert.ok(child.exitCode === 143 || child.signalCode === 'SIGTERM', worker.said);
    }
    await compareOne(own);
    assert.equal(existsSync(join(own.cwd, 'out.csv.shards')), false);
    const left = (await readdir(own.cwd)).filter(file => /partial|checkpoint|lock/.test(file));
    assert.deepEqual(left, []);
  });
