import type { WordView } from '../formats/bytes/word-view.ts';

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv), over words instead of bytes. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A hash of `bytes[start, end)`. The last word overlaps the one before it if the size is not a multiple of four. */
export function hashOf({ bytes, view }: WordView, start: number, end: number): number {
  let hash = OFFSET_BASIS ^ (end - start);
  if (end - start < 4)
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), PRIME);
  else {
    for (let at = start; at < end - 4; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), PRIME);
    hash = Math.imul(hash ^ view.getInt32(end - 4, true), PRIME);
  }
  // A product's low bits do not depend on the high bits of its factors.
  return hash ^ (hash >>> 15);
}

/** Whether `length` bytes are the same. */
export function isEqual(a: WordView, atA: number, b: WordView, atB: number, length: number): boolean {
  if (length < 4) {
    for (let i = 0; i < length; i++) if (a.bytes[atA + i] !== b.bytes[atB + i]) return false;
    return true;
  }
  for (let i = 0; i < length - 4; i += 4)
    if (a.view.getInt32(atA + i, true) !== b.view.getInt32(atB + i, true)) return false;
  return a.view.getInt32(atA + length - 4, true) === b.view.getInt32(atB + length - 4, true);
}
