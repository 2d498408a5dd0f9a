import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureTable } from '../../src/client/failure-table.ts';
import { withRetries } from '../../src/client/requests.ts';
import { backoff, type RetryPolicy } from '../../src/scoring/failures/attempts.ts';
import { CallError } from '../../src/scoring/failures/call-error.ts';
import type { FailureKind } from '../../src/scoring/failures/failure-rule.ts';
import { ServiceAvailability } from '../../src/scoring/failures/service-availability.ts';

const failure = (kind: FailureKind, code = 'x', retryAfter?: number): CallError =>
  new CallError(kind, code, code, { location: {}, retryAfter });

/** Retries the request of a batch of several rows. */
function retry<T>(
  attempt: () => Promise<T>,
  { signal = new AbortController().signal, ...more }: Partial<RetryPolicy> & { signal?: AbortSignal } = {},
): Promise<T> {
  const policy: RetryPolicy = {
    table: failureTable,
    availability: new ServiceAvailability(),
    maxOutage: 60,
    pause() {},
    onRetry() {},
    ...more,
  };
  return withRetries(attempt, policy, true, signal);
}

it('a 503 counts only from the second attempt on, by the other requests since the previous attempt', async () => {
  const availability = new ServiceAvailability();
  let calls = 0;
  const call = async (): Promise<never> => {
    // The 20 that succeeded before the third attempt say nothing about the time after it.
    calls++;
    for (let others = 0; others < (calls === 3 ? 5 : 10); others++) availability.succeeded(performance.now());
    throw new CallError('busy', 'x', 'x', { location: {}, status: 503 });
  };
  await assert.rejects(retry(call, { availability }), { code: 'x' });
  assert.equal(calls, 5);
});

it('the wait of a part of a batch ends once other requests have shown that the service is up', async () => {
  const availability = new ServiceAvailability();
  const { signal } = new AbortController();
  let finished = 0;
  const wait = availability.wait(3_600_000, signal, () => finished === 3);
  for (; finished <= 3; ) {
    finished++;
    availability.succeeded(performance.now());
  }
  await wait; // it would end only after an hour
  assert.equal(finished, 4);
});

describe('a request', { concurrency: true }, () => {
  it('is retried until it succeeds, and each wait is reported with the failure before it', async () => {
    const failures = [failure('unavailable', 'a'), failure('invalid_response', 'b')];
    const reported: [string, boolean][] = [];
    const result = await retry(
      async () => {
        const next = failures.shift();
        if (next !== undefined) throw next;
        return 'done';
      },
      { onRetry: ({ code }, wait) => void reported.push([code, wait >= 0 && wait < 500]) },
    );
    assert.equal(result, 'done');
    assert.deepEqual(reported, [
      ['a', true],
      ['b', true],
    ]);
  });

  it('fails with the last failure once the maximum outage has passed, and never waits longer', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      throw failure('unavailable', `call ${++calls}`, 3600);
    };
    const begun = performance.now();
    await assert.rejects(retry(call, { maxOutage: 0.2 }), { code: 'call 2' });
    assert.ok(performance.now() - begun >= 190);
  });

  it('is given up even if each error has a different code', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      throw failure('server_error', `fault_${++calls}`);
    };
    const signal = AbortSignal.timeout(5000);
    await assert.rejects(retry(call, { maxOutage: 0, signal }), { code: 'fault_3' });
  });

  it('is not retried after a programming error', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      calls++;
      throw new TypeError('a bug');
    };
    await assert.rejects(retry(call), TypeError);
    assert.equal(calls, 1);
  });

  it('is not retried once aborted, neither right after a failure nor during a wait', async () => {
    for (const when of ['before', 'during the wait']) {
      const stop = new AbortController();
      let calls = 0;
      const call = async (): Promise<never> => {
        calls++;
        if (when === 'before') stop.abort();
        throw failure('unavailable', 'x', 3600);
      };
      const onRetry = (): void => void setImmediate(() => stop.abort());
      await assert.rejects(retry(call, { signal: stop.signal, maxOutage: 7200, onRetry }));
      assert.equal(calls, 1, when);
    }
  });
});

describe('a service that was down', () => {
  it('wakes waiting requests when it recovers', async () => {
    const health = new ServiceAvailability();
    health.failed('down', performance.now() - 5000);
    assert.ok(health.downFor(performance.now()) >= 5);
    const waiting = health.wait(3_600_000, new AbortController().signal);
    health.succeeded(performance.now());
    await waiting;
    assert.equal(health.downFor(performance.now()), 0);
  });

  it('is up when it rejects a request: its earlier outage does not count towards the maximum', async () => {
    const health = new ServiceAvailability();
    health.failed('down', performance.now() - 3_600_000);
    const call = (): Promise<never> => Promise.reject(failure('rejected_request'));
    await assert.rejects(retry(call, { availability: health }), { kind: 'rejected_request' });
    assert.equal(health.downFor(performance.now()), 0);
  });

  it('is different from one that was just busy', async () => {
    const health = new ServiceAvailability();
    const stop = new AbortController();
    health.failed('down', performance.now());
    const waiting = health.wait(3_600_000, stop.signal);
    health.succeeded(performance.now());
    setImmediate(() => stop.abort());
    await assert.rejects(waiting, { name: 'AbortError' });
  });
});

it('the wait before a retry is random between zero and a ceiling that doubles up to 30 s', () => {
  assert.deepEqual(
    [1, 2, 3, 7, 8, 9, 2000].map(tries => backoff(tries, 1)),
    [250, 500, 1000, 16_000, 30_000, 30_000, 30_000],
  );
  assert.equal(backoff(5, 0), 0);
});
