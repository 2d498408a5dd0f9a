import { createHash, randomBytes } from 'node:crypto';
import type { TokenCredential } from '@azure/core-auth';
import type {
  BlobRequestConditions,
  BlockBlobClient,
  ContainerClient,
  StoragePipelineOptions,
} from '@azure/storage-blob';
import type {
  ListedObject,
  ListedPart,
  ObjectClient,
  ObjectHead,
  ObjectRange,
  ObjectStore,
} from '../../objects/object-client.ts';
import { parseObjectName } from '../../objects/object-name.ts';
import { failureOfStatus, StoreError, type StoreFailure, unless } from '../../objects/store-error.ts';
import type { ByteStream } from '../../source.ts';
import type { StoreOptions } from '../store-options.ts';
import { AnonymousCredential, BlobServiceClient, RestError, StorageSharedKeyCredential } from './sdk.ts';

/** The name of the metadata by which a run recognizes its object; a C# identifier, as Azure wants it. */
const TOKEN = 'rowcastrun';

/** Hosts that may get a token: those of Azure's clouds. */
const OWN_HOSTS = /\.(blob|dfs)\.core\.(windows\.net|usgovcloudapi\.net|chinacloudapi\.cn)$/;

/** Azure Blob Storage: `az://container/key`, or `abfss://container@account.dfs.core.windows.net/key`. */
export function azureStore(options: StoreOptions, agent: string): ObjectStore {
  const pipeline: StoragePipelineOptions = {
    // Requests are made again by whoever knows how long the store may be unavailable.
    retryOptions: { maxTries: 1 },
    userAgentOptions: { userAgentPrefix: agent },
    keepAliveOptions: { enable: true },
  };
  const services = new Map<string, Promise<BlobServiceClient>>();
  const serviceOf = (account: string | undefined): Promise<BlobServiceClient> => {
    const key = account ?? '';
    const found = services.get(key) ?? connect(options, account ?? options.account, pipeline);
    services.set(key, found);
    return found;
  };
  return {
    isWritable: true,
    object(name) {
      const { account, container, key } = parseAzureName(name);
      return new AzureObject(
        name,
        key,
        async () => (await serviceOf(account)).getContainerClient(container),
        options,
      );
    },
    async *list(prefix) {
      const { account, container, key, start } = parseAzureName(prefix, true);
      const client = (await serviceOf(account)).getContainerClient(container);
      try {
        for await (const { name, properties } of client.listBlobsFlat({ prefix: key }))
          yield {
            name: start + name,
            size: properties.contentLength ?? 0,
            modified: properties.lastModified,
          } satisfies ListedObject;
      } catch (error) {
        fail(error);
      }
    },
    renew: () => services.clear(),
  };
}

interface AzureName {
  account: string | undefined;
  container: string;
  key: string;
  /** What stands before the key. */
  start: string;
}

/** @throws RowcastError `usage` */
function parseAzureName(name: string, mayBeStart = false): AzureName {
  const [, start = '', container = '', account, key = ''] =
    /^(abfss?:\/\/([^/@]+)@([^/.]+)[^/]*\/)(.*)$/is.exec(name) ?? [];
  if (start !== '') return { account, container, key, start };
  const { bucket, key: own } = parseObjectName(mayBeStart && name.endsWith('/') ? `${name}x` : name);
  const found = mayBeStart && name.endsWith('/') ? own.slice(0, -1) : own;
  return {
    account: undefined,
    container: bucket,
    key: found,
    start: name.slice(0, name.length - found.length),
  };
}

/** Finds the account and who asks, in the order of Azure's own command. */
async function connect(
  options: StoreOptions,
  named: string | undefined,
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
  const endpoint = options.endpoint ?? `https://${account}.blob.core.windows.net`;
  if (options.unsigned === true) return new BlobServiceClient(endpoint, new AnonymousCredential(), pipeline);
  const isOwnHost = OWN_HOSTS.test(new URL(endpoint).hostname);
  // It is a secret as it is, unlike a key, which only signs.
  if (sas !== undefined && isOwnHost)
    return new BlobServiceClient(`${endpoint}?${sas.replace(/^\?/, '')}`, undefined, pipeline);
  if (key !== undefined && account !== undefined)
    return new BlobServiceClient(endpoint, new StorageSharedKeyCredential(account, key), pipeline);
  if (!isOwnHost)
    throw new StoreError('no credentials', `no token of Azure is sent to ${new URL(endpoint).host}`);
  return new BlobServiceClient(endpoint, await identity(), pipeline);
}

const variables = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));

/** Large, and not needed with a key. */
async function identity(): Promise<TokenCredential> {
  const { DefaultAzureCredential } = await import('./identity.ts');
  return new DefaultAzureCredential();
}

/** Bytes of the name of an upload, which the names of its blocks begin with. */
const UPLOAD_BYTES = 12;

/** The names of all blocks of an object have one length. */
const blockOf = (upload: string, number: number): string =>
  Buffer.from(`${upload}-${String(number).padStart(5, '0')}`).toString('base64');

function readBlock(id: string): { upload: string; number: number } | undefined {
  const [, upload, number] = /^([0-9a-f]{24})-(\d{5})$/.exec(Buffer.from(id, 'base64').toString()) ?? [];
  return upload === undefined ? undefined : { upload, number: Number(number) };
}

/** An upload is a set of blocks that are not part of the object yet. It has no existence of its own, and ends after a week. */
class AzureObject implements ObjectClient {
  readonly name: string;
  readonly #key: string;
  readonly #container: () => Promise<ContainerClient>;
  readonly #options: StoreOptions;

  constructor(name: string, key: string, container: () => Promise<ContainerClient>, options: StoreOptions) {
    this.name = name;
    this.#key = key;
    this.#container = container;
    this.#options = options;
  }

  async head(): Promise<ObjectHead | undefined> {
    return this.#ask(async blob => headOf(await blob.getProperties())).catch(unless('missing'));
  }

  read({ from, end, version }: ObjectRange): Promise<ByteStream> {
    return this.#ask(async blob => {
      const { readableStreamBody: body } = await blob.download(from, end - from, {
        conditions: matching(version),
      });
      return body as unknown as ByteStream; // in Node, it is a readable stream
    });
  }

  async get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    return this.#ask(async blob => {
      const found = await blob.download();
      const head = headOf(found);
      const parts: Buffer[] = [];
      for await (const part of found.readableStreamBody ?? []) parts.push(Buffer.from(part as Buffer));
      const bytes = Buffer.concat(parts);
      if (bytes.length !== head.size) throw new StoreError('unavailable', 'the response ended too early');
      return { head, bytes };
    }).catch(unless('missing'));
  }

  put(bytes: Buffer, replaces?: string | null): Promise<string> {
    return this.#ask(async blob => {
      const conditions = replaces === null ? { ifNoneMatch: '*' } : matching(replaces);
      const { etag } = await blob.upload(bytes, bytes.length, { conditions, ...this.#stored() });
      return versionOf(etag);
    });
  }

  async remove(version?: string): Promise<void> {
    await this.#ask(blob => blob.delete({ conditions: matching(version) }));
  }

  async beginUpload(): Promise<string> {
    return randomBytes(UPLOAD_BYTES).toString('hex');
  }

  async uploads(): Promise<string[]> {
    return [...new Set((await this.#uncommitted()).map(({ upload }) => upload))];
  }

  putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    return this.#ask(async blob => {
      const id = blockOf(upload, number);
      const transactionalContentMD5 = createHash('md5').update(bytes).digest();
      await blob.stageBlock(id, bytes, bytes.length, { transactionalContentMD5, ...this.#scope() });
      return id;
    });
  }

  async parts(upload: string): Promise<ListedPart[]> {
    return (await this.#uncommitted())
      .filter(block => block.upload === upload)
      .map(({ number, bytes }) => ({ number, tag: blockOf(upload, number), bytes }));
  }

  async complete(_: string, tags: readonly string[], token: string): Promise<void> {
    await this.#ask(blob =>
      blob.commitBlockList([...tags], { metadata: { [TOKEN]: token }, ...this.#stored() }),
    );
  }

  /** Blocks cannot be removed; they expire. */
  async abort(): Promise<void> {}

  async #uncommitted(): Promise<{ upload: string; number: number; bytes: number }[]> {
    const list = await this.#ask(blob => blob.getBlockList('uncommitted')).catch(unless('missing'));
    return (list?.uncommittedBlocks ?? []).flatMap(({ name, size }) => {
      const block = readBlock(name);
      return block === undefined ? [] : [{ ...block, bytes: size }];
    });
  }

  #scope(): { encryptionScope?: string } {
    const { encryption } = this.#options;
    return encryption === undefined ? {} : { encryptionScope: encryption };
  }

  #stored(): { tier?: string; encryptionScope?: string } {
    const { storageClass } = this.#options;
    return { ...this.#scope(), ...(storageClass !== undefined && { tier: storageClass }) };
  }

  async #ask<T>(act: (blob: BlockBlobClient) => Promise<T>): Promise<T> {
    try {
      return await act((await this.#container()).getBlockBlobClient(this.#key));
    } catch (error) {
      return fail(error);
    }
  }
}

const matching = (version: string | undefined): BlobRequestConditions =>
  version === undefined ? {} : { ifMatch: `"${version}"` };

interface Found {
  etag?: string | undefined;
  contentLength?: number | undefined;
  lastModified?: Date | undefined;
  date?: Date | undefined;
  metadata?: Record<string, string> | undefined;
}

function headOf({
  etag,
  contentLength = 0,
  lastModified = new Date(0),
  date = new Date(),
  metadata,
}: Found): ObjectHead {
  return {
    version: versionOf(etag),
    isWeak: false,
    size: contentLength,
    modified: lastModified,
    now: date.getTime(),
    token: metadata?.[TOKEN],
  };
}

const versionOf = (etag = ''): string => etag.replace(/^"(.*)"$/, '$1');

/** Errors of Azure whose status does not say what they mean. */
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  ContainerNotFound: 'no bucket',
  ContainerBeingDeleted: 'no bucket',
  InvalidBlockList: 'missing',
  BlobAlreadyExists: 'changed',
  Md5Mismatch: 'unavailable',
  ServerBusy: 'unavailable',
  InvalidAuthenticationInfo: 'expired',
};

function fail(error: unknown): never {
  if (error instanceof StoreError) throw error;
  if (error instanceof RestError) {
    const { code = '', statusCode, message } = error;
    const known = Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
    // The first line; others are identifiers of the request.
    const [said = ''] = message.split('\n');
    const text = said === '' ? `${code === '' ? 'HTTP' : code} ${statusCode ?? ''}`.trim() : said;
    throw new StoreError(known ?? failureOfStatus(statusCode), text.slice(0, 300), error);
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const isIdentity = /Credential|Authentication/.test(name);
  const [said = ''] = message.split('\n');
  const failure = isIdentity
    ? 'no credentials'
    : error instanceof TypeError
      ? 'refused'
      : failureOfStatus(undefined);
  throw new StoreError(failure, said.slice(0, 300), error);
}
