import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { ListObjectsV2CommandOutput, S3ClientConfig } from '@aws-sdk/client-s3';
import { ListingLimit, type ObjectStore, parseObjectPrefix } from '../../objects/object-client.ts';
import { DEFAULT_AGENT, type StoreOptions } from '../store-options.ts';
import { failS3 } from './s3-errors.ts';
import { pagesOf, payer, S3Object } from './s3-object.ts';
import { ListObjectsV2Command, S3Client } from './sdk.ts';

/** Connections at once: a run reads one object, and uploads parts and checkpoints of two. */
const CONNECTIONS = 16;
const CONNECT_MS = 10_000;

/** Differences of services that speak S3's protocol. */
interface S3Dialect {
  config: S3ClientConfig;
  /** Adds what is not in the protocol of S3, such as headers of its own, to a client. */
  adapt?: (client: S3Client) => void;
  /** Whether what is written carries a digest. Not every service compares the one in the signature. */
  hasDigests: boolean;
  /** Whether the service makes bytes of another object a part of an upload. */
  copiesParts: boolean;
}

/** Stores that speak the protocol of S3, through AWS's own client and its chain of credentials. */
export const s3Store = (options: StoreOptions): ObjectStore =>
  storeOf({ config: configOf(options), hasDigests: true, copiesParts: true }, options);

/** @param options what requests say besides */
export function storeOf(dialect: S3Dialect, options: StoreOptions): ObjectStore {
  const { hasDigests, copiesParts } = dialect;
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
  const object: ObjectStore['object'] = (name, patience) =>
    new S3Object(name, { client: current, hasDigests, copiesParts, options, patience });
  return {
    input: object,
    object,
    list: prefix => list(current, prefix, options),
    renew() {
      // Requests in progress still use it.
      client = undefined;
    },
  };
}

/** The client wants credentials even for requests that are not signed. */
const UNSIGNED: S3ClientConfig = {
  signer: { sign: async request => request },
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
};

/** The address of a service other than AWS's. */
const endpointOf = ({ endpoint }: StoreOptions): string | undefined =>
  endpoint ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;

/** Most services other than AWS's have no host for each bucket. */
const isOtherService = (options: StoreOptions): boolean => endpointOf(options) !== undefined;

export function configOf(options: StoreOptions): S3ClientConfig {
  const { region, endpoint, profile, unsigned, pathStyle = isOtherService(options) } = options;
  const { agent = DEFAULT_AGENT } = options;
  const agents = { keepAlive: true, maxSockets: CONNECTIONS };
  // Any region is one for a service that has none.
  const hasNone = region === undefined && isOtherService(options) && process.env.AWS_REGION === undefined;
  return {
    ...(region !== undefined && { region }),
    ...(hasNone && { region: 'us-east-1' }),
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
    ...(unsigned === true && UNSIGNED),
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

async function* list(client: () => S3Client, prefix: string, options: StoreOptions): AsyncGenerator<string> {
  const { start, bucket, key } = parseObjectPrefix(prefix);
  const pages = pagesOf<ListObjectsV2CommandOutput>(last => {
    const next = last && { ContinuationToken: last.NextContinuationToken };
    const command = { Bucket: bucket, Prefix: key, ...next, ...payer(options) };
    return client().send(new ListObjectsV2Command(command)).catch(failS3);
  });
  const limit = new ListingLimit();
  for await (const { Contents = [] } of pages) {
    limit.page(Contents.length);
    for (const { Key } of Contents) if (Key !== undefined) yield start + Key;
  }
}
