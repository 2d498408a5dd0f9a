import type { Extent } from '../partial-file.ts';

/** The bytes of a member before they are compressed or encoded, in memory that is used for several members, one after the other. */
export class Member<Mark> {
  #memory = Buffer.alloc(0);
  #length = 0;
  /** The last mark within it, and the number of bytes before that. */
  #mark: Mark | undefined;
  #marked = 0;
  /** Whether a point has some of the memory, which must not change then. */
  #isLent = false;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** @param mark describes the point after the bytes, if the file can be continued there, and the member goes on */
  append(bytes: Uint8Array, mark?: Mark): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
    if (mark === undefined) return;
    this.#mark = mark;
    this.#marked = length;
  }

  clear(): void {
    if (this.#isLent) this.#memory = Buffer.alloc(0);
    this.#isLent = false;
    this.#length = this.#marked = 0;
    this.#mark = undefined;
  }

  /**
   * The last marked point within the member.
   *
   * @param start the point at which it begins; returned if it has no mark
   * @param maxBytes of it before that mark; if there are more, `start` is returned
   */
  latest(start: Extent<Mark>, maxBytes: number): Extent<Mark> {
    if (this.#marked === 0 || this.#marked > maxBytes) return start;
    this.#isLent = true;
    const open = this.#memory.subarray(0, this.#marked);
    return { ...start, uncompressed: start.uncompressed + open.length, mark: this.#mark, open };
  }
}

/** Splits a point into the one at which its open member begins, and that member. */
export function reopen<Mark>({ open, ...from }: Extent<Mark>): { start: Extent<Mark>; member: Member<Mark> } {
  const member = new Member<Mark>();
  if (open === undefined) return { start: from, member };
  member.append(open);
  return { start: { ...from, uncompressed: from.uncompressed - open.length }, member };
}
