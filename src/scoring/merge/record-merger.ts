import { copyBytes, wordView } from '../../formats/bytes/word-view.ts';
import type { Appended } from '../../formats/csv/appended-columns.ts';
import { startOf } from '../../formats/csv/batch.ts';
import { CR, contentEnd, type Dialect, joinsLine } from '../../formats/csv/dialect.ts';
import type { Header } from '../../formats/csv/header.ts';
import { RecordKind } from '../../formats/csv/scan-record.ts';
import type { ScoredBatch } from '../in-flight.ts';
import type { Part } from './gzip-members.ts';

/**
 * Merges a batch's records from the first to the last, part by part, with what is appended to them. Each record's own
 * bytes stay as they came: the appended fields go between them and their line ending. Blank lines are copied, but for
 * those that `joinsLine` is about; malformed records are left out.
 *
 * @returns merges a part behind an output that ends with `lastByte`
 */
export function recordMerger(
  { batch, faults, predictions: answer }: ScoredBatch,
  appended: Appended,
  dialect: Dialect,
): (part: Pick<Part, 'from' | 'to'>, lastByte: number | undefined) => Buffer {
  const { bytes, ends, kinds } = batch;
  const from = wordView(bytes);
  let persona = 0;
  return (part, lastByte) => {
    /** What comes before it was copied, or left out. */
    let done = startOf(batch, part.from);
    const end = startOf(batch, part.to);
    const most = end - done + (part.to - part.from) * appended.mostBytes;
    const merged = wordView(Buffer.allocUnsafe(most));
    let at = 0;
    for (let index = part.from; index < part.to; index++) {
      const recordStart = startOf(batch, index);
      if (kinds[index] === RecordKind.blank) {
        const isFirst = recordStart === done;
        if (isFirst && joinsLine(at === 0 ? lastByte : merged.bytes[at - 1], bytes[recordStart]))
          merged.bytes[at++] = CR;
        continue;
      }
      const recordEnd = ends[index] ?? recordStart;
      if (faults.has(index)) {
        at = copyBytes(from, done, recordStart, merged, at);
        done = recordEnd;
        continue;
      }
      const content = contentEnd(bytes, recordStart, recordEnd, dialect);
      at = copyBytes(from, done, content, merged, at);
      at = answer.errors.has(persona)
        ? copyBytes(appended.empty, 0, appended.empty.bytes.length, merged, at)
        : appended.write(answer.probabilities, persona * answer.classes.length, merged, at);
      persona++;
      done = content;
    }
    at = copyBytes(from, done, end, merged, at);
    return merged.bytes.subarray(0, at);
  };
}

/** The header with the appended names: BOM, quoting and line ending stay as they came. */
export function mergeHeader(header: Header, appended: Appended): Buffer {
  return Buffer.concat([
    header.bytes.subarray(0, header.contentEnd),
    Buffer.from(appended.names),
    header.bytes.subarray(header.contentEnd),
  ]);
}
