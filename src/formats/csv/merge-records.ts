import type { Dialect } from '../../base/parse-records.ts';
import type { Appended } from '../appended.ts';
import { copyBytes, wordView } from '../bytes/word-view.ts';
import type { MergeRecords, PredictedBatch } from '../format.ts';
import type { OutputColumns } from '../output-columns.ts';
import { RecordKind, startOf } from '../records/batch.ts';
import { CR, contentEnd, joinsLine } from '../records/line-endings.ts';
import type { Header } from './header.ts';
import { keptContent } from './kept-records.ts';
import { ownHeader } from './own-header.ts';

/**
 * Merges a batch's records with the appended fields, consecutive ones at a time. Each record's own bytes are unchanged: the
 * appended fields go between them and the line ending. Blank lines are copied (see `joinsLine` for the exception);
 * malformed records are left out.
 */
export function recordMerger(
  { batch, faults, predictions }: PredictedBatch,
  appended: Appended,
  dialect: Dialect,
): MergeRecords {
  const { bytes, ends, kinds } = batch;
  const from = wordView(bytes);
  const write = appended.writer(predictions);
  let persona = 0;
  return (first, after, lastByte, into) => {
    /** Everything before this offset was copied or left out. */
    let done = startOf(batch, first);
    const end = startOf(batch, after);
    const maxBytes = end - done + (after - first) * appended.maxBytes;
    const merged = wordView(into ?? Buffer.allocUnsafe(maxBytes));
    let at = 0;
    for (let index = first; index < after; index++) {
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
        : write(persona, merged, at);
      persona++;
      done = content;
    }
    at = copyBytes(from, done, end, merged, at);
    return merged.bytes.subarray(0, at);
  };
}

/** The header with the appended names; BOM, quoting and line ending are unchanged. */
export function mergeHeader(header: Header, appended: Appended, columns?: OutputColumns): Buffer {
  if (columns?.hasHeader === false) return Buffer.alloc(0);
  const ending = header.bytes.subarray(header.contentEnd);
  return Buffer.concat([ownHeader(header, columns), Buffer.from(appended.names), ending]);
}

const LONE_CR = Buffer.of(CR);

/** A record without predictions, with empty appended fields, or a blank line (see `joinsLine`). */
export function unscoredRecord(
  record: Buffer,
  { isBlank, lastByte }: { isBlank: boolean; lastByte: number | undefined },
  appended: Appended,
  dialect: Dialect,
  columns?: OutputColumns,
): Buffer {
  if (isBlank && appended.isAlone) return record.subarray(0, 0);
  if (isBlank) return joinsLine(lastByte, record[0]) ? Buffer.concat([LONE_CR, record]) : record;
  const content = contentEnd(record, 0, record.length, dialect);
  const own = keptContent(record.subarray(0, content), dialect, columns?.kept);
  return Buffer.concat([own, appended.empty.bytes, record.subarray(content)]);
}
