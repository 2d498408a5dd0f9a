import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Summaries, Summary } from './summary.ts';

/** A summary as JSON: where it is in the file, or, if that cannot be written, its bytes. */
type Kept = { at: number; size: number } | Buffer;

/** Closes the files of lists that nobody has any more. */
const unused = new FinalizationRegistry<number>(closeSync);

/**
 * The summaries of the runs of several files, in the order of the files. There may be many thousands, each with figures of all
 * columns, so they are in a temporary file, which has no name, and only the one that is read is in memory.
 */
export class KeptSummaries implements Summaries {
  readonly #kept: Kept[] = [];
  #file: number | undefined;
  #size = 0;
  #isBroken = false;

  /** @param index of the file */
  set(index: number, summary: Summary): void {
    const bytes = Buffer.from(JSON.stringify(summary));
    this.#kept[index] = this.#written(bytes) ?? bytes;
  }

  /** How many there are. */
  get length(): number {
    return this.#kept.reduce(count => count + 1, 0);
  }

  *[Symbol.iterator](): Generator<Summary> {
    for (const kept of this.#kept) if (kept !== undefined) yield JSON.parse(this.#bytesOf(kept).toString());
  }

  toJSON(): Summary[] {
    return [...this];
  }

  /** @returns undefined if the file cannot be written, as on a read-only or full disk */
  #written(bytes: Buffer): Kept | undefined {
    if (this.#isBroken) return undefined;
    try {
      this.#file ??= this.#create();
      const at = this.#size;
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
      this.#size += bytes.length;
      return { at, size: bytes.length };
    } catch {
      this.#isBroken = true;
      return undefined;
    }
  }

  #create(): number {
    const folder = mkdtempSync(join(tmpdir(), 'rowcast-'));
    try {
      const file = openSync(join(folder, 'summaries'), 'wx+', 0o600);
      unused.register(this, file);
      return file;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #bytesOf(kept: Kept): Buffer {
    if (Buffer.isBuffer(kept)) return kept;
    const bytes = Buffer.alloc(kept.size);
    for (let done = 0; done < kept.size; ) {
      const read = readSync(this.#file as number, bytes, done, kept.size - done, kept.at + done); // it is where it was written
      if (read === 0) throw new Error('the file of the summaries was cut off');
      done += read;
    }
    return bytes;
  }
}
