import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { connect, type SecureVersion } from 'node:tls';
import type { Tls } from '../../../src/server/http/http-server.ts';
import { startServer } from '../../../src/server/server.ts';
import { newFolder } from '../../support/folder.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { exchange, openConnection } from '../../support/service/socket.ts';
import { until } from '../../support/until.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

const ec = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

/** A new certificate for localhost, and its key. */
async function certificate(t: TestContext, kind: readonly string[] = ec): Promise<Tls> {
  const folder = await newFolder(t);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { status, stderr } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', ...kind, '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', key, '-out', cert],
  ]);
  assert.equal(status, 0, String(stderr));
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/** Sends GET requests over one connection, which trusts the certificate. */
function clientOf(t: TestContext, { cert }: Tls) {
  const agent = new Agent({ ca: cert });
  t.after(() => agent.destroy());
  return (url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(url, { agent, headers }, resolve).on('error', reject);
    });
}

test('with a certificate the service speaks only https', { skip }, async t => {
  const tls = await certificate(t);
  const { url, key } = await serving(t, { tls });
  assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
  const response = await clientOf(t, tls)(`${url}/user/report/two`, { authorization: `ApiKey ${key}` });
  assert.equal(response.resume().statusCode, 200);
  await assert.rejects(fetch(url.replace('https:', 'http:')));
});

test('an unfinished handshake times out', { skip }, async t => {
  const { url } = await serving(t, { tls: await certificate(t), limits: { headersMs: 300 } });
  for (const beginning of ['', '\x16\x03\x01']) await exchange(url, beginning);
});

test('at the connection limit, an unfinished handshake is closed to make room', { skip }, async t => {
  const tls = await certificate(t);
  const { url } = await serving(t, { tls, limits: { connections: 1, headersMs: 60_000 } });
  const silent = await openConnection(url);
  const ask = clientOf(t, tls);
  const isServed = () => ask(`${url}/healthz`).then(response => response.resume().statusCode === 200);
  await until(() => isServed().catch(() => false));
  assert.equal(await silent.ended, '');
});

test('a key that does not match the certificate, or is not PEM, is refused on startup', {
  skip,
}, async t => {
  const [{ cert }, other] = [await certificate(t), await certificate(t)];
  for (const key of [other.key, Buffer.from('no PEM')])
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
  const { url } = await serving(t, { tls: await certificate(t, ['rsa:2048']) });
  for (const weak of ['ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384', 'AES128-GCM-SHA256', 'AES256-SHA'])
    assert.match(await handshake(url, 'TLSv1.2', weak), /handshake failure/, weak);
  assert.match(await handshake(url, 'TLSv1.2'), /^[\dA-F]+$/);
  assert.match(await handshake(url, 'TLSv1.3'), /^[\dA-F]+$/);
});

test('failed handshakes are counted by kind, and logged', { skip }, async t => {
  const tls = await certificate(t);
  const { log, lines } = recorded();
  const { url } = await serving(t, { tls, log, metrics: true, limits: { headersMs: 2000 } });
  await assert.rejects(fetch(url.replace('https:', 'http:')));
  await exchange(url, '');
  (await openConnection(url)).socket.destroy();
  await handshake(url, 'TLSv1.2', 'AES128-GCM-SHA256');
  // Unlike Node, it tells the server that it does not trust the certificate.
  const distrusting = ['s_client', '-connect', new URL(url).host, '-verify_return_error', '-brief'];
  await once(spawn('openssl', distrusting, { stdio: 'ignore' }), 'exit');
  const ask = clientOf(t, tls);
  const counts = async (): Promise<string> => {
    const found =
      (await text(await ask(`${url}/metrics`))).match(/tls_handshake_failures_total\{reason="\w+"\} \d+/g) ??
      [];
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
  const [first, second] = [await certificate(t), await certificate(t)];
  const options = { home: await trainedHome(), host: '127.0.0.1', port: 0, key: 'k', tls: first };
  const service = await startServer(options);
  t.after(() => service.close());
  const before = await handshake(service.url, 'TLSv1.3');
  assert.throws(() => service.reload({ cert: second.cert, key: first.key }), { code: 'bad_certificate' });
  assert.equal(await handshake(service.url, 'TLSv1.3'), before);
  service.reload(second);
  assert.notEqual(await handshake(service.url, 'TLSv1.3'), before);
});
