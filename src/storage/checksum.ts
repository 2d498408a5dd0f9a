import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 of a file in hex, as printed by `sha256sum`. */
export const sha256Of = (path: string): Promise<string> =>
  sha256OfStream(createReadStream(path, { highWaterMark: 1 << 20 }));

/** SHA-256 of all bytes in hex. */
export async function sha256OfStream(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
