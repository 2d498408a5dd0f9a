import type { Dialect } from '../../base/parse-records.ts';
import type { Appended } from '../appended.ts';
import { copyBytes, type WordView, wordView } from '../bytes/word-view.ts';
import type { MergeRecords, PredictedBatch } from '../format.ts';
import { kindOf, RecordKind, startOf } from '../records/batch.ts';
import { CR, contentEnd, joinsLine } from '../records/line-endings.ts';
import { fieldEnd } from './fields/count-fields.ts';

/**
 * Merges a batch's records like `recordMerger`, with only some of their columns. These keep their bytes, and a record its
 * line ending.
 */
export function keptRecordMerger(
  { batch, faults, predictions }: PredictedBatch,
  appended: Appended,
  dialect: Dialect,
  kept: readonly number[],
): MergeRecords {
  const { bytes, ends, kinds } = batch;
  const from = wordView(bytes);
  const fields = keptFields(kept, dialect);
  const write = appended.writer(predictions);
  let persona = 0;
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
      const content = contentEnd(bytes, start, end, dialect);
      at = fields(from, start, content, kindOf(batch, index), merged, at);
      at = predictions.errors.has(persona)
        ? copyBytes(appended.empty, 0, appended.empty.bytes.length, merged, at)
        : write(persona, merged, at);
      persona++;
      at = copyBytes(from, content, end, merged, at);
    }
    return merged.bytes.subarray(0, at);
  };
}

type CopyFields = (
  from: WordView,
  start: number,
  end: number,
  kind: RecordKind,
  into: WordView,
  to: number,
) => number;

/** The kept fields of a record's content; all by default. */
export function keptContent(content: Buffer, dialect: Dialect, kept: readonly number[] | undefined): Buffer {
  if (kept === undefined) return content;
  const into = wordView(Buffer.allocUnsafe(content.length + kept.length));
  const copy = keptFields(kept, dialect);
  return into.bytes.subarray(0, copy(wordView(content), 0, content.length, RecordKind.quoted, into, 0));
}

/** Copies the kept fields of a record's content, and returns the offset after them. */
function keptFields(kept: readonly number[], dialect: Dialect): CopyFields {
  const delimiter = dialect.delimiter.charCodeAt(0);
  // In a record without a quoted field, quotes are data.
  const bare: Dialect = { ...dialect, quote: undefined };
  const count = Math.max(-1, ...kept) + 1;
  const ends = new Int32Array(count);
  return (from, start, end, kind, into, to) => {
    const own = kind === RecordKind.quoted ? dialect : bare;
    for (let column = 0, at = start; column < count; column++) {
      ends[column] = fieldEnd(from.bytes, at, end, own);
      at = (ends[column] ?? end) + 1;
    }
    let at = to;
    for (let place = 0; place < kept.length; place++) {
      const column = kept[place] ?? 0;
      if (place > 0) into.view.setUint8(at++, delimiter);
      const begin = column === 0 ? start : (ends[column - 1] ?? start) + 1;
      at = copyBytes(from, begin, ends[column] ?? end, into, at);
    }
    return at;
  };
}
