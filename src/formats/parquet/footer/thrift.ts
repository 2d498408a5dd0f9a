/**
 * Thrift's compact protocol (thrift-compact-protocol.md of Apache Thrift), in which Parquet writes its metadata. Values keep
 * their types, so that what is read and written again has the same meaning, including the members that nobody here knows.
 */

/** The types of the compact protocol, by their numbers. */
const TYPE = {
  true: 1,
  false: 2,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

export interface ThriftList {
  readonly kind: 'list' | 'set';
  readonly type: number;
  readonly items: ThriftValue[];
}

export interface ThriftMap {
  readonly kind: 'map';
  readonly types: readonly [key: number, value: number];
  readonly entries: [ThriftValue, ThriftValue][];
}

/** The members of a struct by their numbers, with the type of each. */
export class ThriftStruct {
  readonly kind = 'struct';
  readonly members = new Map<number, { type: number; value: ThriftValue }>();

  /** An integer. @throws ThriftError if the member is missing or is no integer */
  integer(id: number): number {
    const value = this.members.get(id)?.value;
    if (typeof value !== 'bigint') throw new ThriftError(`no integer in member ${id}`);
    return Number(value);
  }

  has(id: number): boolean {
    return this.members.has(id);
  }

  struct(id: number): ThriftStruct {
    const value = this.members.get(id)?.value;
    if (!(value instanceof ThriftStruct)) throw new ThriftError(`no struct in member ${id}`);
    return value;
  }

  /** The structs of a list; none if there is no such member. */
  structs(id: number): ThriftStruct[] {
    return this.items(id).map(item => {
      if (item instanceof ThriftStruct) return item;
      throw new ThriftError(`no list of structs in member ${id}`);
    });
  }

  /** The items of a list; none if there is no such member. */
  items(id: number): readonly ThriftValue[] {
    const member = this.members.get(id);
    if (member === undefined) return [];
    const { value } = member;
    if (typeof value === 'object' && 'kind' in value && value.kind === 'list') return value.items;
    throw new ThriftError(`no list in member ${id}`);
  }

  isBytes(id: number, bytes: Buffer): boolean {
    const value = this.members.get(id)?.value;
    return Buffer.isBuffer(value) && value.equals(bytes);
  }

  text(id: number): string {
    const value = this.members.get(id)?.value;
    if (!Buffer.isBuffer(value)) throw new ThriftError(`no text in member ${id}`);
    return value.toString();
  }

  setInteger(id: number, value: number, type: 'i16' | 'i32' | 'i64'): void {
    this.#set(id, TYPE[type], BigInt(value));
  }

  setText(id: number, value: string): void {
    this.#set(id, TYPE.binary, Buffer.from(value));
  }

  setBytes(id: number, value: Buffer): void {
    this.#set(id, TYPE.binary, value);
  }

  setIntegers(id: number, values: readonly number[]): void {
    this.#set(id, TYPE.list, { kind: 'list', type: TYPE.i32, items: values.map(BigInt) });
  }

  setStructs(id: number, items: ThriftStruct[]): void {
    this.#set(id, TYPE.list, { kind: 'list', type: TYPE.struct, items });
  }

  setTexts(id: number, texts: readonly string[]): void {
    this.#set(id, TYPE.list, {
      kind: 'list',
      type: TYPE.binary,
      items: texts.map(text => Buffer.from(text)),
    });
  }

  setStruct(id: number, value: ThriftStruct): void {
    this.#set(id, TYPE.struct, value);
  }

  delete(...ids: readonly number[]): void {
    for (const id of ids) this.members.delete(id);
  }

  /** A copy that shares its values but not its members. */
  copy(): ThriftStruct {
    const copy = new ThriftStruct();
    for (const [id, member] of this.members) copy.members.set(id, member);
    return copy;
  }

  #set(id: number, type: number, value: ThriftValue): void {
    this.members.set(id, { type, value });
  }
}

/** An integer is a bigint; a double and a UUID are their bytes, as is a text. */
export type ThriftValue = boolean | bigint | Buffer | ThriftList | ThriftMap | ThriftStruct;

/** The bytes are not those of a struct. */
export class ThriftError extends Error {
  override readonly name = 'ThriftError';
}

/** Structs of Parquet are at most ten levels deep. */
const MAX_DEPTH = 64;

/**
 * Reads a struct.
 *
 * @throws ThriftError
 */
export const readStruct = (bytes: Buffer): ThriftStruct => readStructAt(bytes, 0).struct;

/**
 * Reads a struct that begins at an offset.
 *
 * @returns it, and the offset after it
 * @throws ThriftError
 */
export function readStructAt(bytes: Buffer, offset: number): { struct: ThriftStruct; end: number } {
  const reader = new Reader(bytes, offset);
  return { struct: reader.struct(0), end: reader.at };
}

class Reader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, offset: number) {
    this.#bytes = bytes;
    this.#at = offset;
  }

  get at(): number {
    return this.#at;
  }

  struct(depth: number): ThriftStruct {
    if (depth > MAX_DEPTH) throw new ThriftError('the structs are nested too deeply');
    const struct = new ThriftStruct();
    let id = 0;
    for (;;) {
      const head = this.#byte();
      const type = head & 15;
      if (type === 0) return struct;
      id = head >> 4 === 0 ? Number(this.#zigzag()) : id + (head >> 4);
      const value = type === TYPE.true || type === TYPE.false ? type === TYPE.true : this.#value(type, depth);
      struct.members.set(id, { type, value });
    }
  }

  #value(type: number, depth: number): ThriftValue {
    switch (type) {
      case TYPE.true:
      case TYPE.false:
        return this.#byte() === TYPE.true;
      case TYPE.byte:
        return this.#take(1);
      case TYPE.i16:
      case TYPE.i32:
      case TYPE.i64:
        return this.#zigzag();
      case TYPE.double:
        return this.#take(8);
      case TYPE.uuid:
        return this.#take(16);
      case TYPE.binary:
        return this.#take(this.#size());
      case TYPE.list:
      case TYPE.set:
        return this.#list(type === TYPE.list ? 'list' : 'set', depth);
      case TYPE.map:
        return this.#map(depth);
      case TYPE.struct:
        return this.struct(depth + 1);
      default:
        throw new ThriftError(`there is no type ${type}`);
    }
  }

  #list(kind: ThriftList['kind'], depth: number): ThriftList {
    const head = this.#byte();
    const type = head & 15;
    const size = head >> 4 === 15 ? this.#size() : head >> 4;
    const items: ThriftValue[] = [];
    for (let item = 0; item < size; item++) items.push(this.#value(type, depth + 1));
    return { kind, type, items };
  }

  #map(depth: number): ThriftMap {
    const size = this.#size();
    if (size === 0) return { kind: 'map', types: [0, 0], entries: [] };
    const head = this.#byte();
    const types = [head >> 4, head & 15] as const;
    const entries: ThriftMap['entries'] = [];
    for (let entry = 0; entry < size; entry++)
      entries.push([this.#value(types[0], depth + 1), this.#value(types[1], depth + 1)]);
    return { kind: 'map', types, entries };
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new ThriftError('the struct is cut off');
    return byte;
  }

  #take(size: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + size);
    if (taken.length < size) throw new ThriftError('the struct is cut off');
    this.#at += size;
    return taken;
  }

  #size(): number {
    const size = Number(this.#varint());
    // Each item takes at least a byte.
    if (size > this.#bytes.length - this.#at) throw new ThriftError('the struct is cut off');
    return size;
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new ThriftError('a number is too long');
  }

  #zigzag(): bigint {
    const value = this.#varint();
    return (value >> 1n) ^ -(value & 1n);
  }
}

/** Writes a struct. */
export function writeStruct(struct: ThriftStruct): Buffer {
  const pieces: Uint8Array[] = [];
  writeMembers(struct, pieces);
  return Buffer.concat(pieces);
}

function writeMembers(struct: ThriftStruct, into: Uint8Array[]): void {
  let last = 0;
  for (const [id, { type: saved, value }] of [...struct.members].sort(([a], [b]) => a - b)) {
    const type = typeof value === 'boolean' ? (value ? TYPE.true : TYPE.false) : saved;
    const delta = id - last;
    if (delta > 0 && delta < 16) into.push(Uint8Array.of((delta << 4) | type));
    else into.push(Uint8Array.of(type), zigzag(BigInt(id)));
    last = id;
    if (typeof value !== 'boolean') writeValue(type, value, into);
  }
  into.push(Uint8Array.of(0));
}

function writeValue(type: number, value: ThriftValue, into: Uint8Array[]): void {
  if (typeof value === 'boolean') into.push(Uint8Array.of(value ? TYPE.true : TYPE.false));
  else if (typeof value === 'bigint') into.push(zigzag(value));
  else if (Buffer.isBuffer(value)) {
    if (type === TYPE.binary) into.push(varint(BigInt(value.length)));
    into.push(value);
  } else if (value.kind === 'struct') writeMembers(value, into);
  else if (value.kind === 'map') {
    into.push(varint(BigInt(value.entries.length)));
    const [keyType, valueType] = value.types;
    if (value.entries.length > 0) into.push(Uint8Array.of((keyType << 4) | valueType));
    for (const [key, item] of value.entries) {
      writeValue(keyType, key, into);
      writeValue(valueType, item, into);
    }
  } else {
    const { items } = value;
    if (items.length < 15) into.push(Uint8Array.of((items.length << 4) | value.type));
    else into.push(Uint8Array.of(0xf0 | value.type), varint(BigInt(items.length)));
    for (const item of items) writeValue(value.type, item, into);
  }
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

const zigzag = (value: bigint): Uint8Array => varint(value < 0n ? -2n * value - 1n : 2n * value);
