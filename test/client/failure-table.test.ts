import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureTable, kindOfCause, kindOfStatus, withStatuses } from '../../src/client/failure-table.ts';
import { readRetryAfter } from '../../src/client/transport/call-errors.ts';
import { CallError } from '../../src/scoring/failures/call-error.ts';
import type { FailureKind } from '../../src/scoring/failures/failure-rule.ts';

describe('a failed request', () => {
  it('is classified by its status', () => {
    const kinds: Record<FailureKind, number[]> = {
      unavailable: [408, 502, 504],
      busy: [429, 503],
      server_error: [500, 505, 507, 599],
      model_error: [],
      too_slow: [],
      rejected_request: [400, 413, 422],
      model_rejected: [],
      fatal: [204, 301, 302, 307, 308, 401, 403, 404, 405, 415, 501],
      invalid_response: [],
    };
    for (const [kind, statuses] of Object.entries(kinds))
      assert.deepEqual(
        statuses.map(status => kindOfStatus(status)),
        statuses.map(() => kind),
      );
  });

  it('is classified by a custom table, by its status or cause', () => {
    const { fatal, unavailable } = failureTable;
    const table = {
      ...failureTable,
      unavailable: { ...unavailable, causes: [], statuses: [...unavailable.statuses, 418] },
      fatal: { ...fatal, causes: unavailable.causes, statuses: [505] },
    };
    assert.deepEqual([kindOfStatus(505), kindOfStatus(505, table)], ['server_error', 'fatal']);
    assert.deepEqual([kindOfStatus(418), kindOfStatus(418, table)], ['fatal', 'unavailable']);
    const cause = 'service_timeout';
    assert.deepEqual([kindOfCause(cause), kindOfCause(cause, table)], ['unavailable', 'fatal']);
  });

  it('is classified by the statuses of a protocol, which keep no other meaning', () => {
    const table = withStatuses(failureTable, { rejected_request: [503], fatal: [505, 400] });
    assert.deepEqual(
      [503, 505, 400, 429, 422, 500].map(status => kindOfStatus(status, table)),
      ['rejected_request', 'fatal', 'fatal', 'busy', 'rejected_request', 'server_error'],
    );
    assert.deepEqual(withStatuses(failureTable), failureTable);
  });

  it('is documented with the numbers of its rule', () => {
    const words = new Map([
      [1, /at once|is halved until/],
      [2, /two attempts/],
      [3, /three (?:times|such|attempts)/],
    ]);
    for (const { does, attempts, evidence, maxOutage } of Object.values(failureTable)) {
      assert.match(does, words.get(attempts) ?? assert.fail(`${attempts} attempts`));
      if (evidence?.for === 'each') assert.deepEqual([evidence.requests, evidence.share], [10, 0.9]);
      assert.equal(/at least ten other requests[^.]*nine in ten/.test(does), evidence?.for === 'each');
      assert.equal(/--max-outage|as if the service were unavailable/.test(does), maxOutage !== undefined);
    }
  });

  it('has each status and cause in a single row', () => {
    const rules = Object.values(failureTable);
    for (const all of [rules.flatMap(({ statuses }) => statuses), rules.flatMap(({ causes }) => causes)])
      assert.equal(new Set<unknown>(all).size, all.length);
  });

  it('prevents the run if no request can succeed, and stops it otherwise', () => {
    const severity = (kind: FailureKind): string => new CallError(kind, 'x', 'x', { location: {} }).severity;
    assert.equal(severity('fatal'), 'refused');
    assert.equal(severity('unavailable'), 'temporary');
    assert.equal(severity('rejected_request'), 'stopped');
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it('is a number of seconds or a date', () => {
    assert.equal(readRetryAfter('120', now), 120);
    assert.equal(readRetryAfter(' 0 ', now), 0);
    assert.equal(readRetryAfter('Thu, 01 Jan 2026 00:01:30 GMT', now), 90);
  });

  it('is zero for a date in the past, and undefined if it is invalid or missing', () => {
    assert.equal(readRetryAfter('Wed, 31 Dec 2025 23:59:00 GMT', now), 0);
    assert.equal(readRetryAfter('soon', now), undefined);
    assert.equal(readRetryAfter(undefined, now), undefined);
  });
});
