import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { RowcastError } from '../../base/errors.ts';
import type { SentValues } from './body-layout.ts';
import type { CellType } from './cell-type.ts';

/** How the value of one column is written in each row of a body. */
export interface Cell {
  /** Index of its field in a record. */
  readonly index: number;
  /** `field`: as one of a CSV; otherwise as JSON. */
  readonly kind: Exclude<CellType, StrictNumber> | 'number' | 'field';
  /** Whether a value that has a type of its own keeps it, because the column has none. */
  readonly keepsType: boolean;
  /** What is before the value: a comma, and perhaps a name. The first cell of a row goes without the comma. */
  readonly opening: string;
  /** What stands for a missing value, with its opening; undefined if both are left out. */
  readonly missing: string | undefined;
}

/** The text around the cells of each row, and between two rows. */
export interface RowText {
  readonly opening: string;
  readonly closing: string;
  readonly between: string;
}

/** The values of a single column, one after the other. */
export const valuesOfColumn: RowText = { opening: '', closing: '', between: ',' };

type StrictNumber = 'integer' | 'float';

interface CellsOptions {
  /** What is between the comma and a value; by default nothing. */
  nameOf?: (name: string) => string;
  /** How a column of a type is written. */
  cellOf: (type: string | undefined) => CellType;
  /** How a missing value is written. */
  missing: MissingStyle;
}

/** The columns of a body as cells with JSON values. */
export function jsonCells(
  features: SentValues['features'],
  { nameOf = () => '', cellOf, missing }: CellsOptions,
): Cell[] {
  return features.map(({ name, index, type }) => {
    const cell = cellOf(type);
    const opening = `,${nameOf(name)}`;
    const text = missingText(missing, cell);
    return {
      index,
      keepsType: type === undefined && cell !== 'text',
      kind: cell === 'integer' || cell === 'float' ? 'number' : cell,
      opening,
      missing: text === undefined ? undefined : opening + text,
    };
  });
}

/** Whether a field is a missing value: empty, or one of the texts that stand for it. */
export function missingIn(nulls: readonly string[]): (bytes: Buffer, start: number, end: number) => boolean {
  const texts = nulls.map(text => Buffer.from(text));
  return (bytes, start, end) =>
    start === end ||
    (texts.length > 0 &&
      texts.some(
        text => end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0,
      ));
}

/**
 * A missing value as JSON text; undefined if it is left out.
 *
 * - `null`: null, whatever the type
 * - `nan`: the bare token NaN, which is not JSON but what Python writes; an empty string in a column of text, and null in
 *   one of booleans, which have no NaN
 * - `empty`: an empty string; null in a column of numbers or booleans, which have no empty value
 * - `omit`: left out
 */
function missingText(style: MissingStyle, type: CellType): string | undefined {
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
