import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/rowcast.ts';
import { fetchChecked, get, post, problemOf } from '../support/service/client.ts';
import { persona, trainedHome } from '../support/service/serving.ts';
import { openConnection } from '../support/service/socket.ts';
import { serve } from './serving.ts';

const keyIn = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();

describe('rowcast serve', () => {
  it('leaves the key of each run in a file of its port, for its owner only', async t => {
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

  it('leaves the key file alone where the port is taken', async t => {
    const home = await newFolder(t);
    const { url, end } = await serve(t, { ROWCAST_HOME: home });
    const { port } = new URL(url);
    const before = await keyIn(join(home, `serve-${port}.key`));
    const second = await rowcast(['serve', '--port', port], { env: { ROWCAST_HOME: home } });
    assert.equal(second.code, 2);
    assert.match(second.stderr, /^rowcast: cannot listen on 127\.0\.0\.1:\d+: .*\[cannot_listen\]/);
    assert.equal(await keyIn(join(home, `serve-${port}.key`)), before);
    assert.deepEqual(await readdir(home), [`serve-${port}.key`]);
    await end();
  });

  it('ends with a reason where the key cannot be written', async t => {
    const home = join(await newFolder(t), 'home');
    // Nothing is there to be read, and nothing can be made.
    await symlink('nowhere/else', home);
    const { code, stderr } = await rowcast(['serve', '--port', '0'], { env: { ROWCAST_HOME: home } });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^rowcast: .*serve-\d+\.key: cannot write the temporary API key/m);
  });

  it('takes the white space off the environment’s key, as clients do', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: ' k\n' });
    assert.equal((await get({ url, key: 'k' }, '/user/report/none')).status, 404);
    await end();
  });

  it('makes no key where there are some, and sees those that come and go', async t => {
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

  it('tells of damaged keys, and makes one where there is no other', async t => {
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

  it('lets the environment’s key in beside those of the home', async t => {
    const env = { ROWCAST_HOME: await newFolder(t) };
    const stored = (await rowcast(['keys', 'add', 'x'], { env })).stdout.toString().trim();
    const { url, end } = await serve(t, { ...env, ROWCAST_API_KEY: 'k' });
    for (const key of [stored, 'k']) assert.equal((await get({ url, key }, '/user/report/none')).status, 404);
    await end();
  });

  it('warns where keys would travel in the clear', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k'.repeat(32) };
    const { end } = await serve(t, env, ['--host', '0.0.0.0']);
    assert.match((await end())[0] ?? '', /^rowcast: keys and personas are sent unencrypted/);
  });

  it('limits the rows of each key', async t => {
    const env = { ROWCAST_HOME: await trainedHome(), ROWCAST_API_KEY: 'k' };
    const { url, end } = await serve(t, env, ['--max-rows-per-second', '1']);
    const ask = () =>
      post({ url, key: 'k' }, '/user/batch-persona', { id: 'two', personas: new Array(100).fill(persona) });
    assert.equal((await ask()).status, 200);
    assert.equal(await problemOf(await ask()), '429 rate_limited');
    await end();
  });

  it('tells how it does, without a key', async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
      assert.equal((await fetchChecked(url + path)).status, 200, path);
    await end();
  });

  const refusals = [
    {
      what: 'a rate of none',
      args: ['--max-requests-per-second', '0'],
      says: /--max-requests-per-second: .*\[bad_option\]/,
    },
    {
      what: 'a rate of no rows',
      args: ['--max-rows-per-second', '0'],
      says: /--max-rows-per-second: .*\[bad_option\]/,
    },
    {
      what: 'too little disk for answers',
      args: ['--max-spill-bytes', '1KiB'],
      says: /--max-spill-bytes: .*\[bad_option\]/,
    },
    { what: 'a certificate without its key', args: ['--tls-cert', 'c'], says: /given together \[usage\]/ },
    {
      what: 'a certificate that is not there',
      args: ['--tls-cert', 'none.pem', '--tls-key', 'none.pem'],
      says: /none\.pem: cannot be read: .*\[no_such_file\]/,
    },
    {
      what: 'a certificate that is none',
      args: ['--tls-cert', 'package.json', '--tls-key', 'package.json'],
      says: /\[bad_certificate\]/,
    },
    { what: 'an empty port', args: ['--port='], says: /--port: must not be empty/ },
    { what: 'a blank port', args: ['--port', ' '], says: /--port "" is not a port/ },
    { what: 'a port in another notation', args: ['--port', '0x50'], says: /--port "0x50" is not a port/ },
    { what: 'a port that is too high', args: ['--port', '65536'], says: /--port "65536" is not a port/ },
    { what: 'an empty host', args: ['--host='], says: /--host: must not be empty/ },
    { what: 'a blank host', args: ['--host', ' '], says: /--host is empty/ },
    { what: 'a key of two words', key: 'a b', says: /ROWCAST_API_KEY contains characters .*\[no_key\]/ },
    {
      what: 'a short key where others can try it',
      args: ['--host', '0.0.0.0'],
      key: 'z'.repeat(31),
      says: /fewer than 32 characters.*\[short_key\]/,
    },
    { what: 'a blank key', key: ' ', says: /ROWCAST_API_KEY contains characters/ },
    { what: 'a key beyond ASCII', key: 'sécret', says: /ROWCAST_API_KEY contains characters/ },
  ];
  for (const { what, args = [], key, says } of refusals)
    it(`refuses ${what}`, async t => {
      const home = await newFolder(t);
      const { code, stderr } = await rowcast(['serve', '--port', '0', ...args], {
        env: { ROWCAST_HOME: home, ...(key !== undefined && { ROWCAST_API_KEY: key }) },
      });
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
      assert.ok(key === undefined || key === ' ' || !stderr.includes(key));
    });

  it('ends without waiting for a body whose client has gone', { timeout: 20_000 }, async t => {
    const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
    const line = await openConnection(url);
    line.socket.write('POST /user/persona HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\n{');
    await line.receives(/401/);
    line.socket.destroy();
    await end();
  });

  it('says one line when it listens, and one a request', async t => {
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

  it('gives a machine the same as members', async t => {
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
    it(`ends at ${signal} though half a request was sent`, { timeout: 60_000 }, async t => {
      const { url, end } = await serve(t, { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: 'k' });
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {}); // cut off
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
