import type { BatchMemory } from '../base/kernel/batch-memory.ts';
import type { Appended } from './appended.ts';
import { copyBytes, type WordView, wordView } from './bytes/word-view.ts';
import { MAX_PLACED_BYTES, placeRecords } from './columns/place-records.ts';
import type { MergeRecords, OutputLayout, PredictedBatch } from './format.ts';
import { type Batch, countRows, kindOf, RecordKind, startOf } from './records/batch.ts';
import type { Fields } from './records/fields.ts';
import { CR, joinsLine, LF, type LineEndings } from './records/line-endings.ts';

/** What an output has of a record, open where something is appended. */
export interface OpenRecord {
  /** What comes before the appended values: `head.bytes[start, end)`. */
  head: WordView;
  start: number;
  end: number;
  /** What comes after them: `tail.bytes[tailStart, tailEnd)`. */
  tail: WordView;
  tailStart: number;
  tailEnd: number;
  /** Whether nothing is before the first appended value, whose first byte, a separator, is left out then. */
  isFirst: boolean;
}

/** Opens the record `from.bytes[start, end)`, which is well formed. */
export type OpenAt = (into: OpenRecord, from: WordView, start: number, end: number, kind: RecordKind) => void;

/**
 * Merges a batch's records with the appended values, consecutive ones at a time. Blank lines are copied (see
 * `joinsLine` for the exception); malformed records are left out. It is the reference of `kernelMerger`.
 */
export function recordMerger(
  { batch, faults, predictions }: PredictedBatch,
  appended: Appended,
  open: OpenAt,
): MergeRecords {
  const { bytes, ends, kinds } = batch;
  const from = wordView(bytes);
  const write = appended.writer(predictions);
  const { empty } = appended;
  const record = { head: from, start: 0, end: 0, tail: from, tailStart: 0, tailEnd: 0, isFirst: false };
  let row = 0;
  return (first, after, lastByte, into) => {
    const size = startOf(batch, after) - startOf(batch, first) + (after - first) * appended.maxBytes;
    const merged = wordView(into ?? Buffer.allocUnsafe(size));
    let at = 0;
    for (let index = first; index < after; index++) {
      const start = startOf(batch, index);
      const end = ends[index] ?? start;
      if (kinds[index] === RecordKind.blank) {
        // An output of one column has no blank lines: they would be rows.
        if (appended.isAlone) continue;
        if (joinsLine(at === 0 ? lastByte : merged.bytes[at - 1], bytes[start])) merged.bytes[at++] = CR;
        at = copyBytes(from, start, end, merged, at);
        continue;
      }
      if (faults.has(index)) continue;
      open(record, from, start, end, kindOf(batch, index));
      at = copyBytes(record.head, record.start, record.end, merged, at);
      const appendedAt = at;
      at = predictions.errors.has(row)
        ? copyBytes(empty, 0, empty.bytes.length, merged, at)
        : write(row, merged, at);
      row++;
      if (record.isFirst) {
        merged.bytes.copyWithin(appendedAt, appendedAt + 1, at);
        at--;
      }
      at = copyBytes(record.tail, record.tailStart, record.tailEnd, merged, at);
    }
    return merged.bytes.subarray(0, at);
  };
}

/** Makes records of another format of those of a batch, one batch after the other. */
export interface Conversion {
  convert(batch: Batch): Batch;
  /** The most bytes that a record has besides those of its fields. */
  readonly maxBytes: number;
  /** How many bytes a byte of a record can become. */
  readonly growth: number;
}

/**
 * Makes a record of each of a batch, ending in a line feed if that has a line ending. Those of malformed and blank
 * records are empty.
 *
 * @param most the most bytes of all of them
 * @param kind of the records
 * @param isEnd whether a byte ends a record
 * @param write writes that of a row, and returns the offset after it
 */
export function convertRecords(
  batch: Batch,
  faults: Fields['faults'],
  { most, kind, isEnd }: { most: number; kind: RecordKind; isEnd: (byte: number | undefined) => boolean },
  write: (row: number, into: WordView, at: number) => number,
): Batch {
  const into = wordView(Buffer.allocUnsafe(most));
  const ends = new Int32Array(batch.ends.length);
  const kinds = new Uint8Array(batch.ends.length).fill(kind);
  let at = 0;
  let row = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = batch.ends[index] as number;
    if (batch.kinds[index] === RecordKind.blank) kinds[index] = RecordKind.blank;
    else if (!faults.has(index)) {
      at = write(row++, into, at);
      if (end > startOf(batch, index) && isEnd(batch.bytes[end - 1])) into.bytes[at++] = LF;
    }
    ends[index] = at;
  }
  return { ...batch, bytes: into.bytes.subarray(0, at), ends, kinds };
}

/**
 * An output of another format than that of the input.
 *
 * @param written the output of the converted records
 * @param newConversion each merger has its own
 */
export const convertedOutput = (written: OutputLayout, newConversion: () => Conversion): OutputLayout => ({
  ...written,
  // Each converted record has a line ending of its own.
  mayJoinLines: false,
  appended(options) {
    const appended = written.appended(options);
    const { maxBytes, growth } = newConversion();
    return { ...appended, maxBytes: appended.maxBytes + maxBytes, growth };
  },
  merger(appended) {
    const merge = written.merger(appended);
    const { convert } = newConversion();
    return scored => merge({ ...scored, batch: convert(scored.batch) });
  },
});

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const OFFSET_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Number of bytes that the kernel may write behind texts and merged records. */
const PADDING = 16;
/** With many classes, what is appended to a batch may be larger; it is not worth so much memory, which is kept. */
const MAX_APPENDED_BYTES = 4 << 20;

/**
 * Merges a batch like the merger of its format; undefined if a kernel cannot: a row has no probabilities, or an ending
 * may be joined.
 */
type MergeInKernel = (scored: PredictedBatch, fields?: Fields) => MergeRecords | undefined;

/**
 * @param areObjects whether what is appended goes before the closing brace of each record, and not behind all of it
 * @returns undefined if a kernel cannot write these columns
 */
export function kernelMerger(
  memory: BatchMemory,
  appended: Appended,
  { loneCr }: LineEndings,
  areObjects = false,
): MergeInKernel | undefined {
  const { whole, maxBytes } = appended;
  if (whole === undefined || loneCr) return undefined;
  const { openings, predicted } = whole;
  const classes = openings.length;
  /** As `Text`s of assembly/merge-records.ts. */
  const keep = (texts: readonly WordView[]): number => {
    const kept = new Map(texts.map(text => [text, memory.keep(text.bytes)]));
    return memory.keep(Int32Array.from(texts.flatMap(text => [kept.get(text) ?? 0, text.bytes.length])));
  };
  const openingsAt = keep(openings);
  const predictedAt = predicted === undefined ? 0 : keep(predicted);
  /** Where the records are; those whose fields were not read are placed now. */
  const placeOf = ({ batch }: PredictedBatch, fields: Fields | undefined) => {
    if (fields !== undefined) return fields.placed;
    if (batch.bytes.length > MAX_PLACED_BYTES) return undefined;
    memory.clear();
    return placeRecords(memory, batch);
  };
  return (scored, fields) => {
    const { batch, faults, predictions } = scored;
    if (predictions.kind !== 'distribution' || faults.size > 0 || predictions.errors.size > 0)
      return undefined;
    const { probabilities } = predictions;
    const rows = probabilities.length / classes;
    if (rows * maxBytes > MAX_APPENDED_BYTES) return undefined;
    const placed = placeOf(scored, fields);
    if (placed === undefined) return undefined;
    const write = appended.writer(predictions);
    const { kernel } = memory;
    const probabilitiesAt = memory.reserve(probabilities.length * NUMBER_BYTES);
    const textsAt = memory.reserve(rows * maxBytes + PADDING);
    const textEndsAt = memory.reserve((rows + 1) * OFFSET_BYTES);
    const mergedAt = memory.reserve(batch.bytes.length + rows * maxBytes + PADDING);
    const { buffer } = memory;
    new Float64Array(buffer, probabilitiesAt, probabilities.length).set(probabilities);
    const textEnds = new Int32Array(buffer, textEndsAt, rows + 1);
    const texts = wordView(Buffer.from(buffer, textsAt, rows * maxBytes));
    textEnds[0] = 0;
    const append = (first: number): number =>
      kernel.appendFields(
        probabilitiesAt,
        classes,
        first,
        rows,
        openingsAt,
        predictedAt,
        textsAt,
        textEndsAt,
      );
    for (let row = append(0); row < rows; row = append(row + 1))
      textEnds[row + 1] = write(row, texts, textEnds[row] as number);
    let row = 0;
    return (from, to, _, into) => {
      const size = kernel.mergeRecords(
        placed.bytes,
        placed.recordEnds,
        placed.kinds,
        from,
        to,
        row,
        Number(loneCr),
        Number(areObjects),
        textsAt,
        textEndsAt,
        mergedAt,
      );
      row += countRows(batch, from, to);
      const merged = Buffer.from(buffer, mergedAt, size);
      const bytes = into ?? Buffer.allocUnsafe(size);
      bytes.set(merged);
      return bytes.subarray(0, size);
    };
  };
}
