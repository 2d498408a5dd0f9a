import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { writeRow } from '../../base/write-row.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { checkTypes } from './check-types.ts';
import { checkMissing } from './missing-value.ts';
import { missingIn } from './sent-columns.ts';

/**
 * The rows as a CSV, with or without a header, separated by commas. Values are written as they are, without types; a missing one is an
 * empty field, or NaN, which pandas reads as missing too.
 */
export const csv = (usual: MissingStyle, { header: hasHeader }: { header: boolean }): BodyLayout => ({
  type: 'text/csv',
  open(sent) {
    const { features } = sent;
    const missing = sent.missing ?? usual;
    checkMissing(missing, 'CSV', ['empty', 'nan']);
    const isMissing = missingIn(sent.nulls);
    const header = viewOf(hasHeader ? writeRow(features.map(({ name }) => name)) : '');
    const columns = features.map(({ index, type }, place) => {
      const comma = place === 0 ? '' : ',';
      return {
        index,
        opening: viewOf(comma),
        openingMissing: viewOf(`${comma}${missingField(missing, type, features.length === 1)}`),
      };
    });
    return {
      rowOverhead: 3 * columns.length + 1,
      checkTypes: checkTypes(sent, typedCell),
      write({ rows, width, starts, ends }, words, into) {
        into.copy(header);
        for (let row = 0; row < rows; row++) {
          const first = row * width;
          for (const { index, opening, openingMissing } of columns) {
            const start = starts[first + index] ?? 0;
            const end = ends[first + index] ?? 0;
            if (isMissing(words.bytes, start, end)) into.copy(openingMissing);
            else into.field(opening, words, start, end);
          }
          into.copy(LINE_FEED);
        }
      },
    };
  },
});

/** A record of one empty field needs quotes, because readers skip blank lines. */
function missingField(style: MissingStyle, type: string | undefined, isAlone: boolean): string {
  if (style === 'nan' && typedCell(type) !== 'text' && typedCell(type) !== 'boolean') return 'NaN';
  return isAlone ? '""' : '';
}

const viewOf = (text: string): WordView => wordView(Buffer.from(text));
const LINE_FEED = viewOf('\n');
