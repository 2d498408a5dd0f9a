import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from './listen.ts';

/** What a file server does with a request instead of answering it; false if it answers. */
export type Fault = (request: IncomingMessage, response: ServerResponse, bytes: Buffer) => boolean;

export interface FileServer {
  /** The URL of a file. */
  url(path: string): string;
  /** By path; replacing one changes its ETag. */
  files: Map<string, Buffer>;
  /** By path, the ETag as sent; by default a digest of the bytes is not made, but their number. */
  etags: Map<string, string>;
  /** Faults of the next requests, one each. */
  faults: Fault[];
  /** The ranges that were requested. */
  ranges: (string | undefined)[];
}

/** Serves files over HTTP with ranges, as web servers do. */
export async function fileServer(t: TestContext, files: Record<string, Buffer> = {}): Promise<FileServer> {
  const state: Omit<FileServer, 'url'> = {
    files: new Map(Object.entries(files)),
    etags: new Map(),
    faults: [],
    ranges: [],
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://server').pathname;
    const bytes = state.files.get(path);
    const { range } = request.headers;
    state.ranges.push(range);
    if (bytes === undefined) return response.writeHead(404).end();
    const etag = state.etags.get(path) ?? `"${bytes.length}"`;
    const { 'if-match': match } = request.headers;
    if (match !== undefined && match !== etag) return response.writeHead(412).end();
    const [, from = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const part = range === undefined ? bytes : bytes.subarray(Number(from), Number(last) + 1);
    response.setHeader('etag', etag);
    response.setHeader('last-modified', new Date(0).toUTCString());
    if (state.faults.shift()?.(request, response, part)) return undefined;
    if (range === undefined) response.writeHead(200, { 'content-length': bytes.length });
    else
      response.writeHead(206, {
        'content-length': part.length,
        'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`,
      });
    return response.end(part);
  });
  const address = await listen(t, server);
  return { ...state, url: path => `${address}${path}` };
}
