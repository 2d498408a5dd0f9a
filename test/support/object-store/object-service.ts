import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as a test sees it. */
export interface ObjectRequest {
  /** The name that its sender has given itself. */
  client: string;
  /** For example `PUT /out.csv.checkpoint`, `POST /out.csv?uploads`, `PUT /out.csv?part`. */
  text: string;
}

/** What a test does with a request. */
export interface Hooks {
  /** Called before it has any effect. */
  before?(request: ObjectRequest): Promise<void> | void;
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
  /** The name of an object. */
  nameOf(key: string): string;
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** Keys of the uploads that were not completed or aborted. */
  uploads(): string[];
  readonly hooks: Hooks;
  close(): Promise<void>;
}

/** An error of the service. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * A service with what stores have in common: an object appears when its upload completes, all parts but the last have
 * one size, a part that is uploaded again replaces the former one, the complete parts must have the given tags, and
 * writes may be conditional.
 */
export async function startObjectService(): Promise<ObjectService> {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Upload>();
  const hooks: Hooks = {};
  const server = createServer((request, response) => {
    serve(request, response).catch(error => {
      response.writeHead(error instanceof Refusal ? error.status : 500).end(String(error.message));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const { pathname: key, searchParams: query } = new URL(request.url ?? '', 'http://store');
    const body = await buffer(request);
    const [first] = query.keys();
    const seen = { client: String(headers['x-client']), text: `${method} ${key}${first ? `?${first}` : ''}` };
    await hooks.before?.(seen);
    const answer = answerTo({ method, key, query, body, headers });
    await hooks.after?.(seen);
    const { bytes = Buffer.alloc(0), etag = '', token = '', modified = 0, size = bytes.length } = answer;
    response.writeHead(200, {
      etag,
      'x-token': token,
      'x-modified': String(modified),
      'x-size': String(size),
      'x-now': String(Date.now()),
    });
    response.end(method === 'HEAD' ? undefined : bytes);
  }

  function answerTo({ method, key, query, body, headers }: Asked): Partial<StoredObject> & { size?: number } {
    const id = query.get('upload');
    if (id !== null) return ofUpload(id, method, query, body);
    if (query.has('uploads') && method === 'GET')
      return json([...uploads].filter(([, upload]) => upload.key === key).map(([own]) => own));
    if (query.has('uploads')) {
      const own = randomUUID();
      uploads.set(own, { key, token: String(headers['x-token']), parts: new Map() });
      return json(own);
    }
    const found = objects.get(key);
    if (method === 'GET' || method === 'HEAD') {
      if (found === undefined) throw new Refusal(404, 'no such object');
      const start = Number(headers['x-from'] ?? 0);
      const bytes = found.bytes.subarray(start, start + Number(headers['x-length'] ?? found.bytes.length));
      return { ...found, bytes, size: found.bytes.length };
    }
    const { 'if-match': match, 'if-none-match': noneMatch } = headers;
    if (noneMatch !== undefined && found !== undefined) throw new Refusal(412, 'it exists');
    if (match !== undefined && found?.etag !== match) throw new Refusal(412, 'it has changed');
    if (method === 'DELETE') objects.delete(key);
    else objects.set(key, { bytes: body, etag: digest(body), modified: Date.now(), token: '' });
    return { etag: objects.get(key)?.etag ?? '' };
  }

  function ofUpload(id: string, method: string, query: URLSearchParams, body: Buffer): Partial<StoredObject> {
    const upload = uploads.get(id);
    if (upload === undefined) throw new Refusal(404, 'no such upload');
    const number = Number(query.get('part'));
    if (method === 'GET')
      return json([...upload.parts].map(([part, { etag, bytes }]) => ({ part, etag, size: bytes.length })));
    if (method === 'PUT') {
      const etag = digest(body);
      upload.parts.set(number, { bytes: body, etag });
      return { etag };
    }
    if (method === 'POST') complete(upload, JSON.parse(body.toString()));
    uploads.delete(id);
    return {};
  }

  function complete({ key, token, parts }: Upload, tags: readonly string[]): void {
    const given = tags.map((tag, i) => {
      const part = parts.get(i + 1);
      if (part?.etag !== tag) throw new Refusal(400, 'a part is missing or has changed');
      return part.bytes;
    });
    const [first] = given;
    if (first === undefined) throw new Refusal(400, 'it has no parts');
    const isEven = given.every((part, i) => part.length === first.length || i === given.length - 1);
    if (!isEven) throw new Refusal(400, 'the parts have several sizes');
    const etag = `${digest(Buffer.from(tags.join()))}-${tags.length}`;
    objects.set(key, { bytes: Buffer.concat(given), etag, modified: Date.now(), token });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    nameOf: key => `store://127.0.0.1:${port}${key}`,
    objects,
    uploads: () => [...uploads.values()].map(({ key }) => key),
    hooks,
    async close() {
      server.closeAllConnections();
      await new Promise(done => server.close(done));
    },
  };
}

interface Asked {
  method: string;
  key: string;
  query: URLSearchParams;
  body: Buffer;
  headers: IncomingMessage['headers'];
}

const json = (value: unknown): { bytes: Buffer } => ({ bytes: Buffer.from(JSON.stringify(value)) });

const digest = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
