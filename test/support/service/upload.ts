import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import type { Target } from './client.ts';
import { checkResponse } from './conformance.ts';

/** The result of an upload. */
export interface UploadResponse {
  status: number;
  headers: Headers;
  /** Decompressed. */
  body: Buffer;
  trailers: NodeJS.Dict<string>;
  /** Whether the response is complete. */
  isWhole: boolean;
}

export interface UploadOptions {
  /** With the question mark. */
  query?: string;
  headers?: Record<string, string>;
}

const type = 'text/csv';

/** Opens an upload without sending anything yet. */
export function openUpload({ url, key }: Target, options: UploadOptions = {}): ClientRequest {
  const { query = '?id=one', headers } = options;
  return request(`${url}/user/batch-predict${query}`, {
    method: 'POST',
    agent: new Agent({ keepAlive: false }),
    headers: { authorization: `ApiKey ${key}`, 'content-type': type, ...headers },
  });
}

/** The response to an upload, read as far as possible. */
export async function wholeResponse(upload: ClientRequest): Promise<UploadResponse> {
  // Aborted while sending, which the response shows too.
  upload.on('error', () => {});
  return readResponse(await responseHead(upload));
}

/** The head of the response; its body waits until it is read. */
export async function responseHead(upload: ClientRequest): Promise<IncomingMessage> {
  // Emitted by http.
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return response;
}

export async function readResponse(response: IncomingMessage): Promise<UploadResponse> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk);
  } catch {
    // broken off: `complete` says so
  }
  const bytes = Buffer.concat(chunks);
  const isWhole = response.complete;
  const isGzip = response.headers['content-encoding'] === 'gzip';
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    body: isGzip && isWhole ? gunzipSync(bytes) : bytes,
    trailers: response.trailers,
    isWhole,
  };
}

/** Sends a file, reads the response meanwhile, and validates it against the OpenAPI document. */
export async function upload(
  target: Target,
  csv: Buffer | string | AsyncIterable<Buffer | string>,
  options: UploadOptions = {},
): Promise<UploadResponse> {
  const opened = openUpload(target, options);
  const sent = typeof csv === 'string' || csv instanceof Uint8Array ? [csv] : csv;
  const [response] = await Promise.all([
    wholeResponse(opened),
    pipeline(Readable.from(sent), opened).catch(() => {}), // refused before its end
  ]);
  const { status, headers, body } = response;
  await checkResponse('POST', '/user/batch-predict', new Response(body, { status, headers }));
  return response;
}

/** The bytes of a form; a `filename` makes a part a file. */
export function form(parts: readonly { name: string; value: string | Buffer; filename?: string }[]): {
  body: Buffer;
  headers: Record<string, string>;
} {
  const boundary = 'boundary-of-a-test';
  const pieces = parts.flatMap(({ name, value, filename }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
        `${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

/** Status and code of a rejected upload, as `404 no_such_report`. */
export function refusal({ status, headers, body, isWhole }: UploadResponse): string {
  if (!isWhole || headers.get('content-type') !== 'application/problem+json')
    return `${status}, not a problem`;
  return `${status} ${JSON.parse(String(body)).code}`;
}
