/** The bytes of a member before they are compressed or encoded, in memory that is used for several members, one after the other. */
export class Member {
  #memory = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
  }

  clear(): void {
    this.#length = 0;
  }
}
