import { isText } from '../../formats/json/encode-value.ts';
import { type IntegerRange, int64 } from './check-types.ts';

/**
 * What decides how the values of a column are written:
 *
 * - `json`: each value, as the report API wants it: a JSON number verbatim, anything else as a string
 * - `any`: each value, but only numbers that a double can hold are numbers
 * - the others: the type. A value of `integer`, `float` or `boolean` fits it, because `checkTypes` rejects rows in which one
 *   does not.
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
