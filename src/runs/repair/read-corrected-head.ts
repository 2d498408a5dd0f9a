import { readBytes } from '../../formats/csv/header.ts';
import { type Head, readHead } from '../../formats/csv/read-head.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import type { Source } from '../../storage/source.ts';

/**
 * Reads the head of the corrections of an output without a header: they may have been scored with that option too. Then
 * they begin with a row, and so with its number.
 */
export async function readCorrectedHead(source: Source, options: ReadOptions): Promise<Head> {
  const head = await readHead(source, { ...options, names: 'numbers' });
  const { rest, header } = head;
  const isRow = /^\W?\d/.test(rest.toString('latin1', 0, 2));
  if (isRow || header.names.length === 0) return head;
  return readHead(
    { ...named(source), chunks: chunksOf(Buffer.concat([readBytes(header), rest]), source) },
    options,
  );
}

const named = ({ name, contentName }: Source): Pick<Source, 'name' | 'contentName'> => ({
  name,
  contentName,
});

/** The bytes that were read, then the others. */
async function* chunksOf(read: Buffer, { chunks }: Source): AsyncGenerator<Buffer> {
  yield read;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}
