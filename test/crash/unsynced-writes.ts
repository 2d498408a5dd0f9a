/** What was written to a file since its last sync: on Linux it is lost when that sync fails, and the next succeeds. */
export class UnsyncedWrites {
  #ranges: { offset: number; length: number }[] = [];

  add(offset: number, length: number): void {
    this.#ranges.push({ offset, length });
  }

  /** What a sync that begins now makes durable, or loses. */
  take(): { offset: number; length: number }[] {
    return this.#ranges.splice(0);
  }
}

/** What fdatasync(2) fails with when a block could not be written. */
export const syncError = (): Error =>
  Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5, syscall: 'fdatasync' });
