import { type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import {
  type ObjectHead,
  type ObjectRange,
  type ObjectStore,
  objectHead,
  type ReadableObject,
} from '../../objects/object-client.ts';
import { type NewPatience, patiently } from '../../objects/patience.ts';
import { failureOfConnection, failureOfStatus, StoreError, unless } from '../../objects/store-error.ts';
import type { ByteStream } from '../../source.ts';
import { DEFAULT_AGENT } from '../store-options.ts';

/** Redirects of one request, as browsers and curl limit them (fetch.spec.whatwg.org, 4.3: 20). */
const MAX_REDIRECTS = 20;
const CONNECT_MS = 30_000;

/**
 * Files of web servers, which can only be read. No credentials are sent.
 *
 * @param secrets URLs that may hold a secret, such as presigned ones, by the names that are shown instead
 */
export const httpsStore = (secrets: ReadonlyMap<string, string> = new Map()): ObjectStore => ({
  input: (name, patience) => new HttpsFile(name, secrets.get(name) ?? name, patience),
  renew() {},
});

class HttpsFile implements ReadableObject {
  readonly name: string;
  readonly patience: NewPatience;
  readonly #url: string;

  /** @param name for messages */
  constructor(name: string, url: string, patience: NewPatience) {
    this.name = name;
    this.patience = patience;
    this.#url = url;
  }

  /** Requests the first byte: a presigned URL is for GET only. */
  async head(stop?: AbortSignal): Promise<ObjectHead | undefined> {
    const response = await this.#get({ range: 'bytes=0-0' }, stop).catch(unless('missing'));
    if (response === undefined) return undefined;
    response.destroy();
    const { headers, statusCode } = response;
    const [, total] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
    const length = statusCode === 206 || statusCode === 416 ? total : headers['content-length'];
    if (length === undefined)
      throw new StoreError(
        'refused',
        'the server does not tell the size of the file: download it first, or use a pipe',
      );
    const { etag, 'last-modified': modified, date } = headers;
    const time = new Date(modified ?? 0);
    return objectHead({ etag, size: Number(length), modified: time, date, token: undefined });
  }

  async read({ from, end, version }: ObjectRange, stop?: AbortSignal): Promise<ByteStream> {
    const match = version !== undefined && { 'if-match': `"${version}"` };
    const response = await this.#get({ range: `bytes=${from}-${end - 1}`, ...match }, stop);
    const { etag } = response.headers;
    if (version !== undefined && etag !== undefined && etag !== `"${version}"`) {
      response.destroy();
      throw new StoreError('changed', 'the file has another ETag');
    }
    // A server that does not know ranges sends all of it.
    return response.statusCode === 206 || from === 0 ? response : after(response, from);
  }

  /** Makes a request, again while the server is unavailable. */
  #get(headers: Record<string, string>, stop?: AbortSignal): Promise<IncomingMessage> {
    return patiently(
      this.patience(stop),
      () => this.#follow(headers),
      late => late.destroy(),
    );
  }

  async #follow(headers: Record<string, string>): Promise<IncomingMessage> {
    let url = new URL(this.#url);
    for (let redirects = 0; ; redirects++) {
      const response = await send(url, {
        ...headers,
        'user-agent': DEFAULT_AGENT,
        'accept-encoding': 'identity',
      });
      const { statusCode = 0, headers: received } = response;
      if (statusCode === 200 || statusCode === 206) return response;
      // The range of an empty file is not satisfiable (RFC 9110, 15.5.17).
      if (statusCode === 416 && received['content-range']?.endsWith('/0')) return response;
      response.destroy();
      if (statusCode < 300 || statusCode >= 400 || received.location === undefined)
        throw new StoreError(failureOfStatus(statusCode), `HTTP ${statusCode}`);
      const next = new URL(received.location, url);
      const isSafe = next.protocol === 'https:' || next.protocol === url.protocol;
      if (!isSafe || redirects === MAX_REDIRECTS)
        throw new StoreError(
          'refused',
          isSafe ? 'too many redirects' : 'it is redirected to an unencrypted connection',
        );
      url = next;
    }
  }
}

function send(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? overHttps : url.protocol === 'http:' ? overHttp : undefined;
  if (request === undefined) throw new StoreError('refused', `it is redirected to ${url.protocol}`);
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, timeout: CONNECT_MS }, resolve);
    sent.on('timeout', () => sent.destroy(new Error('the server does not respond')));
    sent.on('error', error => reject(new StoreError(failureOfConnection(error), error.message, error)));
    sent.end();
  });
}

/** The bytes of a response after the first ones. */
function after(response: IncomingMessage, from: number): ByteStream {
  async function* rest(): AsyncGenerator<Buffer> {
    let at = 0;
    for await (const chunk of response) {
      const bytes: Buffer = chunk;
      const skipped = Math.min(bytes.length, Math.max(0, from - at));
      at += bytes.length;
      if (skipped < bytes.length) yield bytes.subarray(skipped);
    }
  }
  return { [Symbol.asyncIterator]: rest, destroy: () => void response.destroy() };
}
