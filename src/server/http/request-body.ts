import { PassThrough, type Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest, preParsingAsyncHookHandler, RequestPayload } from 'fastify';
import { PaddedGunzip } from '../../storage/codecs/gzip.ts';
import type { Holding, SharedBudget } from '../limits/shared-budget.ts';
import { keyOf, noMemory } from '../limits/shares.ts';
import { RequestError } from '../problems/problems.ts';
import { onRequestEnd } from '../request-end.ts';
import type { Limits } from '../service-limits.ts';

/** The body, decompressed. The reader may destroy it without ending the request. */
export function decoded(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): Decoder {
  const body = decoderOf(request.headers['content-encoding']);
  payload.on('error', () => body.destroy(brokenOff()));
  // Errors that occur before the body is read reach the reader later; without this listener they would end the process.
  body.on('error', () => {});
  payload.pipe(body);
  // An early response, such as 413, also ends the decompression. An error is made only if needed: its stack costs time.
  onRequestEnd(reply, () => {
    if (!body.destroyed) body.destroy(brokenOff());
  });
  return body;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the body takes; undefined before it is read. */
    bodyMemory: Holding | undefined;
  }
}

/**
 * Passes the body to the parser. It is decompressed before its bytes are counted, so that a small gzip body cannot
 * expand beyond the limit. A body that does not end in time is rejected, and so is one that exceeds its key's share of
 * memory, since many requests within their own limit could use up all memory together.
 *
 * @param memory shared by the bodies of all requests
 */
export function bodyReader(
  { bodyMs }: Pick<Limits, 'bodyMs'>,
  memory: SharedBudget,
): preParsingAsyncHookHandler {
  return async (request, reply, payload) => {
    const body = decoded(request, reply, payload);
    body.receivedEncodedLength = 0;
    const count = (chunk: Buffer): void => {
      body.receivedEncodedLength = (body.receivedEncodedLength ?? 0) + chunk.length;
    };
    payload.on('data', count);
    const holding = memory.open(keyOf(request));
    request.bodyMemory = holding;
    // The parser resumes it.
    body.pause().on('data', (chunk: Buffer) => {
      if (body.destroyed || holding.take(chunk.length)) return;
      body.destroy(noMemory('Request bodies', memory, request, reply));
    });
    onRequestEnd(reply, () => holding.release());
    const late = setTimeout(() => body.destroy(tooSlow(bodyMs)), bodyMs);
    body.once('close', () => clearTimeout(late));
    return body;
  };
}

/** Call this once a body has been read and is not needed any more, so that others may take its memory. */
export function releaseBody(request: FastifyRequest): void {
  request.body = undefined;
  request.bodyMemory?.release();
}

type Decoder = RequestPayload & Transform;

function decoderOf(encoding = 'identity'): Decoder {
  switch (encoding.trim().toLowerCase()) {
    case 'identity':
      return new PassThrough();
    case 'gzip':
    case 'x-gzip':
      return new PaddedGunzip();
    default:
      throw new RequestError('unsupported_encoding', 'Unsupported Content-Encoding: send gzip or none.');
  }
}

const brokenOff = (): RequestError => new RequestError('malformed', 'The body ended prematurely.');

const tooSlow = (ms: number): RequestError =>
  new RequestError('request_timeout', `The body was not received within ${ms / 1000} s.`);

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
