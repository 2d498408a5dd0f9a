import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, problemOf } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';

test('a response beyond the memory of its key is refused; small ones are not', async t => {
  const target = await serving(t, { limits: { memoryBytes: 8 << 10 } });
  assert.equal(await problemOf(await get(target, '/openapi.json')), '503 busy');
  assert.equal((await fetch(`${target.url}/healthz`)).status, 200);
});
