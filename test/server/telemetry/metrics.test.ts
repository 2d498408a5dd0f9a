import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { get, post, problemOf } from '../../support/service/client.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';

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
