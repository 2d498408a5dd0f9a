import type { BlobServiceClient, StoragePipelineOptions } from '@azure/storage-blob';
import { ListingLimit } from '../../objects/listing-limit.ts';
import type { ObjectStore } from '../../objects/object-client.ts';
import type { StoreOptions } from '../store-options.ts';
import { connect } from './azure-account.ts';
import { fail } from './azure-errors.ts';
import { type AzureAccount, parseAzureName, parseAzurePrefix } from './azure-name.ts';
import { AzureObject } from './azure-object.ts';

/** Azure Blob Storage: `az://container/key`, or `abfss://container@account.dfs.core.windows.net/key`. */
export function azureStore(options: StoreOptions, agent: string): ObjectStore {
  const pipeline: StoragePipelineOptions = {
    // Requests are made again by whoever knows how long the store may be unavailable.
    retryOptions: { maxTries: 1 },
    userAgentOptions: { userAgentPrefix: agent },
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
  return {
    isWritable: true,
    object(name) {
      const { account, bucket, key } = parseAzureName(name);
      const container = async () => (await serviceOf(account)).getContainerClient(bucket);
      return new AzureObject(name, key, container, options);
    },
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
        fail(error);
      }
    },
    renew: () => services.clear(),
  };
}
