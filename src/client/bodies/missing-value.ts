import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { RowcastError } from '../../base/errors.ts';
import type { CellType } from './cell-type.ts';

/**
 * A missing value as JSON text; undefined if it is left out.
 *
 * - `null`: null, whatever the type
 * - `nan`: the bare token NaN, which is not JSON but what Python writes; an empty string in a column of text, and null in
 *   one of booleans, which have no NaN
 * - `empty`: an empty string; null in a column of numbers or booleans, which have no empty value
 * - `omit`: left out
 */
export function missingText(style: MissingStyle, type: CellType): string | undefined {
  switch (style) {
    case 'omit':
      return undefined;
    case 'null':
      return 'null';
    case 'nan':
      if (type === 'boolean') return 'null';
      return type === 'text' ? '""' : 'NaN';
    case 'empty':
      return type === 'text' || type === 'any' || type === 'json' ? '""' : 'null';
  }
}

/**
 * Checks that a layout can express a missing value so.
 *
 * @throws RowcastError `bad_option`
 */
export function checkMissing(style: MissingStyle, layout: string, possible: readonly MissingStyle[]): void {
  if (possible.includes(style)) return;
  throw new RowcastError(
    'bad_option',
    `--missing ${style} is not possible where rows are sent as ${layout}`,
    {
      hint: `Use one of: ${possible.join(', ')}.`,
    },
  );
}
