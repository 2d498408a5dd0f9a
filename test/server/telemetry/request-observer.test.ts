import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { get, post, problemOf } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';

test('a request is logged as one line: method, route, status, time, id and name of its key', async t => {
  const { log, lines } = recorded();
  const { url } = await serving(t, { log, storedKeys: true });
  const key = await addKey(await trainedHome(), 'etl', { reports: 'all' });
  t.after(async () => revokeKey(await trainedHome(), 'etl'));
  const answer = await get({ url, key }, '/user/report/two?x=1');
  await get({ url, key: 'wrong' }, '/user/elsewhere');
  await get({ url, key }, '/healthz');
  const logged = lines();
  assert.ok(logged.every(({ ms }) => typeof ms === 'number'));
  assert.equal(logged[0].reqId, answer.headers.get('x-request-id'));
  assert.deepEqual(
    logged.map(({ method, route, path, status, key }) => [method, route, path, status, key]),
    [
      ['GET', '/user/report/:id', '/user/report/two', 200, 'etl'],
      ['GET', 'none', '/user/…', 401, undefined],
      ['GET', '/healthz', '/healthz', 200, undefined],
    ],
  );
});

test('neither keys nor values of personas are ever logged', async t => {
  const { log, text } = recorded();
  const { url, key } = await serving(t, { log });
  const secret = 'kd83jf';
  const bodies = [
    { id: 'two', features: { plan: secret } },
    { id: 'two', features: { plan: [secret] } },
    { id: 'two', features: { [secret]: 1 } },
    { id: secret, features: {} },
    `{"id":"two","features":{"plan":"${secret}`,
    `${secret}`,
  ];
  for (const body of bodies) {
    await post({ url, key }, '/user/persona', body);
    await post({ url, key: secret }, '/user/persona', body);
  }
  await post({ url, key }, '/user/batch-persona', {
    id: 'two',
    personas: [persona, { features: { plan: secret } }, secret],
  });
  const line = await openConnection(url);
  line.socket.write(`nonsense ${secret}\r\n\r\n`);
  await line.ended;
  assert.match(text(), /422/);
  assert.ok(!text().includes(secret));
  assert.ok(!text().includes(key));
});

test('a request keeps the id it was sent with if that is valid, and gets a new one otherwise', async t => {
  const { log, lines } = recorded();
  const { url, key } = await serving(t, { log });
  const idFor = async (headers: Record<string, string>) => {
    const response = await post({ url, key }, '/user/persona', { id: 'two', ...persona }, headers);
    return response.headers.get('x-request-id') ?? '';
  };
  assert.equal(await idFor({ 'x-request-id': 'job-7/batch:12' }), 'job-7/batch:12');
  const made = await Promise.all(
    ['', 'a b', 'x'.repeat(129), 'é', '<x>', 'a,b'].map(id => idFor({ 'x-request-id': id })),
  );
  assert.equal(new Set(made).size, made.length);
  for (const id of made) assert.match(id, /^[\da-f-]{36}$/);
  assert.equal(lines()[0].reqId, 'job-7/batch:12');
});

test('a request rejected before routing has an id and a line too', async t => {
  const { log, lines } = recorded();
  const target = await serving(t, { log });
  const answer = await get(target, '/user/report/%zz');
  const [line] = lines();
  assert.equal(line.status, 400);
  assert.equal(line.reqId, answer.headers.get('x-request-id'));
});

test('a line has the client’s address, the report, the rows and a level', async t => {
  const { log, lines } = recorded();
  const target = await serving(t, { log });
  await post(target, '/user/batch-persona', { id: 'two', personas: [persona, persona, {}] });
  await get(target, '/user/report/none');
  await get(target, '/user/report/two');
  await post(target, '/user/batch-persona', { id: 'two', personas: new Array(10_001).fill(persona) });
  assert.deepEqual(
    lines().map(({ address, path, report, rows, level }) => [address, path, report, rows, level]),
    [
      ['127.0.0.1', '/user/batch-persona', 'two', 2, 30],
      ['127.0.0.1', '/user/report/…', undefined, 0, 40],
      ['127.0.0.1', '/user/report/two', 'two', 0, 30],
      // Refused before anything is predicted.
      ['127.0.0.1', '/user/batch-persona', undefined, 0, 40],
    ],
  );
});

test('a key anywhere in a URL is not logged', async t => {
  const { log, text, lines } = recorded();
  const { url, key } = await serving(t, { log, metrics: true });
  const stray = `rowcast_${'x'.repeat(43)}`;
  const target = { url, key };
  const paths = [`/user/report/${stray}`, `/${stray}/user`, `/user/report/two?key=${stray}`, `/%zz${stray}`];
  for (const path of paths) await get(target, path);
  await post(target, '/user/persona', { id: stray, ...persona });
  for (const head of [`GET /${key} HTTP/1.1\r\nbad header\r\n\r\n`, `${key}\r\n\r\n`]) {
    const line = await openConnection(url);
    line.socket.write(head);
    await line.ended;
  }
  assert.ok(!text().includes(stray) && !text().includes(key), text());
  const malformed = lines().filter(({ route }) => route === 'malformed');
  assert.deepEqual(
    malformed.map(({ status, address, level }) => [status, address, level]),
    [
      [400, '127.0.0.1', 40],
      [400, '127.0.0.1', 40],
    ],
  );
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /rowcast_http_requests_total\{method="none",route="malformed",status="400"\} 2/);
});

test('requests, durations, personas and loaded reports are counted', async t => {
  const target = await serving(t, { metrics: true });
  const personas = [persona, persona, 7, { features: {} }];
  await post(target, '/user/persona', { id: 'two', ...persona });
  await post(target, '/user/persona', { id: 'two', features: {} });
  await post(target, '/user/batch-persona', { id: 'one', personas });
  await get(target, '/user/report/two');
  await get(target, '/user/report/one');
  await get(target, '/nowhere');
  const response = await get(target, '/metrics');
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n');
  for (const line of [
    'rowcast_http_requests_total{method="POST",route="/user/persona",status="200"} 1',
    'rowcast_http_requests_total{method="POST",route="/user/persona",status="422"} 1',
    'rowcast_http_requests_total{method="POST",route="/user/batch-persona",status="200"} 1',
    'rowcast_http_requests_total{method="GET",route="/user/report/:id",status="200"} 2',
    'rowcast_http_requests_total{method="GET",route="none",status="404"} 1',
    'rowcast_http_request_duration_seconds_count{method="GET",route="/user/report/:id"} 2',
    'rowcast_personas_scored_total 3',
    'rowcast_reports_loaded 2',
    // The scrape is the one request.
    'rowcast_http_requests_in_flight 1',
  ])
    assert.ok(
      lines.includes(line),
      `${line}, in:\n${lines.filter(each => each.startsWith('rowcast_')).join('\n')}`,
    );
  assert.ok(lines.some(line => /^process_resident_memory_bytes \d+$/.test(line)));
});

test('metrics contain no secrets: no key, key name, report or path', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { metrics: true, storedKeys: true });
  const key = await addKey(home, 'name-of-a-key', { reports: ['two'] });
  t.after(() => revokeKey(home, 'name-of-a-key'));
  await get({ url, key }, '/user/report/two');
  await get({ url, key }, '/user/report/unheard-of');
  await get({ url, key }, '/path-of-a-stranger');
  const text = await (await get({ url, key: '' }, '/metrics')).text();
  for (const secret of [key, 'name-of-a-key', 'two', 'unheard-of', 'path-of-a-stranger', home])
    assert.ok(!text.includes(secret), secret);
});

test('two services in a process count separately, and one without metrics has none', async t => {
  const [one, two, none] = await Promise.all([
    serving(t, { metrics: true }),
    serving(t, { metrics: true }),
    serving(t),
  ]);
  await post(one, '/user/persona', { id: 'two', ...persona });
  assert.match(await (await get(one, '/metrics')).text(), /^rowcast_personas_scored_total 1$/m);
  assert.match(await (await get(two, '/metrics')).text(), /^rowcast_personas_scored_total 0$/m);
  assert.equal(await problemOf(await get(none, '/metrics')), '404 no_such_endpoint');
});
