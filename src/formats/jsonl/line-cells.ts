import { copyBytes, wordView } from '../bytes/word-view.ts';
import { type Batch, startOf } from '../records/batch.ts';
import { LF } from '../records/line-endings.ts';
import { RecordKind } from '../records/record-kind.ts';
import { lineFieldReader } from './line-fields.ts';
import type { LineShape } from './line-shape.ts';

/** How many bytes of a record a byte of its line can become: a quote in a list is doubled. */
export const CELL_GROWTH = 2;

/** Makes records of a CSV of lines. */
export interface LineCells {
  /**
   * The records of a batch of lines, each as the content of a record of a CSV with commas, ending in a line feed if its line does.
   * Those of malformed and blank lines are empty.
   */
  recordsOf(batch: Batch): Batch;
}

const [COMMA, QUOTE, CR] = [0x2c, 0x22, 0x0d];

/**
 * A cell is the text of a string, or another value as it is written. A missing value is an empty cell, and an empty text is one in
 * quotes.
 *
 * @param names of the columns
 */
export function lineCells(shape: LineShape, names: readonly string[]): LineCells {
  const read = lineFieldReader(shape, undefined);
  const columns = names.map(name => shape.names.indexOf(name));
  return {
    recordsOf(batch) {
      const fields = read(batch);
      const { starts, ends, width, faults } = fields;
      const from = wordView(fields.bytes);
      const { bytes } = from;
      const most = CELL_GROWTH * batch.bytes.length + batch.ends.length * columns.length;
      const into = wordView(Buffer.allocUnsafe(most));
      const records = into.bytes;
      const recordEnds = new Int32Array(batch.ends.length);
      const kinds = new Uint8Array(batch.ends.length);
      let at = 0;
      let row = 0;
      for (let index = 0; index < batch.ends.length; index++) {
        const isBlank = batch.kinds[index] === RecordKind.blank;
        if (isBlank) kinds[index] = RecordKind.blank;
        else if (!faults.has(index)) {
          for (let place = 0; place < columns.length; place++) {
            if (place > 0) records[at++] = COMMA;
            const column = columns[place] as number;
            if (column === -1) continue;
            const field = row * width + column;
            const [start, end] = [starts[field] as number, ends[field] as number];
            // An empty text comes after a quote; a missing value has no place.
            if (end === 0) continue;
            if (isPlain(bytes, start, end)) at = copyBytes(from, start, end, into, at);
            else {
              kinds[index] = RecordKind.quoted;
              at = quoted(bytes, start, end, records, at);
            }
          }
          row++;
          if (batch.bytes[(batch.ends[index] ?? 0) - 1] === LF && startOf(batch, index) !== batch.ends[index])
            records[at++] = LF;
        }
        recordEnds[index] = at;
      }
      return { ...batch, bytes: records.subarray(0, at), ends: recordEnds, kinds };
    },
  };
}

function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === COMMA || byte === LF || byte === CR) return false;
  }
  return start < end;
}

function quoted(bytes: Buffer, start: number, end: number, into: Buffer, to: number): number {
  let at = to;
  into[at++] = QUOTE;
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) into[at++] = QUOTE;
    into[at++] = byte;
  }
  into[at++] = QUOTE;
  return at;
}
