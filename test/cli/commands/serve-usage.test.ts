import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowcast } from '../../support/rowcast.ts';

test('serve refuses to open the web platform and to leave it out at once', async () => {
  const { code, stderr } = await rowcast(['serve', '--open', '--no-web', '--port', '0']);
  assert.equal(code, 2);
  assert.match(stderr, /--open and --no-web exclude each other.*\n.*Leave out --no-web/);
});
