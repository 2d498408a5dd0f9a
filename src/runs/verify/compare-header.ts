import { writeRow } from '../../base/write-row.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';
import type { Header } from '../../formats/csv/header.ts';
import { type OutputColumns, ownHeader, ownNames } from '../../formats/csv/output-columns.ts';
import { rejectColumns } from '../../formats/records/reject-columns.ts';
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
 * @param columns of OUTPUT, if they are not those of INPUT
 * @param chosen the options of the run that decide what was appended
 * @returns a check of the fields appended to OUTPUT's rows
 * @throws RowcastError `difference`
 */
export function compareHeaders(
  input: NamedHeader,
  output: NamedHeader,
  columns?: OutputColumns,
  chosen: ChosenProbabilities = {},
): AppendedCheck {
  const check = appendedCheckOf(input, output, columns, chosen);
  const [ending, wanted] = [output, input].map(({ header }) => header.bytes.subarray(header.contentEnd));
  if (columns?.hasHeader === false || wanted === undefined || ending?.equals(wanted)) return check;
  throw mismatch(`the header's line ending differs from that of ${input.file}`, {
    file: output.file,
    line: 1,
  });
}

/** The same, whatever the line endings. */
export function appendedCheckOf(
  input: NamedHeader,
  output: NamedHeader,
  columns: OutputColumns | undefined,
  chosen: ChosenProbabilities,
): AppendedCheck {
  const location = { file: output.file, line: 1 };
  const { dialect } = input.header;
  const scored = output.header;
  const { length: kept } = ownNames(input.header, columns);
  const shape = { ...chosen, isAfterOthers: kept > 0 };
  if (columns?.hasHeader === false) {
    const check = appendedCheck(scored.names.length - kept, dialect, shape);
    // An output without rows has nothing that tells its columns.
    const nothing = { wrong: 'nothing is appended' };
    return check ?? { isAfterOthers: kept > 0, isAlone: false, check: () => nothing };
  }
  const own = ownHeader(input.header, columns);
  const beginsAlike = scored.bytes.subarray(0, own.length).equals(own);
  if (beginsAlike && scored.contentEnd === own.length)
    throw mismatch(`the header has no columns besides those of ${input.file}`, location);
  const separator = kept > 0 ? dialect.delimiter : '';
  if (!beginsAlike || !scored.bytes.subarray(own.length).toString('latin1').startsWith(separator))
    throw mismatch(`the header does not start with that of ${input.file}`, location);
  const appended = scored.names.slice(kept);

  const written = separator + writeRow(appended, dialect).slice(0, -1);
  const former = new Map(Object.entries(columns?.rename ?? {}).map(([from, to]) => [to, from]));
  const check = appendedCheck(
    appended.map(name => former.get(name) ?? name),
    dialect,
    shape,
  );
  const isAsWritten = scored.bytes.subarray(own.length, scored.contentEnd).equals(Buffer.from(written));
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
