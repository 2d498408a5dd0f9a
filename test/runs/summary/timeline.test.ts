import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addSamples, noSample, Timeline } from '../../../src/runs/summary/timeline.ts';

const sampleAt = (seconds: number) => ({ ...noSample, rows: 10 * seconds, batches: seconds, inFlight: 4 });

function timelineOf(seconds: number, step = 0.25): Timeline {
  const timeline = new Timeline();
  for (let at = step; at <= seconds; at += step) timeline.add(at, sampleAt(at));
  return timeline;
}

describe('the timeline of a run', () => {
  it('has the sums at each quarter of a second of a short run', () => {
    const { points } = timelineOf(2);
    assert.deepEqual(
      points.map(({ seconds, rows }) => [seconds, rows]),
      Array.from({ length: 9 }, (_, i) => [i / 4, 2.5 * i]),
    );
  });

  it('never has more points than 121, and keeps the sums of a long run', () => {
    const timeline = timelineOf(20_000);
    const { points } = timeline;
    assert.ok(points.length > 50 && points.length <= 121, String(points.length));
    assert.deepEqual([points[0]?.seconds, points.at(-1)?.seconds], [0, 20_000]);
    const last = points.at(-1);
    assert.deepEqual([last?.rows, last?.inFlightSeconds], [200_000, 80_000]);
    const gaps = points.slice(1).map(({ seconds }, i) => seconds - (points[i]?.seconds ?? 0));
    assert.ok(Math.max(...gaps) <= (1.5 * 20_000) / (points.length - 1), 'the points are evenly spaced');
  });

  it('ends with the latest sums, and without a very short last step', () => {
    const timeline = timelineOf(1);
    timeline.add(1.05, sampleAt(1.05));
    assert.deepEqual(
      timeline.points.map(({ seconds }) => seconds),
      [0, 0.25, 0.5, 0.75, 1.05],
    );
    timeline.add(1.2, sampleAt(1.2));
    assert.equal(timeline.points.at(-2)?.seconds, 1);
    assert.deepEqual(
      new Timeline().points.map(({ seconds }) => seconds),
      [0],
    );
  });

  it('adds up the samples of several runs', () => {
    const { rows, inFlight } = addSamples([sampleAt(1), sampleAt(3)]);
    assert.deepEqual([rows, inFlight], [40, 8]);
  });
});
