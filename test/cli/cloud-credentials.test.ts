import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { listen } from '../support/listen.ts';
import { kserveV1, sagemaker } from '../support/protocols/dialects.ts';
import { type Behave, type Dialect, startModelServer } from '../support/protocols/model-server.ts';
import { exits, rowcast } from '../support/rowcast.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { slow } from '../support/slow.ts';

const rows = Array.from({ length: 120 }, (_, id) => `${id},text ${id},${id / 8}\n`);
const input = Buffer.from(`id,text,amount\n${rows.join('')}`);
const scoring = 'score in.csv -o out.csv --report r --classes no,yes --batch-rows 30';
const onSageMaker = '--protocol sagemaker --auth-host 127.0.0.1';

/** A server, and a folder with an input. */
async function bench(t: TestContext, dialect: Dialect, behave?: Behave) {
  const server = await startModelServer(t, dialect, behave);
  const commands = await commandsIn(t, { 'in.csv': input });
  const { cwd, run, bytesIn } = commands;
  const line = (options: string): string => `${scoring} --url ${server.url} ${options}`;
  return {
    ...commands,
    ...server,
    /** Scores in a process of its own, because the packages of clouds keep what they find. */
    score: (options: string, env: Record<string, string>) =>
      rowcast(line(options).split(' '), { cwd, env: { HOME: cwd, ...env } }),
    scoreHere: (options: string) => run(line(options)),
    assertAllScored: async () => assertScored(await bytesIn('out.csv'), input),
  };
}
type Bench = Awaited<ReturnType<typeof bench>>;

const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'not-shown-to-anybody' };

/** A profile whose credentials come from a command: `AKID1`, then `AKID2`, and so on. */
async function profileIn({ cwd, path, write }: Bench): Promise<Record<string, string>> {
  await write(
    'credentials.sh',
    `echo x >> '${cwd}/asked'; n=$(wc -l < '${cwd}/asked' | tr -d ' ')
echo "{\\"Version\\":1,\\"AccessKeyId\\":\\"AKID$n\\",\\"SecretAccessKey\\":\\"not-shown-to-anybody\\",\\"SessionToken\\":\\"session-$n-is-secret\\"}"`,
  );
  const profile = `[profile crm]\nregion = eu-west-1\ncredential_process = sh ${path('credentials.sh')}\n`;
  await write('config', profile);
  return { AWS_CONFIG_FILE: path('config'), AWS_PROFILE: 'crm', AWS_REGION: 'eu-west-1' };
}

describe('--protocol sagemaker', { concurrency: 2 }, () => {
  it('signs each request with the credentials of AWS’s own chain', async t => {
    const { score, calls, assertAllScored } = await bench(t, sagemaker);
    await exits(score(onSageMaker, { ...keys, AWS_REGION: 'us-east-1' }), 0);
    await assertAllScored();
    for (const { request } of calls)
      assert.match(
        String(request.headers.authorization),
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/sagemaker\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
      );
    assert.ok(calls.length >= 4);
  });

  it('gets other credentials when those that it has expire during the run, and shows none', async t => {
    const found = await bench(t, sagemaker, ({ request, response }) => {
      if (!String(request.headers.authorization).includes('AKID1/')) return false;
      const message = `the token ${request.headers['x-amz-security-token']} has expired`;
      response
        .writeHead(403, { 'x-amzn-errortype': 'ExpiredTokenException' })
        .end(JSON.stringify({ message }));
      return true;
    });
    const { stderr } = await exits(found.score(onSageMaker, await profileIn(found)), 0);
    await found.assertAllScored();
    assert.ok(found.calls.some(({ request }) => /=AKID2\//.test(String(request.headers.authorization))));
    assert.doesNotMatch(stderr, /is-secret|not-shown/);
  });

  slow('stops with what AWS says if the credentials may not call the endpoint, or there is none', async t => {
    for (const [type, message, hint] of [
      [
        'AccessDeniedException',
        'User: x is not authorized',
        /Check which credentials of the cloud this machine has/,
      ],
      ['ValidationError', 'Endpoint r of account 1 not found.', /Check the report and the URL/],
    ] as const) {
      const found = await bench(t, sagemaker, ({ response }) => {
        response.writeHead(400, { 'x-amzn-errortype': type }).end(JSON.stringify({ message }));
        return true;
      });
      const { stderr } = await exits(found.score(onSageMaker, await profileIn(found)), 2, hint);
      assert.ok(stderr.includes(message.replace(/\.$/, '')), stderr);
    }
  });
});

describe('--auth google and azure', { concurrency: 2 }, () => {
  const bearer = (token: string): Dialect => ({
    ...kserveV1,
    needsKey: false,
    rowsOf: (body, request) => {
      if (request.headers.authorization !== `Bearer ${token}`) throw new TypeError('another token');
      return kserveV1.rowsOf(body, request);
    },
  });
  const onKserve = '--protocol kserve-v1 --auth-host 127.0.0.1';

  /** What a machine in a cloud asks for its token. @returns its URL, and the paths that were asked for */
  async function identity(t: TestContext, answer: object): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer((request: IncomingMessage, response) => {
      asked.push(request.url ?? '');
      response.setHeader('metadata-flavor', 'Google');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ token_type: 'Bearer', ...answer }));
    });
    return { url: await listen(t, server), asked };
  }

  it('send the token that the metadata server of Google gives to this machine', async t => {
    const { score, assertAllScored } = await bench(t, bearer('token-of-google'));
    const token = { access_token: 'token-of-google', expires_in: 3600 };
    const { url, asked } = await identity(t, token);
    const metadata = { GCE_METADATA_HOST: new URL(url).host, METADATA_SERVER_DETECTION: 'assume-present' };
    await exits(score(`${onKserve} --auth google`, metadata), 0);
    await assertAllScored();
    const tokens = asked.filter(path => path.includes('/token'));
    assert.equal(tokens.length, 1, `${asked}`);
    assert.match(tokens[0] ?? '', /\/token\?scopes=.*cloud-platform/);
  });

  slow('send the token of the managed identity of Azure, for the audience of Azure ML', async t => {
    const { score, assertAllScored } = await bench(t, bearer('token-of-azure'));
    const expires_on = `${Math.floor(Date.now() / 1000) + 3600}`;
    const { url, asked } = await identity(t, { access_token: 'token-of-azure', expires_on, resource: 'x' });
    const env = { IDENTITY_ENDPOINT: url, IDENTITY_HEADER: 'secret-of-the-service' };
    await exits(score(`${onKserve} --auth azure`, env), 0);
    await assertAllScored();
    const resources = asked.map(path => new URL(path, 'http://x').searchParams.get('resource'));
    assert.deepEqual([...new Set(resources)], ['https://ml.azure.com']);
  });
});

describe('credentials of a cloud', () => {
  it('are sent to no other host than those of the cloud, unless the command line names it', async t => {
    const { scoreHere, run, write, url, calls } = await bench(t, sagemaker);
    const says =
      /--auth sigv4: what identifies you to AWS is not sent to 127\.0\.0\.1.*\n.*--auth-host 127\.0\.0\.1/;
    await exits(scoreHere('--protocol sagemaker'), 2, says);
    const service = `service: { url: "${url}", protocol: kserve-v1, auth: google, auth-host: 127.0.0.1 }\n`;
    await write('d.yaml', `${service}score: { input: in.csv, output: out.csv, report: r }\n`);
    await exits(
      run('run d.yaml'),
      2,
      /d\.yaml:1: service\.auth-host: unknown key.*; it can only be given as a flag, because it says who gets a secret/,
    );
    assert.deepEqual(calls, []);
  });

  it('are not mixed with keys', async t => {
    const { scoreHere } = await bench(t, sagemaker);
    const named = scoreHere('--auth google --api-key-env ROWCAST_K');
    await exits(named, 2, /a key is named, but --auth google uses/);
    const host = scoreHere('--auth bearer --auth-host example.com');
    await exits(host, 2, /--auth-host has no effect with --auth bearer/);
  });

  it('that are not found end the command before it asks for anything', async t => {
    const { score, path, calls } = await bench(t, sagemaker);
    const none = { AWS_EC2_METADATA_DISABLED: 'true', AWS_CONFIG_FILE: path('none') };
    await exits(
      score(onSageMaker, { ...none, AWS_REGION: 'eu-west-1' }),
      2,
      /--auth sigv4: no credentials were found: Could not load credentials from any providers/,
      /aws sso login/,
    );
    assert.deepEqual(calls, []);
    const says = /does not say in which region of AWS it is.*\n.*Set AWS_REGION/;
    await exits(score(onSageMaker, {}), 2, says);
  });
});
