import type { DefaultAzureCredential } from '@azure/identity';
import type { StoragePipelineOptions } from '@azure/storage-blob';
import {
  ListingLimit,
  notAnObject,
  type ObjectName,
  type ObjectStore,
  parseObjectPrefix,
} from '../../objects/object-client.ts';
import { StoreError } from '../../objects/store-error.ts';
import { DEFAULT_AGENT, type StoreOptions } from '../store-options.ts';
import { AzureObject, failAzure } from './azure-object.ts';
import { AnonymousCredential, BlobServiceClient, StorageSharedKeyCredential } from './sdk.ts';

/** Azure Blob Storage: `az://container/key`, or `abfss://container@account.dfs.core.windows.net/key`. */
export function azureStore(options: StoreOptions): ObjectStore {
  const pipeline: StoragePipelineOptions = {
    // Requests are made again by whoever knows how long the store may be unavailable.
    retryOptions: { maxTries: 1 },
    userAgentOptions: { userAgentPrefix: options.agent ?? DEFAULT_AGENT },
    keepAliveOptions: { enable: true },
  };
  const services = new Map<string, Promise<BlobServiceClient>>();
  const serviceOf = (account: AzureAccount | undefined): Promise<BlobServiceClient> => {
    const key = account === undefined ? '' : `${account.name}.${account.cloud}`;
    const given = options.account === undefined ? {} : { name: options.account };
    const found = services.get(key) ?? connect(options, account ?? given, pipeline);
    services.set(key, found);
    return found;
  };
  const object: ObjectStore['object'] = (name, patience) => {
    const { account, bucket, key } = parseAzureName(name);
    const container = async () => (await serviceOf(account)).getContainerClient(bucket);
    return new AzureObject(name, { key, container, options, patience });
  };
  return {
    input: object,
    object,
    async *list(prefix) {
      const { account, bucket, key, start } = parseAzurePrefix(prefix);
      try {
        const client = (await serviceOf(account)).getContainerClient(bucket);
        const limit = new ListingLimit();
        for await (const { segment } of client.listBlobsFlat({ prefix: key }).byPage()) {
          limit.page(segment.blobItems.length);
          for (const { name } of segment.blobItems) yield start + name;
        }
      } catch (error) {
        failAzure(error);
      }
    },
    renew: () => services.clear(),
  };
}

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
async function connect(
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

/** A storage account as a URL names it. */
interface AzureAccount {
  name: string;
  /** The domain of its cloud: `core.windows.net`. */
  cloud: string;
}

interface AzureName extends ObjectName {
  /** Undefined: the usual one. */
  account: AzureAccount | undefined;
}

/** The domains of Azure's clouds. A signature with the key of an account does not say for which host it is. */
const CLOUDS: readonly string[] = ['core.windows.net', 'core.usgovcloudapi.net', 'core.chinacloudapi.cn'];

/**
 * Takes the beginning of a name apart: `az://container/key`, or `abfss://container@account.dfs.core.windows.net/key`.
 *
 * @throws RowcastError `usage`
 */
function parseAzurePrefix(prefix: string): AzureName {
  if (!/^abfss:/i.test(prefix)) return { ...parseObjectPrefix(prefix), account: undefined };
  const [, start = '', bucket = '', name = '', cloud = '', key = ''] =
    /^(abfss:\/\/([\w$-]+)@([a-z0-9]+)\.(?:dfs|blob)\.([\w.-]+)\/)(.*)$/is.exec(prefix) ?? [];
  if (cloud !== '' && !CLOUDS.includes(cloud.toLowerCase()))
    throw notAnObject(
      start,
      `The host must end with ${CLOUDS.join(', ')}: others get no credentials of Azure.`,
    );
  if (start !== '') return { start, bucket, key, account: { name, cloud } };
  throw notAnObject(prefix, 'Give abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY.');
}

/** Takes the name of an object apart, which must have a key. @throws RowcastError `usage` */
export function parseAzureName(name: string): AzureName {
  const found = parseAzurePrefix(name);
  if (found.key !== '') return found;
  throw notAnObject(name, 'Give a container and a key, such as az://container/folder/file.csv.');
}
