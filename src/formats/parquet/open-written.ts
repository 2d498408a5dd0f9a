import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { writeRow } from '../../base/write-row.ts';
import { CsvLayout } from '../csv/csv-layout.ts';
import { readHeader } from '../csv/header.ts';
import type { OpenedGroups, RepairedColumns } from '../format.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { type FileColumn, outermostName } from './footer/file-column.ts';
import { openParquet } from './footer/parquet-file.ts';
import { HeardText } from './text/heard-text.ts';
import { ParquetText } from './text/parquet-text.ts';
import { AddedRows } from './writing/added-rows.ts';
import { hasText, keepUnchanged } from './writing/keep-unchanged.ts';
import { RepairedFile } from './writing/repaired-file.ts';

/**
 * Opens a file whose rejected rows are to be put in place. It is read as a CSV of the columns that its rejects have, and of those
 * that were appended.
 *
 * @throws RowcastError `usage` if it does not have all of them; `bad_parquet`, `unreadable_input`
 */
export async function openWritten(
  { name, stored }: ByteSource,
  { rejects, appended, rename = {}, nulls }: RepairedColumns,
): Promise<OpenedGroups> {
  if (stored === undefined) throw new Error('Parquet that is written again is a file');
  const { delimiter, quote, escape: escaper } = rejects.readAs;
  if (delimiter !== ',' || quote !== '"' || escaper !== undefined)
    throw notRepaired(name, 'its rejects are not delimited by commas, with quotes that are doubled');
  const file = await openParquet(stored, name);
  const formerNames = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
  const ofInput = new Map(
    file.values.map(column => {
      const outermost = outermostName(column);
      const former = formerNames.get(outermost) ?? outermost;
      return [former + column.name.slice(outermost.length), column];
    }),
  );
  const ofOutput = new Map(file.columns.map(column => [column.name, column]));
  const readable = (own: string, found: FileColumn | undefined): FileColumn => {
    if (found !== undefined && found.type.is !== 'unsupported') return found;
    const what = `it has no column "${sanitize(own)}", which its rejects or the corrections have`;
    throw notRepaired(name, what);
  };
  const columns = [
    ...rejects.names.map(own => readable(rename[own] ?? own, ofInput.get(own))),
    ...appended.map(own => readable(rename[own] ?? own, ofOutput.get(rename[own] ?? own))),
  ];
  const header = Buffer.concat([
    rejects.preamble.subarray(0, rejects.contentEnd(rejects.preamble, 0, rejects.preamble.length)),
    Buffer.from(appended.map(each => `,${writeRow([each]).slice(0, -1)}`).join('')),
    rejects.preamble.subarray(rejects.contentEnd(rejects.preamble, 0, rejects.preamble.length)),
  ]);
  const dialect = { delimiter, quote, loneCr: false };
  const read = readHeader(header, true, { dialect, file: name, maxRecordBytes: Number.POSITIVE_INFINITY });
  if (read === undefined) throw new Error('the header was not read');
  const text = new HeardText(new ParquetText(file, columns, 'csv', header));
  stored.readAs(text, header.length);
  const added = new AddedRows(file, columns);
  const unchanged = { numbers: columns.map(({ type }) => type.is === 'double'), nulls: new Set(nulls) };
  return {
    layout: new CsvLayout(read),
    rest: Buffer.alloc(0),
    groups: { ends: added.ends },
    encoder: new RepairedFile({
      file,
      columns,
      own: rejects.names.length,
      textOf: group => text.take(group),
    }),
    asWritten: (corrected, former) => keepUnchanged(corrected, former, unchanged),
    addRow: after => added.add(after),
    canAdd: corrected => !hasText(corrected, unchanged),
  };
}

const notRepaired = (file: string, why: string): RowcastError =>
  new RowcastError('usage', `the output cannot be repaired: ${why}`, {
    location: { file },
    hint: 'Score the corrected rows into a file of their own, or correct the input and score it again.',
  });
