import {
  CHUNK,
  CODECS,
  COLUMN,
  DATA_PAGE_V2,
  ENCODING,
  ENCODING_STATISTICS,
  PAGE,
  PAGE_TYPE,
  STATISTICS,
  TYPES,
} from '../footer/numbers.ts';
import { ThriftStruct, writeStruct } from '../footer/thrift.ts';
import type { NumberColumn } from './number-column.ts';

/** Rows of a page, whose values take at most a mebibyte. */
const PAGE_ROWS = 1 << 17;

/**
 * Writes numbers as a chunk of doubles, as they are and not compressed: few of them repeat.
 *
 * @param offset of the chunk in the file
 * @returns its parts, one after the other
 */
export function numberChunk(
  column: NumberColumn,
  name: string,
  offset: number,
): { parts: Uint8Array[]; bytes: number; chunk: ThriftStruct } {
  const parts: Uint8Array[] = [];
  let pages = 0;
  for (let from = 0, first = 0; from < column.rows; from += PAGE_ROWS, pages++) {
    const rows = Math.min(PAGE_ROWS, column.rows - from);
    const { values, present } = column.slice(from, from + rows, first);
    first += values.length;
    parts.push(...pageOf(values, present, rows));
  }
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  const metadata = new ThriftStruct();
  metadata.setInteger(COLUMN.type, TYPES.indexOf('DOUBLE'), 'i32');
  metadata.setIntegers(COLUMN.encodings, [ENCODING.plain, ENCODING.hybrid]);
  metadata.setTexts(COLUMN.path, [name]);
  metadata.setInteger(COLUMN.codec, CODECS.indexOf('UNCOMPRESSED'), 'i32');
  metadata.setInteger(COLUMN.values, column.rows, 'i64');
  metadata.setInteger(COLUMN.uncompressedBytes, bytes, 'i64');
  metadata.setInteger(COLUMN.compressedBytes, bytes, 'i64');
  metadata.setInteger(COLUMN.dataPage, offset, 'i64');
  metadata.setStruct(COLUMN.statistics, statisticsOf(column));
  metadata.setStructs(COLUMN.encodingStatistics, [encodingStatistics(pages)]);
  const chunk = new ThriftStruct();
  chunk.setInteger(CHUNK.offset, 0, 'i64');
  chunk.setStruct(CHUNK.metadata, metadata);
  return { parts, bytes, chunk };
}

function pageOf(values: Float64Array, present: Uint8Array | undefined, rows: number): Uint8Array[] {
  const levels = levelsOf(present, rows);
  const size = levels.length + values.byteLength;
  const data = new ThriftStruct();
  data.setInteger(DATA_PAGE_V2.values, rows, 'i32');
  data.setInteger(DATA_PAGE_V2.missing, rows - values.length, 'i32');
  data.setInteger(DATA_PAGE_V2.rows, rows, 'i32');
  data.setInteger(DATA_PAGE_V2.encoding, ENCODING.plain, 'i32');
  data.setInteger(DATA_PAGE_V2.levelBytes, levels.length, 'i32');
  data.setInteger(DATA_PAGE_V2.repetitionBytes, 0, 'i32');
  const header = new ThriftStruct();
  header.setInteger(PAGE.type, PAGE_TYPE.dataV2, 'i32');
  header.setInteger(PAGE.uncompressedBytes, size, 'i32');
  header.setInteger(PAGE.compressedBytes, size, 'i32');
  header.setStruct(PAGE.dataV2, data);
  // Every processor that Node runs on with WebAssembly is little-endian, as the format is.
  return [writeStruct(header), levels, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)];
}

/** Whether each row has a value, in the hybrid encoding: a single run, of ones or of bits. */
function levelsOf(present: Uint8Array | undefined, rows: number): Uint8Array {
  if (present === undefined || !present.includes(0)) return Buffer.concat([varint(2 * rows), Buffer.of(1)]);
  const groups = Math.ceil(rows / 8);
  const bits = Buffer.alloc(groups);
  for (let row = 0; row < rows; row++)
    bits[row >> 3] = (bits[row >> 3] as number) | ((present[row] as number) << (row & 7));
  return Buffer.concat([varint(2 * groups + 1), bits]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

function statisticsOf({ values, rows }: NumberColumn): ThriftStruct {
  let [min, max, nans] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value < min) min = value;
    if (value > max) max = value;
    // biome-ignore lint/suspicious/noSelfCompare: faster than a call for each value
    if (value !== value) nans++;
  }
  const statistics = new ThriftStruct();
  statistics.setInteger(STATISTICS.missing, rows - values.length, 'i64');
  if (min <= max) {
    // A zero as a bound stands for both zeros (parquet.thrift).
    statistics.setBytes(STATISTICS.max, doubleBytes(max === 0 ? 0 : max));
    statistics.setBytes(STATISTICS.min, doubleBytes(min === 0 ? -0 : min));
  }
  statistics.setInteger(STATISTICS.nans, nans, 'i64');
  return statistics;
}

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

function encodingStatistics(pages: number): ThriftStruct {
  const statistics = new ThriftStruct();
  statistics.setInteger(ENCODING_STATISTICS.page, PAGE_TYPE.dataV2, 'i32');
  statistics.setInteger(ENCODING_STATISTICS.encoding, ENCODING.plain, 'i32');
  statistics.setInteger(ENCODING_STATISTICS.count, pages, 'i32');
  return statistics;
}
