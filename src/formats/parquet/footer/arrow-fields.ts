import type { FileColumn } from './file-column.ts';
import { ELEMENT, FILE, KEY_VALUE } from './numbers.ts';
import type { ThriftStruct } from './thrift.ts';

/** Where Arrow stores its schema, which readers refuse if it does not have all columns. */
export const ARROW = 'ARROW:schema';
/** What an encapsulated message of Arrow's IPC format begins with; its length follows. Older writers leave it out. */
export const CONTINUATION = 0xffffffff;
/** In `Message`: the slots of the version and the header, and the type of the header if it is a schema. */
export const MESSAGE = { version: 0, headerType: 1, header: 2, schema: 1 } as const;
const SCHEMA = { endianness: 0, fields: 1, metadata: 2 } as const;
/** The slot of the name of a field, and of the key of a pair of metadata. */
export const NAME = 0;
/** The slots of the type of a field, and of the table of that type; of an integer, that of its bits. */
const FIELD = { type: 2, table: 3, integer: 2 } as const;
const BITS = 0;

/**
 * Reads the schema that Arrow has stored in a file (`ARROW:schema`: Message.fbs and Schema.fbs of Apache Arrow).
 *
 * @param stored base64, which may be anything
 * @param columns of the file that has it
 * @param keeps whether a pair of metadata stays
 * @returns undefined if it is no such schema, or not that of these columns
 */
export function readArrowSchema(
  stored: string,
  columns: readonly FileColumn[],
  keeps: (key: string) => boolean = () => false,
): ReadSchema | undefined {
  try {
    const message = Buffer.from(stored, 'base64');
    const start = message.readUInt32LE(0) === CONTINUATION ? 8 : 4;
    return readSchema(message.subarray(start), columns, keeps);
  } catch (error) {
    // A place is outside of the bytes.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Columns in which the integers of 128 bits that only the schema of Arrow calls so, as in files of polars 2.1, are no
 * bytes that could be read.
 */
export function withWideIntegers(
  columns: readonly FileColumn[],
  footer: ThriftStruct,
): readonly FileColumn[] {
  if (!columns.some(mayBeWide)) return columns;
  const pair = footer.structs(FILE.keyValues).find(each => each.text(KEY_VALUE.key) === ARROW);
  const stored = pair?.has(KEY_VALUE.value) === true ? pair.text(KEY_VALUE.value) : '';
  const read = readArrowSchema(stored, columns);
  if (read === undefined) return columns;
  return columns.map(column => {
    const bits = mayBeWide(column) ? integerBits(read, column) : 0;
    return bits > 64 ? { ...column, type: { is: 'unsupported', what: `integers of ${bits} bits` } } : column;
  });
}

const mayBeWide = ({ type, elements: [element] }: FileColumn): boolean =>
  type.is === 'bytes' &&
  element?.has(ELEMENT.typeLength) === true &&
  element.integer(ELEMENT.typeLength) === 16;

/** The bits of the integers of a column; 0 if it has none, or says nothing. */
function integerBits({ bytes, fields }: ReadSchema, column: FileColumn): number {
  try {
    const field = fields.get(column) ?? 0;
    const [type, table] = [fieldPathOf(bytes, field, FIELD.type), fieldPathOf(bytes, field, FIELD.table)];
    if (type === undefined || table === undefined || bytes.readUInt8(type) !== FIELD.integer) return 0;
    const bits = fieldPathOf(bytes, targetOf(bytes, table), BITS);
    return bits === undefined ? 0 : bytes.readInt32LE(bits);
  } catch (error) {
    if (error instanceof RangeError) return 0;
    throw error;
  }
}

/** The schema of Arrow that a file has. */
export interface ReadSchema {
  readonly bytes: Buffer;
  readonly version: number;
  /** Where the table of each column is. */
  readonly fields: ReadonlyMap<FileColumn, number>;
  /** Where the tables of the metadata are that stay. */
  readonly metadata: readonly number[];
}

/** @throws RangeError if it is cut off */
function readSchema(
  bytes: Buffer,
  columns: readonly FileColumn[],
  keeps: (key: string) => boolean,
): ReadSchema | undefined {
  const message = targetOf(bytes, 0);
  const [version, type, header] = [MESSAGE.version, MESSAGE.headerType, MESSAGE.header].map(slot =>
    fieldPathOf(bytes, message, slot),
  );
  if (version === undefined || type === undefined || header === undefined) return undefined;
  if (bytes.readUInt8(type) !== MESSAGE.schema) return undefined;
  const schema = targetOf(bytes, header);
  const endianness = fieldPathOf(bytes, schema, SCHEMA.endianness);
  const list = fieldPathOf(bytes, schema, SCHEMA.fields);
  const isLittle = endianness === undefined || bytes.readInt16LE(endianness) === 0;
  if (list === undefined || !isLittle) return undefined;
  const first = targetOf(bytes, list);
  if (bytes.readUInt32LE(first) !== columns.length) return undefined;
  const fields = new Map<FileColumn, number>();
  for (const [index, column] of columns.entries()) {
    const field = targetOf(bytes, first + 4 + 4 * index);
    const name = fieldPathOf(bytes, field, NAME);
    if (name === undefined || textAt(bytes, targetOf(bytes, name)) !== column.name) return undefined;
    fields.set(column, field);
  }
  const metadata = readMetadata(bytes, fieldPathOf(bytes, schema, SCHEMA.metadata), keeps);
  return metadata && { bytes, version: bytes.readUInt16LE(version), fields, metadata };
}

/** @param list where the offset of the list is, if there is one */
function readMetadata(
  bytes: Buffer,
  list: number | undefined,
  keeps: (key: string) => boolean,
): number[] | undefined {
  if (list === undefined) return [];
  const first = targetOf(bytes, list);
  const pairs: number[] = [];
  // Each has bytes of its own: hostile ones would all lead to the same long key.
  let left = bytes.length;
  for (let index = 0; index < bytes.readUInt32LE(first); index++) {
    const pair = targetOf(bytes, first + 4 + 4 * index);
    const name = fieldPathOf(bytes, pair, NAME);
    if (name === undefined) return undefined;
    left -= 4 + bytes.readUInt32LE(targetOf(bytes, name));
    if (left < 0) return undefined;
    if (keeps(textAt(bytes, targetOf(bytes, name)))) pairs.push(pair);
  }
  return pairs;
}

/** Where an offset leads. */
const targetOf = (bytes: Buffer, at: number): number => at + bytes.readUInt32LE(at);

/** Where a member of a table is; undefined if it has its default. */
export function fieldPathOf(bytes: Buffer, table: number, slot: number): number | undefined {
  const places = table - bytes.readInt32LE(table);
  const at = 4 + 2 * slot;
  const place = at + 2 > bytes.readUInt16LE(places) ? 0 : bytes.readUInt16LE(places + at);
  return place === 0 ? undefined : table + place;
}

function textAt(bytes: Buffer, at: number): string {
  const end = at + 4 + bytes.readUInt32LE(at);
  // The zero after it is there, too.
  bytes.readUInt8(end);
  return bytes.toString('utf8', at + 4, end);
}
