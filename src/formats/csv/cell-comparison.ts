import { parseRecords } from '../../base/parse-records.ts';
import { writeRow } from '../../base/write-row.ts';
import type { Comparison } from '../comparison.ts';
import { type OutputColumns, ownNames } from '../output-columns.ts';
import { csvComparison } from './csv-comparison.ts';
import { fieldEnd } from './fields/count-fields.ts';
import { type Header, readHeader } from './header.ts';

export interface ComparedCells {
  /** The name of the CSV, for messages. */
  readonly file: string;
  /** What the output has of the text of a field in its column at this place; by default the same text. */
  cellOf?(text: string, place: number): string;
}

/**
 * Compares a CSV with the text of a file of another format that was made of it, by the values of its fields.
 *
 * @param output the header of that text, which has commas
 */
export function cellComparison(
  header: Header,
  columns: OutputColumns | undefined,
  output: Header,
  { file, cellOf = textCell }: ComparedCells,
): Comparison {
  const names = ownNames(header, columns);
  const kept = columns?.kept ?? header.names.map((_, index) => index);
  const last = Math.max(-1, ...kept);
  const { dialect } = header;
  const cell = (field: string, place: number): string => {
    if (field === '') return '';
    const isQuoted = field[0] === dialect.quote;
    return cellOf(isQuoted ? (parseRecords(field, dialect)[0]?.[0] ?? '') : field, place);
  };
  return {
    ...(names.length === 0
      ? csvComparison(headerOf(['none']), { kept: [], rename: {}, hasHeader: true, file }, output, file)
      : csvComparison(headerOf(names), undefined, output, file)),
    preserves: 'values',
    // What is made of cells is no text, or has line feeds of its own.
    lineEnds: 'any',
    own({ bytes, start, contentEnd }) {
      const fields: string[] = [];
      for (let column = 0, at = start; column <= last; column++) {
        const end = fieldEnd(bytes, at, contentEnd, dialect);
        fields.push(bytes.toString('utf8', at, end));
        at = end + 1;
      }
      const content = Buffer.from(kept.map((index, place) => cell(fields[index] ?? '', place)).join(','));
      return { bytes: content, start: 0, contentEnd: content.length };
    },
  };
}

/** A text as a cell: in quotes if it needs them or is empty, because a missing value is empty without them. */
export function textCell(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The header of a CSV with commas that has these columns. */
export function headerOf(names: readonly string[]): Header {
  const header = readHeader(Buffer.from(writeRow(names)), true, {
    dialect: { delimiter: ',', quote: '"', loneCr: false },
    file: '',
    maxRecordBytes: Number.POSITIVE_INFINITY,
  });
  if (header === undefined) throw new Error('the header was not read');
  return header;
}
