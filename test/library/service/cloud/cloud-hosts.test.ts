import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CloudAuth } from '../../../../src/base/contract/auth-names.ts';
import { type CloudService, cloudService } from '../../../../src/library/service/cloud/cloud-hosts.ts';

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
      ['sigv4', 'a1b2.execute-api.us-east-1.amazonaws.com', 'execute-api', 'us-east-1'],
      ['sigv4', 'a1b2.lambda-url.us-east-1.on.aws', 'lambda', 'us-east-1'],
    ] as const)
      assert.deepEqual(serviceOf(auth, host), { auth, audience, region });
  });

  it('is sent to no other host, also if its name looks like one of the cloud', () => {
    for (const [auth, host] of [
      ['google', 'googleapis.com.example.com'],
      ['google', 'examplegoogleapis.com'],
      ['google', 'storage.example.com'],
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
