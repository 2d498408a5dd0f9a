import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { copyBytes, wordView } from '../bytes/word-view.ts';
import { headerOf } from '../csv/csv-comparison.ts';
import { type CsvParts, csvLayout, csvOutput } from '../csv/csv-layout.ts';
import { needsQuotes } from '../csv/fields/count-fields.ts';
import type { Format, Layout, Opened } from '../format.ts';
import { type Conversion, convertedOutput, convertRecords } from '../merge-records.ts';
import { type ColumnOptions, outputColumns } from '../output-columns.ts';
import { type ReadOptions, refuseCsvOptions } from '../read-options.ts';
import { batchOfOne, RecordKind } from '../records/batch.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { LF } from '../records/line-endings.ts';
import { requiredNumbers } from '../required-numbers.ts';
import { lineLayout, readLineLayout } from './jsonl-layout.ts';
import { lineFieldReader } from './line-fields.ts';
import { type LineShape, readShape } from './line-shape.ts';

/** What makes the same layout in another thread. */
export interface LinesAsCsvParts {
  readonly shape: LineShape;
  /** The CSV with the values of the lines. */
  readonly written: CsvParts;
}

/** Objects on lines, of which a CSV is made, or the row groups of another file. */
export function linesAsCsv({ shape, written: parts }: LinesAsCsvParts): Layout {
  const written = csvLayout(parts);
  const newConversion = (): Conversion => lineCells(shape, written.names);
  return {
    ...lineLayout({ shape }),
    ...convertedOutput(csvOutput(parts), newConversion),
    readAs: { delimiter: ',', quote: '"' },
    data: { format: 'jsonl', value: { shape, written: parts } satisfies LinesAsCsvParts },
    compareWith(output, file) {
      const compared = written.compareWith(output, file);
      const { convert } = newConversion();
      return {
        ...compared,
        preserves: 'values',
        lineEnds: compared.lineEnds === 'any' ? 'any' : 'line feed',
        own({ bytes, start, contentEnd }) {
          const record = convert(batchOfOne(bytes.subarray(start, contentEnd))).bytes;
          return compared.own({ bytes: record, start: 0, contentEnd: record.length });
        },
      };
    },
  };
}

/**
 * Reads the beginning of lines. If nothing is written, or a file with the lines themselves, they are read as they are.
 *
 * @throws RowcastError what the layouts throw
 */
export const readLines: Format['readLayout'] = (source, options) =>
  (options.writes?.format ?? 'jsonl') === 'jsonl'
    ? readLineLayout(source, options)
    : readAsCsv(source, options);

/**
 * Reads the beginning of lines of which a CSV is made. Its columns are those of --keep, else the values of the first
 * objects: a line with another value is malformed then.
 *
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
async function readAsCsv(source: ByteSource, options: ReadOptions & ColumnOptions): Promise<Opened> {
  const { keep = 'all', columns, maxRecordBytes, maxColumns } = options;
  const kept = Array.isArray(keep) ? keep : [];
  refuseCsvOptions(options, 'JSON lines', source.name);
  checkKept(kept, source.name);
  const known = columns === undefined && kept.length === 0 ? undefined : [...(columns ?? []), ...kept];
  const { shape, rest } = await readShape(source, {
    known,
    maxRecordBytes,
    maxColumns,
    namesColumns: keep === 'all',
  });
  const names = kept.length > 0 ? kept : shape.values;
  const header = headerOf(names);
  // Lines without values have no columns of their own.
  const output = outputColumns(
    header,
    names.length === 0 ? { ...options, keep: 'none' } : options,
    source.name,
  );
  const closed = keep === 'all' ? names : undefined;
  const numbers = requiredNumbers(lineLayout({ shape }), options, rest);
  // They have other places in what is written.
  const places = numbers?.columns.map(column => names.indexOf(shape.names[column] ?? '')) ?? [];
  const own = numbers && { ...numbers, columns: places.filter(place => place !== -1) };
  const written = { header: { ...header, numbers: own }, columns: output, groups: options.writes?.groups };
  return { layout: linesAsCsv({ shape: { ...shape, closed, numbers }, written }), rest };
}

/** @throws RowcastError `bad_option` */
function checkKept(kept: readonly string[], file: string): void {
  for (const name of kept) {
    const inner = kept.find(other => other.startsWith(`${name}.`));
    if (inner === undefined) continue;
    const what = `--keep: "${sanitize(inner)}" is a part of "${sanitize(name)}"`;
    throw new RowcastError('bad_option', what, { location: { file }, hint: 'Keep one of them.' });
  }
}

/** How many bytes of a record a byte of its line can become: a quote in a list is doubled. */
const CELL_GROWTH = 2;

const [COMMA, QUOTE] = [0x2c, 0x22];

/**
 * Makes a record of each line: the content of a record of a CSV with commas, ending in a line feed if its line does.
 * Those of malformed and blank lines are empty. A cell is the text of a string, or another value as it is written. A
 * missing value is an empty cell, and an empty text is one in quotes.
 *
 * @param names of the columns
 */
function lineCells(shape: LineShape, names: readonly string[]): Conversion {
  const read = lineFieldReader(shape, undefined);
  const columns = names.map(name => shape.names.indexOf(name));
  return {
    // An absent member leaves a delimiter.
    maxBytes: names.length,
    growth: CELL_GROWTH,
    convert(batch) {
      const fields = read(batch);
      const { starts, ends, width, faults } = fields;
      const from = wordView(fields.bytes);
      const { bytes } = from;
      const most = CELL_GROWTH * batch.bytes.length + batch.ends.length * columns.length;
      const written = { most, kind: RecordKind.quoted, isEnd: (byte?: number) => byte === LF };
      return convertRecords(batch, faults, written, (row, into, to) => {
        let at = to;
        for (let place = 0; place < columns.length; place++) {
          if (place > 0) into.bytes[at++] = COMMA;
          const column = columns[place] as number;
          if (column === -1) continue;
          const field = row * width + column;
          const [start, end] = [starts[field] as number, ends[field] as number];
          // An empty text comes after a quote; a missing value has no place.
          if (end === 0) continue;
          if (needsQuotes(bytes, start, end)) at = quoted(bytes, start, end, into.bytes, at);
          else at = copyBytes(from, start, end, into, at);
        }
        return at;
      });
    },
  };
}

function quoted(bytes: Buffer, start: number, end: number, into: Buffer, to: number): number {
  let at = to;
  into[at++] = QUOTE;
  for (let index = start; index < end; index++) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) into[at++] = QUOTE;
    into[at++] = byte;
  }
  into[at++] = QUOTE;
  return at;
}
