/** What a service says about an object. */
export interface ObjectHead {
  etag: string;
  token: string;
  size: number;
  modified: Date;
  /** The time by the service's clock. */
  now: number;
}

/** A response that is not a success. */
export class StoreError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** For `catch`: undefined for a response with this status. */
export const unless =
  (status: number) =>
  (error: unknown): undefined => {
    if (!(error instanceof StoreError) || error.status !== status) throw error;
  };

interface Asking {
  query?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** Requests about one object. */
export class ObjectClient {
  readonly #url: string;
  readonly #client: string;

  /** @param name `store://host:port/key` */
  constructor(name: string, client: string) {
    this.#url = name.replace(/^store:/, 'http:');
    this.#client = client;
  }

  async head(): Promise<ObjectHead | undefined> {
    const response = await this.#ask('HEAD').catch(unless(404));
    return response && headOf(response);
  }

  /** @param length undefined: to its end */
  async get(from = 0, length?: number): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    const headers = { 'x-from': String(from), ...(length !== undefined && { 'x-length': String(length) }) };
    const response = await this.#ask('GET', { headers }).catch(unless(404));
    return response && { head: headOf(response), bytes: Buffer.from(await response.arrayBuffer()) };
  }

  /**
   * @param version the one that it replaces; null if there must be none, undefined if any may be there
   * @returns its version
   */
  async put(body: Buffer, version?: string | null): Promise<string> {
    const headers: Record<string, string> =
      version === undefined ? {} : version === null ? { 'if-none-match': '*' } : { 'if-match': version };
    return headOf(await this.#ask('PUT', { body, headers })).etag;
  }

  async remove(version: string): Promise<void> {
    await this.#ask('DELETE', { headers: { 'if-match': version } });
  }

  begin(token: string): Promise<string> {
    return this.#json('POST', { query: '?uploads', headers: { 'x-token': token } });
  }

  uploads(): Promise<string[]> {
    return this.#json('GET', { query: '?uploads' });
  }

  /** @returns the tag of the part */
  async putPart(upload: string, part: number, body: Buffer): Promise<string> {
    return headOf(await this.#ask('PUT', { query: `?part=${part}&upload=${upload}`, body })).etag;
  }

  parts(upload: string): Promise<{ part: number; etag: string; size: number }[]> {
    return this.#json('GET', { query: `?parts&upload=${upload}` });
  }

  async complete(upload: string, tags: readonly string[]): Promise<void> {
    const body = Buffer.from(JSON.stringify(tags));
    await this.#ask('POST', { query: `?complete&upload=${upload}`, body });
  }

  async abort(upload: string): Promise<void> {
    await this.#ask('DELETE', { query: `?abort&upload=${upload}` }).catch(unless(404));
  }

  async #json<T>(method: string, asking: Asking): Promise<T> {
    return (await this.#ask(method, asking)).json() as Promise<T>; // what the service is known to return
  }

  async #ask(method: string, { query = '', headers = {}, body }: Asking = {}): Promise<Response> {
    const response = await fetch(this.#url + query, {
      method,
      headers: { ...headers, 'x-client': this.#client },
      ...(body && { body: new Uint8Array(body) }),
    });
    if (!response.ok) throw new StoreError(response.status, await response.text());
    return response;
  }
}

function headOf({ headers }: Response): ObjectHead {
  const number = (name: string): number => Number(headers.get(name));
  return {
    etag: headers.get('etag') ?? '',
    token: headers.get('x-token') ?? '',
    size: number('x-size'),
    modified: new Date(number('x-modified')),
    now: number('x-now'),
  };
}
