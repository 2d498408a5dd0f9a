/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv). */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A hash of `bytes[start, end)`. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET_BASIS;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), PRIME);
  return hash ^ (hash >>> 16);
}

/** Whether `length` bytes are the same. */
export function isEqual(a: Uint8Array, atA: number, b: Uint8Array, atB: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[atA + i] !== b[atB + i]) return false;
  return true;
}
