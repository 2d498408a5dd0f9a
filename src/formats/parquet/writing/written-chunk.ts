import {
  CHUNK,
  CODECS,
  COLUMN,
  DATA_PAGE,
  DATA_PAGE_V2,
  ENCODING,
  ENCODING_STATISTICS,
  PAGE,
  PAGE_TYPE,
  STATISTICS,
  TYPES,
} from '../footer/numbers.ts';
import { ThriftStruct, writeStruct } from '../footer/thrift.ts';
import { snappyCompress } from '../libraries.ts';

/** A column of a group as a file has it. */
export interface WrittenChunk {
  /** Its bytes, one part after the other. */
  readonly parts: readonly Uint8Array[];
  readonly bytes: number;
  readonly chunk: ThriftStruct;
}

/** A page, of data or of a dictionary, before it is compressed. */
export interface WrittenPage {
  readonly rows: number;
  readonly missing: number;
  /** Whether each row has a value. */
  readonly levels: Uint8Array;
  readonly values: Uint8Array;
}

/** The types of values as a file stores them, of those that are written. */
export type PhysicalType = 'BOOLEAN' | 'INT32' | 'INT64' | 'FLOAT' | 'DOUBLE' | 'BYTE_ARRAY';

export interface ChunkContent {
  readonly name: string;
  readonly type: PhysicalType;
  readonly isCompressed: boolean;
  readonly dictionary?: { readonly values: number; readonly bytes: Uint8Array } | undefined;
  readonly pages: readonly WrittenPage[];
  readonly statistics: ThriftStruct;
}

/**
 * Writes a column chunk.
 *
 * @param offset of the chunk in the file
 */
export function writtenChunk(content: ChunkContent, offset: number): WrittenChunk {
  const { name, type, isCompressed, dictionary, pages, statistics } = content;
  const compress = isCompressed ? snappyCompress : (bytes: Uint8Array) => bytes;
  const parts: Uint8Array[] = [];
  let [bytes, uncompressedBytes] = [0, 0];
  const add = (header: ThriftStruct, levels: Uint8Array, values: Uint8Array): void => {
    const compressed = compress(values);
    header.setInteger(PAGE.uncompressedBytes, levels.length + values.length, 'i32');
    header.setInteger(PAGE.compressedBytes, levels.length + compressed.length, 'i32');
    const head = writeStruct(header);
    parts.push(head, levels, compressed);
    bytes += head.length + levels.length + compressed.length;
    uncompressedBytes += head.length + levels.length + values.length;
  };
  if (dictionary !== undefined) add(dictionaryHeader(dictionary.values), new Uint8Array(), dictionary.bytes);
  const dataOffset = offset + bytes;
  const encoding = dictionary === undefined ? ENCODING.plain : ENCODING.dictionary;
  for (const page of pages) add(dataHeader(page, encoding), page.levels, page.values);

  const metadata = new ThriftStruct();
  metadata.setInteger(COLUMN.type, TYPES.indexOf(type), 'i32');
  metadata.setIntegers(COLUMN.encodings, [...new Set([ENCODING.plain, ENCODING.hybrid, encoding])]);
  metadata.setTexts(COLUMN.path, [name]);
  metadata.setInteger(COLUMN.codec, CODECS.indexOf(isCompressed ? 'SNAPPY' : 'UNCOMPRESSED'), 'i32');
  const rows = pages.reduce((sum, page) => sum + page.rows, 0);
  metadata.setInteger(COLUMN.values, rows, 'i64');
  metadata.setInteger(COLUMN.uncompressedBytes, uncompressedBytes, 'i64');
  metadata.setInteger(COLUMN.compressedBytes, bytes, 'i64');
  metadata.setInteger(COLUMN.dataPage, dataOffset, 'i64');
  if (dictionary !== undefined) metadata.setInteger(COLUMN.dictionaryPage, offset, 'i64');
  metadata.setStruct(COLUMN.statistics, statistics);
  metadata.setStructs(COLUMN.encodingStatistics, [
    ...(dictionary === undefined ? [] : [encodingStatistics(PAGE_TYPE.dictionary, ENCODING.plain, 1)]),
    encodingStatistics(PAGE_TYPE.dataV2, encoding, pages.length),
  ]);
  const chunk = new ThriftStruct();
  chunk.setInteger(CHUNK.offset, 0, 'i64');
  chunk.setStruct(CHUNK.metadata, metadata);
  return { parts, bytes, chunk };
}

function dictionaryHeader(values: number): ThriftStruct {
  const dictionary = new ThriftStruct();
  dictionary.setInteger(DATA_PAGE.values, values, 'i32');
  dictionary.setInteger(DATA_PAGE.encoding, ENCODING.plain, 'i32');
  const header = new ThriftStruct();
  header.setInteger(PAGE.type, PAGE_TYPE.dictionary, 'i32');
  header.setStruct(PAGE.dictionary, dictionary);
  return header;
}

function dataHeader({ rows, missing, levels }: WrittenPage, encoding: number): ThriftStruct {
  const data = new ThriftStruct();
  data.setInteger(DATA_PAGE_V2.values, rows, 'i32');
  data.setInteger(DATA_PAGE_V2.missing, missing, 'i32');
  data.setInteger(DATA_PAGE_V2.rows, rows, 'i32');
  data.setInteger(DATA_PAGE_V2.encoding, encoding, 'i32');
  data.setInteger(DATA_PAGE_V2.levelBytes, levels.length, 'i32');
  data.setInteger(DATA_PAGE_V2.repetitionBytes, 0, 'i32');
  const header = new ThriftStruct();
  header.setInteger(PAGE.type, PAGE_TYPE.dataV2, 'i32');
  header.setStruct(PAGE.dataV2, data);
  return header;
}

function encodingStatistics(page: number, encoding: number, count: number): ThriftStruct {
  const statistics = new ThriftStruct();
  statistics.setInteger(ENCODING_STATISTICS.page, page, 'i32');
  statistics.setInteger(ENCODING_STATISTICS.encoding, encoding, 'i32');
  statistics.setInteger(ENCODING_STATISTICS.count, count, 'i32');
  return statistics;
}

/** Statistics without bounds. @param missing rows without a value */
export function missingStatistics(missing: number): ThriftStruct {
  const statistics = new ThriftStruct();
  statistics.setInteger(STATISTICS.missing, missing, 'i64');
  return statistics;
}

/** The statistics of doubles. @param missing rows without one */
export function doubleStatistics(values: Float64Array, missing: number): ThriftStruct {
  let [min, max, nans] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (value < min) min = value;
    if (value > max) max = value;
    if (Number.isNaN(value)) nans++;
  }
  const statistics = missingStatistics(missing);
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
