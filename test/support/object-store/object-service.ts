import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { listen } from '../listen.ts';

/** A request as a test sees it. */
export interface ObjectRequest {
  /** The name that its sender has given itself. */
  client: string;
  /** For example `PUT /out.csv.checkpoint`, `POST /out.csv?uploads`, `PUT /out.csv?part`. */
  text: string;
}

/** What a test does with a request. */
export interface Hooks {
  /** Called before the request has any effect. */
  before?(request: ObjectRequest): Promise<void> | void;
  /** Refuses a request, with a status and a code of S3's protocol. */
  refuse?(request: ObjectRequest): [status: number, code: string] | undefined;
  /** Whether the service speaks the XML API of Google: with generations, and without headers of S3's own. */
  isGoogle?: boolean;
  /**
   * The object with the metadata `Content-Encoding: gzip`, which Google decompresses for whoever does not accept that.
   */
  encoded?: string;
  /** Whether conditions of writes are ignored, as some services do. */
  ignoresConditions?: boolean;
  /** Whether all parts but the last must have one size, also if they are copied, as with R2. */
  wantsEvenParts?: boolean;
  /** Whether each page of a listing says that there are more, which there are not: an endless listing. */
  isEndless?: boolean;
  /** Called after its effect, before the response is sent. */
  after?(request: ObjectRequest): Promise<void> | void;
}

export interface StoredObject {
  bytes: Buffer;
  etag: string;
  modified: number;
  /** Given by whoever began its upload. */
  token: string;
}

interface Upload {
  key: string;
  token: string;
  parts: Map<number, { bytes: Buffer; etag: string }>;
}

/** Objects in memory behind HTTP. What it has outlives the processes that use it. */
export interface ObjectService {
  /** Its URL. */
  readonly endpoint: string;
  /** The URL of an object by its key, which begins with a slash. */
  nameOf(key: string): string;
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** Writes an object as another program would. */
  put(key: string, bytes: Buffer): void;
  /** Keys of the uploads that were not completed or aborted. */
  uploads(): string[];
  /** What was copied into parts of uploads. */
  readonly copied: ReadonlySet<string>;
  /** Gives all of them up, as another program would. */
  abortUploads(): void;
  readonly hooks: Hooks;
}

/** An error of the service. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`refused: ${code}`);
    this.status = status;
    this.code = code;
  }
}

/**
 * A service that speaks S3's protocol, as far as rowcast uses it: an object appears when its upload completes, all
 * parts but the last have one size, a part that is uploaded again replaces the former one, the complete parts must have
 * the given tags, and writes may be conditional.
 */
export async function startObjectService(t: TestContext): Promise<ObjectService> {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Upload>();
  const hooks: Hooks = {};
  const copied = new Set<string>();
  const server = createServer((request, response) => {
    serve(request, response).catch(error => {
      const { status, code } = error instanceof Refusal ? error : new Refusal(500, 'InternalError');
      response.writeHead(status, { 'content-type': 'application/xml', date: new Date().toUTCString() });
      const body = `<Error><Code>${code}</Code><Message>${escaped(error.message)}</Message></Error>`;
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const headers = hooks.isGoogle === true ? fromGoogle(request.headers) : request.headers;
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://store');
    const key = decodeURIComponent(pathname).slice(`/${BUCKET}`.length);
    const body = await buffer(request);
    const seen = {
      client: clientOf(headers['user-agent']),
      text: `${method} ${key}${operationOf(method, query)}`,
    };
    await hooks.before?.(seen);
    const refusal = hooks.refuse?.(seen);
    if (refusal !== undefined) throw new Refusal(...refusal);
    const answer = answerTo({ method, key, query, body, headers });
    await hooks.after?.(seen);
    const { bytes = Buffer.alloc(0), etag = '', token = '', modified = Date.now(), status = 200 } = answer;
    const isDecompressed =
      key === hooks.encoded && etag !== '' && !/gzip/.test(String(headers['accept-encoding']));
    const content = isDecompressed ? gunzipSync(objects.get(key)?.bytes ?? bytes) : bytes;
    const meta = hooks.isGoogle === true ? 'x-goog-meta-rowcast-run' : 'x-amz-meta-rowcast-run';
    response.writeHead(status, {
      // An ETag of Google is no condition of a write, so it must not matter what it is.
      ...(etag !== '' && { etag: hooks.isGoogle === true && !query.has('uploadId') ? '"-"' : `"${etag}"` }),
      ...(hooks.isGoogle === true && !query.has('uploadId') && { 'x-goog-generation': etag }),
      ...(token !== '' && { [meta]: token }),
      'last-modified': new Date(modified).toUTCString(),
      ...(!isDecompressed && { 'content-length': bytes.length }),
    });
    response.end(method === 'HEAD' ? undefined : content);
  }

  function answerTo({
    method,
    key,
    query,
    body,
    headers,
  }: Asked): Partial<StoredObject> & { status?: number } {
    const id = query.get('uploadId');
    const source = headers['x-amz-copy-source'];
    if (source !== undefined) copied.add(String(source));
    if (id !== null)
      return ofUpload(
        id,
        method,
        query,
        source === undefined ? body : sourceOf(headers),
        source !== undefined,
      );
    if (query.has('uploads') && method === 'GET')
      return xml(
        'ListMultipartUploadsResult',
        [...uploads]
          .filter(([, upload]) => upload.key.startsWith(`/${query.get('prefix') ?? ''}`))
          .map(([own, upload]) =>
            element('Upload', element('Key', upload.key.slice(1)) + element('UploadId', own)),
          ),
      );
    if (query.has('uploads')) {
      const own = randomUUID();
      uploads.set(own, { key, token: String(headers['x-amz-meta-rowcast-run']), parts: new Map() });
      return xml('InitiateMultipartUploadResult', [element('UploadId', own)]);
    }
    if (query.has('list-type')) {
      const found = [...objects]
        .filter(([own]) => own.startsWith(`/${query.get('prefix') ?? ''}`))
        .sort(byKey);
      const listed = found.map(([own, { bytes, modified }]) =>
        element(
          'Contents',
          element('Key', own.slice(1)) +
            element('Size', String(bytes.length)) +
            element('LastModified', new Date(modified).toISOString()),
        ),
      );
      return hooks.isEndless === true
        ? xml('ListBucketResult', [element('IsTruncated', 'true'), element('NextContinuationToken', 'again')])
        : xml('ListBucketResult', listed);
    }
    const found = objects.get(key);
    const { 'if-match': match, 'if-none-match': noneMatch } = headers;
    if (method === 'GET' || method === 'HEAD') {
      if (found === undefined) throw new Refusal(404, 'NoSuchKey');
      if (match !== undefined && match.replaceAll('"', '') !== found.etag)
        throw new Refusal(412, 'PreconditionFailed');
      const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined) return found;
      return { ...found, bytes: found.bytes.subarray(Number(from), Number(last) + 1), status: 206 };
    }
    if (method === 'DELETE') {
      if (match === undefined || match.replaceAll('"', '') === found?.etag) objects.delete(key);
      return { status: 204 };
    }
    const isConditional = hooks.ignoresConditions !== true;
    if (isConditional && noneMatch !== undefined && found !== undefined)
      throw new Refusal(412, 'PreconditionFailed');
    if (match !== undefined && found?.etag !== match)
      throw new Refusal(found === undefined ? 404 : 412, 'PreconditionFailed');
    objects.set(key, { bytes: body, etag: digest(body), modified: Date.now(), token: '' });
    return { etag: objects.get(key)?.etag ?? '' };
  }

  function ofUpload(
    id: string,
    method: string,
    query: URLSearchParams,
    body: Buffer,
    isCopy: boolean,
  ): Partial<StoredObject> & { status?: number } {
    const upload = uploads.get(id);
    if (upload === undefined) throw new Refusal(404, 'NoSuchUpload');
    const number = Number(query.get('partNumber'));
    if (method === 'GET')
      return xml(
        'ListPartsResult',
        [...upload.parts].map(([part, { etag, bytes }]) =>
          element(
            'Part',
            element('PartNumber', String(part)) +
              element('ETag', `"${etag}"`) +
              element('Size', String(bytes.length)),
          ),
        ),
      );
    if (method === 'PUT') {
      const etag = digest(body);
      upload.parts.set(number, { bytes: body, etag });
      return isCopy ? xml('CopyPartResult', [element('ETag', `"${etag}"`)]) : { etag };
    }
    if (method === 'POST') {
      const tags = [...body.toString().matchAll(/<ETag>(?:&quot;|")?([^<&"]*)/g)].map(([, tag = '']) => tag);
      complete(upload, tags);
    }
    uploads.delete(id);
    return method === 'POST' ? xml('CompleteMultipartUploadResult', []) : { status: 204 };
  }

  function sourceOf(headers: IncomingMessage['headers']): Buffer {
    const source = decodeURIComponent(String(headers['x-amz-copy-source']));
    const found = objects.get(source.replace(/^\/?bucket/, ''));
    if (found === undefined) throw new Refusal(404, 'NoSuchKey');
    const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'])) ?? [];
    return from === undefined ? found.bytes : found.bytes.subarray(Number(from), Number(last) + 1);
  }

  function complete({ key, token, parts }: Upload, tags: readonly string[]): void {
    const given = tags.map((tag, i) => {
      const part = parts.get(i + 1);
      if (part?.etag !== tag) throw new Refusal(400, 'InvalidPart');
      return part.bytes;
    });
    const [first] = given;
    if (first === undefined) throw new Refusal(400, 'MalformedXML');
    const isEven = given.every((part, i) => part.length === first.length || i === given.length - 1);
    // Parts that rowcast makes have one size; those that are copied do not.
    if (!isEven && (copied.size === 0 || hooks.wantsEvenParts === true))
      throw new Refusal(400, 'InvalidPart');
    const etag = `${digest(Buffer.from(tags.join()))}-${tags.length}`;
    objects.set(key, { bytes: Buffer.concat(given), etag, modified: Date.now(), token });
  }

  // A connection that is closed while it is used again is a fault, which tests make themselves.
  server.keepAliveTimeout = 600_000;
  return {
    endpoint: await listen(t, server),
    nameOf: key => `s3://${BUCKET}${key}`,
    objects,
    copied,
    put: (key, bytes) =>
      void objects.set(key, { bytes, etag: digest(bytes), modified: Date.now(), token: '' }),
    uploads: () => [...uploads.values()].map(({ key }) => key),
    abortUploads: () => uploads.clear(),
    hooks,
  };
}

interface Asked {
  method: string;
  key: string;
  query: URLSearchParams;
  body: Buffer;
  headers: IncomingMessage['headers'];
}

const BUCKET = 'bucket';

/** A name as a part of a `User-Agent` that any client passes on. */
export const nameInAgent = (name: string): string => `client-${Buffer.from(name).toString('hex')}`;

/** The headers of a request to Google as those of one to S3. */
function fromGoogle(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const others = Object.keys(headers).filter(name => /^(x-amz-|amz-sdk-|if-)/.test(name));
  if (others.length > 0) throw new Refusal(400, `headers that are not Google's: ${others.join()}`);
  const { 'x-goog-if-generation-match': generation, 'x-goog-meta-rowcast-run': token, ...rest } = headers;
  return {
    ...rest,
    ...(generation === '0' && { 'if-none-match': '*' }),
    ...(generation !== undefined && generation !== '0' && { 'if-match': String(generation) }),
    ...(token !== undefined && { 'x-amz-meta-rowcast-run': String(token) }),
  };
}

const clientOf = (agent = ''): string =>
  Buffer.from(/client-([0-9a-f]*)/.exec(agent)?.[1] ?? '', 'hex').toString();

/** What a request does with an upload, if anything. */
function operationOf(method: string, query: URLSearchParams): string {
  if (query.has('uploads')) return '?uploads';
  if (!query.has('uploadId')) return '';
  return { GET: '?parts', PUT: '?part', POST: '?complete' }[method] ?? '?abort';
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param content is markup if it begins with a tag */
const element = (name: string, content: string): string =>
  `<${name}>${content.startsWith('<') ? content : escaped(content)}</${name}>`;

const xml = (name: string, members: readonly string[]): { bytes: Buffer } => ({
  bytes: Buffer.from(`<?xml version="1.0"?><${name}>${members.join('')}</${name}>`),
});

const digest = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
