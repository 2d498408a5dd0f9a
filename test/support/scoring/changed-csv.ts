import fc from 'fast-check';
import { fieldEnd } from '../../../src/formats/csv/fields/count-fields.ts';
import { recordEnds, startOf } from '../../../src/formats/records/batch.ts';
import { contentEnd } from '../../../src/formats/records/line-endings.ts';
import { type ReadOptions, read } from '../csv/read.ts';

/** Two records, by numbers modulo the number of records, and a byte. */
export type Change = [number, number, number];
export const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(255)), { minLength: 2, maxLength: 8 });

export interface WrittenRecord {
  bytes: Buffer;
  /** Bytes before the line ending. */
  content: number;
  isMalformed: boolean;
}

/** The records of a CSV, starting with the header. */
export function recordsOf(csv: string | Buffer, options: ReadOptions = {}): WrittenRecord[] {
  const { head, batches, faults } = read(csv, { ...options, batchRows: 1000 });
  const malformed = new Set(faults.map(({ line }) => line));
  const records: WrittenRecord[] = [{ bytes: head.bytes, content: head.contentEnd, isMalformed: false }];
  for (const batch of batches)
    for (const index of batch.ends.keys()) {
      const [start, end] = [startOf(batch, index), startOf(batch, index + 1)];
      records.push({
        bytes: batch.bytes.subarray(start, end),
        content: contentEnd(batch.bytes, start, end, head.dialect) - start,
        isMalformed: malformed.has(recordEnds(head.dialect).positionOf(batch, index).line),
      });
    }
  return records;
}

/** Whether a change of this byte of a record must be noticed; record 0 is the header. */
export type Matters = (index: number, at: number) => boolean;

/**
 * The bytes of OUTPUT that INPUT determines: each record, the delimiter after it and the line ending. Another
 * probability may be valid too.
 */
export function outputMatters(input: string | Buffer, output: Buffer, options: ReadOptions): Matters {
  const own = recordsOf(input, options).filter(({ isMalformed }) => !isMalformed);
  const records = recordsOf(output, options);
  return (index, at) => at <= (own[index]?.content ?? 0) || at >= (records[index]?.content ?? 0);
}

/** The bytes of a rejects file that INPUT determines: everything except the service's codes and reasons. */
export function rejectMatters(rejects: Buffer, options: ReadOptions): Matters {
  const records = recordsOf(rejects, options);
  const { dialect } = read(rejects, options).head;
  return (index, at) => {
    const { bytes, content } = records[index] ?? { bytes: rejects, content: 0 };
    if (index === 0) return true;
    const ends: number[] = [];
    for (let from = 0; ends.length < 4; from = (ends.at(-1) ?? 0) + 1)
      ends.push(fieldEnd(bytes, from, content, dialect));
    const [, lineEnd = 0, codeEnd = 0, reasonEnd = 0] = ends;
    const isMalformed = bytes.toString('latin1', lineEnd + 1, codeEnd) !== SERVICE_ERROR.code;
    return isMalformed || at <= lineEnd || at >= reasonEnd;
  };
}

/** The error of a service for a row that it cannot score; the reason needs quotes. */
export const SERVICE_ERROR = { code: 'odd', message: 'the "reason", in words' };

/** A CSV with records dropped, duplicated or swapped, or with a relevant byte changed. */
export function* changesOf(
  csv: Buffer,
  matters: Matters,
  options: ReadOptions,
  changes: readonly Change[],
): Generator<{ changed: Buffer; what: string }> {
  const whole = recordsOf(csv, options).map(({ bytes }) => bytes);
  for (const [one, two, byte] of changes) {
    const [a, b] = [one % whole.length, two % whole.length];
    const [first = csv, second = csv] = [whole[a], whole[b]];
    const at = two % first.length;
    const flipped = Buffer.from(first);
    flipped[at] = byte;
    const variants: [string, Buffer[]][] = [
      [`record ${a} dropped`, whole.toSpliced(a, 1)],
      [`record ${a} duplicated`, whole.toSpliced(a, 0, first)],
      [`records ${a} and ${b} swapped`, whole.with(a, second).with(b, first)],
    ];
    if (matters(a, at))
      variants.push([`byte ${at} of record ${a} changed to ${byte}`, whole.with(a, flipped)]);
    for (const [name, parts] of variants) {
      const changed = Buffer.concat(parts);
      if (!changed.equals(csv)) yield { changed, what: `${name}: ${JSON.stringify(changed.toString())}` };
    }
  }
}
