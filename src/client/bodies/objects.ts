import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { sentColumns } from './sent-columns.ts';

/** The text around the rows, and around the members of each. */
export interface ObjectsText {
  opening: string;
  rowOpening: string;
  rowClosing: string;
  closing: string;
}

/** A body with an object for each row, whose members have the names of the columns. */
export function objects(text: ObjectsText): BodyLayout {
  const opening = viewOf(text.opening);
  const rowOpening = viewOf(text.rowOpening);
  const rowClosing = viewOf(text.rowClosing);
  const closing = viewOf(text.closing);
  return {
    open(sent) {
      const columns = sentColumns(sent, (name, place) => `${place === 0 ? '' : ','}${JSON.stringify(name)}:`);
      const names = sent.features.reduce(
        (bytes, { name }) => bytes + Buffer.byteLength(JSON.stringify(name)) + 4,
        0,
      );
      return {
        rowOverhead: names + rowOpening.bytes.length + rowClosing.bytes.length + 1,
        write({ rows, width, starts, ends }, words, into) {
          into.copy(opening);
          for (let row = 0; row < rows; row++) {
            if (row > 0) into.copy(COMMA);
            into.copy(rowOpening);
            const first = row * width;
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

const viewOf = (text: string): WordView => wordView(Buffer.from(text));
const COMMA = viewOf(',');
