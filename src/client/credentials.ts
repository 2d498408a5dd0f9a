import type { Readable } from 'node:stream';
import { type Auth, isOfCloud } from '../base/contract/auth-names.ts';
import { authHeaders } from './auth-headers.ts';
import { Secrets } from './secrets.ts';

/** A key that may be replaced while a run is using it, such as a token that expires. */
export interface Key {
  /** The one to send now. */
  current(): string;
  /**
   * Looks for another key, after the service has refused this one. Requests that were refused at the same time look once.
   *
   * @returns whether there is one
   */
  isReplaced(refused: string): Promise<boolean>;
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
