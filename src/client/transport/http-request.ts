import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { HttpResponse, Origin } from './connection.ts';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  /** The path without the parts that vary, for traces; by default, the path. */
  template?: string;
  /** More headers. */
  headers?: Readonly<Record<string, string>>;
  body?: Buffer | string | Readable;
  /** Media type of the body; JSON by default. */
  type?: string;
  accept?: string;
}

/** The location of a failed request. */
export interface RequestLocation {
  request: string;
}

/** A response with status 200 whose body has not been read yet. */
export interface OpenResponse {
  body: HttpResponse['body'];
  trailers: Record<string, string>;
  /** The connection it arrived on; undefined if it echoes its request's id, which proves that it belongs to it. */
  origin: Origin | undefined;
}

/** The header that carries a request's id, and that many services and gateways echo in the response. */
export const sentIdHeader = 'x-request-id';

/** Whether a response echoes its own request's id, another request's id, or none of ours (`silent`). */
type Echo = 'own' | 'other' | 'silent';

/** Ids of one run's requests. They have a random prefix, so that they are recognized without being stored. */
export class RequestIds {
  readonly #prefix = `${randomBytes(12).toString('base64url')}.`;
  #count = 0;

  next(): string {
    return `${this.#prefix}${++this.#count}`;
  }

  /** @param header of the response; an id that this run never sent comes from a gateway and is ignored */
  echo(sent: string, header: string | string[] | undefined): Echo {
    if (header === sent) return 'own';
    if (header === undefined) return 'silent';
    const ids = [header].flat().flatMap(value => value.split(',').map(id => id.trim()));
    // A gateway may append the id it received to the one the service echoed; then the service's counts.
    if (ids.some(id => id !== sent && this.#isOurs(id))) return 'other';
    return ids.includes(sent) ? 'own' : 'silent';
  }

  #isOurs(id: string): boolean {
    if (!id.startsWith(this.#prefix)) return false;
    const number = id.slice(this.#prefix.length);
    return /^[1-9]\d{0,15}$/.test(number) && Number(number) <= this.#count;
  }
}
