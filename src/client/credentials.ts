import { type Auth, authHeaders } from './auth-headers.ts';
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

export interface CredentialsOptions {
  auth: Auth;
  /** Not needed if none is sent. */
  key: string | Key | undefined;
  /** More headers, whose values are secret. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** What proves to a proxy who asks, in all forms in which it could be repeated. */
  ofProxy?: readonly string[] | undefined;
}

/** What proves to a service who asks. The client sends it to the service's URL only, and shows none of it. */
export class Credentials {
  readonly secrets = new Secrets();
  readonly #auth: Auth;
  readonly #key: Key | undefined;
  readonly #others: Readonly<Record<string, string>>;
  #sent: string | undefined;
  #headers: Readonly<Record<string, string>>;

  constructor({ auth, key, headers = {}, ofProxy = [] }: CredentialsOptions) {
    this.#auth = auth;
    this.#key = typeof key === 'string' ? { current: () => key, isReplaced: async () => false } : key;
    this.#others = headers;
    this.#headers = headers;
    for (const value of [...Object.values(headers), ...ofProxy]) this.secrets.addValue(value);
  }

  /** The key of a request that is sent now; undefined if it is sent without one. */
  get key(): string | undefined {
    return this.#auth === 'none' ? undefined : this.#key?.current();
  }

  /** The headers of a request that is sent now. */
  get headers(): Readonly<Record<string, string>> {
    const { key } = this;
    if (key !== undefined && key !== this.#sent) {
      this.secrets.addKey(key);
      this.#sent = key;
      this.#headers = { ...this.#others, ...authHeaders(this.#auth, key) };
    }
    return this.#headers;
  }

  /** Whether a request with this key, which the service has refused with 401, can be sent again with another one. */
  async isReplaced(refused: string | undefined): Promise<boolean> {
    return refused !== undefined && (await this.#key?.isReplaced(refused)) === true;
  }
}
