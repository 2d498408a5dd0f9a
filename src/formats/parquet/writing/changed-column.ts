import { CONVERTED, ELEMENT, LOGICAL, OPTIONAL, TYPES } from '../footer/numbers.ts';
import type { FileColumn } from '../footer/parquet-file.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import type { WrittenType, WrittenValue } from './written-columns.ts';

/** How a column of a file is written again. */
export interface ChangedColumn {
  readonly type: WrittenType;
  /** The value of a text; undefined if the column cannot have it. */
  readonly valueOf: (text: string) => WrittenValue | undefined;
}

/** How a column is written again; undefined if it cannot be: texts, numbers and booleans that may be missing can. */
export function changedColumn({ type, elements: [element] }: FileColumn): ChangedColumn | undefined {
  if (element === undefined || element.integer(ELEMENT.repetition) !== OPTIONAL) return undefined;
  switch (type.is) {
    case 'text':
      return { type: 'text', valueOf: text => text };
    case 'double':
      return { type: 'number', valueOf: text => numberOf(text) };
    case 'float':
      return { type: 'float', valueOf: text => numberOf(text, Math.fround) };
    case 'boolean':
      return {
        type: 'boolean',
        valueOf: text => (text === 'true' ? true : text === 'false' ? false : undefined),
      };
    case 'signed': {
      const bits = signedBits(element);
      const isLong = TYPES[element.integer(ELEMENT.type)] === 'INT64';
      return {
        type: isLong ? 'long' : 'integer',
        valueOf(text) {
          const value = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
          if (value === undefined || BigInt.asIntN(bits, value) !== value) return undefined;
          return isLong ? value : Number(value);
        },
      };
    }
    default:
      return undefined;
  }
}

/** Numbers as CSV has them (docs/csv-rules.md), and those that are none. */
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|NaN|[+-]?Infinity)$/;

function numberOf(text: string, rounded: (value: number) => number = value => value): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = rounded(Number(text));
  return Number.isFinite(number) || /[NI]/.test(text) ? number : undefined;
}

function signedBits(element: ThriftStruct): number {
  const logical = element.has(ELEMENT.logical) ? element.struct(ELEMENT.logical) : undefined;
  if (logical?.has(LOGICAL.integer) === true) {
    const width = logical.struct(LOGICAL.integer).members.get(1)?.value;
    // One byte.
    if (Buffer.isBuffer(width) && width[0] !== undefined) return width[0];
  }
  const converted = element.has(ELEMENT.converted)
    ? CONVERTED[element.integer(ELEMENT.converted)]
    : undefined;
  const [, bits] = /^INT_(\d+)$/.exec(converted ?? '') ?? [];
  return Number(bits ?? (TYPES[element.integer(ELEMENT.type)] === 'INT64' ? 64 : 32));
}
