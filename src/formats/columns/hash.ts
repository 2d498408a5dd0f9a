import type { WordView } from '../bytes/word-view.ts';

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

/** A hash of the size and the first and last word: in less time, but of all texts that differ only in between the same. */
export const hashOfEnds = (length: number, first: number, last: number): number =>
  foldedDown(Math.imul(Math.imul(first ^ length, PRIME) ^ last, PRIME));

/** A product's low bits do not depend on the high bits of its factors. */
const foldedDown = (product: number): number => product ^ (product >>> 15);

/** The first four bytes as a word, or all of them if there are fewer. */
export function firstWord({ bytes, view }: WordView, start: number, end: number): number {
  const length = end - start;
  if (length >= 4) return view.getInt32(start, true);
  if (start + 4 <= bytes.length) return view.getInt32(start, true) & ((1 << (8 * length)) - 1);
  let word = 0;
  for (let i = 0; i < length; i++) word |= (bytes[start + i] as number) << (8 * i);
  return word;
}

/** The last four bytes as a word, or 0 if `firstWord` has all of them. */
export const lastWord = ({ view }: WordView, start: number, end: number): number =>
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
