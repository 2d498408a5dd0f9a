import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { Client, type ClientOptions } from '../../../src/library/scorers/client.ts';
import { authority, noOpenssl, pems } from '../../support/certificates.ts';
import { startProxy } from '../../support/proxy.ts';
import { key } from '../../support/secrets.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

const url = 'https://127.0.0.1:9';

/** What a client of a stub gets. */
async function ask(
  t: TestContext,
  stubOptions: StubOptions,
  options: Omit<ClientOptions, 'url'>,
): Promise<unknown> {
  const stub = await startStub(t, stubOptions);
  const client = new Client({ url: stub.url, maxOutage: 0, ...options });
  t.after(() => client.close());
  return client.report('r');
}

describe('a Client', () => {
  it('sends its key as its service wants it, or none, and more headers', async t => {
    const bearer: StubOptions = { accepts: ({ headers }) => headers.authorization === `Bearer ${key}` };
    assert.ok(await ask(t, bearer, { key, auth: 'bearer' }));
    await assert.rejects(ask(t, bearer, { key }), { status: 401 });
    const accepts: StubOptions['accepts'] = ({ headers }) =>
      headers.authorization === 'Basic bWU6cHc=' && headers['x-token'] === 'a b';
    assert.ok(
      await ask(
        t,
        { accepts },
        { auth: 'none', headers: { Authorization: 'Basic bWU6cHc=', 'X-Token': 'a b' } },
      ),
    );
  });

  it('has certificates, and a proxy', { skip: noOpenssl }, async t => {
    const { ca, server, client } = await authority();
    const own = await readFile(ca);
    const proxy = await startProxy(t);
    const tls = { ...pems(server), ca: own, requestCert: true };
    assert.ok(await ask(t, { tls }, { key, tls: { ca: own, ...pems(client) }, proxy: proxy.url }));
    assert.equal(proxy.tunnels.length, 1);
  });

  it('is refused with a wrong one of them; no message has a secret', async () => {
    const { client } = noOpenssl ? { client: undefined } : await authority();
    const wrong: [object, string][] = [
      [{ auth: 'none' }, 'bad_option'],
      [{ auth: 'basic' }, 'bad_option'],
      [{ headers: { Host: 'a-secret-value' } }, 'bad_option'],
      [{ headers: { 'X-Token': 'a-secret-value\n' } }, 'bad_option'],
      [{ headers: { 'X-Token': 1 } }, 'bad_option'],
      [{ headers: 'a-secret-value' }, 'bad_option'],
      [{ tls: 'a-secret-value' }, 'bad_option'],
      [{ tls: { ca: 'a-secret-value' } }, 'bad_certificate'],
      [{ tls: { key: 'a-secret-value' } }, 'bad_option'],
      [{ url: 'http://127.0.0.1:9', tls: {} }, 'bad_option'],
      [{ proxy: 'http://me:a-secret-value@proxy' }, 'bad_option'],
      [{ proxy: 'ftp://proxy' }, 'bad_option'],
    ];
    if (client !== undefined)
      wrong.push([{ tls: { ...pems(client), key: 'a-secret-value' } }, 'bad_certificate']);
    for (const [options, code] of wrong)
      assert.throws(() => new Client({ url, key, ...options }), {
        code,
        message: /^(?!.*(a-secret-value|test-key))/,
      });
  });
});
