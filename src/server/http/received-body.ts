import type { FastifyRequest, RequestPayload } from 'fastify';
import { RequestError } from '../problems/problems.ts';

/** A body as it arrived, in parts: joining 32 MiB takes tens of milliseconds, for which the main thread has no time. */
export interface ReceivedBody {
  readonly parts: readonly Buffer[];
  /** The length of all parts. */
  readonly length: number;
}

/** With more parts, passing them on takes longer than joining them. */
const MAX_PARTS = 4096;

/**
 * Receives a body.
 *
 * @param maxBytes 413 beyond that
 */
export async function receiveBody(
  { headers }: FastifyRequest,
  payload: RequestPayload,
  maxBytes: number,
): Promise<ReceivedBody> {
  const announced = Number(headers['content-length'] ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      payload.off('data', take).off('end', end).off('error', fail);
    };
    const fail = (error: unknown): void => {
      stop();
      reject(error);
    };
    const take = (part: Buffer): void => {
      length += part.length;
      if (length > maxBytes) fail(tooLarge());
      else parts.push(part);
    };
    const end = (): void => {
      stop();
      resolve();
    };
    payload.on('data', take).on('end', end).on('error', fail);
    payload.resume();
  });
  return { parts, length };
}

/** The parts of a body, each in memory of its own, which can be passed to a thread. */
export function ownParts({ parts }: ReceivedBody): Uint8Array<ArrayBuffer>[] {
  const few = parts.length > MAX_PARTS ? [Buffer.concat(parts)] : parts;
  return few.map(part => {
    const { buffer } = part;
    const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === part.length;
    return isOwn ? new Uint8Array(buffer) : new Uint8Array(part);
  });
}

/** The error handler replaces the detail of this error by one that names the limit. */
const tooLarge = (): RequestError => new RequestError('too_large', 'The body is too large.');
