import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { thisProcess } from '../../../src/storage/local/locks/lock-holder.ts';
import type { ObjectRequest } from '../../support/object-store/object-service.ts';
import { type StoreBench, storeBench } from '../../support/object-store/scored-in-store.ts';
import { isFull, seed } from '../../support/random-tests.ts';

/** A holder that looks like a process that was killed. */
const killed = { ...thisProcess(), started: 'never' };

/** How many of the requests are tried in the quick tests, the first one chosen by the seed. */
const TRIED = 3;
/** All tests try every second one, the first one chosen by the seed. */
const EVERY = 2;

interface Death {
  client: string;
  /** Whether the run dies at this request, which is one of its own. */
  isAt: (request: ObjectRequest) => boolean;
  /** Whether the request has its effect before that. */
  side: 'before' | 'after';
}

/**
 * Makes a run stop for good at one of its requests to the store: its later ones never arrive either.
 *
 * @returns settles when that request was made, with false if the run ends without it
 */
function diesAt({ service, run }: StoreBench, key: string, { client, isAt, side }: Death): Promise<boolean> {
  const hook = service.hooks[side];
  let isDead = false;
  return new Promise(resolve => {
    service.hooks[side] = request => {
      if (request.client !== client) return hook?.(request);
      isDead ||= isAt(request);
      if (!isDead) return undefined;
      resolve(true);
      return new Promise(() => {});
    };
    const end = (): void => resolve(false); // or it is dead already, and the service was closed
    run(key, { store: { client, holder: killed } }).then(end, end);
  });
}

/** Lets a run die at each of its requests, before and after its effect, and compares what the next run makes of it. */
async function dieAtEach(t: TestContext, key: string, bench: StoreBench): Promise<void> {
  const wanted = await bench.wanted(key.slice(1));
  let requests = 0;
  bench.service.hooks.before = ({ client }) => void (client === 'whole' && requests++);
  await bench.run(`/whole${key}`, { store: { client: 'whole' } });
  const step = isFull ? EVERY : Math.ceil(requests / TRIED);
  let resumes = 0;
  let deaths = 0;
  for (const side of ['before', 'after'] as const)
    for (let number = 1 + (seed % step); number <= requests; number += step) {
      const own = `/${side}-${number}${key}`;
      let made = 0;
      if (!(await diesAt(bench, own, { client: own, side, isAt: () => ++made === number }))) continue;
      deaths++;
      // Under its own name, an object is either missing or complete.
      for (const [suffix, bytes] of bench.written(own))
        if (suffix !== '.checkpoint') assert.deepEqual(bytes, wanted.get(suffix), own);
      const result = await bench.run(own);
      if (result?.resumedFrom !== undefined) resumes++;
      assert.deepEqual(bench.written(own), wanted, own);
      assert.deepEqual(
        bench.service.uploads().filter(left => left.startsWith(own)),
        [],
        own,
      );
    }
  t.diagnostic(`${requests} requests, ${deaths} deaths, ${resumes} resumes`);
  assert.ok(deaths >= TRIED);
  if (isFull) assert.ok(resumes > 0);
}

describe('a run that dies at one of its requests to a store is finished by the next one', () => {
  it('with the same bytes', async t => dieAtEach(t, '/out.csv', await storeBench(t, 300)));

  it('with the same bytes as gzip', async t => dieAtEach(t, '/out.csv.gz', await storeBench(t, 1100)));

  it('without scoring a row if it had only to publish its objects, of which one is there', async t => {
    const bench = await storeBench(t, 300);
    const wanted = await bench.wanted('out.csv');
    for (const side of ['before', 'after'] as const) {
      const key = `/${side}/out.csv`;
      const isAt = ({ text }: ObjectRequest): boolean => text === `POST ${key}?complete`;
      assert.ok(await diesAt(bench, key, { client: side, isAt, side }));
      const there = side === 'before' ? ['.checkpoint', '.rejects'] : ['', '.checkpoint', '.rejects'];
      assert.deepEqual([...bench.written(key).keys()].sort(), there);
      const { length } = bench.stub.bodies;
      await bench.run(key);
      assert.equal(bench.stub.bodies.length, length);
      assert.deepEqual(bench.written(key), wanted);
      assert.deepEqual(bench.service.uploads(), []);
    }
  });
});
