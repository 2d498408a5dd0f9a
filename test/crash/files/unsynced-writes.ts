import { open } from 'node:fs/promises';

/**
 * What was written to a file since its last sync. On Linux it is lost if that sync fails, and the next one succeeds.
 */
export class UnsyncedWrites {
  #ranges: { offset: number; length: number }[] = [];

  add(offset: number, length: number): void {
    this.#ranges.push({ offset, length });
  }

  /** What a sync that starts now makes durable or loses. */
  take(): { offset: number; length: number }[] {
    return this.#ranges.splice(0);
  }
}

/**
 * Overwrites these ranges of a file with zeros. Files of a run are opened for appending, so this opens the file again.
 */
export async function lose(
  path: string,
  ranges: readonly { offset: number; length: number }[],
): Promise<void> {
  const file = await open(path, 'r+');
  try {
    for (const { offset, length } of ranges) await file.write(Buffer.alloc(length), 0, length, offset);
  } finally {
    await file.close();
  }
}

/** The error of fdatasync(2) if a block could not be written. */
export const syncError = (): Error =>
  Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5, syscall: 'fdatasync' });
