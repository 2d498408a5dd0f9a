import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { inspect } from 'node:util';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { readProxy } from '../../../src/client/transport/http-proxy.ts';
import { authority, noOpenssl, pems } from '../../support/certificates.ts';
import { freePort, listen } from '../../support/listen.ts';
import { type ProxyOptions, type StartedProxy, startProxy } from '../../support/proxy.ts';
import { key } from '../../support/secrets.ts';
import { reportBatch } from '../../support/stub/report-batch.ts';
import { type StubOptions, startStub } from '../../support/stub/service.ts';

const body = Buffer.from('{"id":"r","personas":[{"features":{"plan":"basic"}}]}');
const expected = { personas: 1, predictionType: undefined };
const password = 'swordfish-5f1c';

interface ProxiedOptions extends ProxyOptions, Pick<StubOptions, 'first'> {
  scheme: 'http' | 'https';
  proxyUrl?: (proxy: StartedProxy) => string;
}

/** A service, a proxy, and a client that reaches the first through the second. */
async function proxied(
  t: TestContext,
  { scheme, proxyUrl = ({ url }) => url, first, ...options }: ProxiedOptions,
) {
  const { server, ca } = await authority();
  const stub = await startStub(t, {
    ...(first && { first }),
    ...(scheme === 'https' && { tls: pems(server) }),
  });
  const proxy = await startProxy(t, options);
  const client = connectReports({
    url: new URL(stub.url),
    key,
    name: 'stub',
    maxOutage: 0,
    concurrency: 2,
    proxy: readProxy(proxyUrl(proxy)),
    ...(scheme === 'https' && { tls: { ca: readFileSync(ca) } }),
  });
  t.after(() => client.close());
  return { client, proxy, target: stub.url.replace('https://', '') };
}

/** The error of a request; it shows neither password nor key. */
async function failureOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => assert.fail('the request did not fail'),
    error => error,
  );
  const whole = inspect(error, { depth: 20, showHidden: true, maxStringLength: null });
  for (const secret of [password, key, Buffer.from(`me:${password}`).toString('base64')])
    assert.ok(!whole.includes(secret), whole);
  return error;
}

describe('an https service is reached through a tunnel of the proxy', { skip: noOpenssl }, () => {
  it('one for each connection, in which the proxy sees neither key nor rows', async t => {
    const { client, proxy, target } = await proxied(t, { scheme: 'https' });
    const batch = reportBatch('r', body, expected);
    await Promise.all([client.predict(batch), client.predict(batch)]);
    await client.predict(batch);
    assert.deepEqual(proxy.tunnels, [target, target]);
    assert.deepEqual(proxy.forwarded, []);
    assert.doesNotMatch(inspect(proxy.heard), new RegExp(key));
  });

  it('that asks for a password', async t => {
    const { client, proxy } = await proxied(t, {
      scheme: 'https',
      credentials: `me:${password}`,
      proxyUrl: ({ secretUrl }) => secretUrl,
    });
    await client.describe('r');
    assert.equal(proxy.tunnels.length, 1);
  });

  it('unless the proxy refuses it: that stops at once', async t => {
    const asked = await proxied(t, { scheme: 'https', credentials: `me:${password}` });
    const { code, kind, hint } = await failureOf(asked.client.describe('r'));
    assert.deepEqual([code, kind], ['proxy_refused', 'fatal']);
    assert.match(String(hint), /HTTPS_PROXY.*--proxy env/);
    const { client, proxy } = await proxied(t, { scheme: 'https', refuse: () => 403 });
    const refused = await failureOf(client.describe('r'));
    assert.equal(
      refused.message,
      `the proxy ${proxy.url} responded with 403, not with a connection to the service`,
    );
  });

  it('or cannot open it now: that is retried', async t => {
    const statuses = [502, 503];
    const { client, proxy } = await proxied(t, { scheme: 'https', refuse: () => statuses.shift() });
    const failure = await failureOf(client.describe('r'));
    assert.deepEqual([failure.code, failure.kind], ['service_unreachable', 'unavailable']);
    assert.equal(failure.message, `cannot connect to the service: the proxy ${proxy.url} responded with 502`);
    await client.describe('r').catch(() => client.describe('r'));
  });

  it('or is not there', async t => {
    const port = await freePort();
    const { client } = await proxied(t, { scheme: 'https', proxyUrl: () => `http://127.0.0.1:${port}` });
    const failure = await failureOf(client.describe('r'));
    assert.equal(
      failure.message,
      `cannot connect to the service: the proxy http://127.0.0.1:${port} cannot be reached: connection refused (127.0.0.1:${port})`,
    );
    assert.match(String(failure.hint), /Check the proxy/);
  });

  it('or closes the connection, or sends more than its response', async t => {
    const responses = ['', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'];
    const server = createServer(socket => {
      socket.once('data', () => socket.end(responses.shift() ?? ''));
    });
    const url = await listen(t, server);
    const { client } = await proxied(t, { scheme: 'https', proxyUrl: () => url });
    assert.match(
      String((await failureOf(client.describe('r'))).message),
      /opened no connection: socket hang up/,
    );
    assert.match(String((await failureOf(client.describe('r'))).message), /sent more than it announced/);
  });
});

describe('an http service is reached through requests that the proxy forwards', () => {
  it('with the URL of the service, and a password for the proxy only', async t => {
    const heard: unknown[] = [];
    const { client, proxy, target } = await proxied(t, {
      scheme: 'http',
      credentials: `me:${password}`,
      proxyUrl: ({ secretUrl }) => secretUrl,
      first({ headers, url }) {
        heard.push([url, headers.host, headers['proxy-authorization']]);
        return false;
      },
    });
    await client.describe('r');
    assert.deepEqual(proxy.forwarded, [`${target}/user/report/r`]);
    assert.deepEqual(proxy.tunnels, []);
    assert.deepEqual(heard, [['/user/report/r', new URL(target).host, undefined]]);
  });

  it('unless the proxy wants a password', async t => {
    const { client } = await proxied(t, { scheme: 'http', credentials: `me:${password}` });
    const { code, hint } = await failureOf(client.describe('r'));
    assert.equal(code, 'http_407');
    assert.match(String(hint), /--proxy env/);
  });

  it('and a redirect to another host is not followed', async t => {
    const { client, proxy } = await proxied(t, {
      scheme: 'http',
      first: (_, response) => !!response.writeHead(307, { location: 'http://other.example/' }).end(),
    });
    assert.equal((await failureOf(client.describe('r'))).code, 'http_307');
    assert.equal(proxy.forwarded.length, 1);
  });
});

it('the URL of a proxy may be short, and its password encoded', () => {
  assert.deepEqual(readProxy('proxy:3128'), {
    protocol: 'http:',
    hostname: 'proxy',
    port: 3128,
    secrets: [],
  });
  assert.equal(readProxy('https://proxy')?.port, 443);
  assert.equal(readProxy('http://[::1]:1')?.hostname, '::1');
  const both = Buffer.from('me:p@ss word').toString('base64');
  const { authorization, secrets } = readProxy('http://me:p%40ss%20word@proxy') ?? {};
  assert.equal(authorization, `Basic ${both}`);
  assert.deepEqual(secrets, [both, 'p%40ss%20word', 'p@ss word']);
  assert.ok(readProxy('http://me:100%@proxy'));
});
