import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evenRate, type Headers, readQuota } from '../../../src/client/pacing/rate-limit-headers.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the quota of a response', () => {
  const forms: [string, Headers, ReturnType<typeof readQuota>][] = [
    [
      'RateLimit with a policy',
      { 'ratelimit-policy': '"burst";q=100;w=60,"day";q=9000;w=86400', ratelimit: '"burst";r=50;t=30' },
      { remaining: 50, reset: 30, limit: 100, window: 60 },
    ],
    [
      'several limits, of which the one with the fewest requests left applies',
      {
        'ratelimit-policy': '"burst";q=100;w=60, "day";q=9000;w=86400',
        ratelimit: '"burst";r=50;t=30, "day";r=7;t=4000',
      },
      { remaining: 7, reset: 4000, limit: 9000, window: 86_400 },
    ],
    [
      'RateLimit with three members',
      { ratelimit: 'limit=100, remaining=50, reset=5', 'ratelimit-policy': '100;w=60' },
      { remaining: 50, reset: 5, limit: 100, window: 60 },
    ],
    [
      'three headers',
      { 'ratelimit-limit': '10, 10;w=1, 50;w=60', 'ratelimit-remaining': '9', 'ratelimit-reset': '1' },
      { remaining: 9, reset: 1, limit: 10, window: 1 },
    ],
    [
      'three headers with the prefix X-',
      { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '59' },
      { remaining: 0, reset: 59, limit: 60, window: undefined },
    ],
    [
      'a reset that is a date',
      { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(NOW / 1000 + 20) },
      { remaining: 3, reset: 20, limit: undefined, window: undefined },
    ],
    [
      'a reset that is a date in milliseconds',
      { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(NOW + 20_000) },
      { remaining: 3, reset: 20, limit: undefined, window: undefined },
    ],
    [
      'a reset that is past',
      { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(NOW / 1000 - 20) },
      { remaining: 3, reset: 0, limit: undefined, window: undefined },
    ],
  ];
  for (const [name, headers, quota] of forms)
    it(`is read from ${name}`, () => assert.deepEqual(readQuota(headers, NOW), quota));

  it('is undefined if the headers are missing or invalid', () => {
    for (const headers of [
      {},
      { 'ratelimit-limit': '10' },
      { 'ratelimit-remaining': 'many', 'ratelimit-reset': '1' },
      { 'ratelimit-remaining': '-1', 'ratelimit-reset': '1' },
      { ratelimit: 'r=' },
      { ratelimit: ['"a";r=1', 't=2'] },
    ])
      assert.equal(readQuota(headers, NOW), undefined, JSON.stringify(headers));
  });
});

describe('an even rate', () => {
  const quota = { remaining: 100, reset: 49, limit: 600, window: undefined };

  it('spreads the remaining requests over a long window, minus those in flight', () => {
    assert.deepEqual(evenRate(quota, 60, 0, 600), { rate: 2, seconds: 50 });
    assert.deepEqual(evenRate(quota, 60, 50, 600), { rate: 1, seconds: 50 });
    assert.deepEqual(evenRate(quota, 60, 200, 600), { rate: 0, seconds: 50 });
  });

  it('never delays a request beyond the maximum, however few are left', () => {
    assert.deepEqual(evenRate({ ...quota, remaining: 1, reset: 86_399 }, 86_400, 0, 600), {
      rate: 1 / 600,
      seconds: 86_400,
    });
  });

  it('is just below the limit for a short window, where seconds are too coarse', () => {
    assert.equal(evenRate(quota, 10, 0, 600)?.rate, 58.8);
    assert.equal(evenRate(quota, 0, 0, 600)?.rate, 588);
  });

  it('is unknown for a short window without a limit', () => {
    assert.equal(evenRate({ ...quota, limit: undefined }, 10, 0, 600), undefined);
  });
});
