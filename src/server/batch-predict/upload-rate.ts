import type { Readable, Writable } from 'node:stream';
import type { Limits } from '../http/limits.ts';
import { RequestError } from '../problems/problems.ts';

/** Looks at an upload in the time over which its rate is measured. */
const LOOKS = 20;

export interface UploadRateOptions {
  limits: Pick<Limits, 'uploadBytesPerSecond' | 'uploadRateMs'>;
  /** Whether the service itself keeps the client from sending; that `body` takes no more is known anyway. */
  isHeld(): boolean;
  onTooSlow(): void;
}

/**
 * Ends an upload that comes too slowly, since it holds a slot meanwhile: `body` fails with `request_timeout`. Only
 * time in which the service waits for the client counts, not that in which rows are scored or paced, or the response
 * waits for the client to read.
 *
 * @param payload the request's bytes as they come
 * @param body what they are written to
 */
export function requireUploadRate(
  payload: Readable,
  body: Writable,
  { limits: { uploadBytesPerSecond, uploadRateMs }, isHeld, onTooSlow }: UploadRateOptions,
): void {
  const least = (uploadBytesPerSecond * uploadRateMs) / 1000;
  let bytes = 0;
  /** Bytes that had come between the last looks, the latest at the end. */
  const counts: number[] = [];
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  // Looks are counted, not time: what came while the event loop was busy has not been read yet.
  const timer = setInterval(() => {
    if (body.writableNeedDrain || payload.readableEnded || isHeld()) return;
    counts.push(bytes);
    bytes = 0;
    if (counts.length > LOOKS) counts.shift();
    if (counts.length < LOOKS || counts.reduce((sum, count) => sum + count, 0) >= least) return;
    onTooSlow();
    body.destroy(tooSlow(uploadBytesPerSecond, uploadRateMs));
  }, uploadRateMs / LOOKS).unref();
  body.once('close', () => clearInterval(timer));
}

function tooSlow(bytesPerSecond: number, ms: number): RequestError {
  const rate = `${bytesPerSecond} bytes per second over ${ms / 1000} s`;
  return new RequestError('request_timeout', `The upload came more slowly than ${rate}.`);
}
