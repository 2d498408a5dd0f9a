import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type CloudKey, Credentials, headerFault, type Key, Secrets } from '../../src/client/credentials.ts';

describe('the credentials of a request', () => {
  it('are the key as its service wants it, and more headers', () => {
    const headers = { 'x-token': 'a-token' };
    assert.deepEqual(new Credentials({ auth: 'apikey', key: 'k', headers }).headers, {
      authorization: 'ApiKey k',
      'x-token': 'a-token',
    });
    assert.deepEqual(new Credentials({ auth: 'bearer', key: 'k' }).headers, { authorization: 'Bearer k' });
  });

  it('have no key if none is sent', () => {
    for (const key of ['k', undefined]) {
      const { headers, key: sent } = new Credentials({
        auth: 'none',
        key,
        headers: { authorization: 'Basic x' },
      });
      assert.deepEqual([headers, sent], [{ authorization: 'Basic x' }, undefined]);
    }
  });

  it('have the key of now, and keep those before it secret', () => {
    let now = 'first-key';
    const key: Key = { current: () => now, isReplaced: async refused => refused !== now };
    const credentials = new Credentials({
      auth: 'bearer',
      key,
      headers: { 'x-token': 'a"token' },
      ofProxy: ['a-password'],
    });
    assert.equal(credentials.headers.authorization, 'Bearer first-key');
    now = 'second-key';
    assert.equal(credentials.headers.authorization, 'Bearer second-key');
    for (const secret of ['first-key', 'second-key', 'a"token', 'a\\"token', 'a-password'])
      assert.ok(credentials.secrets.areIn(`it says ${secret}!`), secret);
    assert.ok(!credentials.secrets.areIn('it says nothing'));
  });

  it('of a cloud are those of the request, also of an upload, and are secret', async () => {
    let token = '';
    const key: CloudKey = {
      current: () => token,
      isReplaced: async () => false,
      async headersFor({ path }) {
        token = 'token-of-cloud';
        return { authorization: `Bearer ${token} ${path}` };
      },
    };
    const credentials = new Credentials({ auth: 'google', key, headers: { 'x-token': 'a-token' } });
    const upload = { method: 'POST', path: '/a', type: 'text/csv', body: Readable.from(['a']) };
    assert.deepEqual(await credentials.headersFor(upload), {
      authorization: 'Bearer token-of-cloud /a',
      'x-token': 'a-token',
    });
    assert.ok(credentials.areOfRequest && credentials.secrets.areIn('it says token-of-cloud!'));
    assert.ok(!credentials.secrets.areIn('it says nothing'));
  });

  it('do not hide every text because the value of a header is short', () => {
    const { secrets } = new Credentials({ auth: 'none', key: undefined, headers: { 'x-version': '2' } });
    assert.ok(!secrets.areIn('2 rows'));
  });
});

describe('a header that is added to all requests', () => {
  it('has the name of a header', () => {
    for (const name of ['X-Token', 'Ocp-Apim-Subscription-Key', 'cookie', "!#$%&'*+-.^_`|~"])
      assert.equal(headerFault(name, 'apikey'), undefined, name);
    for (const name of ['', 'two words', 'x:', 'ümlaut', 'x\r\ny', '"x"'])
      assert.match(headerFault(name, 'apikey') ?? '', /not the name/, name);
  });

  it('is none that a request, a connection or a proxy needs', () => {
    for (const name of [
      'Host',
      'content-type',
      'Content-Encoding',
      'TE',
      'Proxy-Authorization',
      'Traceparent',
      'x-request-ID',
    ])
      assert.match(headerFault(name, 'none') ?? '', /writes itself/, name);
  });

  it('is that of the key only if no key is sent', () => {
    for (const auth of ['apikey', 'bearer'] as const)
      assert.match(headerFault('Authorization', auth) ?? '', /--auth none/);
    assert.equal(headerFault('Authorization', 'none'), undefined);
  });
});

describe('a secret', () => {
  const key = 'Kq7/x+"9vT\\2mWz-8LpRb4Ne';
  const secrets = new Secrets();
  secrets.addKey(key);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('is found in a text, in part, and in each form in which a service may write it', () => {
    for (const text of [
      key,
      key.toUpperCase(),
      key.slice(0, 12),
      key.slice(-9),
      JSON.stringify({ key }),
      encodeURIComponent(key),
      Buffer.from(key).toString('hex').toUpperCase(),
      base64(key),
      base64(`user:${key}`),
      base64(`u:${key}`),
      base64(`us:${key}`),
      Buffer.from(`u:${key}`).toString('base64url'),
    ])
      assert.ok(secrets.areIn(`wrong key ${text}, try again`), text);
  });

  it('is not found in other texts', () => {
    for (const text of ['', 'wrong key', key.slice(0, 7), 'the column "tenure" is not a number: Kq7/x'])
      assert.ok(!secrets.areIn(text), text);
  });

  it('that is short counts as a whole, and the value of a header only from four characters on', () => {
    const short = new Secrets();
    short.addKey('abc');
    short.addValue('xyz');
    assert.deepEqual([short.areIn('x abc y'), short.areIn('xyz'), short.areIn('ab')], [true, false, false]);
  });
});
