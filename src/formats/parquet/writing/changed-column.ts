import { doubleOf } from '../../required-numbers.ts';
import { type FileColumn, mayBeMissing } from '../footer/file-column.ts';
import { CONVERTED, ELEMENT, LOGICAL, TYPES } from '../footer/numbers.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import type { PhysicalType } from './written-chunk.ts';

/** How a column of a file is written again. */
export interface ChangedColumn {
  readonly type: PhysicalType;
  /**
   * The value of a text as a file stores it, a boolean as a byte; null if it is missing; undefined if the column cannot
   * have it.
   */
  readonly valueOf: (text: string) => Uint8Array | null | undefined;
}

/** How a column is written again; undefined if it cannot be: texts, numbers and booleans that may be missing can. */
export function changedColumn(column: FileColumn): ChangedColumn | undefined {
  const {
    type,
    elements: [element],
  } = column;
  if (element === undefined || column.struct !== undefined || !mayBeMissing(element)) return undefined;
  switch (type.is) {
    case 'text':
      return { type: 'BYTE_ARRAY', valueOf: text => Buffer.from(text) };
    case 'double':
      return { type: 'DOUBLE', valueOf: text => bytesOf(doubleOf(text, NO_NULLS), Float64Array) };
    case 'float':
      return { type: 'FLOAT', valueOf: text => bytesOf(floatOf(doubleOf(text, NO_NULLS)), Float32Array) };
    case 'boolean':
      return {
        type: 'BOOLEAN',
        valueOf: text =>
          text === 'true' ? Uint8Array.of(1) : text === 'false' ? Uint8Array.of(0) : undefined,
      };
    case 'signed': {
      const bits = signedBits(element);
      const isLong = TYPES[element.integer(ELEMENT.type)] === 'INT64';
      return {
        type: isLong ? 'INT64' : 'INT32',
        valueOf(text) {
          const value = /^[+-]?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
          if (value === undefined || BigInt.asIntN(bits, value) !== value) return undefined;
          return new Uint8Array(
            isLong ? BigInt64Array.of(value).buffer : Int32Array.of(Number(value)).buffer,
          );
        },
      };
    }
    default:
      return undefined;
  }
}

/** Why a column cannot be written again. */
export function whyUnchanged({ elements: [element], struct }: FileColumn): string {
  if (struct !== undefined) return 'members of structs are not written again';
  return mayBeMissing(element)
    ? 'values of its type are not written'
    : 'only columns that may have nulls are written again';
}

const bytesOf = (
  value: number | null | undefined,
  type: typeof Float64Array | typeof Float32Array,
): Uint8Array | null | undefined =>
  typeof value === 'number' ? new Uint8Array(type.of(value).buffer) : value;

/** A text that was not corrected is as the output has it; of others, none stands for a missing number. */
const NO_NULLS: ReadonlySet<string> = new Set();

/** @returns undefined if the number is too large for a float */
const floatOf = (value: number | null | undefined): number | null | undefined =>
  typeof value === 'number' && Number.isFinite(value) && !Number.isFinite(Math.fround(value))
    ? undefined
    : value;

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
