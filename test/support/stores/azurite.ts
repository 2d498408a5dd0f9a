import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { newFolder } from '../folder.ts';
import { freePort } from '../listen.ts';
import type { RealStore } from './real-store.ts';
import { killProcess, programOf, untilReady } from './store.ts';

/** Why a test cannot have Azurite (`npm install -g azurite`); false if it can. */
export const noAzurite = programOf('azurite-blob') === undefined && 'azurite-blob is not installed';

/** The account that every Azurite has (learn.microsoft.com/azure/storage/common/storage-use-azurite). */
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Starts Azurite, with the container `crm`; it ends with the test. */
export async function startAzurite(t: TestContext): Promise<RealStore> {
  const port = await freePort();
  const place = ['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', await newFolder(t)];
  const child = spawn('azurite-blob', [...place, '--silent', '--skipApiVersionCheck'], { stdio: 'ignore' });
  t.after(() => killProcess(child));
  const endpoint = `http://127.0.0.1:${port}/devstoreaccount1`;
  await untilReady('Azurite', child, async () => (await fetch(endpoint)).status > 0);
  const text = `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${KEY};BlobEndpoint=${endpoint};`;
  await BlobServiceClient.fromConnectionString(text).createContainer('crm');
  return { url: 'az://crm', env: { AZURE_STORAGE_CONNECTION_STRING: text }, hasEqualTags: false };
}
