import type { Readable } from 'node:stream';
import type { HttpResponse } from './connection.ts';
import type { Origin } from './response-origin.ts';

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
