import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { BodyLayout } from './body-layout.ts';
import type { BodyWriter } from './body-writer.ts';
import type { CellType } from './cell-type.ts';
import { checkTypes } from './check-types.ts';
import { type SentColumn, sentColumns } from './sent-columns.ts';

/** The text around the rows, between them, and around the members of each. */
export interface ObjectsText {
  opening: string;
  rowOpening: string;
  rowClosing: string;
  between: string;
  closing: string;
}

export interface Cells {
  /** How a column of a type is written. */
  cellOf: (type: string | undefined) => CellType;
  /** How a missing value is written by default. */
  missing: MissingStyle;
  /** The media type of the body. */
  type?: BodyLayout['type'];
}

/** A body with an object for each row, whose members have the names of the columns. */
export function objects(
  text: ObjectsText,
  { cellOf, missing: usual, type = 'application/json' }: Cells,
): BodyLayout {
  const opening = viewOf(text.opening);
  const rowOpening = viewOf(text.rowOpening);
  const rowClosing = viewOf(text.rowClosing);
  const between = viewOf(text.between);
  const closing = viewOf(text.closing);
  return {
    type,
    open(sent) {
      const missing = sent.missing ?? usual;
      const columnsAfter = (comma: string): SentColumn[] =>
        sentColumns(sent, {
          before: (name, place) => `${place === 0 ? '' : comma}${JSON.stringify(name)}:`,
          cellOf,
          missing,
        });
      const columns = columnsAfter(',');
      const writeMembers = missing === 'omit' ? givenMembers(columns, columnsAfter('')) : undefined;
      const names = sent.features.reduce(
        (bytes, { name }) => bytes + Buffer.byteLength(JSON.stringify(name)) + 4,
        0,
      );
      return {
        rowOverhead: names + rowOpening.bytes.length + rowClosing.bytes.length + between.bytes.length,
        checkTypes: checkTypes(sent, cellOf),
        write(fields, words, into) {
          const { rows, width, starts, ends } = fields;
          into.copy(opening);
          for (let row = 0; row < rows; row++) {
            if (row > 0) into.copy(between);
            into.copy(rowOpening);
            const first = row * width;
            if (writeMembers !== undefined) writeMembers(fields, first, words, into);
            else
              for (const column of columns)
                column.write(words, starts[first + column.index] ?? 0, ends[first + column.index] ?? 0, into);
            into.copy(rowClosing);
          }
          into.copy(closing);
        },
      };
    },
  };
}

/** Writes only the members of a row that are not missing. */
const givenMembers =
  (columns: readonly SentColumn[], columnsWithoutComma: readonly SentColumn[]) =>
  ({ bytes, starts, ends }: Fields, first: number, words: WordView, into: BodyWriter): void => {
    let written = columnsWithoutComma;
    for (let place = 0; place < columns.length; place++) {
      const column = written[place] as SentColumn; // both lists have the same columns
      const start = starts[first + column.index] ?? 0;
      const end = ends[first + column.index] ?? 0;
      if (column.isMissing(bytes, start, end)) continue;
      column.write(words, start, end, into);
      written = columns;
    }
  };

const viewOf = (text: string): WordView => wordView(Buffer.from(text));
