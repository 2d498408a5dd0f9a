import { test } from 'node:test';
import { exits, rowcast } from '../../support/rowcast.ts';

test('serve refuses to open the web platform and to leave it out at once', async () => {
  await exits(
    rowcast(['serve', '--open', '--no-web', '--port', '0']),
    2,
    /--open and --no-web exclude each other.*\n.*Leave out --no-web/,
  );
});
