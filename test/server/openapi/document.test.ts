import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../../src/server/openapi/document.ts';
import { get, post } from '../../support/service/client.ts';
import { checkResponse } from '../../support/service/conformance.ts';
import { persona, serving } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';

test('the OpenAPI document needs no key', async t => {
  const { url } = await serving(t);
  const response = await get({ url, key: 'wrong' }, '/openapi.json');
  assert.equal(response.status, 200);
  const document = await response.json();
  assert.deepEqual(document, JSON.parse(JSON.stringify(openApiDocument)));
});

slow('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(openApiDocument)));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(validator.version, '3.1');
});

test('the document has exactly the paths of the service', async t => {
  const target = await serving(t, { metrics: true });
  for (const [path, item] of Object.entries(openApiDocument.paths)) {
    for (const method of ['GET', 'POST']) {
      const isListed = method.toLowerCase() in item;
      const call = method === 'GET' ? get(target, path.replace('{id}', 'two')) : post(target, path, {});
      const { status } = await call;
      assert.equal(status !== 404 && status !== 405, isListed, `${method} ${path} → ${status}`);
    }
  }
});

test('the service accepts exactly the requests that the document’s schemas accept', async t => {
  const target = await serving(t);
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(openApiDocument, 'openapi.json');
  const { features } = persona;
  const bodies: { path: string; schema: string; body: unknown }[] = [
    ...[
      { id: 'two', features },
      { id: 'two' },
      { features },
      { id: '../two', features },
      { id: 'x'.repeat(65), features },
      [],
      'x',
      null,
      { id: 'two', features: [] },
      { id: 'two', features: { plan: {} } },
      { id: 'two', features: { plan: true } },
    ].map(body => ({ path: '/user/persona', schema: 'PersonaRequest', body })),
    ...[
      { id: 'two', personas: [persona] },
      { id: 'two', personas: [] },
      { id: 'two', personas: {} },
      { id: 2, personas: [persona] },
      { id: 'two', personas: new Array(10_000).fill(persona) },
      { id: 'two', personas: new Array(10_001).fill(persona) },
    ].map(body => ({ path: '/user/batch-persona', schema: 'BatchRequest', body })),
  ];
  for (const { path, schema, body } of bodies) {
    const isValid = ajv.validate({ $ref: `openapi.json#/components/schemas/${schema}` }, body);
    const { status } = await post(target, path, JSON.stringify(body));
    assert.equal(status === 200, isValid, `${JSON.stringify(body).slice(0, 100)} → ${status}`);
  }
});

test('a response that does not match the document is reported', async () => {
  const answer = (body: object, init: ResponseInit = {}) =>
    new Response(JSON.stringify(body), {
      ...init,
      headers: { 'x-request-id': 'r', 'content-type': 'application/json', ...init.headers },
    });
  const good = { id: 'two', probabilities: { no: 1 } };
  const check = (response: Response) => checkResponse('POST', '/user/persona', response);
  await check(answer(good));
  await assert.rejects(check(answer({ ...good, more: 1 })), /additional properties/);
  await assert.rejects(check(answer({ id: 'two' })), /probabilities/);
  await assert.rejects(check(answer(good, { status: 201 })), /status not in the document/);
  await assert.rejects(
    check(answer(good, { headers: { 'content-type': 'text/plain' } })),
    /media type not in the document/,
  );
  await assert.rejects(check(answer(good, { headers: { 'x-request-id': '' } })), /request id/);
  const problem = (code: string, headers: Record<string, string>) =>
    answer(
      { type: 'about:blank', title: 't', status: 401, detail: 'd', code },
      { status: 401, headers: { 'content-type': 'application/problem+json', ...headers } },
    );
  await check(problem('unauthorized', { 'www-authenticate': 'ApiKey' }));
  await assert.rejects(check(problem('unauthorized', {})), /without WWW-Authenticate/);
  await assert.rejects(check(problem('other', { 'www-authenticate': 'ApiKey' })), /allowed values/);
});
