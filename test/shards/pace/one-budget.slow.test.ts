import assert from 'node:assert/strict';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../../../src/shards/folder/next-attempt.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, type Running, rowcast, startRowcast } from '../../support/rowcast.ts';
import { type StubOptions, send, startStub } from '../../support/stub/service.ts';

/** Rows of a request. */
const ROWS = 10;

interface Arrival {
  at: number;
  /** Whether it was answered with 429. */
  isThrottled: boolean;
}

/** A service that records when requests with rows arrive, a plan of several shards, and workers for it. */
async function planned(
  t: TestContext,
  options: string[],
  limited?: (arrivals: readonly Arrival[]) => boolean,
) {
  const arrivals: Arrival[] = [];
  const first: NonNullable<StubOptions['first']> = ({ method }, response) => {
    if (method !== 'POST') return false;
    const isThrottled = limited?.(arrivals) ?? false;
    arrivals.push({ at: performance.now(), isThrottled });
    if (isThrottled) send(response, 429, { code: 'rate_limited' });
    return isThrottled;
  };
  const stub = await startStub(undefined, { report: { classes: ['no', 'yes'] }, first });
  const workers: Running[] = [];
  t.after(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(worker => worker.finished));
    await stub.close();
  });
  const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${'x'.repeat(100)}\n`);
  const cwd = await newFolder(t, { 'in.csv': `id,note\n${rows.join('')}` });
  const { env } = stub;
  const plan = 'plan in.csv --report r -o out.csv --shards dir --shard-bytes 1MiB'.split(' ');
  await exits(rowcast([...plan, ...options], { cwd, env }), 0);
  /** Starts a worker, and waits until it had time to make requests. */
  const start = async (...own: string[]): Promise<Running['child']> => {
    const worker = startRowcast(['work', 'dir', '--batch-rows', `${ROWS}`, ...own], { cwd, env });
    workers.push(worker);
    return worker.child;
  };
  return { arrivals, start };
}

/** The most requests that arrived in any time span of this length. */
function mostIn(arrivals: readonly Arrival[], ms: number): number {
  let [most, first] = [0, 0];
  for (const [last, { at }] of arrivals.entries()) {
    while (at - (arrivals[first]?.at ?? 0) > ms) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

async function kill(child: Running['child'], signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

describe('all workers of a folder', { concurrency: true }, () => {
  for (const [option, limit] of [
    ['--max-requests-per-second', 40],
    ['--max-rows-per-second', 40 * ROWS],
  ] as const)
    it(`keep to one ${option} while some join, leave, are killed and suspended`, async t => {
      const stalls = monitorEventLoopDelay();
      stalls.enable();
      const { arrivals, start } = await planned(t, [option, `${limit}`]);
      const first = await start();
      const second = await start();
      await delay(3_000);
      const third = await start(option, `${2 * limit}`); // the lowest limit counts
      await delay(3_000);
      await kill(first, 'SIGKILL');
      const fourth = await start();
      await delay(4_000);
      await kill(second, 'SIGTERM');
      third.kill('SIGSTOP');
      await delay(LEASE_MS + 2_000);
      third.kill('SIGCONT');
      await start();
      await delay(4_000);
      await kill(fourth, 'SIGTERM');
      await delay(2_000);
      stalls.disable();
      // Each worker may make one request at once, as a single process may, and one more that was about to be sent when
      // it was suspended. What arrives late because this process is busy seems to arrive together.
      const late = 0.1 + stalls.max / 1e9;
      for (const seconds of [1, 2, 5, 10, 20]) {
        const most = mostIn(arrivals, seconds * 1000);
        t.diagnostic(`${most} requests in ${seconds} s, late by up to ${late.toFixed(2)} s`);
        assert.ok(most <= 40 * (seconds + late) + 2 * 5, `${most} requests in ${seconds} s`);
      }
      assert.ok(arrivals.length > 100, `${arrivals.length} requests`);
    });

  it('follow a limit that only one of them was told by 429 responses', async t => {
    // 30 requests in any second.
    const limit = 30;
    const { arrivals, start } = await planned(t, [], all => {
      const now = performance.now();
      return all.filter(({ at, isThrottled }) => !isThrottled && now - at < 1_000).length >= limit;
    });
    for (let i = 0; i < 4; i++) await start('--concurrency', '4');
    await delay(45_000);
    const from = (arrivals.at(-1)?.at ?? 0) - 20_000;
    const late = arrivals.filter(({ at }) => at > from);
    const throttled = late.filter(({ isThrottled }) => isThrottled).length;
    t.diagnostic(`${late.length} requests in 20 s, ${throttled} of them throttled`);
    assert.ok(throttled < late.length / 4, `${throttled} of ${late.length} requests were throttled`);
  });
});
