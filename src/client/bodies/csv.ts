import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { writeRow } from '../../base/write-row.ts';
import { textView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { typedCell } from './cell-type.ts';
import { type Cell, checkMissing } from './cells.ts';
import { checkTypes } from './check-types.ts';
import { RowsWriters } from './rows-writer.ts';

/**
 * The rows as a CSV, with or without a header, separated by commas. Values are written as they are, without types; a missing
 * one is an empty field, or NaN, which pandas reads as missing too.
 */
export const csv = (usual: MissingStyle, { header: hasHeader }: { header: boolean }): BodyLayout => ({
  type: 'text/csv',
  open(sent, memory) {
    const { features } = sent;
    const missing = sent.missing ?? usual;
    checkMissing(missing, 'CSV', ['empty', 'nan']);
    const header = textView(hasHeader ? writeRow(features.map(({ name }) => name)) : '');
    const cells = features.map(
      ({ index, type }): Cell => ({
        index,
        kind: 'field',
        keepsType: false,
        opening: ',',
        missing: `,${missingField(missing, type, features.length === 1)}`,
      }),
    );
    const text = { opening: '', closing: '\n', between: '' };
    const writeRows = new RowsWriters(sent.nulls, memory).of(cells, text);
    return {
      rowOverhead: 3 * cells.length + 1,
      checkTypes: checkTypes(sent, typedCell),
      write(fields, words, into) {
        into.copy(header);
        writeRows(fields, words, into);
      },
    };
  },
});

/** A record of one empty field needs quotes, because readers skip blank lines. */
function missingField(style: MissingStyle, type: string | undefined, isAlone: boolean): string {
  if (style === 'nan' && typedCell(type) !== 'text' && typedCell(type) !== 'boolean') return 'NaN';
  return isAlone ? '""' : '';
}
