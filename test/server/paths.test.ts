import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, post, problemOf } from '../support/service/client.ts';
import { persona, serving } from '../support/service/serving.ts';
import { exchange, headOf } from '../support/service/socket.ts';

const ids = [
  ...['../two', '../reports/two', 'two/../one', '..', '.', '/etc/passwd', 'C:\\two', '..\\two', 'two\0'],
  ...['two.json', '%2e%2e%2ftwo', ' two', 'two\n', 'twö', '~root', '.two', 'x'.repeat(65)],
];

test('an id that could be a path does not lead to a file', async t => {
  const target = await serving(t);
  for (const id of ids) {
    for (const path of ['report', 'testing-results']) {
      const encoded = `/user/${path}/${encodeURIComponent(id).replaceAll('.', '%2e')}`;
      // fetch resolves dot segments as a browser does, encoded ones too: two of them leave the folder before anything
      // is sent.
      const expected = id === '..' ? '404 no_such_endpoint' : '400 bad_report_id';
      assert.equal(await problemOf(await get(target, encoded)), expected, id);
    }
    for (const [path, body] of [
      ['/user/persona', { id, ...persona }],
      ['/user/batch-persona', { id, personas: [persona] }],
    ] as const)
      assert.equal(await problemOf(await post(target, path, body)), '400 malformed', id);
  }
});

test('unresolved dot segments do not lead to a file either', async t => {
  const target = await serving(t);
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
  ])
    assert.match(
      await exchange(target.url, headOf(`GET ${path}`, target, 'connection: close')),
      /^HTTP\/1\.1 40[04] [\s\S]*"code":"(no_such_endpoint|bad_report_id|malformed)"/,
      path,
    );
});
