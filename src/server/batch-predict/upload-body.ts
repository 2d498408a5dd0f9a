import type { Readable, Writable } from 'node:stream';
import type { preParsingAsyncHookHandler } from 'fastify';
import { decoded } from '../http/request-body.ts';
import type { FairUse } from '../limits/fair-use.ts';
import { RequestError } from '../problems/problems.ts';
import type { Limits } from '../service-limits.ts';

/** Passes on the body of an upload as it arrives, decompressed; it fails if it is too slow. */
export const uploadBody =
  ({ limits, fairUse }: { limits: Limits; fairUse: FairUse }): preParsingAsyncHookHandler =>
  async (request, reply, payload) => {
    const body = decoded(request, reply, payload);
    requireUploadRate(payload, body, limits, () => fairUse.onRefused('slow_upload'));
    return body;
  };

/** Samples within the window over which an upload's rate is measured. */
const SAMPLES = 20;

/**
 * Aborts an upload that is too slow, since it occupies an upload slot: `body` fails with `request_timeout`. Only time
 * spent waiting for the client counts, not time in which rows are scored or paced, or in which the response waits for
 * the client to read.
 *
 * @param payload the request's bytes as they arrive
 * @param body the stream they are written to
 */
export function requireUploadRate(
  payload: Readable,
  body: Writable,
  { uploadBytesPerSecond, uploadRateMs }: Pick<Limits, 'uploadBytesPerSecond' | 'uploadRateMs'>,
  onTooSlow: () => void,
): void {
  const least = (uploadBytesPerSecond * uploadRateMs) / 1000;
  let bytes = 0;
  /** Bytes received between the latest samples, in order. */
  const counts: number[] = [];
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  // Counts samples rather than time: bytes that arrived while the event loop was busy have not been read yet.
  const timer = setInterval(() => {
    if (body.writableNeedDrain || payload.readableEnded) return;
    counts.push(bytes);
    bytes = 0;
    if (counts.length > SAMPLES) counts.shift();
    if (counts.length < SAMPLES || counts.reduce((sum, count) => sum + count, 0) >= least) return;
    onTooSlow();
    body.destroy(tooSlow(uploadBytesPerSecond, uploadRateMs));
  }, uploadRateMs / SAMPLES).unref();
  body.once('close', () => clearInterval(timer));
}

function tooSlow(bytesPerSecond: number, ms: number): RequestError {
  const rate = `${bytesPerSecond} bytes per second over ${ms / 1000} s`;
  return new RequestError('request_timeout', `The upload was slower than ${rate}.`);
}
