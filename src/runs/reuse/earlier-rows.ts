import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { sanitize } from '../../base/sanitize.ts';
import { copyBytes, wordView } from '../../formats/bytes/word-view.ts';
import { fieldEnd } from '../../formats/csv/fields/count-fields.ts';
import { headerOfLayout } from '../../formats/csv/header.ts';
import type { Layout } from '../../formats/format.ts';
import { recognizeInput } from '../../formats/formats.ts';
import { closingBrace } from '../../formats/jsonl/merge-lines.ts';
import { type Batch, RecordKind, startOf } from '../../formats/records/batch.ts';
import type { Fields } from '../../formats/records/fields.ts';
import { isInside } from '../../formats/records/position.ts';
import { readBatches } from '../../formats/records/read-batches.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';
import type { RowKeys } from '../../scoring/reuse/row-keys.ts';
import type { Source } from '../../storage/source.ts';
import { seekToCheckpoint } from '../output/resume.ts';
import { type Made, otherPredictions } from './made-by.ts';

/** Rows of an earlier output: their keys, and what was appended to them, one after the other. */
export interface EarlierRows {
  readonly rows: number;
  /** The number of the first one. */
  readonly firstRow: number;
  readonly keys: Int32Array;
  readonly bytes: Buffer;
  /** Where in `bytes` it ends; it is empty for a rejected row. */
  readonly ends: Int32Array;
}

/** Where in `EarlierRows.bytes` what was appended to a row begins: at a whole word after that of the one before. */
export const startIn = (ends: Int32Array, row: number): number =>
  row === 0 ? 0 : ((ends[row - 1] as number) + 3) & ~3;

interface EarlierOptions {
  /** The input of this run. */
  layout: Layout;
  features: readonly FeatureColumn[];
  rename: Readonly<Record<string, string>>;
  /** The names of the appended columns. */
  appended: readonly string[];
  /** The most bytes that are appended to a row. */
  maxBytes: number;
  keys: RowKeys;
  read: { maxRecordBytes: number; maxGroupBytes: number; nulls: readonly string[] };
  /** Where some of its rows begin. */
  places?: Made['places'];
}

const BATCH_BYTES = 1 << 18;
/** A record of an output may have this many bytes more than one of an input. */
const APPENDED_BYTES = 16 << 20;

/**
 * Reads the rows of an earlier output, a batch at a time, which is valid until the next is asked for.
 *
 * @param skipped rows at the beginning that are passed over
 * @throws RowcastError `other_predictions`; of reading a file
 */
export async function earlierRows(
  source: Source,
  { layout, features, rename, appended, maxBytes, keys, read, places = [] }: EarlierOptions,
  skipped: number,
): Promise<AsyncGenerator<EarlierRows>> {
  const sent = features.map(({ name }) => nameInOutput(name, rename));
  const { format, bytes } = await recognizeInput(source, {});
  if (format.name !== layout.format)
    throw otherPredictions(
      source.name,
      `it is of the format ${format.name}, and the input of ${layout.format}, so the values are not written as they were sent`,
    );
  const maxRecordBytes = read.maxRecordBytes + APPENDED_BYTES;
  const options = { ...read, ...layout.readAs, maxRecordBytes, columns: [...sent, ...appended] };
  const isBefore = ({ row }: { row: number }): boolean => row - 1 <= skipped;
  let opened = await format.readLayout(bytes, options);
  const groups = opened.sections?.().map(({ start }) => start);
  const group = skipped === 0 ? undefined : groups?.findLast(isBefore);
  if (group !== undefined) opened = await format.readLayout(bytes, { ...options, range: { start: group } });
  const earlier = opened.layout;
  const indexes = sent.map(name => indexOf(earlier, name, source.name));
  for (const [place, { index, name }] of features.entries()) {
    const own = indexes[place] as number;
    if (layout.types?.[index] !== earlier.types?.[own] || layout.singles?.[index] !== earlier.singles?.[own])
      throw otherPredictions(source.name, `the type of the column "${sanitize(name)}" was another`);
  }
  const first = earlier.names.indexOf(appended[0] ?? '');
  const isAtEnd = appended.every((name, place) => earlier.names[first + place] === name);
  if (
    first === -1 ||
    !isAtEnd ||
    (earlier.format !== 'jsonl' && first + appended.length !== earlier.names.length)
  )
    throw otherPredictions(source.name, 'it does not have the columns that this run appends');
  const find =
    earlier.format === 'jsonl' ? appendedMembers(appended[0] ?? '') : appendedFields(earlier, first);
  const last = earlier.format === 'jsonl' ? undefined : earlier.names.length - 1;
  const values = new AppendedValues({ layout: earlier, first, last, find, maxBytes });
  const place = skipped === 0 ? undefined : places.findLast(isBefore);
  const begun = { start: earlier.start, rest: opened.rest, source: bytes };
  const range = place && { start: { ...place, line: place.row } };
  // What was read of the beginning is not read again.
  const { start, ...from } =
    range && isInside(range, earlier)
      ? { ...(await seekToCheckpoint(source, opened, undefined, range)), source }
      : begun;
  const records = earlier.records({
    file: source.name,
    batchRows: Number.POSITIVE_INFINITY,
    batchBytes: () => BATCH_BYTES,
    maxRecordBytes,
    areRows: earlier.rows !== undefined,
    start,
  });
  const memory = BatchMemory.create();
  const fieldsOf = earlier.fieldReader(memory);
  return (async function* () {
    for await (const batch of readBatches({ records, ...from })) {
      if (batch.end.row - 1 > skipped) {
        memory?.clear();
        const reserved = memory && keys.reserve(memory, batch, indexes);
        const fields = fieldsOf(batch);
        yield {
          rows: fields.rows,
          firstRow: batch.start.row,
          keys: keys.keysOf(fields, indexes, reserved),
          ...values.of(batch, fields),
        };
      }
      records.release(batch.end.offset);
    }
  })();
}

function indexOf({ names }: Layout, name: string, file: string): number {
  const index = names.indexOf(name);
  if (index !== -1 && names.indexOf(name, index + 1) === -1) return index;
  throw otherPredictions(
    file,
    `it has no column "${sanitize(name)}", which is sent`,
    'An output whose run has left out columns by --keep does not tell what was sent.',
  );
}

/** The name that a column, perhaps of a renamed object, has in the output. */
function nameInOutput(name: string, rename: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(rename, name)) return rename[name] as string;
  for (const [from, to] of Object.entries(rename))
    if (name.startsWith(`${from}.`)) return to + name.slice(from.length);
  return name;
}

interface AppendedOptions {
  layout: Layout;
  /** The index of the first appended column, and that of the last one, where their fields are the last of a record. */
  first: number;
  last: number | undefined;
  find: FindAppended;
  maxBytes: number;
}

/** Copies what was appended to the rows of batches, into memory that the next batch overwrites. */
class AppendedValues {
  readonly #options: AppendedOptions;
  #bytes = Buffer.alloc(0);
  #ends = new Int32Array();

  constructor(options: AppendedOptions) {
    this.#options = options;
  }

  of(batch: Batch, fields: Fields): Pick<EarlierRows, 'bytes' | 'ends'> {
    const { find, layout, first, maxBytes } = this.#options;
    const { rows, starts, width } = fields;
    const most = batch.bytes.length + 3 * rows;
    if (this.#bytes.length < most) this.#bytes = Buffer.from(new ArrayBuffer(2 * most));
    if (this.#ends.length < rows) this.#ends = new Int32Array(2 * rows);
    const [into, from, ends] = [wordView(this.#bytes), wordView(batch.bytes), this.#ends];
    let [to, index] = [0, 0];
    for (let row = 0; row < rows; row++, index++) {
      // Blank lines and malformed records are no rows.
      while (batch.kinds[index] === RecordKind.blank || (fields.faults.size > 0 && fields.faults.has(index)))
        index++;
      const at = row * width + first;
      let start = starts[at] as number;
      // A rejected row has nothing in the appended columns.
      if (start !== fields.ends[at]) {
        let end = this.#endOfPlain(batch, fields, row, index);
        if (end === undefined) {
          const content = layout.contentEnd(batch.bytes, startOf(batch, index), batch.ends[index] as number);
          ({ start, end } = find(batch, index, content) ?? NOTHING);
        }
        if (end - start <= maxBytes) to = copyBytes(from, start, end, into, to);
      }
      ends[row] = to;
      to = (to + 3) & ~3;
    }
    return { bytes: this.#bytes, ends };
  }

  /** Where the appended fields of a row end if no field is quoted. */
  #endOfPlain({ kinds }: Batch, { ends, width }: Fields, row: number, index: number): number | undefined {
    const { last } = this.#options;
    return last !== undefined && kinds[index] === RecordKind.plain ? ends[row * width + last] : undefined;
  }
}

const NOTHING = { start: 0, end: 0 };

/**
 * Finds what was appended to a record.
 *
 * @param content where its content ends
 */
type FindAppended = (
  batch: Batch,
  index: number,
  content: number,
) => { start: number; end: number } | undefined;

/** In a CSV, these are the last fields, without the delimiter before them. */
function appendedFields(layout: Layout, first: number): FindAppended {
  const { dialect } = headerOfLayout(layout);
  return (batch, index, content) => {
    let at = startOf(batch, index) - 1;
    for (let field = 0; field < first; field++) at = fieldEnd(batch.bytes, at + 1, content, dialect);
    return { start: at + 1, end: content };
  };
}

/** In an object, these are the last members, with the comma before them, up to the closing brace. */
function appendedMembers(name: string): FindAppended {
  const opening = Buffer.from(`,${JSON.stringify(name)}:`);
  return (batch, index, content) => {
    const from = startOf(batch, index);
    const start = batch.bytes.subarray(from, content).lastIndexOf(opening);
    return start === -1 ? undefined : { start: from + start, end: closingBrace(batch.bytes, from, content) };
  };
}
