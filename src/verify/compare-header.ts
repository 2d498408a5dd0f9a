import type { Header } from '../formats/csv/header.ts';
import { rejectColumns } from '../formats/csv/reject-columns.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import { type AppendedCheck, appendedCheck } from './check-appended.ts';
import { mismatch } from './mismatch.ts';

/** A file's header. */
export interface NamedHeader {
  /** File name, for messages. */
  file: string;
  header: Header;
}

/**
 * Compares the headers of INPUT and OUTPUT.
 *
 * @returns a check of the fields appended to OUTPUT's rows
 * @throws RowcastError `difference`
 */
export function compareHeaders(input: NamedHeader, output: NamedHeader): AppendedCheck {
  const location = { file: output.file, line: 1 };
  const { bytes, contentEnd, names, dialect } = input.header;
  const scored = output.header;
  const beginsAlike = scored.bytes.subarray(0, contentEnd).equals(bytes.subarray(0, contentEnd));
  if (beginsAlike && scored.contentEnd === contentEnd)
    throw mismatch(`the header has no columns besides those of ${input.file}`, location);
  if (!beginsAlike || scored.bytes[contentEnd] !== dialect.delimiter.charCodeAt(0))
    throw mismatch(`the header does not start with that of ${input.file}`, location);
  const appended = scored.names.slice(names.length);
  if (!scored.bytes.subarray(scored.contentEnd).equals(bytes.subarray(contentEnd)))
    throw mismatch(`the header's line ending differs from that of ${input.file}`, location);

  const written = dialect.delimiter + writeRow(appended, dialect).slice(0, -1);
  const check = appendedCheck(appended, dialect);
  const isAsWritten = scored.bytes.subarray(contentEnd, scored.contentEnd).equals(Buffer.from(written));
  if (check === undefined || !isAsWritten)
    throw mismatch(
      `the appended columns are not named <prefix>_<class>, optionally followed by predicted_<column>`,
      location,
    );
  return check;
}

const BOM = Buffer.from('\ufeff');

/**
 * Compares the header of INPUT with that of its rejects file, ignoring a BOM in either.
 *
 * @throws RowcastError `difference`
 */
export function compareRejectsHeader(input: NamedHeader, rejects: NamedHeader): void {
  const { bytes, dialect } = input.header;
  const columns = rejectColumns.map(name => name + dialect.delimiter).join('');
  const expected = Buffer.concat([Buffer.from(columns), withoutBom(bytes)]);
  if (withoutBom(rejects.header.bytes).equals(expected)) return;
  throw mismatch(`the header is not ${columns} followed by that of ${input.file}`, {
    file: rejects.file,
    line: 1,
  });
}

function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes;
}
