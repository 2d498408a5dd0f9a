import type { JsonValue } from '../../base/contract/json-value.ts';
import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { RowcastError } from '../../base/errors.ts';
import { wordView } from '../../formats/bytes/word-view.ts';
import type { BodyLayout } from './body-layout.ts';
import { sentColumns } from './sent-columns.ts';

export type LayoutName = 'objects' | 'arrays' | 'columns' | 'csv' | 'tensors';
export type BodyTemplate = JsonValue;

/** The layout of a body. @throws RowcastError `bad_option` if the template has no place for the rows */
export function layoutOf(
  { layout, body = '$rows' }: { layout: LayoutName; body?: BodyTemplate | undefined },
  _missing: MissingStyle,
): BodyLayout {
  if (layout !== 'arrays') throw new RowcastError('bad_option', `the layout ${layout} is not there yet`);
  const text = JSON.stringify(body);
  const [before, after, ...more] = text.split('"$rows"');
  if (before === undefined || after === undefined || more.length > 0)
    throw new RowcastError('bad_option', 'the body needs the text $rows once');
  return {
    open(sent) {
      const names = JSON.stringify(sent.features.map(({ name }) => name));
      const named = (part: string) => wordView(Buffer.from(part.replace('"$columns"', () => names)));
      const opening = named(`${before}[[`);
      const between = wordView(Buffer.from('],['));
      const closing = named(`]]${after}`);
      const columns = sentColumns(sent, (_, place) => (place === 0 ? '' : ','));
      return {
        rowOverhead: 3 * columns.length + between.bytes.length,
        write({ rows, width, starts, ends }, words, into) {
          into.copy(opening);
          for (let row = 0; row < rows; row++) {
            if (row > 0) into.copy(between);
            const first = row * width;
            for (const { index, write } of columns)
              write(words, starts[first + index] ?? 0, ends[first + index] ?? 0, into);
          }
          into.copy(closing);
        },
      };
    },
  };
}
