import type { Claim } from './claim.ts';

/**
 * The memory of the parts of an upload. Left to the garbage collector, it would be several times as much. A checkpoint carries
 * bytes of a part, so memory is used again only if no point that may become a checkpoint lies in it.
 */
export class PartMemory {
  readonly #partBytes: number;
  readonly #claim: Claim | undefined;
  /** The memory of parts that were uploaded, with their numbers. */
  readonly #free: { number: number; bytes: Buffer }[] = [];
  /** The number of whole parts before the last point. */
  #before = 0;
  /** What the claim counted when the last save began. */
  #savesBefore = -1;
  /** The number of the part with the bytes that this save copies. */
  #saved = 0;

  /** @param claim counts the saves; undefined: no memory is used again */
  constructor(partBytes: number, claim: Claim | undefined) {
    this.#partBytes = partBytes;
    this.#claim = claim;
  }

  /** A point was made after so many whole parts; those before it are not gone back to. */
  pointAfter(parts: number): void {
    this.#before = parts;
  }

  /** A save has taken the last point, whose bytes it copies before it tells the claim. */
  saveBegins(): void {
    this.#savesBefore = this.#claim?.saves ?? -1;
    this.#saved = this.#before + 1;
  }

  /** @param number of the part, from 1 */
  uploaded(number: number, bytes: Buffer): void {
    if (this.#claim !== undefined) this.#free.push({ number, bytes });
  }

  take(): Buffer {
    const isSaving = this.#claim !== undefined && this.#claim.saves === this.#savesBefore;
    const found = this.#free.findIndex(
      ({ number }) => number <= this.#before && !(isSaving && number === this.#saved),
    );
    const [part] = found < 0 ? [] : this.#free.splice(found, 1);
    return part?.bytes ?? Buffer.allocUnsafeSlow(this.#partBytes);
  }
}
