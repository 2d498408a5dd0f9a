import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, S3ClientConfig } from '@aws-sdk/client-s3';
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
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from './sdk.ts';

/** The name of the metadata by which a run recognizes its object. */
const TOKEN = 'rowcast-run';

/** Connections at once: a run reads one object, and uploads parts and checkpoints of two. */
const CONNECTIONS = 16;
const CONNECT_MS = 10_000;

/** Differences of services that speak S3's protocol. */
export interface S3Dialect {
  config: S3ClientConfig;
  /** Adds what is not in the protocol of S3, such as headers of its own, to a client. */
  adapt?: (client: S3Client) => void;
  /** Whether what is written carries a digest. Without TLS, the signature has one already. */
  hasDigests: boolean;
}

/** Stores that speak the protocol of S3, through AWS's own client and its chain of credentials. */
export const s3Store = (options: StoreOptions, agent: string): ObjectStore =>
  storeOf(
    { config: configOf(options, agent), hasDigests: !endpointOf(options)?.startsWith('http:') },
    options,
  );

/** @param options what requests say besides */
export function storeOf(dialect: S3Dialect, options: StoreOptions): ObjectStore {
  let client: S3Client | undefined;
  const current = (): S3Client => {
    if (client === undefined) {
      // Which Node is needed is said by rowcast.
      process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
      client = new S3Client(dialect.config);
      keepDates(client);
      dialect.adapt?.(client);
    }
    return client;
  };
  return {
    isWritable: true,
    object: name => new S3Object(name, current, dialect, options),
    list: prefix => list(current, prefix, options),
    renew() {
      // Requests in progress still use it.
      client = undefined;
    },
  };
}

/** The address of a service other than AWS's. */
const endpointOf = ({ endpoint }: StoreOptions): string | undefined =>
  endpoint ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;

/** Most services other than AWS's have no host for each bucket. */
const isOtherService = (options: StoreOptions): boolean => endpointOf(options) !== undefined;

export function configOf(options: StoreOptions, agent: string): S3ClientConfig {
  const { region, endpoint, profile, unsigned, pathStyle = isOtherService(options) } = options;
  const agents = { keepAlive: true, maxSockets: CONNECTIONS };
  // Any region is one for a service that has none.
  const hasNone = region === undefined && isOtherService(options) && process.env.AWS_REGION === undefined;
  return {
    ...(region !== undefined && { region }),
    ...(hasNone && { region: 'us-east-1' }),
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
    ...(unsigned === true && { signer: { sign: async request => request } }),
    forcePathStyle: pathStyle,
    // Requests are made again by whoever knows how long the store may be unavailable.
    maxAttempts: 1,
    // Services other than AWS's do not know the newer digests.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: endpoint === undefined,
    customUserAgent: agent,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: 30_000,
      httpAgent: new HttpAgent(agents),
      httpsAgent: new HttpsAgent(agents),
    },
  };
}

class S3Object implements ObjectClient {
  readonly name: string;
  readonly #client: () => S3Client;
  readonly #dialect: S3Dialect;
  readonly #options: StoreOptions;
  readonly #place: { Bucket: string; Key: string; RequestPayer?: 'requester' };

  constructor(name: string, client: () => S3Client, dialect: S3Dialect, options: StoreOptions) {
    this.name = name;
    this.#client = client;
    this.#dialect = dialect;
    this.#options = options;
    const { bucket, key } = parseObjectName(name);
    this.#place = { Bucket: bucket, Key: key, ...payer(options) };
  }

  async head(): Promise<ObjectHead | undefined> {
    return this.#send(async () => headOf(await this.#client().send(new HeadObjectCommand(this.#place))))
      .catch(error => {
        // Its response has no body, so an expired token looks like any other wrong request.
        if (!(error instanceof StoreError) || !['denied', 'refused'].includes(error.failure)) throw error;
        return this.#headOfGet();
      })
      .catch(unless('missing'));
  }

  async #headOfGet(): Promise<ObjectHead> {
    return this.#send(async () => {
      const found = await this.#client().send(new GetObjectCommand(this.#place));
      (found.Body as Readable).destroy(); // in Node, it is one
      return headOf(found);
    });
  }

  read({ from, end, version }: ObjectRange): Promise<ByteStream> {
    return this.#send(async () => {
      const { Body } = await this.#client().send(
        new GetObjectCommand({
          ...this.#place,
          Range: `bytes=${from}-${end - 1}`,
          ...(version !== undefined && { IfMatch: `"${version}"` }),
        }),
      );
      return Body as Readable; // in Node, it is one
    });
  }

  async get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    return this.#send(async () => {
      const found = await this.#client().send(new GetObjectCommand(this.#place));
      const bytes = Buffer.from((await found.Body?.transformToByteArray()) ?? []);
      const head = headOf(found);
      if (bytes.length !== head.size) throw new StoreError('unavailable', 'the response ended too early');
      return { head, bytes };
    }).catch(unless('missing'));
  }

  async put(bytes: Buffer, replaces?: string | null): Promise<string> {
    const { ETag } = await this.#send(() =>
      this.#client().send(
        new PutObjectCommand({
          ...this.#place,
          ...this.#stored(),
          Body: bytes,
          ContentLength: bytes.length,
          ...this.#digest(bytes),
          ...(replaces === null && { IfNoneMatch: '*' }),
          // Not in quotes: Ceph compares it literally, and AWS takes both.
          ...(typeof replaces === 'string' && { IfMatch: replaces }),
        }),
      ),
    );
    return versionOf(ETag);
  }

  async remove(version?: string): Promise<void> {
    await this.#send(() =>
      this.#client().send(
        new DeleteObjectCommand({
          ...this.#place,
          ...(version !== undefined && { IfMatch: `"${version}"` }),
        }),
      ),
    );
  }

  async beginUpload(token: string): Promise<string> {
    const { UploadId } = await this.#send(() =>
      this.#client().send(
        new CreateMultipartUploadCommand({ ...this.#place, ...this.#stored(), Metadata: { [TOKEN]: token } }),
      ),
    );
    if (UploadId === undefined) throw new StoreError('refused', 'the store gave the upload no name');
    return UploadId;
  }

  async uploads(): Promise<string[]> {
    const { Bucket, Key } = this.#place;
    const found: string[] = [];
    let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (next !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket,
        Prefix: Key,
        ...next,
        ...payer(this.#options),
      });
      const page: ListMultipartUploadsCommandOutput = await this.#send(() => this.#client().send(command));
      for (const upload of page.Uploads ?? [])
        if (upload.Key === Key && upload.UploadId !== undefined) found.push(upload.UploadId);
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
    return found;
  }

  async putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    const { ETag } = await this.#send(() =>
      this.#client().send(
        new UploadPartCommand({
          ...this.#place,
          UploadId: upload,
          PartNumber: number,
          Body: bytes,
          ContentLength: bytes.length,
          ...this.#digest(bytes),
        }),
      ),
    );
    return versionOf(ETag);
  }

  async parts(upload: string): Promise<ListedPart[]> {
    const found: ListedPart[] = [];
    let next: string | undefined;
    do {
      const from = next;
      const page = await this.#send(() =>
        this.#client().send(
          new ListPartsCommand({
            ...this.#place,
            UploadId: upload,
            ...(from !== undefined && { PartNumberMarker: from }),
          }),
        ),
      );
      for (const { PartNumber = 0, ETag, Size = 0 } of page.Parts ?? [])
        found.push({ number: PartNumber, tag: versionOf(ETag), bytes: Size });
      next = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (next !== undefined);
    return found;
  }

  async complete(upload: string, tags: readonly string[]): Promise<void> {
    await this.#send(() =>
      this.#client().send(
        new CompleteMultipartUploadCommand({
          ...this.#place,
          UploadId: upload,
          MultipartUpload: { Parts: tags.map((tag, i) => ({ PartNumber: i + 1, ETag: `"${tag}"` })) },
        }),
      ),
    );
  }

  async abort(upload: string): Promise<void> {
    await this.#send(() =>
      this.#client().send(new AbortMultipartUploadCommand({ ...this.#place, UploadId: upload })),
    ).catch(unless('missing'));
  }

  /** What is said about an object when it is written. */
  #stored(): Pick<
    PutObjectCommand['input'],
    'StorageClass' | 'ServerSideEncryption' | 'SSEKMSKeyId' | 'ContentType'
  > {
    const { storageClass, encryption, encryptionKey } = this.#options;
    return {
      ...(storageClass !== undefined && { StorageClass: storageClass as never }), // the store checks it
      ...(encryption !== undefined && { ServerSideEncryption: encryption as never }),
      ...(encryptionKey !== undefined && { SSEKMSKeyId: encryptionKey }),
    };
  }

  #digest(bytes: Buffer): { ContentMD5?: string } {
    return this.#dialect.hasDigests ? { ContentMD5: createHash('md5').update(bytes).digest('base64') } : {};
  }

  #send<T>(act: () => Promise<T>): Promise<T> {
    return act().catch(fail);
  }
}

async function* list(
  client: () => S3Client,
  prefix: string,
  options: StoreOptions,
): AsyncGenerator<ListedObject> {
  const [, start = '', bucket = '', key = ''] = /^([a-z0-9]+:\/\/([^/]*)\/)(.*)$/is.exec(prefix) ?? [];
  let next: string | undefined;
  do {
    const from = next;
    const page = await client()
      .send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: key,
          ...(from !== undefined && { ContinuationToken: from }),
          ...payer(options),
        }),
      )
      .catch(fail);
    for (const { Key, Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
      if (Key !== undefined) yield { name: start + Key, size: Size, modified: LastModified };
    next = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (next !== undefined);
}

const payer = ({ requesterPays }: StoreOptions): { RequestPayer?: 'requester' } =>
  requesterPays === true ? { RequestPayer: 'requester' } : {};

interface Found {
  ETag?: string | undefined;
  ContentLength?: number | undefined;
  LastModified?: Date | undefined;
  Metadata?: Record<string, string> | undefined;
  date?: string;
}

/** Adds the date of each response to its result: it is the store's clock. */
function keepDates(client: S3Client): void {
  client.middlewareStack.add(
    next => async args => {
      const result = await next(args);
      const { headers } = result.response as { headers?: Record<string, string> }; // an HTTP response
      Object.assign(result.output ?? {}, { date: headers?.date });
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'keepDates' },
  );
}

/** The clock of this machine stands in for that of a store whose responses have no date. */
function headOf(found: Found): ObjectHead {
  const { ETag = '', ContentLength = 0, LastModified = new Date(0), Metadata, date } = found;
  const now = Date.parse(date ?? '');
  return {
    version: versionOf(ETag),
    isWeak: ETag.startsWith('W/'),
    size: ContentLength,
    modified: LastModified,
    now: Number.isNaN(now) ? Date.now() : now,
    token: Metadata?.[TOKEN],
  };
}

const versionOf = (etag = ''): string => etag.replace(/^(W\/)?"(.*)"$/, '$2');

/** Errors of S3 whose status does not say what they mean. */
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  NoSuchBucket: 'no bucket',
  NoSuchUpload: 'missing',
  InvalidPart: 'missing',
  ExpiredToken: 'expired',
  ExpiredTokenException: 'expired',
  TokenRefreshRequired: 'expired',
  RequestTimeTooSkewed: 'unavailable',
  RequestTimeout: 'unavailable',
  SlowDown: 'unavailable',
  // Two conditional writes at once (409): one of them is made again.
  ConditionalRequestConflict: 'unavailable',
  OperationAborted: 'unavailable',
  // The bytes were changed on their way.
  BadDigest: 'unavailable',
  XAmzContentSHA256Mismatch: 'unavailable',
  InvalidDigest: 'unavailable',
  CredentialsProviderError: 'no credentials',
};

/** An error of the client; a redirect to another host has no status that can succeed. */
export function fail(error: unknown): never {
  if (error instanceof StoreError) throw error;
  const {
    name = '',
    message = String(error),
    $metadata,
    code,
  } = error as Partial<Error> & {
    $metadata?: { httpStatusCode?: number };
    code?: string;
  }; // as the client documents its errors
  const status = $metadata?.httpStatusCode;
  const known = Object.hasOwn(FAILURES, name) ? FAILURES[name] : undefined;
  const isLocal = status === undefined && code === undefined && error instanceof TypeError;
  const failure =
    known ?? (isLocal || /region is missing/i.test(message) ? 'refused' : failureOfStatus(status));
  const said = message === '' || message === 'UnknownError' ? `HTTP ${status ?? 'error'}` : message;
  const text =
    /^[A-Za-z]+$/.test(name) && name !== 'Error' && !said.includes(name) ? `${name}: ${said}` : said;
  throw new StoreError(failure, text.replace(/\s+/g, ' '), error);
}
