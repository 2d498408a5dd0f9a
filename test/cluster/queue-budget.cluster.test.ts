import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../../src/shards/folder/next-attempt.ts';
import { newFolder } from '../support/folder.ts';
import { type Running, startRowcast } from '../support/rowcast.ts';
import { until } from '../support/stores/queue-run.ts';
import { mostOver } from '../support/stores/slots.ts';
import { stores } from '../support/stores/stores.ts';
import { startStub } from '../support/stub/service.ts';

/** Requests per second, and rows of each. */
const LIMIT = 40;
const ROWS = 10;
/** A request is sent at most this late, in seconds, and arrives later on a busy machine. */
const LATE = 0.1 + 0.2;

/** A service that records when requests with rows arrive, and a run of several shards. */
async function counted(t: TestContext, queue: string) {
  const arrivals: { at: number; count: number }[] = [];
  const stub = await startStub({
    report: { classes: ['no', 'yes'] },
    first({ method }) {
      if (method === 'POST') arrivals.push({ at: performance.now(), count: 1 });
      return false;
    },
  });
  const started: Running[] = [];
  t.after(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(each => each.finished));
    await stub.close();
  });
  const cwd = await newFolder(t);
  const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${'x'.repeat(100)}\n`);
  await writeFile(join(cwd, 'in.csv'), `id,note\n${rows.join('')}`);
  const env = { ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key };
  const start = (...args: string[]): Running['child'] => {
    const running = startRowcast([...args, '--queue', queue, '--batch-rows', `${ROWS}`], { cwd, env });
    started.push(running);
    return running.child;
  };
  const score = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', '--shard-bytes', '1MiB'];
  return { arrivals, work: () => start('work'), score: (...flags: string[]) => start(...score, ...flags) };
}

async function kill(child: Running['child'], signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

for (const { name, skip, start } of stores)
  for (const [option, limit] of [
    ['--max-requests-per-second', LIMIT],
    ['--max-rows-per-second', LIMIT * ROWS],
  ] as const)
    it(`workers of a queue in ${name} keep to one ${option}, and use all of it, while some join, leave, are killed and suspended, and the store is restarted`, {
      skip,
    }, async t => {
      const store = await start(t);
      const stalls = monitorEventLoopDelay();
      stalls.enable();
      const { arrivals, work, score } = await counted(t, store.url);
      score('--workers', '1', option, `${limit}`);
      const [first, second, third] = [work(), work(), work()];
      await until('requests arrive', () => arrivals.length > 0);
      await delay(8_000);
      await kill(first, 'SIGKILL');
      work();
      await delay(4_000);
      await kill(second, 'SIGTERM');
      third.kill('SIGSTOP');
      const before = arrivals.length;
      await delay(LEASE_MS + 2_000);
      const meanwhile = arrivals.length - before;
      third.kill('SIGCONT');
      work();
      await delay(4_000);
      await store.kill();
      await delay(2_000);
      const lost = arrivals.length;
      await delay(2_000);
      assert.equal(arrivals.length, lost, 'nothing is sent that is not counted');
      await store.start();
      await until('it goes on', () => arrivals.length > lost + 5 * LIMIT);
      stalls.disable();
      const late = LATE + stalls.max / 1e9;
      const most = mostOver(arrivals, LIMIT);
      t.diagnostic(
        `${arrivals.length} requests, at most ${most.toFixed(1)} over the limit in any span of time; ${meanwhile} in ${LEASE_MS / 1000 + 2} s next to one that was suspended; arrivals were noticed up to ${(stalls.max / 1e9).toFixed(2)} s late`,
      );
      // Two more: one that was about to be sent when its worker was suspended, and one after the store was emptied.
      assert.ok(most <= 1 + 2 + LIMIT * late, `${most} over the limit`);
      // Equal shares would leave at least a third of it to one that is suspended, for 10 s.
      assert.ok(meanwhile > 0.75 * LIMIT * (LEASE_MS / 1000 + 2), `${meanwhile} requests`);
    });
