import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Layout } from '../format.ts';
import type { EncoderOf, GroupEncoding } from '../group-encoding.ts';
import { outputColumns, renamed } from '../output-columns.ts';
import type { ParquetFile } from './footer/parquet-file.ts';
import { parquetFileOf } from './parquet-layout.ts';
import type { CopiedColumn } from './writing/copied-columns.ts';
import { ParquetEncoder } from './writing/file-encoder.ts';

/**
 * Makes Parquet of the rows of a text, or of another Parquet file, whose columns are copied.
 *
 * @throws RowcastError `missing_columns`
 */
export function parquetEncoder(layout: Layout, encoding: GroupEncoding): EncoderOf {
  const { nulls, file } = encoding;
  const own = parquetFileOf(layout);
  const copied = own && copiedOf(own, encoding);
  const { delimiter = ',', quote = '"', escape: escaper, loneCr = false } = layout.readAs;
  const dialect = {
    delimiter,
    quote: quote === 'none' ? undefined : quote,
    loneCr,
    ...(escaper !== undefined && { escape: escaper }),
  };
  return columns => {
    checkDistinct([...(copied?.columns ?? []), ...columns].map(({ name }) => name));
    return new ParquetEncoder({ columns, nulls: new Set(nulls), file, dialect, copied });
  };
}

/** The columns of a file that are copied. */
export function copiedOf(
  file: ParquetFile,
  options: Pick<GroupEncoding, 'keep' | 'rename'>,
): { file: ParquetFile; columns: CopiedColumn[] } {
  const named = { names: file.columns.map(({ name }) => name) };
  const chosen = outputColumns(named, options, file.name);
  const kept = chosen?.kept ?? [...file.columns.keys()];
  const columns = kept.flatMap(index => file.columns[index] ?? []);
  return { file, columns: columns.map(column => ({ column, name: renamed(column.name, chosen) })) };
}

function checkDistinct(names: readonly string[]): void {
  const before = new Set<string>();
  const repeated = names.find(name => before.size === before.add(name).size);
  if (repeated === undefined) return;
  throw new RowcastError('duplicate_columns', `the output would have two columns "${sanitize(repeated)}"`, {
    hint: 'If the file was scored before, give another --prefix, or leave the column out with --keep; otherwise, check --rename.',
  });
}
