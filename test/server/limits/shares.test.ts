import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, post, problemOf } from '../../support/service/client.ts';
import { persona, serving } from '../../support/service/serving.ts';

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
