import type { FileColumn } from '../footer/file-column.ts';
import { CHUNK, COLUMN, CONVERTED, ELEMENT, FILE, GROUP } from '../footer/numbers.ts';
import { ThriftStruct, writeStruct } from '../footer/thrift.ts';
import { type FileMetaData, parquetMetadata } from '../libraries.ts';

/** Numbers of converted types. */
const [UTF8, INT_64] = [CONVERTED.indexOf('UTF8'), CONVERTED.indexOf('INT_64')];

/**
 * The metadata of a file with one column in one group, whose type says no more than how values are stored. hyparquet then gives
 * these as they are: it makes doubles of decimals, and of microseconds a date with milliseconds.
 *
 * @param rows of the group
 */
export function physicalMetadata(column: FileColumn, chunk: ThriftStruct, rows: number): FileMetaData {
  const root = new ThriftStruct();
  root.setText(ELEMENT.name, 'schema');
  root.setInteger(ELEMENT.children, 1, 'i32');
  const group = new ThriftStruct();
  group.setStructs(GROUP.columns, [plainChunk(chunk)]);
  group.setInteger(GROUP.bytes, 0, 'i64');
  group.setInteger(GROUP.rows, rows, 'i64');
  const footer = new ThriftStruct();
  footer.setInteger(FILE.version, 2, 'i32');
  footer.setStructs(FILE.schema, [root, ...structsOf(column), plainElement(column)]);
  footer.setInteger(FILE.rows, rows, 'i64');
  footer.setStructs(FILE.groups, [group]);
  const bytes = writeStruct(footer);
  const end = Buffer.alloc(8, 'PAR1', 'latin1');
  end.writeUInt32LE(bytes.length);
  return parquetMetadata(Buffer.concat([bytes, end]), { geoparquet: false });
}

/** The structs around a column, outermost first, as if they had no other member. */
function structsOf({ struct }: FileColumn): ThriftStruct[] {
  const structs: ThriftStruct[] = [];
  for (let own = struct; own !== undefined; own = own.outer) {
    const copy = own.element.copy();
    copy.setInteger(ELEMENT.children, 1, 'i32');
    structs.unshift(copy);
  }
  return structs;
}

function plainElement({ elements: [element], type }: FileColumn): ThriftStruct {
  const plain = element?.copy() ?? new ThriftStruct();
  plain.delete(ELEMENT.converted, ELEMENT.scale, ELEMENT.precision, ELEMENT.logical, ELEMENT.children);
  // With a type, even a wrong one, the two numbers of an INT96 stay apart.
  if (type.is === 'int96') plain.setInteger(ELEMENT.converted, INT_64, 'i32');
  if (type.is === 'text') plain.setInteger(ELEMENT.converted, UTF8, 'i32');
  return plain;
}

function plainChunk(chunk: ThriftStruct): ThriftStruct {
  const column = chunk.struct(CHUNK.metadata).copy();
  column.delete(
    COLUMN.statistics,
    COLUMN.sizes,
    COLUMN.geospatial,
    COLUMN.bloomFilter,
    COLUMN.bloomFilterBytes,
  );
  const plain = new ThriftStruct();
  plain.setInteger(CHUNK.offset, 0, 'i64');
  plain.setStruct(CHUNK.metadata, column);
  return plain;
}
