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
import { structOf, type ThriftStruct, writeStruct } from '../footer/thrift.ts';
import { snappyCompress } from '../libraries.ts';
import { MAGIC, movedChunk } from './file-end.ts';

/** A column of a group as a file has it, as if it was the first one of the file. */
export interface WrittenChunk {
  /** Its bytes, one part after the other. */
  readonly parts: readonly Uint8Array[];
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

interface ChunkContent {
  readonly name: string;
  readonly type: PhysicalType;
  readonly isCompressed: boolean;
  readonly dictionary?: { readonly values: number; readonly bytes: Uint8Array } | undefined;
  readonly pages: readonly WrittenPage[];
  readonly statistics: ThriftStruct;
}

/** Writes a column chunk. */
export function writtenChunk(content: ChunkContent): WrittenChunk {
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
  const dataOffset = MAGIC.length + bytes;
  const encoding = dictionary === undefined ? ENCODING.plain : ENCODING.dictionary;
  for (const page of pages) add(dataHeader(page, encoding), page.levels, page.values);

  const metadata = structOf('i64', {
    [COLUMN.values]: pages.reduce((sum, page) => sum + page.rows, 0),
    [COLUMN.uncompressedBytes]: uncompressedBytes,
    [COLUMN.compressedBytes]: bytes,
    [COLUMN.dataPage]: dataOffset,
    [COLUMN.dictionaryPage]: dictionary && MAGIC.length,
    [COLUMN.statistics]: statistics,
  });
  metadata.setInteger(COLUMN.type, TYPES.indexOf(type), 'i32');
  metadata.setIntegers(COLUMN.encodings, [...new Set([ENCODING.plain, ENCODING.hybrid, encoding])]);
  metadata.setTexts(COLUMN.path, [name]);
  metadata.setInteger(COLUMN.codec, CODECS.indexOf(isCompressed ? 'SNAPPY' : 'UNCOMPRESSED'), 'i32');
  metadata.setStructs(COLUMN.encodingStatistics, [
    ...(dictionary === undefined ? [] : [encodingStatistics(PAGE_TYPE.dictionary, ENCODING.plain, 1)]),
    encodingStatistics(PAGE_TYPE.dataV2, encoding, pages.length),
  ]);
  const chunk = structOf('i64', { [CHUNK.offset]: 0, [CHUNK.metadata]: metadata });
  return { parts, chunk };
}

const dictionaryHeader = (values: number): ThriftStruct =>
  structOf('i32', {
    [PAGE.type]: PAGE_TYPE.dictionary,
    [PAGE.dictionary]: structOf('i32', { [DATA_PAGE.values]: values, [DATA_PAGE.encoding]: ENCODING.plain }),
  });

const dataHeader = ({ rows, missing, levels }: WrittenPage, encoding: number): ThriftStruct =>
  structOf('i32', {
    [PAGE.type]: PAGE_TYPE.dataV2,
    [PAGE.dataV2]: structOf('i32', {
      [DATA_PAGE_V2.values]: rows,
      [DATA_PAGE_V2.missing]: missing,
      [DATA_PAGE_V2.rows]: rows,
      [DATA_PAGE_V2.encoding]: encoding,
      [DATA_PAGE_V2.levelBytes]: levels.length,
      [DATA_PAGE_V2.repetitionBytes]: 0,
    }),
  });

const encodingStatistics = (page: number, encoding: number, count: number): ThriftStruct =>
  structOf('i32', {
    [ENCODING_STATISTICS.page]: page,
    [ENCODING_STATISTICS.encoding]: encoding,
    [ENCODING_STATISTICS.count]: count,
  });

/** Statistics without bounds. @param missing rows without a value */
export const missingStatistics = (missing: number): ThriftStruct =>
  structOf('i64', { [STATISTICS.missing]: missing });

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

/** A group that is being written. */
export class WrittenGroup {
  bytes = 0;
  /** Its chunks, at the offsets that they have in a file of which this is the first group. */
  readonly chunks: ThriftStruct[] = [];
  readonly #append: (bytes: Uint8Array) => Promise<void>;

  constructor(append: (bytes: Uint8Array) => Promise<void>) {
    this.#append = append;
  }

  async write(part: Uint8Array): Promise<void> {
    this.bytes += part.length;
    await this.#append(part);
  }

  async add({ chunk, parts }: WrittenChunk): Promise<void> {
    this.chunks.push(movedChunk(chunk, this.bytes));
    for (const part of parts) await this.write(part);
  }
}

export const bytesOfChunks = (chunks: readonly ThriftStruct[]): number =>
  chunks.reduce((sum, chunk) => sum + chunk.struct(CHUNK.metadata).integer(COLUMN.uncompressedBytes), 0);
