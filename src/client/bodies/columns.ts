import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { textView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkMissing, jsonCells, valuesOfColumn } from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

/** An object with a list for each column, one after the other: `{"a":[1,2],"b":["x","y"]}`. */
export const columns = (usual: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(sent, memory) {
    const missing = sent.missing ?? usual;
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
