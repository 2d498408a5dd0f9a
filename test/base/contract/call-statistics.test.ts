import assert from 'node:assert/strict';
import { createHistogram } from 'node:perf_hooks';
import { it } from 'node:test';
import { Latencies } from '../../../src/base/contract/call-statistics.ts';

it('summarizes a few latencies and many as a histogram of all of them does', () => {
  const latencies = new Latencies();
  const others = new Latencies();
  const histogram = createHistogram({ highest: 3_600_000 });
  for (let count = 1; count <= 100; count++) {
    const latency = (count * 7919) % 50_000;
    latencies.record(latency);
    histogram.record(latency);
    others.record(1);
    assert.equal(others.percentile(99), 1);
    assert.equal(latencies.count, histogram.count);
    assert.equal(latencies.mean, histogram.mean);
    for (const percent of [50, 95, 99])
      assert.equal(latencies.percentile(percent), histogram.percentile(percent), `${percent} of ${count}`);
  }
});
