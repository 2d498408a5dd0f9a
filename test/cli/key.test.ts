import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { listen } from '../support/listen.ts';
import { key } from '../support/secrets.ts';
import { startStub } from '../support/stub/service.ts';

const stdin = 'id,plan\n1,basic\n';

/** A server besides the stub, which must not receive anything, not even a connection. */
async function startOther(t: TestContext): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(socket => {
    heard.push('a connection');
    socket.on('data', data => {
      heard.push(data.toString('latin1'));
      socket.end('HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n');
    });
  });
  return { url: await listen(t, server), heard };
}

/** The URL of a service, and commands that have its key, and get a row. */
async function bench(t: TestContext) {
  const { url } = await startStub(t);
  const { write, ...commands } = await commandsIn(t);
  const run = (line: string, env: Record<string, string> = { ROWCAST_API_KEY: key }) =>
    commands.run(line, { env, stdin });
  return { url, write, run, score: `score --report r --url ${url}` };
}

describe('the key, over plain http,', () => {
  it('is sent only to this machine, unless the user allows it', async t => {
    const { run, score } = await bench(t);
    // Not a loopback address by its name, but one that leads to this machine.
    const elsewhere = score.replace('127.0.0.1', '0.0.0.0');
    const says = /the API key would be sent unencrypted to http:\/\/0\.0\.0\.0:\d+ \[insecure_url\]/;
    await exits(run(elsewhere), 2, says);
    await exits(run(`${elsewhere} --allow-http`), 0);
  });

  it('is never sent through a proxy from the environment, whose credentials are not shown either', async t => {
    const proxy = await startOther(t);
    const { run, score } = await bench(t);
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const url = proxy.url.replace('//', '//user:proxy-secret@');
    const proxies = Object.fromEntries(names.map(name => [name, url]));
    const { stderr } = await exits(run(score, { ROWCAST_API_KEY: key, ...proxies }), 0);
    assert.deepEqual(proxy.heard, []);
    assert.doesNotMatch(stderr, /proxy-secret/);
  });
});

describe('a URL that contains a key', () => {
  for (const url of [
    `https://user:${key}@example.com`,
    `https://example.com/?key=${key}`,
    `https://user:${key}@[example`,
  ])
    it(`is refused and not shown: ${url.replace(key, 'KEY')}`, async t => {
      const { run, write } = await bench(t);
      const service = { url, 'api-key-env': 'ROWCAST_MINE' };
      await write('definition-with-key', JSON.stringify({ service, score: { report: 'r', input: '-' } }));
      const env = { ROWCAST_API_KEY: 'of-another-service', ROWCAST_MINE: 'of-another-service' };
      const files = '-o out.csv --summary summary.json';
      for (const [line, more] of [
        [`score --report r --url ${url} ${files}`, {}],
        [`score --report r --log-format json ${files}`, { ROWCAST_URL: url }],
        [`report r --url ${url}`, {}],
        ['run definition-with-key --trust-definition', {}],
      ] as const) {
        const { stdout } = await exits(run(line, { ...env, ...more }), 2, /\[bad_url\]\n|"code":"bad_url"/);
        assert.ok(!stdout.includes(key));
      }
    });
});

describe('the environment’s key', () => {
  it('is used with ROWCAST_URL, which overrides the URL of a definition; its key is not used then', async t => {
    const other = await startOther(t);
    const { url, run, write } = await bench(t);
    const service = { url: other.url, 'api-key-env': 'ROWCAST_CRM_KEY' };
    await write('run.yaml', JSON.stringify({ service, score: { report: 'r', input: '-' } }));
    const crm = { ROWCAST_CRM_KEY: 'crm-key-12345' };
    await exits(run('run run.yaml', { ...crm, ROWCAST_URL: url, ROWCAST_API_KEY: key }), 0);
    await exits(run(`run run.yaml --url ${url}`, { ...crm, ROWCAST_API_KEY: key }), 0);
    const says = /no API key in the variable ROWCAST_API_KEY/;
    await exits(run('run run.yaml', { ...crm, ROWCAST_URL: url }), 2, says);
    await exits(run(`run run.yaml --url ${url}`, crm), 2, says);
    assert.deepEqual(other.heard, []);
  });

  it('cannot be replaced by an option: keys must not appear in argv', async t => {
    const { run, score } = await bench(t);
    const { stderr } = await exits(run(`${score} --api-key typed-key-12345`), 2);
    assert.doesNotMatch(stderr, /typed-key/);
  });
});
