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
import type { Compressors } from '../libraries.ts';
import { countPresent, readHybrid, readLevels } from './levels.ts';
import {
  type CellPage,
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
 * Decodes the pages of a column's chunk in the encodings that most files have: plain values and dictionaries. It does
 * not make a value of each row, which makes a file of dictionaries several times as fast as hyparquet.
 *
 * @param bytes of the chunk
 * @param group its rows, the kind of the cells, what decompresses pages, and how many values its dictionaries may still
 *   have
 * @returns undefined if a page is encoded in another way, which hyparquet decodes: the levels of all pages are checked
 *   before, because it would fill memory with a run that is too long
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
): TextPage[] | undefined {
  const [element] = column.elements;
  const physical = element && TYPES[element.integer(ELEMENT.type)];
  const codec = CODECS[chunk.struct(CHUNK.metadata).integer(COLUMN.codec)];
  if (element === undefined || physical === undefined) return undefined;
  if (codec === undefined || codec === 'LZO') throw unsupportedCodec(column.name);
  const level = definitionLevel(column);
  const plain = plainReader(
    physical,
    element.has(ELEMENT.typeLength) ? element.integer(ELEMENT.typeLength) : 0,
  );
  let isOther = plain === undefined;
  const add = valueAdder(column, kind);
  const isText = column.type.is === 'text';
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
      if (plain === undefined) continue;
      const count = header.struct(PAGE.dictionary).integer(DATA_PAGE.values);
      const page = unpacked(body, size);
      if (count < 0 || count > page.length) throw new Error('a dictionary has more values than bytes');
      dictionaries.left -= count;
      if (dictionaries.left < 0) throw new Error('a dictionary has many more values than its group has rows');
      dictionary = isText
        ? textCells(page, 0, count, kind)
        : cellsOf(count, kind, into => plain(page, 0, count, value => add(value, into)));
      continue;
    }
    const split = type === PAGE_TYPE.data ? splitV1 : type === PAGE_TYPE.dataV2 ? splitV2 : undefined;
    const data = split?.(header, body, { size, unpacked, level, most: rows - done });
    if (data === undefined) return undefined;
    const { values, encoding, page, levels } = data;
    const count = countPresent(levels, values);
    const isCoded = encoding === ENCODING.dictionary || encoding === ENCODING.plainDictionary;
    if (plain === undefined) isOther = true;
    else if (isCoded) {
      if (dictionary === undefined) throw new Error('a dictionary is missing');
      const bits = count === 0 ? 0 : (page[data.at] ?? 0);
      if (bits > MAX_BITS) return undefined;
      const codes = page.subarray(data.at + 1);
      if (count === values) pages.push({ is: 'coded', rows: values, bytes: codes, bits, dictionary });
      else pages.push(spreadCodes({ bytes: codes, bits, dictionary }, levels, { count, values }));
    } else if (encoding === ENCODING.plain && isDouble && count === values) {
      if (data.at + 8 * count > page.length) throw new Error('a page is cut off');
      pages.push({ is: 'doubles', rows: values, bytes: page.subarray(data.at, data.at + 8 * count) });
    } else if (encoding === ENCODING.plain) {
      const cells = isText
        ? textCells(page, data.at, count, kind)
        : cellsOf(count, kind, into => plain(page, data.at, count, value => add(value, into)));
      pages.push({ is: 'cells', rows: values, codes: undefined, ...spread(cells, levels, values) });
    } else if (encoding === ENCODING.hybrid && physical === 'BOOLEAN') {
      const bits = new Int32Array(count);
      readHybrid(page, data.at + 4, page.length, 1, bits, 2);
      const cells = cellsOf(count, kind, into => {
        for (const bit of bits) add(bit === 1, into);
      });
      pages.push({ is: 'cells', rows: values, codes: undefined, ...spread(cells, levels, values) });
    } else isOther = true;
    done += values;
  }
  return isOther ? undefined : pages;
}

const unsupportedCodec = (column: string): RowcastError =>
  new RowcastError(
    'unsupported_column',
    `the column "${sanitize(column)}" cannot be read: its compression is not supported`,
    { severity: 'stopped', hint: 'Write the file with another one, such as zstd.' },
  );

/** Larger dictionaries than of 2^24 values are left to hyparquet. */
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

/** The cells of a dictionary that are there, each in its row. */
function spreadCodes(
  coded: Omit<CodedPage, 'is' | 'rows'>,
  levels: Int32Array | undefined,
  { count, values }: { count: number; values: number },
): CellPage {
  const page = cellPage({ is: 'coded', rows: count, ...coded });
  const codes = new Int32Array(values);
  let next = 0;
  for (let row = 0; row < values; row++)
    codes[row] = levels?.[row] === 0 ? -1 : (page.codes?.[next++] as number);
  return { ...page, rows: values, codes };
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

function cellsOf(count: number, kind: TextKind, add: (into: CellWriter) => void): PageCells {
  const into = new CellWriter(count, kind);
  add(into);
  return into.cells;
}

/** The cells of texts, which are where they are if all can be. */
function textCells(page: Buffer, start: number, count: number, kind: TextKind): PageCells {
  if (4 * count > page.length - start) throw new Error('a page is cut off');
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let isOwn = kind === 'csv';
  for (let index = 0, at = start; index < count; index++) {
    const from = at + 4;
    if (from > page.length) throw new Error('a page is cut off');
    at = from + page.readUInt32LE(at);
    if (at > page.length) throw new Error('a page is cut off');
    starts[index] = from;
    ends[index] = at;
    isOwn &&= isOwnCell(page, from, at);
  }
  if (isOwn) return { bytes: page, starts, ends };
  return cellsOf(count, kind, into => {
    for (let index = 0; index < count; index++) into.addText(page.subarray(starts[index], ends[index]));
  });
}

type PlainReader = (page: Buffer, start: number, count: number, each: (value: Physical) => void) => void;

/** Reads plain values of a physical type. @returns undefined for those that hyparquet reads */
function plainReader(physical: (typeof TYPES)[number], size: number): PlainReader | undefined {
  const fixed =
    (bytes: number, read: (page: Buffer, at: number) => Physical): PlainReader =>
    (page, start, count, each) => {
      if (start + bytes * count > page.length) throw new Error('a page is cut off');
      for (let index = 0; index < count; index++) each(read(page, start + bytes * index));
    };
  switch (physical) {
    case 'INT32':
      return fixed(4, (page, at) => page.readInt32LE(at));
    case 'INT64':
      return fixed(8, (page, at) => page.readBigInt64LE(at));
    case 'FLOAT':
      return fixed(4, (page, at) => page.readFloatLE(at));
    case 'DOUBLE':
      return fixed(8, (page, at) => page.readDoubleLE(at));
    case 'FIXED_LEN_BYTE_ARRAY':
      return size > 0 ? fixed(size, (page, at) => page.subarray(at, at + size)) : undefined;
    case 'BYTE_ARRAY':
      return (page, start, count, each) => {
        for (let index = 0, at = start; index < count; index++) {
          if (at + 4 > page.length) throw new Error('a page is cut off');
          const from = at + 4;
          at = from + page.readUInt32LE(at);
          if (at > page.length) throw new Error('a page is cut off');
          each(page.subarray(from, at));
        }
      };
    case 'BOOLEAN':
      return (page, start, count, each) => {
        if (start + Math.ceil(count / 8) > page.length) throw new Error('a page is cut off');
        for (let index = 0; index < count; index++)
          each((((page[start + (index >> 3)] as number) >> (index & 7)) & 1) === 1);
      };
    case 'INT96':
      return undefined;
  }
}
