import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from '../listen.ts';

/** What becomes of a request, or of its response. */
export const faults = ['cut', 'lost', 'slow down', 'flipped', 'unavailable'] as const;
export type Fault = (typeof faults)[number];

export interface FaultyProxy {
  url: string;
  /** How often each fault occurred. */
  counts: Map<Fault, number>;
}

/**
 * A proxy before a store that damages what passes through:
 *
 * - `cut`: the response breaks off in the middle of its body
 * - `lost`: the store does what it is asked, but the response does not arrive
 * - `slow down`: the response of a store that has too many requests, with status 503
 * - `flipped`: a bit of what the store is to keep is another one
 * - `unavailable`: the status 500
 *
 * @param choose whether something happens to a request
 */
export async function startFaultyProxy(
  t: TestContext,
  target: string,
  choose: (request: IncomingMessage) => Fault | undefined,
): Promise<FaultyProxy> {
  const counts = new Map<Fault, number>();
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    let fault = choose(request);
    if (fault === 'flipped') {
      if (body.length === 0 || /xml/.test(request.headers['content-type'] ?? '')) fault = undefined;
      else body[body.length >>> 1] = (body[body.length >>> 1] ?? 0) ^ 1;
    }
    if (fault !== undefined) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    if (fault === 'slow down') return refuse(response, 503, 'SlowDown');
    if (fault === 'unavailable') return refuse(response, 500, 'InternalError');
    const { method, url, headers } = request;
    const upstream = forward(`${target}${url}`, { method, headers });
    upstream.on('error', () => response.destroy());
    upstream.on('response', async answer => {
      const bytes = await buffer(answer).catch(() => undefined); // the store has closed it
      if (bytes === undefined || fault === 'lost') {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fault !== 'cut' || bytes.length < 2) response.end(bytes);
      else response.write(bytes.subarray(0, bytes.length >>> 1), () => request.socket.destroy());
    });
    return upstream.end(body);
  });
  return { url: await listen(t, server), counts };
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
