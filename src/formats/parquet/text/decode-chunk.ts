import { RowcastError } from '../../../base/errors.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { definitionLevel, type FileColumn } from '../footer/file-column.ts';
import {
  CHUNK,
  CODECS,
  COLUMN,
  DATA_PAGE,
  DATA_PAGE_V2,
  ELEMENT,
  ENCODING,
  PAGE,
  PAGE_TYPE,
  TYPES,
} from '../footer/numbers.ts';
import { readStructAt, type ThriftStruct } from '../footer/thrift.ts';
import {
  byteStreamSplit,
  type Compressors,
  deltaBinaryUnpack,
  deltaByteArray,
  deltaLengthByteArray,
} from '../libraries.ts';
import { countPresent, readHybrid, readLevels } from './levels.ts';
import {
  CellWriter,
  type CodedPage,
  cellPage,
  isOwnCell,
  type PageCells,
  type TextKind,
  type TextPage,
  valueAdder,
} from './text-page.ts';
import type { Physical } from './value-text.ts';

/**
 * Decodes the pages of a column's chunk. Plain values and dictionaries, which most files have, are decoded here,
 * without a value for each row; the values of other encodings by hyparquet.
 *
 * @param bytes of the chunk
 * @param group its rows, the kind of the cells, what decompresses pages, and how many values its dictionaries may still
 *   have
 * @throws Error if the chunk is damaged; RowcastError `unsupported_column`
 */
export function decodeChunk(
  bytes: Buffer,
  chunk: ThriftStruct,
  column: FileColumn,
  {
    rows,
    kind,
    decompressors,
    dictionaries,
  }: { rows: number; kind: TextKind; decompressors: Compressors; dictionaries: { left: number } },
): TextPage[] {
  const [element] = column.elements;
  const physical = element && TYPES[element.integer(ELEMENT.type)];
  const codec = CODECS[chunk.struct(CHUNK.metadata).integer(COLUMN.codec)];
  if (element === undefined || physical === undefined) throw new Error('its type is not known');
  if (codec === undefined || codec === 'LZO') throw unsupportedCodec(column.name);
  const level = definitionLevel(column);
  const size = element.has(ELEMENT.typeLength) ? element.integer(ELEMENT.typeLength) : 0;
  const add = valueAdder(column, kind);
  const cellsOf = (page: Buffer, at: number, count: number, encoding: number): PageCells => {
    if (column.type.is === 'text' && encoding === ENCODING.plain) return textCells(page, at, count, kind);
    const into = new CellWriter(count, kind);
    eachValue(page, at, { count, encoding, physical, size }, value => add(value, into));
    return into.cells;
  };
  const isDouble = column.type.is === 'double' && physical === 'DOUBLE' && kind === 'csv';
  const unpacked = (page: Buffer, size: number): Buffer => {
    if (codec === 'UNCOMPRESSED') return page;
    const decompress = decompressors[codec];
    if (decompress === undefined) throw new Error(`the compression ${codec} is not known`);
    const whole = decompress(page, size);
    if (whole.length !== size) throw new Error('a page has another size than it says');
    return Buffer.from(whole.buffer, whole.byteOffset, whole.length);
  };
  const pages: TextPage[] = [];
  let dictionary: PageCells | undefined;
  let done = 0;
  for (let at = 0; done < rows; ) {
    if (at >= bytes.length) throw new Error('a column does not have all rows');
    const { struct: header, end: start } = readStructAt(bytes, at);
    const size = header.integer(PAGE.uncompressedBytes);
    at = start + header.integer(PAGE.compressedBytes);
    if (at > bytes.length || at < start) throw new Error('a page is cut off');
    const body = bytes.subarray(start, at);
    const type = header.integer(PAGE.type);
    if (type === PAGE_TYPE.dictionary) {
      const count = header.struct(PAGE.dictionary).integer(DATA_PAGE.values);
      const page = unpacked(body, size);
      if (count < 0 || count > page.length) throw new Error('a dictionary has more values than bytes');
      dictionaries.left -= count;
      if (dictionaries.left < 0) throw new Error('a dictionary has many more values than its group has rows');
      dictionary = cellsOf(page, 0, count, ENCODING.plain);
      continue;
    }
    const split = type === PAGE_TYPE.data ? splitV1 : type === PAGE_TYPE.dataV2 ? splitV2 : undefined;
    if (split === undefined) throw new Error('a page is of a type that is not known');
    const data = split(header, body, { size, unpacked, level, most: rows - done });
    const { values, encoding, page, levels } = data;
    const count = countPresent(levels, values);
    if (encoding === ENCODING.dictionary || encoding === ENCODING.plainDictionary) {
      if (dictionary === undefined) throw new Error('a dictionary is missing');
      const bits = count === 0 ? 0 : (page[data.at] ?? 0);
      if (bits > MAX_BITS) throw new Error('a dictionary has more values than are read');
      const coded = { rows: count, bytes: page.subarray(data.at + 1), bits, dictionary };
      pages.push(spreadCodes({ is: 'coded', ...coded }, levels, values));
    } else if (encoding === ENCODING.plain && isDouble && count === values) {
      if (data.at + 8 * count > page.length) throw new Error('a page is cut off');
      pages.push({ is: 'doubles', rows: values, bytes: page.subarray(data.at, data.at + 8 * count) });
    } else {
      const cells = cellsOf(page, data.at, count, encoding);
      pages.push({ is: 'cells', rows: values, codes: undefined, ...spread(cells, levels, values) });
    }
    done += values;
  }
  return pages;
}

const unsupportedCodec = (column: string): RowcastError =>
  new RowcastError(
    'unsupported_column',
    `the column "${sanitize(column)}" cannot be read: its compression is not supported`,
    { severity: 'stopped', hint: 'Write the file with another one, such as zstd.' },
  );

/** The bits of a code in a dictionary of 2^24 values. */
const MAX_BITS = 24;

interface DataPage {
  readonly values: number;
  readonly encoding: number;
  /** The page, and where its values begin. */
  readonly page: Buffer;
  readonly at: number;
  /** For each row, whether it has a value; undefined if all have one. */
  readonly levels: Int32Array | undefined;
}

interface SplitOptions {
  /** Bytes of the page, uncompressed. */
  readonly size: number;
  readonly unpacked: (page: Buffer, size: number) => Buffer;
  /** The level of a value that is there; 0 if all are. */
  readonly level: number;
  /** The rows that are left. */
  readonly most: number;
}

type SplitPage = (header: ThriftStruct, body: Buffer, options: SplitOptions) => DataPage;

const splitV1: SplitPage = (header, body, { size, unpacked, level, most }) => {
  const data = header.struct(PAGE.data);
  const values = atMost(most, data.integer(DATA_PAGE.values));
  const encoding = data.integer(DATA_PAGE.encoding);
  const page = unpacked(body, size);
  if (level === 0) return { values, encoding, page, at: 0, levels: undefined };
  if (data.integer(DATA_PAGE.levels) !== ENCODING.hybrid)
    throw new Error('its levels are encoded in a way that is not read');
  const at = 4 + page.readUInt32LE(0);
  return { values, encoding, page, at, levels: readLevels(page, [4, at], values, level) };
};

const splitV2: SplitPage = (header, body, { size, unpacked, level, most }) => {
  const data = header.struct(PAGE.dataV2);
  const values = atMost(most, data.integer(DATA_PAGE_V2.values));
  const encoding = data.integer(DATA_PAGE_V2.encoding);
  const levelBytes = data.integer(DATA_PAGE_V2.levelBytes);
  if (data.integer(DATA_PAGE_V2.repetitionBytes) !== 0) throw new Error('its rows are repeated');
  const isCompressed = data.members.get(DATA_PAGE_V2.isCompressed)?.value !== false;
  const rest = body.subarray(levelBytes);
  const page = isCompressed ? unpacked(rest, size - levelBytes) : rest;
  const levels = level === 0 ? undefined : readLevels(body, [0, levelBytes], values, level);
  return { values, encoding, page, at: 0, levels };
};

function atMost(most: number, values: number): number {
  if (values < 0 || values > most) throw new Error('a column has more rows than its group');
  return values;
}

/** The values of a dictionary that are there, each in its row. */
function spreadCodes(coded: CodedPage, levels: Int32Array | undefined, rows: number): TextPage {
  if (coded.rows === rows) return coded;
  const page = cellPage(coded);
  let next = 0;
  const codes = levels?.map(level => (level === 0 ? -1 : (page.codes?.[next++] as number)));
  return { ...page, rows, codes };
}

/** The cells of the values that are there, each in its row. */
function spread(cells: PageCells, levels: Int32Array | undefined, values: number): PageCells {
  if (levels === undefined || cells.starts.length === values) return cells;
  const starts = new Int32Array(values);
  const ends = new Int32Array(values);
  let next = 0;
  for (let row = 0; row < values; row++) {
    const isMissing = levels[row] === 0;
    starts[row] = isMissing ? -1 : (cells.starts[next] as number);
    ends[row] = isMissing ? -1 : (cells.ends[next++] as number);
  }
  return { bytes: cells.bytes, starts, ends };
}

/** Where texts with their sizes before them are, and if it is asked for, whether all are their own cells. */
function textsIn(page: Buffer, start: number, count: number, mayBeOwn = false) {
  if (4 * count > page.length - start) throw new Error('a page is cut off');
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let isOwn = mayBeOwn;
  for (let index = 0, at = start; index < count; index++) {
    const from = at + 4;
    if (from > page.length) throw new Error('a page is cut off');
    at = from + page.readUInt32LE(at);
    if (at > page.length) throw new Error('a page is cut off');
    starts[index] = from;
    ends[index] = at;
    isOwn &&= isOwnCell(page, from, at);
  }
  return { starts, ends, isOwn };
}

/** The cells of texts, which are where they are if all can be. */
function textCells(page: Buffer, start: number, count: number, kind: TextKind): PageCells {
  const { starts, ends, isOwn } = textsIn(page, start, count, kind === 'csv');
  if (isOwn) return { bytes: page, starts, ends };
  const into = new CellWriter(count, kind);
  for (let index = 0; index < count; index++) into.addText(page.subarray(starts[index], ends[index]));
  return into.cells;
}

type PhysicalType = (typeof TYPES)[number];

/** The values of a page, without missing ones. */
interface PageValues {
  readonly count: number;
  readonly encoding: number;
  readonly physical: PhysicalType;
  /** Bytes of each value of fixed length. */
  readonly size: number;
}

/** How values are read that have so many bytes each. */
type FixedValue = readonly [bytes: number, read: (page: Buffer, at: number) => Physical];

const FIXED: Readonly<Partial<Record<PhysicalType, FixedValue>>> = {
  INT32: [4, (page, at) => page.readInt32LE(at)],
  INT64: [8, (page, at) => page.readBigInt64LE(at)],
  INT96: [12, (page, at) => (BigInt(page.readInt32LE(at + 8)) << 64n) | page.readBigUInt64LE(at)],
  FLOAT: [4, (page, at) => page.readFloatLE(at)],
  DOUBLE: [8, (page, at) => page.readDoubleLE(at)],
};

/** Calls with each value of a page, in order. */
function eachValue(page: Buffer, start: number, values: PageValues, each: (value: Physical) => void): void {
  const { count, encoding, physical, size } = values;
  if (encoding === ENCODING.hybrid && physical === 'BOOLEAN') {
    const bits = new Int32Array(count);
    readHybrid(page, start + 4, page.length, 1, bits, 2);
    for (const bit of bits) each(bit === 1);
  } else if (encoding !== ENCODING.plain) {
    for (const value of valuesOfLibrary(page, start, values)) each(value);
  } else if (physical === 'BOOLEAN') {
    if (start + Math.ceil(count / 8) > page.length) throw new Error('a page is cut off');
    for (let index = 0; index < count; index++)
      each((((page[start + (index >> 3)] as number) >> (index & 7)) & 1) === 1);
  } else if (physical === 'BYTE_ARRAY') {
    const { starts, ends } = textsIn(page, start, count);
    for (let index = 0; index < count; index++) each(page.subarray(starts[index], ends[index]));
  } else {
    const [bytes, read] = FIXED[physical] ?? [size, (page, at) => page.subarray(at, at + size)];
    if (bytes <= 0) throw new Error('its values have no size');
    if (start + bytes * count > page.length) throw new Error('a page is cut off');
    for (let index = 0; index < count; index++) each(read(page, start + bytes * index));
  }
}

/** The values of a page in an encoding that few files have, decoded by hyparquet. */
function valuesOfLibrary(
  page: Buffer,
  start: number,
  { count, encoding, physical, size }: PageValues,
): ArrayLike<Physical> & Iterable<Physical> {
  if (count === 0) return [];
  const reader = { view: new DataView(page.buffer, page.byteOffset, page.length), offset: start };
  const integers = physical === 'INT32' ? new Int32Array(count) : new BigInt64Array(count);
  const texts = new Array<Uint8Array>(count);
  let values: ArrayLike<Physical> & Iterable<Physical> = texts;
  if (encoding === ENCODING.deltaIntegers) {
    deltaBinaryUnpack(reader, count, integers);
    values = integers;
  } else if (encoding === ENCODING.deltaSizes) deltaLengthByteArray(reader, count, texts);
  else if (encoding === ENCODING.deltaTexts) deltaByteArray(reader, count, texts);
  else if (encoding === ENCODING.byteStreamSplit)
    values = byteStreamSplit(reader, count, physical, size) as typeof values; // not of lists
  else throw new Error(`its encoding ${encoding} is not known`);
  // Texts are read wherever their sizes lead.
  if (reader.offset > page.length) throw new Error('a page is cut off');
  return values;
}
