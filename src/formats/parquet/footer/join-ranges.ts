/** Bytes of a file: `[from, to)`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes between two ranges that are read with them: another read, or request, takes longer. */
const GAP_BYTES = 64 << 10;

/** Fewer ranges that have all bytes of these, in the order of the file. */
export function joinRanges(ranges: readonly ByteRange[], gapBytes = GAP_BYTES): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || range.from > last.to + gapBytes) joined.push(range);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return joined;
}
