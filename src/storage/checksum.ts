import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** SHA-256 of a file in hex, as printed by `sha256sum`. */
export const sha256Of = (path: string): Promise<string> =>
  sha256OfStream(createReadStream(path, { highWaterMark: 1 << 20 }));

/** SHA-256 of a stream's bytes in hex. */
export async function sha256OfStream(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(stream, hash);
  return hash.digest('hex');
}
