import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type WordView, wordView } from '../bytes/word-view.ts';
import { isBlank } from '../values/coerce.ts';
import { type CategoricalColumn, spellingsOf } from './column-encoder.ts';
import type { ReadRows } from './kernel-column.ts';

/**
 * Reads a column's levels by their bytes. It leaves out other fields that begin or end with a character that may be a
 * space, because blank ones are missing, and others may be levels without these spaces; and those that may be other
 * spellings of a level.
 */
export function levelRows(column: CategoricalColumn, memory: BatchMemory): ReadRows {
  const hasOthers = column.others === 'merged' || column.targets !== undefined;
  const unknown = hasOthers ? column.levels.length + 1 : Number.NaN;
  // If a level is listed twice, the last number counts. A lone surrogate cannot be in a valid CSV.
  const numbers = new Map(column.levels.map((level, i) => [level, i + 1]));
  // A blank value is missing, even if a level is.
  const levels = [...numbers].filter(([level]) => Buffer.from(level).toString() === level && !isBlank(level));
  const spellings = spellingsOf(column.levels);
  const mayBeAny =
    levels.some(([level]) => level !== level.trim()) ||
    (spellings !== undefined && spellings.ending === undefined);
  const left = mayBeAny ? LEAVES_ALL : spellings?.ending === '.0' ? LEAVES_DECIMALS : 0;
  const { slots, isWhole, texts, starts } = levelTable(levels.map(([level]) => Buffer.from(level)));
  const addresses = [
    ...[memory.keep(slots), slots.length - 1, Number(isWhole)],
    ...[memory.keep(texts.bytes), memory.keep(starts)],
    ...[memory.keep(Float64Array.from(levels, ([, number]) => number)), left],
  ];
  // A `Levels` of assembly/read-levels.ts.
  const table = new Float64Array(LEVELS_BYTES / Float64Array.BYTES_PER_ELEMENT);
  new Int32Array(table.buffer).set(addresses);
  table[table.length - 1] = unknown;
  const tableAt = memory.keep(table);
  return (kernel, { bytes, starts, ends, fieldStep, values, valueStep }, first, rows) =>
    kernel.readLevels(bytes, starts, ends, fieldStep, values, valueStep, first, rows, tableAt);
}

const LEVELS_BYTES = 40;
/** As in assembly/read-levels.ts. */
const LEAVES_ALL = 1;
const LEAVES_DECIMALS = 2;

/** Texts that are found only after so many others with the same or a near hash have to be hashed as a whole. */
const MAX_PROBES = 16;

/** The texts of levels, found by their bytes. */
interface LevelTable {
  /**
   * A hash table with open addressing, four numbers for each slot: that of a level, counted from 1, or 0 if it is
   * empty; the size of its text, and the first and the last word. For most fields, nothing else is read.
   */
  readonly slots: Int32Array;
  /** Whether the hash is of the whole text, because too many have the same ends. */
  readonly isWhole: boolean;
  /** The texts, one after the other; that of level i begins at `starts[i]`. */
  readonly texts: WordView;
  readonly starts: Int32Array;
}

/** Makes a table of different texts that are not empty. */
export function levelTable(all: readonly Buffer[]): LevelTable {
  const texts = wordView(Buffer.concat(all));
  let end = 0;
  const ends = Int32Array.from(all, ({ length }) => {
    end += length;
    return end;
  });
  const starts = ends.map((end, i) => end - (all[i] as Buffer).length);
  const place = { texts, starts, ends };
  const byEnds = slotsOf(place, hashOfSome, MAX_PROBES);
  if (byEnds !== undefined) return { slots: byEnds, isWhole: false, texts, starts };
  return { slots: slotsOf(place, fieldHash, Infinity) as Int32Array, isWhole: true, texts, starts };
}

/** Puts the texts into slots; undefined if one of them would be found only after more than `maxProbes` others. */
function slotsOf(
  { texts, starts, ends }: { texts: WordView; starts: Int32Array; ends: Int32Array },
  hash: typeof fieldHash,
  maxProbes: number,
): Int32Array | undefined {
  const slots = new Int32Array(4 * 2 ** Math.ceil(Math.log2(2 * starts.length + 2)));
  const mask = slots.length - 1;
  for (let i = 0; i < starts.length; i++) {
    const [start, end] = [starts[i] as number, ends[i] as number];
    let slot = (hash(texts, start, end) << 2) & mask;
    for (let probes = 0; slots[slot] !== 0; probes++) {
      if (probes === maxProbes) return undefined;
      slot = (slot + 4) & mask;
    }
    slots.set([i + 1, end - start, firstWord(texts, start, end), lastWord(texts, start, end)], slot);
  }
  return slots;
}

const hashOfSome = (words: WordView, start: number, end: number): number =>
  hashOfEnds(end - start, firstWord(words, start, end), lastWord(words, start, end));

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv), over words instead of bytes. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A hash of `bytes[start, end)`. The last word overlaps the one before it if the size is not a multiple of four. */
export function fieldHash(words: WordView, start: number, end: number): number {
  const { view } = words;
  let hash = OFFSET_BASIS ^ (end - start);
  if (end - start >= 4) {
    for (let at = start; at < end - 4; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), PRIME);
    hash = Math.imul(hash ^ view.getInt32(end - 4, true), PRIME);
  } else hash = Math.imul(hash ^ firstWord(words, start, end), PRIME);
  return foldedDown(hash);
}

/**
 * A hash of the size and the first and last word: in less time, but of all texts that differ only in between the same.
 */
const hashOfEnds = (length: number, first: number, last: number): number =>
  foldedDown(Math.imul(Math.imul(first ^ length, PRIME) ^ last, PRIME));

/** A product's low bits do not depend on the high bits of its factors. */
const foldedDown = (product: number): number => product ^ (product >>> 15);

/** The first four bytes as a word, or all of them if there are fewer. */
function firstWord({ bytes, view }: WordView, start: number, end: number): number {
  const length = end - start;
  if (length >= 4) return view.getInt32(start, true);
  if (start + 4 <= bytes.length) return view.getInt32(start, true) & ((1 << (8 * length)) - 1);
  let word = 0;
  for (let i = 0; i < length; i++) word |= (bytes[start + i] as number) << (8 * i);
  return word;
}

/** The last four bytes as a word, or 0 if `firstWord` has all of them. */
const lastWord = ({ view }: WordView, start: number, end: number): number =>
  end - start > 4 ? view.getInt32(end - 4, true) : 0;

/** Whether `length` bytes are the same, of which the first and the last word are known to be. */
function isEqualBetween(a: WordView, atA: number, b: WordView, atB: number, length: number): boolean {
  for (let i = 4; i < length - 4; i += 4)
    if (a.view.getInt32(atA + i, true) !== b.view.getInt32(atB + i, true)) return false;
  return true;
}

/** Whether `length` bytes are the same. */
export const isEqual = (a: WordView, atA: number, b: WordView, atB: number, length: number): boolean =>
  firstWord(a, atA, atA + length) === firstWord(b, atB, atB + length) &&
  lastWord(a, atA, atA + length) === lastWord(b, atB, atB + length) &&
  isEqualBetween(a, atA, b, atB, length);
