import { STATISTICS } from '../footer/numbers.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import { allPresent, levelsOf, writeHybrid } from './number-chunk.ts';
import type { ValueColumn } from './value-column.ts';
import {
  doubleStatistics,
  missingStatistics,
  type PhysicalType,
  type WrittenChunk,
  type WrittenPage,
  writtenChunk,
} from './written-chunk.ts';

/** Rows, and bytes of values, that a page has at most, unless one value has more. */
const [PAGE_ROWS, PAGE_BYTES] = [1 << 17, 1 << 20];
/** Longer texts are not in statistics, which are kept in memory for each group. */
const MAX_BOUND_BYTES = 64;

/**
 * Writes values as a chunk, compressed: with a dictionary if that makes it half as large or less.
 *
 * @param column of values as a file stores them
 * @param type that of the values, which are no booleans
 */
export function valueChunk(column: ValueColumn, name: string, type: PhysicalType): WrittenChunk {
  const { codes, dictionary } = column;
  const isWhole = column.present === column.rows;
  const { bytes, ends } = dictionary;
  const prefix = type === 'BYTE_ARRAY' ? 4 : 0;
  const sizeOf = (value: number): number =>
    prefix + (ends[value] as number) - (value === 0 ? 0 : (ends[value - 1] as number));
  /** Writes a value plainly. @returns the offset after it */
  const write = (value: number, into: Buffer, at: number): number => {
    const size = sizeOf(value) - prefix;
    const from = (ends[value] as number) - size;
    const start = prefix > 0 ? into.writeUInt32LE(size, at) : at;
    if (size > 32) bytes.copy(into, start, from, from + size);
    else for (let index = 0; index < size; index++) into[start + index] = bytes[from + index] as number;
    return start + size;
  };

  const { present } = column;
  const plainBytes = column.presentBytes + prefix * present;
  const bits = Math.max(1, Math.ceil(Math.log2(ends.length)));
  const dictionaryBytes = prefix * ends.length + (ends.at(-1) ?? 0);
  const hasDictionary = present > 0 && 2 * (dictionaryBytes + Math.ceil((present * bits) / 8)) <= plainBytes;

  const pages: WrittenPage[] = [];
  for (let from = 0; from < codes.length; ) {
    let to = Math.min(codes.length, from + PAGE_ROWS);
    let size = 0;
    if (!hasDictionary)
      for (let row = from; row < to; row++) {
        const code = codes[row] as number;
        const more = code < 0 ? 0 : sizeOf(code);
        if (size + more > PAGE_BYTES && row > from) to = row;
        else size += more;
      }
    const own = codes.subarray(from, to);
    const there = isWhole ? own : own.filter(code => code >= 0);
    const levels = isWhole ? allPresent(own.length) : levelsOf(own.map(code => (code < 0 ? 0 : 1)));
    let values: Buffer;
    if (hasDictionary) values = Buffer.concat([Buffer.of(bits), writeHybrid(there, bits)]);
    else {
      values = Buffer.alloc(size);
      let at = 0;
      for (let index = 0; index < there.length; index++) at = write(there[index] as number, values, at);
    }
    pages.push({ rows: own.length, missing: own.length - there.length, levels, values });
    from = to;
  }

  const all = Buffer.alloc(hasDictionary ? dictionaryBytes : 0);
  if (hasDictionary) for (let value = 0, at = 0; value < ends.length; value++) at = write(value, all, at);
  const missing = codes.length - present;
  return writtenChunk({
    name,
    type,
    isCompressed: true,
    dictionary: hasDictionary ? { values: ends.length, bytes: all } : undefined,
    pages,
    statistics: statisticsOf(column, type, missing),
  });
}

function statisticsOf(column: ValueColumn, type: PhysicalType, missing: number): ThriftStruct {
  if (type === 'BYTE_ARRAY') return textStatistics(column, missing);
  return type === 'DOUBLE' ? doublesIn(column, missing) : missingStatistics(missing);
}

function doublesIn({ codes, dictionary: { bytes, ends } }: ValueColumn, missing: number): ThriftStruct {
  const values = Float64Array.from({ length: ends.length }, (_, value) => bytes.readDoubleLE(8 * value));
  const statistics = doubleStatistics(values, missing);
  const nans = values.some(Number.isNaN)
    ? codes.reduce((sum, code) => sum + (Number.isNaN(values[code]) ? 1 : 0), 0)
    : 0;
  statistics.setInteger(STATISTICS.nans, nans, 'i64');
  return statistics;
}

/** Texts are compared by their bytes. */
function textStatistics({ dictionary: { bytes, ends } }: ValueColumn, missing: number): ThriftStruct {
  let [min, max]: (Buffer | undefined)[] = [];
  for (let value = 0, from = 0; value < ends.length; value++) {
    const to = ends[value] as number;
    if (min === undefined || bytes.compare(min, 0, min.length, from, to) < 0) min = bytes.subarray(from, to);
    if (max === undefined || bytes.compare(max, 0, max.length, from, to) > 0) max = bytes.subarray(from, to);
    from = to;
  }
  const statistics = missingStatistics(missing);
  if (min !== undefined && max !== undefined && Math.max(min.length, max.length) <= MAX_BOUND_BYTES) {
    statistics.setBytes(STATISTICS.max, Buffer.from(max));
    statistics.setBytes(STATISTICS.min, Buffer.from(min));
  }
  return statistics;
}
