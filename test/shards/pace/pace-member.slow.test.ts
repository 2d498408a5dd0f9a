import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { random } from '../../../fixtures/random.ts';
import { LEASE_MS } from '../../../src/shards/folder/next-attempt.ts';
import { seed } from '../../support/random-tests.ts';
import { PaceSimulation } from '../../support/shards/pace-simulation.ts';

const newSimulation = (offset = 0): PaceSimulation => new PaceSimulation(random(seed + offset));
const anything = (): void => {};

describe('workers that share a pace', () => {
  it('read at most 20 files a second each, however many they are, and 100 while they join', async () => {
    const simulation = newSimulation();
    const { pick } = random(seed);
    const count = 30;
    for (let i = 0; i < count; i++) simulation.start();
    let before = 0;
    for (let second = 1; second <= 40; second++) {
      if (second > 25 && second % 3 === 0)
        pick(simulation.workers).stoppedUntil = simulation.now + 1.3 * LEASE_MS;
      for (let tenth = 1; tenth <= 10; tenth++) {
        await simulation.run(1_000 * (second - 1) + 100 * tenth, anything);
        assert.ok(simulation.sum <= 1 + 1e-9, `${simulation.sum} at ${simulation.now}`);
      }
      const reads = (simulation.reads - before) / count;
      before = simulation.reads;
      const most = second < 25 ? 100 : 25;
      assert.ok(reads <= most, `${reads} files read by each in second ${second}`);
    }
    const waited = simulation.workers.map(worker => worker.waited ?? Number.POSITIVE_INFINITY);
    assert.ok(Math.max(...waited) < 25_000, `the last one waited for ${Math.max(...waited)} ms`);
  });
});
