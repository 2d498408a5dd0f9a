import { PassThrough, type Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest, preParsingAsyncHookHandler, RequestPayload } from 'fastify';
import { PaddedGunzip } from '../../storage/codecs/padded-gunzip.ts';
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
