import { parseRecords } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import type { Comparison } from '../comparison.ts';
import { csvComparison } from '../csv/csv-comparison.ts';
import { fieldEnd } from '../csv/fields/malformed.ts';
import { type Header, readHeader } from '../csv/header.ts';
import { type OutputColumns, ownNames } from '../output-columns.ts';
import { CellWriter } from './text/text-page.ts';
import { doubleText } from './text/value-text.ts';

const COMMA = Buffer.from(',');

/**
 * Compares a CSV with the text of a Parquet file that was made of it, by the values of its fields.
 *
 * @param numbers whether a column of the output has numbers
 * @param file the name of the CSV, for messages
 */
export function valueComparison(
  header: Header,
  columns: OutputColumns | undefined,
  output: Header,
  { numbers, file }: { numbers: readonly boolean[]; file: string },
): Comparison {
  const names = ownNames(header, columns);
  const own = headerOf(names, output);
  const kept = columns?.kept ?? header.names.map((_, index) => index);
  const last = Math.max(-1, ...kept);
  const { dialect } = header;
  return {
    ...csvComparison(own, undefined, output, file),
    preserves: 'values',
    own({ bytes, start, contentEnd }) {
      const fields: Buffer[] = [];
      for (let column = 0, at = start; column <= last; column++) {
        const end = fieldEnd(bytes, at, contentEnd, dialect);
        fields.push(bytes.subarray(at, end));
        at = end + 1;
      }
      const cells = kept.map((index, place) => cellOf(fields[index], numbers[place] === true, header));
      const parts = cells.flatMap((cell, place) => (place === 0 ? [cell] : [COMMA, cell]));
      const content = Buffer.concat(parts);
      return { bytes: content, start: 0, contentEnd: content.length };
    },
  };
}

/** A header of these names, as the text of the output has one. */
function headerOf(names: readonly string[], { dialect }: Header): Header {
  const bytes = Buffer.from(writeRow(names, dialect));
  const header = readHeader(bytes, true, { dialect, file: '', maxRecordBytes: Number.POSITIVE_INFINITY });
  if (header === undefined) throw new Error('the header was not read');
  return header;
}

const EMPTY = Buffer.alloc(0);

/** What a Parquet file has of a field, as a cell of its text. */
function cellOf(field: Buffer = EMPTY, isNumber: boolean, { dialect }: Header): Buffer {
  if (field.length === 0) return field;
  const isQuoted = dialect.quote !== undefined && field[0] === dialect.quote.charCodeAt(0);
  const text = isQuoted ? (parseRecords(field.toString(), dialect)[0]?.[0] ?? '') : field.toString();
  if (!isNumber) return textCell(text);
  const number = Number(text);
  // A text that is not a number stands for a missing one, which has no text in the file.
  return text.trim() === '' || (Number.isNaN(number) && text !== 'NaN')
    ? EMPTY
    : Buffer.from(doubleText(number));
}

function textCell(text: string): Buffer {
  const writer = new CellWriter(1, 'csv');
  writer.addText(Buffer.from(text));
  const { bytes, ends } = writer.cells;
  return Buffer.from(bytes.subarray(0, ends[0]));
}
