import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEASE_MS, nextShardAttempt, type SeenAttempt } from '../../../src/shards/folder/next-attempt.ts';
import type { ShardHeartbeat } from '../../../src/shards/folder/result-shape.ts';

const beat = (own: Partial<ShardHeartbeat> = {}): ShardHeartbeat => ({
  beat: 1,
  state: 'running',
  row: 1,
  read: 0,
  rejected: 0,
  error: null,
  ...own,
});
const attempt = (number: number, own: Partial<SeenAttempt> = {}): SeenAttempt => ({
  number,
  row: 1,
  beat: beat(),
  isDead: false,
  silentMs: 0,
  ...own,
});
const error = { code: 'record_too_long', message: 'too long' };

describe('the next attempt at a shard', () => {
  it('is the first one if nobody has tried', () => {
    assert.deepEqual(nextShardAttempt([], 1, false), { kind: 'take', attempt: 1 });
  });

  it('waits for a holder that sends heartbeats', () => {
    const alive = attempt(1, { silentMs: LEASE_MS - 1 });
    assert.deepEqual(nextShardAttempt([alive], 1, false), { kind: 'wait', attempt: 1 });
  });

  for (const [why, own] of [
    ['was silent for too long', { silentMs: LEASE_MS }],
    ['never sent a heartbeat', { beat: undefined, silentMs: LEASE_MS }],
    ['is a process of this machine that has ended', { isDead: true }],
    ['has given the shard back', { beat: beat({ state: 'ended' }) }],
  ] as const)
    it(`takes over from a holder that ${why}`, () => {
      assert.deepEqual(nextShardAttempt([attempt(1, own)], 1, false), { kind: 'take', attempt: 2 });
    });

  const failed = (row: number, own: Partial<SeenAttempt> = {}): SeenAttempt[] =>
    [1, 2, 3, 4, 5].map(number => attempt(number, { row, isDead: true, ...own }));

  it('is not made after five that began and ended at the same row', () => {
    const ended = failed(7, { beat: beat({ state: 'ended', error }) });
    assert.deepEqual(nextShardAttempt(ended, 7, false), { kind: 'give up', attempts: 5, error });
    assert.deepEqual(nextShardAttempt(failed(7), 7, false), { kind: 'give up', attempts: 5, error: null });
  });

  it('is made after any number of kills with progress between them', () => {
    const killed = failed(7).map((each, i) => ({ ...each, row: 7 + i }));
    assert.deepEqual(nextShardAttempt(killed, 11, false), { kind: 'take', attempt: 6 });
    assert.deepEqual(nextShardAttempt(failed(7), 8, false), { kind: 'take', attempt: 6 });
  });

  it('does not count those that a signal has stopped', () => {
    const stopped = failed(7, { beat: beat({ state: 'ended' }) });
    assert.deepEqual(nextShardAttempt(stopped, 7, false), { kind: 'take', attempt: 6 });
  });

  it('does not count those that ended before their first heartbeat, because the disk was full for example', () => {
    const none = failed(7, { beat: undefined });
    assert.deepEqual(nextShardAttempt(none, 7, false), { kind: 'take', attempt: 6 });
  });

  it('is made if somebody asks for it', () => {
    assert.deepEqual(nextShardAttempt(failed(7), 7, true), { kind: 'take', attempt: 6 });
  });
});
