import type { MissingStyle } from '../../base/contract/limits.ts';
import { writeRow } from '../../base/write-row.ts';
import { textView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import {
  type Cell,
  type CellType,
  checkMissing,
  jsonCells,
  type SentValues,
  typedCell,
  valuesOfColumn,
} from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

/** The text around the rows, between them, and around the values of each. */
interface RowsText {
  opening: string;
  rowOpening: string;
  rowClosing: string;
  between: string;
  closing: string;
}

/** How the values of a body with these columns are written. */
interface RowsShape {
  text: RowsText;
  cells: Cell[];
}

/** How a column of a type is written. */
type CellOf = (type: string | undefined) => CellType;

/**
 * A body with the rows one after the other.
 *
 * @param defaultMissing how a missing value is written by default
 * @param shapeOf called with the way in which it is written
 */
const rowsLayout = (
  defaultMissing: MissingStyle,
  shapeOf: (features: SentValues['features'], missing: MissingStyle) => RowsShape,
  type: BodyLayout['type'] = 'application/json',
  cellOf: CellOf = typedCell,
): BodyLayout => ({
  type,
  open(sent, memory) {
    const { text, cells } = shapeOf(sent.features, sent.missing ?? defaultMissing);
    const [opening, closing] = [textView(text.opening), textView(text.closing)];
    const around = { opening: text.rowOpening, closing: text.rowClosing, between: text.between };
    const writeRows = new RowsWriters(sent.nulls, memory).of(cells, around);
    // Two quotes for each value, and what is before it.
    const openings = cells.reduce((bytes, cell) => bytes + Buffer.byteLength(cell.opening) + 2, 0);
    return {
      rowOverhead: openings + Buffer.byteLength(around.opening + around.closing + around.between),
      checkTypes: checkTypes(sent, cellOf),
      write(fields, words, into) {
        into.copy(opening);
        writeRows(fields, words, into);
        into.copy(closing);
      },
    };
  },
});

/** An object for each row, whose members have the names of the columns. */
export const objects = (
  defaultMissing: MissingStyle,
  text: RowsText,
  { type, cellOf = typedCell }: { type?: BodyLayout['type']; cellOf?: CellOf } = {},
): BodyLayout =>
  rowsLayout(
    defaultMissing,
    (features, missing) => ({
      text,
      cells: jsonCells(features, { nameOf: name => `${JSON.stringify(name)}:`, cellOf, missing }),
    }),
    type,
    cellOf,
  );

/** The rows as a list of lists: `[[1,"x"],[2,"y"]]`. */
export const arrays = (defaultMissing: MissingStyle): BodyLayout =>
  rowsLayout(defaultMissing, (features, missing) => {
    checkMissing(missing, 'lists', ['null', 'nan', 'empty']);
    return {
      text: { opening: '[', rowOpening: '[', rowClosing: ']', between: ',', closing: ']' },
      cells: jsonCells(features, { cellOf: typedCell, missing }),
    };
  });

/**
 * The rows as a CSV, with or without a header, separated by commas. Values are written as they are, without types; a
 * missing one is an empty field, or NaN, which pandas reads as missing too.
 */
export const csvRows = (
  defaultMissing: MissingStyle,
  { header: hasHeader }: { header: boolean },
): BodyLayout =>
  rowsLayout(
    defaultMissing,
    (features, missing) => {
      checkMissing(missing, 'CSV', ['empty', 'nan']);
      const opening = hasHeader ? writeRow(features.map(({ name }) => name)) : '';
      return {
        text: { opening, rowOpening: '', rowClosing: '\n', between: '', closing: '' },
        cells: features.map(({ index, type }) => ({
          index,
          kind: 'field',
          keepsType: false,
          opening: ',',
          missing: `,${missingField(missing, type, features.length === 1)}`,
        })),
      };
    },
    'text/csv',
  );

/** A record of one empty field needs quotes, because readers skip blank lines. */
function missingField(style: MissingStyle, type: string | undefined, isAlone: boolean): string {
  if (style === 'nan' && typedCell(type) !== 'text' && typedCell(type) !== 'boolean') return 'NaN';
  return isAlone ? '""' : '';
}

/** An object with a list for each column, one after the other: `{"a":[1,2],"b":["x","y"]}`. */
export const columns = (defaultMissing: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(sent, memory) {
    const missing = sent.missing ?? defaultMissing;
    checkMissing(missing, 'columns', ['null', 'nan', 'empty']);
    const writers = new RowsWriters(sent.nulls, memory);
    const lists = jsonCells(sent.features, { cellOf: typedCell, missing }).map((cell, place) => ({
      opening: textView(`${place === 0 ? '{' : '],'}${JSON.stringify(sent.features[place]?.name)}:[`),
      writeValues: writers.of([cell], valuesOfColumn),
    }));
    return {
      rowOverhead: 3 * lists.length,
      checkTypes: checkTypes(sent, typedCell),
      write(fields, words, into) {
        for (const { opening, writeValues } of lists) {
          into.copy(opening);
          writeValues(fields, words, into);
        }
        into.copy(CLOSING);
      },
    };
  },
});

const CLOSING = textView(']}');
