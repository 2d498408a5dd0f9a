import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attemptShape, firstAttempt, nextAttempt } from '../../src/runs/attempt.ts';

it('the ids of runs are UUIDs that sort by the start of their runs', () => {
  const times = [0, 1, 255, 256, 2 ** 31, 2 ** 32, Date.UTC(2026, 0, 31), Date.UTC(2026, 0, 31) + 1];
  const ids = times.map(time => attemptShape.parse(firstAttempt(new Date(time))).runId);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(Array.from({ length: 100 }, () => firstAttempt(new Date(0)).runId)).size, 100);
});

it('a resumed run keeps its id and its start, and counts its processes', () => {
  const first = firstAttempt(new Date(0));
  const third = nextAttempt(nextAttempt(first, 11), 21);
  assert.deepEqual([third.runId, third.runStartedAt], [first.runId, '1970-01-01T00:00:00.000Z']);
  assert.deepEqual([third.number, third.row], [3, 21]);
  assert.ok(Date.parse(third.startedAt) > 0);
});
