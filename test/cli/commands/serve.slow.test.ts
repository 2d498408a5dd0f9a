import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/rowcast.ts';
import { fetchChecked, get, post, problemOf } from '../../support/service/client.ts';
import { persona, trainedHome } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';
import { serve } from './serving.ts';

const keyIn = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();

describe('rowcast serve', () => {
  it('writes the key of each run to a file named for its port, readable only by its owner', async t => {
    const home = await newFolder(t);
    const [one, two] = await Promise.all([
      serve(t, { ROWCAST_HOME: home }),
      serve(t, { ROWCAST_HOME: home }),
    ]);
    for (const { url, end } of [one, two]) {
      const file = join(home, `serve-${new URL(url).port}.key`);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const key = await keyIn(file);
      assert.equal((await get({ url, key }, '/user/report/none')).status, 404);
      assert.ok(!(await end()).join('\n').includes(key));
    }
  });

  it('does not change the key file if the port is in use', async t => {
    const home = await newFolder(t);
    const { url, end } = await serve(t, { ROWCAST_HOME: home });
    const { port } = new URL(url);
    const before = await keyIn(join(home, `serve-${port}.key`));
    await exits(
      rowcast(['serve', '--port', port], { env: { ROWCAST_HOME: home } }),
      2,
      /^rowcast: cannot listen on 127\.0\.0\.1:\d+: .*\[cannot_listen\]/,
    );
    assert.equal(await keyIn(join(home, `serve-${port}.key`)), before);
    assert.deepEqual(await readdir(home), [`serve-${port}.key`]);
    await end();
  });

  it('exits with an error if the key cannot be written', async t => {
    const home = join(await newFolder(t), 'home');
    // There is nothing to read here, and nothing can be created.
    await symlink('nowhere/else', home);
    await exits(
      rowcast(['serve', '--port', '0'], { env: { ROWCAST_HOME: home } }),
      2,
      /^rowcast: .*serve-\d+\.key: cannot write the temporary API key/m,
    );
  });

  it('trims white space from the environment’s key, as clients do', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: ' k\n' });
    assert.equal((await get({ url, key: 'k' }, '/user/report/none')).status, 404);
    await end();
  });

  it('creates no key if there are any, and notices keys that are added or revoked', async t => {
    const home = await newFolder(t);
    const env = { ROWCAST_HOME: home };
    const add = async (name: string): Promise<string> =>
      (await rowcast(['keys', 'add', name], { env })).stdout.toString().trim();
    const first = await add('first');
    const { url, end } = await serve(t, env);
    const status = async (key: string) => (await get({ url, key }, '/user/report/none')).status;
    const second = await add('second');
    assert.deepEqual([await status(first), await status(second)], [404, 404]);
    await rowcast(['keys', 'revoke', 'first'], { env });
    assert.deepEqual([await status(first), await status(second)], [401, 404]);
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
    const key = await keyIn(join(home, `serve-${new URL(url).port}.key`));
    assert.equal((await get({ url, key }, '/user/report/none')).status, 404);
    assert.match((await end()).join('\n'), /^rowcast: the key "broken" is damaged and is not accepted; /m);
    await rowcast(['keys', 'add', 'sound'], { env });
    const [first = '', second = ''] = await (await serve(t, env)).end();
    assert.match(first, /the key "broken" is damaged/);
    assert.match(second, /serving the reports/);
  });

  it('accepts the environment’s key in addition to those of the home', async t => {
    const env = { ROWCAST_HOME: await newFolder(t) };
    const stored = (await rowcast(['keys', 'add', 'x'], { env })).stdout.toString().trim();
    const { url, end } = await serve(t, { ...env, ROWCAST_API_KEY: 'k' });
    for (const key of [stored, 'k']) assert.equal((await get({ url, key }, '/user/report/none')).status, 404);
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

  it('serves health, metrics and OpenAPI without a key', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
      assert.equal((await fetchChecked(url + path)).status, 200, path);
    await end();
  });

  const refusals = [
    {
      what: 'a request rate of zero',
      args: ['--max-requests-per-second', '0'],
      says: /--max-requests-per-second: .*\[bad_option\]/,
    },
    {
      what: 'a row rate of zero',
      args: ['--max-rows-per-second', '0'],
      says: /--max-rows-per-second: .*\[bad_option\]/,
    },
    {
      what: 'too little disk space for responses',
      args: ['--max-spill-bytes', '1KiB'],
      says: /--max-spill-bytes: .*\[bad_option\]/,
    },
    { what: 'a certificate without its key', args: ['--tls-cert', 'c'], says: /given together \[usage\]/ },
    {
      what: 'a certificate that does not exist',
      args: ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'],
      says: /none\.pem: cannot be read: .*\[no_such_file\]/,
    },
    {
      what: 'an invalid certificate',
      args: ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
      says: /\[bad_certificate\]/,
    },
    { what: 'an empty port', args: ['--port='], says: /--port: must not be empty/ },
    { what: 'a blank port', args: ['--port', ' '], says: /--port "" is not a port/ },
    { what: 'a port in another notation', args: ['--port', '0x50'], says: /--port "0x50" is not a port/ },
    { what: 'a port that is too high', args: ['--port', '65536'], says: /--port "65536" is not a port/ },
    { what: 'an empty host', args: ['--host='], says: /--host: must not be empty/ },
    { what: 'a blank host', args: ['--host', ' '], says: /--host is empty/ },
    {
      what: 'a key that contains a space',
      key: 'a b',
      says: /ROWCAST_API_KEY contains characters .*\[no_key\]/,
    },
    {
      what: 'a short key on a host that others can reach',
      args: ['--host', '0.0.0.0'],
      key: 'z'.repeat(31),
      says: /fewer than 32 characters.*\[short_key\]/,
    },
    { what: 'a blank key', key: ' ', says: /ROWCAST_API_KEY contains characters/ },
    { what: 'a key with non-ASCII characters', key: 'sécret', says: /ROWCAST_API_KEY contains characters/ },
  ];
  for (const { what, args = [], key, says } of refusals)
    it(`refuses ${what}`, async t => {
      const home = await newFolder(t);
      const { stderr } = await exits(
        rowcast(['serve', '--port', '0', ...args], {
          env: { ROWCAST_HOME: home, ...(key !== undefined && { ROWCAST_API_KEY: key }) },
        }),
        2,
        says,
      );
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

  it('logs one line when it listens, and one per request', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
    await get({ url, key: 'k' }, '/user/report/none?secret=1');
    await get({ url, key: 'wrong' }, '/elsewhere');
    const [listening, ...requests] = await end();
    assert.match(listening ?? '', /^rowcast: serving the reports in .* at http:/);
    assert.deepEqual(
      requests.map(line => line.replace(/\d+ ms/, 'N ms').replace(/[\da-f-]{36}/, 'ID')),
      [
        'rowcast: GET /user/report/… 404 in N ms (key (own), from 127.0.0.1, request ID)',
        'rowcast: GET /… 404 in N ms (from 127.0.0.1, request ID)',
      ],
    );
  });

  it('logs the same as JSON members with --log-format json', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' };
    const { url, end } = await serve(t, env, ['--log-format', 'json']);
    await get({ url, key: 'wrong' }, '/user/report/none');
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
