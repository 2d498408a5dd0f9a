import { RowcastError } from '../../base/errors.ts';

/** Deeper than any model is nested, and far from the end of the stack. */
const MAX_NESTING = 64;

type NumberArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** What the elements of an array with a type are read into, and how one is read. */
interface NumberType {
  size: number;
  make(length: number): NumberArray;
  read(bytes: Buffer, at: number): number | bigint;
}

/** By the letter of the format; all numbers are big-endian. */
const numberTypes = new Map<string, NumberType>([
  ['i', { size: 1, make: length => new Int8Array(length), read: (bytes, at) => bytes.readInt8(at) }],
  ['U', { size: 1, make: length => new Uint8Array(length), read: (bytes, at) => bytes.readUInt8(at) }],
  ['C', { size: 1, make: length => new Uint8Array(length), read: (bytes, at) => bytes.readUInt8(at) }],
  ['I', { size: 2, make: length => new Int16Array(length), read: (bytes, at) => bytes.readInt16BE(at) }],
  ['l', { size: 4, make: length => new Int32Array(length), read: (bytes, at) => bytes.readInt32BE(at) }],
  [
    'L',
    { size: 8, make: length => new BigInt64Array(length), read: (bytes, at) => bytes.readBigInt64BE(at) },
  ],
  ['d', { size: 4, make: length => new Float32Array(length), read: (bytes, at) => bytes.readFloatBE(at) }],
  ['D', { size: 8, make: length => new Float64Array(length), read: (bytes, at) => bytes.readDoubleBE(at) }],
]);

/**
 * Reads a document in UBJSON, as far as XGBoost writes it: the lengths of texts and arrays are 64-bit numbers.
 *
 * @returns objects without a prototype, lists, texts, numbers, booleans and null; arrays of numbers as typed arrays,
 *   and 64-bit integers as bigints where a number cannot hold them
 * @throws RowcastError `bad_model` with the offset of what is damaged
 */
export function readUbj(bytes: Buffer): unknown {
  const reader = new UbjReader(bytes);
  const value = reader.value(0);
  if (reader.at < bytes.length) throw reader.damaged('the document is followed by something else');
  return value;
}

class UbjReader {
  at = 0;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  value(depth: number): unknown {
    if (depth > MAX_NESTING) throw this.damaged(`values are nested more than ${MAX_NESTING} deep`);
    const marker = this.marker();
    switch (marker) {
      case '{':
        return this.object(depth);
      case '[':
        return this.array(depth);
      case 'S':
        return this.text();
      case 'Z':
        return null;
      case 'T':
        return true;
      case 'F':
        return false;
    }
    const type = numberTypes.get(marker);
    if (type === undefined) throw this.damaged('there is no type with this letter', 1);
    const value = type.read(this.bytes, this.take(type.size));
    if (typeof value === 'number') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }

  private object(depth: number): Record<string, unknown> {
    // Without a prototype, `__proto__` is a name like any other.
    const members: Record<string, unknown> = Object.create(null);
    while (this.peek() !== '}') {
      const name = this.text();
      members[name] = this.value(depth + 1);
    }
    this.at++;
    return members;
  }

  private array(depth: number): unknown[] | NumberArray {
    let type: NumberType | undefined;
    if (this.peek() === '$') {
      this.at++;
      type = numberTypes.get(this.marker());
      if (type === undefined) throw this.damaged('an array has elements that are not numbers', 1);
      if (this.peek() !== '#') throw this.damaged('an array has a type but no length');
    }
    if (this.peek() === '#') {
      this.at++;
      const length = this.length(type?.size ?? 1);
      return type === undefined
        ? Array.from({ length }, () => this.value(depth + 1))
        : this.numbers(type, length);
    }
    const values: unknown[] = [];
    while (this.peek() !== ']') values.push(this.value(depth + 1));
    this.at++;
    return values;
  }

  private numbers(type: NumberType, length: number): NumberArray {
    const start = this.take(type.size * length);
    const numbers = type.make(length);
    for (let i = 0; i < length; i++) numbers[i] = type.read(this.bytes, start + i * type.size);
    return numbers;
  }

  private text(): string {
    const start = this.take(this.length(1));
    return this.bytes.toString('utf8', start, this.at);
  }

  /** A length, of things that take at least so many bytes each: no more of them than the rest of the file can hold. */
  private length(size: number): number {
    if (this.marker() !== 'L') throw this.damaged('there should be a length of 64 bits', 1);
    const length = this.bytes.readBigInt64BE(this.take(8));
    if (length < 0n || length > BigInt(Math.floor((this.bytes.length - this.at) / size)))
      throw this.damaged(`a length is ${length}, but the file ends before that`, 8);
    return Number(length);
  }

  private marker(): string {
    const marker = this.peek();
    this.at++;
    return marker;
  }

  private peek(): string {
    if (this.at >= this.bytes.length) throw this.damaged('the file ends too early');
    return String.fromCharCode(this.bytes.readUInt8(this.at));
  }

  /** Passes over so many bytes, and returns where they begin. */
  private take(count: number): number {
    const start = this.at;
    if (count > this.bytes.length - start) throw this.damaged('the file ends too early');
    this.at += count;
    return start;
  }

  damaged(what: string, back = 0): RowcastError {
    return new RowcastError('bad_model', `byte ${this.at - back}: ${what}`, {
      hint: 'Save the model again; transfer it again.',
    });
  }
}
