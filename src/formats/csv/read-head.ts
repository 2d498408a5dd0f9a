import { withRoom } from '../bytes/with-room.ts';
import type { ColumnOptions } from '../column-options.ts';
import type { ReadOptions } from '../read-options.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { FIRST_NUMBER_BYTES } from '../required-numbers.ts';
import { dialectOf } from './dialect.ts';
import { type Header, readBytes, readHeader } from './header.ts';
import { headerOfNames } from './header-of-names.ts';
import { newScan } from './records/scan-record.ts';
import { afterLines } from './skip-lines.ts';

/** The result of reading a header. */
export interface Head {
  header: Header;
  /** Bytes that were read after the header. */
  rest: Buffer;
}

/**
 * Reads the header of a source.
 *
 * @returns the header, and the bytes that were read after it
 */
export async function readHead(
  source: Pick<ByteSource, 'name' | 'contentName' | 'decodedBy' | 'chunks'>,
  options: ReadOptions & Pick<ColumnOptions, 'writes'>,
): Promise<Head> {
  const { maxRecordBytes, maxColumns, names, loneCr, skipLines = 0 } = options;
  const dialect = dialectOf({ ...options, file: source.contentName });
  const limits = { dialect, file: source.name, maxRecordBytes, maxColumns, linesBefore: skipLines };
  const scan = newScan(0);
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  for (;;) {
    const { value, done } = await source.chunks.next();
    if (value !== undefined) {
      buffer = withRoom(buffer, length, value.length);
      length += value.copy(buffer, length);
    }
    const read = buffer.subarray(0, length);
    const from = afterLines(read, skipLines, done === true, limits);
    if (from === undefined) continue;
    const bytes = read.subarray(from);
    const { decodedBy } = source;
    const header =
      names === undefined
        ? readHeader(bytes, done === true, { ...limits, decodedBy, scan })
        : headerOfNames(names, bytes, done === true, { ...limits, decodedBy, loneCr, scan });
    if (header === undefined) continue;
    const before = from === 0 ? undefined : { bytes: Buffer.from(read.subarray(0, from)), lines: skipLines };
    const found = before === undefined ? header : { ...header, before };
    let rest: Buffer = read.subarray(readBytes(found).length);
    // Whatever the size of chunks is, the same rows show what is in the columns.
    while (options.writes?.hasNumbers && rest.length < FIRST_NUMBER_BYTES) {
      const more = await source.chunks.next();
      if (more.done) break;
      rest = Buffer.concat([rest, more.value]);
    }
    return { header: found, rest };
  }
}
