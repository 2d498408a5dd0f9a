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
    physicalType(physical)
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

function convertedType(converted: string, element: ThriftStruct): ParquetType | undefined {
  switch (converted) {
    case 'UTF8':
    case 'ENUM':
    case 'JSON':
      return { is: 'text' };
    case 'DECIMAL':
      return { is: 'decimal', scale: element.has(ELEMENT.scale) ? element.integer(ELEMENT.scale) : 0 };
    case 'DATE':
      return { is: 'date' };
    case 'TIME_MILLIS':
      return { is: 'time', digits: 3 };
    case 'TIME_MICROS':
      return { is: 'time', digits: 6 };
    case 'TIMESTAMP_MILLIS':
      return { is: 'timestamp', digits: 3, isUtc: true };
    case 'TIMESTAMP_MICROS':
      return { is: 'timestamp', digits: 6, isUtc: true };
    case 'BSON':
      return { is: 'unsupported', what: 'BSON' };
    case 'INTERVAL':
      return { is: 'unsupported', what: 'an interval' };
    default:
      return { is: converted.startsWith('UINT') ? 'unsigned' : 'signed' };
  }
}

function physicalType(physical: (typeof TYPES)[number]): ParquetType {
  switch (physical) {
    case 'BOOLEAN':
      return { is: 'boolean' };
    case 'INT32':
    case 'INT64':
      return { is: 'signed' };
    case 'INT96':
      return { is: 'int96' };
    case 'FLOAT':
      return { is: 'float' };
    case 'DOUBLE':
      return { is: 'double' };
    case 'BYTE_ARRAY':
    case 'FIXED_LEN_BYTE_ARRAY':
      return { is: 'bytes' };
  }
}
