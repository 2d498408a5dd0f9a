import type { S3Client } from '@aws-sdk/client-s3';
import type { ObjectStore } from '../../objects/object-client.ts';
import { StoreError } from '../../objects/store-error.ts';
import { configOf, storeOf } from '../s3/s3-store.ts';
import type { StoreOptions } from '../store-options.ts';
import { GoogleAuth } from './sdk.ts';

const ENDPOINT = 'https://storage.googleapis.com';

/** The right to read and write objects (cloud.google.com/storage/docs/oauth-scopes). */
const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';

/**
 * Google Cloud Storage through its XML API, which is that of S3 but for credentials and conditions
 * (cloud.google.com/storage/docs/xml-api/overview).
 */
export function googleStore(options: StoreOptions): ObjectStore {
  let auth: InstanceType<typeof GoogleAuth> | undefined;
  const token = async (): Promise<string> => {
    auth ??= new GoogleAuth({ scopes: [SCOPE] });
    const found = await auth.getAccessToken().catch(error => {
      throw new StoreError('no credentials', String(error.message).split('\n', 1)[0] ?? '', error);
    });
    if (typeof found !== 'string') throw new StoreError('no credentials', 'Google gave no token');
    return found;
  };
  const { endpoint = ENDPOINT, unsigned } = options;
  const isSigned = unsigned !== true && isOwn(new URL(endpoint));
  const config = configOf({ ...options, endpoint, pathStyle: true, region: 'auto', unsigned: true });
  const store = storeOf(
    {
      config: {
        ...config,
        signer: {
          async sign(request) {
            if (isSigned) request.headers.authorization = `Bearer ${await token()}`;
            return request;
          },
        },
      },
      adapt: speakGoogle,
      hasDigests: false,
      // The XML API has no copies of parts (cloud.google.com/storage/docs/multipart-uploads).
      copiesParts: false,
    },
    options,
  );
  return {
    ...store,
    renew() {
      auth = undefined;
      store.renew();
    },
  };
}

/**
 * Whether an endpoint may get a token, with which its owner can do all that its scope permits: not an emulator, and not
 * another API of Google. Regional endpoints have hosts of their own (cloud.google.com/storage/docs/regional-endpoints),
 * as do those of a private network.
 */
export const isOwn = ({ protocol, hostname, pathname }: URL): boolean =>
  protocol === 'https:' &&
  pathname === '/' &&
  /^(storage(\.[a-z0-9-]+\.rep)?|storage-[a-z0-9-]+\.p)\.googleapis\.com$/.test(hostname);

interface HttpMessage {
  headers: Record<string, string>;
}

interface HttpRequest extends HttpMessage {
  method: string;
  query?: Readonly<Record<string, unknown>>;
}

/** Headers of S3's protocol that the XML API has under another name. */
const META = [/^x-amz-meta-/, 'x-goog-meta-'] as const;

/**
 * Replaces the headers of S3's own by Google's: versions are generations, because ETags are no condition for a write
 * (cloud.google.com/storage/docs/xml-api/reference-headers).
 */
function speakGoogle(client: S3Client): void {
  client.middlewareStack.add(
    next => async args => {
      googleHeaders(args.request as HttpRequest); // an HTTP request
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'googleHeaders' },
  );
  // The one with the lowest priority sees a response first.
  client.middlewareStack.add(
    next => async args => {
      const result = await next(args);
      amazonHeaders(result.response as HttpMessage); // an HTTP response
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'amazonHeaders' },
  );
}

function googleHeaders({ method, headers, query = {} }: HttpRequest): void {
  const isObject = !['list-type', 'uploads', 'uploadId'].some(name => name in query);
  // An object with the metadata "Content-Encoding: gzip" is decompressed otherwise: without its length, and without
  // ranges (cloud.google.com/storage/docs/transcoding).
  if (isObject && (method === 'GET' || method === 'HEAD')) headers['accept-encoding'] = 'gzip';
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) headers['x-goog-if-generation-match'] = match.replaceAll('"', '');
  if (noneMatch !== undefined) headers['x-goog-if-generation-match'] = '0';
  for (const name of ['if-match', 'if-none-match']) delete headers[name];
  const { 'x-amz-storage-class': storage } = headers;
  if (storage !== undefined) headers['x-goog-storage-class'] = storage;
  for (const [name, value] of Object.entries(headers)) {
    if (!/^(x-amz|amz-sdk)-/.test(name)) continue;
    delete headers[name];
    if (META[0].test(name)) headers[name.replace(...META)] = value;
  }
}

function amazonHeaders({ headers }: HttpMessage): void {
  const { 'x-goog-generation': generation } = headers;
  if (generation !== undefined) headers.etag = `"${generation}"`;
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith(META[1])) headers[name.replace(META[1], 'x-amz-meta-')] = value;
}
