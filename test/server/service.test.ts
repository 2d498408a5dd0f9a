import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { batchResponse, classesResponse, report as reportShape } from '../../src/base/contract/schemas.ts';
import { deleteReport } from '../../src/models/store/write-report.ts';
import { startServer } from '../../src/server/server.ts';
import type { RunningService } from '../../src/server/service.ts';
import { trainReport } from '../../src/training/train.ts';
import { sharedFolder } from '../support/folder.ts';
import { fetchChecked, get, post, problemOf, type Target } from '../support/service/client.ts';
import { copyHome, history, homeWith } from '../support/service/history.ts';
import { ownTrainedHome, serving, trainedHome } from '../support/service/serving.ts';
import { headOfJson, openConnection } from '../support/service/socket.ts';
import { slow } from '../support/slow.ts';
import { hostile, makeReport } from '../support/web/made-report.ts';

let home = '';
let service: RunningService;
let target: Target;

describe('the service', () => {
  before(async () => {
    home = await sharedFolder();
    await copyHome(await trainedHome(), home);
    await makeReport(home, { id: 'many', classes: ['10', '9', '__proto__', 'b'] });
    target = { url: '', key: 'key-of-a-test' };
    service = await startServer({ home, host: '127.0.0.1', port: 0, key: target.key });
    target.url = service.url;
  });
  after(() => service.close());

  const persona = {
    features: { 'monthly amount': 25.5, plan: 'Basic', customer: 'not a column of the report' },
  };

  const single = (body: unknown): Promise<Response> => post(target, '/user/persona', body);
  const batch = (body: unknown): Promise<Response> => post(target, '/user/batch-persona', body);

  test('a persona gets one probability per class', async () => {
    const response = await single({ id: 'two', ...persona });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    const { id, probabilities } = classesResponse.parse(await response.json());
    assert.equal(id, 'two');
    assert.deepEqual(Object.keys(probabilities), ['No', 'Yes']);
    assert.ok((probabilities.No ?? 0) > 0.5);
    assert.ok(Math.abs((probabilities.No ?? 0) + (probabilities.Yes ?? 0) - 1) < 1e-6);
  });

  test('a batch is returned in order, with errors at their places and predictions for the rest', async () => {
    const personas = [
      persona,
      { features: { nothing: 1, __known: 2 } },
      { features: { 'monthly amount': 65, plan: 'never seen' } },
      { features: {} },
      7,
      { features: [1] },
      { features: { plan: { deep: 1 } } },
      { features: { plan: null } },
    ];
    const response = await batch({ id: 'two', personas });
    const { predictions } = batchResponse.parse(await response.json());
    assert.deepEqual(
      predictions.map(prediction => ('error' in prediction ? prediction.error.code : 'predicted')),
      [
        'predicted',
        'unknown_columns',
        'predicted',
        'unknown_columns',
        'not_a_persona',
        'not_a_persona',
        'invalid_value',
        'predicted',
      ],
    );
  });

  test('a batch gives a persona the same probabilities as a single request, with classes in the order of the report', async () => {
    const own = { features: { [hostile.amount]: '25,5' } };
    const one = await (await single({ id: 'many', ...own })).text();
    const some = await (await batch({ id: 'many', personas: [own] })).text();
    const ours = /\{"10":[\d.e-]+,"9":[\d.e-]+,"__proto__":[\d.e-]+,"b":[\d.e-]+\}/;
    assert.equal(ours.exec(one)?.[0], ours.exec(some)?.[0]);
    assert.match(one, ours);
  });

  test('the testing results are those of the file; the served model, which has seen their rows, predicts mostly the same', async () => {
    const response = await get(target, '/user/testing-results/two');
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    const text = await response.text();
    assert.equal(text, await readFile(join(home, 'reports/two/testing-results.csv'), 'utf8'));
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    const personas = rows.map(row => ({ features: row }));
    const answer = await batch({ id: 'two', personas });
    const { predictions } = batchResponse.parse(await answer.json());
    assert.equal(predictions.length, 80);
    const alike = predictions.filter(
      (prediction, i) =>
        'probabilities' in prediction &&
        (prediction.probabilities.Yes ?? 0) > 0.5 === Number(rows[i]?.probability_Yes) > 0.5,
    );
    assert.ok(alike.length >= 72, `${alike.length} of 80 predicted classes match`);
  });

  test('a column named __proto__ works like any other', async () => {
    const ask = async (features: string) => {
      const response = await single(`{"id":"two","features":${features}}`);
      assert.equal(response.status, 200);
      return classesResponse.parse(await response.json()).probabilities;
    };
    assert.deepEqual(await ask('{"__proto__":"12"}'), await ask('{"__proto__":12}'));
    const response = await single('{"id":"two","features":{"constructor":{"prototype":1}}}');
    assert.equal(await problemOf(response), '422 unknown_columns');
  });

  test('the report matches the contract', async () => {
    const response = await get(target, '/user/report/two');
    assert.equal(response.status, 200);
    assert.equal(reportShape.parse(await response.json()).id, 'two');
  });

  const refusals: [of: string, expect: string, send: () => Promise<Response>][] = [
    ['an unknown report', '404 no_such_report', () => single({ id: 'none', ...persona })],
    ['an unknown report to read', '404 no_such_report', () => get(target, '/user/report/none')],
    ['a very long id', '400 malformed', () => get(target, `/user/report/${'x'.repeat(300)}`)],
    ['a path that is not a valid URL', '400 malformed', () => get(target, '/user/report/%zz')],
    ['invalid JSON', '400 malformed', () => single('{"id":')],
    ['a list', '400 malformed', () => single([])],
    ['no features', '422 not_a_persona', () => single({ id: 'two' })],
    ['unknown columns', '422 unknown_columns', () => single({ id: 'two', features: { x: 1 } })],
    ['an invalid value', '422 invalid_value', () => single({ id: 'two', features: { plan: [] } })],
    ['no personas', '400 malformed', () => batch({ id: 'two', personas: [] })],
    [
      'another content type',
      '415 unsupported_media_type',
      () => post(target, '/user/persona', 'x', { 'content-type': 'text/plain' }),
    ],
    ['an unknown path', '404 no_such_endpoint', () => get(target, '/user/nothing')],
    ['a path outside /user', '404 no_such_endpoint', () => fetchChecked(`${target.url}/`)],
  ];
  for (const [of, expect, send] of refusals)
    test(`${of} gets ${expect}`, async () => {
      assert.equal(await problemOf(await send()), expect);
    });

  const headers = [
    undefined,
    '',
    'Bearer key-of-a-test',
    'ApiKey',
    'ApiKey key-of-a-tes',
    'ApiKey key-of-a-test x',
  ];
  for (const header of headers) {
    test(`the header ${JSON.stringify(header)} does not authenticate`, async () => {
      for (const path of ['/user/report/two', '/user/nothing', '/%75ser/report/two']) {
        const response = await fetchChecked(
          target.url + path,
          header === undefined ? {} : { headers: { authorization: header } },
        );
        assert.equal(response.headers.get('www-authenticate'), 'ApiKey');
        assert.equal(await problemOf(response), '401 unauthorized');
      }
    });
  }

  test('the scheme is case-insensitive', async () => {
    const response = await fetchChecked(`${target.url}/user/report/two`, {
      headers: { authorization: `apikey ${target.key}` },
    });
    assert.equal(response.status, 200);
  });

  slow('a retrained report is reloaded, and a damaged one is not served', async t => {
    const home = await ownTrainedHome(t);
    const target = await serving(t, { home });
    const ask = () => post(target, '/user/persona', { id: 'two', ...persona });
    const classes = async () => Object.keys(classesResponse.parse(await (await ask()).json()).probabilities);
    assert.deepEqual(await classes(), ['No', 'Yes']);
    const other = await homeWith(history({ rows: 200, classes: ['p', 'q', 'r'] }));
    await trainReport({
      historyFile: other.historyFile,
      predict: 'outcome',
      home,
      id: 'two',
      ifExists: 'replace',
    });
    assert.deepEqual(await classes(), ['p', 'q', 'r']);
    await appendFile(join(home, 'reports/two/testing-results.csv'), 'x');
    assert.equal(await problemOf(await get(target, '/user/testing-results/two')), '410 damaged_report');
    await appendFile(join(home, 'reports/two/SHA256SUMS'), 'x');
    await appendFile(join(home, 'reports/two/model.zip'), 'x');
    assert.equal(await problemOf(await ask()), '410 damaged_report');
  });

  test('a deleted report is no longer served', async t => {
    const home = await ownTrainedHome(t);
    const target = await serving(t, { home });
    const ask = () => post(target, '/user/persona', { id: 'two', ...persona });
    assert.equal((await ask()).status, 200);
    await deleteReport(home, 'two');
    assert.equal(await problemOf(await ask()), '404 no_such_report');
  });

  const begin = (length: number): string => headOfJson('/user/persona', { key: 'k' }, length);
  const closable = () => startServer({ home, host: '127.0.0.1', port: 0, key: 'k' });

  test('a service that shuts down finishes requests in progress and accepts no others', async () => {
    const closing = await closable();
    const line = await openConnection(closing.url);
    const begun = '{"id":"two","features":{"plan":"Basic"}}';
    line.socket.write(begin(begun.length));
    // The request is in progress once the service asks for its body.
    await line.receives(/100 Continue/);
    const closed = closing.close();
    line.socket.write(`${begun}${begin(begun.length)}${begun}`);
    const [text] = await Promise.all([line.ended, closed]);
    assert.match(text, /HTTP\/1\.1 200 OK[\s\S]*connection: close[\s\S]*"probabilities"/i);
    assert.doesNotMatch(text.slice(text.indexOf('"probabilities"')), /HTTP\/1\.1 200 OK/);
    await assert.rejects(fetch(closing.url));
  });

  test('a request whose headers end during the shutdown gets 503', async () => {
    const closing = await closable();
    const line = await openConnection(closing.url);
    line.socket.write('GET /user/report/two HTTP/1.1\r\nhost: localhost\r\n');
    // Once another request has a response, the service has read the start of this one.
    await get({ url: closing.url, key: 'k' }, '/user/report/two');
    const closed = closing.close();
    line.socket.write('authorization: ApiKey k\r\n\r\n');
    const [text] = await Promise.all([line.ended, closed]);
    assert.match(text, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"code":"draining"/i);
  });

  test('a port in use is an error that says so', async () => {
    const { port } = new URL(target.url);
    await assert.rejects(startServer({ home, host: '127.0.0.1', port: Number(port), key: 'k' }), {
      code: 'cannot_listen',
      message: new RegExp(port),
    });
  });

  test('a service that shuts down waits for an unfinished request only for its grace period', async () => {
    const closing = await closable();
    const line = await openConnection(closing.url);
    line.socket.write(begin(9));
    await line.receives(/100 Continue/);
    await Promise.all([closing.close(50), line.ended]);
  });

  test('during a shutdown the service is alive, not ready, and accepts no connections', async () => {
    const closing = await closable();
    const [busy, ready, alive] = await Promise.all([1, 2, 3].map(() => openConnection(closing.url)));
    assert.ok(busy && ready && alive);
    const body = JSON.stringify({ id: 'two', ...persona });
    busy.socket.write(begin(body.length));
    await busy.receives(/100 Continue/);
    // Half of the headers: the connections are in use when the shutdown starts.
    ready.socket.write('GET /readyz HTTP/1.1\r\n');
    alive.socket.write('GET /healthz HTTP/1.1\r\n');
    await get({ url: closing.url, key: 'k' }, '/readyz').then(response => assert.equal(response.status, 200));
    const closed = closing.close();
    await assert.rejects(fetch(`${closing.url}/healthz`));
    ready.socket.write('host: localhost\r\n\r\n');
    alive.socket.write('host: localhost\r\n\r\n');
    await ready.receives(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"code":"draining"/i);
    await alive.receives(/^HTTP\/1\.1 200 [\s\S]*alive/);
    busy.socket.write(body);
    await busy.receives(/200 OK[\s\S]*"probabilities"/);
    await closed;
  });
});
