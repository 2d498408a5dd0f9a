import { isUtf8 } from 'node:buffer';
import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { filteredBy, type PipedFile } from '../../base/shell-pipe.ts';
import { shellWord } from '../../base/shell-word.ts';
import { jqPath } from '../../base/unsupported-files.ts';
import { enlargedBuffer } from '../bytes/word-view.ts';
import { MAX_COLUMNS } from '../csv/header.ts';
import type { Layout } from '../format.ts';
import { HALF_PAIR } from '../json/scan-string.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { LF } from '../records/line-endings.ts';
import { refuseUnsupported } from '../refuse-unsupported.ts';
import type { RequiredNumbers } from '../required-numbers.ts';
import { hasColumn, isSpace, namesIn, type ObjectNames, objectOn } from './members.ts';
import { isScoredName, outerNames } from './object-reader.ts';

/** What the first objects of an input are like, as plain data. */
export interface LineShape {
  /** The bytes of a byte order mark, if there is one. */
  readonly bom: number;
  /** The full names of their values, such as `a.b`, and of the columns that are known otherwise. */
  readonly names: readonly string[];
  /** The names of their members, and of those that the known columns are in. */
  readonly members: readonly string[];
  /** The names of those of the first object that begin like appended ones: this input has such a column of its own. */
  readonly allowed: readonly string[];
  /** The names that all of them have as their last ones. */
  readonly last: readonly string[];
  /** The full names of those values of the first objects that are no objects with members of their own. */
  readonly values: readonly string[];
  /** The known columns that none of the first objects has. */
  readonly absent: readonly string[];
  /** What to do if the rows are in a list of the first object, because no object has any of the known columns. */
  readonly rowsInList?: string | undefined;
  /** The names of all values that a line may have, if one with another value is to be rejected. */
  readonly closed?: readonly string[] | undefined;
  /**
   * The types of the columns, if the file that the lines are the text of says them: then values have none of their own.
   */
  readonly types?: Layout['types'];
  /** Whether each of its rows has a value, perhaps in a column that is not among these. */
  readonly hasOthers?: boolean;
  /** The columns whose values must be numbers, if there are any. */
  readonly numbers?: RequiredNumbers | undefined;
}

/** What is known of an input before its first objects are read. */
export interface ShapeOptions {
  /** The names of columns. As few objects are enough then as have all of them. */
  readonly known?: readonly string[] | undefined;
  readonly maxRecordBytes: number;
  /** By default as many as a CSV may have. */
  readonly maxColumns?: number | undefined;
  /** Whether the members of the first objects are the columns of what is written. As many are read then as can be. */
  readonly namesColumns?: boolean;
}

/** Objects that are looked at. */
const FIRST_OBJECTS = 100;
/** Bytes in which they are. */
const FIRST_BYTES = 1 << 18;
/**
 * Malformed lines after which no more are looked at, and characters of the names in objects after which no more objects
 * are. The service looks at them on its main thread, where each malformed line takes as much time as an object, and
 * each name of many levels as much as the names around it.
 */
const MAX_MALFORMED = 500;
const MAX_NAME_LENGTHS = 1 << 20;
/** Characters of a full name, if an object has as many as it may have: those of its own line are always enough. */
const NAME_LENGTH = 128;
/** How much more must have arrived before they are looked for again. */
const GROWTH = 1.25;
const BOM = Buffer.from('\ufeff');
const [OPEN, CLOSE] = [0x7b, 0x7d];

/**
 * Reads the first objects of an input.
 *
 * @throws RowcastError `unsupported_format`, `too_many_columns`
 * @returns the shape, and all that was read after the byte order mark
 */
export async function readShape(
  source: Pick<ByteSource, 'name' | 'decodedBy' | 'chunks'>,
  { known, maxRecordBytes, maxColumns = MAX_COLUMNS, namesColumns = false }: ShapeOptions,
): Promise<{ shape: LineShape; rest: Buffer }> {
  const wanted = namesColumns ? undefined : known;
  const first = { maxColumns, file: source.name };
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  for (let looked = 0; ; ) {
    const { value, done } = await source.chunks.next();
    if (value !== undefined && value.length > 0) {
      buffer = enlargedBuffer(buffer, length, value.length);
      length += value.copy(buffer, length);
    }
    const isIdle = !namesColumns && value !== undefined && value.length === 0 && length > 0;
    const isWhole = done === true;
    // They are read from their beginning again, so a sender of small pieces must not choose how often.
    if (!isIdle && !isWhole && length < GROWTH * looked) continue;
    looked = length;
    const bytes = buffer.subarray(0, length);
    refuseUnsupported(bytes, source, 'JSON lines');
    const rest = bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes;
    const one = wanted && objectsIn(rest, { ...first, within: FIRST_BYTES, most: 1, isWhole });
    const hasAll = one !== undefined && one.length > 0 && absentFrom(one, wanted ?? []).length === 0;
    const objects = hasAll
      ? one
      : objectsIn(rest, { ...first, within: FIRST_BYTES, most: FIRST_OBJECTS, isWhole });
    const isEnough = objects.length > 0 && (objects.length === FIRST_OBJECTS || rest.length >= FIRST_BYTES);
    const isLong = rest.length >= Math.max(FIRST_BYTES, maxRecordBytes);
    if (isIdle || isWhole || isEnough || isLong || hasAll) {
      const found =
        objects.length > 0 ? objects : objectsIn(rest, { ...first, within: rest.length, most: 1, isWhole });
      const shape = shapeOf(found, known ?? [], bytes.length - rest.length);
      if (shape.names.length > maxColumns + (known?.length ?? 0)) throw tooMany(first);
      // The rows that a pipe has paused after are too few to tell.
      const isKnown = found.length > 0 && (isWhole || isEnough || isLong);
      if (!isKnown) return { shape: { ...shape, absent: [] }, rest };
      const hasNone = known !== undefined && known.length > 0 && shape.absent.length === known.length;
      return {
        shape: hasNone ? { ...shape, rowsInList: rowsInList(firstObject(rest), known, source) } : shape,
        rest,
      };
    }
  }
}

/** The first line that has an object. */
const firstObject = (bytes: Buffer): string => {
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf(LF, start);
    const line = bytes.subarray(start, lineFeed === -1 ? bytes.length : lineFeed);
    if (isObject(line)) return line.toString();
    start += line.length + 1;
  }
  return '{}';
};

function shapeOf(objects: readonly ObjectNames[], known: readonly string[], bom: number): LineShape {
  const [names, members, outer] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const present = new Set<string>();
  const allowed = (objects[0]?.members ?? []).filter(isScoredName);
  const own = new Set(allowed);
  const isOwn = (name: string): boolean => !isScoredName(name) || own.has(name);
  for (const object of objects) {
    for (const name of object.members) if (isOwn(name)) members.add(name);
    // No column can have half a character in its name.
    for (const name of object.values) if (isOwn(name) && !HALF_PAIR.test(name)) names.add(name);
    for (const name of object.outer) outer.add(name);
    const missing = new Set(object.missing);
    for (const name of object.values) if (!missing.has(name)) present.add(name);
  }
  // A member that is null in one object may be an object in another. One that is another value there is a column of its
  // own, which has its objects as JSON.
  const isMixed = (name: string): boolean => outer.has(name) && present.has(name);
  const values = [...names].filter(
    name => (!outer.has(name) || isMixed(name)) && !outerNames(name).some(isMixed),
  );
  for (const name of known) {
    names.add(name);
    members.add(name);
    members.add(name.slice(0, name.indexOf('.') === -1 ? undefined : name.indexOf('.')));
  }
  const last = lastNames(objects.map(object => object.members));
  const absent = absentFrom(objects, known);
  return { bom, names: [...names], members: [...members], allowed, last, values, absent };
}

function absentFrom(objects: readonly ObjectNames[], columns: readonly string[]): string[] {
  const has = hasColumn({
    values: objects.flatMap(({ values }) => values),
    outer: objects.flatMap(({ outer }) => outer),
  });
  return columns.filter(name => !has(name));
}

/** The longest list that all lists end with. */
function lastNames(lists: readonly (readonly string[])[]): readonly string[] {
  let [common = []] = lists;
  for (const list of lists) {
    let same = 0;
    while (same < common.length && common.at(-1 - same) === list.at(-1 - same)) same++;
    common = common.slice(common.length - same);
  }
  return common;
}

interface FirstLines {
  /** Its name, for messages. */
  file: string;
  maxColumns: number;
  /** The lines end within this many bytes. */
  within: number;
  /** The most objects. */
  most: number;
  /** Whether no more bytes will come, so that the last line needs no line feed. */
  isWhole: boolean;
}

/** The names in the first objects in these bytes. @throws RowcastError `too_many_columns` */
function objectsIn(bytes: Buffer, { file, maxColumns, within, most, isWhole }: FirstLines): ObjectNames[] {
  const found: ObjectNames[] = [];
  let [malformed, lengths] = [0, 0];
  const isEnough = (): boolean =>
    found.length >= most || malformed >= MAX_MALFORMED || lengths >= MAX_NAME_LENGTHS;
  for (let start = 0; start < Math.min(within, bytes.length) && !isEnough(); ) {
    const lineFeed = bytes.indexOf(LF, start);
    const end = lineFeed === -1 ? bytes.length : lineFeed;
    if (end > within || (lineFeed === -1 && !isWhole)) break;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (!hasBraces(line)) continue;
    const mostLength = Math.max(NAME_LENGTH * maxColumns, 2 * line.length);
    const names = isObject(line) ? namesIn(line, { names: maxColumns, length: mostLength }) : undefined;
    if (names === undefined) {
      malformed++;
      continue;
    }
    if (Math.max(names.values.length, names.outer.length) > maxColumns) throw tooMany({ file, maxColumns });
    if (names.length > mostLength) throw tooLong(file, mostLength);
    lengths += names.length;
    found.push(names);
  }
  return found;
}

const tooMany = ({ file, maxColumns }: Pick<FirstLines, 'file' | 'maxColumns'>): RowcastError =>
  new RowcastError(
    'too_many_columns',
    `the first objects have more columns than the limit of ${counted(maxColumns)}`,
    { location: { file }, hint: 'Keep only the members that are needed.' },
  );

const tooLong = (file: string, most: number): RowcastError =>
  new RowcastError(
    'too_many_columns',
    `the names in a line, with those of the objects around them, have more characters than the limit of ${counted(most)}`,
    { location: { file }, hint: 'Keep only the members that are needed, or shorten the names around them.' },
  );

/** Whether a line begins and ends as an object does. */
function hasBraces(line: Buffer): boolean {
  let [start, end] = [0, line.length - 1];
  while (isSpace(line[start])) start++;
  while (isSpace(line[end])) end--;
  return line[start] === OPEN && line[end] === CLOSE;
}

/** Whether a line is an object. A malformed one is reported when it is read. */
const isObject = (line: Buffer): boolean => isUtf8(line) && objectOn(line.toString()) !== undefined;

/**
 * What to do if the rows are in a list of the only object, as in responses: `{"data":[{"age":1},{"age":2}]}`.
 *
 * @param line the first object
 * @param columns of the rows
 * @param file for the command
 * @returns undefined if none of its lists has objects with such columns
 */
function rowsInList(line: string, columns: readonly string[], file: PipedFile): string | undefined {
  const members = Object.entries(objectOn(line) ?? {});
  const outer = columns.map(name => name.split('.')[0] ?? name);
  const isRow = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    [...columns, ...outer].some(name => Object.hasOwn(value, name));
  const [name] = members.find(([, value]) => Array.isArray(value) && isRow(value[0])) ?? [];
  if (name === undefined) return undefined;
  const path = jqPath(JSON.stringify(name).slice(1, -1));
  return `The rows are in a list of the first object. ${filteredBy(file, `jq -c ${shellWord(`${path}[]`)}`)}`;
}
