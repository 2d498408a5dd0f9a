import type { Source } from '../../src/storage/source.ts';

/** All bytes of a source, from where it is. */
export async function contentOf({ chunks }: Pick<Source, 'chunks'>): Promise<Buffer> {
  const all: Buffer[] = [];
  for (let next = await chunks.next(); !next.done; next = await chunks.next())
    all.push(Buffer.from(next.value));
  return Buffer.concat(all);
}
