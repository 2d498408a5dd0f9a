import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { fetchChecked, get, post, problemOf } from '../../support/service/client.ts';
import { persona, trainedHome } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';
import { serve } from './serving.ts';

const keyIn = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();

/** The status of the response to a request with a key, which is 404 if the key is accepted. */
const statusWith = async (url: string, key: string): Promise<number> =>
  (await get({ url, key }, '/user/report/none')).status;

describe('rowcast serve', () => {
  it('writes the key of each run to a file named for its port, readable only by its owner', async t => {
    const home = await newFolder(t);
    const env = { ROWCAST_HOME: home };
    for (const { url, end } of await Promise.all([serve(t, env), serve(t, env)])) {
      const file = join(home, `serve-${new URL(url).port}.key`);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const key = await keyIn(file);
      assert.equal(await statusWith(url, key), 404);
      assert.ok(!(await end()).join('\n').includes(key));
    }
  });

  it('does not change the key file if the port is in use', async t => {
    const home = await newFolder(t);
    const { url, end } = await serve(t, { ROWCAST_HOME: home });
    const { port } = new URL(url);
    const before = await keyIn(join(home, `serve-${port}.key`));
    const second = rowcast(['serve', '--port', port], { env: { ROWCAST_HOME: home } });
    await exits(second, 2, /^rowcast: cannot listen on 127\.0\.0\.1:\d+: .*\[cannot_listen\]/);
    assert.equal(await keyIn(join(home, `serve-${port}.key`)), before);
    assert.deepEqual(await readdir(home), [`serve-${port}.key`]);
    await end();
  });

  it('exits with an error if the key cannot be written', async t => {
    const home = join(await newFolder(t), 'home');
    // There is nothing to read here, and nothing can be created.
    await symlink('nowhere/else', home);
    const says = /^rowcast: .*serve-\d+\.key: cannot write the temporary API key/m;
    await exits(rowcast(['serve', '--port', '0'], { env: { ROWCAST_HOME: home } }), 2, says);
  });

  it('creates no key if there are any, and notices keys that are added or revoked', async t => {
    const home = await newFolder(t);
    const env = { ROWCAST_HOME: home };
    const add = async (name: string): Promise<string> =>
      (await rowcast(['keys', 'add', name], { env })).stdout.toString().trim();
    const first = await add('first');
    const { url, end } = await serve(t, env);
    const second = await add('second');
    assert.deepEqual([await statusWith(url, first), await statusWith(url, second)], [404, 404]);
    await rowcast(['keys', 'revoke', 'first'], { env });
    assert.deepEqual([await statusWith(url, first), await statusWith(url, second)], [401, 404]);
    const lines = await end();
    assert.deepEqual(await readdir(home), ['keys']);
    assert.ok(lines.every(line => !line.includes(first) && !line.includes(second)));
  });

  it('reports damaged keys, and creates a key if there is no valid one', async t => {
    const home = await newFolder(t);
    const env = { ROWCAST_HOME: home };
    await mkdir(join(home, 'keys'));
    await writeFile(join(home, 'keys', 'broken.json'), '{');
    const { url, end } = await serve(t, env);
    assert.equal(await statusWith(url, await keyIn(join(home, `serve-${new URL(url).port}.key`))), 404);
    assert.match((await end()).join('\n'), /^rowcast: the key "broken" is damaged and is not accepted; /m);
    await rowcast(['keys', 'add', 'sound'], { env });
    const [first = '', second = ''] = await (await serve(t, env)).end();
    assert.match(first, /the key "broken" is damaged/);
    assert.match(second, /serving the reports/);
  });

  it('accepts the environment’s key without white space, as clients send it, and those of the home', async t => {
    const env = { ROWCAST_HOME: await newFolder(t) };
    const stored = (await rowcast(['keys', 'add', 'x'], { env })).stdout.toString().trim();
    const { url, end } = await serve(t, { ...env, ROWCAST_API_KEY: ' k\n' });
    for (const key of [stored, 'k']) assert.equal(await statusWith(url, key), 404);
    await end();
  });

  it('warns if keys would be sent unencrypted', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k'.repeat(32) };
    const { end } = await serve(t, env, ['--host', '0.0.0.0']);
    assert.match((await end())[0] ?? '', /^rowcast: keys and personas are sent unencrypted/);
  });

  it('limits the row rate of each key', async t => {
    const env = { ROWCAST_HOME: await trainedHome(), ROWCAST_API_KEY: 'k' };
    const { url, end } = await serve(t, env, ['--max-rows-per-second', '1']);
    const ask = () =>
      post({ url, key: 'k' }, '/user/batch-persona', { id: 'two', personas: new Array(100).fill(persona) });
    assert.equal((await ask()).status, 200);
    assert.equal(await problemOf(await ask()), '429 rate_limited');
    await end();
  });

  const port = (text: string) => [['--port', text], `--port "${text.trim()}" is not a port`] as const;
  for (const [what, [args, says, key]] of Object.entries<
    readonly [args: readonly string[], says: string | RegExp, key?: string]
  >({
    'a request rate of zero': [
      ['--max-requests-per-second', '0'],
      /--max-requests-per-second: .*\[bad_option\]/,
    ],
    'a row rate of zero': [['--max-rows-per-second', '0'], /--max-rows-per-second: .*\[bad_option\]/],
    'too little disk space for responses': [
      ['--max-spill-bytes', '1KiB'],
      /--max-spill-bytes: .*\[bad_option\]/,
    ],
    'a certificate without its key': [['--tls-cert', 'c'], 'given together [usage]'],
    'a certificate that does not exist': [
      ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'],
      /none\.pem: cannot be read: .*\[no_such_file\]/,
    ],
    'an invalid certificate': [
      ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
      '[bad_certificate]',
    ],
    'an empty port': [['--port='], '--port: must not be empty'],
    'a blank port': port(' '),
    'a port in another notation': port('0x50'),
    'a port that is too high': port('65536'),
    'an empty host': [['--host='], '--host: must not be empty'],
    'a blank host': [['--host', ' '], '--host is empty'],
    'a key that contains a space': [[], /ROWCAST_API_KEY contains characters .*\[no_key\]/, 'a b'],
    'a short key on a host that others can reach': [
      ['--host', '0.0.0.0'],
      /fewer than 32 characters.*\[short_key\]/,
      'z'.repeat(31),
    ],
    'a blank key': [[], 'ROWCAST_API_KEY contains characters', ' '],
    'a key with non-ASCII characters': [[], 'ROWCAST_API_KEY contains characters', 'sécret'],
    'the web platform in a browser, and to leave it out': [
      ['--open', '--no-web'],
      /--open and --no-web exclude each other.*\n.*Leave out --no-web/,
    ],
  }))
    it(`refuses ${what}`, async t => {
      const env = {
        ROWCAST_HOME: await newFolder(t),
        ...(key !== undefined && { ROWCAST_API_KEY: key }),
      };
      const { stderr } = await exits(rowcast(['serve', '--port', '0', ...args], { env }), 2);
      assert.ok(typeof says === 'string' ? stderr.includes(says) : says.test(stderr), stderr);
      assert.ok(key === undefined || key === ' ' || !stderr.includes(key));
    });

  it('shuts down without waiting for a body whose client has disconnected', { timeout: 20_000 }, async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
    const line = await openConnection(url);
    line.socket.write('POST /user/persona HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\n{');
    await line.receives(/401/);
    line.socket.destroy();
    await end();
  });

  it('serves health, metrics and OpenAPI without a key, and logs when it listens, and each request', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
    await get({ url, key: 'k' }, '/user/report/none?secret=1');
    await get({ url, key: 'wrong' }, '/elsewhere');
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
      assert.equal((await fetchChecked(url + path)).status, 200, path);
    const [listening, ...requests] = await end();
    assert.match(listening ?? '', /^rowcast: serving the reports in .* at http:/);
    assert.deepEqual(
      requests.slice(0, 2).map(line => line.replace(/\d+ ms/, 'N ms').replace(/[\da-f-]{36}/, 'ID')),
      [
        'rowcast: GET /user/report/… 404 in N ms (key (own), from 127.0.0.1, request ID)',
        'rowcast: GET /… 404 in N ms (from 127.0.0.1, request ID)',
      ],
    );
  });

  it('logs the same as JSON members with --log-format json', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' };
    const { url, end } = await serve(t, env, ['--log-format', 'json']);
    await statusWith(url, 'wrong');
    const [, request = ''] = await end();
    const { method, route, path, status, ms, reqId } = JSON.parse(request);
    assert.deepEqual(
      [method, route, path, status, typeof ms, typeof reqId],
      ['GET', '/user/report/:id', '/user/report/…', 401, 'number', 'string'],
    );
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`shuts down on ${signal} even if half a request was sent`, { timeout: 60_000 }, async t => {
      const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {}); // the connection is reset
      const cut = once(socket, 'close');
      socket.write(
        'POST /user/persona HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey k\r\ncontent-type: application/json\r\n' +
          'content-length: 100\r\nexpect: 100-continue\r\n\r\n',
      );
      await once(socket, 'data');
      socket.write('{"id"');
      await end(signal);
      await cut;
    });
});
