import type { Dialect } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import { copyBytes, type WordView, wordView } from '../bytes/word-view.ts';
import type { OpenAt } from '../merge-records.ts';
import { type OutputColumns, renamed } from '../output-columns.ts';
import { RecordKind } from '../records/batch.ts';
import { contentEnd } from '../records/line-endings.ts';
import { fieldEnd } from './fields/count-fields.ts';
import type { Header } from './header.ts';

/**
 * Opens records before their line ending. The kept fields keep their bytes.
 *
 * @param kept the columns that the output has; by default all
 */
export function openBeforeEnding(dialect: Dialect, kept: readonly number[] | undefined): OpenAt {
  const copy = kept && keptFields(kept, dialect);
  let spare = wordView(Buffer.alloc(0));
  return (into, from, start, end, kind) => {
    const content = contentEnd(from.bytes, start, end, dialect);
    into.tail = from;
    into.tailStart = content;
    into.tailEnd = end;
    if (copy === undefined) {
      into.head = from;
      into.start = start;
      into.end = content;
      return;
    }
    const most = content - start + (kept?.length ?? 0);
    if (spare.bytes.length < most) spare = wordView(Buffer.allocUnsafe(2 * most));
    into.head = spare;
    into.end = copy(from, start, content, kind, spare, 0);
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
    for (let index = 0; index < kept.length; index++) {
      const column = kept[index] ?? 0;
      if (index > 0) into.view.setUint8(at++, delimiter);
      const begin = column === 0 ? start : (ends[column - 1] ?? start) + 1;
      at = copyBytes(from, begin, ends[column] ?? end, into, at);
    }
    return at;
  };
}

/** The input's part of the output's header: columns that keep their name keep their bytes. */
export function ownHeader(header: Header, columns: OutputColumns | undefined): Buffer {
  const { bytes, contentStart, contentEnd, names, dialect } = header;
  if (columns === undefined) return bytes.subarray(0, contentEnd);
  const delimiter = Buffer.from(dialect.delimiter);
  const fields: Buffer[] = [];
  for (let at = contentStart; fields.length < names.length; ) {
    const end = fieldEnd(bytes, at, contentEnd, dialect);
    fields.push(bytes.subarray(at, end));
    at = end + 1;
  }
  const kept = columns.kept ?? names.map((_, index) => index);
  const parts = kept.flatMap((index, place) => {
    const name = names[index] ?? '';
    const to = renamed(name, columns);
    const field = to === name ? fields[index] : Buffer.from(writeRow([to], dialect).slice(0, -1));
    return [...(place === 0 ? [] : [delimiter]), field ?? Buffer.alloc(0)];
  });
  return Buffer.concat([bytes.subarray(0, contentStart), ...parts]);
}
