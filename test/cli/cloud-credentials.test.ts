import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { rowcast as here } from '../support/in-process.ts';
import { listen } from '../support/listen.ts';
import { kserveV1, sagemaker } from '../support/protocols/dialects.ts';
import {
  type Behave,
  type Dialect,
  type ModelServer,
  startModelServer,
} from '../support/protocols/model-server.ts';
import { exits, rowcast } from '../support/rowcast.ts';
import { assertScored } from '../support/scoring/scored.ts';

const rows = Array.from({ length: 120 }, (_, id) => `${id},text ${id},${id / 8}\n`);
const input = Buffer.from(`id,text,amount\n${rows.join('')}`);
const scoring = 'score in.csv -o out.csv --report r --classes no,yes --batch-rows 30'.split(' ');
const onSageMaker = [...scoring, '--protocol', 'sagemaker', '--auth-host', '127.0.0.1'];

interface Place extends ModelServer {
  cwd: string;
  /** Scores in a process of its own, because the packages of clouds keep what they find. */
  score(args: readonly string[], env: Record<string, string>): ReturnType<typeof rowcast>;
}

async function place(t: TestContext, dialect: Dialect, behave?: Behave): Promise<Place> {
  const server = await startModelServer(t, dialect, behave);
  const cwd = await newFolder(t, { 'in.csv': input });
  const score = (args: readonly string[], env: Record<string, string>) =>
    rowcast([...args, '--url', server.url], { cwd, env: { HOME: cwd, ...env } });
  return { ...server, cwd, score };
}

const keyIds = ({ calls }: ModelServer): (string | undefined)[] =>
  calls.map(({ request }) => /Credential=(\w+)\//.exec(String(request.headers.authorization))?.[1]);

/** A profile whose credentials come from a command: `AKID1`, then `AKID2`, and so on. */
async function profileIn(cwd: string): Promise<Record<string, string>> {
  const program = join(cwd, 'credentials.sh');
  await writeFile(
    program,
    `echo x >> '${cwd}/asked'; n=$(wc -l < '${cwd}/asked' | tr -d ' ')
echo "{\\"Version\\":1,\\"AccessKeyId\\":\\"AKID$n\\",\\"SecretAccessKey\\":\\"not-shown-to-anybody\\",\\"SessionToken\\":\\"session-$n-is-secret\\"}"`,
  );
  await writeFile(
    join(cwd, 'config'),
    `[profile crm]\nregion = eu-west-1\ncredential_process = sh ${program}\n`,
  );
  return { AWS_CONFIG_FILE: join(cwd, 'config'), AWS_PROFILE: 'crm', AWS_REGION: 'eu-west-1' };
}

describe('--protocol sagemaker', { concurrency: 2 }, () => {
  it('signs each request with the credentials of AWS’s own chain', async t => {
    const found = await place(t, sagemaker);
    await exits(
      found.score(onSageMaker, {
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'not-shown-to-anybody',
        AWS_REGION: 'us-east-1',
      }),
      0,
    );
    assertScored(await readFile(join(found.cwd, 'out.csv')), input);
    for (const { request } of found.calls)
      assert.match(
        String(request.headers.authorization),
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/sagemaker\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/,
      );
    assert.ok(found.calls.length >= 4);
  });

  it('gets other credentials when those that it has expire during the run, and shows none', async t => {
    const found = await place(t, sagemaker, ({ request, response }) => {
      if (!String(request.headers.authorization).includes('AKID1/')) return false;
      const message = `the token ${request.headers['x-amz-security-token']} has expired`;
      response
        .writeHead(403, { 'x-amzn-errortype': 'ExpiredTokenException' })
        .end(JSON.stringify({ message }));
      return true;
    });
    const { stderr } = await exits(found.score(onSageMaker, await profileIn(found.cwd)), 0);
    assertScored(await readFile(join(found.cwd, 'out.csv')), input);
    assert.ok(keyIds(found).includes('AKID2'));
    assert.doesNotMatch(stderr, /is-secret|not-shown/);
  });

  it('waits when AWS says with status 400 that requests come too fast, and sends them again', async t => {
    const found = await place(t, sagemaker, ({ number, response }) => {
      if (number !== 2) return false;
      response
        .writeHead(400, { 'x-amzn-errortype': 'ThrottlingException' })
        .end('{"message":"Rate exceeded"}');
      return true;
    });
    await exits(found.score([...onSageMaker, '--summary', 's.json'], await profileIn(found.cwd)), 0);
    assertScored(await readFile(join(found.cwd, 'out.csv')), input);
    const { retries } = JSON.parse(await readFile(join(found.cwd, 's.json'), 'utf8'));
    assert.deepEqual(retries, { http_400: 1 });
  });

  it('stops with what AWS says if the credentials may not call the endpoint, or there is none', async t => {
    for (const [type, message, hint] of [
      [
        'AccessDeniedException',
        'User: x is not authorized',
        /Check which credentials of the cloud this machine has/,
      ],
      ['ValidationError', 'Endpoint r of account 1 not found.', /Check the report and the URL/],
    ] as const) {
      const found = await place(t, sagemaker, ({ response }) => {
        response.writeHead(400, { 'x-amzn-errortype': type }).end(JSON.stringify({ message }));
        return true;
      });
      const { stderr } = await exits(found.score(onSageMaker, await profileIn(found.cwd)), 2);
      assert.ok(stderr.includes(message.replace(/\.$/, '')), stderr);
      assert.match(stderr, hint);
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

  /** What a machine in a cloud asks for its token. */
  async function identity(t: TestContext, answer: (request: IncomingMessage) => unknown): Promise<string> {
    const server = createServer((request, response) => {
      response.setHeader('metadata-flavor', 'Google');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(request)));
    });
    return listen(t, server);
  }

  it('send the token that the metadata server of Google gives to this machine', async t => {
    const found = await place(t, bearer('token-of-google'));
    const asked: (string | undefined)[] = [];
    const metadata = await identity(t, ({ url }) => {
      asked.push(url);
      return { access_token: 'token-of-google', expires_in: 3600, token_type: 'Bearer' };
    });
    await exits(
      found.score([...scoring, '--protocol', 'kserve-v1', '--auth', 'google', '--auth-host', '127.0.0.1'], {
        GCE_METADATA_HOST: new URL(metadata).host,
        METADATA_SERVER_DETECTION: 'assume-present',
      }),
      0,
    );
    assertScored(await readFile(join(found.cwd, 'out.csv')), input);
    assert.ok(
      asked.some(url => url?.includes('/token?scopes=') && url.includes('cloud-platform')),
      `${asked}`,
    );
    assert.equal(asked.filter(url => url?.includes('/token')).length, 1);
  });

  it('send the token of the managed identity of Azure, for the audience of Azure ML', async t => {
    const found = await place(t, bearer('token-of-azure'));
    const asked: (string | undefined)[] = [];
    const endpoint = await identity(t, ({ url }) => {
      asked.push(url);
      const expires = Math.floor(Date.now() / 1000) + 3600;
      return {
        access_token: 'token-of-azure',
        expires_on: `${expires}`,
        resource: 'x',
        token_type: 'Bearer',
      };
    });
    await exits(
      found.score([...scoring, '--protocol', 'kserve-v1', '--auth', 'azure', '--auth-host', '127.0.0.1'], {
        IDENTITY_ENDPOINT: endpoint,
        IDENTITY_HEADER: 'secret-of-the-service',
      }),
      0,
    );
    assertScored(await readFile(join(found.cwd, 'out.csv')), input);
    assert.deepEqual(
      [...new Set(asked.map(url => new URL(url ?? '', 'http://x').searchParams.get('resource')))],
      ['https://ml.azure.com'],
    );
  });
});

describe('credentials of a cloud', () => {
  const refused = async (cwd: string, ...args: string[]): Promise<string> => {
    const { stderr } = await exits(here(args, { cwd }), 2);
    return stderr;
  };

  it('are sent to no other host than those of the cloud, unless the command line names it', async t => {
    const { cwd, url, calls } = await place(t, sagemaker);
    const onUrl = [...scoring, '--url', url];
    assert.match(
      await refused(cwd, ...onUrl, '--protocol', 'sagemaker'),
      /--auth sigv4: what identifies you to AWS is not sent to 127\.0\.0\.1.*\n.*--auth-host 127\.0\.0\.1/,
    );
    const definition = `service: { url: "${url}", protocol: kserve-v1, auth: google, auth-host: 127.0.0.1 }\n`;
    await writeFile(
      join(cwd, 'd.yaml'),
      `${definition}score: { input: in.csv, output: out.csv, report: r }\n`,
    );
    assert.match(
      await refused(cwd, 'run', 'd.yaml'),
      /d\.yaml:1: service\.auth-host: unknown key.*; it can only be given as a flag, because it says who gets a secret/,
    );
    assert.deepEqual(calls, []);
  });

  it('are sent with requests for predictions only, and the run ends before another one is made', async t => {
    const found = await place(t, sagemaker);
    const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'not-shown-to-anybody' };
    // The server stands for a proxy, so that nothing leaves this machine.
    const args = [...scoring, '--protocol', 'sagemaker', '--proxy', found.url];
    for (const url of [
      'https://runtime.sagemaker.eu-west-1.amazonaws.com/x',
      'https://a1b2.execute-api.us-east-1.amazonaws.com',
    ]) {
      await exits(
        rowcast([...args, '--url', url], {
          cwd: found.cwd,
          env: { HOME: found.cwd, ...env },
        }),
        2,
        /what identifies you to AWS is not sent to .*\n.*--auth-host/,
      );
    }
    assert.deepEqual(found.calls, []);
  });

  it('are not mixed with keys', async t => {
    const { cwd, url } = await place(t, sagemaker);
    const onUrl = [...scoring, '--url', url];
    const named = ['--auth', 'google', '--api-key-env', 'ROWCAST_K'];
    assert.match(await refused(cwd, ...onUrl, ...named), /a key is named, but --auth google uses/);
    const host = ['--auth', 'bearer', '--auth-host', 'example.com'];
    assert.match(await refused(cwd, ...onUrl, ...host), /--auth-host has no effect with --auth bearer/);
  });

  it('that are not found end the command before it asks for anything', async t => {
    const found = await place(t, sagemaker);
    await exits(
      found.score(onSageMaker, {
        AWS_REGION: 'eu-west-1',
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_CONFIG_FILE: join(found.cwd, 'none'),
      }),
      2,
      /--auth sigv4: no credentials were found: Could not load credentials from any providers/,
      /aws sso login/,
    );
    assert.deepEqual(found.calls, []);
    const without = await found.score(onSageMaker, {});
    assert.match(without.stderr, /does not say in which region of AWS it is.*\n.*Set AWS_REGION/);
  });
});
