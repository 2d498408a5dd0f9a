import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WINDOW_BYTES } from '../../src/scoring/stages.ts';
import { spawnRowcast, waitForStderr } from '../support/rowcast.ts';
import { startStub } from '../support/stub/service.ts';
import { bytesOfRows, GIGABYTE, MAX_BYTES, movedBy, peakOf } from './memory.ts';

const skip = existsSync('/proc/self/io') ? false : 'this system has no /proc';

const CONCURRENCY = 8;

/** A run with a gigabyte on stdin whose stdout nobody reads. */
async function offered(
  t: TestContext,
  options: { isStuck: boolean; chunk?: Buffer },
): Promise<{ pid: number | undefined; read: number }> {
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    behave: () => {
      stub.bodies.length = 0; // they would accumulate
      return options.isStuck;
    },
  });
  const args = [
    ...'score --report r --url'.split(' '),
    stub.url,
    '--features',
    'id',
    '--concurrency',
    `${CONCURRENCY}`,
  ];
  const child = spawnRowcast(args, { env: { ROWCAST_API_KEY: stub.key } });
  t.after(() => child.kill('SIGKILL'));
  await waitForStderr(child, /scoring stdin/);
  let read = 0;
  bytesOfRows(GIGABYTE, options.chunk)
    .on('data', (chunk: Buffer) => {
      read += chunk.length;
    })
    .pipe(child.stdin);
  await untilStill(child.pid);
  return { pid: child.pid, read };
}

/** Waits until a process has read and written nothing for a while. */
async function untilStill(pid: number | undefined): Promise<void> {
  let before = '';
  for (let still = 0; still < 4; ) {
    await delay(500);
    const now = await movedBy(pid);
    still = now === before ? still + 1 : 0;
    before = now;
  }
}

describe('memory', { skip, concurrency: 1 }, () => {
  for (const { what, isStuck, least, chunk } of [
    // The size of its requests, of a megabyte each, or of all responses that wait to be written.
    { what: 'a service that never responds', isStuck: true, least: CONCURRENCY * 1_000_000 },
    { what: 'a reader of stdout that does not read', isStuck: false, least: WINDOW_BYTES },
    // Records that are never sent take many times their size in memory.
    {
      what: 'malformed rows after a request',
      isStuck: true,
      chunk: Buffer.from('x\n'.repeat(10_000)),
      least: 100_000,
    },
    {
      what: 'blank lines after a request',
      isStuck: true,
      chunk: Buffer.from('\n'.repeat(10_000)),
      least: 100_000,
    },
  ])
    it(`stays below 200 MB with a gigabyte of input and ${what}`, async t => {
      const { pid, read } = await offered(t, { isStuck, ...(chunk && { chunk }) });
      const peak = await peakOf(pid);
      t.diagnostic(`peak ${Math.round(peak / 1e6)} MB, ${Math.round(read / 1e6)} MB of input read`);
      assert.ok(read > least && read < GIGABYTE / 2, `${read} bytes were read`);
      assert.ok(peak < MAX_BYTES, `${Math.round(peak / 1e6)} MB`);
    });
});
