import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  openQueue,
  type RunQueue,
  type ShardQueue,
  type TakenJob,
} from '../../../src/shards/queue/bull-queue.ts';
import { chooseQueue } from '../../../src/shards/queue/queue-address.ts';

/** Connects to the queue of a server. */
export async function openStore(t: TestContext, { url }: { url: string }): Promise<ShardQueue> {
  const address = chooseQueue(url, undefined);
  assert.ok(address);
  const queue = await openQueue(address, message => assert.fail(message));
  t.after(() => queue.close());
  return queue;
}

/** The next job, which must be there. */
export async function taken(jobs: RunQueue): Promise<TakenJob> {
  const job = await jobs.take();
  assert.ok(job);
  return job;
}

/** The next job, which will be there. */
export async function untilTaken(jobs: RunQueue): Promise<TakenJob> {
  const end = performance.now() + 60_000;
  for (;;) {
    const job = await jobs.take();
    if (job !== undefined) return job;
    assert.ok(performance.now() < end, 'no job was given out');
    await delay(50);
  }
}
