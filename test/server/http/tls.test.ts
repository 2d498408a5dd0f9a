import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect, type SecureVersion } from 'node:tls';
import { startServer } from '../../../src/server/server.ts';
import { newFolder } from '../../support/folder.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

const ec = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

/** A certificate for localhost, and its key, as PEM files. */
function certificate(folder: string, kind: readonly string[] = ec): { cert: string; key: string } {
  const cert = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  const { status, stderr } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', ...kind, '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', key, '-out', cert],
  ]);
  assert.equal(status, 0, String(stderr));
  return { cert, key };
}

test('with a certificate the service speaks only https', { skip }, async t => {
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

test('an unfinished handshake times out', { skip }, async t => {
  const files = certificate(await newFolder(t));
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const { url } = await serving(t, { tls, limits: { headersMs: 300 } });
  for (const beginning of ['', '\x16\x03\x01']) {
    const line = await openConnection(url);
    line.socket.write(beginning);
    await line.ended;
  }
});

test('at the connection limit, an unfinished handshake is closed to make room', { skip }, async t => {
  const files = certificate(await newFolder(t));
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const { url } = await serving(t, { tls, limits: { connections: 1, headersMs: 60_000 } });
  const silent = await openConnection(url);
  const agent = new Agent({ ca: tls.cert });
  t.after(() => agent.destroy());
  const status = () =>
    new Promise(resolve => {
      get(`${url}/healthz`, { agent }, response => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', ({ message }) => resolve(message));
    });
  while ((await status()) !== 200);
  assert.equal(await silent.ended, '');
});

test('a key that does not match the certificate, or is not PEM, is refused on startup', {
  skip,
}, async t => {
  const one = certificate(await newFolder(t));
  const two = certificate(await newFolder(t));
  const cert = readFileSync(one.cert);
  for (const key of [readFileSync(two.key), Buffer.from('no PEM')])
    await assert.rejects(serving(t, { tls: { cert, key } }), { code: 'bad_certificate' });
});

/** The certificate's serial number if the handshake succeeds, otherwise the error. */
function handshake(url: string, maxVersion: SecureVersion, ciphers?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise(resolve => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      maxVersion,
      ...(ciphers !== undefined && { ciphers }),
    });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', error => resolve(error.message));
  });
}

test('TLS 1.2 is offered without CBC and RSA key exchange, TLS 1.3 with its defaults', { skip }, async t => {
  const files = certificate(await newFolder(t), ['rsa:2048']);
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const { url } = await serving(t, { tls });
  for (const weak of ['ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384', 'AES128-GCM-SHA256', 'AES256-SHA'])
    assert.match(await handshake(url, 'TLSv1.2', weak), /handshake failure/, weak);
  assert.match(await handshake(url, 'TLSv1.2'), /^[\dA-F]+$/);
  assert.match(await handshake(url, 'TLSv1.3'), /^[\dA-F]+$/);
});

test('failed handshakes are counted by kind, and logged', { skip }, async t => {
  const files = certificate(await newFolder(t));
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  const { log, lines } = recorded();
  const { url } = await serving(t, { tls, log, metrics: true, limits: { headersMs: 2000 } });
  await assert.rejects(fetch(url.replace('https:', 'http:')));
  const silent = await openConnection(url);
  await silent.ended;
  (await openConnection(url)).socket.destroy();
  await handshake(url, 'TLSv1.2', 'AES128-GCM-SHA256');
  // Unlike Node, it tells the server that it does not trust the certificate.
  const distrusting = ['s_client', '-connect', new URL(url).host, '-verify_return_error', '-brief'];
  await once(spawn('openssl', distrusting, { stdio: 'ignore' }), 'exit');
  const agent = new Agent({ ca: tls.cert });
  t.after(() => agent.destroy());
  const counts = async (): Promise<string> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${url}/metrics`, { agent }, resolve).on('error', reject);
    });
    const found = (await text(response)).match(/tls_handshake_failures_total\{reason="\w+"\} \d+/g) ?? [];
    return found.map(line => line.replace(/^.*"(\w+)"\}/, '$1')).join(', ');
  };
  // The client's last action may not have reached the service yet.
  while ((await counts()) !== 'plain_http 1, protocol 1, alert 1, timeout 1, closed 1, other 0');
  assert.deepEqual(
    lines()
      .map(({ msg }) => msg)
      .filter(msg => /handshakes/.test(msg)),
    ['TLS handshakes failed: used plain HTTP (1)'],
  );
});

test('a reload presents the new certificate; an invalid one leaves the current one in place', {
  skip,
}, async t => {
  const pems = async () => {
    const files = certificate(await newFolder(t));
    return { cert: readFileSync(files.cert), key: readFileSync(files.key) };
  };
  const [first, second] = await Promise.all([pems(), pems()]);
  const options = { home: await trainedHome(), host: '127.0.0.1', port: 0, key: 'k', tls: first };
  const service = await startServer(options);
  t.after(() => service.close());
  const before = await handshake(service.url, 'TLSv1.3');
  assert.throws(() => service.reload({ cert: second.cert, key: first.key }), { code: 'bad_certificate' });
  assert.equal(await handshake(service.url, 'TLSv1.3'), before);
  service.reload(second);
  assert.notEqual(await handshake(service.url, 'TLSv1.3'), before);
});
