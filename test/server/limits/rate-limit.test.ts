import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { get, problemOf } from '../../support/service/client.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';

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
