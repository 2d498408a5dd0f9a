import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { textView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import type { CellType } from './cell-type.ts';
import { jsonCells } from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

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
  const { rowOpening, rowClosing, between } = text;
  const [opening, closing] = [textView(text.opening), textView(text.closing)];
  return {
    type,
    open(sent, memory) {
      const missing = sent.missing ?? usual;
      const cells = jsonCells(sent.features, { nameOf: name => `${JSON.stringify(name)}:`, cellOf, missing });
      const writeRows = new RowsWriters(sent.nulls, memory).of(cells, {
        opening: rowOpening,
        closing: rowClosing,
        between,
      });
      const names = cells.reduce((bytes, cell) => bytes + Buffer.byteLength(cell.opening) + 2, 0);
      return {
        rowOverhead: names + Buffer.byteLength(rowOpening + rowClosing + between),
        checkTypes: checkTypes(sent, cellOf),
        write(fields, words, into) {
          into.copy(opening);
          writeRows(fields, words, into);
          into.copy(closing);
        },
      };
    },
  };
}
