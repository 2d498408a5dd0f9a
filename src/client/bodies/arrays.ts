import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkTypes } from './check-types.ts';
import { checkMissing } from './missing-value.ts';
import { sentColumns } from './sent-columns.ts';

/** The rows as a list of lists: `[[1,"x"],[2,"y"]]`. */
export const arrays = (usual: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(sent) {
    const missing = sent.missing ?? usual;
    checkMissing(missing, 'lists', ['null', 'nan', 'empty']);
    const columns = sentColumns(sent, {
      before: (_, place) => (place === 0 ? '' : ','),
      cellOf: typedCell,
      missing,
    });
    return {
      // A comma and two quotes for each value.
      rowOverhead: 3 * columns.length + BETWEEN.bytes.length,
      checkTypes: checkTypes(sent, typedCell),
      write({ rows, width, starts, ends }, words, into) {
        into.copy(OPENING);
        for (let row = 0; row < rows; row++) {
          if (row > 0) into.copy(BETWEEN);
          const first = row * width;
          for (const column of columns)
            column.write(words, starts[first + column.index] ?? 0, ends[first + column.index] ?? 0, into);
        }
        into.copy(CLOSING);
      },
    };
  },
});

const viewOf = (text: string): WordView => wordView(Buffer.from(text));
const OPENING = viewOf('[[');
const BETWEEN = viewOf('],[');
const CLOSING = viewOf(']]');
