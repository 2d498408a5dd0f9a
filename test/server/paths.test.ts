import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, post, problemOf } from '../support/service/client.ts';
import { persona, serving } from '../support/service/serving.ts';
import { openConnection } from '../support/service/socket.ts';

const ids = [
  '../two',
  '../reports/two',
  'two/../one',
  '..',
  '.',
  '/etc/passwd',
  'C:\\two',
  '..\\two',
  'two\0',
  'two.json',
  '%2e%2e%2ftwo',
  ' two',
  'two\n',
  'twö',
  '~root',
  '.two',
  'x'.repeat(65),
];

for (const id of ids) {
  test(`the id ${JSON.stringify(id.slice(0, 20))} does not lead to a file`, async t => {
    const target = await serving(t);
    for (const path of ['report', 'testing-results']) {
      const encoded = `/user/${path}/${encodeURIComponent(id).replaceAll('.', '%2e')}`;
      // fetch resolves dot segments as a browser does, encoded ones too: two of them leave the folder before anything
      // is sent.
      const expected = id === '..' ? '404 no_such_endpoint' : '400 bad_report_id';
      assert.equal(await problemOf(await get(target, encoded)), expected);
    }
    for (const body of [
      { id, ...persona },
      { id, personas: [persona] },
    ]) {
      const path = 'personas' in body ? '/user/batch-persona' : '/user/persona';
      assert.equal(await problemOf(await post(target, path, body)), '400 malformed');
    }
  });
}

test('unresolved dot segments do not lead to a file either', async t => {
  const { url, key } = await serving(t);
  for (const path of [
    '/user/report/../../../etc/passwd',
    '/user/report/..',
    '/user/report/%2e%2e',
    '/user/report//etc/passwd',
    '/user/report/%00',
    '/user/report/two%00',
    '/user/report/%2e%2e%2ftwo',
    '/user/testing-results/..%5c..%5ctwo',
    `/user/report/${'../'.repeat(1000)}`,
    '/../user/report/two',
    'user/report/two',
  ]) {
    const line = await openConnection(url);
    line.socket.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey ${key}\r\nconnection: close\r\n\r\n`,
    );
    assert.match(
      await line.ended,
      /^HTTP\/1\.1 40[04] [\s\S]*"code":"(no_such_endpoint|bad_report_id|malformed)"/,
      path,
    );
  }
});
