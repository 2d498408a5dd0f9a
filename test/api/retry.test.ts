import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallError, type FailureKind } from '../../src/api/failures.ts';
import { waitBefore, withRetries } from '../../src/api/retry.ts';

const failure = (kind: FailureKind, code = 'x', retryAfter?: number): CallError =>
  new CallError(kind, code, code, { place: {}, retryAfter });

const never = new AbortController().signal;

describe('a call', { concurrency: true }, () => {
  it('is tried again until it succeeds, and each wait is told with the failure before it', async () => {
    const failures = [failure('outage', 'a'), failure('wrong_answer', 'b')];
    const told: [string, boolean][] = [];
    const answer = await withRetries(
      async () => {
        const next = failures.shift();
        if (next !== undefined) throw next;
        return 'done';
      },
      { tries: 3, signal: never, onRetry: ({ code }, wait) => told.push([code, wait >= 0 && wait < 500]) },
    );
    assert.equal(answer, 'done');
    assert.deepEqual(told, [
      ['a', true],
      ['b', true],
    ]);
  });

  it('fails with the last failure when the tries are used up', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      throw failure('fault', `call ${++calls}`);
    };
    await assert.rejects(withRetries(call, { tries: 3, signal: never }), { code: 'call 3' });
    assert.equal(calls, 3);
  });

  it('is not tried again where that changes nothing', async () => {
    for (const thrown of [failure('refusal'), failure('stop'), new TypeError('a bug')]) {
      let calls = 0;
      const call = async (): Promise<never> => {
        calls++;
        throw thrown;
      };
      await assert.rejects(withRetries(call, { tries: 5, signal: never }), thrown);
      assert.equal(calls, 1);
    }
  });

  it('is not tried again when nobody waits any more: not from a failure on, and not from within a wait', async () => {
    for (const when of ['before', 'during the wait']) {
      const stop = new AbortController();
      let calls = 0;
      const call = async (): Promise<never> => {
        calls++;
        if (when === 'before') stop.abort();
        throw failure('outage', 'x', 3600);
      };
      const onRetry = (): void => void setImmediate(() => stop.abort());
      await assert.rejects(withRetries(call, { tries: 5, signal: stop.signal, onRetry }));
      assert.equal(calls, 1, when);
    }
  });
});

describe('the wait before a try', () => {
  it('is anything from nothing to a ceiling that doubles up to 30 s', () => {
    assert.deepEqual(
      [1, 2, 3, 7, 8, 9, 2000].map(attempt => waitBefore(attempt, undefined, 1)),
      [250, 500, 1000, 16_000, 30_000, 30_000, 30_000],
    );
    assert.equal(waitBefore(5, undefined, 0), 0);
  });

  it('is never shorter than the service asked for', () => {
    assert.equal(waitBefore(1, 7, 0), 7000);
    assert.equal(waitBefore(9, 7, 0.5), 22_000);
  });

  it('is never so long that a timer would not wait at all (2^31 ms)', () => {
    assert.ok(waitBefore(1, 1e12, 0.5) < 2 ** 31);
    assert.ok(waitBefore(1, 1e12, 0.5) > 2 ** 30);
  });
});
