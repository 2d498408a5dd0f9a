import type { DefaultAzureCredential } from '@azure/identity';
import type { StoragePipelineOptions } from '@azure/storage-blob';
import { StoreError } from '../../objects/store-error.ts';
import type { StoreOptions } from '../store-options.ts';
import { type AzureAccount, CLOUDS } from './azure-name.ts';
import { AnonymousCredential, BlobServiceClient, StorageSharedKeyCredential } from './sdk.ts';

/** Whether an endpoint may get a secret as it is: an account in one of Azure's clouds, never in the clear. */
const isOwn = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' &&
  CLOUDS.some(
    cloud =>
      /^[a-z0-9-]+\.(blob|dfs)$/.test(hostname.slice(0, -cloud.length - 1)) && hostname.endsWith(`.${cloud}`),
  );

/**
 * Finds the account and the credentials, in the order in which Azure's own command looks for them.
 *
 * @param account as the URL or the options name it
 * @throws StoreError `no credentials`
 */
export async function connect(
  options: StoreOptions,
  { name: named, cloud = 'core.windows.net' }: Partial<AzureAccount>,
  pipeline: StoragePipelineOptions,
): Promise<BlobServiceClient> {
  // A variable that is empty is not set.
  const { AZURE_STORAGE_SAS_TOKEN: sas, AZURE_STORAGE_KEY: key, ...env } = variables();
  const text = env.AZURE_STORAGE_CONNECTION_STRING;
  if (text !== undefined && named === undefined && options.endpoint === undefined)
    return BlobServiceClient.fromConnectionString(text, pipeline);
  const account = named ?? env.AZURE_STORAGE_ACCOUNT;
  if (account === undefined && options.endpoint === undefined)
    throw new StoreError('no credentials', 'the storage account is not named: set AZURE_STORAGE_ACCOUNT');
  const endpoint = options.endpoint ?? `https://${account}.blob.${cloud}`;
  if (options.unsigned === true) return new BlobServiceClient(endpoint, new AnonymousCredential(), pipeline);
  const isOwnHost = isOwn(new URL(endpoint));
  // It is a secret as it is, unlike a key, which only signs.
  if (sas !== undefined && isOwnHost)
    return new BlobServiceClient(`${endpoint}?${sas.replace(/^\?/, '')}`, undefined, pipeline);
  if (key !== undefined && account !== undefined)
    return new BlobServiceClient(endpoint, new StorageSharedKeyCredential(account, key), pipeline);
  if (!isOwnHost)
    throw new StoreError('no credentials', `no token of Azure is sent to ${new URL(endpoint).origin}`);
  return new BlobServiceClient(endpoint, await identity(), pipeline);
}

const variables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));

/** The package is large, and a key does not need it. */
async function identity(): Promise<DefaultAzureCredential> {
  const { DefaultAzureCredential } = await import('./identity.ts');
  return new DefaultAzureCredential();
}
