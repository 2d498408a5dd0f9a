import { parseRecords } from '../../base/parse-records.ts';
import { appendedNames } from '../appended-names.ts';
import type { ComparedLayout, Format, Layout, OutputLayout, RecordLayout } from '../format.ts';
import { kernelMerger, recordMerger } from '../merge-records.ts';
import { type OutputColumns, outputColumns, ownNames, renamed } from '../output-columns.ts';
import { recordEnds } from '../records/batch.ts';
import { typedFieldReader } from '../records/fields.ts';
import { rejectColumns } from '../records/reject.ts';
import type { RowGroups } from '../records/row-groups.ts';
import { requiredNumbers } from '../required-numbers.ts';
import { appendedColumns } from './appended-columns.ts';
import { cellComparison, csvComparison } from './csv-comparison.ts';
import {
  csvRejectRecords,
  csvRejectsFile,
  rejectEnding,
  rejectsHeaderText,
  rejectsText,
} from './csv-rejects.ts';
import { dialectOf } from './dialect.ts';
import { FieldReader } from './fields/field-reader.ts';
import { numberFinder } from './fields/number-finder.ts';
import { longFieldOfHeader } from './find-long-field.ts';
import { FIRST_BYTES, laterHeaderHint, refuseBlank, refuseRule, refuseUnits } from './first-lines.ts';
import { afterHeader, delimiterHint, type Header, headerOfLayout, readBytes } from './header.ts';
import { openBeforeEnding, ownHeader } from './kept-records.ts';
import { readHead } from './read-head.ts';
import { noRowFinder } from './records/no-rows.ts';
import { RecordReader } from './records/record-reader.ts';
import { whyMalformed } from './why-malformed.ts';

/** CSV and TSV, by the rules of docs/design.md. */
export const csvFormat: Format = {
  name: 'csv',
  isNameOf: file => /\.[ct]sv$/i.test(file),
  // Any text may be CSV. Files of formats that are not read are refused with the first bytes of the header.
  begins: () => true,
  readLayout: async (source, options) => {
    const { header, rest } = await readHead(source, options);
    const columns = outputColumns(header, options, source.name);
    // A copy, because the memory of `rest` is reused.
    const first = Buffer.from(rest.subarray(0, FIRST_BYTES));
    refuseBlank(header, first, source.name);
    refuseRule(header, first, source);
    const layoutOf = (own: Header): CsvLayout =>
      csvLayout({ header: own, columns, groups: options.writes?.groups }, first);
    const numbers = requiredNumbers(layoutOf(header), options, first);
    return { layout: layoutOf({ ...header, numbers }), rest };
  },
  readAs(options, file) {
    const { loneCr, quote, ...others } = dialectOf({ ...options, file });
    return { ...others, quote: quote ?? 'none' };
  },
};

/** What a layout is made of, also in another thread; plain data. */
export interface CsvParts {
  readonly header: Header;
  /** The columns of the output, if they are not those of the input. */
  readonly columns?: OutputColumns | undefined;
  /** The groups of the output's rows; none if the output is text. */
  readonly groups?: RowGroups | undefined;
  /** The types of the columns, if the file that this is the text of says them. */
  readonly types?: RecordLayout['types'];
  /** Whether each row of that file has a value, perhaps in a column that is not in the text. */
  readonly hasOthers?: boolean | undefined;
}

/** The layout of a CSV, or of a file of another format whose rows are read as those of a CSV. */
export interface CsvLayout extends Layout {
  readonly header: Header;
  /** What such a file has of the text of a field in its column at this place, if it has values of its own. */
  cellOf?(text: string, place: number): string;
}

/**
 * A CSV, as its header and options describe it.
 *
 * @param first bytes after the header
 * @param format the name of that of the file, if its rows are only read as those of a CSV
 */
export const csvLayout = (parts: CsvParts, first?: Buffer, format = 'csv'): CsvLayout => ({
  header: parts.header,
  ...csvRecords(parts, format, first),
  ...csvOutput(parts),
  ...csvCompared(parts, format),
});

/** Parts that another thread has sent: structured cloning makes a Uint8Array of a Buffer. */
export function receivedParts({ header, ...others }: CsvParts): CsvParts {
  const { bytes } = header;
  const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return { ...others, header: { ...header, bytes: own } };
}

function csvRecords(parts: CsvParts, format: string, first: Buffer | undefined): RecordLayout {
  const { header, columns, groups, types, hasOthers = false } = parts;
  const { dialect, names } = header;
  const { quote = 'none', ...others } = dialect;
  return {
    ...recordEnds(dialect),
    names,
    namesColumnsLater: false,
    types,
    columnsHint: format === 'csv' ? delimiterHint(header) : undefined,
    laterHeader: wanted => first && laterHeaderHint(header, first, wanted),
    refuseUnits(nulls, file) {
      if (first !== undefined) refuseUnits(header, first, nulls, file);
    },
    preamble: readBytes(header),
    start: afterHeader(header),
    format,
    readAs: { ...others, quote },
    data: { format: 'csv', value: { header, columns, groups, types, hasOthers } satisfies CsvParts },
    longName: longFieldOfHeader(header),
    records(options) {
      // A row of a file that is not text has a value of each column, whatever it is; so has one of a text that was made
      // of rows.
      const isText = format === 'csv' && options.areRows !== true;
      return new RecordReader({
        ...options,
        dialect,
        width: names.length,
        findNoRow: isText ? noRowFinder(header) : undefined,
        numbers: numberFinder(header),
      });
    },
    fieldReader(memory) {
      const reader = new FieldReader(names.length, dialect, memory, numberFinder(header));
      return typedFieldReader(batch => reader.read(batch), types, hasOthers);
    },
    whyMalformed: (records, file) => whyMalformed(header, records, file),
    textsOf: records => parseRecords(records.toString(), dialect),
    fileOf(records) {
      const { bytes, contentStart, contentEnd } = header;
      const ending = rejectEnding(header);
      return Buffer.concat(
        [bytes.subarray(contentStart, contentEnd), ...records].flatMap(part => [part, ending]),
      );
    },
  };
}

/** How the rows of a CSV are written. */
export function csvOutput({ header, columns, groups }: CsvParts): OutputLayout {
  const { bytes, contentEnd, dialect, names, numbers } = header;
  const kept = columns?.kept;
  return {
    groups,
    ownNames: ownNames(header, columns),
    numberNames: new Set(numbers?.columns.map(column => renamed(names[column] ?? '', columns))),
    appended: options => appendedColumns(header, options, columns),
    appendedNames: options => appendedNames(options, columns),
    mergedTexts: records => parseRecords(records.toString(), dialect),
    outputPreamble(appended) {
      if (columns?.hasHeader === false) return Buffer.alloc(0);
      // The byte order mark, quotes and line ending stay.
      return Buffer.concat([
        ownHeader(header, columns),
        Buffer.from(appended.names),
        bytes.subarray(contentEnd),
      ]);
    },
    merger(appended, memory) {
      const inKernel = kept === undefined && memory ? kernelMerger(memory, appended, dialect) : undefined;
      const open = openBeforeEnding(dialect, kept);
      return (scored, fields) => inKernel?.(scored, fields) ?? recordMerger(scored, appended, open);
    },
    mayJoinLines: dialect.loneCr,
  };
}

function csvCompared({ header, columns }: CsvParts, format: string): ComparedLayout {
  return {
    compareWith(output, file) {
      const other = headerOfLayout(output);
      const { cellOf } = output as CsvLayout; // it has a header
      if (format === 'csv' && cellOf !== undefined)
        return cellComparison(header, columns, other, { file, cellOf });
      const compared = csvComparison(header, columns, other, file);
      return format === 'csv' ? compared : { ...compared, preserves: 'values' };
    },
    asRejects: (options, file) =>
      csvRejectsFile(header, options, file, (own, output) => csvLayout({ header: own, columns: output })),
    rejectRecords: csvRejectRecords(header),
    rejectRecordsOf(rejects) {
      const named = new Set(rejects.names.slice(rejectColumns.length));
      return csvRejectRecords(
        header,
        header.names.flatMap((name, index) => (named.has(name) ? [index] : [])),
      );
    },
    rejectsPreamble: rejectsHeaderText(header),
    rejectsText: (rejects, isFirst) => rejectsText(rejects, header, isFirst),
  };
}
