import { PassThrough, type Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest, preParsingAsyncHookHandler, RequestPayload } from 'fastify';
import { PaddedGunzip } from '../../storage/gunzip.ts';
import type { SharedBudget } from '../limits/shared-budget.ts';
import { busy, keyOf, SHARE } from '../limits/shares.ts';
import { RequestError } from '../problems/problems.ts';
import type { Limits } from './limits.ts';
import { onRequestEnd } from './request-end.ts';

/** A body on its way to whoever reads it, gzip undone. That one may end it: the request stays. */
export function decoded(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload): Decoder {
  const body = decoderOf(request.headers['content-encoding']);
  payload.on('error', () => body.destroy(brokenOff()));
  // What fails before somebody reads is told to whoever reads; without a listener the process would end.
  body.on('error', () => {});
  payload.pipe(body);
  // A response before the body's end, such as 413, ends its decoding too.
  onRequestEnd(reply, () => body.destroy(brokenOff()));
  return body;
}

const RETRY_SECONDS = 1;

/**
 * A body on its way to the parser: gzip is undone before its bytes are counted, so that a few bytes cannot come to
 * more than the limit, and one that does not come to an end in time is refused. So is one for which its key has no
 * room left, since many requests that each keep to their limit could take up all memory together.
 *
 * @param bodies bytes of the bodies whose requests are in progress
 */
export function bodyReader(
  { bodyMs }: Pick<Limits, 'bodyMs'>,
  bodies: SharedBudget,
): preParsingAsyncHookHandler {
  return async (request, reply, payload) => {
    const body = decoded(request, reply, payload);
    body.receivedEncodedLength = 0;
    const count = (chunk: Buffer): void => {
      body.receivedEncodedLength = (body.receivedEncodedLength ?? 0) + chunk.length;
    };
    payload.on('data', count);
    const key = keyOf(request);
    const holding = bodies.open(key);
    // The parser lets it flow.
    body.pause().on('data', (chunk: Buffer) => {
      if (body.destroyed || holding.take(chunk.length)) return;
      const sizes = `The bodies of this key's requests hold ${bodies.heldBy(key)} of at most ${bodies.total} bytes`;
      body.destroy(busy(reply, `${sizes}, ${SHARE}`, RETRY_SECONDS));
    });
    onRequestEnd(reply, () => holding.release());
    const late = setTimeout(() => body.destroy(tooSlow(bodyMs)), bodyMs);
    body.once('close', () => clearTimeout(late));
    return body;
  };
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
      throw new RequestError('unsupported_encoding', 'A body may be plain or gzip.');
  }
}

const brokenOff = (): RequestError => new RequestError('malformed', 'The body broke off.');

const tooSlow = (ms: number): RequestError =>
  new RequestError('request_timeout', `The body did not come within ${ms / 1000} s.`);
