import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallError, type FailureKind, failureTable, kindOfStatus } from '../../../src/client/failures.ts';
import {
  backoff,
  countsAgainstBatch,
  decideRetry,
  type FailedAttempt,
  type RetryOptions,
  withRetries,
} from '../../../src/client/retry/retry.ts';
import { ServiceAvailability } from '../../../src/client/retry/service-availability.ts';

const failure = (kind: FailureKind, code = 'x', retryAfter?: number): CallError =>
  new CallError(kind, code, code, { location: {}, retryAfter });

const options = (more: Partial<RetryOptions> = {}): RetryOptions => ({
  availability: new ServiceAvailability(),
  pacer: { pause() {} },
  maxOutage: 60,
  signal: new AbortController().signal,
  canSplit: true,
  ...more,
});

const failed = (
  kind: FailureKind,
  more: Partial<FailedAttempt> & { code?: string; retryAfter?: number } = {},
): FailedAttempt => ({
  failure: failure(kind, more.code, more.retryAfter),
  sameKind: 1,
  othersSucceed: false,
  canSplit: true,
  failingFor: 0,
  downFor: 0,
  stalledFor: 0,
  maxOutage: 60,
  ...more,
});

describe('what is done about a failed attempt', () => {
  it('is to make it again while the service is away, for as long as the patience lasts', () => {
    assert.equal(decideRetry(failed('unavailable', { sameKind: 1000, downFor: 59 })), 'retry');
    assert.equal(decideRetry(failed('unavailable', { downFor: 60 })), 'stop');
  });

  it('is to halve a batch that failed three times while others succeed', () => {
    const late = { alike: 3, othersSucceed: true };
    assert.equal(decideRetry(failed('unavailable', late)), 'isolate');
    assert.equal(decideRetry(failed('unavailable', { ...late, sameKind: 2 })), 'retry');
    assert.equal(decideRetry(failed('unavailable', { ...late, othersSucceed: false })), 'retry');
  });

  it('is to reject a row that failed for all of the patience while others succeed, and not to stop the run', () => {
    const late = { alike: 30, othersSucceed: true, canSplit: false };
    assert.equal(decideRetry(failed('unavailable', { ...late, failingFor: 59 })), 'retry');
    assert.equal(decideRetry(failed('unavailable', { ...late, failingFor: 60 })), 'isolate');
    assert.equal(
      decideRetry(failed('unavailable', { ...late, failingFor: 60, othersSucceed: false })),
      'retry',
    );
  });

  it('is to wait for a busy service as long as batches succeed', () => {
    const busy = { alike: 0, othersSucceed: true, failingFor: 6000 };
    assert.equal(decideRetry(failed('busy', busy)), 'retry');
    assert.equal(decideRetry(failed('busy', { ...busy, stalledFor: 60 })), 'stop');
    for (const canSplit of [true, false])
      assert.equal(decideRetry(failed('busy', { ...busy, sameKind: 3, canSplit })), 'isolate');
  });

  it('is to halve what is refused, at once', () => {
    assert.equal(decideRetry(failed('rejected_request')), 'isolate');
  });

  it('is to try a fault three times, then to halve the batch if others succeed, else to wait as in an outage', () => {
    assert.equal(decideRetry(failed('server_error', { sameKind: 2, othersSucceed: true })), 'retry');
    assert.equal(decideRetry(failed('server_error', { sameKind: 3, othersSucceed: true })), 'isolate');
    assert.equal(decideRetry(failed('server_error', { sameKind: 30 })), 'retry');
    assert.equal(decideRetry(failed('server_error', { sameKind: 30, downFor: 61 })), 'stop');
  });

  it('is to try a wrong answer three times, and then to stop', () => {
    assert.equal(decideRetry(failed('invalid_response', { sameKind: 2 })), 'retry');
    assert.equal(decideRetry(failed('invalid_response', { sameKind: 3, othersSucceed: true })), 'stop');
  });

  it('is to stop at once where nothing that is sent will be taken', () => {
    assert.equal(decideRetry(failed('fatal')), 'stop');
  });
});

describe('a 503', () => {
  const of = (status: number, retryAfter?: number): CallError =>
    new CallError('busy', 'x', 'x', { location: {}, status, retryAfter });

  it('counts against its batch only if ten others finished meanwhile and nine in ten of them succeeded', () => {
    assert.ok(countsAgainstBatch(of(503), { all: 10, succeeded: 9 }));
    assert.ok(countsAgainstBatch(of(503), { all: 100, succeeded: 90 }));
    assert.ok(!countsAgainstBatch(of(503), { all: 9, succeeded: 9 }));
    assert.ok(!countsAgainstBatch(of(503), { all: 100, succeeded: 89 }));
  });

  it('does not count where the service says when to come back, and neither does a 429', () => {
    assert.ok(!countsAgainstBatch(of(503, 0), { all: 100, succeeded: 100 }));
    assert.ok(!countsAgainstBatch(of(429), { all: 100, succeeded: 100 }));
  });

  it('is not counted before there was another attempt, and then by the others since that', async () => {
    const health = new ServiceAvailability();
    let calls = 0;
    const call = async (): Promise<never> => {
      // Of the 20 that succeeded before the third attempt, none tells of those after it.
      calls++;
      for (let others = 0; others < (calls === 3 ? 5 : 10); others++) health.succeeded(performance.now());
      throw of(503);
    };
    const outcome = await withRetries(call, options({ availability: health }));
    assert.ok(outcome instanceof CallError);
    assert.equal(calls, 5);
  });
});

it('a status means what the table says', () => {
  for (const [kind, { statuses }] of Object.entries(failureTable))
    for (const status of statuses) assert.equal(kindOfStatus(status), kind, String(status));
  assert.deepEqual([500, 501, 599].map(kindOfStatus), ['server_error', 'server_error', 'server_error']);
  assert.deepEqual([204, 301, 402, 405, 418].map(kindOfStatus), [
    'fatal',
    'fatal',
    'fatal',
    'fatal',
    'fatal',
  ]);
});

describe('a call', { concurrency: true }, () => {
  it('is made again until it succeeds, and each wait is told with the failure before it', async () => {
    const failures = [failure('unavailable', 'a'), failure('invalid_response', 'b')];
    const told: [string, boolean][] = [];
    const answer = await withRetries(
      async () => {
        const next = failures.shift();
        if (next !== undefined) throw next;
        return 'done';
      },
      options({ onRetry: ({ code }, wait) => told.push([code, wait >= 0 && wait < 500]) }),
    );
    assert.equal(answer, 'done');
    assert.deepEqual(told, [
      ['a', true],
      ['b', true],
    ]);
  });

  it('fails with the last failure when the patience is at its end, and waits no longer than that', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      throw failure('unavailable', `call ${++calls}`, 3600);
    };
    const begun = performance.now();
    await assert.rejects(withRetries(call, options({ maxOutage: 0.2 })), { code: 'call 2' });
    assert.ok(performance.now() - begun >= 190);
  });

  it('comes to an end though each fault has a code of its own', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      throw failure('server_error', `fault_${++calls}`);
    };
    const signal = AbortSignal.timeout(5000);
    await assert.rejects(withRetries(call, options({ maxOutage: 0, signal })), { code: 'fault_3' });
  });

  it('says whether the halves of its batch may fare better', async () => {
    const outcome = (kind: FailureKind): Promise<unknown> =>
      withRetries(async () => Promise.reject(failure(kind)), options());
    assert.ok((await outcome('rejected_request')) instanceof CallError);
    await assert.rejects(outcome('fatal'), { kind: 'fatal' });
  });

  it('is not made again for a bug of ours', async () => {
    let calls = 0;
    const call = async (): Promise<never> => {
      calls++;
      throw new TypeError('a bug');
    };
    await assert.rejects(withRetries(call, options()), TypeError);
    assert.equal(calls, 1);
  });

  it('is not made again when nobody waits any more: not from a failure on, and not from within a wait', async () => {
    for (const when of ['before', 'during the wait']) {
      const stop = new AbortController();
      let calls = 0;
      const call = async (): Promise<never> => {
        calls++;
        if (when === 'before') stop.abort();
        throw failure('unavailable', 'x', 3600);
      };
      const onRetry = (): void => void setImmediate(() => stop.abort());
      await assert.rejects(withRetries(call, options({ signal: stop.signal, maxOutage: 7200, onRetry })));
      assert.equal(calls, 1, when);
    }
  });
});

describe('a service that was gone', () => {
  it('wakes those that wait for it when it is back', async () => {
    const health = new ServiceAvailability();
    health.failed('unavailable', performance.now() - 5000);
    assert.ok(health.downFor(performance.now()) >= 5);
    const waiting = health.wait(3_600_000, new AbortController().signal);
    health.succeeded(performance.now());
    await waiting;
    assert.equal(health.downFor(performance.now()), 0);
  });

  it('is there when it refuses a call: that it was gone before does not use up the patience', async () => {
    const health = new ServiceAvailability();
    health.failed('unavailable', performance.now() - 3_600_000);
    const call = (): Promise<never> => Promise.reject(failure('rejected_request'));
    assert.ok((await withRetries(call, options({ availability: health }))) instanceof CallError);
    assert.equal(health.downFor(performance.now()), 0);
  });

  it('is not one that was just busy', async () => {
    const health = new ServiceAvailability();
    const stop = new AbortController();
    health.failed('unavailable', performance.now());
    const waiting = health.wait(3_600_000, stop.signal);
    health.succeeded(performance.now());
    setImmediate(() => stop.abort());
    await assert.rejects(waiting, { name: 'AbortError' });
  });
});

it('the wait before a try is anything from nothing to a ceiling that doubles up to 30 s', () => {
  assert.deepEqual(
    [1, 2, 3, 7, 8, 9, 2000].map(tries => backoff(tries, 1)),
    [250, 500, 1000, 16_000, 30_000, 30_000, 30_000],
  );
  assert.equal(backoff(5, 0), 0);
});
