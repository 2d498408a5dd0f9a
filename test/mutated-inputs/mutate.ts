import { seededRandom } from '../../src/training/seeded-random.ts';

/** What a damaged or unusual file may contain at any place. */
const pieces = [
  '"', '""', ',', ';', '\t', '\n', '\r', '\r\n', '\n\n', '\\', '\\"', ...'{ } [ ] : {} [] null true NaN -Infinity 1e999 -0 0x1'.split(' '), '9'.repeat(400), '1.0', '""""', '\u0000', '\ufeff', '\u2028', '\\ud800', '\\u0000', 'é',
  '__proto__', '"customer":', '{"customer":', 'probability_yes', ' ', '#',
].map(text => Buffer.from(text)); // biome-ignore format: a list of short texts

/** Bytes that are no text, and numbers that lengths and offsets of Parquet may take. */
const bytes = [
  [0],
  [0xff],
  [0xc3],
  [0xed, 0xa0, 0x80],
  [0xff, 0xfe],
  [0x80, 0x80, 0x80, 0x80, 0x08],
  [0x7f],
  [1],
  [0x15],
  [0x1c],
];

const all = [...pieces, ...bytes.map(own => Buffer.from(own))];

/**
 * Changes a file at one to four random places. The same seed makes the same changes.
 *
 * @param keepsOffsets whether most changes leave all other bytes where they are, because the file says where its parts
 *   begin
 */
export function mutate(file: Buffer, seed: number, keepsOffsets: boolean): Buffer {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  let mutated = file;
  if (keepsOffsets && below(8) > 0) {
    mutated = Buffer.from(file);
    for (let left = 1 + below(2); left > 0; left--) {
      const at = below(file.length);
      mutated.writeUInt8(below(2) === 0 ? mutated.readUInt8(at) ^ (1 << below(8)) : below(256), at);
    }
    return mutated;
  }
  for (let left = 1 + below(4); left > 0; left--) mutated = changed(mutated, below);
  return mutated;
}

function changed(file: Buffer, below: (end: number) => number): Buffer {
  const at = below(file.length + 1);
  const end = Math.min(file.length, at + below(below(4) === 0 ? 200 : 8));
  const part = file.subarray(at, end);
  const piece = all[below(all.length)] ?? part;
  const joined = (...middle: Buffer[]): Buffer =>
    Buffer.concat([file.subarray(0, at), ...middle, file.subarray(end)]);
  switch (below(8)) {
    case 0: // a bit
    case 1: {
      const copy = Buffer.from(file);
      if (at < copy.length) copy.writeUInt8(copy.readUInt8(at) ^ (1 << below(8)), at);
      return copy;
    }
    case 2:
      return joined(piece, part);
    case 3:
      return joined(piece);
    case 4:
      return joined();
    case 5:
      return joined(part, part);
    case 6: {
      // Bytes from somewhere else.
      const from = below(file.length + 1);
      return joined(file.subarray(from, from + below(40)));
    }
    default:
      return below(4) === 0 ? file.subarray(0, at) : joined(Buffer.from([below(256)]));
  }
}
