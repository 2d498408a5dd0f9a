import { isAscii, isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import type { Batch } from './batch.ts';
import { contentEnd, type Dialect } from './dialect.ts';
import { RecordKind } from './scan.ts';

/** What is wrong with a malformed record. */
export interface Fault {
  code: 'bad_quoting' | 'too_few_fields' | 'too_many_fields' | 'not_utf8';
  reason: string;
}

/** A batch's fields: what csv-parse says they are. */
export interface Fields {
  /** The fields of each sound record, in order; blank lines and malformed records have none. */
  rows: string[][];
  /** Index of a malformed record → what is wrong with it, in order. */
  faults: Map<number, Fault>;
}

/**
 * The fields of a batch's records. A record without a quoted field is split at its delimiters, which is the
 * same thing as parsing it; the quoted ones go to csv-parse, all in one call, because a call a record costs a
 * quarter of all time.
 *
 * @param width fields that a record must have
 */
export function readFields(batch: Batch, width: number, dialect: Dialect): Fields {
  const text = decoder(batch.bytes);
  const rows: string[][] = [];
  let faults = new Map<number, Fault>();
  const quoted: string[] = [];
  const quotedAt: { row: number; record: number }[] = [];

  let start = 0;
  for (const [index, end] of batch.ends.entries()) {
    const kind = batch.kinds[index];
    const record = kind === RecordKind.blank ? '' : text(start, end);
    if (kind === RecordKind.blank) {
      // Copied, not scored.
    } else if (kind === RecordKind.malformed) faults.set(index, badQuoting);
    else if (record === undefined) faults.set(index, notUtf8);
    else if (kind === RecordKind.quoted) {
      quotedAt.push({ row: rows.length, record: index });
      quoted.push(record);
      rows.push([]);
    } else {
      const content = contentEnd(batch.bytes, start, end, dialect);
      const fields = record.slice(0, record.length - (end - content)).split(dialect.delimiter);
      if (fields.length === width) rows.push(fields);
      else faults.set(index, ragged(fields.length, width));
    }
    start = end;
  }

  if (quoted.length > 0) {
    const parsed = parseRecords(quoted.join(''), dialect);
    for (const [index, { row }] of quotedAt.entries()) rows[row] = parsed[index] ?? [];
    for (const { row, record } of quotedAt.toReversed()) {
      const fields = rows[row] ?? [];
      if (fields.length === width) continue;
      faults.set(record, ragged(fields.length, width));
      rows.splice(row, 1);
    }
    faults = new Map([...faults].sort(([a], [b]) => a - b));
  }
  return { rows, faults };
}

/** csv-parse over whole records, with the settings that make it say what DESIGN.md section 3 says. */
export function parseRecords(text: string, dialect: Dialect): string[][] {
  return parse(text, {
    delimiter: dialect.delimiter,
    quote: dialect.quote ?? null,
    escape: dialect.quote ?? null,
    record_delimiter: dialect.loneCr ? ['\r\n', '\n', '\r'] : ['\r\n', '\n'],
    relax_quotes: true,
    relax_column_count: true,
  });
}

/** Text of `bytes[start, end)`, or undefined where that is not UTF-8; a whole batch is decoded once if it can be. */
function decoder(bytes: Buffer): (start: number, end: number) => string | undefined {
  if (isAscii(bytes)) {
    const text = bytes.toString('latin1');
    return (start, end) => text.slice(start, end);
  }
  if (isUtf8(bytes)) return (start, end) => bytes.toString('utf8', start, end);
  return (start, end) =>
    isUtf8(bytes.subarray(start, end)) ? bytes.toString('utf8', start, end) : undefined;
}

const badQuoting: Fault = { code: 'bad_quoting', reason: 'text follows a closing quote' };
const notUtf8: Fault = { code: 'not_utf8', reason: 'the record is not valid UTF-8' };

function ragged(fields: number, width: number): Fault {
  const code = fields < width ? 'too_few_fields' : 'too_many_fields';
  return {
    code,
    reason: `the record has ${fields} ${fields === 1 ? 'field' : 'fields'}, the header ${width}`,
  };
}
