import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RowcastError } from '../../../src/base/errors.ts';
import { type StoreBench, storeBench } from '../../support/object-store/scored-in-store.ts';
import { isFull, seed } from '../../support/random-tests.ts';

/** A process that was stopped for longer than this may lose its output to another one. */
const leaseMs = 200;

/** How many moments are tried in the quick tests, the first one chosen by the seed. */
const TRIED = 2;
/** All tests try every second one, the first one chosen by the seed. */
const EVERY = 2;

/**
 * Stops a run at one of its requests, lets another one take over and finish, and continues the first one.
 *
 * @returns the error of the first one; undefined if it ended well, or null if it never made that request
 */
async function comesBackLate(
  { service, run }: StoreBench,
  key: string,
  number: number,
): Promise<RowcastError | undefined | null> {
  const client = `late ${key}`;
  let requests = 0;
  let goOn = (): void => {};
  const isContinued = new Promise<void>(resolve => {
    goOn = resolve;
  });
  let late: Promise<RowcastError | undefined> | undefined;
  const isStopped = await new Promise<boolean>(resolve => {
    service.hooks.before = request => {
      if (request.client !== client || ++requests < number) return undefined;
      resolve(true);
      return isContinued;
    };
    late = run(key, { store: { client, leaseMs } }).then(
      () => undefined,
      error => error,
    );
    late.then(() => resolve(false));
  });
  if (!isStopped) return null;
  await takeOver(() => run(key, { store: { client: 'next', leaseMs } }));
  goOn();
  return late;
}

/** The other process waits until the lease has run out. */
async function takeOver(run: () => Promise<unknown>): Promise<void> {
  for (;;)
    try {
      await run();
      return;
    } catch (error) {
      assert.equal((error as RowcastError).code, 'locked');
      await delay(leaseMs / 4);
    }
}

async function checkLate(t: TestContext, key: string, bench: StoreBench): Promise<void> {
  const wanted = await bench.wanted(key.slice(1));
  let requests = 0;
  bench.service.hooks.before = ({ client }) => void (client === 'whole' && requests++);
  await bench.run(`/whole${key}`, { store: { client: 'whole' } });
  const step = isFull ? EVERY : Math.ceil(requests / TRIED);
  const ends: string[] = [];
  for (let number = 2 + (seed % step); number <= requests; number += step) {
    const own = `/${number}${key}`;
    const error = await comesBackLate(bench, own, number);
    if (error === null) continue;
    ends.push(error?.code ?? 'finished');
    assert.deepEqual(bench.written(own), wanted, `stopped at request ${number}: ${error?.message}`);
    assert.deepEqual(
      bench.service.uploads().filter(left => left.startsWith(own)),
      [],
      `stopped at request ${number}`,
    );
  }
  t.diagnostic(`${requests} requests; the late process: ${ends.join(' ')}`);
  assert.ok(ends.includes('locked'));
}

describe('a process that was stopped, and comes back after another one has finished its output', () => {
  it('changes nothing', async t => checkLate(t, '/out.csv', await storeBench(t, 300)));

  it('changes nothing in a gzip output', async t => checkLate(t, '/out.csv.gz', await storeBench(t, 1100)));
});
