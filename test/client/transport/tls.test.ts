import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { type ClientTls, checkTls } from '../../../src/client/transport/tls.ts';
import { authority, noOpenssl, pems } from '../../support/certificates.ts';
import { newFolder } from '../../support/folder.ts';
import { key } from '../../support/secrets.ts';
import { startStub } from '../../support/stub/service.ts';

const from = { ca: 'ca.pem', cert: 'client.pem', key: 'client.key' };
const wrong = (tls: ClientTls, message: RegExp): void =>
  assert.throws(() => checkTls(tls, from), { code: 'bad_certificate', message });

describe('certificates are checked before a connection is made', { skip: noOpenssl }, () => {
  it('and are in order', async () => {
    const { ca, client } = await authority();
    checkTls({ ca: readFileSync(ca), ...pems(client) }, from);
    // As a bundle has them, with words between them.
    checkTls({ ca: `one\n${readFileSync(ca)}\ntwo\n${readFileSync(ca)}` }, from);
    checkTls({}, from);
  });

  it('for files that hold something else', async () => {
    const { ca, client } = await authority();
    const { cert, key } = pems(client);
    for (const ca of ['', 'no PEM', key]) wrong({ ca }, /^there is no certificate in ca\.pem$/);
    const damaged = String(cert).replace(/\n[A-Za-z0-9+/]{20}/, '\nAAAAAAAAAAAAAAAAAAAA');
    wrong({ ca: damaged }, /^a certificate in ca\.pem is damaged$/);
    wrong({ cert: key, key }, /^there is no certificate in client\.pem$/);
    for (const other of ['', cert, ca])
      wrong({ cert, key: other }, /^there is no usable private key in client\.key$/);
  });

  it('for a key with a passphrase, which nobody could type', async t => {
    const { client } = await authority();
    const path = join(await newFolder(t), 'locked.key');
    spawnSync('openssl', ['pkey', '-in', client.key, '-aes256', '-passout', 'pass:swordfish', '-out', path]);
    wrong({ ...pems(client), key: readFileSync(path) }, /no usable private key/);
  });

  it('for a key that belongs to another certificate', async () => {
    const { client, server } = await authority();
    wrong(
      { cert: pems(client).cert, key: pems(server).key },
      /^the private key in client\.key does not belong to the first certificate in client\.pem$/,
    );
  });
});

/** What a client of a service with its own authority gets. */
async function ask(t: TestContext, tls: ClientTls, requestCert = false): Promise<unknown> {
  const own = await authority();
  const ca = readFileSync(own.ca);
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    tls: { ...pems(own.server), ca, requestCert, rejectUnauthorized: false },
    first(request, response) {
      const isKnown = !requestCert || Reflect.get(request.socket, 'authorized') === true;
      if (!isKnown) response.writeHead(403).end();
      return !isKnown;
    },
  });
  const client = connectReports({ url: new URL(stub.url), key, name: 'stub', maxOutage: 0, tls });
  t.after(() => client.close());
  return client.describe('r');
}

/** A service of OpenSSL, which tells clients why it does not accept their certificate. */
async function startStrict(t: TestContext, version: string): Promise<string> {
  const { ca, server } = await authority();
  const own = ['-cert', server.cert, '-key', server.key, '-CAfile', ca];
  const strict = ['-Verify', '1', '-verify_return_error', version, '-www'];
  const child = spawn('openssl', ['s_server', '-accept', '127.0.0.1:0', ...own, ...strict]);
  t.after(() => child.kill());
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    const [, port] = /ACCEPT .*:(\d+)/.exec(said) ?? [];
    if (port !== undefined) return `https://127.0.0.1:${port}`;
  }
  throw new Error(`openssl does not listen: ${said}`);
}

describe('a service that requires a certificate of the client', { skip: noOpenssl }, () => {
  for (const version of ['-tls1_2', '-tls1_3'])
    it(`stops the run at once if it gets none, or that of a stranger: ${version}`, async t => {
      const url = new URL(await startStrict(t, version));
      const ca = readFileSync((await authority()).ca);
      const other = await authority('another authority');
      for (const tls of [{ ca }, { ca, ...pems(other.client) }]) {
        const client = connectReports({ url, key, name: 'strict', maxOutage: 0, tls });
        t.after(() => client.close());
        await assert.rejects(client.describe('r'), {
          kind: 'fatal',
          code: 'bad_certificate',
          hint: /--client-cert/,
        });
      }
    });
});

describe('a service with a certificate of a private authority', { skip: noOpenssl }, () => {
  it('is trusted if the authority is named', async t => {
    const { ca } = await authority();
    assert.ok(await ask(t, { ca: readFileSync(ca) }));
  });

  it('is not trusted otherwise, and is sent nothing', async t => {
    const other = await authority('another authority');
    for (const tls of [{}, { ca: readFileSync(other.ca) }])
      await assert.rejects(ask(t, tls), {
        code: 'bad_certificate',
        kind: 'fatal',
        hint: /--ca-file/,
      });
  });

  it('knows who asks by the certificate of the client', async t => {
    const own = await authority();
    const other = await authority('another authority');
    const ca = readFileSync(own.ca);
    assert.ok(await ask(t, { ca, ...pems(own.client) }, true));
    for (const tls of [{ ca }, { ca, ...pems(other.client) }])
      await assert.rejects(ask(t, tls, true), { status: 403 });
  });
});
