import assert from 'node:assert/strict';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../../src/shards/folder/next-attempt.ts';
import { newFolder } from '../support/folder.ts';
import { type Running, startRowcast } from '../support/rowcast.ts';
import { until } from '../support/stores/queue-run.ts';
import { stores } from '../support/stores/stores.ts';
import { startStub } from '../support/stub/service.ts';

/** Requests per second, and rows of each. */
const LIMIT = 40;
const ROWS = 10;
/** A request is sent at most this late, in seconds, and arrives later on a busy machine. */
const LATE = 0.1 + 0.2;

/** A service that records when requests with rows arrive, and a run of several shards. */
async function counted(t: TestContext, queue: string) {
  const arrivals: number[] = [];
  const stub = await startStub(undefined, {
    report: { classes: ['no', 'yes'] },
    first({ method }) {
      if (method === 'POST') arrivals.push(performance.now());
      return false;
    },
  });
  const started: Running[] = [];
  t.after(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await Promise.all(started.map(each => each.finished));
    await stub.close();
  });
  const rows = Array.from({ length: 60_000 }, (_, i) => `${i},${'x'.repeat(100)}\n`);
  const cwd = await newFolder(t, { 'in.csv': `id,note\n${rows.join('')}` });
  const { env } = stub;
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

/** How much more than the rate allows arrives in a span of time, at the most. @param arrivals in order; times in ms */
function mostOver(arrivals: readonly number[]): number {
  let most = 0;
  for (const [first, from] of arrivals.entries())
    for (let last = first; last < arrivals.length; last++)
      most = Math.max(most, last - first + 1 - (LIMIT * ((arrivals[last] ?? 0) - from)) / 1000);
  return most;
}

for (const { name, skip, start } of stores)
  it(`workers of a queue in ${name} keep to one limit while some join, leave, are killed and suspended, and go on while its server is down`, {
    skip,
  }, async t => {
    const store = await start(t);
    const stalls = monitorEventLoopDelay();
    stalls.enable();
    const { arrivals, work, score } = await counted(t, store.url);
    score('--workers', '1', '--max-rows-per-second', `${LIMIT * ROWS}`);
    const [first, second, third] = [work(), work(), work()];
    await until('requests arrive', () => arrivals.length > 0);
    await delay(8_000);
    await kill(first, 'SIGKILL');
    work();
    await delay(4_000);
    await kill(second, 'SIGTERM');
    third.kill('SIGSTOP');
    await delay(LEASE_MS + 2_000);
    third.kill('SIGCONT');
    work();
    await delay(4_000);
    await store.kill();
    await delay(2_000);
    const before = arrivals.length;
    await until('more arrive without the server', () => arrivals.length > before + LIMIT);
    await store.start();
    stalls.disable();
    const late = LATE + stalls.max / 1e9;
    const most = mostOver(arrivals);
    t.diagnostic(
      `${arrivals.length} requests, at most ${most.toFixed(1)} over the limit in any span of time`,
    );
    // Each of at most five workers may make one request at once, and one that was about to be sent when it was
    // suspended.
    assert.ok(most <= 5 + 1 + LIMIT * late, `${most} over the limit`);
  });
