import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** SHA-256 of a file in hex, as printed by `sha256sum`. */
export const sha256Of = (path: string): Promise<string> =>
  sha256OfStream(createReadStream(path, { highWaterMark: 1 << 20 }));

/** The SHA-256 of several files in their order: that of the only one, or of the lines that have one each, in hex. */
export function combinedSha256(digests: readonly string[]): string {
  const [first = ''] = digests;
  if (digests.length === 1) return first;
  const lines = digests.map(digest => `${digest}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

/** SHA-256 of all bytes in hex. */
export async function sha256OfStream(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
