import type { Dialect } from '../../base/parse-records.ts';
import { copyBytes, textView, type WordView, wordView } from '../bytes/word-view.ts';
import { FieldReader } from '../csv/fields/field-reader.ts';
import { type Batch, startOf } from '../records/batch.ts';
import { LF } from '../records/line-endings.ts';
import { RecordKind } from '../records/record-kind.ts';

/** How many bytes of a line a byte of a field can become: a control character is an escape of six. */
export const FIELD_GROWTH = 6;

/** Makes lines of the records of a CSV. */
export interface CellLines {
  /**
   * The lines of a batch of records, each an object, ending in a line feed if its record has a line ending. Those of malformed and
   * blank records are empty.
   */
  linesOf(batch: Batch): Batch;
  /** The most bytes that a line has besides those of its fields. */
  readonly maxBytes: number;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, SPACE] = [0x22, 0x5c, 0x7b, 0x7d, 0x20];
const NULL = textView('null');
/** RFC 8259, section 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A field is a string, and an empty one without quotes null. In a column of numbers, one that is written as JSON writes numbers is a
 * number, with the same digits.
 *
 * @param isNumber whether a column has numbers
 */
export function cellLines(
  names: readonly string[],
  dialect: Dialect,
  isNumber: readonly boolean[],
): CellLines {
  const width = names.length;
  const openings = names.map((name, index) => textView(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`));
  // Braces, and null or quotes for each value.
  const maxBytes = openings.reduce((sum, { bytes }) => sum + bytes.length + NULL.bytes.length, 3);
  const reader = new FieldReader(width, dialect);
  const quote = dialect.quote?.charCodeAt(0);
  return {
    maxBytes,
    linesOf(batch) {
      const fields = reader.read(batch);
      const from = wordView(fields.bytes);
      const most = FIELD_GROWTH * batch.bytes.length + batch.ends.length * maxBytes;
      const into = wordView(Buffer.allocUnsafe(most));
      const lines = into.bytes;
      const ends = new Int32Array(batch.ends.length);
      const kinds = new Uint8Array(batch.ends.length);
      let at = 0;
      let row = 0;
      for (let index = 0; index < ends.length; index++) {
        if (batch.kinds[index] === RecordKind.blank) kinds[index] = RecordKind.blank;
        else if (!fields.faults.has(index)) {
          lines[at++] = OPEN;
          for (let column = 0; column < width; column++) {
            const { bytes } = openings[column] as WordView;
            at = copyBytes(openings[column] as WordView, 0, bytes.length, into, at);
            const field = row * width + column;
            const [start, end] = [fields.starts[field] as number, fields.ends[field] as number];
            const isMissing = start === end && (quote === undefined || from.bytes[start - 1] !== quote);
            if (isMissing) at = copyBytes(NULL, 0, NULL.bytes.length, into, at);
            else if (isNumber[column] === true && NUMBER.test(from.bytes.toString('latin1', start, end)))
              at = copyBytes(from, start, end, into, at);
            else at = addString(from, start, end, into, at);
          }
          lines[at++] = CLOSE;
          if ((batch.ends[index] as number) > startOf(batch, index) && endsLine(batch, index))
            lines[at++] = LF;
          row++;
        }
        ends[index] = at;
      }
      return { ...batch, bytes: lines.subarray(0, at), ends, kinds };
    },
  };
}

/** Whether a record has a line ending: the last one of an input may have none. */
function endsLine({ bytes, ends }: Batch, index: number): boolean {
  const last = bytes[(ends[index] as number) - 1];
  return last === LF || last === 0x0d;
}

function addString(from: WordView, start: number, end: number, into: WordView, to: number): number {
  const { bytes } = from;
  let isPlain = true;
  for (let at = start; at < end && isPlain; at++) {
    const byte = bytes[at] as number;
    isPlain = byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH;
  }
  if (!isPlain) return to + into.bytes.write(JSON.stringify(bytes.toString('utf8', start, end)), to);
  into.bytes[to] = QUOTE;
  const after = copyBytes(from, start, end, into, to + 1);
  into.bytes[after] = QUOTE;
  return after + 1;
}
