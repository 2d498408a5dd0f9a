import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { authority, noOpenssl, pems } from '../support/certificates.ts';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { startProxy } from '../support/proxy.ts';
import { rowcast as rowcastProcess } from '../support/rowcast.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { key } from '../support/secrets.ts';
import { slow } from '../support/slow.ts';
import { type StubOptions, startStub } from '../support/stub/service.ts';

const input = `id,plan\n${Array.from({ length: 300 }, (_, row) => `${row},plan ${row}\n`).join('')}`;
const token = 'token-of-a-test-7c2e';
const scoring = 'score in.csv --report r -o out.csv --batch-rows 10';

/** A service, a folder with an input, and commands with this environment. */
async function bench(t: TestContext, options: StubOptions, env: Record<string, string>) {
  const stub = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const commands = await commandsIn(t, { 'in.csv': input }, env);
  const assertAllScored = async () => assertScored(await commands.bytesIn('out.csv'), Buffer.from(input));
  return { ...commands, stub, score: `${scoring} --url ${stub.url}`, assertAllScored };
}

describe('a token that expires during a run', () => {
  /** A service whose token changes with every ten batches. @param renew is told the new one */
  async function expiring(
    t: TestContext,
    env: Record<string, string>,
    renew: (token: string, write: (name: string, text: string) => Promise<void>) => Promise<void>,
  ) {
    let valid = [`${token}-0`];
    let refused = 0;
    const own = await bench(
      t,
      {
        accepts({ headers }) {
          const isValid = valid.some(each => headers.authorization === `Bearer ${each}`);
          if (!isValid) refused++;
          return isValid;
        },
        async behave({ number }) {
          if (number % 10 > 0) return false;
          const next = `${token}-${number}`;
          renewed = renewed.then(async () => {
            valid.push(next);
            await renew(next, own.write);
            valid = [next];
          });
          await renewed;
          return false;
        },
      },
      env,
    );
    let renewed = renew(`${token}-0`, own.write);
    await renewed;
    return { ...own, refused: () => refused };
  }
  const fromFile = '--auth bearer --api-key-file api.key';

  it('is read again from its file: all rows are scored', async t => {
    const { run, score, assertAllScored, refused } = await expiring(t, {}, (next, write) =>
      write('api.key', `${next}\n`),
    );
    await exits(run(`${score} ${fromFile}`), 0);
    await assertAllScored();
    assert.ok(refused() > 0);
  });

  it('stops the run if its file has no other; the same command resumes it', async t => {
    const { run, score, write, refused } = await expiring(t, {}, async (next, write) => {
      if (next === `${token}-0`) await write('api.key', next);
    });
    const line = `${score} ${fromFile} --concurrency 1`;
    await exits(run(line), 3, /responded with 401: .*\[unauthorized\]/);
    // The next batch may be on its way when the file was read again.
    assert.ok(refused() <= 2, `${refused()} requests`);
    await write('api.key', `${token}-10`);
    await exits(run(line), 3);
  });

  it('in a variable stops the run, because a variable does not change', async t => {
    const env = { ROWCAST_API_KEY: `${token}-0` };
    const { run, score } = await expiring(t, env, async () => {});
    await exits(run(`${score} --auth bearer`), 3, /responded with 401/);
  });
});

describe('a secret header', () => {
  const accepts: StubOptions['accepts'] = ({ headers }) =>
    headers['x-token'] === token && headers.authorization === undefined;
  const flags = '--auth none --header-env X-Token=ROWCAST_TOKEN';
  const env = { ROWCAST_TOKEN: token };

  it('is sent with every request, and shown nowhere', async t => {
    const { run, score, assertAllScored } = await bench(t, { accepts }, env);
    await exits(run(`${score} ${flags} --summary summary.json --log-format json`), 0);
    await assertAllScored();
  });

  it('is sent by a definition to its own URL only', async t => {
    const { run, write, stub, assertAllScored } = await bench(t, { accepts }, env);
    const service = { url: stub.url, auth: 'none', 'header-env': { 'X-Token': 'ROWCAST_TOKEN' } };
    const score = { input: 'in.csv', output: 'out.csv', report: 'r' };
    await write('run.yaml', JSON.stringify({ service, score }));
    await exits(run('run run.yaml --trust-definition'), 0);
    await assertAllScored();
    const other = await startStub(t, {
      first: ({ headers }) => assert.equal(headers['x-token'], undefined) as never,
    });
    const elsewhere = `run run.yaml --trust-definition --url ${other.url} --if-exists replace --restart`;
    assert.notEqual((await run(elsewhere)).code, 0);
  });

  it('that the service repeats is not shown', async t => {
    let behave: StubOptions['behave'] & {} = ({ response, request }) =>
      !!response.writeHead(403).end(String(request.headers['x-token']));
    const { run, score, read } = await bench(t, { accepts, behave: call => behave(call) }, env);
    await exits(run(`${score} ${flags}`), 2, /responded with 403 \[http_403\]/);
    behave = ({ response, body }) => {
      const predictions = body.personas.map(() => ({ error: { code: 'x', message: `about ${token}` } }));
      return !!response.end(JSON.stringify({ predictions }));
    };
    await run(`${score} ${flags} --restart`);
    assert.match(await read('out.csv.rejects'), /another secret, so it is not shown/);
  });

  it('without a value, or with a wrong name, is refused before anything is sent', async t => {
    const { run, stub } = await bench(t, { first: () => assert.fail('a request') }, {});
    for (const [more, env, says] of [
      [flags, {}, /no value of the header x-token in the variable ROWCAST_TOKEN \[no_key\]/],
      ['--header-env Host=ROWCAST_TOKEN', {}, /"Host" is a header .*\[bad_option\]/],
    ] as const)
      await exits(run(`report r --url ${stub.url} ${more}`, { env }), 2, says);
  });
});

describe('certificates and a proxy', { skip: noOpenssl }, () => {
  slow('are used by a run, whose password is shown nowhere', async t => {
    const { ca, server, client } = await authority();
    const proxy = await startProxy(t, { credentials: 'me:swordfish-91ab' });
    const tls = { ...pems(server), ca: await readFile(ca), requestCert: true };
    const env = { ROWCAST_API_KEY: key, HTTPS_PROXY: proxy.secretUrl };
    const { run, score, assertAllScored } = await bench(t, { tls }, env);
    const files = `--ca-file ${ca} --client-cert ${client.cert} --client-key ${client.key}`;
    const line = `${score} ${files} --proxy env --summary summary.json`;
    await exits(run(line), 0);
    await assertAllScored();
    assert.ok(proxy.tunnels.length > 0);
    await exits(run(`${line} --restart`, { env: { no_proxy: '127.0.0.0/8' } }), 0);
  });

  it('are refused if they are missing, damaged or not for this, without showing a password', async t => {
    const { ca } = await authority();
    const { run, write } = await commandsIn(t, {}, { ROWCAST_API_KEY: key });
    await write('no.pem', 'no PEM');
    for (const [more, says, env = {}] of [
      ['--ca-file none.pem', /none\.pem: cannot be read: no such file.*\[no_such_file\]/],
      ['--ca-file no.pem', /there is no certificate in no\.pem \[bad_certificate\]/],
      [`--client-cert ${ca} --client-key no.pem`, /no usable private key in no\.pem \[bad_certificate\]/],
      ['--proxy http://me:swordfish@proxy', /^(?!.*swordfish).*\[bad_option\]/s],
      [
        '--proxy env',
        /^(?!.*swordfish).*the variable HTTPS_PROXY is not the http or https URL of a proxy \[bad_option\]/s,
        { HTTPS_PROXY: 'socks5://me:swordfish-91ab@proxy:1' },
      ],
      ['--proxy env', /^(?!.*swordfish).*\[bad_option\]/s, { HTTPS_PROXY: 'me:swordfish-91ab' }],
    ] as const)
      await exits(run(`report r --url https://127.0.0.1:9 ${more}`, { env }), 2, says);
    const plain = 'report r --url http://127.0.0.1:9';
    await exits(run(`${plain} --ca-file ${ca}`), 2, /certificates are for an https URL/);
    // Nor does a proxy get what is sent to a service on this machine, unless that is allowed.
    const says = /unencrypted to the proxy http:\/\/proxy\.example:3128 \[insecure_url\]/;
    await exits(run(`${plain} --proxy http://proxy.example:3128`), 2, says);
  });
});

slow('a proxy may speak https, with a certificate that Node trusts', async t => {
  const { ca, server } = await authority();
  const proxy = await startProxy(t, { credentials: 'me:swordfish-91ab', tls: pems(server) });
  const given = { ROWCAST_API_KEY: key, HTTPS_PROXY: proxy.secretUrl };
  const { cwd, score, assertAllScored } = await bench(t, { tls: pems(server) }, given);
  const run = (env: Record<string, string>) =>
    rowcastProcess(`${score} --ca-file ${ca} --proxy env`.split(' '), { cwd, env: { ...given, ...env } });
  const says = /the certificate of the proxy https:\/\/127.* is not trusted .*\[bad_certificate\]/;
  await exits(run({}), 2, says);
  await exits(run({ NODE_EXTRA_CA_CERTS: ca }), 0);
  await assertAllScored();
  assert.ok(proxy.tunnels.length > 0);
});

slow('workers get all secrets as the command does', async t => {
  const { ca, server, client } = await authority();
  const proxy = await startProxy(t, { credentials: 'me:swordfish-91ab' });
  const env = { ROWCAST_TOKEN: token, HTTPS_PROXY: proxy.secretUrl };
  const stub: StubOptions = {
    accepts: ({ headers }) => headers['x-token'] === token && headers.authorization === `Bearer ${token}`,
    tls: { ...pems(server), ca: await readFile(ca), requestCert: true },
  };
  const { cwd, score, write, assertAllScored } = await bench(t, stub, env);
  await write('api.key', token);
  const secrets = '--auth bearer --api-key-file api.key --header-env X-Token=ROWCAST_TOKEN';
  const files = `--ca-file ${ca} --client-cert ${client.cert} --client-key ${client.key}`;
  const line = `${score} ${secrets} ${files} --proxy env --workers 2`;
  await exits(rowcastProcess(line.split(' '), { cwd, env }), 0);
  await assertAllScored();
});
