import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { authority, noOpenssl, pems } from '../support/certificates.ts';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { startProxy } from '../support/proxy.ts';
import { exits, rowcast as rowcastProcess } from '../support/rowcast.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { key } from '../support/secrets.ts';
import { slow } from '../support/slow.ts';
import { type Stub, type StubOptions, startStub } from '../support/stub/service.ts';

const input = `id,plan\n${Array.from({ length: 300 }, (_, row) => `${row},plan ${row}\n`).join('')}`;
const report = { classes: ['no', 'yes'] };
const token = 'token-of-a-test-7c2e';

async function stubOf(t: TestContext, options: StubOptions): Promise<Stub> {
  const stub = await startStub(t, { report, ...options });
  return stub;
}

/** A folder with the input. */
async function folderWithInput(t: TestContext): Promise<string> {
  const folder = await newFolder(t, { 'in.csv': input });
  return folder;
}

const scoring = ['score', 'in.csv', '--report', 'r', '-o', 'out.csv', '--batch-rows', '10'];

async function assertAllScored(folder: string): Promise<void> {
  assertScored(await readFile(join(folder, 'out.csv')), Buffer.from(input));
}

describe('a token that expires during a run', () => {
  /** A service whose token changes with every ten batches. @param renew is told the new one */
  async function expiring(
    t: TestContext,
    renew: (token: string) => Promise<void>,
  ): Promise<{ stub: Stub; refused: () => number }> {
    let valid = [`${token}-0`];
    let renewed = renew(`${token}-0`);
    let refused = 0;
    const stub = await stubOf(t, {
      accepts({ headers }) {
        const isValid = valid.some(own => headers.authorization === `Bearer ${own}`);
        if (!isValid) refused++;
        return isValid;
      },
      async behave({ number }) {
        if (number % 10 > 0) return false;
        const next = `${token}-${number}`;
        renewed = renewed.then(async () => {
          valid.push(next);
          await renew(next);
          valid = [next];
        });
        await renewed;
        return false;
      },
    });
    await renewed;
    return { stub, refused: () => refused };
  }

  it('is read again from its file: all rows are scored', async t => {
    const folder = await folderWithInput(t);
    const { stub, refused } = await expiring(t, next => writeFile(join(folder, 'api.key'), `${next}\n`));
    const args = [...scoring, '--url', stub.url, '--auth', 'bearer', '--api-key-file', 'api.key'];
    await exits(rowcast(args, { cwd: folder, env: { ROWCAST_TOKEN: token } }), 0);
    await assertAllScored(folder);
    assert.ok(refused() > 0);
  });

  it('stops the run if its file has no other; the same command resumes it', async t => {
    const folder = await folderWithInput(t);
    const { stub, refused } = await expiring(t, async next => {
      if (next === `${token}-0`) await writeFile(join(folder, 'api.key'), next);
    });
    const args = [
      ...scoring,
      '--url',
      stub.url,
      ...'--auth bearer --api-key-file api.key --concurrency 1'.split(' '),
    ];
    const env = { ROWCAST_TOKEN: token };
    await exits(rowcast(args, { cwd: folder, env }), 3, /responded with 401: .*\[unauthorized\]/);
    // The next batch may be on its way when the file was read again.
    assert.ok(refused() <= 2, `${refused()} requests`);
    await writeFile(join(folder, 'api.key'), `${token}-10`);
    assert.equal((await rowcast(args, { cwd: folder, env })).code, 3);
  });

  it('in a variable stops the run, because a variable does not change', async t => {
    const folder = await folderWithInput(t);
    const { stub } = await expiring(t, async () => {});
    const args = [...scoring, '--url', stub.url, '--auth', 'bearer'];
    await exits(
      rowcast(args, { cwd: folder, env: { ROWCAST_API_KEY: `${token}-0` } }),
      3,
      /responded with 401/,
    );
  });
});

describe('a secret header', () => {
  const accepts: StubOptions['accepts'] = ({ headers }) =>
    headers['x-token'] === token && headers.authorization === undefined;
  const flags = ['--auth', 'none', '--header-env', 'X-Token=ROWCAST_TOKEN'];
  const env = { ROWCAST_TOKEN: token };

  it('is sent with every request, and shown nowhere', async t => {
    const folder = await folderWithInput(t);
    const stub = await stubOf(t, { accepts });
    const files = ['--summary', 'summary.json', '--log-format', 'json'];
    await exits(
      rowcast([...scoring, '--url', stub.url, ...flags, ...files], {
        cwd: folder,
        env,
      }),
      0,
    );
    await assertAllScored(folder);
  });

  it('is sent by a definition to its own URL only', async t => {
    const folder = await folderWithInput(t);
    const stub = await stubOf(t, { accepts });
    const definition = join(folder, 'run.yaml');
    const service = { url: stub.url, auth: 'none', 'header-env': { 'X-Token': 'ROWCAST_TOKEN' } };
    await writeFile(
      definition,
      JSON.stringify({ service, score: { input: 'in.csv', output: 'out.csv', report: 'r' } }),
    );
    const run = (...more: string[]) =>
      rowcast(['run', definition, '--trust-definition', ...more], { cwd: folder, env });
    await exits(run(), 0);
    await assertAllScored(folder);
    const other = await stubOf(t, {
      first: ({ headers }) => assert.equal(headers['x-token'], undefined) as never,
    });
    assert.notEqual((await run('--url', other.url, '--if-exists', 'replace', '--restart')).code, 0);
  });

  it('that the service repeats is not shown', async t => {
    const folder = await folderWithInput(t);
    const refuse = async (behave: NonNullable<StubOptions['behave']>): Promise<string> => {
      const stub = await stubOf(t, { accepts, behave });
      const args = [...scoring, '--url', stub.url, ...flags, '--restart'];
      return (await rowcast(args, { cwd: folder, env })).stderr;
    };
    const said = await refuse(
      ({ response, request }) => !!response.writeHead(403).end(String(request.headers['x-token'])),
    );
    assert.match(said, /responded with 403 \[http_403\]/);
    await refuse(({ response, body }) => {
      const predictions = body.personas.map(() => ({ error: { code: 'x', message: `about ${token}` } }));
      return !!response.end(JSON.stringify({ predictions }));
    });
    const rejects = await readFile(join(folder, 'out.csv.rejects'), 'utf8');
    assert.match(rejects, /another secret, so it is not shown/);
  });

  it('without a value, or with a wrong name, is refused before anything is sent', async t => {
    const stub = await stubOf(t, { first: () => assert.fail('a request') });
    const args = ['report', 'r', '--url', stub.url];
    for (const [more, env, says] of [
      [flags, {}, /no value of the header x-token in the variable ROWCAST_TOKEN \[no_key\]/],
      [flags, { ROWCAST_TOKEN: 'a\nb' }, /\[no_key\]/],
      [['--header-env', 'Host=ROWCAST_TOKEN'], {}, /"Host" is a header .*\[bad_option\]/],
      [['--header-env', 'X-Token=HOME'], {}, /must begin with ROWCAST_.*\[bad_option\]/],
    ] as const) {
      await exits(rowcast([...args, ...more], { env }), 2, says);
    }
  });
});

describe('certificates and a proxy', { skip: noOpenssl }, () => {
  slow('are used by a run, whose password is shown nowhere', async t => {
    const { ca, server, client } = await authority();
    const folder = await folderWithInput(t);
    const stub = await stubOf(t, { tls: { ...pems(server), ca: await readFile(ca), requestCert: true } });
    const proxy = await startProxy(t, { credentials: 'me:swordfish-91ab' });
    const flags = [
      '--ca-file',
      ca,
      '--client-cert',
      client.cert,
      '--client-key',
      client.key,
      '--proxy',
      'env',
    ];
    const args = [...scoring, '--url', stub.url, ...flags, '--summary', 'summary.json'];
    const env = { ROWCAST_API_KEY: key, HTTPS_PROXY: proxy.secretUrl };
    await exits(rowcast(args, { cwd: folder, env }), 0);
    await assertAllScored(folder);
    assert.ok(proxy.tunnels.length > 0);
    await exits(
      rowcast([...args, '--restart'], {
        cwd: folder,
        env: { ...env, no_proxy: '127.0.0.0/8' },
      }),
      0,
    );
  });

  it('are refused if they are missing or damaged', async t => {
    const { ca } = await authority();
    const folder = await folderWithInput(t);
    await writeFile(join(folder, 'no.pem'), 'no PEM');
    const args = ['report', 'r', '--url', 'https://127.0.0.1:9'];
    for (const [more, says] of [
      [['--ca-file', 'none.pem'], /none\.pem: cannot be read: no such file.*\[no_such_file\]/],
      [['--ca-file', 'no.pem'], /there is no certificate in no\.pem \[bad_certificate\]/],
      [
        ['--client-cert', ca, '--client-key', 'no.pem'],
        /no usable private key in no\.pem \[bad_certificate\]/,
      ],
      [['--proxy', 'http://me:swordfish@proxy'], /^(?!.*swordfish).*\[bad_option\]/s],
    ] as const) {
      await exits(
        rowcast([...args, ...more], {
          cwd: folder,
          env: { ROWCAST_API_KEY: key },
        }),
        2,
        says,
      );
    }
    const http = await rowcast(['report', 'r', '--url', 'http://127.0.0.1:9', '--ca-file', ca], {
      env: { ROWCAST_API_KEY: key },
    });
    assert.match(http.stderr, /certificates are for an https URL/);
  });

  it('in the URL of a variable are refused if it is none, without showing it', async () => {
    for (const value of ['socks5://me:swordfish-91ab@proxy:1', 'me:swordfish-91ab']) {
      const env = { ROWCAST_API_KEY: key, HTTPS_PROXY: value };
      await exits(
        rowcast(['report', 'r', '--url', 'https://127.0.0.1:9', '--proxy', 'env'], { env }),
        2,
        /^(?!.*swordfish).*the variable HTTPS_PROXY is not the http or https URL of a proxy \[bad_option\]/s,
      );
    }
  });

  it('do not get what is sent to a service on this machine, unless that is allowed', async () => {
    const args = ['report', 'r', '--url', 'http://127.0.0.1:9', '--proxy', 'http://proxy.example:3128'];
    await exits(
      rowcast(args, { env: { ROWCAST_API_KEY: key } }),
      2,
      /unencrypted to the proxy http:\/\/proxy\.example:3128 \[insecure_url\]/,
    );
  });
});

slow('a proxy may speak https, with a certificate that Node trusts', async t => {
  const { ca, server } = await authority();
  const folder = await folderWithInput(t);
  const stub = await stubOf(t, { tls: pems(server) });
  const proxy = await startProxy(t, { credentials: 'me:swordfish-91ab', tls: pems(server) });
  const run = (env: Record<string, string>) =>
    rowcastProcess([...scoring, '--url', stub.url, '--ca-file', ca, '--proxy', 'env'], {
      cwd: folder,
      env: { ROWCAST_API_KEY: key, HTTPS_PROXY: proxy.secretUrl, ...env },
    });
  await exits(
    run({}),
    2,
    /the certificate of the proxy https:\/\/127.* is not trusted .*\[bad_certificate\]/,
  );
  await exits(run({ NODE_EXTRA_CA_CERTS: ca }), 0);
  await assertAllScored(folder);
  assert.ok(proxy.tunnels.length > 0);
});

slow('workers get all secrets as the command does', async t => {
  const { ca, server, client } = await authority();
  const folder = await folderWithInput(t);
  const stub = await stubOf(t, {
    accepts: ({ headers }) => headers['x-token'] === token && headers.authorization === `Bearer ${token}`,
    tls: { ...pems(server), ca: await readFile(ca), requestCert: true },
  });
  const proxy = await startProxy(t, { credentials: 'me:swordfish-91ab' });
  await writeFile(join(folder, 'api.key'), token);
  const args = [
    ...scoring,
    ...['--url', stub.url, '--auth', 'bearer', '--api-key-file', 'api.key'],
    ...['--header-env', 'X-Token=ROWCAST_TOKEN', '--ca-file', ca],
    ...['--client-cert', client.cert, '--client-key', client.key, '--proxy', 'env', '--workers', '2'],
  ];
  await exits(
    rowcastProcess(args, {
      cwd: folder,
      env: { ROWCAST_TOKEN: token, HTTPS_PROXY: proxy.secretUrl },
    }),
    0,
  );
  await assertAllScored(folder);
});
