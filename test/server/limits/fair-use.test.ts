import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { RowRate } from '../../../src/server/limits/fair-use.ts';
import { get, post, problemOf } from '../../support/service/client.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';

function withClock(perSecond: number) {
  const clock = { ms: 1_000 };
  return { clock, rate: new RowRate(perSecond, () => clock.ms) };
}

test('a request may exceed the allowance, and the next waits until the excess is below one second’s worth', () => {
  const { clock, rate } = withClock(100);
  assert.equal(rate.retryAfter('a'), 0);
  rate.charge('a', 1_000);
  assert.equal(rate.retryAfter('a'), 9);
  assert.equal(rate.retryAfter('b'), 0);
  clock.ms += 8_999;
  assert.equal(rate.retryAfter('a'), 1);
  clock.ms += 2;
  assert.equal(rate.retryAfter('a'), 0);
});

test('small requests use up the rate as large ones do, and unused time is not saved', () => {
  const { clock, rate } = withClock(100);
  clock.ms += 1_000_000;
  let accepted = 0;
  for (; rate.retryAfter('a') === 0; accepted++) rate.charge('a', 1);
  assert.equal(accepted, 100);
});

test('an upload waits for the rows ahead of it', () => {
  const { clock, rate } = withClock(100);
  assert.equal(rate.batchRows, 100);
  assert.equal(rate.charge('a', 100), 0);
  assert.equal(rate.charge('a', 100), 1_000);
  clock.ms += 500;
  assert.equal(rate.charge('a', 50), 1_500);
});

test('without a limit there is no waiting', () => {
  const rate = new RowRate();
  for (let i = 0; i < 10; i++) assert.equal(rate.charge('a', 1e9), 0);
  assert.equal(rate.retryAfter('a'), 0);
  assert.equal(rate.batchRows, Number.POSITIVE_INFINITY);
});

test('a response beyond the memory of its key is refused; small ones are not', async t => {
  const target = await serving(t, { limits: { responseBytes: 8 << 10 } });
  assert.equal(await problemOf(await get(target, '/openapi.json')), '503 busy');
  assert.equal((await fetch(`${target.url}/healthz`)).status, 200);
});

test('responses and bodies have memory of their own', async t => {
  const body = JSON.stringify({ id: 'two', personas: new Array(20).fill(persona) });
  const narrow = await serving(t, { limits: { responseBytes: 100 } });
  const refused = await post(narrow, '/user/batch-persona', body);
  assert.match(await refused.clone().text(), /Unread responses of this key take up 0 of the 100 bytes/);
  assert.equal(await problemOf(refused), '503 busy');
  const roomy = await serving(t, { limits: { memoryBytes: body.length } });
  assert.equal((await post(roomy, '/user/batch-persona', body)).status, 200);
});

test('a key over its request rate gets 429; another key does not', async t => {
  const home = await trainedHome();
  const target = await serving(t, { maxRequestsPerSecond: 5, storedKeys: true });
  const other = { url: target.url, key: await addKey(home, 'other', { reports: 'all' }) };
  t.after(() => revokeKey(home, 'other'));
  // More than two seconds' worth at once, whichever second they start in.
  const answers = await Promise.all(Array.from({ length: 30 }, () => get(target, '/user/report/two')));
  const refused = answers.filter(({ status }) => status === 429);
  const passed = answers.filter(({ status }) => status === 200);
  assert.equal(passed.length + refused.length, 30);
  assert.ok(passed.length >= 5 && refused.length > 0, `${passed.length} passed`);
  const [last] = refused;
  assert.ok(last);
  assert.match(last.headers.get('retry-after') ?? '', /^[12]?$|^1$/);
  assert.equal(last.headers.get('ratelimit-limit'), '5');
  assert.equal(last.headers.get('ratelimit-remaining'), '0');
  assert.match(last.headers.get('ratelimit-reset') ?? '', /^[01]$/);
  assert.equal(await problemOf(last), '429 rate_limited');
  assert.equal((await get(other, '/user/report/two')).status, 200);
});

test('requests without a key or with a wrong one do not count against any key', async t => {
  const { url, key } = await serving(t, { maxRequestsPerSecond: 1 });
  for (let i = 0; i < 5; i++) {
    assert.equal((await get({ url, key }, '/healthz')).status, 200);
    assert.equal((await get({ url, key: 'wrong' }, '/user/report/two')).status, 401);
  }
  const answer = await get({ url, key }, '/user/report/two');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('ratelimit-remaining'), '0');
});

test('without a limit there is no rate limiting and no RateLimit header', async t => {
  const target = await serving(t);
  const answers = await Promise.all(Array.from({ length: 50 }, () => get(target, '/user/report/two')));
  assert.ok(answers.every(({ status, headers }) => status === 200 && !headers.has('ratelimit-limit')));
});
