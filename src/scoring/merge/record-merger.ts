import { copyBytes, wordView } from '../../formats/bytes/word-view.ts';
import type { Appended } from '../../formats/csv/appended-columns.ts';
import { startOf } from '../../formats/csv/batch.ts';
import { CR, contentEnd, type Dialect, joinsLine } from '../../formats/csv/dialect.ts';
import type { Header } from '../../formats/csv/header.ts';
import { RecordKind } from '../../formats/csv/scan-record.ts';
import type { ScoredBatch } from '../scorer.ts';
import type { Part } from './gzip-members.ts';

/**
 * Merges a batch's records with the appended fields, part by part and in order. Each record's own bytes are unchanged: the
 * appended fields go between them and the line ending. Blank lines are copied (see `joinsLine` for the exception);
 * malformed records are left out.
 *
 * @returns a function that merges a part after an output that ends with `lastByte`
 */
export function recordMerger(
  { batch, faults, predictions }: ScoredBatch,
  appended: Appended,
  dialect: Dialect,
): (part: Pick<Part, 'from' | 'to'>, lastByte: number | undefined) => Buffer {
  const { bytes, ends, kinds } = batch;
  const from = wordView(bytes);
  let persona = 0;
  return (part, lastByte) => {
    /** Everything before this offset was copied or left out. */
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
      at = predictions.errors.has(persona)
        ? copyBytes(appended.empty, 0, appended.empty.bytes.length, merged, at)
        : appended.write(predictions.probabilities, persona * predictions.classes.length, merged, at);
      persona++;
      done = content;
    }
    at = copyBytes(from, done, end, merged, at);
    return merged.bytes.subarray(0, at);
  };
}

/** The header with the appended names; BOM, quoting and line ending are unchanged. */
export function mergeHeader(header: Header, appended: Appended): Buffer {
  return Buffer.concat([
    header.bytes.subarray(0, header.contentEnd),
    Buffer.from(appended.names),
    header.bytes.subarray(header.contentEnd),
  ]);
}
