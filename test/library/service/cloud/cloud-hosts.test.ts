import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudAuth } from '../../../../src/base/contract/protocol-names.ts';
import {
  type CloudService,
  checkCloudPath,
  cloudService,
} from '../../../../src/library/service/cloud/cloud-hosts.ts';

const serviceOf = (auth: CloudAuth, host: string, allowed?: string, protocol = 'custom'): CloudService =>
  cloudService(auth, new URL(`https://${host}`), { allowed, protocol });

describe('what identifies this machine to a cloud', () => {
  it('is sent to the hosts of this cloud, for the service and region that they name', () => {
    for (const [auth, host, audience, region] of [
      ['google', 'europe-west4-aiplatform.googleapis.com', ''],
      ['google', '123.us-central1-456.prediction.vertexai.goog', ''],
      ['azure', 'churn.westeurope.inference.ml.azure.com', 'https://ml.azure.com'],
      ['azure', 'adb-1.2.azuredatabricks.net', '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d'],
      ['sigv4', 'runtime.sagemaker.eu-west-1.amazonaws.com', 'sagemaker', 'eu-west-1'],
      ['sigv4', 'runtime-fips.sagemaker.us-gov-west-1.amazonaws.com', 'sagemaker', 'us-gov-west-1'],
      ['sigv4', 'runtime.sagemaker.cn-north-1.amazonaws.com.cn', 'sagemaker', 'cn-north-1'],
      ['sigv4', 'runtime.sagemaker.us-east-2.api.aws', 'sagemaker', 'us-east-2'],
      ['sigv4', 'vpce-0a-b.runtime.sagemaker.us-west-2.vpce.amazonaws.com', 'sagemaker', 'us-west-2'],
    ] as const) {
      const { path, ...service } = serviceOf(auth, host);
      assert.deepEqual(service, { auth, audience, region });
      assert.ok(path instanceof RegExp);
    }
  });

  it('is sent with requests for predictions only', () => {
    const refuses = (auth: CloudAuth, host: string, path: string): boolean => {
      try {
        checkCloudPath(serviceOf(auth, host), new URL(`https://${host}`), path);
        return false;
      } catch {
        return true;
      }
    };
    const google = 'europe-west4-aiplatform.googleapis.com';
    const endpoint = '/v1/projects/p-1/locations/europe-west4/endpoints/12';
    const sagemaker = 'runtime.sagemaker.eu-west-1.amazonaws.com';
    const azure = 'a.westeurope.inference.ml.azure.com';
    const databricks = 'adb-1.2.azuredatabricks.net';
    for (const [auth, host, right, ...wrong] of [
      [
        'google',
        google,
        `${endpoint}:predict`,
        endpoint,
        `${endpoint}:setIamPolicy`,
        `${endpoint}:predict?x=1`,
        '/v1/projects/p/locations/../../endpoints/12:predict',
        '/v1/projects/p/locations/l/customJobs',
        `/x${endpoint}:predict`,
      ],
      ['azure', azure, '/score', '/score/..', '/other'],
      [
        'azure',
        databricks,
        '/serving-endpoints/m/invocations',
        '/api/2.0/jobs/runs/submit',
        '/serving-endpoints/../invocations',
      ],
      ['sigv4', sagemaker, '/endpoints/churn/invocations', '/endpoints/churn', '/endpoints/a/b/invocations'],
    ] as const) {
      assert.ok(!refuses(auth, host, right), right);
      for (const path of wrong) assert.ok(refuses(auth, host, path), path);
    }
  });

  it('is sent to a way to a model of AWS only if the user names its host, with the right signature', () => {
    for (const [host, audience] of [
      ['a1b2.execute-api.us-east-1.amazonaws.com', 'execute-api'],
      ['a1b2.lambda-url.us-east-1.on.aws', 'lambda'],
    ] as const) {
      assert.throws(() => serviceOf('sigv4', host), { code: 'bad_option' });
      assert.deepEqual(serviceOf('sigv4', host, host), { auth: 'sigv4', audience, region: 'us-east-1' });
    }
  });

  it('is never sent in the clear, but to this machine', () => {
    const over = (url: string) => () =>
      cloudService('google', new URL(url), { allowed: new URL(url).hostname, protocol: 'kserve-v1' });
    for (const url of ['http://europe-west4-aiplatform.googleapis.com', 'http://gateway.example.com'])
      assert.throws(over(url), { code: 'insecure_url' });
    assert.doesNotThrow(over('http://127.0.0.1:8080'));
  });

  it('is sent to no other host, also if its name looks like one of the cloud', () => {
    for (const [auth, host] of [
      ['google', 'googleapis.com.example.com'],
      ['google', 'examplegoogleapis.com'],
      ['google', 'storage.example.com'],
      ['google', 'iam.googleapis.com'],
      ['google', 'evil-aiplatform.googleapis.com.evil.example'],
      ['azure', 'ml.azure.com'],
      ['azure', 'churn.inference.ml.azure.com.example.com'],
      ['azure', 'x.blob.core.windows.net'],
      ['sigv4', 'runtime.sagemaker.eu-west-1.amazonaws.com.example.com'],
      ['sigv4', 'bucket.s3.amazonaws.com'],
      ['sigv4', '127.0.0.1:5000'],
    ] as const)
      assert.throws(() => serviceOf(auth, host), { code: 'bad_option', message: /is not sent to/ }, host);
  });

  it('is sent to another host if the user names it', () => {
    assert.deepEqual(serviceOf('azure', 'proxy.example.com', 'Proxy.Example.com'), {
      auth: 'azure',
      audience: 'https://ml.azure.com',
    });
    const audienceFor = (protocol: string) =>
      serviceOf('sigv4', 'localhost:1', 'localhost', protocol).audience;
    assert.deepEqual(['custom', 'sagemaker', 'sagemaker-jsonlines'].map(audienceFor), [
      'execute-api',
      'sagemaker',
      'sagemaker',
    ]);
    assert.throws(() => serviceOf('google', 'a.example.com', 'example.com'), /--auth google/);
  });
});
