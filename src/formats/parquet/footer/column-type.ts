import { CONVERTED, ELEMENT, LOGICAL, TYPES } from './numbers.ts';
import type { ThriftStruct } from './thrift.ts';

/** What the values of a column are. */
export type ParquetType =
  | { readonly is: 'boolean' | 'signed' | 'unsigned' | 'float' | 'double' | 'half' }
  | { readonly is: 'text' | 'bytes' | 'uuid' | 'date' | 'unknown' }
  | { readonly is: 'decimal'; readonly scale: number }
  /** @param digits after the seconds */
  | { readonly is: 'timestamp'; readonly digits: 3 | 6 | 9; readonly isUtc: boolean }
  | { readonly is: 'time'; readonly digits: 3 | 6 | 9 }
  /** A timestamp in the way of Hive and older versions of Spark. */
  | { readonly is: 'int96' }
  /** A group of columns, each of which may be read. */
  | { readonly is: 'struct' }
  | { readonly is: 'unsupported'; readonly what: string };

/** The type of a column without children. */
export function parquetType(element: ThriftStruct): ParquetType {
  const physical = TYPES[element.integer(ELEMENT.type)];
  if (physical === undefined) return { is: 'unsupported', what: 'a type that is not known' };
  const logical = element.has(ELEMENT.logical) ? element.struct(ELEMENT.logical) : undefined;
  const converted = element.has(ELEMENT.converted)
    ? CONVERTED[element.integer(ELEMENT.converted)]
    : undefined;
  return (
    (logical && logicalType(logical, physical)) ??
    (converted && convertedType(converted, element)) ??
    PHYSICAL_TYPES[physical]
  );
}

/** @returns undefined if it says no more than the physical type */
function logicalType(logical: ThriftStruct, physical: string): ParquetType | undefined {
  const [id] = logical.members.keys();
  if (id === undefined) return undefined;
  switch (id) {
    case LOGICAL.string:
    case LOGICAL.enum:
    case LOGICAL.json:
      return { is: 'text' };
    case LOGICAL.decimal:
      return { is: 'decimal', scale: logical.struct(id).integer(1) };
    case LOGICAL.date:
      return { is: 'date' };
    case LOGICAL.time:
      return { is: 'time', digits: digitsOf(logical.struct(id).struct(2)) };
    case LOGICAL.timestamp: {
      const timestamp = logical.struct(id);
      const isUtc = timestamp.members.get(1)?.value === true;
      return { is: 'timestamp', digits: digitsOf(timestamp.struct(2)), isUtc };
    }
    case LOGICAL.integer: {
      const integer = logical.struct(id);
      const width = integer.members.get(1)?.value;
      // polars 2 writes such integers as bytes.
      if (Buffer.isBuffer(width) && (width[0] ?? 0) > 64)
        return { is: 'unsupported', what: `integers of ${width[0]} bits` };
      return { is: integer.members.get(2)?.value === false ? 'unsigned' : 'signed' };
    }
    case LOGICAL.unknown:
      return { is: 'unknown' };
    case LOGICAL.uuid:
      return physical === 'FIXED_LEN_BYTE_ARRAY' ? { is: 'uuid' } : undefined;
    case LOGICAL.float16:
      return { is: 'half' };
    case LOGICAL.bson:
      return { is: 'unsupported', what: 'BSON' };
    default:
      return { is: 'unsupported', what: 'a logical type that is not known' };
  }
}

/** A union of the units. */
function digitsOf(unit: ThriftStruct): 3 | 6 | 9 {
  if (unit.has(1)) return 3;
  return unit.has(2) ? 6 : 9;
}

const CONVERTED_TYPES: Readonly<Record<string, ParquetType>> = {
  UTF8: { is: 'text' },
  ENUM: { is: 'text' },
  JSON: { is: 'text' },
  DATE: { is: 'date' },
  TIME_MILLIS: { is: 'time', digits: 3 },
  TIME_MICROS: { is: 'time', digits: 6 },
  TIMESTAMP_MILLIS: { is: 'timestamp', digits: 3, isUtc: true },
  TIMESTAMP_MICROS: { is: 'timestamp', digits: 6, isUtc: true },
  BSON: { is: 'unsupported', what: 'BSON' },
  INTERVAL: { is: 'unsupported', what: 'an interval' },
};

function convertedType(converted: string, element: ThriftStruct): ParquetType {
  if (converted === 'DECIMAL')
    return { is: 'decimal', scale: element.has(ELEMENT.scale) ? element.integer(ELEMENT.scale) : 0 };
  return CONVERTED_TYPES[converted] ?? { is: converted.startsWith('UINT') ? 'unsigned' : 'signed' };
}

const PHYSICAL_TYPES: Readonly<Record<(typeof TYPES)[number], ParquetType>> = {
  BOOLEAN: { is: 'boolean' },
  INT32: { is: 'signed' },
  INT64: { is: 'signed' },
  INT96: { is: 'int96' },
  FLOAT: { is: 'float' },
  DOUBLE: { is: 'double' },
  BYTE_ARRAY: { is: 'bytes' },
  FIXED_LEN_BYTE_ARRAY: { is: 'bytes' },
};
