import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { PlacedRecords } from '../records/fields.ts';
import type { KnownMember } from './object-reader.ts';

const OFFSET_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** The size of a `Member` of assembly/find-members.ts, as numbers. */
const MEMBER_NUMBERS = 4;
const MEMBER_BYTES = MEMBER_NUMBERS * OFFSET_BYTES;
/** Memory for the members that the kernel knows; lines with others are left to TypeScript. */
const MEMBERS_BYTES = 1 << 14;
const NO_COLUMN = -1;

/** Where the values of a batch's rows are. */
export interface ValueAddresses {
  /** Addresses of the offsets of the first row. */
  readonly starts: number;
  readonly ends: number;
  /** Columns of a row. */
  readonly width: number;
}

/** Finds the values of simple lines with a kernel: their members were all seen before, at the top of an object. */
export class KernelMembers {
  readonly #memory: BatchMemory;
  readonly #at: number;
  /** Members that were there when they were last written to the kernel's memory, and how many of them are in it. */
  #seen = 0;
  #known = 0;

  constructor(memory: BatchMemory) {
    this.#memory = memory;
    this.#at = memory.keep(new Uint8Array(MEMBERS_BYTES));
  }

  /**
   * Finds the values of lines, from `index` on, which are rows from `row` on. Those of absent members stay as they are.
   *
   * @param members in the order in which they are expected, to which others may be added between two calls
   * @param records of the batch, which are UTF-8
   * @param texts offset behind the batch from which on texts are kept that had escapes
   * @returns the first line that is not simple, and the offset after these texts
   */
  find(
    members: readonly KnownMember[],
    { kernel, bytes, recordEnds, kinds }: PlacedRecords,
    { index, row, records, texts }: { index: number; row: number; records: number; texts: number },
    { starts, ends, width }: ValueAddresses,
  ): { next: number; texts: number } {
    if (members.length !== this.#seen) this.#write(members);
    if (this.#known === 0) return { next: index, texts };
    const rowBytes = width * OFFSET_BYTES;
    const [startsAt, endsAt] = [starts + row * rowBytes, ends + row * rowBytes];
    const [at, known] = [this.#at, this.#known];
    const next = kernel.findMembers(
      bytes,
      texts,
      recordEnds,
      kinds,
      index,
      records,
      at,
      known,
      startsAt,
      endsAt,
      rowBytes,
    );
    return { next, texts: kernel.textsTo.value };
  }

  #write(members: readonly KnownMember[]): void {
    this.#seen = members.length;
    let size = 0;
    const fitting = members.findIndex(({ key }) => {
      size += MEMBER_BYTES + key.bytes.length;
      return size > MEMBERS_BYTES;
    });
    const known = (fitting === -1 ? members : members.slice(0, fitting)).filter(
      ({ value }) => value.fault === undefined && !value.isUnknown,
    );
    this.#known = known.length;
    const { buffer } = this.#memory;
    const numbers = new Int32Array(buffer, this.#at, known.length * MEMBER_NUMBERS);
    const names = Buffer.from(buffer, this.#at + numbers.byteLength, MEMBERS_BYTES - numbers.byteLength);
    let to = 0;
    for (const [i, { key, value }] of known.entries()) {
      const offset = value.column === -1 ? NO_COLUMN : value.column * OFFSET_BYTES;
      numbers.set([this.#at + numbers.byteLength + to, key.bytes.length, offset, 0], i * MEMBER_NUMBERS);
      to += key.bytes.copy(names, to);
    }
  }
}
