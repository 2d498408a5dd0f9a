import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { textView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkMissing, jsonCells } from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

/** The rows as a list of lists: `[[1,"x"],[2,"y"]]`. */
export const arrays = (usual: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(sent, memory) {
    const missing = sent.missing ?? usual;
    checkMissing(missing, 'lists', ['null', 'nan', 'empty']);
    const cells = jsonCells(sent.features, { cellOf: typedCell, missing });
    const text = { opening: '[', closing: ']', between: ',' };
    const writeRows = new RowsWriters(sent.nulls, memory).of(cells, text);
    return {
      // A comma and two quotes for each value, and what is around a row.
      rowOverhead: 3 * cells.length + 3,
      checkTypes: checkTypes(sent, typedCell),
      write(fields, words, into) {
        into.copy(OPENING);
        writeRows(fields, words, into);
        into.copy(CLOSING);
      },
    };
  },
});

const OPENING = textView('[');
const CLOSING = textView(']');
