import { type WordView, wordView } from '../bytes/word-view.ts';
import { fieldHash, firstWord, hashOfEnds, lastWord } from './hash.ts';

/** Texts that are found only after so many others with the same or a near hash have to be hashed as a whole. */
const MAX_PROBES = 16;

/** The texts of levels, found by their bytes. */
export interface LevelTable {
  /**
   * A hash table with open addressing, four numbers for each slot: that of a level, counted from 1, or 0 if it is empty;
   * the size of its text, and the first and the last word. For most fields, nothing else is read.
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
