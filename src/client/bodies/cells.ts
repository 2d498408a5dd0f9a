import type { MissingStyle } from '../../base/contract/sent-types.ts';
import type { CellType } from './cell-type.ts';
import { missingText } from './missing-value.ts';
import type { SentValues } from './sent-values.ts';

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
