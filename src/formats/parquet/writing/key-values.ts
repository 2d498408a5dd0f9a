import type { EncodedGroupColumn } from '../../group-encoding.ts';
import {
  ARROW,
  CONTINUATION,
  fieldPathOf,
  MESSAGE,
  NAME,
  type ReadSchema,
  readArrowSchema,
} from '../footer/arrow-fields.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { FILE, KEY_VALUE } from '../footer/numbers.ts';
import type { ParquetFile } from '../footer/parquet-file.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import type { CopiedColumn } from './copied-columns.ts';

/** Members of the union of types; and the precision of doubles. */
const [FLOAT, UTF8, DOUBLE] = [3, 5, 2] as const;

/**
 * The schema that Arrow has stored in a file, for a file with some of its
 * columns and others after them. The fields of copied columns are those bytes, because a field says more than is known
 * here: a new message before them points to each, and new names are after them. Offsets of flatbuffers are relative,
 * and go forward. So are the pairs of its metadata: PyArrow sees these, and none of the footer's.
 *
 * @param stored base64, which may be anything
 * @param columns of the file that has it
 * @param copied some of these
 * @param appended nullable doubles and texts
 * @param keeps whether a pair of metadata stays
 * @returns undefined if it is no such schema, or not that of these columns
 */
export function arrowSchema(
  stored: string,
  columns: readonly FileColumn[],
  copied: readonly CopiedColumn[],
  appended: readonly EncodedGroupColumn[],
  keeps: (key: string) => boolean,
): string | undefined {
  const read = readArrowSchema(stored, columns, keeps);
  return read && writeSchema(read, copied, appended).toString('base64');
}

/** Writes the message as words of 32 bits; tables and what they point to begin at words. */
function writeSchema(
  { bytes, version, fields, metadata }: ReadSchema,
  copied: readonly CopiedColumn[],
  appended: readonly EncodedGroupColumn[],
): Buffer {
  const list = 14;
  const pairs = list + copied.length + appended.length + 1;
  const places = pairs + metadata.length;
  const first = places + 4;
  const types = first + 5 * appended.length;
  const empty = types + 6;
  // What is copied begins where eight divides, as it did.
  const oldWord = empty + 1 + ((empty + 1) % 2);
  const old = 4 * oldWord;
  const end = old + 8 * Math.ceil(bytes.length / 8);
  const words = new Uint32Array(oldWord);
  const pair = (low: number, high: number): number => (low | (high << 16)) >>> 0;
  const texts: Buffer[] = [];
  let textEnd = end;
  /** Adds a text, and returns where it begins. */
  const addText = (text: string): number => {
    const own = Buffer.from(text);
    const padded = Buffer.alloc(4 + 4 * (Math.floor(own.length / 4) + 1));
    padded.writeUInt32LE(own.length);
    own.copy(padded, 4);
    texts.push(padded);
    textEnd += padded.length;
    return textEnd - padded.length;
  };
  // The message, with the sizes and places of its members, then the schema, then its lists of fields and of metadata,
  // if it has any.
  words.set([16, pair(10, 12), pair(8, 10), pair(4, 0), 12, 20, pair(version, MESSAGE.schema)]);
  words.set([pair(10, 12), pair(0, 4), pair(metadata.length === 0 ? 0 : 8, 0)], 7);
  words.set([12, 8, 4 * (pairs - 1 - 12), copied.length + appended.length], 10);
  words[pairs - 1] = metadata.length;
  for (const [index, table] of metadata.entries()) words[pairs + index] = old + table - 4 * (pairs + index);
  const kept = Buffer.from(bytes);
  for (const [index, { column, name }] of copied.entries()) {
    const field = fields.get(column) ?? 0; // Each column has one.
    words[list + index] = old + field - 4 * (list + index);
    const place = fieldPathOf(kept, field, NAME);
    if (name !== column.name && place !== undefined) kept.writeUInt32LE(addText(name) - old - place, place);
  }
  // The offsets of a field's members: name, type, the empty list of its children, whether it may be null, and which
  // type it has.
  words.set([pair(16, 20), pair(4, 16), pair(17, 8), pair(0, 12)], places);
  for (const [index, { name, type }] of appended.entries()) {
    const at = first + 5 * index;
    const [kind, table] = type === 'number' ? [FLOAT, types + 2] : [UTF8, types + 5];
    const slot = list + copied.length + index;
    words[slot] = 4 * (at - slot);
    words.set([4 * (at - places), addText(name) - 4 * (at + 1), 4 * (table - at - 2)], at);
    words.set([4 * (empty - at - 3), pair(1 | (kind << 8), 0)], at + 3);
  }
  words.set([pair(6, 8), 4, 8, DOUBLE, pair(4, 4), 4, 0], types);
  const padding = Buffer.alloc(end - old - bytes.length);
  const whole = [Buffer.from(words.buffer), kept, padding, ...texts, Buffer.alloc((8 - (textEnd % 8)) % 8)];
  const head = Buffer.alloc(8);
  head.writeUInt32LE(CONTINUATION);
  head.writeUInt32LE(
    whole.reduce((sum, part) => sum + part.length, 0),
    4,
  );
  return Buffer.concat([head, ...whole]);
}

/** Schemas of the whole file, by which their programs read it: they would not see the appended columns. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'org.apache.spark.sql.parquet.row.metadata',
  'parquet.avro.schema',
  'avro.schema',
]);

/** What names some of the columns: programs refuse a file without them, and ignore others. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['pandas', 'geo']);

/**
 * What other programs have stored in a file whose columns are copied, as far as it is true of a file with some of them
 * and others after them.
 */
export function keyValues(
  { footer, columns: all }: ParquetFile,
  copied: readonly CopiedColumn[],
  appended: readonly EncodedGroupColumn[],
): ThriftStruct[] {
  const isUnchanged =
    copied.length === all.length && copied.every(({ column, name }) => column.name === name);
  const keeps = (key: string): boolean => !SCHEMAS.has(key) && (isUnchanged || !DESCRIPTIONS.has(key));
  return footer.structs(FILE.keyValues).flatMap(pair => {
    const key = pair.text(KEY_VALUE.key);
    if (key === ARROW) {
      const schema = pair.has(KEY_VALUE.value)
        ? arrowSchema(pair.text(KEY_VALUE.value), all, copied, appended, keeps)
        : undefined;
      if (schema === undefined) return [];
      const own = pair.copy();
      own.setText(KEY_VALUE.value, schema);
      return [own];
    }
    return keeps(key) ? [pair] : [];
  });
}
