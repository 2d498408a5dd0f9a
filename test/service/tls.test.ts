import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { newFolder } from '../folder.ts';
import { serving } from './serving.ts';
import { dial } from './socket.ts';

const skip =
  spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl to make a certificate';

/** A certificate for localhost, and its key, as PEM files. */
function certificate(folder: string): { cert: string; key: string } {
  const cert = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  const { status, stderr } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', key, '-out', cert],
  ]);
  assert.equal(status, 0, String(stderr));
  return { cert, key };
}

test('with a certificate the service speaks https, and only that', { skip }, async t => {
  const files = certificate(await newFolder(t));
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const { url, key } = await serving(t, { tls });
  assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const agent = new Agent({ ca: tls.cert });
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: `ApiKey ${key}` };
    get(`${url}/user/report/two`, { agent, headers }, response => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
  agent.destroy();
  assert.equal(status, 200);
  await assert.rejects(fetch(url.replace('https:', 'http:')));
});

test('a handshake that does not come to its end is cut off', { skip }, async t => {
  const files = certificate(await newFolder(t));
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const { url } = await serving(t, { tls, limits: { headersMs: 300 } });
  for (const beginning of ['', '\x16\x03\x01']) {
    const line = await dial(url);
    line.socket.write(beginning);
    await line.ended;
  }
});

test('a key that is not the certificate’s, or no PEM, is refused at the start', { skip }, async t => {
  const one = certificate(await newFolder(t));
  const two = certificate(await newFolder(t));
  const cert = readFileSync(one.cert);
  for (const key of [readFileSync(two.key), Buffer.from('no PEM')])
    await assert.rejects(serving(t, { tls: { cert, key } }), { code: 'bad_certificate' });
});
