import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import {
  type Address,
  chooseService,
  type Environment,
  flagsOfAddress,
  type Given,
  homeOf,
  type KeySource,
  type RemoteAddress,
} from '../../../src/library/service/choose-service.ts';
import { openClient, thenClosed } from '../../../src/library/service/open-predictor.ts';
import { newFolder } from '../../support/folder.ts';
import { key as stubKey } from '../../support/secrets.ts';
import { connect } from '../../support/stub/connect.ts';

const url = 'https://example.com';

const choose = (flags: Given['flags'], env: Environment, defined: Given['flags'] = {}): Address =>
  chooseService({ flags, env, defined });
const nameOf = (key: KeySource | undefined): string | undefined => {
  if (key?.kind === 'cloud') return key.auth;
  return key?.kind === 'file' ? key.path : key?.name;
};
const keyOf = (address: Address): string | undefined =>
  address.kind === 'remote' ? `${address.url} ${nameOf(address.key)}` : undefined;

describe('the service that is used', () => {
  it('is the local one on ROWCAST_HOME if there is no URL', () => {
    assert.deepEqual(choose({}, {}), { kind: 'local', home: resolve('.rowcast') });
    const env = { ROWCAST_URL: '', ROWCAST_HOME: '/some/where', ROWCAST_API_KEY: 'k' };
    assert.deepEqual(choose({}, env), { kind: 'local', home: '/some/where' });
  });

  it('is the local one with --url local, even if ROWCAST_URL is set', () => {
    const env = { ROWCAST_URL: 'https://from.env', ROWCAST_HOME: '/some/where' };
    assert.deepEqual(choose({ url: 'local' }, env), { kind: 'local', home: '/some/where' });
    assert.deepEqual(choose({}, {}, { url: 'local', home: '/models' }), { kind: 'local', home: '/models' });
  });

  it('takes its reports from --home, else ROWCAST_HOME, else the definition, else .rowcast', () => {
    const [flags, env, defined] = [{ home: '/flag' }, { ROWCAST_HOME: '/env' }, { home: '/defined' }];
    assert.equal(homeOf({ flags, env, defined }), '/flag');
    assert.equal(homeOf({ flags: {}, env, defined }), '/env');
    assert.equal(homeOf({ flags: {}, env: {}, defined }), '/defined');
    assert.equal(homeOf({ flags: {}, env: { ROWCAST_HOME: '' } }), resolve('.rowcast'));
  });

  it('is the one of --url, else of ROWCAST_URL, else of the definition', () => {
    const env = { ROWCAST_URL: 'https://from.env' };
    const defined = { url: 'https://defined', 'api-key-env': 'ROWCAST_MINE' };
    const flags = { url, 'api-key-file': 'f' };
    assert.equal(keyOf(choose(flags, env, defined)), `${url} f`);
    assert.equal(keyOf(choose({}, env, defined)), 'https://from.env ROWCAST_API_KEY');
    assert.equal(keyOf(choose({}, {}, defined)), 'https://defined ROWCAST_MINE');
    assert.equal(keyOf(choose({}, {}, { ...defined, 'api-key-file': 'g' })), 'https://defined g');
  });

  it('does not receive the key of the definition, unless its URL is the definition’s', () => {
    for (const defined of [
      { url: 'https://defined', 'api-key-file': 'g' },
      { url: 'https://defined', 'api-key-env': 'ROWCAST_MINE', 'allow-http': true },
      { 'api-key-env': 'ROWCAST_MINE', 'allow-http': true },
    ]) {
      const key = { kind: 'environment', name: 'ROWCAST_API_KEY' };
      const remote = { kind: 'remote', url, key, allowHttp: false };
      assert.deepEqual(choose({ url }, {}, defined), remote);
      assert.deepEqual(choose({}, { ROWCAST_URL: url }, defined), remote);
    }
  });

  it('does not receive a key of the command line or the environment, if its URL is the definition’s', () => {
    assert.throws(() => choose({}, {}, { url }), {
      code: 'no_key',
      severity: 'refused',
      hint: /api-key-env/,
    });
    // Naming the variable does not make its key the definition's own.
    for (const name of ['ROWCAST_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'HOME'])
      assert.throws(() => choose({}, {}, { url, 'api-key-env': name }), { code: 'no_key' });
    const defined = { url, 'api-key-env': 'ROWCAST_MINE' };
    for (const flags of [{ 'api-key-file': 'f' }, { 'api-key-env': 'ROWCAST_X' }, { 'allow-http': true }])
      assert.throws(() => choose(flags, {}, defined), { code: 'usage', hint: /^Give --url too/ });
  });

  it('receives the key that the command line names, else the one of the environment', () => {
    const env = { ROWCAST_URL: url };
    for (const [flags, where] of [
      [{ url }, {}],
      [{}, env],
    ] as const) {
      assert.equal(keyOf(choose(flags, where)), `${url} ROWCAST_API_KEY`);
      assert.equal(keyOf(choose({ ...flags, 'api-key-file': 'f' }, where)), `${url} f`);
      assert.equal(keyOf(choose({ ...flags, 'api-key-env': 'ROWCAST_X' }, where)), `${url} ROWCAST_X`);
      assert.throws(() => choose({ ...flags, 'api-key-env': 'HOME' }, where), { code: 'bad_option' });
    }
  });

  it('does not receive the key of ROWCAST_URL, if that is another service', () => {
    const env = { ROWCAST_URL: 'https://from.env/api' };
    assert.throws(() => choose({ url }, env), { code: 'no_key', hint: /--api-key-file/ });
    assert.equal(keyOf(choose({ url, 'api-key-file': 'f' }, env)), `${url} f`);
    const same = 'https://from.env/other';
    assert.equal(keyOf(choose({ url: same }, env)), `${same} ROWCAST_API_KEY`);
    assert.equal(keyOf(choose({ url }, { ROWCAST_URL: 'local' })), `${url} ROWCAST_API_KEY`);
    assert.throws(() => chooseService({ flags: { url }, env: {}, keyUrl: 'https://from.env' }), {
      code: 'no_key',
    });
  });

  it('is the same in a command that is suggested', () => {
    const env = { ROWCAST_URL: 'https://from.env' };
    assert.deepEqual(flagsOfAddress(choose({}, env), env), []);
    assert.deepEqual(flagsOfAddress(choose({}, {}, { url, 'api-key-env': 'ROWCAST_MINE' }), {}), [
      ...['--url', url, '--api-key-env', 'ROWCAST_MINE'],
    ]);
    const flags = { url, 'api-key-file': 'f', 'allow-http': true };
    assert.deepEqual(flagsOfAddress(choose(flags, env), env), [
      ...['--url', url, '--api-key-file', 'f', '--allow-http'],
    ]);
    assert.deepEqual(flagsOfAddress(choose({ home: '/models' }, {}), {}), ['--home', '/models']);
  });
});

describe('a client', () => {
  const values = { timeout: 5 };
  const reportOf = (address: Omit<RemoteAddress, 'allowHttp'>, env: Environment = {}): Promise<unknown> =>
    thenClosed(openClient({ ...address, allowHttp: false }, reportProtocol(), { ...values, env }), client =>
      client.describe('r'),
    );

  const stubUrl = async (t: TestContext): Promise<string> => (await connect(t)).stub.url;

  it('reads its key from a variable or a file, and trims white space', async t => {
    const file = join(await newFolder(t), 'key');
    await writeFile(file, ` ${stubKey}\r\n`);
    const url = await stubUrl(t);
    assert.ok(await reportOf({ kind: 'remote', url, key: { kind: 'file', path: file } }));
    const key = { kind: 'environment', name: 'ROWCAST_MINE' } as const;
    assert.ok(await reportOf({ kind: 'remote', url, key }, { ROWCAST_MINE: stubKey }));
    await assert.rejects(reportOf({ kind: 'remote', url, key }, { ROWCAST_MINE: 'other' }), {
      code: 'unauthorized',
    });
  });

  it('is refused without a key; the message says where it looked, not what it found', async t => {
    const folder = await newFolder(t);
    const file = join(folder, 'key');
    const url = await stubUrl(t);
    const variable = { kind: 'environment', name: 'ROWCAST_MINE' } as const;
    for (const found of [undefined, '', ' \n', 'two words', 'sécret', 'a\nb'])
      await assert.rejects(reportOf({ kind: 'remote', url, key: variable }, { ROWCAST_MINE: found }), {
        code: 'no_key',
        severity: 'refused',
        message: 'no API key in the variable ROWCAST_MINE',
        hint: 'Set ROWCAST_MINE.',
      });
    await writeFile(file, 'two words');
    await assert.rejects(reportOf({ kind: 'remote', url, key: { kind: 'file', path: file } }), {
      code: 'no_key',
      message: `no API key in ${file}`,
    });
    const path = join(folder, 'none');
    await assert.rejects(reportOf({ kind: 'remote', url, key: { kind: 'file', path } }), {
      code: 'no_key',
      location: { file: path },
    });
  });

  it('does not send a key to another host over plain http', async () => {
    const key = { kind: 'environment', name: 'ROWCAST_MINE' } as const;
    await assert.rejects(
      reportOf({ kind: 'remote', url: 'http://example.com', key }, { ROWCAST_MINE: 'k' }),
      {
        code: 'insecure_url',
      },
    );
  });
});
