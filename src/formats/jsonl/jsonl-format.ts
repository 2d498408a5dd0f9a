import { csv } from '../csv/csv-format.ts';
import { CsvLayout } from '../csv/csv-layout.ts';
import type { Format, Layout } from '../format.ts';
import type { ColumnOptions } from '../output-columns.ts';
import { CsvAsLines, type CsvAsLinesValue } from './csv-as-lines.ts';
import { LineLayout, type LineLayoutValue, readLineLayout } from './jsonl-layout.ts';
import { isWrittenAsLines, LinesAsCsv, type LinesAsCsvValue, readAsCsv } from './lines-as-csv.ts';

/** JSON lines: an object on each line, by the rules of docs/formats.md#json-lines. */
export const jsonl: Format = {
  name: 'jsonl',
  isNameOf: file => /\.(jsonl|ndjson)$/i.test(file),
  // The first line is a whole object, or the beginning of a long one. A file with an object over several lines is not JSON lines.
  begins(bytes, isAll) {
    const text = bytes.toString('utf8').replace(/^[\ufeff \t\r\n]+/, '');
    if (text !== '' && !text.startsWith('{')) return false;
    const end = text.indexOf('\n');
    if (end === -1 && !isAll) return undefined;
    const line = text.slice(0, end === -1 ? undefined : end).trimEnd();
    return /^\{[ \t]*(".*|\})$/.test(line) && (end === -1 || line.endsWith('}'));
  },
  readLayout: (source, options) =>
    isWrittenAsLines(options.writes) ? readLineLayout(source, options) : readAsCsv(source, options),
  layoutFrom(data) {
    // The layouts make them.
    const value = data.value as LineLayoutValue | LinesAsCsvValue | CsvAsLinesValue;
    if ('read' in value) return csvAsLines(csv.layoutFrom(value.read), value.options, value.file);
    if (!('written' in value)) return new LineLayout(value.shape, value.columns);
    return new LinesAsCsv(value.shape, csv.layoutFrom(value.written));
  },
  readAs: () => ({}),
};

/**
 * A CSV of which JSON lines are made.
 *
 * @param file its name, for messages
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
export function csvAsLines(read: Layout, options: ColumnOptions, file: string): Layout {
  if (read instanceof CsvLayout) return new CsvAsLines(read, options, file);
  throw new Error(`${file} was not read as a CSV`);
}
