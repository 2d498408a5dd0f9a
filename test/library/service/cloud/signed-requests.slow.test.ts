import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '../../../../src/library/scorers/client.ts';
import { freePort } from '../../../support/listen.ts';
import { killProcess, programOf, untilReady } from '../../../support/stores/store.ts';

const skip =
  programOf('moto_server') === undefined && 'moto_server is not installed (pip install "moto[server]")';

/** A service that checks signatures as AWS does, and who may call it. */
async function startMoto(t: TestContext): Promise<string> {
  const port = await freePort();
  // The first three requests need no signature: they make a user.
  const env = { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '3' };
  const child = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore', env });
  t.after(() => killProcess(child));
  const url = `http://127.0.0.1:${port}`;
  await untilReady('moto', child, async () => (await fetch(`${url}/moto-api/`)).status > 0);
  return url;
}

/** A user that may call endpoints. */
async function makeUser(url: string): Promise<{ id: string; secret: string }> {
  const call = async (action: Record<string, string>): Promise<string> => {
    const authorization =
      'AWS4-HMAC-SHA256 Credential=x/20150830/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x';
    const body = new URLSearchParams({ Version: '2010-05-08', UserName: 'etl', ...action });
    const response = await fetch(url, { method: 'POST', headers: { authorization }, body });
    assert.equal(response.status, 200, await response.clone().text());
    return response.text();
  };
  await call({ Action: 'CreateUser' });
  const made = await call({ Action: 'CreateAccessKey' });
  const Statement = [{ Effect: 'Allow', Action: 'sagemaker:*', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await call({ Action: 'PutUserPolicy', PolicyName: 'predict', PolicyDocument });
  const member = (name: string): string => new RegExp(`<${name}>(.*?)</${name}>`).exec(made)?.[1] ?? '';
  return { id: member('AccessKeyId'), secret: member('SecretAccessKey') };
}

/** Sets the variables in which AWS's chain looks first. */
function setCredentials(t: TestContext, { id, secret }: { id: string; secret: string }): void {
  const own = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: 'us-east-1' };
  const before = Object.keys(own).map(name => [name, process.env[name]] as const);
  Object.assign(process.env, own);
  t.after(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
}

describe('requests to SageMaker', { skip }, () => {
  it('have signatures that moto accepts with the right secret, and refuses with a wrong one', async t => {
    const url = await startMoto(t);
    const user = await makeUser(url);
    const predict = async (secret: string) => {
      setCredentials(t, { ...user, secret });
      const client = new Client({ url, protocol: 'sagemaker', authHost: '127.0.0.1' });
      try {
        return await client.batchPersona('churn v2', [
          { tenure: 1, plan: 'a "b"' },
          { tenure: 2, plan: null },
        ]);
      } finally {
        await client.close();
      }
    };
    const results = [
      { Body: '{"predictions":[{"score":0.25},{"score":0.75}]}', ContentType: 'application/json' },
    ];
    const queued = await fetch(`${url}/moto-api/static/sagemaker/endpoint-results`, {
      method: 'POST',
      body: JSON.stringify({ results }),
    });
    assert.equal(queued.status, 201);
    assert.deepEqual(await predict(user.secret), [{ value: 0.25 }, { value: 0.75 }]);
    await assert.rejects(predict(`${user.secret}x`), { code: 'http_403' });
  });
});
