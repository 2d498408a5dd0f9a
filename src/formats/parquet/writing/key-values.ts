import type { EncodedColumn } from '../../group-encoding.ts';
import { ARROW } from '../footer/arrow-fields.ts';
import { FILE, KEY_VALUE } from '../footer/numbers.ts';
import type { ParquetFile } from '../footer/parquet-file.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import { arrowSchema } from './arrow-schema.ts';
import type { CopiedColumn } from './copied-columns.ts';

/** Schemas of the whole file, by which their programs read it: they would not see the appended columns. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'org.apache.spark.sql.parquet.row.metadata',
  'parquet.avro.schema',
  'avro.schema',
]);

/** What names some of the columns: programs refuse a file without them, and ignore others. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['pandas', 'geo']);

/**
 * What other programs have stored in a file whose columns are copied, as far as it is true of a file with some of them and others
 * after them.
 */
export function keyValues(
  { footer, columns: all }: ParquetFile,
  copied: readonly CopiedColumn[],
  appended: readonly EncodedColumn[],
): ThriftStruct[] {
  const isUnchanged =
    copied.length === all.length && copied.every(({ column, name }) => column.name === name);
  const keeps = (key: string): boolean => !SCHEMAS.has(key) && (isUnchanged || !DESCRIPTIONS.has(key));
  return footer.structs(FILE.keyValues).flatMap(pair => {
    const key = pair.text(KEY_VALUE.key);
    if (key === ARROW) {
      const schema = pair.has(KEY_VALUE.value)
        ? arrowSchema(pair.text(KEY_VALUE.value), all, copied, appended, keeps)
        : undefined;
      if (schema === undefined) return [];
      const own = pair.copy();
      own.setText(KEY_VALUE.value, schema);
      return [own];
    }
    return keeps(key) ? [pair] : [];
  });
}
