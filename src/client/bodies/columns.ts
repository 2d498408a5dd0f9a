import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkTypes } from './check-types.ts';
import { checkMissing } from './missing-value.ts';
import { type SentColumn, sentColumns } from './sent-columns.ts';

/** An object with a list for each column, one after the other: `{"a":[1,2],"b":["x","y"]}`. */
export const columns = (usual: MissingStyle): BodyLayout => ({
  type: 'application/json',
  open(sent) {
    const missing = sent.missing ?? usual;
    checkMissing(missing, 'columns', ['null', 'nan', 'empty']);
    const valuesAfter = (before: (name: string, place: number) => string): SentColumn[] =>
      sentColumns(sent, { before, cellOf: typedCell, missing });
    // The first value of a column has the column's name before it.
    const firsts = valuesAfter((name, place) => `${place === 0 ? '{' : '],'}${JSON.stringify(name)}:[`);
    const others = valuesAfter(() => ',');
    return {
      rowOverhead: 3 * others.length,
      checkTypes: checkTypes(sent, typedCell),
      write({ rows, width, starts, ends }, words, into) {
        for (const [place, column] of others.entries()) {
          const { index } = column;
          firsts[place]?.write(words, starts[index] ?? 0, ends[index] ?? 0, into);
          for (let row = 1, at = index + width; row < rows; row++, at += width)
            column.write(words, starts[at] ?? 0, ends[at] ?? 0, into);
        }
        into.copy(CLOSING);
      },
    };
  },
});

const CLOSING: WordView = wordView(Buffer.from(']}'));
