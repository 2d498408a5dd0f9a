import type { MissingStyle } from '../../base/contract/limits.ts';
import { RowcastError } from '../../base/errors.ts';
import { isText } from '../../formats/json/write-bytes.ts';
import type { FeatureColumn } from '../../scoring/feature-columns.ts';

/**
 * What decides how the values of a column are written:
 *
 * - `json`: each value, as the report API wants it: a JSON number verbatim, anything else as a string
 * - `any`: each value, but only numbers that a double can hold are numbers
 * - the others: the type. A value of `integer`, `float` or `boolean` fits it, because `checkTypes` rejects rows in
 *   which one does not.
 */
export type CellType = 'json' | 'any' | 'text' | 'integer' | 'float' | 'boolean';

/** The types whose values may not fit. */
export type StrictType = 'integer' | 'float' | 'boolean';

export const isStrict = (type: CellType): type is StrictType =>
  type === 'integer' || type === 'float' || type === 'boolean';

/** The types that users give, those of reports, and those that services of the Open Inference protocol state. */
const cellTypes: ReadonlyMap<string, CellType> = new Map([
  ['integer', 'integer'],
  ['float', 'float'],
  ['boolean', 'boolean'],
  ['text', 'text'],
  ['categorical', 'text'],
  ['numerical', 'float'],
  ['date', 'text'],
  ['BYTES', 'text'],
  ['BOOL', 'boolean'],
  ...['FP16', 'FP32', 'FP64'].map(type => [type, 'float'] as const),
  ...['8', '16', '32', '64'].flatMap(bits => [
    [`INT${bits}`, 'integer'] as const,
    [`UINT${bits}`, 'integer'] as const,
  ]),
]);

/** How a column of this type is written for a service of the report API, which converts values itself. */
export const reportCell = (type: string | undefined): CellType => (isText(type) ? 'text' : 'json');

/** How a column of this type is written for any other service, which fails for a whole batch if one value is wrong. */
export const typedCell = (type: string | undefined): CellType => cellTypes.get(type ?? '') ?? 'any';

/** The numbers of each integer type of the Open Inference protocol; users' own integers have 64 bits. */
const ranges: ReadonlyMap<string, IntegerRange> = new Map([
  ['INT8', { max: '127', min: '128' }],
  ['INT16', { max: '32767', min: '32768' }],
  ['INT32', { max: '2147483647', min: '2147483648' }],
  ['UINT8', { max: '255', min: '0' }],
  ['UINT16', { max: '65535', min: '0' }],
  ['UINT32', { max: '4294967295', min: '0' }],
  ['UINT64', { max: '18446744073709551615', min: '0' }],
]);

export const integerRange = (type: string | undefined): IntegerRange => ranges.get(type ?? '') ?? int64;

/** The range of an integer type, as digits. */
export interface IntegerRange {
  /** The largest number. */
  readonly max: string;
  /** The smallest number without its sign. */
  readonly min: string;
}

const int64: IntegerRange = { max: '9223372036854775807', min: '9223372036854775808' };

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
 * - `nan`: the bare token NaN, which is not JSON but what Python writes; an empty string in a column of text, and null
 *   in one of booleans, which have no NaN
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

/** What is sent of each row. */
export interface SentValues {
  features: readonly FeatureColumn[];
  /** Values treated as missing, in addition to the empty one. */
  nulls: readonly string[];
  /** How a missing value is written, if the user says so; by default, as the protocol does. */
  missing?: MissingStyle | undefined;
}
