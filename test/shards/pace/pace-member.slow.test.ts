import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { random } from '../../../fixtures/random.ts';
import { seed } from '../../support/random-tests.ts';
import { PaceSimulation } from '../../support/shards/pace-simulation.ts';

const newSimulation = (offset = 0): PaceSimulation => new PaceSimulation(random(seed + offset));
const anything = (): void => {};

describe('workers that share a pace', () => {
  it('read at most 20 files a second each, however many they are, and 100 while they join', async () => {
    const simulation = newSimulation();
    const count = 40;
    for (let i = 0; i < count; i++) simulation.start();
    let before = 0;
    for (const { until, most } of [
      ...Array.from({ length: 30 }, (_, i) => ({ until: (i + 1) * 1_000, most: 100 })),
      ...Array.from({ length: 10 }, (_, i) => ({ until: (i + 31) * 1_000, most: 22 })),
    ]) {
      await simulation.run(until, anything);
      const reads = (simulation.reads - before) / count;
      before = simulation.reads;
      assert.ok(reads <= most, `${reads} files read by each until ${until}`);
    }
    const waited = simulation.workers.map(worker => worker.waited ?? Number.POSITIVE_INFINITY);
    assert.ok(Math.max(...waited) < 20_000, `the last one waited for ${Math.max(...waited)} ms`);
    assert.ok(Math.abs(simulation.sum - 1) < 1e-9, `${simulation.sum}`);
  });
});
