import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Address,
  chooseService,
  type Environment,
  flagsOfAddress,
  type Given,
  serviceFiles,
} from '../../../src/library/service/choose-service.ts';

const url = 'https://example.com';
const defined = { url: 'https://defined', 'api-key-env': 'ROWCAST_MINE' };

const choose = (flags: Given['flags'], where: Given['flags'] = {}, env: Environment = {}): Address =>
  chooseService({ flags, env, defined: where });
const noKey = { kind: 'remote', url, key: undefined, allowHttp: false, auth: 'none' };

describe('a service without a key', () => {
  it('needs no key, and gets none', () => {
    assert.deepEqual(choose({ url, auth: 'none' }, {}, { ROWCAST_API_KEY: 'k' }), noKey);
    assert.deepEqual(choose({}, { url, auth: 'none' }), noKey);
    // The key of ROWCAST_URL would not be sent anyway.
    assert.deepEqual(choose({ url, auth: 'none' }, {}, { ROWCAST_URL: 'https://from.env' }), noKey);
  });

  it('is not given the name of one', () => {
    for (const named of [{ 'api-key-env': 'ROWCAST_MINE' }, { 'api-key-file': 'f' }]) {
      assert.throws(() => choose({ url, auth: 'none', ...named }), { code: 'usage' });
      assert.throws(() => choose({}, { url, auth: 'none', ...named }), { code: 'usage' });
    }
  });
});

describe('how the key is sent', () => {
  it('may be said by a flag, wherever the URL comes from', () => {
    for (const address of [
      choose({ url, auth: 'bearer' }),
      choose({ auth: 'bearer' }, defined),
      choose({ url }, { ...defined, auth: 'bearer' }),
    ])
      assert.equal(address.kind === 'remote' && address.auth, 'bearer');
  });
});

describe('headers from variables', () => {
  const headersOf = (address: Address): unknown => address.kind === 'remote' && address.headers;
  const map = { 'X-Token': 'ROWCAST_TOKEN' };

  it('come from where the URL comes from', () => {
    assert.deepEqual(headersOf(choose({ url, 'header-env': 'X-Token=ROWCAST_TOKEN' })), {
      'x-token': 'ROWCAST_TOKEN',
    });
    assert.deepEqual(headersOf(choose({}, { ...defined, 'header-env': map })), {
      'x-token': 'ROWCAST_TOKEN',
    });
    assert.equal(headersOf(choose({ url }, { ...defined, 'header-env': map })), undefined);
    assert.throws(() => choose({ 'header-env': 'X-Token=ROWCAST_TOKEN' }, defined), {
      code: 'usage',
      message: '--header-env does not apply to the url of a definition',
    });
  });

  it('have variables whose names begin with ROWCAST_; in a definition, none with a secret of a command', () => {
    for (const name of ['HOME', 'AWS_SECRET_ACCESS_KEY', '', 'ROWCAST_x'])
      assert.throws(() => choose({ url, 'header-env': { 'X-Token': name } }), { code: 'bad_option' }, name);
    assert.ok(headersOf(choose({ url, 'header-env': { 'X-Token': 'ROWCAST_API_KEY' } })));
    for (const name of ['ROWCAST_API_KEY', 'ROWCAST_QUEUE'])
      assert.throws(() => choose({}, { ...defined, 'header-env': { 'X-Token': name } }), {
        code: 'bad_option',
      });
    assert.throws(() => choose({}, { url, 'api-key-env': 'ROWCAST_QUEUE' }), { code: 'no_key' });
  });

  it('have names that a request may have, each once', () => {
    const refused = (headers: Record<string, string>, message: RegExp, auth = 'apikey') =>
      assert.throws(() => choose({ url, auth, 'header-env': headers }), { code: 'bad_option', message });
    refused({ Host: 'ROWCAST_A' }, /^--header-env: "Host" is a header that rowcast writes itself/);
    refused({ authorization: 'ROWCAST_A' }, /--auth none/);
    refused({ 'X-A': 'ROWCAST_A', 'x-a': 'ROWCAST_B' }, /x-a is given twice/);
    assert.ok(choose({ url, auth: 'none', 'header-env': { Authorization: 'ROWCAST_A' } }));
  });
});

describe('certificates', () => {
  const pair = { 'client-cert': 'c.pem', 'client-key': 'k.pem' };
  const tlsOf = (address: Address): unknown => address.kind === 'remote' && address.tls;

  it('of the client come from where the URL comes from', () => {
    const client = { cert: 'c.pem', key: 'k.pem' };
    assert.deepEqual(tlsOf(choose({ url, ...pair })), { client });
    assert.deepEqual(tlsOf(choose({}, { ...defined, ...pair })), { client });
    assert.equal(tlsOf(choose({ url }, { ...defined, ...pair })), undefined);
    assert.throws(() => choose(pair, defined), { code: 'usage' });
  });

  it('and keys are given together', () => {
    for (const [name, file] of Object.entries(pair))
      assert.throws(() => choose({ url, [name]: file }), { code: 'usage', message: /given together/ });
  });

  it('are files that a command must not overwrite', () => {
    const flags = { url, ...pair, 'ca-file': 'ca.pem', 'api-key-file': 'f' };
    assert.deepEqual(
      serviceFiles({ flags, env: {} }).map(({ at }) => at),
      ['f', 'c.pem', 'k.pem', 'ca.pem'],
    );
  });
});

describe('the authority and the proxy of a service', () => {
  const reached = (address: Address): unknown =>
    address.kind === 'remote' && [address.tls?.ca, address.proxy];

  it('may be given by flags, wherever the URL comes from', () => {
    const flags = { 'ca-file': 'mine.pem', proxy: 'env' };
    assert.deepEqual(reached(choose({ url, ...flags })), ['mine.pem', 'env']);
    assert.deepEqual(reached(choose(flags, { ...defined, 'ca-file': 'its.pem', proxy: 'none' })), [
      'mine.pem',
      'env',
    ]);
  });

  it('that a definition names are for its own URL: with them, others could read what another service is sent', () => {
    const own = { ...defined, 'ca-file': 'its.pem', proxy: 'http://proxy:3128' };
    assert.deepEqual(reached(choose({}, own)), ['its.pem', 'http://proxy:3128']);
    const { url: _, ...withoutUrl } = own;
    for (const other of [own, withoutUrl]) {
      assert.deepEqual(reached(choose({ url }, other)), [undefined, undefined]);
      assert.deepEqual(reached(choose({}, other, { ROWCAST_URL: url })), [undefined, undefined]);
    }
  });

  it('is refused if it is no proxy, or has a password, which is not shown', () => {
    for (const proxy of [
      'socks5://host:1',
      'ftp://host',
      'http://',
      'http://host/path',
      'http://host?q',
      'yes no',
    ])
      assert.throws(() => choose({ url, proxy }), { code: 'bad_option' }, proxy);
    for (const proxy of ['http://me:swordfish@host:1', 'swordfish@host:1', 'me:swordfish@host:1'])
      assert.throws(() => choose({ url, proxy }), {
        code: 'bad_option',
        message: /^(?!.*swordfish).*user info is refused/,
      });
    for (const proxy of ['host:3128', 'http://[::1]:3128', 'https://host'])
      assert.deepEqual(reached(choose({ url, proxy })), [undefined, proxy]);
  });
});

it('another command is given the same access, without a secret', () => {
  const flags = {
    url,
    'api-key-file': 'f',
    auth: 'bearer',
    'header-env': { 'X-A': 'ROWCAST_A', 'X-B': 'ROWCAST_B' },
    'client-cert': 'c.pem',
    'client-key': 'k.pem',
    'ca-file': 'ca.pem',
    proxy: 'http://proxy:3128',
  };
  const address = choose(flags);
  const words = flagsOfAddress(address, {});
  assert.deepEqual(words, [
    ...['--url', url, '--api-key-file', 'f', '--auth', 'bearer'],
    ...['--header-env', 'x-a=ROWCAST_A,x-b=ROWCAST_B'],
    ...'--client-cert c.pem --client-key k.pem --ca-file ca.pem --proxy http://proxy:3128'.split(' '),
  ]);
  const again = words.flatMap((word, at) => (at % 2 === 0 ? [[word.slice(2), words[at + 1]]] : []));
  assert.deepEqual(choose(Object.fromEntries(again)), address);
});
