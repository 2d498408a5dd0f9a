/** The numbers that parquet.thrift of the Parquet format gives members and values, as far as they are used here. */

export const FILE = {
  version: 1,
  schema: 2,
  rows: 3,
  groups: 4,
  keyValues: 5,
  createdBy: 6,
  columnOrders: 7,
  encryption: 8,
} as const;

export const KEY_VALUE = { key: 1, value: 2 } as const;

export const ELEMENT = {
  type: 1,
  typeLength: 2,
  repetition: 3,
  name: 4,
  children: 5,
  converted: 6,
  scale: 7,
  logical: 10,
} as const;

export const GROUP = {
  columns: 1,
  bytes: 2,
  rows: 3,
  sorting: 4,
  offset: 5,
  compressedBytes: 6,
  ordinal: 7,
} as const;

export const CHUNK = {
  path: 1,
  offset: 2,
  metadata: 3,
  offsetIndex: 4,
  offsetIndexBytes: 5,
  columnIndex: 6,
  columnIndexBytes: 7,
  encryption: 8,
  encrypted: 9,
} as const;

export const COLUMN = {
  type: 1,
  encodings: 2,
  path: 3,
  codec: 4,
  values: 5,
  uncompressedBytes: 6,
  compressedBytes: 7,
  dataPage: 9,
  indexPage: 10,
  dictionaryPage: 11,
  statistics: 12,
  encodingStatistics: 13,
  bloomFilter: 14,
  bloomFilterBytes: 15,
} as const;

/** Physical types. */
export const TYPES = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
] as const;

/** Kinds of repetition. */
export const [REQUIRED, OPTIONAL, REPEATED] = [0, 1, 2] as const;

/** Converted types, which older writers use in place of logical types. */
export const CONVERTED = [
  'UTF8',
  'MAP',
  'MAP_KEY_VALUE',
  'LIST',
  'ENUM',
  'DECIMAL',
  'DATE',
  'TIME_MILLIS',
  'TIME_MICROS',
  'TIMESTAMP_MILLIS',
  'TIMESTAMP_MICROS',
  'UINT_8',
  'UINT_16',
  'UINT_32',
  'UINT_64',
  'INT_8',
  'INT_16',
  'INT_32',
  'INT_64',
  'JSON',
  'BSON',
  'INTERVAL',
] as const;

/** Members of the union of logical types. */
export const LOGICAL = {
  string: 1,
  map: 2,
  list: 3,
  enum: 4,
  decimal: 5,
  date: 6,
  time: 7,
  timestamp: 8,
  integer: 10,
  unknown: 11,
  json: 12,
  bson: 13,
  uuid: 14,
  float16: 15,
} as const;

/** Compressions. */
export const CODECS = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'LZO', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW'] as const;

export const PAGE = {
  type: 1,
  uncompressedBytes: 2,
  compressedBytes: 3,
  data: 5,
  dictionary: 7,
  dataV2: 8,
} as const;

/** Types of pages. */
export const PAGE_TYPE = { data: 0, dictionary: 2, dataV2: 3 } as const;

export const DATA_PAGE = { values: 1, encoding: 2, levels: 3 } as const;

export const DATA_PAGE_V2 = {
  values: 1,
  missing: 2,
  rows: 3,
  encoding: 4,
  levelBytes: 5,
  repetitionBytes: 6,
  isCompressed: 7,
} as const;

export const STATISTICS = { missing: 3, max: 5, min: 6, nans: 9 } as const;

export const ENCODING_STATISTICS = { page: 1, encoding: 2, count: 3 } as const;

/** Encodings of values. */
export const ENCODING = {
  plain: 0,
  plainDictionary: 2,
  hybrid: 3,
  deltaIntegers: 5,
  deltaSizes: 6,
  deltaTexts: 7,
  dictionary: 8,
  byteStreamSplit: 9,
} as const;
