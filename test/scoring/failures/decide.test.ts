import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureTable } from '../../../src/client/failure-table.ts';
import { type Decision, decide, type FailedAttempt } from '../../../src/scoring/failures/decide.ts';
import type { FailureKind, FailureRule } from '../../../src/scoring/failures/failure-rule.ts';

type More = Partial<Omit<FailedAttempt, 'failure'>> & Partial<FailedAttempt['failure']>;

/** A failed attempt of a batch of several rows; nothing else was sent in the meantime. */
function failed(kind: FailureKind, more: More = {}): FailedAttempt {
  const { code = 'x', status, retryAfter, ...rest } = more;
  return {
    failure: { kind, code, status, retryAfter },
    attempts: (more.counted ?? 0) + 1,
    counted: 0,
    others: { all: 0, succeeded: 0 },
    probes: 0,
    canSplit: true,
    mayBeAllInvalid: false,
    isPart: false,
    failingFor: 0,
    downFor: 0,
    stalledFor: 0,
    maxOutage: 60,
    ...rest,
  };
}

const decideBy = (kind: FailureKind, more?: More): Decision => decide(failureTable, failed(kind, more));
const actionOf = (kind: FailureKind, more?: More): Decision['action'] => decideBy(kind, more).action;

const othersSucceed = { others: { all: 5, succeeded: 5 } };
const othersFail = { others: { all: 5, succeeded: 0 } };

describe('a request is', () => {
  it('retried while the service is unavailable, until --max-outage is used up', () => {
    assert.equal(actionOf('unavailable', { counted: 1000, downFor: 59, ...othersFail }), 'probe');
    assert.equal(actionOf('unavailable', { downFor: 59 }), 'retry');
    assert.equal(actionOf('unavailable', { downFor: 60 }), 'stop');
  });

  it('split if it failed three times while others succeeded', () => {
    assert.equal(actionOf('unavailable', { counted: 2, ...othersSucceed }), 'split');
    assert.equal(actionOf('unavailable', { counted: 1, ...othersSucceed }), 'retry');
    assert.notEqual(actionOf('unavailable', { counted: 2, ...othersFail }), 'split');
  });

  it('rejected if it is a single row that failed for the whole of --max-outage while others succeeded', () => {
    const row = { counted: 30, ...othersSucceed, canSplit: false };
    assert.equal(actionOf('unavailable', { ...row, failingFor: 59 }), 'retry');
    assert.equal(actionOf('unavailable', { ...row, failingFor: 60 }), 'reject');
    assert.notEqual(actionOf('unavailable', { ...row, failingFor: 60, ...othersFail }), 'reject');
  });

  it('retried while the service is busy, as long as batches are scored', () => {
    const busy = { status: 429, ...othersSucceed, failingFor: 6000, attempts: 100 };
    assert.equal(actionOf('busy', busy), 'retry');
    assert.equal(actionOf('busy', { ...busy, downFor: 60 }), 'retry');
    assert.equal(actionOf('busy', { ...busy, stalledFor: 60 }), 'stop');
  });

  it('split or rejected after three 503 responses that count', () => {
    const busy = { status: 503, counted: 2, others: { all: 10, succeeded: 9 } };
    assert.equal(actionOf('busy', busy), 'split');
    assert.equal(actionOf('busy', { ...busy, canSplit: false }), 'reject');
    assert.equal(actionOf('busy', { ...busy, counted: 1 }), 'retry');
  });

  it('split at once if it is rejected', () => {
    assert.equal(actionOf('rejected_request'), 'split');
    assert.equal(actionOf('rejected_request', { canSplit: false }), 'reject');
  });

  it('sent three times if the service has an error, then split if others succeed, else as in an outage', () => {
    assert.equal(actionOf('server_error', { counted: 1, ...othersSucceed }), 'retry');
    assert.equal(actionOf('server_error', { counted: 2, ...othersSucceed }), 'split');
    assert.equal(actionOf('server_error', { counted: 1, downFor: 61, ...othersSucceed }), 'retry');
    assert.equal(actionOf('server_error', { counted: 30, ...othersFail }), 'probe');
    assert.equal(actionOf('server_error', { counted: 30, downFor: 61 }), 'stop');
  });

  it('sent three times if the response is invalid, and then stops the run', () => {
    assert.equal(actionOf('invalid_response', { counted: 1, downFor: 61 }), 'retry');
    assert.equal(actionOf('invalid_response', { counted: 2, ...othersSucceed }), 'stop');
  });

  it('tried once more if it is a single row with invalid responses, which may be the row’s own fault', () => {
    const row = { counted: 2, canSplit: false };
    assert.equal(actionOf('invalid_response', { ...row, mayBeAllInvalid: true }), 'retry, allow all invalid');
    assert.equal(actionOf('invalid_response', row), 'stop');
    assert.equal(actionOf('fatal', { mayBeAllInvalid: true }), 'stop');
  });

  it('not retried if nothing that is sent will be accepted', () => {
    assert.equal(actionOf('fatal'), 'stop');
  });
});

describe('a 503', () => {
  const countedOf = (more: More): number => decideBy('busy', { status: 503, attempts: 2, ...more }).counted;

  it('counts against its batch only if ten others finished in the meantime and nine in ten of them succeeded', () => {
    assert.equal(countedOf({ others: { all: 10, succeeded: 9 } }), 1);
    assert.equal(countedOf({ others: { all: 100, succeeded: 90 } }), 1);
    assert.equal(countedOf({ others: { all: 9, succeeded: 9 } }), 0);
    assert.equal(countedOf({ others: { all: 100, succeeded: 89 } }), 0);
  });

  it('does not count if the service says when to retry, or if it is the first attempt; a 429 never does', () => {
    const others = { all: 100, succeeded: 100 };
    assert.equal(countedOf({ others, retryAfter: 0 }), 0);
    assert.equal(countedOf({ others, attempts: 1 }), 0);
    assert.equal(countedOf({ others, status: 429 }), 0);
  });
});

describe('probes are sent', () => {
  const probesOf = (kind: FailureKind, more: More): number => decideBy(kind, more).probes;

  it('before the last attempt, if no other request shows that the service works', () => {
    assert.equal(probesOf('server_error', { counted: 0 }), 0);
    assert.equal(probesOf('server_error', { counted: 1 }), 1);
    assert.equal(probesOf('server_error', { counted: 1, ...othersFail }), 1);
    assert.equal(probesOf('server_error', { counted: 1, ...othersSucceed }), 0);
  });

  it('after a second 503, as many as its rule asks for, unless so many other requests are sent anyway', () => {
    assert.equal(probesOf('busy', { status: 503, attempts: 1 }), 0);
    assert.equal(probesOf('busy', { status: 503, attempts: 2 }), 10);
    assert.equal(probesOf('busy', { status: 503, attempts: 1, isPart: true }), 10);
    assert.equal(probesOf('busy', { status: 503, attempts: 2, others: { all: 10, succeeded: 5 } }), 0);
  });

  it('again if the only others were the probes', () => {
    const others = { all: 10, succeeded: 10 };
    assert.equal(probesOf('busy', { status: 503, attempts: 3, others, probes: 10 }), 10);
  });

  it('never if no row can be the cause', () => {
    assert.equal(probesOf('unavailable', { code: 'service_unreachable', counted: 1 }), 0);
    assert.equal(probesOf('unavailable', { code: 'service_timeout', counted: 1 }), 1);
    assert.equal(probesOf('busy', { status: 429, attempts: 2 }), 0);
    assert.equal(probesOf('busy', { status: 503, retryAfter: 1, attempts: 2 }), 0);
    assert.equal(probesOf('invalid_response', { counted: 1 }), 0);
  });
});

it('no wait is longer than what is left of --max-outage', () => {
  assert.equal(decideBy('unavailable', { downFor: 50, stalledFor: 55 }).left, 10);
  assert.equal(decideBy('busy', { downFor: 50, stalledFor: 55 }).left, 5);
  assert.equal(decideBy('invalid_response', { downFor: 70 }).left, 0);
});

describe('the failure table decides', () => {
  const withRule = (kind: FailureKind, rule: Partial<FailureRule>, more?: More): Decision['action'] =>
    decide({ ...failureTable, [kind]: { ...failureTable[kind], ...rule } }, failed(kind, more)).action;

  it('how many attempts are made', () => {
    assert.equal(withRule('invalid_response', { attempts: 5 }, { counted: 2 }), 'retry');
    assert.equal(withRule('rejected_request', { attempts: 2 }), 'retry');
    assert.equal(withRule('server_error', { attempts: 1 }, othersSucceed), 'split');
  });

  it('what is done after them', () => {
    assert.equal(withRule('fatal', { action: 'isolate' }), 'split');
    assert.equal(withRule('rejected_request', { action: 'stop' }), 'stop');
  });

  it('what the other requests must show', () => {
    const evidence = { for: 'last', requests: 6, share: 0 } as const;
    assert.equal(withRule('server_error', { evidence }, { counted: 2, ...othersSucceed }), 'probe');
  });

  it('whether the run waits for the service', () => {
    const { maxOutage, ...waitless } = failureTable.unavailable;
    assert.ok(maxOutage);
    const table = { ...failureTable, unavailable: waitless };
    assert.equal(decide(table, failed('unavailable', { downFor: 6000 })).action, 'retry');
  });
});
