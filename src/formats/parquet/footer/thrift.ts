import { ThriftCursor, ThriftError, TYPE } from './thrift-cursor.ts';

export { ThriftError };

/**
 * Thrift's compact protocol (thrift-compact-protocol.md of Apache Thrift), in which Parquet writes its metadata. Values
 * keep their types, so that what is read and written again has the same meaning, including the members that nobody here
 * knows.
 */

export interface ThriftList {
  readonly kind: 'list';
  readonly type: number;
  readonly items: ThriftValue[];
}

/** The members of a struct by their numbers, with the type of each. */
export class ThriftStruct {
  readonly kind = 'struct';
  readonly members = new Map<number, { type: number; value: ThriftValue }>();

  /** An integer. @throws ThriftError if the member is missing or is no integer */
  integer(id: number): number {
    const value = this.members.get(id)?.value;
    if (typeof value !== 'bigint' && typeof value !== 'number')
      throw new ThriftError(`no integer in member ${id}`);
    return Number(value);
  }

  has(id: number): boolean {
    return this.members.has(id);
  }

  struct(id: number): ThriftStruct {
    const { type, value } = this.members.get(id) ?? {};
    if (type === TYPE.struct && value instanceof ThriftBytes) return readStruct(value.bytes);
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
    const { type, value } = member;
    if (type === TYPE.list && value instanceof ThriftBytes) return readList(value.bytes);
    if (typeof value === 'object' && 'kind' in value && value.kind === 'list') return value.items;
    throw new ThriftError(`no list in member ${id}`);
  }

  /** How many items a list has that is not read yet; 0 if there is no such member. */
  unreadItems(id: number): number {
    const value = this.members.get(id)?.value;
    return value instanceof ThriftBytes ? new ThriftCursor(value.bytes, 0).list().size : 0;
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
    this.#set(id, TYPE[type], value);
  }

  setText(id: number, value: string): void {
    this.#set(id, TYPE.binary, Buffer.from(value));
  }

  setBytes(id: number, value: Buffer): void {
    this.#set(id, TYPE.binary, value);
  }

  setIntegers(id: number, values: readonly number[]): void {
    this.#set(id, TYPE.list, { kind: 'list', type: TYPE.i32, items: [...values] });
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

/**
 * A struct with these members by their numbers: integers, texts as strings or bytes, and structs.
 *
 * @param integers the type of the integers
 */
export function structOf(
  integers: 'i32' | 'i64',
  members: Readonly<Record<number, number | string | Buffer | ThriftStruct | undefined>>,
): ThriftStruct {
  const struct = new ThriftStruct();
  for (const [id, value] of Object.entries(members).map(([id, value]) => [Number(id), value] as const))
    if (typeof value === 'number') struct.setInteger(id, value, integers);
    else if (typeof value === 'string') struct.setText(id, value);
    else if (value instanceof ThriftStruct) struct.setStruct(id, value);
    else if (value !== undefined) struct.setBytes(id, value);
  return struct;
}

/**
 * An integer is a number, or a bigint if it takes more than seven bytes; a double is its bytes, as is a text. What has
 * values in it stays as it was read, until it is asked for.
 */
export type ThriftValue = boolean | number | bigint | Buffer | ThriftList | ThriftStruct | ThriftBytes;

/** The bytes of a list or struct. */
export class ThriftBytes {
  readonly kind = 'bytes';
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/**
 * Reads a struct.
 *
 * @throws ThriftError
 */
export const readStruct = (bytes: Buffer): ThriftStruct => readStructAt(bytes, 0).struct;

/**
 * Reads a struct that begins at an offset.
 *
 * @param takes the number of a member that the struct is without, and what reads its value
 * @returns it, and the offset after it
 * @throws ThriftError
 */
export function readStructAt(
  bytes: Buffer,
  offset: number,
  takes?: { id: number; read: (cursor: ThriftCursor) => void },
): { struct: ThriftStruct; end: number } {
  const cursor = new ThriftCursor(bytes, offset);
  const struct = new ThriftStruct();
  for (let last = 0; cursor.member(last); ) {
    const { id, type } = cursor;
    last = id;
    if (id === takes?.id) takes.read(cursor);
    else {
      const value = type === TYPE.true || type === TYPE.false ? type === TYPE.true : valueAt(cursor, type);
      struct.members.set(id, { type, value });
    }
  }
  return { struct, end: cursor.at };
}

function valueAt(cursor: ThriftCursor, type: number): ThriftValue {
  switch (type) {
    case TYPE.true:
    case TYPE.false:
      return cursor.byte() === TYPE.true;
    case TYPE.byte:
      return cursor.take(1);
    case TYPE.i16:
    case TYPE.i32:
    case TYPE.i64:
      return cursor.integer();
    case TYPE.double:
      return cursor.take(8);
    case TYPE.binary:
      return cursor.take(cursor.size());
    default: {
      const start = cursor.at;
      cursor.skip(type, 0);
      return new ThriftBytes(cursor.bytes.subarray(start, cursor.at));
    }
  }
}

function readList(bytes: Buffer): ThriftValue[] {
  const cursor = new ThriftCursor(bytes, 0);
  const { type, size } = cursor.list();
  const items: ThriftValue[] = [];
  for (let item = 0; item < size; item++) {
    if (type === TYPE.struct) {
      const { struct, end } = readStructAt(bytes, cursor.at);
      cursor.at = end;
      items.push(struct);
    } else items.push(valueAt(cursor, type));
  }
  return items;
}

/**
 * Writes a struct with a list of structs, each of which is made when it is written.
 *
 * @param id of the list, which the struct is without
 */
export function* writeStructWith(
  struct: ThriftStruct,
  id: number,
  { count, items }: { count: number; items: Iterable<ThriftStruct> },
): Generator<Buffer> {
  const sorted = [...struct.members].sort(([a], [b]) => a - b);
  const before = sorted.filter(([other]) => other < id);
  const pieces: Uint8Array[] = [];
  const last = writeMembers(before, 0, pieces);
  writeHead(id, last, TYPE.list, pieces);
  writeListHead(TYPE.struct, count, pieces);
  yield Buffer.concat(pieces);
  for (const item of items) yield writeStruct(item);
  const end: Uint8Array[] = [];
  writeMembers(
    sorted.filter(([other]) => other > id),
    id,
    end,
  );
  yield Buffer.concat([...end, Uint8Array.of(0)]);
}

/** Writes a struct. */
export function writeStruct(struct: ThriftStruct): Buffer {
  const pieces: Uint8Array[] = [];
  writeAll(struct, pieces);
  return Buffer.concat(pieces);
}

function writeAll(struct: ThriftStruct, into: Uint8Array[]): void {
  writeMembers(
    [...struct.members].sort(([a], [b]) => a - b),
    0,
    into,
  );
  into.push(Uint8Array.of(0));
}

/** @returns the number of the last one */
function writeMembers(
  members: readonly [number, { type: number; value: ThriftValue }][],
  before: number,
  into: Uint8Array[],
): number {
  let last = before;
  for (const [id, { type: saved, value }] of members) {
    const type = typeof value === 'boolean' ? (value ? TYPE.true : TYPE.false) : saved;
    writeHead(id, last, type, into);
    last = id;
    if (typeof value !== 'boolean') writeValue(type, value, into);
  }
  return last;
}

function writeHead(id: number, last: number, type: number, into: Uint8Array[]): void {
  const delta = id - last;
  if (delta > 0 && delta < 16) into.push(Uint8Array.of((delta << 4) | type));
  else into.push(Uint8Array.of(type), zigzag(id));
}

function writeListHead(type: number, size: number, into: Uint8Array[]): void {
  if (size < 15) into.push(Uint8Array.of((size << 4) | type));
  else into.push(Uint8Array.of(0xf0 | type), varint(size));
}

function writeValue(type: number, value: ThriftValue, into: Uint8Array[]): void {
  if (typeof value === 'boolean') into.push(Uint8Array.of(value ? TYPE.true : TYPE.false));
  else if (typeof value === 'bigint' || typeof value === 'number') into.push(zigzag(value));
  else if (Buffer.isBuffer(value)) {
    if (type === TYPE.binary) into.push(varint(value.length));
    into.push(value);
  } else if (value.kind === 'bytes') into.push(value.bytes);
  else if (value.kind === 'struct') writeAll(value, into);
  else {
    const { items } = value;
    writeListHead(value.type, items.length, into);
    for (const item of items) writeValue(value.type, item, into);
  }
}

/** A number, seven bits in each byte. */
export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  if (typeof value === 'number') {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  } else {
    let rest = value;
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
  }
  return Uint8Array.from(bytes);
}

function zigzag(value: number | bigint): Uint8Array {
  if (typeof value === 'number') return varint(value < 0 ? -2 * value - 1 : 2 * value);
  return varint(value < 0n ? -2n * value - 1n : 2n * value);
}
