import { isUtf8 } from 'node:buffer';
import { unknownColumns } from '../../base/contract/predictions.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { sanitize } from '../../base/sanitize.ts';
import { enlargedBuffer, wordView } from '../bytes/word-view.ts';
import { placeFields } from '../columns/place-records.ts';
import { type Batch, RecordKind, startOf } from '../records/batch.ts';
import { emptyRecord, type Fault, notUtf8 } from '../records/faults.ts';
import { type Fields, textOf, type Without } from '../records/fields.ts';
import { contentEnd } from '../records/line-endings.ts';
import { isRejectsFile, REJECT_RECORD, rejectColumns } from '../records/reject.ts';
import { doubleOf, notANumber, type RequiredNumbers } from '../required-numbers.ts';
import { KernelMembers } from './kernel-members.ts';
import type { LineShape } from './line-shape.ts';
import { hasColumn, lines, namesIn, objectOn } from './members.ts';
import { type LineFault, MAX_DEPTH, ObjectReader } from './object-reader.ts';

/** What is wrong with a line, by its code. */
const faultOf: Readonly<Record<Exclude<LineFault, 'unknown_member'>, Fault>> = {
  left_as_rejected: {
    code: 'bad_json',
    reason: 'the line was rejected because it is not a JSON object, and was not corrected',
    hint: `write the members of the object in the place of "${REJECT_RECORD}"`,
  },
  bad_json: { code: 'bad_json', reason: 'the line is not a JSON object' },
  too_deep: { code: 'bad_json', reason: `the object has more than ${MAX_DEPTH} levels of objects and lists` },
  half_pair: {
    code: 'not_utf8',
    reason: 'a text has an escape of half a character (a surrogate without the other one)',
  },
  repeated_member: { code: 'repeated_member', reason: 'the object has a member twice' },
  scored_before: {
    code: 'scored_before',
    reason: 'the object has a member whose name begins with "probability_", as if it had been scored before',
  },
};

const emptyObject: Fault = { ...emptyRecord, reason: 'all members of the object are null' };

/** @param member the name of one that is unknown */
const describe = (fault: LineFault, member: string): Fault =>
  fault === 'unknown_member' ? unknownMember(member) : faultOf[fault];

/** A value for which the output has no column. */
const unknownMember = (name: string): Fault => ({
  code: 'unknown_member',
  reason: `the output has no column for the member "${sanitize(name)}"`,
  hint: 'name the columns of the output with --keep',
});

/**
 * Finds the fields of batches of lines. A text that had escapes is behind the bytes of the batch, after a quote.
 *
 * @param memory in which a kernel finds the fields of most lines, and may read them
 */
export function lineFieldReader(
  {
    names,
    allowed,
    closed,
    types,
    numbers,
  }: Pick<LineShape, 'names' | 'allowed' | 'closed' | 'types' | 'numbers'>,
  memory: BatchMemory | undefined,
): (batch: Batch) => Fields {
  const width = names.length;
  const reader = new ObjectReader(names, allowed, closed);
  const inKernel = memory && new KernelMembers(memory);
  return batch => {
    const size = width * batch.ends.length;
    const inMemory = placeFields(memory, batch, size);
    let bytes = inMemory?.bytes ?? batch.bytes;
    let texts = inMemory?.texts;
    const starts = inMemory?.starts.fill(0) ?? new Int32Array(size);
    const ends = inMemory?.ends.fill(0) ?? new Int32Array(size);
    const placed = inMemory?.records;
    const valuesAt = { starts: starts.byteOffset, ends: ends.byteOffset, width };
    const words = wordView(bytes);
    let length = bytes.length;
    const keepText = (text: string): number => {
      // Texts become shorter without their escapes, so all of them go into as many bytes again.
      texts ??= enlargedBuffer(bytes, length, 1);
      const from = length + texts.write('"', length);
      length = from + texts.write(text, from);
      return from;
    };
    const faults = new Map<number, Fault>();
    const areUtf8 = isUtf8(bytes);
    let rows = 0;
    const records = batch.ends.length;
    for (let index = 0; index < records; index++) {
      if (placed !== undefined && inKernel !== undefined && areUtf8) {
        const from = { index, row: rows, records, texts: length };
        const found = inKernel.find(reader.members, placed, from, valuesAt);
        rows += found.next - index;
        index = found.next;
        length = found.texts;
      }
      if (index === records) break;
      if (batch.kinds[index] === RecordKind.blank) continue;
      const start = startOf(batch, index);
      const end = contentEnd(bytes, start, batch.ends[index] ?? start, lines);
      const before = length;
      const fault =
        areUtf8 || isUtf8(bytes.subarray(start, end))
          ? reader.read({ words, start, end }, { starts, ends }, rows * width, keepText)
          : 'not_utf8';
      if (fault === undefined) {
        rows++;
        continue;
      }
      faults.set(index, fault === 'not_utf8' ? notUtf8 : describe(fault, reader.unknownMember));
      length = before;
      // The next row has the same places.
      starts.fill(0, rows * width, (rows + 1) * width);
      ends.fill(0, rows * width, (rows + 1) * width);
    }
    if (texts !== undefined) bytes = texts.subarray(0, length);
    // A row of a file that is not text is one, whatever its values are.
    if (types === undefined) rows = rejectEmpty({ rows, width, starts, ends, faults }, batch, names);
    if (numbers !== undefined) {
      const found = { rows, width, bytes, starts, ends, faults };
      rows = leaveOut(found, textRows(found, batch, numbers, names));
    }
    const rowsWithout = (columns: readonly number[]): ReadonlyMap<number, Without> =>
      withoutAny({ rows, width, starts, ends, faults }, batch, columns, names);
    const isTyped = types === undefined;
    const otherNames = (): string[] => reader.otherNames;
    return { rows, width, bytes, isTyped, starts, ends, faults, placed, rowsWithout, otherNames };
  };
}

type Found = Pick<Fields, 'rows' | 'width' | 'starts' | 'ends'> & { faults: Map<number, Fault> };

/** Only the lines of rows without a value are looked at again: null is there, but not a value. */
function withoutAny(
  found: Found,
  batch: Batch,
  columns: readonly number[],
  names: readonly string[],
): ReadonlyMap<number, Without> {
  const rows = valuelessRows(found, batch, columns)
    .filter(({ line }) => {
      const inLine = namesIn(line);
      if (inLine === undefined) return false;
      const has = hasColumn(inLine);
      return !columns.some(column => has(names[column] as string));
    })
    .map(({ row }) => [row, unknownColumns] as const);
  return new Map(rows);
}

/**
 * Makes faults of the rows whose members are all null, if they are more than one.
 *
 * @returns the number of rows that are left
 */
function rejectEmpty(found: Found, batch: Batch, names: readonly string[]): number {
  const columns = names.flatMap((name, column) =>
    rejectColumns.some(ours => ours === name) ? [] : [column],
  );
  const empty = valuelessRows(found, batch, columns).filter(({ line }) => areNull(line));
  return leaveOut(
    found,
    empty.map(({ row, index }) => ({ row, index, fault: emptyObject })),
  );
}

/** A row that has a fault, and its record. */
interface FaultyRow {
  row: number;
  index: number;
  fault: Fault;
}

/** The rows with a text in a column of numbers. */
function textRows(
  found: Found & Pick<Fields, 'bytes'>,
  batch: Batch,
  { columns, nulls }: RequiredNumbers,
  names: readonly string[],
): FaultyRow[] {
  const missing = new Set(nulls);
  const wrong = new Map<number, number>();
  for (let row = 0; row < found.rows; row++) {
    const column = columns.find(column => doubleOf(textOf(found, row, column), missing) === undefined);
    if (column !== undefined) wrong.set(row, column);
  }
  if (wrong.size === 0) return [];
  const records = recordsOfRows(found, batch);
  return Array.from(wrong, ([row, column]) => ({
    row,
    index: records[row] as number, // each row has one
    fault: notANumber(names[column] ?? ''),
  }));
}

/**
 * Makes faults of rows, whose fields are left out.
 *
 * @returns the number of rows that are left
 */
function leaveOut({ rows, width, starts, ends, faults }: Found, faulty: readonly FaultyRow[]): number {
  if (faulty.length === 0) return rows;
  const sorted = [...faults, ...faulty.map(({ index, fault }) => [index, fault] as const)].sort(
    ([a], [b]) => a - b,
  );
  faults.clear();
  for (const [index, fault] of sorted) faults.set(index, fault);
  let left = faulty[0]?.row ?? 0;
  for (const [next, { row }] of faulty.entries()) {
    const until = faulty[next + 1]?.row ?? rows;
    const to = (row - next) * width;
    for (const places of [starts, ends]) places.copyWithin(to, (row + 1) * width, until * width);
    left = until - next - 1;
  }
  return left;
}

function areNull(line: Buffer): boolean {
  const members = Object.entries(objectOn(line.toString()) ?? {});
  const own = isRejectsFile(members.map(([name]) => name)) ? members.slice(rejectColumns.length) : members;
  return own.length > 1 && own.every(([, value]) => value === null);
}

/** The rows without a value in any of these columns, with the lines that they are on. */
function valuelessRows(
  { rows, width, ends, faults }: Found,
  batch: Batch,
  columns: readonly number[],
): { row: number; index: number; line: Buffer }[] {
  const valueless: number[] = [];
  const [first = 0] = columns;
  // Nearly all rows have a value in the first column.
  for (let row = 0, at = 0; row < rows; row++, at += width)
    if (ends[at + first] === 0 && !columns.some(column => ends[at + column] !== 0)) valueless.push(row);
  if (valueless.length === 0) return [];
  const records = recordsOfRows({ faults }, batch);
  return valueless.map(row => {
    const index = records[row] as number;
    return { row, index, line: batch.bytes.subarray(startOf(batch, index), batch.ends[index]) };
  });
}

/** The record of each row. */
function recordsOfRows({ faults }: Pick<Found, 'faults'>, batch: Batch): number[] {
  const records: number[] = [];
  for (let index = 0; index < batch.ends.length; index++)
    if (batch.kinds[index] !== RecordKind.blank && !faults.has(index)) records.push(index);
  return records;
}
