/**
 * The types of the compact protocol, by their numbers, without those that the metadata of Parquet does not have: sets,
 * maps and UUIDs.
 */
export const TYPE = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  struct: 12,
} as const;

/** The bytes are not those of a struct. */
export class ThriftError extends Error {
  override readonly name = 'ThriftError';
}

/** Structs of Parquet are at most ten levels deep. */
const MAX_DEPTH = 64;

/** Moves through bytes of Thrift's compact protocol, without making anything of what it passes. */
export class ThriftCursor {
  readonly bytes: Buffer;
  at: number;
  /** The member of a struct at whose value the cursor is, and its type. */
  id = 0;
  type = 0;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /**
   * Moves to the next member of a struct.
   *
   * @param last the number of the member before it
   * @returns false at the end of the struct
   */
  member(last: number): boolean {
    const head = this.byte();
    this.type = head & 15;
    if (this.type === 0) return false;
    this.id = head >> 4 === 0 ? Number(this.integer()) : last + (head >> 4);
    return true;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new ThriftError('the struct is cut off');
    return byte;
  }

  take(size: number): Buffer {
    const start = this.at;
    this.#move(size);
    return this.bytes.subarray(start, this.at);
  }

  /** The length of a text or of a list. */
  size(): number {
    const size = Number(this.#varint());
    // Each item takes at least a byte.
    if (size > this.bytes.length - this.at) throw new ThriftError('the struct is cut off');
    return size;
  }

  /** The type and the length of a list. */
  list(): { type: number; size: number } {
    const head = this.byte();
    return { type: head & 15, size: head >> 4 === 15 ? this.size() : head >> 4 };
  }

  /** An integer, which is a bigint if it takes more than seven bytes. */
  integer(): number | bigint {
    const value = this.#varint();
    if (typeof value === 'bigint') return (value >> 1n) ^ -(value & 1n);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Passes the value of a member. */
  skipMember(depth = 0): void {
    if (this.type !== TYPE.true && this.type !== TYPE.false) this.skip(this.type, depth);
  }

  /** Passes a value. */
  skip(type: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new ThriftError('the structs are nested too deeply');
    switch (type) {
      case TYPE.true:
      case TYPE.false:
      case TYPE.byte:
        this.#move(1);
        return;
      case TYPE.i16:
      case TYPE.i32:
      case TYPE.i64:
        this.#varint();
        return;
      case TYPE.double:
        this.#move(8);
        return;
      case TYPE.binary:
        this.#move(this.size());
        return;
      case TYPE.list: {
        const { type: own, size } = this.list();
        for (let item = 0; item < size; item++) this.skip(own, depth + 1);
        return;
      }
      case TYPE.struct:
        for (let last = 0; this.member(last); ) {
          last = this.id;
          this.skipMember(depth + 1);
        }
        return;
      default:
        throw new ThriftError(`there is no type ${type}`);
    }
  }

  #move(size: number): void {
    if (size > this.bytes.length - this.at) throw new ThriftError('the struct is cut off');
    this.at += size;
  }

  #varint(): number | bigint {
    const start = this.at;
    for (let value = 0, scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    this.at = start;
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new ThriftError('a number is too long');
  }
}
