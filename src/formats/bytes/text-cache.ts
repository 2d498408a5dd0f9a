/** Texts that are kept: a column with more values rarely repeats one. */
const SLOTS = 1 << 12;
/** Longer texts are not kept. */
const MAX_BYTES = 64;

/** Makes strings of bytes, and gives the same string for the same bytes if they come often: making one takes much longer. */
export class TextCache {
  readonly #texts = new Array<string | undefined>(SLOTS);
  readonly #bytes = new Uint8Array(SLOTS * MAX_BYTES);
  readonly #sizes = new Int32Array(SLOTS);

  /** @param bytes UTF-8 */
  textOf(bytes: Buffer, start: number, end: number): string {
    const size = end - start;
    if (size > MAX_BYTES) return bytes.toString('utf8', start, end);
    // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const from = slot * MAX_BYTES;
    const kept = this.#texts[slot];
    if (kept !== undefined && this.#sizes[slot] === size) {
      let same = 0;
      while (same < size && this.#bytes[from + same] === bytes[start + same]) same++;
      if (same === size) return kept;
    }
    const text = bytes.toString('utf8', start, end);
    this.#texts[slot] = text;
    this.#sizes[slot] = size;
    this.#bytes.set(bytes.subarray(start, end), from);
    return text;
  }
}
