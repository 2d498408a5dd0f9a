// As src/formats/csv/fields/field-reader.ts, for records that need nothing but the offsets of their fields.

import { contentEnd } from './content-end';

/** The members of `RecordKind` whose fields are found here. */
const PLAIN = 0;
const QUOTED = 1;
const LANES = 16;

/**
 * Writes the offsets of the fields of records, from `first` on.
 *
 * @param bytes of the batch; as many as a vector has may be read behind them
 * @param recordEnds offsets at which its records end, and `kinds` what they are
 * @param quote -1 if fields are not quoted
 * @param endsWithCr whether a lone CR ends a record
 * @returns the first record that is blank, malformed, without the right number of fields, or has an escaped quote
 */
export function findFields(
  bytes: usize,
  recordEnds: usize,
  kinds: usize,
  first: i32,
  records: i32,
  width: i32,
  delimiter: i32,
  quote: i32,
  endsWithCr: bool,
  starts: usize,
  ends: usize,
): i32 {
  const delimiters = i8x16.splat(<i8>delimiter);
  let start = first === 0 ? 0 : load<i32>(recordEnds + ((<usize>first - 1) << 2));
  for (let index = first; index < records; index++) {
    const kind = <i32>load<u8>(kinds + index);
    if (kind > QUOTED) return index;
    const end = load<i32>(recordEnds + ((<usize>index) << 2));
    const content = contentEnd(bytes, start, end, endsWithCr);
    const isFound =
      kind === PLAIN
        ? findPlain(bytes, start, content, width, delimiters, starts, ends)
        : findQuoted(bytes, start, content, width, delimiter, quote, starts, ends);
    if (!isFound) return index;
    starts += (<usize>width) << 2;
    ends += (<usize>width) << 2;
    start = end;
  }
  return records;
}

function findPlain(
  bytes: usize,
  start: i32,
  end: i32,
  width: i32,
  delimiters: v128,
  starts: usize,
  ends: usize,
): bool {
  const last = starts + ((<usize>width - 1) << 2);
  store<i32>(starts, start);
  for (let at = start; at < end; at += LANES) {
    let found = i8x16.bitmask(i8x16.eq(v128.load(bytes + at), delimiters));
    if (end - at < LANES) found &= (1 << (end - at)) - 1;
    for (; found !== 0; found &= found - 1) {
      if (starts === last) return false;
      const to = at + ctz(found);
      store<i32>(ends, to);
      starts += 4;
      ends += 4;
      store<i32>(starts, to + 1);
    }
  }
  store<i32>(ends, end);
  return starts === last;
}

function findQuoted(
  bytes: usize,
  start: i32,
  end: i32,
  width: i32,
  delimiter: i32,
  quote: i32,
  starts: usize,
  ends: usize,
): bool {
  let at = start;
  for (let field = 0; field < width; field++, at++) {
    let from = at;
    let to = at;
    if (at < end && load<u8>(bytes + at) === quote) {
      from++;
      to++;
      while (load<u8>(bytes + to) !== quote) to++;
      at = to + 1;
      if (at < end && load<u8>(bytes + at) === quote) return false;
    } else {
      while (at < end && load<u8>(bytes + at) !== delimiter) at++;
      to = at;
    }
    store<i32>(starts, from);
    store<i32>(ends, to);
    starts += 4;
    ends += 4;
    if (at >= end) return field + 1 === width;
  }
  return false;
}
