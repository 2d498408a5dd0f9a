import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { listen } from '../support/listen.ts';
import { key } from '../support/secrets.ts';
import { type StubOptions, startStub } from '../support/stub/service.ts';

const stdin = 'id,plan\n1,basic\n';

/** A server on a different host than the stub, which must not receive anything, not even a connection. */
async function startOther(t: TestContext, host = '127.0.0.2'): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(socket => {
    heard.push('a connection');
    socket.on('data', data => {
      heard.push(data.toString('latin1'));
      socket.end('HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n');
    });
  });
  return { url: await listen(t, server, host), heard };
}

async function stubOf(t: TestContext, options: StubOptions = {}): Promise<string> {
  const stub = await startStub(t, options);
  return stub.url;
}

describe('the key does not follow a redirect', {
  skip: process.platform !== 'linux' && 'one loopback host only',
}, () => {
  for (const asked of ['report', 'batch-persona'])
    it(`of ${asked}: the run stops with an error`, async t => {
      const other = await startOther(t);
      for (const status of [301, 302, 303, 307, 308]) {
        const url = await stubOf(t, {
          first(request, response) {
            if (!request.url?.startsWith(`/user/${asked}`)) return false;
            response.writeHead(status, { location: `${other.url}${request.url}` }).end();
            return true;
          },
        });
        const { stderr, stdout } = await exits(
          rowcast(['score', '--report', 'r', '--url', url], {
            env: { ROWCAST_API_KEY: key },
            stdin,
          }),
          2,
        );
        assert.match(
          stderr,
          new RegExp(`responded with ${status} \\[http_${status}\\]\\n.*Redirects are not followed`),
        );
        assert.equal(stdout.length, 0);
      }
      assert.deepEqual(other.heard, []);
    });
});

describe('the key, over plain http,', () => {
  it('is sent only to this machine, unless the user allows it', async t => {
    // Not a loopback address by its name, but one that leads to this machine.
    const url = (await stubOf(t)).replace('127.0.0.1', '0.0.0.0');
    const score = ['score', '--report', 'r', '--url', url];
    const env = { ROWCAST_API_KEY: key };
    await exits(
      rowcast(score, { env, stdin }),
      2,
      /the API key would be sent unencrypted to http:\/\/0\.0\.0\.0:\d+ \[insecure_url\]/,
    );
    await exits(rowcast([...score, '--allow-http'], { env, stdin }), 0);
  });

  it('is never sent through a proxy from the environment, whose credentials are not shown either', async t => {
    const proxy = await startOther(t, '127.0.0.1');
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const { stderr } = await exits(
      rowcast(['score', '--report', 'r', '--url', await stubOf(t)], {
        env: {
          ROWCAST_API_KEY: key,
          ...Object.fromEntries(names.map(name => [name, proxy.url.replace('//', '//user:proxy-secret@')])),
        },
        stdin,
      }),
      0,
    );
    assert.deepEqual(proxy.heard, []);
    assert.doesNotMatch(stderr, /proxy-secret/);
  });
});

describe('a URL that contains a key', { concurrency: 2 }, () => {
  const urls = [
    `https://user:${key}@example.com`,
    `https://${key}@example.com/api`,
    `https://example.com/?key=${key}`,
    `https://example.com/#${key}`,
    `ftp://user:${key}@example.com`,
    `https://user:${key}@[example`,
  ];
  for (const url of urls)
    it(`is refused and not shown: ${url.replace(key, 'KEY')}`, async t => {
      const folder = await newFolder(t);
      const definition = join(folder, 'definition-with-key');
      const service = { url, 'api-key-env': 'ROWCAST_MINE' };
      await writeFile(definition, JSON.stringify({ service, score: { report: 'r', input: '-' } }));
      const env = { ROWCAST_API_KEY: 'of-another-service', ROWCAST_MINE: 'of-another-service' };
      const files = ['-o', join(folder, 'out.csv'), '--summary', join(folder, 'summary.json')];
      for (const [args, more] of [
        [['score', '--report', 'r', '--url', url, ...files], {}],
        [['score', '--report', 'r', '--log-format', 'json', ...files], { ROWCAST_URL: url }],
        [['report', 'r', '--url', url], {}],
        [['run', definition, '--trust-definition'], {}],
      ] as const) {
        const { stdout } = await exits(
          rowcast(args, { env: { ...env, ...more }, stdin }),
          2,
          /\[bad_url\]\n|"code":"bad_url"/,
        );
        assert.ok(!stdout.includes(key));
      }
    });
});

describe('the environment’s key', () => {
  it('is not sent to the URL of a definition, which must name its own key', async t => {
    const other = await startOther(t, '127.0.0.1');
    const folder = await newFolder(t);
    const definition = join(folder, 'run.yaml');
    const run = async (more: object): Promise<string> => {
      await writeFile(
        definition,
        JSON.stringify({ service: { url: other.url, ...more }, score: { report: 'r', input: '-' } }),
      );
      const env = { ROWCAST_API_KEY: key, SECRET_KEY: 'a-secret-of-others' };
      const { stderr } = await exits(
        rowcast(['run', definition, '--trust-definition'], {
          cwd: folder,
          env,
          stdin,
        }),
        2,
      );
      return stderr;
    };
    for (const more of [{}, { 'api-key-env': 'ROWCAST_API_KEY' }, { 'api-key-env': 'SECRET_KEY' }])
      assert.match(await run(more), /a definition with a url must also name its key \[no_key\]/);
    assert.match(await run({ 'api-key-env': 'ROWCAST_NONE' }), /no API key in the variable ROWCAST_NONE/);
    assert.match(
      await run({ 'api-key-file': 'none' }),
      /cannot read the API key: no such file or directory \(ENOENT\)/,
    );
    assert.deepEqual(other.heard, []);
  });

  it('is used with ROWCAST_URL, which overrides the URL of a definition; its key is not used then', async t => {
    const other = await startOther(t, '127.0.0.1');
    const folder = await newFolder(t);
    const definition = join(folder, 'run.yaml');
    const service = { url: other.url, 'api-key-env': 'ROWCAST_CRM_KEY' };
    await writeFile(definition, JSON.stringify({ service, score: { report: 'r', input: '-' } }));
    const url = await stubOf(t);
    const run = (env: Record<string, string>, ...flags: string[]) =>
      rowcast(['run', definition, ...flags], { cwd: folder, env, stdin });
    const ofDefinition = { ROWCAST_CRM_KEY: 'crm-key-12345' };
    await exits(run({ ...ofDefinition, ROWCAST_URL: url, ROWCAST_API_KEY: key }), 0);
    assert.equal((await run({ ...ofDefinition, ROWCAST_API_KEY: key }, '--url', url)).code, 0);
    for (const wrong of [
      await run({ ...ofDefinition, ROWCAST_URL: url }),
      await run(ofDefinition, '--url', url),
    ])
      assert.match(wrong.stderr, /no API key in the variable ROWCAST_API_KEY/);
    assert.deepEqual(other.heard, []);
  });

  it('cannot be replaced by an option: keys must not appear in argv', async t => {
    const { stderr } = await exits(
      rowcast(['score', '--report', 'r', '--url', await stubOf(t), '--api-key', 'typed-key-12345'], {
        env: { ROWCAST_API_KEY: key },
        stdin,
      }),
      2,
    );
    assert.doesNotMatch(stderr, /typed-key/);
  });
});
