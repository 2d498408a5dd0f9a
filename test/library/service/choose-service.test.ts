import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  type Address,
  chooseService,
  type Environment,
  homeOf,
  type RemoteAddress,
} from '../../../src/library/service/choose-service.ts';
import { withClient } from '../../../src/library/service/with-client.ts';
import { newFolder } from '../../support/folder.ts';
import { key as stubKey } from '../../support/secrets.ts';
import { connect } from '../../support/stub/connect.ts';

const none = { url: undefined, apiKeyFile: undefined, apiKeyEnv: undefined };
const url = 'https://example.com';

const choose = (values: Parameters<typeof chooseService>[0], urlIsFlag: boolean, env: Environment): Address =>
  chooseService(values, urlIsFlag, { env, home: homeOf({ flags: {}, env }) });

describe('the service that is used', () => {
  it('is the embedded one on ROWCAST_HOME if there is no URL', () => {
    assert.deepEqual(choose(none, false, {}), { kind: 'local', home: resolve('.rowcast') });
    const env = { ROWCAST_URL: '', ROWCAST_HOME: '/some/where', ROWCAST_API_KEY: 'k' };
    assert.deepEqual(choose(none, false, env), { kind: 'local', home: '/some/where' });
  });

  it('is the embedded one with --url local, even if ROWCAST_URL is set', () => {
    const env = { ROWCAST_URL: 'https://from.env', ROWCAST_HOME: '/some/where' };
    for (const urlIsFlag of [true, false])
      assert.deepEqual(choose({ ...none, url: 'local' }, urlIsFlag, env), {
        kind: 'local',
        home: '/some/where',
      });
  });

  it('takes its reports from --home, else ROWCAST_HOME, else the definition, else .rowcast', () => {
    const [flags, env, defined] = [{ home: '/flag' }, { ROWCAST_HOME: '/env' }, { home: '/defined' }];
    assert.equal(homeOf({ flags, env }, defined), '/flag');
    assert.equal(homeOf({ flags: {}, env }, defined), '/env');
    assert.equal(homeOf({ flags: {}, env: {} }, defined), '/defined');
    assert.equal(homeOf({ flags: {}, env: { ROWCAST_HOME: '' } }), resolve('.rowcast'));
  });

  it('is the one of --url, else of the definition, else of ROWCAST_URL', () => {
    const env = { ROWCAST_URL: 'https://from.env' };
    const urlOf = (address: Address): string | undefined =>
      address.kind === 'remote' ? address.url : undefined;
    assert.equal(urlOf(choose({ ...none, url }, true, env)), url);
    assert.equal(urlOf(choose({ ...none, url, apiKeyEnv: 'ROWCAST_X' }, false, env)), url);
    assert.equal(urlOf(choose(none, false, env)), 'https://from.env');
  });

  it('receives the environment’s key only if its URL comes from a flag or the environment', () => {
    const key = { kind: 'environment', name: 'ROWCAST_API_KEY' };
    const env = { ROWCAST_URL: url, ROWCAST_API_KEY: 'k' };
    assert.deepEqual(choose({ ...none, url }, true, {}), { kind: 'remote', url, key });
    assert.deepEqual(choose(none, false, env), { kind: 'remote', url, key });
    assert.throws(() => choose({ ...none, url }, false, env), {
      code: 'no_key',
      severity: 'refused',
      hint: /api-key-env/,
    });
    // Naming the variable does not make its key the definition's own.
    for (const apiKeyEnv of ['ROWCAST_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'HOME'])
      assert.throws(() => choose({ ...none, url, apiKeyEnv }, false, env), { code: 'no_key' });
    assert.throws(() => choose({ ...none, url, apiKeyEnv: 'ROWCAST_API_KEY' }, false, env), {
      code: 'no_key',
    });
  });

  it('receives the key that the definition or a flag names along with the URL', () => {
    assert.deepEqual(choose({ ...none, url, apiKeyEnv: 'ROWCAST_MINE' }, false, {}), {
      kind: 'remote',
      url,
      key: { kind: 'environment', name: 'ROWCAST_MINE' },
    });
    assert.deepEqual(choose({ url, apiKeyFile: 'f', apiKeyEnv: 'ROWCAST_MINE' }, false, {}), {
      kind: 'remote',
      url,
      key: { kind: 'file', path: 'f' },
    });
  });
});

describe('a client', () => {
  const values = { allowHttp: false, timeout: 5 };
  const reportOf = (address: RemoteAddress, env: Environment = {}): Promise<unknown> =>
    withClient(address, { values, env }, client => client.report('r'));

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
        hint: 'Set ROWCAST_MINE, which the definition names.',
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
