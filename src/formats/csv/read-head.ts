import { withRoom } from '../bytes/with-room.ts';
import type { ReadOptions } from '../read-options.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { dialectOf } from './dialect.ts';
import { type Header, readBytes, readHeader } from './header.ts';
import { headerOfNames } from './header-of-names.ts';
import { newScan } from './records/scan-record.ts';

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
  source: Pick<ByteSource, 'name' | 'contentName' | 'decompressor' | 'chunks'>,
  options: ReadOptions,
): Promise<Head> {
  const { maxRecordBytes, maxColumns, names, loneCr } = options;
  const dialect = dialectOf({ ...options, file: source.contentName });
  const limits = { dialect, file: source.name, maxRecordBytes, maxColumns };
  const scan = newScan(0);
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  for (;;) {
    const { value, done } = await source.chunks.next();
    if (value !== undefined) {
      buffer = withRoom(buffer, length, value.length);
      length += value.copy(buffer, length);
    }
    const bytes = buffer.subarray(0, length);
    const { decompressor } = source;
    const header =
      names === undefined
        ? readHeader(bytes, done === true, { ...limits, decompressor, scan })
        : headerOfNames(names, bytes, done === true, { ...limits, decompressor, loneCr, scan });
    if (header !== undefined) return { header, rest: bytes.subarray(readBytes(header).length) };
  }
}
