import type { Readable } from 'node:stream';
import { type Auth, isOfCloud } from '../base/contract/protocol-names.ts';

/** A key that may be replaced while a run is using it, such as a token that expires. */
export interface Key {
  /** The one to send now. */
  current(): string;
  /**
   * Looks for another key, after the service has refused this one. Requests that were refused at the same time look
   * once.
   *
   * @returns whether there is one
   */
  isReplaced(refused: string): Promise<boolean>;
}

/** A key that can be got anew. */
export abstract class RenewedKey implements Key {
  protected secret = '';
  #again: Promise<unknown> | undefined;

  current(): string {
    return this.secret;
  }

  async isReplaced(refused: string): Promise<boolean> {
    if (this.secret === refused) {
      this.#again ??= this.renew().finally(() => {
        this.#again = undefined;
      });
      await this.#again;
    }
    return this.secret !== refused;
  }

  /** Gets the secret anew. */
  protected abstract renew(): Promise<unknown>;
}

/** A request as it is sent, for a signature. */
export interface SentRequest {
  method: string;
  /** With the query, from the root of the host. */
  path: string;
  /** The media type of the body. */
  type: string | undefined;
  body: Buffer | string | Readable | undefined;
}

/** What a cloud gives this machine to prove who asks: tokens that expire, or the means to sign each request. */
export interface CloudKey extends Key {
  /**
   * The headers that prove it for this request.
   *
   * @throws NoCredentials
   */
  headersFor(request: SentRequest): Promise<Readonly<Record<string, string>>>;
}

/** What a cloud gives this machine was not found, or could not be renewed. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials';
}

export interface CredentialsOptions {
  auth: Auth;
  /** Not needed if none is sent. */
  key: string | Key | CloudKey | undefined;
  /** Where the key is from, for messages, such as a path or `ROWCAST_API_KEY`. */
  keyFrom?: string | undefined;
  /** More headers, whose values are secret. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** What proves to a proxy who asks, in all forms in which it could be repeated. */
  ofProxy?: readonly string[] | undefined;
}

/** What proves to a service who asks. The client sends it to the service's URL only, and shows none of it. */
export class Credentials {
  readonly secrets = new Secrets();
  readonly #auth: Auth;
  readonly #keyFrom: string | undefined;
  readonly #key: Key | CloudKey | undefined;
  readonly #others: Readonly<Record<string, string>>;
  #sent: string | undefined;
  #headers: Readonly<Record<string, string>>;

  constructor({ auth, key, keyFrom, headers = {}, ofProxy = [] }: CredentialsOptions) {
    this.#auth = auth;
    this.#keyFrom = keyFrom;
    this.#key = typeof key === 'string' ? { current: () => key, isReplaced: async () => false } : key;
    this.#others = headers;
    this.#headers = headers;
    for (const value of [...Object.values(headers), ...ofProxy]) this.secrets.addValue(value);
  }

  /** The key of a request that is sent now; undefined if it is sent without one. */
  get key(): string | undefined {
    return this.#auth === 'none' ? undefined : this.#key?.current();
  }

  /** What to check if the service does not let a request in, as a sentence without its end. */
  get advice(): string {
    if (isOfCloud(this.#auth))
      return 'Check which credentials of the cloud this machine has, and what they may do';
    const headers = Object.keys(this.#others);
    const ofHeaders =
      headers.length === 0
        ? ''
        : `what is in the ${headers.length === 1 ? 'header' : 'headers'} ${headers.join(', ')}`;
    const key = `the key${this.#keyFrom === undefined ? '' : ` in ${this.#keyFrom}`}`;
    if (this.#auth === 'none') return `Check ${ofHeaders || 'whether the service needs a key'}`;
    return `Check ${ofHeaders === '' ? key : `${key}, ${ofHeaders}`}`;
  }

  /** Whether each request has headers of its own. */
  get areOfRequest(): boolean {
    return isOfCloud(this.#auth);
  }

  /** The headers of a request that is sent now. */
  get headers(): Readonly<Record<string, string>> {
    const { key } = this;
    if (key !== undefined && this.#isNew(key))
      this.#headers = { ...this.#others, ...authHeaders(this.#auth, key) };
    return this.#headers;
  }

  /** The headers of this request, if each has its own. @throws NoCredentials */
  async headersFor(request: SentRequest): Promise<Readonly<Record<string, string>>> {
    if (this.#key === undefined || !('headersFor' in this.#key)) return this.headers;
    const own = await this.#key.headersFor(request);
    this.#isNew(this.#key.current());
    return { ...this.#others, ...own };
  }

  /** Whether a request with this key, which the service has refused, can be sent again with another one. */
  async isReplaced(refused: string | undefined): Promise<boolean> {
    return refused !== undefined && (await this.#key?.isReplaced(refused)) === true;
  }

  /** Whether another key than the last one is sent; it becomes a secret. */
  #isNew(key: string): boolean {
    if (key === this.#sent) return false;
    this.#sent = key;
    this.secrets.addKey(key);
    return true;
  }
}

const schemes: Readonly<Partial<Record<Auth, string>>> = { apikey: 'ApiKey', bearer: 'Bearer' };

/** The header that carries a key: as the prediction report API wants it, or as a bearer token (RFC 6750). */
function authHeaders(auth: Auth, key: string | undefined): Readonly<Record<string, string>> {
  const { [auth]: scheme } = schemes;
  return scheme === undefined || key === undefined ? {} : { authorization: `${scheme} ${key}` };
}

/** A token (RFC 9110 section 5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * What a request or a connection needs (RFC 9110 sections 7.2, 7.6, 8 and 10.1), and what a trace writes (W3C Trace
 * Context).
 */
const OWN =
  /^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept|accept-encoding|x-request-id|traceparent|tracestate|content-.*|proxy-.*)$/;

/** Why a header cannot be added to all requests; undefined if it can. */
export function headerFault(name: string, auth: Auth): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a header';
  const lower = name.toLowerCase();
  if (OWN.test(lower)) return 'is a header that rowcast writes itself, or that belongs to the connection';
  if (lower === 'authorization' && auth !== 'none')
    return 'is the header of the key; --auth none sends requests without a key';
  return undefined;
}

/**
 * Whether a header can have this value (RFC 9110 section 5.5), which is neither empty nor begins or ends with a space.
 */
export const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(text);

/** A shorter value of a header is no secret, and occurs in many texts by chance. */
const MIN_VALUE_LENGTH = 4;

/** As many characters of a secret in a row are not shown either. */
const PART_LENGTH = 8;

/**
 * What is sent to a service or a proxy, and shown nowhere. Text from a service that contains one of them is not shown.
 */
export class Secrets {
  readonly #short = new Set<string>();
  /** Every part of the long ones, so that looking for them takes as long as the text is. */
  readonly #parts = new Set<string>();

  /** A key stays secret after it was replaced. */
  addKey(key: string): void {
    for (const form of formsOf(key)) {
      const text = form.toLowerCase();
      if (text.length <= PART_LENGTH) this.#short.add(text);
      else for (const part of partsOf(text)) this.#parts.add(part);
    }
  }

  /** The value of another header, or a password. */
  addValue(value: string): void {
    if (value.length >= MIN_VALUE_LENGTH) this.addKey(value);
  }

  /** Whether one of them, a part of one, or an encoded one is in a text. */
  areIn(text: string): boolean {
    const lower = text.toLowerCase();
    for (const secret of this.#short) if (lower.includes(secret)) return true;
    if (this.#parts.size > 0) for (const part of partsOf(lower)) if (this.#parts.has(part)) return true;
    return false;
  }
}

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at + PART_LENGTH <= text.length; at++) yield text.slice(at, at + PART_LENGTH);
}

/** How a key may be written in the text of a response: as it is, in JSON, in a URL, in hex, in base64. */
function formsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  // In base64 of a longer text, such as `user:key`, it begins at any of three places; its ends depend on what is next
  // to it.
  const encoded = ['', 'x', 'xx'].map(before =>
    Buffer.from(before + key)
      .toString('base64')
      .slice(4, -4),
  );
  return [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    bytes.toString('hex'),
    ...encoded,
    ...encoded.map(text => text.replaceAll('+', '-').replaceAll('/', '_')),
  ].filter(form => form.length >= Math.min(key.length, PART_LENGTH));
}
